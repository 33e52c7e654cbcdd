"""The method a model is trained with, made from the options of ``isvmde fit``."""

import math
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, ClassVar

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


@dataclass(frozen=True)
class _MethodOptions:
    """Parameters of one method, None where the command says nothing."""

    method: ClassVar[str]  # to which they belong

    def given(self) -> dict[str, Any]:
        """Return what the command says, by the name of the parameter."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class AverageOptions(_MethodOptions):
    """What the command says of the parameters of i-SVM-LOO.

    Parameters
    ----------
    prior : str or None
        As it is written; :func:`read_prior` reads it once the classes are known.
    scoring : str or None
        The score for which the prior is tuned.
    """

    method: ClassVar[str] = _AVERAGE

    prior: str | None = None
    scoring: str | None = None


@dataclass(frozen=True)
class SearchOptions(_MethodOptions):
    """What the command says of the parameters of i-SVM-DE.

    Parameters
    ----------
    fitness, optimizer, search, decomposition : str or None
        What is minimised, by what, jointly or not, and over which binary problems.
    pop_size, max_iter : int or None
        Individuals and generations.
    time_limit : float or None
        Seconds after which the search stops.
    checkpoint : str or None
        The file that keeps the state of the search.
    """

    method: ClassVar[str] = _SEARCH

    fitness: str | None = None
    optimizer: str | None = None
    search: str | None = None
    decomposition: str | None = None
    pop_size: int | None = None
    max_iter: int | None = None
    time_limit: float | None = None
    checkpoint: str | None = None


_average_options = options.packed(
    AverageOptions,
    "averaging",
    options.adding(
        click.option(
            "--prior",
            metavar="PRIOR",
            help="i-SVM-LOO: auto, balanced, training, or class=probability,...: the "
            "class frequencies it assumes.",
        ),
        click.option(
            "--scoring",
            type=click.Choice(list(SCORES)),
            help="i-SVM-LOO: tune the prior for this score.",
        ),
    ),
)
_search_options = options.packed(
    SearchOptions,
    "searching",
    options.adding(
        click.option(
            "--fitness",
            type=click.Choice(list(FITNESS)),
            help="i-SVM-DE: what it minimises: the paper's two, or the error over "
            "inner folds [ave].",
        ),
        click.option(
            "--optimizer",
            type=click.Choice(list(OPTIMIZERS)),
            help="i-SVM-DE: the paper's evolution, the usual one, or uniform points "
            "[ide].",
        ),
        click.option(
            "--search",
            type=click.Choice(list(SEARCHES)),
            help="i-SVM-DE: all pairs of classes at once, as in the paper, or one by "
            "one, which is faster [joint].",
        ),
        click.option(
            "--decomposition",
            type=click.Choice(list(DECOMPOSITIONS)),
            help="i-SVM-DE: a machine per pair of classes, per class, or a decision "
            "graph [one-vs-one].",
        ),
        click.option(
            "--pop",
            "pop_size",
            type=click.IntRange(5),
            help="i-SVM-DE: individuals [40].",
        ),
        click.option(
            "--iter",
            "max_iter",
            type=click.IntRange(1),
            help="i-SVM-DE: generations [200].",
        ),
        click.option(
            "--time-limit",
            type=click.FloatRange(0, min_open=True),
            metavar="SECONDS",
            help="i-SVM-DE: stop the search after this time and keep the best found.",
        ),
        click.option(
            "--checkpoint",
            type=click.Path(),
            metavar="FILE",
            help="i-SVM-DE: save the search here; the same command resumes from it.",
        ),
    ),
)


def method_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of methods, which the command gets as two objects.

    ``averaging`` is an `AverageOptions`, ``searching`` a `SearchOptions`.
    """
    return _average_options(_search_options(command))


def find_modules_here(methods: Iterable[str]) -> None:
    """Let MODULE:NAME stand for a file in this folder, if a method is given so.

    Installed packages come first; worker processes inherit the path.
    """
    here = os.getcwd()
    if any(":" in method for method in methods) and here not in sys.path:
        sys.path.append(here)


def make_model(
    method: str,
    averaging: AverageOptions,
    searching: SearchOptions,
    *,
    seed: int,
    n_jobs: int,
    verbose: bool,
) -> Any:
    """Return the classifier of that name; options of other methods are refused."""
    name = method.strip().lower()
    if name != _AVERAGE.lower():
        _refuse(averaging, method)
    if name in _FITNESS:
        return _make_search(method, searching, seed, n_jobs, verbose)
    _refuse(searching, method)
    find_modules_here([method])
    model = make_classifier(method, random_state=seed, n_jobs=n_jobs)
    if isinstance(model, ISVMClassifierCV):
        model.set_params(verbose=int(verbose))
    return model.set_params(**averaging.given())


def _refuse(given: AverageOptions | SearchOptions, method: str) -> None:
    """Refuse the options of another method, if the command has any."""
    command = click.get_current_context().command
    for option in command.params:
        if option.name in given.given():
            raise click.UsageError(
                f"{option.opts[0]} belongs to {given.method}, not to {method}: add "
                f"--method {given.method} or leave it out."
            )


def _make_search(
    method: str, searching: SearchOptions, seed: int, n_jobs: int, verbose: bool
) -> ISVMDEClassifier:
    """Return an i-SVM-DE; some of its names say which fitness it has."""
    if searching.time_limit is not None and math.isnan(searching.time_limit):
        # it is in every range
        raise click.UsageError("--time-limit nan is not a number of seconds.")
    named = _FITNESS[method.strip().lower()]
    if named and searching.fitness and searching.fitness != named:
        raise click.UsageError(
            f"{method} has the fitness {named!r}: leave --fitness out, or use "
            f"--method {_SEARCH}."
        )
    model = ISVMDEClassifier(
        keep_best_on_interrupt=True,
        random_state=seed,
        n_jobs=n_jobs,
        verbose=int(verbose),
    )
    model.set_params(**searching.given())
    if named:
        model.set_params(fitness=named)
    return model


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
