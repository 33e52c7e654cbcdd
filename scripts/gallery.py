"""MkDocs hook: runs the examples and makes a page of each, with output and figures.

A ``# %%`` line begins a cell; the comment below it is the text above the cell's code.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass
class Cell:
    """A text, the code below it, and what running it showed."""

    text: str
    code: str
    output: str = ""
    figures: list[bytes] = field(default_factory=list)


def read_cells(path: Path) -> list[Cell]:
    """Split an example: its docstring, then a cell per ``# %%``."""
    source = path.read_text(encoding="utf-8")
    _, head, rest = source.split('"""', 2)
    first, *others = re.split(r"^# %%\n", rest, flags=re.MULTILINE)
    cells = [Cell(head.strip(), first.strip())]
    for part in others:
        comment = re.match(r"(?:#.*\n)*", part)
        lines = comment.group().splitlines() if comment else []
        text = "\n".join(line.removeprefix("#").strip() for line in lines)
        cells.append(Cell(text, part[comment.end() if comment else 0 :].strip()))
    return cells


def run_cells(cells: list[Cell], name: str) -> None:
    """Run the cells one after the other; keep what they print and draw."""
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")
    plt.show = lambda: None
    space: dict[str, Any] = {"__name__": "__main__"}
    for cell in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(cell.code, name, "exec"), space)
        cell.output = printed.getvalue().rstrip()
        for number in plt.get_fignums():
            png = io.BytesIO()
            plt.figure(number).savefig(png, dpi=110, metadata={"Software": None})
            cell.figures.append(png.getvalue())
        plt.close("all")


def make_page(cells: list[Cell], name: str) -> tuple[str, dict[str, bytes]]:
    """Return a page in Markdown and its figures by file name."""
    parts: list[str] = []
    figures: dict[str, bytes] = {}
    for cell in cells:
        parts += [cell.text, f"```python\n{cell.code}\n```"]
        if cell.output:
            parts.append(f'```text title="Output"\n{cell.output}\n```')
        for png in cell.figures:
            file = f"{name}_{len(figures) + 1}.png"
            figures[file] = png
            parts.append(f"![Figure {len(figures)} of this example]({file})")
    return "\n\n".join(parts) + "\n", figures


def on_files(files: Any, *, config: Any) -> Any:
    """Add a page per example to the site."""
    from mkdocs.structure.files import File

    for path in sorted(EXAMPLES.glob("plot_*.py")):
        name = path.stem.removeprefix("plot_")
        folder = "" if name == "tour" else "examples/"  # the tour is a page of its own
        cells = read_cells(path)
        run_cells(cells, str(path))
        page, figures = make_page(cells, name)
        files.append(File.generated(config, f"{folder}{name}.md", content=page))
        for file, png in figures.items():
            files.append(File.generated(config, f"{folder}{file}", content=png))
    return files
