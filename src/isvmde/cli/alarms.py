"""What the default decisions mean for a rare class: alarms, and how many are right."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isvmde.decisions import move_prior
from isvmde.decisions.priors import read_prior

_RARE = 0.5  # of an equal share of the rows
_FEW = 10  # false alarms that nobody minds
_RIGHT = 0.5  # share of the alarms that needs no remark


def alarm_remark(classifier: Any, y: ArrayLike) -> str | None:
    """Say how many alarms a rare class gets for its hits, and what to set for fewer.

    Counted on training rows that machines did not see. None where no rare class has
    more false alarms than hits, or where the model has no such probabilities.
    """
    proba = getattr(classifier, "loo_proba_", None)
    if proba is None:
        return None
    classes = np.asarray(classifier.classes_)
    true = np.asarray(y)
    hit = true[:, None] == classes
    alarms, hits = _count(proba, hit)
    rows = hit.sum(axis=0)
    rare = rows < _RARE * len(true) / len(classes)
    remarkable = rare & (hits < _RIGHT * alarms) & (alarms - hits > _FEW)
    if not remarkable.any():
        return None
    k = int(np.argmax(np.where(remarkable, alarms - hits, 0)))
    said = (
        f"with this prior, the model raises {alarms[k]:,} alarms for class "
        f"{str(classes[k])!r} and finds {hits[k]:,} of its {rows[k]:,} rows "
        "(leave-one-out)"
    )
    training = read_prior("training", classes, classifier.class_count_)
    moved = move_prior(proba, classifier.prior_, training)
    fewer, fewer_hits = _count(moved, hit)
    if fewer[k] < alarms[k]:
        said += (
            f"; `isvmde predict --prior training` would raise {fewer[k]:,} and find "
            f"{fewer_hits[k]:,}; --threshold and --costs set any balance in between"
        )
    else:
        said += "; for fewer, use `isvmde predict` with --threshold or --costs"
    return said


def _count(proba: np.ndarray, hit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows predicted as every class, and how many of them are of it."""
    decided = np.argmax(proba, axis=1)[:, None] == np.arange(proba.shape[1])
    return decided.sum(axis=0), (decided & hit).sum(axis=0)
