"""Tables as Markdown and LaTeX, without further packages."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pandas as pd

_LATEX_SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "–": "--",
    "−": "$-$",
    "≥": r"$\ge$",
    "≤": r"$\le$",
    "×": r"$\times$",
    "λ": r"$\lambda$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "√": r"$\surd$",
    "²": "$^2$",
}


class ResultTable(pd.DataFrame):
    """A DataFrame that prints as Markdown and LaTeX with readable numbers.

    ``attrs`` holds how the table was made (control, alpha, ...). The index, a
    running number, is not printed.

    Examples
    --------
    >>> from isvmde.stats import ResultTable
    >>> print(ResultTable({"method": ["SVM"], "p": [6.2e-10]}).to_markdown())
    | method | p        |
    |--------|----------|
    | SVM    | 6.20e-10 |
    """

    @property
    def _constructor(self) -> type["ResultTable"]:
        return ResultTable

    def to_markdown(self) -> str:  # type: ignore[override]
        """Return the table as Markdown."""
        header, *rows = self._cells()
        return markdown_table(header, rows)

    def to_latex(  # type: ignore[override]
        self, *, caption: str | None = None, label: str | None = None
    ) -> str:
        """Return the table as LaTeX (it needs the package booktabs)."""
        header, *rows = self._cells()
        numeric = [self[name].dtype.kind in "iuf" for name in self.columns]
        align = "".join("r" if is_number else "l" for is_number in numeric)
        return latex_table(header, rows, align=align, caption=caption, label=label)

    def _cells(self) -> list[list[str]]:
        """Return the texts of header and rows."""
        columns = [[str(name), *_texts(self[name])] for name in self.columns]
        return [list(row) for row in zip(*columns, strict=True)]


def markdown_table(
    header: Sequence[str], rows: Iterable[Sequence[str]], *, align: str = ""
) -> str:
    """Return texts as a Markdown table; `align` has an l or r per column."""
    lines = [[cell.replace("|", r"\|") for cell in row] for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    align = align or "l" * len(widths)
    texts = [
        "| "
        + " | ".join(
            cell.rjust(width) if side == "r" else cell.ljust(width)
            for cell, width, side in zip(row, widths, align, strict=True)
        )
        + " |"
        for row in lines
    ]
    rule = "|".join(
        "-" * (width + 1) + (":" if side == "r" else "-")
        for width, side in zip(widths, align, strict=True)
    )
    return "\n".join([texts[0], f"|{rule}|", *texts[1:]])


def latex_table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    align: str,
    caption: str | None = None,
    label: str | None = None,
    bold: Callable[[int, int], bool] = lambda row, column: False,
    footer: bool = False,
) -> str:
    """Return texts as a LaTeX table for the package booktabs.

    `bold` says which cells are best; with `footer` a line stands above the last row.
    The caption is LaTeX already.
    """
    body = []
    for i, row in enumerate(rows):
        cells = [
            rf"\textbf{{{latex_text(cell)}}}" if bold(i, j) else latex_text(cell)
            for j, cell in enumerate(row)
        ]
        body.append(" & ".join(cells) + r" \\")
    if footer and len(body) > 1:
        body.insert(-1, r"\midrule")
    head = " & ".join(map(latex_text, header)) + r" \\"
    lines = [rf"\begin{{tabular}}{{{align}}}", r"\toprule", head, r"\midrule"]
    lines += [*body, r"\bottomrule", r"\end{tabular}"]
    if caption is None and label is None:
        return "\n".join(lines)
    around = [r"\begin{table}", r"\centering"]
    around += [] if caption is None else [rf"\caption{{{caption}}}"]
    around += [] if label is None else [rf"\label{{{label}}}"]
    return "\n".join([*around, *lines, r"\end{table}"])


def format_p(p: float) -> str:
    """Format a p-value: five decimals, or powers of ten where these say nothing."""
    return f"{p:.5f}" if p >= 1e-4 or p == 0 else f"{p:.2e}"


def latex_text(text: str) -> str:
    """Return a cell for LaTeX: specials escaped, powers of ten as mathematics."""
    number = re.fullmatch(r"([+-]?[0-9.]+)e([+-]?[0-9]+)", text)
    if number:
        return rf"${number[1]} \times 10^{{{int(number[2])}}}$"
    return "".join(_LATEX_SPECIAL.get(c, c) for c in text)


def _texts(column: "pd.Series[Any]") -> list[str]:
    """Format a column: every number of it to the same digits, truth as yes and no."""
    values: list[Any] = column.tolist()
    if column.dtype.kind == "b":
        return ["yes" if value else "no" for value in values]
    if column.dtype.kind != "f":
        return [str(value) for value in values]
    if str(column.name).startswith(("p", "alpha")):
        return [format_p(value) for value in values]
    if all((2 * value).is_integer() for value in values):  # sums of ranks
        return [f"{value:g}" for value in values]
    return [f"{value:.3f}" for value in values]
