"""The method a model is trained with, made from the options of ``isvmde fit``."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import Any

import click
import numpy as np

from isvmde import ISVMDEClassifier
from isvmde.cli.inputs import split_names
from isvmde.method_choice import list_methods, make_classifier

SEARCH = "i-SVM-DE"
"""The paper's method, with the fitness chosen by an option."""

_SEARCHES = {"i-svm-de": None, "i-svm-de-ave": "ave", "i-svm-de-max": "max"}
_SEARCH_OPTIONS = ("fitness", "search", "pop", "iter", "time-limit", "checkpoint")
_CV_OPTIONS = ("prior", "scoring")


def make_model(
    method: str,
    options: dict[str, Any],
    classes: np.ndarray,
    *,
    seed: int,
    jobs: int,
    verbose: bool,
) -> Any:
    """Return the classifier of that name; options of other methods are refused."""
    fitness = _SEARCHES.get(method.strip().lower(), "")
    if fitness != "":
        _refuse_options(options, _CV_OPTIONS, method, "i-SVM-LOO")
        return _make_search(method, fitness, options, seed, jobs, verbose)
    _refuse_options(options, _SEARCH_OPTIONS, method, SEARCH)
    if ":" not in method:
        method = _known(method)
    model = make_classifier(method, random_state=seed, n_jobs=jobs)
    if method != "i-SVM-LOO":
        _refuse_options(options, _CV_OPTIONS, method, "i-SVM-LOO")
    elif options["prior"] is not None:
        model.set_params(prior=_prior(options["prior"], classes))
    if options["scoring"] is not None:
        model.set_params(scoring=options["scoring"].replace("-", "_"))
    return model


def _make_search(
    method: str,
    fitness: str | None,
    options: dict[str, Any],
    seed: int,
    jobs: int,
    verbose: bool,
) -> ISVMDEClassifier:
    """Return the paper's method with its search's options."""
    asked = options["fitness"]
    if fitness is not None and asked is not None and asked != fitness:
        raise click.BadParameter(
            f"{method} has the fitness {fitness!r}; leave the option out, or use "
            f"--method {SEARCH}",
            param_hint="'--fitness'",
        )
    checkpoint: Path | None = options["checkpoint"]
    return ISVMDEClassifier(
        fitness=fitness or asked or "ave",
        search=options["search"] or "joint",
        pop_size=options["pop"] or 40,
        max_iter=options["iter"] or 200,
        time_limit=options["time-limit"],
        checkpoint=None if checkpoint is None else str(checkpoint),
        keep_best_on_interrupt=True,
        random_state=seed,
        n_jobs=jobs,
        verbose=int(verbose),
    )


def _refuse_options(
    options: dict[str, Any], names: tuple[str, ...], method: str, owner: str
) -> None:
    """Refuse options that the method does not have."""
    for name in names:
        if options[name] is not None:
            raise click.UsageError(
                f"--{name} belongs to {owner}, not to {method}: add --method {owner} "
                "or leave it out."
            )


def _known(method: str) -> str:
    """Return the method of that name, whatever its capitals."""
    names = [*list_methods(), SEARCH]
    known = {name.lower(): name for name in names}
    name = known.get(method.strip().lower())
    if name is None:
        similar = difflib.get_close_matches(method[:60].lower(), known, n=2)
        hint = " or ".join(known[each] for each in similar) or ", ".join(names)
        raise ValueError(f"there is no method {method!r}; try {hint}")
    return name


def _prior(text: str, classes: np.ndarray) -> str | dict[Any, float]:
    """Return the prior: ``balanced``, ``training``, or of ``a=0.9,b=0.1`` a dict."""
    if text in ("balanced", "training"):
        return text
    by_text = {str(label): label for label in classes.tolist()}
    prior: dict[Any, float] = {}
    for part in split_names(text):
        label, sign, number = part.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            sign = ""
        if not sign:
            raise click.BadParameter(
                "use balanced, training, or class=probability for every class, as in "
                "ill=0.1,well=0.9",
                param_hint="'--prior'",
            )
        if label.strip() not in by_text:
            raise click.BadParameter(
                f"there is no class {label.strip()!r}; the classes are "
                f"{', '.join(by_text)}",
                param_hint="'--prior'",
            )
        prior[by_text[label.strip()]] = value
    missing = [text for text, label in by_text.items() if label not in prior]
    if missing:
        raise click.BadParameter(
            f"the class {missing[0]!r} has no probability; give one for every class",
            param_hint="'--prior'",
        )
    return prior
