"""Whether a column is an id, by its values and by what it says about the classes."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types
from scipy.stats import kruskal

from .columns import Reason

_ID_WORDS = frozenset(["id", "ids", "uid", "uuid", "guid", "identifier", "mrn", "pid"])
_COUNTING_WORDS = frozenset(
    [
        "key",
        "nr",
        "no",
        "num",
        "number",
        "nummer",
        "index",
        "idx",
        "record",
        "row",
        "rownum",
        "serial",
        "unnamed",
    ]
)
_SUBJECTS = frozenset(
    [
        "patient",
        "subject",
        "participant",
        "person",
        "proband",
        "case",
        "customer",
        "animal",
    ]
)
_FEWEST = 10  # rows, from which on an id can be told from numbers that happen to differ
_SORTED = 20  # rows, from which on being sorted is not a coincidence
_NEARLY_ALL = 0.95
_CHANCE = 0.001  # p-value below which a column is said to tell the classes apart


@dataclass(frozen=True)
class IdFinding:
    """Why a column should be left out, and what the user should know about it.

    Parameters
    ----------
    reason : Reason or None
        Why it should be left out, if it should.
    remark : str
        What to say about a column that may be an id, or nothing.
    """

    reason: Reason | None = None
    remark: str = ""


def find_id(name: str, values: pd.Series, y: Any) -> IdFinding:
    """Return whether numbers or texts without gaps tell nothing about new rows.

    ``y`` holds the classes of the same rows, or is None.
    """
    if types.is_numeric_dtype(values.dtype):
        return _find_id_of_numbers(name, values, y)
    return _find_id_of_texts(name, values)


def _words(name: str) -> set[str]:
    """Return the words of a column's name, of `patientID` too."""
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {word.lower() for word in found}


def _find_id_of_numbers(name: str, values: pd.Series, y: Any) -> IdFinding:
    """Judge a column of numbers."""
    n, distinct = len(values), values.nunique()
    if n < _FEWEST or (values % 1 != 0).any():
        return IdFinding()
    words = _words(name)
    is_called_id = bool(words & _ID_WORDS)
    sounds_like_id = is_called_id or bool(words & _COUNTING_WORDS)
    if distinct < _NEARLY_ALL * n:
        return _repeated(name, n, distinct)
    steps = np.diff(values.to_numpy())
    running = distinct == n and values.max() - values.min() == n - 1
    counts_rows = running and bool((steps == 1).all())
    is_sorted = n >= _SORTED and bool((steps > 0).all() or (steps < 0).all())
    if counts_rows and sounds_like_id:
        return IdFinding(Reason.ROW_NUMBER)  # even where the file is sorted by class
    from_the_start = running and values.min() in (0, 1)
    by_values = (
        counts_rows or from_the_start or is_sorted or (running and sounds_like_id)
    )
    if not by_values and not sounds_like_id:
        return IdFinding()
    if (by_values or is_called_id) and not tells_classes_apart(values, y):
        return IdFinding(Reason.ROW_NUMBER)
    looks = "its values look" if by_values else "its name sounds"
    why = "they differ between the classes" if by_values else "it is kept"
    if is_called_id and not by_values:
        why = "its values differ between the classes"
    return IdFinding(remark=f"{looks} like an id, but {why}; drop it if it is one")


def _find_id_of_texts(name: str, values: pd.Series) -> IdFinding:
    """Judge a column of texts."""
    n, distinct = len(values), values.nunique()
    if distinct <= _FEWEST:
        return IdFinding()
    blanks = values.str.count(r"\s+").mean()
    if distinct > n / 5 and blanks >= 2 and values.str.len().mean() >= 15:
        return IdFinding(Reason.FREE_TEXT)
    if distinct >= _NEARLY_ALL * n:
        return IdFinding(Reason.UNIQUE)
    if distinct > n / 2:
        return IdFinding(Reason.TOO_MANY)
    return _repeated(name, n, distinct)


def _names_subjects(name: str) -> bool:
    """Whether a column is called an id or after those who have one: "patient no"."""
    words = _words(name)
    is_subject = bool(words & _SUBJECTS) and words <= _SUBJECTS | _COUNTING_WORDS
    return is_subject or bool(words & _ID_WORDS)


def _repeated(name: str, n: int, distinct: int) -> IdFinding:
    """Return a remark on a column that names subjects with several rows each."""
    if not _names_subjects(name) or distinct <= _FEWEST or distinct >= _NEARLY_ALL * n:
        return IdFinding()
    return IdFinding(
        remark="looks like an id of subjects with several rows each: name it in "
        f"--groups {name!r}, or drop it"
    )


def tells_classes_apart(values: pd.Series, y: Any) -> bool:
    """Whether numbers differ between the classes by more than chance."""
    if y is None:
        return False
    parts = [part.to_numpy() for _, part in values.groupby(np.asarray(y), sort=False)]
    if len(parts) < 2 or values.nunique() < 2:
        return False
    return bool(kruskal(*parts).pvalue < _CHANCE)
