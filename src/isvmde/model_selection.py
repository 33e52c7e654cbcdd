"""Cross-validation splitters: the paper's folds, DOB-SCV, KEEL's partitions."""

from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import BaseCrossValidator, PredefinedSplit
from sklearn.utils import check_array, check_random_state
from sklearn.utils.multiclass import type_of_target

__all__ = ["DOBSCVKFold", "KeelKFold", "PaperKFold"]


class PaperKFold(BaseCrossValidator):
    """Stratified folds dealt class by class, as the paper's results need them.

    The samples of each class are shuffled and dealt to the folds in turn, every class
    starting at the first fold. So all classes with two samples have them in folds 1 and
    2; ``StratifiedKFold`` spreads them over more folds. This matters a lot for the
    G-mean, which is zero in a fold that misses such a class.

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
    >>> for train, test in PaperKFold(3, random_state=0).split(y, y):
    ...     print("".join(sorted(y[test])))
    aabc
    aabc
    aa
    """

    def __init__(self, n_splits: int = 5, *, random_state: Any = None) -> None:
        whole = isinstance(n_splits, (int, np.integer)) and n_splits is not True
        if not whole or n_splits < 2:
            raise ValueError(f"n_splits must be an integer above 1, got {n_splits!r}.")
        self.n_splits = int(n_splits)
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield training and test rows of every fold; X is not used."""
        folds: Iterator[Any] = super().split(y if X is None else X, y, groups)
        return folds

    def _iter_test_masks(self, X: Any, y: Any, groups: Any) -> Iterator[Any]:
        """Deal the samples, class by class; scikit-learn makes indices of the masks."""
        if y is None:
            raise ValueError("PaperKFold deals class by class: pass the labels y.")
        kind = type_of_target(y)
        if kind not in ("binary", "multiclass"):
            raise ValueError(f"y must hold one class label per sample, got {kind}.")
        _, label = np.unique(np.asarray(y).ravel(), return_inverse=True)
        counts = np.bincount(label)
        if counts.max() < self.n_splits:
            raise ValueError(
                f"n_splits={self.n_splits} would leave a fold empty: the largest class "
                f"has {counts.max()} samples; use at most that many folds."
            )
        fold = self._deal(X, label, check_random_state(self.random_state))
        return (fold == k for k in range(self.n_splits))

    def _deal(
        self, X: Any, label: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        """Return the fold of every row."""
        fold = np.empty(len(label), dtype=np.intp)
        for j, count in enumerate(np.bincount(label)):
            members = rng.permutation(np.flatnonzero(label == j))
            fold[members] = np.arange(count) % self.n_splits
        return fold


class DOBSCVKFold(PaperKFold):
    """Distribution optimally balanced stratified folds (DOB-SCV).

    A random sample of a class goes to the first fold, its nearest neighbours of the
    class to the second, third and so on; then another random sample of those left,
    until none is. So each fold sees all regions of a class. As with `PaperKFold` every
    class starts at the first fold, and a class of two samples is in folds 1 and 2.
    This is what the study says that the paper cites for its five-fold stratified
    cross-validation (Moreno-Torres, Saez and Herrera, IEEE Trans. Neural Networks and
    Learning Systems 23, 2012).

    Parameters
    ----------
    n_splits, random_state
        As in :class:`PaperKFold`. Features must be numbers, best scaled to [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> X, y = np.array([[0], [1], [10], [11], [5], [6]]), np.array(list("aaaabb"))
    >>> for train, test in DOBSCVKFold(2, random_state=0).split(X, y):
    ...     print((X[test].ravel() // 10).tolist())
    [0, 1, 0]
    [0, 1, 0]
    """

    def _deal(
        self, X: Any, label: np.ndarray, rng: np.random.RandomState
    ) -> np.ndarray:
        """Return the fold of every row."""
        rows = check_array(X, dtype=np.float64)
        fold = np.empty(len(label), dtype=np.intp)
        for j in range(label.max() + 1):
            left = np.flatnonzero(label == j)
            while left.size:
                first = rows[rng.choice(left)]
                distance = ((rows[left] - first) ** 2).sum(axis=1)
                nearest = left[np.argsort(distance, kind="stable")[: self.n_splits]]
                fold[nearest] = np.arange(len(nearest))
                left = np.setdiff1d(left, nearest)
        return fold


class KeelKFold(PredefinedSplit):
    """KEEL's own published partition of one of the data sets, all but hcv (UCI's).

    Parameters
    ----------
    name : str
        The data set, with rows as :func:`~isvmde.datasets.load_dataset` has them.
    partition : str, default="keel5"
        "keel5" and "keel10" of KEEL's standard collection, "keel5imb" of its
        imbalanced one (the only one shuttle and thyroid are in).
    data_home : ignored
        Not used: no partition needs a folder.

    Examples
    --------
    >>> from isvmde.datasets import load_dataset
    >>> glass = load_dataset("glass")
    >>> [len(test) for train, test in KeelKFold("glass").split(glass.data)]
    [43, 43, 43, 43, 42]
    """

    def __init__(
        self, name: str, *, partition: str = "keel5", data_home: Any = None
    ) -> None:
        self.name = name
        self.partition = partition
        self.data_home = data_home
        folder = resources.files("isvmde") / "datasets/data/folds"
        files = {file.name.removesuffix(".csv"): file for file in folder.iterdir()}
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
        super().__init__(table[partition].to_numpy(dtype=np.intp) - 1)

    @classmethod
    def any_of(cls, name: str) -> "KeelKFold":
        """Return a data set's five folds, of the imbalanced collection if need be."""
        partition = "keel5imb" if name in ("shuttle", "thyroid") else "keel5"
        return cls(name, partition=partition)

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Any]:
        """Yield the indices of the training and the test part of every fold."""
        n_samples, n = (
            X.shape[0] if hasattr(X, "shape") else len(X),
            len(self.test_fold),
        )
        if n_samples != n:
            raise ValueError(
                f"KEEL's partition of {self.name!r} is for its {n} rows, but X has "
                f"{n_samples}."
            )
        folds: Iterator[Any] = super().split()
        return folds
