"""The parts of a report: tables, figures and sections, before they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from isvmde.stats.rendering import latex_table, latex_text, markdown_table


@dataclass
class Table:
    """A table of a report: its numbers, how they are printed, which are best.

    Parameters
    ----------
    key : str
        Name of its files and of its place on the page.
    caption : str
    values, texts : DataFrame
        The same cells as numbers, for sorting, and as they are printed.
    best : DataFrame of bool, optional
        Cells to print in bold.
    averages : bool
        Whether the last row holds averages and is not sorted.
    bars : DataFrame, optional
        Numbers from 0 to 100, drawn behind the cells of the page.
    shapes : dict of row name to list of float, optional
        Drawn as small bars at the end of a row of the page, under `shapes_title`.
    in_latex : bool
        Whether there is a LaTeX file of it.
    """

    key: str
    caption: str
    values: pd.DataFrame
    texts: pd.DataFrame
    best: pd.DataFrame | None = None
    averages: bool = False
    bars: pd.DataFrame | None = None
    shapes: dict[str, list[float]] | None = None
    shapes_title: str = ""
    in_latex: bool = True

    @property
    def corner(self) -> str:
        """The heading of the first column."""
        return str(self.values.index.name or "data set")

    @property
    def header(self) -> list[str]:
        """The headings of all columns."""
        return [self.corner, *map(str, self.texts.columns)]

    def lines(self) -> Iterator[list[str]]:
        """Yield the texts of each row, its name first."""
        for name, cells in zip(self.texts.index, self.texts.to_numpy(), strict=True):
            yield [str(name), *map(str, cells)]

    def is_best(self, row: int, column: int) -> bool:
        """Whether a cell is to be bold; column 0 holds the names."""
        return (
            self.best is not None
            and column > 0
            and bool(self.best.iloc[row, column - 1])
        )

    def to_markdown(self) -> str:
        """Return the table as Markdown, the best in bold."""
        rows = [
            [
                f"**{text}**" if self.is_best(i, j) else text
                for j, text in enumerate(line)
            ]
            for i, line in enumerate(self.lines())
        ]
        align = "l" + "r" * self.texts.shape[1]
        return markdown_table(self.header, rows, align=align)

    def to_latex(self) -> str:
        """Return the table as LaTeX, the best in bold."""
        return latex_table(
            self.header,
            list(self.lines()),
            align="l" + "r" * self.texts.shape[1],
            caption=latex_text(self.caption),
            label="tab:" + self.key.replace("_", "-"),
            bold=self.is_best,
            footer=self.averages,
        )

    def to_csv(self) -> str:
        """Return the table's numbers as CSV."""
        return self.values.to_csv(
            index_label=self.corner, float_format="%.6g", lineterminator="\n"
        )


@dataclass
class Figure:
    """A figure of a report: a name, a caption and a function that draws it."""

    key: str
    caption: str
    draw: Callable[[], Any]
    wide: bool = False  # it needs the whole width of the page


@dataclass
class Section:
    """A part of a report with a heading; details are folded up on the page."""

    title: str
    paragraphs: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    details: list[tuple[str, list[Table]]] = field(default_factory=list)


@dataclass
class Content:
    """All a report says."""

    title: str
    missing: list[str]
    sections: list[Section]
    averages: pd.DataFrame

    @property
    def tables(self) -> list[Table]:
        """All tables, in order."""
        return [
            table
            for section in self.sections
            for group in (section.tables, *(tables for _, tables in section.details))
            for table in group
        ]

    @property
    def figures(self) -> list[Figure]:
        """All figures, in order."""
        return [figure for section in self.sections for figure in section.figures]


def score_cells(
    key: str, caption: str, means: pd.DataFrame, sds: pd.DataFrame | None = None
) -> Table:
    """Return a table of scores with averages, the best of each row marked."""
    values = with_average(means)
    texts = values.map(as_text)
    if sds is not None:
        spread = sds.reindex_like(means).map(lambda sd: as_text(sd, " ± {:.1f}", ""))
        texts.iloc[: len(means)] += spread.to_numpy()
    rounded = values.round(2)
    best = rounded.eq(rounded.max(axis=1), axis=0)
    best[best.all(axis=1)] = False  # where all are alike none is best
    averages = len(means) > 1
    return Table(key, caption, values, texts, best, averages=averages, bars=values)


def with_average(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a last row of averages over its complete data sets."""
    if len(table) < 2:
        return table
    whole = table.dropna()
    averages = whole.mean() if len(whole) else table.mean() * float("nan")
    name = "average" if len(whole) == len(table) else f"average of {len(whole)}"
    return pd.concat([table, averages.to_frame(name).T])


def as_text(value: Any, pattern: str = "{:.2f}", gap: str = "–") -> str:
    """Return a number as text, a dash for a gap."""
    return gap if pd.isna(value) else pattern.format(value)
