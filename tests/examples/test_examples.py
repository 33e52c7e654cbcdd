"""Every example runs, and draws; so does the notebook."""

import contextlib
import io
import runpy
from pathlib import Path

import gallery
import pytest
import tour_notebook

plt = pytest.importorskip("matplotlib.pyplot")

ROOT = Path(__file__).parents[2]
TOUR = ROOT / "examples" / "plot_tour.py"
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))


def test_the_examples_are_found_and_listed_on_the_site():
    pages = (ROOT / "mkdocs.yml").read_text("utf-8")
    for path in EXAMPLES:
        assert f"{path.stem.removeprefix('plot_')}.md" in pages
    assert TOUR in EXAMPLES


@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path != TOUR], ids=lambda path: path.stem
)
def test_the_example_runs_and_draws(path, monkeypatch, capsys):
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.extend(plt.get_fignums()))
    runpy.run_path(str(path), run_name="__main__")
    for number in shown:
        plt.figure(number).canvas.draw()
    assert shown
    assert capsys.readouterr().out


def test_the_notebook_is_the_tour_and_prints_what_it_shows():
    nbformat = pytest.importorskip("nbformat")
    book = nbformat.read(tour_notebook.NOTEBOOK, as_version=4)
    nbformat.validate(book)
    sources = tour_notebook.cell_sources(gallery.read_cells(TOUR))
    assert [(cell.cell_type, cell.source) for cell in book.cells] == sources
    same = book.metadata["versions"] == tour_notebook.versions()
    space = {"__name__": "__main__"}
    drawn = 0
    for cell in book.cells:
        if cell.cell_type != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(cell.source, "tour.ipynb", "exec"), space)
        stored = "".join(
            out.text for out in cell.outputs if out.get("name") == "stdout"
        )
        assert printed.getvalue().count("\n") == stored.count("\n")
        assert printed.getvalue() == stored or not same
        drawn += sum(out.output_type == "display_data" for out in cell.outputs)
    assert drawn == len(plt.get_fignums())
