"""All baselines that the package has, so that a new one is tested at once."""

from isvmde import baselines
from isvmde.baselines import OVOSVM

KINDS = tuple(
    kind
    for kind in (getattr(baselines, name) for name in baselines.__all__)
    if issubclass(kind, OVOSVM)
)


def draws(baseline):
    """Whether a baseline makes samples with random numbers."""
    return "random_state" in baseline.get_params()


def make_baselines(**parameters):
    """Return every baseline with these parameters, and a seed where one is taken."""
    made = [kind(**parameters) for kind in KINDS]
    return [
        model.set_params(random_state=0) if draws(model) else model for model in made
    ]
