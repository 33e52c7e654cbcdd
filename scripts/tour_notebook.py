"""Run the tour and write it as a notebook, with its output and its figures.

``python scripts/tour_notebook.py`` writes ``examples/tour.ipynb``.
"""

from __future__ import annotations

import base64
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gallery import EXAMPLES, Cell, read_cells, run_cells

SOURCE, NOTEBOOK = EXAMPLES / "plot_tour.py", EXAMPLES / "tour.ipynb"


def cell_sources(cells: list[Cell]) -> list[tuple[str, str]]:
    """Return kind and source of every cell of the notebook, text before its code."""
    sources: list[tuple[str, str]] = []
    for cell in cells:
        text = re.sub(r"\]\((\w[\w-]*\.md)", r"](../docs/\1", cell.text)
        sources += [("markdown", text), ("code", cell.code)]
    return sources


def versions() -> dict[str, str]:
    """Return what the last digits of a search depend on."""
    return {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")}


def make_notebook(cells: list[Cell]) -> Any:
    """Return the notebook of cells that have been run."""
    import nbformat

    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    book.metadata["versions"] = versions()
    for number, (kind, source) in enumerate(cell_sources(cells)):
        if kind == "markdown":
            made = nbformat.v4.new_markdown_cell(source)
        else:
            outputs = _outputs(cells[number // 2])
            count = number // 2 + 1
            made = nbformat.v4.new_code_cell(
                source, outputs=outputs, execution_count=count
            )
        made["id"] = f"cell-{number}"
        book.cells.append(made)
    return book


def _outputs(cell: Cell) -> list[Any]:
    """Return what running a cell showed."""
    import nbformat

    shown: list[Any] = []
    if cell.output:
        text = cell.output + "\n"
        shown.append(nbformat.v4.new_output("stream", name="stdout", text=text))
    for png in cell.figures:
        picture = {"image/png": base64.b64encode(png).decode()}
        shown.append(nbformat.v4.new_output("display_data", data=picture))
    return shown


def main() -> None:
    """Write the notebook."""
    import nbformat

    cells = read_cells(SOURCE)
    run_cells(cells, str(SOURCE))
    nbformat.write(make_notebook(cells), NOTEBOOK)
    print(Path(NOTEBOOK).relative_to(EXAMPLES.parent))


if __name__ == "__main__":
    main()
