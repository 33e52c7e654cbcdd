"""Cross-validation splitters: the paper's folds and KEEL's published partitions."""

from collections.abc import Iterator
from importlib import resources
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import BaseCrossValidator, PredefinedSplit
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import type_of_target

__all__ = ["KeelKFold", "PaperKFold"]


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
        return super().split(y if X is None else X, y, groups)

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
        rng = check_random_state(self.random_state)
        fold = np.empty(len(label), dtype=np.intp)
        for j, count in enumerate(counts):
            members = rng.permutation(np.flatnonzero(label == j))
            fold[members] = np.arange(count) % self.n_splits
        return (fold == k for k in range(self.n_splits))


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
        return super().split()
