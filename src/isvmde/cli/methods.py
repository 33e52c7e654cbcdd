"""The method a model is trained with, made from the options of ``isvmde fit``."""

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import click

from isvmde import ISVMDEClassifier
from isvmde.cli import options
from isvmde.cli.output import join
from isvmde.method_choice import make_classifier

_SEARCH, _AVERAGE = "i-SVM-DE", "i-SVM-LOO"
_FITNESS = {"i-svm-de": None, "i-svm-de-ave": "ave", "i-svm-de-max": "max"}


class _Option(NamedTuple):
    """The option of a parameter, and the method that it belongs to."""

    flag: str
    method: str
    help: str
    type: Any = str
    metavar: str | None = None


_OPTIONS = {
    "prior": _Option(
        "--prior",
        _AVERAGE,
        "auto, balanced, training, or class=probability,...: what it predicts under.",
        metavar="PRIOR",
    ),
    "scoring": _Option(
        "--scoring",
        _AVERAGE,
        "tune the prior for this score.",
        click.Choice(["g_mean", "av_f", "cba", "accuracy"]),
    ),
    "fitness": _Option(
        "--fitness", _SEARCH, "what it minimises [ave].", click.Choice(["ave", "max"])
    ),
    "search": _Option(
        "--search",
        _SEARCH,
        "all pairs of classes at once, as in the paper, or one by one, which is faster "
        "[joint].",
        click.Choice(["joint", "pairwise"]),
    ),
    "pop_size": _Option("--pop", _SEARCH, "individuals [40].", click.IntRange(5)),
    "max_iter": _Option("--iter", _SEARCH, "generations [200].", click.IntRange(1)),
    "time_limit": _Option(
        "--time-limit",
        _SEARCH,
        "end the search then, with the best found.",
        click.FloatRange(0, min_open=True),
        "SECONDS",
    ),
    "checkpoint": _Option(
        "--checkpoint",
        _SEARCH,
        "keep the search here; the same command goes on from it.",
        click.Path(),
        "FILE",
    ),
}
method_options = options.adding(
    *(
        click.option(
            own.flag,
            name,
            type=own.type,
            metavar=own.metavar,
            help=f"{own.method}: {own.help}",
        )
        for name, own in _OPTIONS.items()
    )
)


def pop_given(chosen: dict[str, Any]) -> dict[str, Any]:
    """Take the parameters of methods that were given out of a command's options."""
    own = {name: chosen.pop(name) for name in _OPTIONS}
    return {name: value for name, value in own.items() if value is not None}


def make_model(
    method: str, given: dict[str, Any], *, seed: int, n_jobs: int, verbose: bool
) -> Any:
    """Return the classifier of that name; options of other methods are refused."""
    name = method.strip().lower()
    kind = _SEARCH if name in _FITNESS else _AVERAGE
    for own in (_OPTIONS[parameter] for parameter in given):
        if own.method != kind or name not in (*_FITNESS, _AVERAGE.lower()):
            raise click.UsageError(
                f"{own.flag} belongs to {own.method}, not to {method}: add --method "
                f"{own.method} or leave it out."
            )
    if math.isnan(given.get("time_limit", 0)):  # which is in every range
        raise click.UsageError("--time-limit nan is no number of seconds.")
    model: Any
    if kind == _SEARCH:
        fitness = _FITNESS[name] or given.get("fitness", "ave")
        if given.get("fitness", fitness) != fitness:
            raise click.UsageError(
                f"{method} has the fitness {fitness!r}: leave --fitness out, or use "
                f"--method {_SEARCH}."
            )
        model = ISVMDEClassifier(
            fitness=fitness,
            keep_best_on_interrupt=True,
            random_state=seed,
            n_jobs=n_jobs,
            verbose=int(verbose),
        )
    else:
        model = make_classifier(method, random_state=seed, n_jobs=n_jobs)
    return model.set_params(**given)


def read_prior(text: str, classes: Iterable[Any]) -> str | dict[Any, float]:
    """Return the prior: a name as it is, or of ``a=0.9,b=0.1`` a dict."""
    if text in ("auto", "balanced", "training"):
        return text
    by_text = {str(label): label for label in classes}
    parts = [part.rpartition("=") for part in options.split_names(text)]
    try:
        prior = {label.strip(): float(number) for label, _, number in parts}
    except ValueError:
        prior = {}
    if prior.keys() != by_text.keys():
        raise click.BadParameter(
            "use auto, balanced, training, or class=probability for every class, as in "
            f"ill=0.1,well=0.9; the classes are {join(by_text)}",
            param_hint="'--prior'",
        )
    return {by_text[label]: number for label, number in prior.items()}
