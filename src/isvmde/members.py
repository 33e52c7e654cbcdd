"""Several good models of one search, averaged."""

from __future__ import annotations

from typing import Any

import numpy as np

from isvmde.classifier import ISVMClassifier, PairModels
from isvmde.core.canonical import TrainingSet
from isvmde.core.pair_model import PairSettings

OF_THE_DATA = ("classes_", "pairs_", "_pair_index", "_class_size", "n_features_in_")
LARGEST_MEAN = 1.0 - 2.0**-52  # whose artanh is finite
_OF_THE_PAIRS = (
    "_settings",
    "_rank_knots",
    "_support_vectors",
    "_beta",
    "_pair_steps",
    "intercept_",
    "kkt_violation_",
    "n_support_",
)


def train_member(
    searched: PairModels,
    data: TrainingSet,
    settings: list[PairSettings],
    **options: Any,
) -> ISVMClassifier:
    """Return the model of these settings, trained on what ``searched`` was given."""
    member = ISVMClassifier(tol=options["tol"], n_jobs=options["n_jobs"])
    for name in OF_THE_DATA:
        setattr(member, name, getattr(searched, name))
    if hasattr(searched, "feature_names_in_"):
        member.feature_names_in_ = searched.feature_names_in_
    member._fit_pairs(data, settings, np.ones(data.n_classes), **options)
    member.n_iter_ = int(member._pair_steps.max())
    member.pair_params = member.pair_params_
    return member


def take_over(searched: PairModels, best: PairModels) -> None:
    """Give ``searched`` the fitted attributes of its best member."""
    for name in _OF_THE_PAIRS:
        setattr(searched, name, getattr(best, name))


def mean_decision(members: list[ISVMClassifier], X: np.ndarray) -> np.ndarray:
    """Return artanh of the mean of tanh(f) of every pair, (n, pairs).

    tanh keeps a member that is very sure from deciding alone; artanh takes the mean
    back to the scale of f, on which confidences are defined. The mean of equal f is f.
    """
    total = np.zeros((len(X), len(members[0].pairs_)))
    # one training set: the same ranks for all
    with_ranks = (m for m in members if m._rank_knots is not None)
    ranked = next((m._to_ranks(X) for m in with_ranks), None)
    for member in members:
        total += np.tanh(member._pair_decisions(X, ranked))
    mean = total / len(members)
    return np.arctanh(np.clip(mean, -LARGEST_MEAN, LARGEST_MEAN))
