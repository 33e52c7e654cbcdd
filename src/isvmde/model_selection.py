"""Cross-validation splitters: the paper's folds and KEEL's published partitions."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target

__all__ = ["KeelKFold", "PaperKFold"]

Split = tuple[NDArray[np.intp], NDArray[np.intp]]


class PaperKFold(BaseCrossValidator):
    """Stratified folds dealt class by class, as the paper's results need them.

    The samples of each class are shuffled and dealt to the folds in turn, every class
    starting at the first fold. So all classes with two samples have them in folds 1 and
    2, while scikit-learn's ``StratifiedKFold`` spreads them over more folds; with the
    G-mean, which is zero in a fold that misses such a class, this matters a lot.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds. Classes may be smaller than that, but not all of them.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling. An int gives the same folds in every call.

    Examples
    --------
    >>> import numpy as np
    >>> y = np.array(list("aaaaaabbcc"))
    >>> folds = PaperKFold(3, random_state=0)
    >>> for train, test in folds.split(np.zeros((10, 1)), y):
    ...     print("".join(sorted(y[test])))
    aabc
    aabc
    aa
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        if (
            isinstance(n_splits, bool)
            or not isinstance(n_splits, (int, np.integer))
            or n_splits < 2
        ):
            raise ValueError(
                f"n_splits must be an integer of at least 2, got {n_splits!r}."
            )
        self.n_splits = int(n_splits)
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield training and test indices of every fold.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            Not used.
        y : array-like of shape (n_samples,)
            Class labels.
        groups : ignored
            There for scikit-learn's sake.

        Yields
        ------
        train, test : arrays of int
        """
        fold = self._deal(_check_labels(y))
        for k in range(self.n_splits):
            yield np.flatnonzero(fold != k), np.flatnonzero(fold == k)

    def _deal(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """Return the fold of every sample."""
        _, label = np.unique(y, return_inverse=True)
        counts = np.bincount(label)
        if counts.max() < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} would leave a fold empty: the largest class "
                f"has {counts.max()} samples; use at most that many folds."
            )
        rng = check_random_state(self.random_state)
        fold = np.empty(len(y), dtype=np.intp)
        for j in range(len(counts)):
            members = rng.permutation(np.flatnonzero(label == j))
            fold[members] = np.arange(len(members)) % self.n_splits
        return fold


def _check_labels(y: Any) -> NDArray[Any]:
    """Class labels as a one-dimensional array."""
    if y is None:
        raise ValueError("PaperKFold deals class by class: pass the labels y.")
    kind = type_of_target(y)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y must hold one class label per sample, got {kind} values.")
    return np.asarray(y).ravel()


class KeelKFold(BaseCrossValidator):
    """KEEL's own published partition of one of the data sets.

    The partitions are part of the package. Every data set but hcv, which is UCI's, has
    at least one.

    Parameters
    ----------
    name : str
        The data set; the splitter fits its rows in the order of
        :func:`~isvmde.datasets.load_dataset`.
    partition : str, default="keel5"
        "keel5" and "keel10" of KEEL's standard collection, "keel5imb" of its
        imbalanced one (the only one shuttle and thyroid are in).
    data_home : ignored
        Not used: no partition needs a folder.

    Examples
    --------
    >>> from isvmde.datasets import load_dataset
    >>> from isvmde.model_selection import KeelKFold
    >>> glass = load_dataset("glass")
    >>> folds = KeelKFold("glass")
    >>> [len(test) for train, test in folds.split(glass.data)]
    [43, 43, 43, 43, 42]
    """

    def __init__(
        self,
        name: str,
        *,
        partition: str = "keel5",
        data_home: str | os.PathLike[str] | None = None,
    ) -> None:
        _read_partition(name, partition)
        self.name = name
        self.partition = partition
        self.data_home = data_home

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of parts."""
        return int(_read_partition(self.name, self.partition).max())

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Yield training and test indices of every part.

        Parameters
        ----------
        X : array-like of shape (n_samples, ...)
            The data set's rows, in its order.
        y, groups : ignored
            There for scikit-learn's sake.

        Yields
        ------
        train, test : arrays of int
        """
        part = _read_partition(self.name, self.partition)
        n_samples = X.shape[0] if hasattr(X, "shape") else len(X)
        if n_samples != len(part):
            raise ValueError(
                f"KEEL's partition of {self.name!r} is for its {len(part)} rows, but X "
                f"has {n_samples}."
            )
        for k in range(1, part.max() + 1):
            yield np.flatnonzero(part != k), np.flatnonzero(part == k)


def _read_partition(name: str, partition: str) -> NDArray[np.intp]:
    """Return the number (from 1) of the test part that every row is in."""
    files = {
        file.name.removesuffix(".csv"): file
        for file in (resources.files("isvmde") / "datasets/data/folds").iterdir()
    }
    if name not in files:
        raise ValueError(
            f"KEEL has no partition of {name!r}; choose one of "
            f"{', '.join(sorted(files))}, or use PaperKFold."
        )
    with files[name].open(encoding="utf-8") as file:
        table = pd.read_csv(file)
    if partition not in table:
        raise ValueError(
            f"{name!r} has no partition {partition!r}; choose one of "
            f"{', '.join(map(str, table))}."
        )
    return table[partition].to_numpy(dtype=np.intp)
