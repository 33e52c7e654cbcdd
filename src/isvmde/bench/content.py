"""The parts of a report: tables, figures and sections, before they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from isvmde.bench.comparison import shared_cells
from isvmde.bench.templating import names
from isvmde.stats.rendering import latex_table, latex_text, markdown_table


@dataclass
class Table:
    """A table of a report: its numbers, how they are printed, which are best."""

    key: str  # name of its files and of its place on the page
    caption: str
    values: pd.DataFrame  # for sorting
    texts: pd.DataFrame  # the same cells as they are printed
    best: pd.DataFrame | None = None  # which to print in bold
    averages: bool = False  # the last row holds averages and is not sorted
    bars: pd.DataFrame | None = None  # 0 to 100, drawn behind the cells of the page
    shapes: dict[str, list[float]] | None = None  # small bars at the end of a row
    shapes_title: str = ""
    in_latex: bool = True

    @property
    def header(self) -> list[str]:
        """The headings of all columns."""
        corner = str(self.values.index.name or "data set")
        return [corner, *map(str, self.texts.columns)]

    @property
    def wide(self) -> bool:
        """Whether it needs the whole width of a page."""
        return len(self.header) > 5

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
            index_label=self.header[0], float_format="%.6g", lineterminator="\n"
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

    @property
    def all_tables(self) -> list[Table]:
        """Its tables, those of the details last."""
        return sum((tables for _, tables in self.details), self.tables)


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
        return [table for section in self.sections for table in section.all_tables]

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
    shared = shared_cells(means).index
    if averages and len(shared) < len(means):
        caption += f"; the average is over {names(shared)}"
    return Table(key, caption, values, texts, best, averages=averages, bars=values)


def with_average(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with a last row of averages over what the methods share."""
    if len(table) < 2:
        return table
    shared = shared_cells(table)
    name = "average" if len(shared) == len(table) else f"average of {len(shared)}"
    return pd.concat([table, shared.mean().reindex(table.columns).to_frame(name).T])


def as_text(value: Any, pattern: str = "{:.2f}", gap: str = "–") -> str:
    """Return a number as text, a dash for a gap."""
    return gap if pd.isna(value) else pattern.format(value)
