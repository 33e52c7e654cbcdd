"""How frequent classes are, and probabilities for other frequencies."""

import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def move_prior(proba: ArrayLike, old: ArrayLike, new: ArrayLike) -> np.ndarray:
    """Return class probabilities for other class frequencies (Bayes' rule).

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Probabilities where the classes are as frequent as ``old`` says.
    old, new : array-like of shape (n_classes,)
        Frequencies of the classes, positive.

    Examples
    --------
    >>> from isvmde.decisions import move_prior
    >>> move_prior([[0.9, 0.1]], [0.5, 0.5], [0.1, 0.9]).round(3)
    array([[0.5, 0.5]])
    """
    ratio = np.asarray(new, dtype=np.float64) / np.asarray(old, dtype=np.float64)
    product = np.asarray(proba, dtype=np.float64) * (ratio / ratio.max())
    total = product.sum(axis=1, keepdims=True)
    # all that was possible has become impossible: stay with what was said
    kept = np.where(total > 0.0, product, proba)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def prior_by_name(given: Mapping[Any, float], classes: ArrayLike) -> np.ndarray:
    """Return ``{class: probability}`` in the order of the classes, adding up to one."""
    known = np.asarray(classes).tolist()
    wrong = [f"lacks the class {name!r}" for name in known if name not in given]
    wrong += [f"names {k!r}, which is not a class" for k in given if k not in known]
    if wrong:
        raise ValueError(f"prior {wrong[0]}: give one probability for each of {known}.")
    values = [given[label] for label in known]
    if not all(isinstance(p, numbers.Real) and 0 < p < np.inf for p in values):
        raise ValueError(f"prior={dict(given)!r}: use positive numbers.")
    value = np.array(values, dtype=np.float64)
    return np.asarray(value / value.sum())


def read_prior(
    prior: str | Mapping[Any, float],
    classes: ArrayLike,
    class_count: ArrayLike | None = None,
) -> np.ndarray:
    """Return the frequency of every class that a name or a dict stands for."""
    n_classes = len(np.asarray(classes))
    if isinstance(prior, Mapping):
        return prior_by_name(prior, classes)
    if not isinstance(prior, str) or prior not in ("balanced", "training"):
        raise ValueError(
            f"prior={prior!r} is not known: use 'balanced', 'training' or a dict of "
            "class: probability."
        )
    if prior == "balanced":
        return np.full(n_classes, 1.0 / n_classes)
    if class_count is None:
        raise ValueError(
            "prior='training': the model does not say how many samples of each class "
            "it was trained on; give {class: probability} instead."
        )
    count = np.asarray(class_count, dtype=np.float64)
    return np.asarray(count / count.sum())
