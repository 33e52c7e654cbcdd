"""How well a generated table is read: column by column, against what it means."""

import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from isvmde.tables import TablePreprocessor, read_table, split_target
from isvmde.tables.columns import ColumnPlan, Kind
from isvmde.tables.errors import quote
from isvmde.tables.judging import read_column, read_ratios

from .generated_tables import Column, GeneratedTable, Meaning, generate

_KINDS = {
    Meaning.NUMBERS: {Kind.NUMBERS},
    Meaning.RATIO: {Kind.NUMBERS},
    Meaning.CATEGORIES: {Kind.CATEGORIES},
    Meaning.DATE: {Kind.DATE},
    Meaning.LEFT_OUT: {Kind.LEFT_OUT},
    Meaning.NOT_NUMBERS: {Kind.CATEGORIES, Kind.LEFT_OUT},
    Meaning.REPEATED_ID: {Kind.NUMBERS, Kind.CATEGORIES, Kind.LEFT_OUT},
}


@dataclass(frozen=True)
class ColumnVerdict:
    """What became of a column.

    Parameters
    ----------
    name, maker : str
        The column, and what made it.
    problem : str
        What is wrong, or nothing.
    said : bool
        Whether a warning names the column, or the table of columns has a note on it.
    wrong_number : bool
        Whether there are numbers that the file does not hold.
    """

    name: str
    maker: str
    problem: str
    said: bool
    wrong_number: bool


@dataclass(frozen=True)
class TableVerdict:
    """What became of a table.

    Parameters
    ----------
    columns : list of ColumnVerdict
        Its features.
    lost : str
        Rows or classes that were lost or changed unsaid, or nothing.
    """

    columns: list[ColumnVerdict]
    lost: str


def read_and_judge(seed: int, folder: Path) -> TableVerdict:
    """Generate a table, write it into a folder, read it, and judge what was read."""
    generated = generate(seed)
    path = folder / generated.name
    path.write_bytes(generated.content)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table = read_table(path, text=["outcome"])
        X, y = split_target(
            table,
            "outcome",
            keep_marks=generated.target.keep_marks,
            merge_labels=generated.target.merge_labels,
        )
        preprocessor = TablePreprocessor().fit(X, y)
    said = [str(warning.message) for warning in caught]
    verdicts = [
        _judge_column(name, column, X, preprocessor.plan_[name], said)
        for name, column in generated.columns.items()
    ]
    return TableVerdict(verdicts, _what_was_lost(generated, X, y, said))


def _judge_column(
    name: str, column: Column, X: pd.DataFrame, plan: ColumnPlan, warned: list[str]
) -> ColumnVerdict:
    """Compare a column with what it means."""
    is_named = any(f"column {quote(name)}" in text for text in warned)
    said = is_named or bool(plan.note)
    problem, wrong_number = "", False
    truth = None if column.truth is None else column.truth.loc[X.index]
    if plan.kind not in _KINDS[column.meaning]:
        problem = f"taken as {plan.kind.value} ({plan.note})"
        wrong_number = plan.kind is Kind.NUMBERS
    elif column.meaning is Meaning.RATIO:
        assert isinstance(truth, pd.DataFrame)
        found = read_ratios(X[name], plan) if plan.reading.ratio else None
        if found is None or not _equal(found.to_numpy(), truth.to_numpy()):
            problem, wrong_number = "other numbers", True
    elif truth is not None:
        assert isinstance(truth, pd.Series)
        problem = _compare(read_column(X[name], plan), truth, plan.kind)
        wrong_number = bool(problem) and plan.kind is Kind.NUMBERS
    if not problem and column.must_be_said and not said:
        problem = "nothing is said"
    return ColumnVerdict(name, column.maker, problem, said, wrong_number)


def _compare(found: pd.Series, truth: pd.Series, kind: Kind) -> str:
    """Return in what values differ from what they should be, or nothing."""
    if kind is Kind.CATEGORIES:
        pairs = pd.DataFrame({"found": found, "truth": truth})
        gaps_differ = (pairs["found"].isna() != pairs["truth"].isna()).any()
        one_to_one = pairs.dropna().drop_duplicates()
        again = one_to_one["found"].duplicated() | one_to_one["truth"].duplicated()
        return "other categories" if gaps_differ or again.any() else ""
    if kind is Kind.DATE:
        same = (found == truth) | (found.isna() & truth.isna())
        return "" if same.all() else f"other dates: {found[~same].iloc[0]}"
    if _equal(found.to_numpy(), truth.to_numpy()):
        return ""
    differ = ~np.isclose(found, truth, rtol=1e-9, equal_nan=True)
    return f"other numbers: {found[differ].iloc[0]} for {truth[differ].iloc[0]}"


def _equal(found: np.ndarray, truth: np.ndarray) -> bool:
    """Whether numbers are the same, gaps included."""
    return bool(np.allclose(found, truth, rtol=1e-9, atol=0, equal_nan=True))


def _what_was_lost(
    generated: GeneratedTable, X: pd.DataFrame, y: np.ndarray, said: list[str]
) -> str:
    """Return which rows or classes were lost unsaid, or nothing."""
    labels = generated.target.labels
    known = [row for row, label in enumerate(labels) if label is not None]
    if list(X.index) != known:
        return f"{len(known)} rows have a class, and {len(X)} are left"
    n_lost = len(labels) - len(known)
    if n_lost and not any(f"{n_lost} of {len(labels)} rows" in text for text in said):
        return f"{n_lost} rows are left out, and nobody says so"
    pairs = pd.DataFrame({"found": y, "truth": [labels[row] for row in known]})
    pairs = pairs.drop_duplicates()
    if pairs["found"].duplicated().any() or pairs["truth"].duplicated().any():
        return f"the classes are {sorted(set(pairs['found']))}"
    return ""


def summary(verdicts: dict[int, TableVerdict]) -> str:
    """Return what was read right, and what was not, by what made the column."""
    columns = [(seed, c) for seed, v in verdicts.items() for c in v.columns]
    wrong = [(seed, c) for seed, c in columns if c.problem]
    unsaid = [c for _, c in wrong if c.wrong_number and not c.said]
    lost = [f"seed {seed}: {v.lost}" for seed, v in verdicts.items() if v.lost]
    made = Counter(c.maker for _, c in columns)
    lines = [
        f"{len(verdicts)} tables, {len(columns)} columns, "
        f"{1 - len(wrong) / len(columns):.4f} read right; {len(unsaid)} with wrong "
        f"numbers unsaid; {len(lost)} tables with rows or classes lost unsaid"
    ]
    for maker, count in Counter(c.maker for _, c in wrong).most_common():
        lines.append(f"  {maker}: {count} of {made[maker]} wrong")
    lines += [
        f"  seed {seed} {c.name!r} ({c.maker}): {c.problem}; "
        f"{'said' if c.said else 'UNSAID'}"
        for seed, c in wrong
    ]
    return "\n".join([*lines, *lost])
