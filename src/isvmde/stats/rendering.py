"""Tables as Markdown and LaTeX, without further packages."""

from typing import Any

import pandas as pd

_LATEX_SPECIAL = {c: "\\" + c for c in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
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
        columns = [
            [text.replace("|", r"\|") for text in [str(name), *_texts(self[name])]]
            for name in self.columns
        ]
        widths = [max(map(len, column)) for column in columns]
        lines = [
            "| " + " | ".join(map(str.ljust, row, widths)) + " |"
            for row in zip(*columns, strict=True)
        ]
        rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
        return "\n".join([lines[0], rule, *lines[1:]])

    def to_latex(  # type: ignore[override]
        self, *, caption: str | None = None, label: str | None = None
    ) -> str:
        """Return the table as LaTeX (it needs the package booktabs)."""
        numeric = [self[name].dtype.kind in "iuf" for name in self.columns]
        columns = [
            [escape_latex(str(name))]
            + [
                latex_number(text) if is_number else escape_latex(text)
                for text in _texts(self[name])
            ]
            for name, is_number in zip(self.columns, numeric, strict=True)
        ]
        header, *body = [" & ".join(row) + r" \\" for row in zip(*columns, strict=True)]
        align = "".join("r" if is_number else "l" for is_number in numeric)
        lines = [rf"\begin{{tabular}}{{{align}}}", r"\toprule", header]
        lines += [r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
        if caption is not None or label is not None:
            head = [r"\begin{table}", r"\centering"]
            head += [] if caption is None else [rf"\caption{{{caption}}}"]
            head += [] if label is None else [rf"\label{{{label}}}"]
            lines = [*head, *lines, r"\end{table}"]
        return "\n".join(lines)


def format_p(p: float) -> str:
    """Format a p-value: five decimals, or powers of ten where these say nothing."""
    return f"{p:.5f}" if p >= 1e-4 or p == 0 else f"{p:.2e}"


def latex_number(text: str) -> str:
    """Put a number's power of ten into mathematical notation."""
    mantissa, _, exponent = text.partition("e")
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$" if exponent else text


def escape_latex(text: str) -> str:
    """Escape the characters LaTeX treats as commands."""
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
