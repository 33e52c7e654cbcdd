"""What a part says: a table, and a verdict for every criterion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class Verdict:
    """What is asked, and what was reached."""

    asked: str
    reached: str
    holds: bool

    @property
    def word(self) -> str:
        """Return the verdict in a word."""
        return "holds" if self.holds else "**FALLS SHORT**"


@dataclass(frozen=True)
class PartReport:
    """What is said of one part."""

    title: str
    note: str
    table: str  # Markdown
    verdicts: list[Verdict]

    def __str__(self) -> str:
        """Return the part as Markdown."""
        return f"## {self.title}\n\n{self.note}\n\n{self.table}"


def summary(reports: list[PartReport]) -> str:
    """Return a line per criterion as Markdown."""
    lines = ["| part | asked | reached | |", "|---|---|---|---|"]
    for report in reports:
        for verdict in report.verdicts:
            lines.append(
                f"| {report.title} | {verdict.asked} | {verdict.reached} "
                f"| {verdict.word} |"
            )
    return "\n".join(lines)


def markdown(header: list[str], rows: list[list[str]]) -> str:
    """Return a table of which all columns but the first are numbers."""
    rule = "|---|" + "---:|" * (len(header) - 1)
    lines = ["| " + " | ".join(cells) + " |" for cells in [header, *rows]]
    return "\n".join([lines[0], rule, *lines[1:]])


def standard_error(values: pd.Series) -> float:
    """Return the standard error of a mean."""
    return float(values.std() / np.sqrt(len(values)))


def at_most(asked: str, value: float, bound: float, remark: str = "") -> Verdict:
    """Judge a number that should not exceed a bound."""
    holds = bool(value <= bound)  # NaN does not hold
    return Verdict(f"{asked}: at most {bound:g}", f"{value:+.3f}{remark}", holds)
