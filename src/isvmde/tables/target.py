"""The column of the classes: found, checked, and taken out of a table."""

from __future__ import annotations

import difflib
import warnings

import numpy as np
import pandas as pd
from pandas.api import types

from .cells import as_numbers, as_texts
from .errors import TableError, quote, some


def split_target(
    table: pd.DataFrame, target: str | None = None
) -> tuple[pd.DataFrame, np.ndarray]:
    """Part a table into its features and the classes to learn.

    Rows without a class are left out, and a warning counts them. No class is lost: a
    column that does not hold classes is refused.

    Parameters
    ----------
    table : DataFrame
        As :func:`read_table` returns it.
    target : str, optional
        The column with the classes; by default the one the file declares, or the last.

    Returns
    -------
    X : DataFrame
        The other columns; its index counts the rows of ``table`` from 0.
    y : ndarray
        The classes: whole numbers, or text.

    Raises
    ------
    TableError
        When there is no such column, when it has fewer than two classes, or when its
        many numbers are measurements and not classes.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"size": [1, 2, 8], "kind": ["plum", "plum", "apple"]})
    >>> X, y = split_target(table, "kind")
    >>> list(X), y.tolist()
    (['size'], ['plum', 'plum', 'apple'])
    """
    source = table.attrs.get("source", "the table")
    if target is None:
        target = table.attrs.get("target", table.columns[-1])
    name = find_column(table, target, source)
    if f"{name} (2)" in table:
        raise TableError(
            f"{source}: more than one column is named {quote(name)}; rename one, so "
            "that it is clear which one holds the classes"
        )
    if table.shape[1] < 2:
        read_as = str(table.attrs.get("read_as")).partition(",")[0]
        hints = {"csv": "; check the separator", "Excel": "; is it another sheet?"}
        raise TableError(
            f"{source}: there is no column beside {quote(name)}{hints.get(read_as, '')}"
        )
    table = table.reset_index(drop=True)
    labels = class_labels(table[name])
    known = labels.notna().to_numpy()
    _check_classes(labels[known], name, source)
    if not known.all():
        warnings.warn(
            f"{source}: {int((~known).sum())} of {len(known)} rows have no class in "
            f"column {quote(name)} (empty, or a mark such as NA) and are left out",
            UserWarning,
            stacklevel=2,
        )
    X = table.drop(columns=name)
    y = labels[known].to_numpy()
    y = y.astype(np.int64) if y.dtype.kind in "iu" else y.astype(np.str_)
    return (X if known.all() else X[known]), y


def class_labels(column: pd.Series) -> pd.Series:
    """Return the classes of a column: whole numbers or text; gaps are missing."""
    numeric = types.is_numeric_dtype(column.dtype)
    if numeric and not types.is_bool_dtype(column.dtype):
        numbers = as_numbers(column)
        present = numbers.dropna()
        whole = (present % 1 == 0).all() and (present.abs() < 2**53).all()
        if whole and not numbers.hasnans:
            return numbers.astype("int64")
        if whole:
            return numbers.astype("Int64")
    return as_texts(column)


def find_column(table: pd.DataFrame, name: str, source: str) -> str:
    """Return the column of that name, or refuse with the most similar names."""
    if name in table:
        return name
    names = [str(each) for each in table.columns]
    folded = [each for each in names if each.lower() == str(name).strip().lower()]
    if len(folded) == 1:
        return folded[0]
    similar = difflib.get_close_matches(str(name)[:100], names, n=3)
    hint = f"did you mean {some(similar)}?" if similar else f"it has {some(names, 8)}"
    raise TableError(f"{source}: there is no column {quote(name)}; {hint}")


def _check_classes(labels: pd.Series, name: str, source: str) -> None:
    """Refuse a column that does not hold classes."""
    column = f"{source}: column {quote(name)}"
    counts = labels.value_counts()
    n, distinct = len(labels), len(counts)
    if distinct < 2:
        only = f"only one class, {quote(counts.index[0])}" if distinct else "no class"
        raise TableError(f"{column} holds {only}; at least two are needed")
    numbers = pd.to_numeric(labels, errors="coerce").notna().all()
    crowded = distinct > 20 and n / distinct < 20
    if numbers and (crowded or (distinct > 20 and labels.dtype.kind not in "iu")):
        raise TableError(
            f"{column} has {distinct} different numbers in {n} rows, which look like "
            "measurements and not like classes; name another column, or write the "
            "classes as text"
        )
    if distinct > 50 and distinct > n / 4:
        raise TableError(
            f"{column} has {distinct} different values in {n} rows, too many to be "
            "classes; name another column"
        )
    folded: dict[str, list[str]] = {}
    for label in map(str, counts.index):
        folded.setdefault(" ".join(label.lower().split()), []).append(label)
    for same in folded.values():
        if len(same) > 1:
            warnings.warn(
                f"{column} has classes that differ only in capitals or blanks, and "
                f"they are taken as different: {some(same)}",
                UserWarning,
                stacklevel=3,
            )
