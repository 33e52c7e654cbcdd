"""What mistakes cost, class by class, and what a decision costs on average."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike


@dataclass(frozen=True, eq=False)
class CostMatrix:
    """What every decision costs in every class, checked.

    Attributes
    ----------
    values : ndarray of shape (n_classes, n_decisions)
        Cost of a decision (column) where a class is the true one (row).
    classes : ndarray of shape (n_classes,)
        The true classes.
    decisions : ndarray of shape (n_decisions,)
        The classes, in the same order, and then further decisions, if there are any.
    """

    values: np.ndarray
    classes: np.ndarray
    decisions: np.ndarray

    @classmethod
    def read(cls, costs: Any, classes: ArrayLike) -> "CostMatrix":
        """Check costs as people give them.

        Parameters
        ----------
        costs : DataFrame, dict, array-like or None
            A DataFrame with the true classes as its index and the decisions as its
            columns; the same as a dict ``{true: {decision: cost}}``; a matrix in the
            order of ``classes``; or ``{true: cost}``, where every mistake in a class
            costs the same. Right decisions may be left out of a dict and cost nothing.
            Columns beyond the classes are further decisions, such as "ask a doctor".
            None: every mistake costs 1.
        classes : array-like of shape (n_classes,)
            The classes.

        Examples
        --------
        >>> from isvmde.decisions import CostMatrix
        >>> CostMatrix.read({"ill": 20, "well": 1}, ["ill", "well"]).values
        array([[ 0., 20.],
               [ 1.,  0.]])
        """
        labels = np.asarray(classes)
        names = labels.tolist()
        if costs is None:
            return cls(1.0 - np.eye(len(names)), labels, labels)
        if isinstance(costs, Mapping):
            costs = _table_of(costs, names)
        if not isinstance(costs, pd.DataFrame):
            costs = _named_matrix(costs, names)
        return _from_table(costs, labels)


def _table_of(costs: Mapping[Any, Any], names: list[Any]) -> pd.DataFrame:
    """Return costs given as a dict as a table of true classes by decisions."""
    rows = {}
    for true, given in costs.items():
        if isinstance(given, Mapping):
            rows[true] = {true: 0.0} | dict(given)
        else:
            rows[true] = {name: 0.0 if name == true else given for name in names}
    return pd.DataFrame.from_dict(rows, orient="index", dtype=object)


def _named_matrix(costs: Any, names: list[Any]) -> pd.DataFrame:
    """Return a matrix of costs with the classes as its names."""
    matrix = np.asarray(costs, dtype=object)
    n = len(names)
    if matrix.shape != (n, n):
        raise ValueError(
            f"costs has the shape {matrix.shape}: a matrix needs a row (true class) "
            f"and a column (decision) for each of the {n} classes {names}."
        )
    return pd.DataFrame(matrix, index=names, columns=names)


def _from_table(table: pd.DataFrame, labels: np.ndarray) -> CostMatrix:
    """Check a table of costs and put it into the order of the classes."""
    names = labels.tolist()
    for axis, what in ((table.index, "row"), (table.columns, "column")):
        if axis.has_duplicates:
            twice = axis[axis.duplicated()][0]
            raise ValueError(f"costs has more than one {what} for {twice!r}; keep one.")
        missing = [name for name in names if name not in axis]
        if missing:
            raise ValueError(
                f"costs has no {what} for the class {missing[0]!r}: give the cost of "
                f"every decision (columns) for each of the true classes (rows) {names}."
            )
    unknown = [name for name in table.index if name not in names]
    if unknown:
        raise ValueError(
            f"costs has a row for {unknown[0]!r}, which is not a class; the classes "
            f"are {names}."
        )
    further = [name for name in table.columns if name not in names]
    decisions = labels
    if further:
        kind = None if labels.dtype.kind == "U" else object
        decisions = np.array(names + [str(name) for name in further], dtype=kind)
    ordered = table.loc[names, names + further]
    values = ordered.apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        i, j = wrong[0]
        raise ValueError(
            f"the cost of deciding {ordered.columns[j]!r} where {names[i]!r} is true "
            f"is '{ordered.iloc[i, j]}': give a number for it."
        )
    return CostMatrix(values, labels, decisions)


def expected_costs(proba: ArrayLike, costs: CostMatrix) -> np.ndarray:
    """Return what every decision costs on average, for every row of probabilities.

    Parameters
    ----------
    proba : array-like of shape (n_samples, n_classes)
        Calibrated class probabilities.
    costs : CostMatrix
        Their costs.

    Returns
    -------
    ndarray of shape (n_samples, n_decisions)
        Sum over the classes of probability times cost.

    Examples
    --------
    >>> from isvmde.decisions import CostMatrix, expected_costs
    >>> costs = CostMatrix.read({"ill": 20, "well": 1}, ["ill", "well"])
    >>> expected_costs([[0.25, 0.75]], costs)
    array([[0.75, 5.  ]])
    """
    p = np.asarray(proba, dtype=np.float64)
    total = np.zeros((len(p), costs.values.shape[1]))
    for k, cost in enumerate(costs.values):  # class by class: rows stay independent
        total += p[:, [k]] * cost
    return total
