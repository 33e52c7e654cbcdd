"""The classes of a table: which column holds them, and rows that have none."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

import numpy as np
import pandas as pd
from pandas.api import types

from isvmde.caller import warn_caller

from .cells import GAP_MARKS, as_written, counted, equals_any, replaced, same_spelling
from .errors import ClassWarning, TableError, find_column, quote, some

_WHOLE = re.compile(r"-?(0|[1-9]\d{0,14})(\.0+)?")
_MOST_NAMED = 5  # marks, or classes, that a message names


def split_target(
    table: pd.DataFrame,
    target: str | None = None,
    *,
    keep_marks: bool = False,
    merge_labels: bool = False,
    missing: Iterable[str] = (),
) -> tuple[pd.DataFrame, np.ndarray]:
    """Split a table into its features and the classes to learn.

    Rows without a class are left out, with a warning that says what they hold
    instead. A column with fewer than two classes, or with measurements, is refused with
    a :class:`TableError`.

    Parameters
    ----------
    table : DataFrame
        As :func:`read_table` returns it.
    target : str, optional
        The column with the classes; by default the one the file declares, or the last.
    keep_marks : bool, default=False
        Whether marks of a gap, such as "NA" and "-", are classes. Empty cells are not.
    merge_labels : bool, default=False
        Whether classes that differ only in capitals and blanks are one.
    missing : list of str, default=()
        Further values that stand for a missing class, such as "-999".

    Returns
    -------
    X : DataFrame
        The other columns; its index counts the rows of ``table`` from 0.
    y : ndarray
        The classes: whole numbers, or text.

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
        alone = f"{source}: there is no column besides {quote(name)}"
        raise TableError(f"{alone}; check the separator, or the sheet")
    table = table.reset_index(drop=True)
    labels = class_labels(table[name], keep_marks=keep_marks, missing=tuple(missing))
    column = f"{source}: column {quote(name)}"
    known = labels.notna().to_numpy()
    if merge_labels:
        labels = merged(labels, column)
    if not known.any():
        raise TableError(_no_class(table[name], column, keep_marks))
    _check_classes(labels[known], column)
    if not known.all():
        _warn_of_rows_without(table[name][~known], len(known), name, source, keep_marks)
    X = table.drop(columns=name)
    y = labels[known].to_numpy(np.int64 if labels.dtype == "Int64" else np.str_)
    return (X if known.all() else X[known]), y


def class_labels(
    column: pd.Series, *, keep_marks: bool = False, missing: tuple[str, ...] = ()
) -> pd.Series:
    """Return the classes of a column: whole numbers or text; gaps are missing.

    Text is taken for whole numbers if all of it is, and no two texts are the same
    number: "01" and "1" are two classes.
    """
    if missing:
        column = column.mask(equals_any(column, missing))
    if types.is_float_dtype(column.dtype) or types.is_integer_dtype(column.dtype):
        numbers = pd.to_numeric(column).astype("float64")
        whole = (numbers % 1 == 0) & (numbers.abs() < 2**53)
        if (whole | numbers.isna()).all():
            return numbers.astype("Int64")
    texts = as_written(column)
    if not keep_marks:
        texts = texts.mask(texts.isin(GAP_MARKS))
    different = [str(text) for text in texts.dropna().unique()]
    if different and all(_WHOLE.fullmatch(text) for text in different):
        whole_numbers = {text: int(text.partition(".")[0]) for text in different}
        if len(set(whole_numbers.values())) == len(different):
            return replaced(texts, whole_numbers, "Int64")
    return texts


def merged(labels: pd.Series, column: str) -> pd.Series:
    """Return labels in their most frequent spelling, and warn of what was merged."""
    if labels.dtype == "Int64":
        return labels
    spelled: dict[str, Counter[str]] = {}
    for text, times in counted(labels):
        spelled.setdefault(same_spelling(text), Counter())[text] = times
    usual = {
        text: variants.most_common(1)[0][0]
        for variants in spelled.values()
        for text in variants
    }
    others = [f"{quote(a)} as {quote(b)}" for a, b in usual.items() if a != b]
    if not others:
        return labels
    more = len(others) - _MOST_NAMED
    warn_caller(
        f"{column} has classes that are merged: {', '.join(others[:_MOST_NAMED])}"
        + (f" and {more} more" if more > 0 else ""),
        ClassWarning,
    )
    return replaced(labels, usual, labels.dtype)


