"""How a benchmark deals the rows of a data set to folds."""

import copy
import functools
import numbers
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold
from sklearn.utils import Bunch

from isvmde.bench.grouping import check_groups, check_whole_groups, deal_groups
from isvmde.datasets import make_preprocessor
from isvmde.model_selection import DOBSCVKFold, KeelKFold, PaperKFold

_NAMED_FOLDS = 5


class Fold(NamedTuple):
    """Rows to train on and rows to test on."""

    train: np.ndarray
    test: np.ndarray


Deal = Callable[[str, Bunch, int], Any]


@dataclass(frozen=True)
class Dealing:
    """How rows become folds: ``deal(name, bunch, seed)`` gives (train, test) pairs."""

    n_folds: int
    deal: Deal = field(compare=False, repr=False)
    name: str = ""  # "" for the paper's, as stores have always had them
    # how rows are dealt that have groups; None where this dealing has no such form
    deal_groups: Deal | None = field(default=None, compare=False, repr=False)

    def check(self, dataset: str, bunch: Bunch) -> None:
        """Refuse a data set that cannot be dealt like this."""
        if "groups" in bunch:
            check_groups(dataset, bunch, self.n_folds)
        self.folds(dataset, bunch, seed=0)

    def folds(self, dataset: str, bunch: Bunch, seed: int) -> list[Fold]:
        """Return the folds of a data set, all of them with a seed's shuffling."""
        has_groups = "groups" in bunch
        deal = self.deal_groups if has_groups else self.deal
        if deal is None:
            raise ValueError(
                f"folds={self.name!r} cannot keep groups together: give a number of "
                "folds, 'stratified', or a splitter such as StratifiedGroupKFold"
            )
        with warnings.catch_warnings():
            # classes smaller than the number of folds are what this is about
            warnings.filterwarnings("ignore", "The least populated class")
            # what comes of that is checked below
            warnings.filterwarnings("ignore", "The groups parameter is ignored")
            splits = list(deal(dataset, bunch, seed))
        if has_groups:
            check_whole_groups(splits, bunch)
        return [Fold(train, test) for train, test in splits]


def choose_dealing(folds: Any) -> Dealing:
    """Return how to deal: a number of folds, a name, or a splitter of scikit-learn.

    Examples
    --------
    >>> from isvmde.bench.dealing import choose_dealing
    >>> choose_dealing(5).n_folds, choose_dealing("dob-scv").name
    (5, 'dob-scv')
    """
    if isinstance(folds, numbers.Integral) and not isinstance(folds, bool):
        if folds < 2:
            raise ValueError(
                f"folds must be a whole number of at least 2, got {folds!r}"
            )
        return Dealing(
            n_folds=int(folds),
            deal=functools.partial(_dealt, int(folds)),
            deal_groups=functools.partial(_in_groups, int(folds)),
        )
    if isinstance(folds, str) and folds in _NAMED:
        in_groups = functools.partial(_in_groups, _NAMED_FOLDS)
        return Dealing(
            n_folds=_NAMED_FOLDS,
            deal=_NAMED[folds],
            name=folds,
            deal_groups=in_groups if folds == "stratified" else None,
        )
    if hasattr(folds, "split") and hasattr(folds, "get_n_splits"):
        by_splitter = functools.partial(_by_splitter, folds)
        return Dealing(
            n_folds=_number_of_folds(folds),
            deal=by_splitter,
            name=repr(folds),
            deal_groups=by_splitter,
        )
    raise ValueError(
        f"folds must be a whole number of at least 2, one of {', '.join(NAMES)}, or a "
        f"splitter with split(X, y), got {folds!r}"
    )


def _number_of_folds(splitter: Any) -> int:
    """Return how many folds a splitter makes of any data set."""
    try:
        return int(splitter.get_n_splits())
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"{splitter!r} makes as many folds as its data has groups or rows, which "
            "differs between data sets: give a splitter with a fixed number of folds"
        ) from error


def _in_groups(n_folds: int, dataset: str, bunch: Bunch, seed: int) -> Any:
    """Deal whole groups to folds."""
    return deal_groups(n_folds, bunch, seed)


def _dealt(n_folds: int, dataset: str, bunch: Bunch, seed: int) -> Any:
    """Deal class by class, as the paper's folds are read."""
    splitter = PaperKFold(n_folds, random_state=seed)
    return splitter.split(pd.DataFrame(bunch.data), np.asarray(bunch.target))


def _stratified(dataset: str, bunch: Bunch, seed: int) -> Any:
    """Deal as scikit-learn does, which spreads tiny classes over different folds."""
    splitter = StratifiedKFold(_NAMED_FOLDS, shuffle=True, random_state=seed)
    return splitter.split(pd.DataFrame(bunch.data), np.asarray(bunch.target))


def _keel(dataset: str, bunch: Bunch, seed: int) -> Any:
    """Return KEEL's own partition, the same whatever the seed."""
    return KeelKFold.any_of(dataset).split(pd.DataFrame(bunch.data))


def _dob_scv(dataset: str, bunch: Bunch, seed: int) -> Any:
    """Deal neighbours to different folds, near by the features as methods see them."""
    data, target = pd.DataFrame(bunch.data), np.asarray(bunch.target)
    preprocessor = bunch.get("preprocessor")
    if preprocessor is None:  # as the paper's data sets
        preprocessor = make_preprocessor(bunch)
    rows = preprocessor.fit_transform(data, target)
    return DOBSCVKFold(_NAMED_FOLDS, random_state=seed).split(rows, target)


def _by_splitter(splitter: Any, dataset: str, bunch: Bunch, seed: int) -> Any:
    """Ask a splitter of scikit-learn, seeded where it shuffles."""
    seeded = copy.deepcopy(splitter)
    if getattr(seeded, "shuffle", True) and hasattr(seeded, "random_state"):
        seeded.random_state = seed
    rows, target = pd.DataFrame(bunch.data), np.asarray(bunch.target)
    return seeded.split(rows, target, bunch.get("groups"))


_NAMED: dict[str, Deal] = {
    "stratified": _stratified,
    "keel": _keel,
    "dob-scv": _dob_scv,
}
NAMES = tuple(_NAMED)
