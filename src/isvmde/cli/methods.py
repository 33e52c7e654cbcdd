"""The method a model is trained with, made from the options of ``isvmde fit``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from isvmde import ISVMDEClassifier
from isvmde.cli.inputs import split_names
from isvmde.method_choice import make_classifier

SEARCH, AVERAGE = "i-SVM-DE", "i-SVM-LOO"
_FITNESS = {"i-svm-de": None, "i-svm-de-ave": "ave", "i-svm-de-max": "max"}
METHOD_OPTIONS = {
    **dict.fromkeys(("prior", "scoring"), AVERAGE),
    **dict.fromkeys(("fitness", "search", "pop", "iter"), SEARCH),
    **dict.fromkeys(("time_limit", "checkpoint"), SEARCH),
}
"""The method that each option belongs to."""


def make_model(
    method: str, options: dict[str, Any], *, seed: int, jobs: int, verbose: bool
) -> Any:
    """Return the classifier of that name; options of other methods are refused."""
    name = method.strip().lower()
    kind = SEARCH if name in _FITNESS else AVERAGE if name == AVERAGE.lower() else None
    for option, owner in METHOD_OPTIONS.items():
        if options[option] is not None and owner != kind:
            raise click.UsageError(
                f"--{option.replace('_', '-')} belongs to {owner}, not to {method}: "
                f"add --method {owner} or leave it out."
            )
    if kind != SEARCH:
        model = make_classifier(method, random_state=seed, n_jobs=jobs)
        scoring = options["scoring"]
        return model if scoring is None else model.set_params(scoring=scoring)
    fitness, asked = _FITNESS[name], options["fitness"]
    if fitness is not None and asked not in (None, fitness):
        raise click.BadParameter(
            f"{method} has the fitness {fitness!r}; leave the option out, or use "
            f"--method {SEARCH}",
            param_hint="'--fitness'",
        )
    given = {
        "fitness": fitness or asked,
        "search": options["search"],
        "pop_size": options["pop"],
        "max_iter": options["iter"],
        "time_limit": options["time_limit"],
        "checkpoint": options["checkpoint"],
    }
    return ISVMDEClassifier(
        **{name: value for name, value in given.items() if value is not None},
        keep_best_on_interrupt=True,
        random_state=seed,
        n_jobs=jobs,
        verbose=int(verbose),
    )


def read_prior(text: str, classes: Iterable[Any]) -> str | dict[Any, float]:
    """Return the prior: a name as it is, or of ``a=0.9,b=0.1`` a dict."""
    if text in ("auto", "balanced", "training"):
        return text
    by_text = {str(label): label for label in classes}
    prior: dict[Any, float] = {}
    for part in split_names(text):
        label, _, number = part.rpartition("=")
        try:
            prior[by_text[label.strip()]] = float(number)
        except ValueError:
            _refuse_prior(
                "use auto, balanced, training, or class=probability for every class, "
                "as in ill=0.1,well=0.9"
            )
        except KeyError:
            _refuse_prior(
                f"there is no class {label.strip()!r}; the classes are "
                f"{', '.join(by_text)}"
            )
    for text, label in by_text.items():
        if label not in prior:
            _refuse_prior(
                f"the class {text!r} has no probability; give one for every class"
            )
    return prior


def _refuse_prior(message: str) -> None:
    """Refuse what --prior says."""
    raise click.BadParameter(message, param_hint="'--prior'")