def _warn_of_rows_without(
    cells: pd.Series, n: int, name: str, source: str, keep_marks: bool
) -> None:
    """Say how many rows have no class, and what stands in its place."""
    found, advice = _marks_in(cells, keep_marks)
    warn_caller(
        f"{source}: {len(cells)} of {n} rows have no class in column {quote(name)} "
        f"({found}) and are left out{advice}",
        ClassWarning,
    )


def _no_class(cells: pd.Series, column: str, keep_marks: bool) -> str:
    """Return a sentence on a column in which no cell is a class."""
    found, advice = _marks_in(cells, keep_marks)
    return f"{column} holds no class ({found}){advice}; at least two are needed"


def _marks_in(cells: pd.Series, keep_marks: bool) -> tuple[str, str]:
    """Return the cells that are not classes, counted, and what to do about them."""
    marks = as_written(cells)
    texts = counted(marks)
    found = [f"{quote(text)} {times}" for text, times in texts[:_MOST_NAMED]]
    if len(texts) > _MOST_NAMED:
        rest = sum(times for _, times in texts[_MOST_NAMED:])
        found.append(f"others {rest}")
    n_empty = int(marks.isna().sum())
    if n_empty:
        found.append(f"empty {n_empty}")
    advice = ""
    if texts and not keep_marks:
        advice = "; if a mark is a class, add --keep-marks"
    return ", ".join(found), advice


@dataclass(frozen=True)
class _Shape:
    """What a column of labels looks like."""

    rows: int
    classes: int
    are_numbers: bool
    are_whole: bool

    @property
    def looks_like_measurements(self) -> bool:
        """Whether there are too many different numbers to be classes."""
        few_rows = self.rows / self.classes < 20 or not self.are_whole
        return self.are_numbers and self.classes > 20 and few_rows

    @property
    def looks_like_names(self) -> bool:
        """Whether nearly every fourth row has a label of its own."""
        return self.classes > 50 and self.classes > self.rows / 4


def _check_classes(labels: pd.Series, column: str) -> None:
    """Refuse a column that does not hold classes."""
    counts = labels.value_counts()
    if len(counts) < 2:
        only = (
            f"only one class, {quote(counts.index[0])}" if len(counts) else "no class"
        )
        raise TableError(f"{column} holds {only}; at least two are needed")
    shape = _Shape(
        rows=len(labels),
        classes=len(counts),
        are_numbers=bool(pd.to_numeric(labels, errors="coerce").notna().all()),
        are_whole=labels.dtype.kind in "iu",
    )
    if shape.looks_like_measurements or shape.looks_like_names:
        what, like = "values", "names"
        if shape.are_numbers:
            what, like = "numbers", "measurements"
        advice = ", or write the classes as text" if shape.are_numbers else ""
        raise TableError(
            f"{column} has {shape.classes} different {what} in {shape.rows} rows, "
            f"which look like {like} and not like classes; name another column{advice}"
        )
    _warn_of_same_names([str(label) for label in counts.index], column)


def _warn_of_same_names(classes: list[str], column: str) -> None:
    """Say which classes may be the same, written in two ways."""
    for texts in _alike(classes, same_spelling):
        warn_caller(
            f"{column} has classes that differ only in capitals, blanks or invisible "
            f"signs, and they are taken as different: {some(texts)}; --merge-labels "
            "makes them one",
            ClassWarning,
        )
    for texts in _alike(classes, _number_of):
        warn_caller(
            f"{column} has classes that are the same number, and they are taken as "
            f"different: {some(texts)}",
            ClassWarning,
        )


def _alike(classes: list[str], shared: Callable[[str], Hashable]) -> list[list[str]]:
    """Return the lists of classes that share something."""
    lists: dict[Hashable, list[str]] = {}
    for text in classes:
        lists.setdefault(shared(text), []).append(text)
    return [texts for texts in lists.values() if len(texts) > 1]


def _number_of(text: str) -> Hashable:
    """Return a number, however many digits it has; other texts as they are."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return number if number.is_finite() else text
