"""Checks of the classifiers' parameters, and what some of them stand for."""

import inspect
import math
import numbers
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import check_scalar

from isvmde.caller import warn_caller
from isvmde.core.averaging.priors import Metric, power_prior
from isvmde.core.kernels import LARGEST_DEGREE, PARAMETER
from isvmde.decisions.priors import prior_by_name
from isvmde.metrics import PAPER_METRICS

# Squares and quotients of what is larger overflow.
LARGEST = 1e100
SCORES: dict[str, Callable[..., float]] = {
    metric.scoring: metric.score for metric in PAPER_METRICS.values()
}
SCORES["accuracy"] = accuracy_score


def check_choice(name: str, given: Any, choices: Sequence[Any]) -> None:
    """Refuse a value that is not among the choices."""
    single = isinstance(given, (str, int, np.bool_, type(None)))
    if not single or given not in choices:
        raise ValueError(f"{name}={given!r} is not known: use one of {choices}.")


def check_number(
    name: str, given: Any, *, positive: bool = True, most: float = math.inf
) -> None:
    """Refuse what is not a finite number above zero, or from zero on."""
    ends = "right" if positive else "both"
    check_scalar(
        given, name, numbers.Real, min_val=0, max_val=most, include_boundaries=ends
    )
    if not math.isfinite(given):
        raise ValueError(f"{name}={given}: use a finite number.")


def check_whole(name: str, given: Any, least: int, most: int | None = None) -> None:
    """Refuse what is not a whole number from ``least`` on."""
    check_scalar(given, name, numbers.Integral, min_val=least, max_val=most)


def names_of(model: Any, what: str, known: Collection[str]) -> tuple[str, ...]:
    """Return one or more known names, given as one or as several."""
    given = getattr(model, what)
    names = (given,) if isinstance(given, str) else given
    several = isinstance(names, Collection) and len(names) > 0
    if not several or not all(isinstance(n, str) and n in known for n in names):
        raise ValueError(f"{what}={given!r}: use one or more of {sorted(known)}.")
    return tuple(names)


def range_of(model: Any, name: str, least: float = 0) -> tuple[float, float]:
    """Return (low, high) with least <= low <= high <= 1e100, high > 0."""
    given = getattr(model, name)
    try:
        low, high = (float(value) for value in given)
    except (TypeError, ValueError):
        low, high = 1.0, 0.0
    if not least <= low <= high <= LARGEST or high <= 0:
        raise ValueError(
            f"{name}={given!r}: use two numbers (low, high), "
            f"{least:g} <= low <= high <= {LARGEST:g}, high positive."
        )
    return low, high


def log_range_of(model: Any, name: str) -> tuple[float, float]:
    """Return a range on a logarithmic scale, checked."""
    low, high = range_of(model, name)
    if low <= 0:
        raise ValueError(
            f"{name}={getattr(model, name)!r}: it is a logarithmic scale, so it has to "
            "begin above 0."
        )
    return low, high


def degrees_of(model: Any) -> tuple[int, int]:
    """Return (low, high) with whole 1 <= low <= high <= 100."""
    low, high = range_of(model, "degree_range", 1)
    if low % 1 or high % 1 or high > LARGEST_DEGREE:
        raise ValueError(
            f"degree_range={model.degree_range!r}: use two whole numbers up to "
            f"{LARGEST_DEGREE}."
        )
    return int(low), int(high)


def warn_of_unused_ranges(model: Any, kernels: Sequence[str]) -> None:
    """Warn of a range that was given though none of the kernels has its parameter."""
    for parameter in sorted({"degree", "sigma"} - {PARAMETER[k] for k in kernels}):
        name = f"{parameter}_range"
        given = tuple(getattr(model, name))
        if given != getattr(type(model), name):
            warn_caller(
                f"{name}={given} has no effect: none of kernels={model.kernels!r} has "
                f"a {parameter}.",
            )


def check_scoring(scoring: Any, prior: Any) -> None:
    """Refuse what is not a metric, and a prior beside one."""
    if not callable(scoring) and scoring not in SCORES:
        raise ValueError(
            f"scoring={scoring!r} is not known: use one of {sorted(SCORES)}, a "
            "function (y_true, y_pred) or None."
        )
    if callable(scoring) and "estimator" in inspect.signature(scoring).parameters:
        raise ValueError(
            f"scoring={scoring!r} is a scorer: give the metric itself, a function "
            "(y_true, y_pred)."
        )
    if not (isinstance(prior, str) and prior in ("auto", "balanced")):
        raise ValueError(
            f"prior={prior!r} and scoring={scoring!r} contradict each other: scoring "
            "chooses the prior. Leave out one of the two."
        )


def given_prior(
    prior: str | Mapping[Any, float], classes: np.ndarray, class_size: np.ndarray
) -> np.ndarray:
    """Return the prior of every class, adding up to one; balanced for "auto"."""
    if isinstance(prior, str) and prior in ("auto", "balanced", "training"):
        return power_prior(class_size, float(prior == "training"))
    if not isinstance(prior, Mapping):
        raise ValueError(
            f"prior={prior!r} is not known: use 'auto', 'balanced', 'training' or a "
            "dict of class: probability."
        )
    return prior_by_name(prior, classes)


def make_metric(scoring: str | Callable[..., float], classes: np.ndarray) -> Metric:
    """Return the metric as a function of class indices and weights of samples."""
    score = SCORES[scoring] if isinstance(scoring, str) else scoring
    weighs = "sample_weight" in inspect.signature(score).parameters

    def metric(truth: np.ndarray, guess: np.ndarray, weight: np.ndarray) -> float:
        if weighs:
            return float(score(classes[truth], classes[guess], sample_weight=weight))
        # as many copies as the weight says, to the nearest whole number
        rows = np.repeat(np.arange(len(truth)), np.rint(weight).astype(int))
        return float(score(classes[truth[rows]], classes[guess[rows]]))

    return metric
