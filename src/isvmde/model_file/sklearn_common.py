"""What the rules of scikit-learn's classes share.

Prediction with the classes that have rules is NumPy and SciPy on dense arrays, and
everything they index with is checked. Trees, neighbours and LIBSVM follow indices from
the file through memory, and text vectorizers open files: those have no rules, and
nobody can put them into a file without `trusted=`. A parameter that is only for
training, such as a cache folder or a number of processes, is forgotten.
"""

from collections.abc import Iterable

from .kinds import (
    ANY_ROLE,
    MOST_COLUMNS,
    Array,
    Choice,
    Kind,
    Names,
    OneOf,
    PartOf,
    Record,
    Size,
    State,
    Surroundings,
    expect,
)

TRANSFORMER, CLASSIFIER = frozenset({"transformer"}), frozenset({"classifier"})
N_FEATURES = Size("features")
OUTPUT: dict[str, Kind] = {
    "_sklearn_output_config": Record({"transform": Choice((None, "default", "pandas"))})
}
NAMES: dict[str, Kind] = {"feature_names_in_": Names()} | OUTPUT
PER_FEATURE = Array("f", ("features",), computed=False)
JOBS = frozenset({"n_jobs"})
INNER = PartOf(ANY_ROLE, fitted=False)
STEP = OneOf((Choice((None, "passthrough", "drop")), INNER))


def same_width(state: State, around: Surroundings) -> int | None:
    """Return as many columns as go in."""
    return around.sizes.get("features")


def total_width(widths: Iterable[int | None], at_most: int) -> int | None:
    """Return the columns of several parts, if they are known of all.

    What does not tell has ``at_most`` so many; all together are not too many either.
    """
    listed = list(widths)
    most = sum(at_most if width is None else width for width in listed)
    expect(most <= MOST_COLUMNS, f"{most} columns come out")
    return None if None in listed else most
