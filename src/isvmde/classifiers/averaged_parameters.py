"""The checks of `ISVMClassifierCV`'s parameters, and what they stand for."""

from __future__ import annotations

import inspect
import numbers
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.metrics import accuracy_score

from isvmde.classifiers.checks import (
    check_degrees,
    check_kernels,
    check_number,
    check_range,
    check_whole,
    names_of,
    warn_of_unused_ranges,
)
from isvmde.core.leave_one_out.priors import Metric, power_prior
from isvmde.core.leave_one_out.settings import SettingSpace
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score

VIEW_NAMES = ("values", "ranks", "weighted")
SCORES: dict[str, Callable[..., float]] = {
    "g_mean": g_mean_score,
    "av_f": av_f_beta_score,
    "cba": cba_score,
    "accuracy": accuracy_score,
}


def check_averaged_parameters(model: Any) -> None:
    """Check every parameter."""
    check_whole("n_settings", model.n_settings, 1)
    check_number("tol", model.tol)
    _check_scoring(model.scoring, model.prior)
    space = setting_space(model)
    warn_of_unused_ranges(model)
    views = set(space.views)
    if "min" not in space.kernels and "weighted" in views and 1 < len(views) < 3:
        warnings.warn(
            f"views={model.views!r}: 'weighted' is for the min kernel, which is not "
            f"among kernels={model.kernels!r}, so it is left out.",
            stacklevel=4,
        )


def setting_space(model: Any) -> SettingSpace:
    """Return what settings are drawn from, checked."""
    kernels = check_kernels(model.kernels)
    views = names_of("views", model.views, VIEW_NAMES)
    ranges = []
    for name in ("cost_range", "sigma_range"):
        low, high = check_range(name, getattr(model, name), 0)
        if low <= 0:
            raise ValueError(
                f"{name}={getattr(model, name)!r}: it is a logarithmic scale, so it "
                "has to begin above 0."
            )
        ranges.append((low, high))
    cost, sigma = ranges
    return SettingSpace(kernels, views, cost, sigma, check_degrees(model.degree_range))


def _check_scoring(scoring: Any, prior: Any) -> None:
    """Refuse what is no metric, and a prior beside one."""
    if scoring is None:
        return
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
    known = classes.tolist()
    missing = [label for label in known if label not in prior]
    unknown = [label for label in prior if label not in known]
    if missing or unknown:
        what = (
            f"lacks the class {missing[0]!r}"
            if missing
            else (f"names {unknown[0]!r}, which is not a class")
        )
        raise ValueError(f"prior {what}: give one probability for each of {known}.")
    numbers_only = all(isinstance(prior[label], numbers.Real) for label in known)
    value = np.array([prior[label] for label in known], float) if numbers_only else None
    if value is None or not (np.isfinite(value).all() and (value > 0).all()):
        raise ValueError(f"prior={dict(prior)!r}: use positive numbers.")
    return np.asarray(value / value.sum())


def make_metric(scoring: str | Callable[..., float], classes: np.ndarray) -> Metric:
    """Return the metric as a function of class indices and weights of samples."""
    score = SCORES[scoring] if isinstance(scoring, str) else scoring
    weighs = "sample_weight" in inspect.signature(score).parameters

    def metric(truth: np.ndarray, guess: np.ndarray, weight: np.ndarray) -> float:
        if weighs:
            value = score(classes[truth], classes[guess], sample_weight=weight)
        else:  # as many copies as the weight says, to the nearest whole number
            rows = np.repeat(np.arange(len(truth)), np.rint(weight).astype(int))
            value = score(classes[truth[rows]], classes[guess[rows]])
        return float(value)

    return metric


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads that n_jobs stands for."""
    return 1 if n_jobs is None else int(effective_n_jobs(n_jobs))
