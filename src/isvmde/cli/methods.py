"""The method a model is trained with, made from the options of ``isvmde fit``."""

import functools
import math
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import click

from isvmde import ISVMClassifierCV, ISVMDEClassifier
from isvmde.classifiers.checks import SCORES
from isvmde.classifiers.searched import SEARCHES
from isvmde.cli import options
from isvmde.cli.output import join
from isvmde.core.decomposition import DECOMPOSITIONS
from isvmde.core.evolution import OPTIMIZERS
from isvmde.core.fitness import FITNESS
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
        "auto, balanced, training, or class=probability,...: the class frequencies it "
        "assumes.",
        metavar="PRIOR",
    ),
    "scoring": _Option(
        "--scoring",
        _AVERAGE,
        "tune the prior for this score.",
        click.Choice(list(SCORES)),
    ),
    "fitness": _Option(
        "--fitness",
        _SEARCH,
        "what it minimises: the paper's two, or the error over inner folds [ave].",
        click.Choice(list(FITNESS)),
    ),
    "optimizer": _Option(
        "--optimizer",
        _SEARCH,
        "the paper's evolution, the usual one, or uniform points [ide].",
        click.Choice(list(OPTIMIZERS)),
    ),
    "search": _Option(
        "--search",
        _SEARCH,
        "all pairs of classes at once, as in the paper, or one by one, which is faster "
        "[joint].",
        click.Choice(list(SEARCHES)),
    ),
    "decomposition": _Option(
        "--decomposition",
        _SEARCH,
        "a machine per pair of classes, per class, or a decision graph [one-vs-one].",
        click.Choice(list(DECOMPOSITIONS)),
    ),
    "pop_size": _Option("--pop", _SEARCH, "individuals [40].", click.IntRange(5)),
    "max_iter": _Option("--iter", _SEARCH, "generations [200].", click.IntRange(1)),
    "time_limit": _Option(
        "--time-limit",
        _SEARCH,
        "stop the search after this time and keep the best found.",
        click.FloatRange(0, min_open=True),
        "SECONDS",
    ),
    "checkpoint": _Option(
        "--checkpoint",
        _SEARCH,
        "save the search here; the same command resumes from it.",
        click.Path(),
        "FILE",
    ),
}
_method_options = options.adding(
    *(
        click.option(
            option.flag,
            name,
            type=option.type,
            metavar=option.metavar,
            help=f"{option.method}: {option.help}",
        )
        for name, option in _OPTIONS.items()
    )
)


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of methods; the command gets those given as ``parameters``."""

    @functools.wraps(command)
    def call(**values: Any) -> Any:
        every = {name: values.pop(name) for name in _OPTIONS}
        given = {name: value for name, value in every.items() if value is not None}
        return command(parameters=given, **values)

    decorated: Callable[..., Any] = _method_options(call)
    return decorated


def find_modules_here(methods: Iterable[str]) -> None:
    """Let MODULE:NAME stand for a file in this folder, if a method is given so.

    Installed packages come first; worker processes inherit the path.
    """
    here = os.getcwd()
    if any(":" in method for method in methods) and here not in sys.path:
        sys.path.append(here)


def make_model(
    method: str, given: dict[str, Any], *, seed: int, n_jobs: int, verbose: bool
) -> Any:
    """Return the classifier of that name; options of other methods are refused."""
    name = method.strip().lower()
    kind = _SEARCH if name in _FITNESS else _AVERAGE
    for option in (_OPTIONS[parameter] for parameter in given):
        if option.method != kind or name not in (*_FITNESS, _AVERAGE.lower()):
            raise click.UsageError(
                f"{option.flag} belongs to {option.method}, not to {method}: add "
                f"--method {option.method} or leave it out."
            )
    if math.isnan(given.get("time_limit", 0)):  # which is in every range
        raise click.UsageError("--time-limit nan is not a number of seconds.")
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
        find_modules_here([method])
        model = make_classifier(method, random_state=seed, n_jobs=n_jobs)
        if isinstance(model, ISVMClassifierCV):
            model.set_params(verbose=int(verbose))
    return model.set_params(**given)


def read_prior(text: str, classes: Iterable[Any]) -> str | dict[Any, float]:
    """Return the prior: a name as it is, or of ``a=0.9,b=0.1`` a dict."""
    if text in ("auto", "balanced", "training"):
        return text
    by_text = {str(label): label for label in classes}
    parts = [part.rpartition("=") for part in options.split_names(text)]
    try:
        prior = {
            label.strip(): options.read_share(number) for label, _, number in parts
        }
    except ValueError:
        prior = {}
    if prior.keys() != by_text.keys():
        raise click.BadParameter(
            "use auto, balanced, training, or class=probability for every class, as in "
            f"ill=0.1,well=0.9; the classes are {join(by_text)}",
            param_hint="'--prior'",
        )
    return {by_text[label]: number for label, number in prior.items()}
