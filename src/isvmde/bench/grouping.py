"""Rows that belong together: folds that keep them on one side, and what to say."""

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.utils import Bunch, check_random_state

from isvmde.caller import warn_caller
from isvmde.tables.errors import find_column, some
from isvmde.tables.groups import name_groups


def take_groups(
    table: pd.DataFrame, column: str, source: str
) -> tuple[np.ndarray, pd.DataFrame]:
    """Return the group of every row, and the table without that column."""
    name = find_column(table, column, source)
    return name_groups(table[name]), table.drop(columns=name)


def check_groups(dataset: str, bunch: Bunch, n_folds: int) -> None:
    """Refuse groups that cannot be dealt; warn of classes that cannot be learned."""
    groups, target = np.asarray(bunch.groups), np.asarray(bunch.target)
    n_groups = len(np.unique(groups))
    if n_groups == 1:
        raise ValueError(
            "all rows are in one group, so nothing is left to test on: choose another "
            "group column, or leave it out"
        )
    if n_groups < n_folds:
        raise ValueError(
            f"there are {n_groups} groups, which cannot fill {n_folds} folds: use at "
            f"most {n_groups} folds"
        )
    n_groups_of = pd.Series(groups).groupby(target).nunique()
    lonely = n_groups_of.index[n_groups_of == 1]
    if len(lonely):
        warn_caller(
            f"data set {dataset}: one group has all rows of class {some(lonely)}: what "
            "is tested on that group was not trained on the class, so its recall is 0"
        )


def deal_groups(n_folds: int, bunch: Bunch, seed: int) -> Iterator[Any]:
    """Deal whole groups, so that every fold has the classes in about equal shares.

    Groups of the same classes are dealt in an order drawn with the seed: the splitter's
    own shuffling mixes up the groups in some versions of scikit-learn.
    """
    codes = np.unique(np.asarray(bunch.groups), return_inverse=True)[1]
    order = check_random_state(seed).permutation(codes.max() + 1)
    target = np.asarray(bunch.target)
    dealing = StratifiedGroupKFold(n_folds)
    return iter(dealing.split(target, target, order[codes]))


def check_whole_groups(splits: list[Any], bunch: Bunch) -> None:
    """Refuse folds with a group on both sides, or without a row to test or train."""
    groups = np.asarray(bunch.groups)
    for train, test in splits:
        both = np.intersect1d(groups[train], groups[test])
        if len(both):
            raise ValueError(
                f"a fold has rows of group {some(both)} in both its training and its "
                "test part: give a splitter that keeps groups together, such as "
                "StratifiedGroupKFold"
            )
        if not len(train) or not len(test):
            raise ValueError(
                "a fold is empty, because most rows are in a few groups: use fewer "
                "folds"
            )


def group_parameters(model: Any, groups: np.ndarray) -> dict[str, np.ndarray]:
    """Return groups as the ``fit`` of a model takes them, nothing if it does not."""
    if _takes_groups(model):
        return {"groups": groups}
    if hasattr(model, "steps") and _takes_groups(model.steps[-1][1]):
        return {f"{model.steps[-1][0]}__groups": groups}
    return {}


def _takes_groups(estimator: Any) -> bool:
    """Whether ``fit`` has a parameter for groups."""
    fit = getattr(estimator, "fit", None)
    return fit is not None and "groups" in inspect.signature(fit).parameters
