"""A report's tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

from isvmde.bench.content import Content, Section, Table
from isvmde.stats.rendering import escape_latex


def markdown(content: Content, figure_folder: str) -> str:
    """Return the whole report as Markdown."""
    parts = ["# Benchmark report", *_incomplete(content)]
    for section in content.sections:
        parts += _section(section, figure_folder)
    return "\n\n".join(parts) + "\n"


def _incomplete(content: Content) -> list[str]:
    """Say what an incomplete run lacks."""
    if not content.missing:
        return []
    lines = "\n".join(f"- {line}" for line in content.missing)
    return [f"**This run is incomplete.** Missing:\n\n{lines}"]


def _section(section: Section, figure_folder: str) -> list[str]:
    """Return the blocks of a section."""
    return [
        f"## {section.title}",
        *section.paragraphs,
        *(f"**{t.caption}**\n\n{markdown_table(t)}" for t in section.tables),
        *(f"![{f.caption}]({figure_folder}/{f.key}.svg)" for f in section.figures),
    ]


def markdown_table(table: Table) -> str:
    """Return a table as Markdown, the best of each row in bold."""
    header = [table.corner, *map(str, table.texts.columns)]
    lines = [
        [str(name), *(f"**{text}**" if bold else text for text, bold in cells)]
        for name, cells in _marked(table)
    ]
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(
        "| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |"
        for line in [header, rule, *lines]
    )


def latex_table(table: Table) -> str:
    """Return a table as LaTeX, for the package booktabs."""
    header = [table.corner, *map(str, table.texts.columns)]
    lines = [
        rf"\caption{{{escape_latex(table.caption)}}}",
        rf"\label{{tab:{table.key.replace('_', '-')}}}",
        rf"\begin{{tabular}}{{l{'r' * table.texts.shape[1]}}}",
        r"\toprule",
        " & ".join(map(escape_latex, header)) + r" \\",
        r"\midrule",
    ]
    body = _marked(table)
    for i, (name, cells) in enumerate(body):
        if table.averages and i == len(body) - 1:
            lines.append(r"\midrule")
        texts = [
            rf"\textbf{{{_latex_number(text)}}}" if bold else _latex_number(text)
            for text, bold in cells
        ]
        lines.append(" & ".join([escape_latex(str(name)), *texts]) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([r"\begin{table}", r"\centering", *lines, r"\end{table}"]) + "\n"


def csv_table(table: Table) -> str:
    """Return a table's numbers as CSV."""
    return table.values.to_csv(
        index_label=table.corner, float_format="%.6g", lineterminator="\n"
    )


def _latex_number(text: str) -> str:
    """Return a cell for LaTeX."""
    return escape_latex(text).replace("±", r"$\pm$").replace("–", "--")


def _marked(table: Table) -> list[tuple[object, list[tuple[str, bool]]]]:
    """Return each row's name and cells with their marks."""
    best = table.best
    return [
        (
            name,
            [
                (str(text), best is not None and bool(best.iloc[i, j]))
                for j, text in enumerate(table.texts.iloc[i])
            ],
        )
        for i, name in enumerate(table.texts.index)
    ]
