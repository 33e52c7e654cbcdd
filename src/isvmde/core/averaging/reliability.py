"""Whether an average can be believed: beside linear machines, and beside guessing."""

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..training_set import TrainingSet

_CLEARLY = 2.0  # standard errors
_SMALLEST = 1e-12  # probability whose logarithm is taken
_ROUNDING = 1e-9  # of log losses


@dataclass(frozen=True)
class Reliability:
    """What was seen on rows that judge machines, each as if it had been left out."""

    log_loss: float  # mean over classes, under equal priors
    standard_error: float  # of it
    chance: float  # that of guessing
    is_linear: bool  # whether only linear machines are used, the others being worse

    @property
    def is_guessing(self) -> bool:
        """Whether it may be no better than guessing."""
        return self.log_loss > self.chance - max(self.standard_error, _ROUNDING)


def is_clearly_worse(loss: Floats, other: Floats) -> bool:
    """Tell whether losses add up to more than others by two standard errors.

    Examples
    --------
    >>> import numpy as np
    >>> is_clearly_worse(np.full(9, 0.9), np.full(9, 0.3))
    True
    >>> is_clearly_worse(np.array([0.9, 0.0, 0.0]), np.array([0.3, 0.2, 0.3]))
    False
    """
    difference = loss - other
    error = float(np.sqrt((difference**2).sum()))
    return bool(difference.sum() > _CLEARLY * error)


def assess(
    unseen: Floats, data: TrainingSet, rows: Ints, *, is_linear: bool
) -> Reliability:
    """Compare probabilities (n, classes) of rows left out, equal priors, with chance.

    ``rows`` are those that judge machines.
    """
    label, weight = data.label[rows], data.weight[rows]
    loss = -np.log(np.maximum(unseen[rows, label], _SMALLEST))
    size = np.bincount(label, weight, data.n_classes)
    mean = np.bincount(label, weight * loss, data.n_classes) / size
    spread = np.bincount(label, weight * (loss - mean[label]) ** 2, data.n_classes)
    variance = spread / np.maximum(size * (size - 1.0), 1.0)  # of the mean of a class
    return Reliability(
        log_loss=float(mean.mean()),
        standard_error=float(np.sqrt(variance.sum()) / data.n_classes),
        chance=float(np.log(data.n_classes)),
        is_linear=is_linear,
    )
