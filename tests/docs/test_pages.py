"""Every code block of the documentation runs, and prints what stands below it."""

import importlib
import os
import pkgutil
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import short_results
from page_outputs import PAGES, blocks, folder_of_pages, is_shown, run_page

import isvmde

ROOT = Path(__file__).parents[2]


IS_OLD_NUMPY = int(np.__version__.partition(".")[0]) < 2
DECIMAL = re.compile(r"-?\d+(?:\.(\d+)|(?=%))")  # or a whole percentage


def with_close_numbers(shown, printed):
    """Return what is shown, with printed numbers where they are nearly the same.

    The pages are printed with NumPy 2. Version 1 adds in another order, and the solver
    ends on another path: a decimal or a percentage may differ by a hundredth of itself
    or by one in its last digit.
    """
    new = [match.group() for match in DECIMAL.finditer(printed)]
    if len(new) != len(DECIMAL.findall(shown)):
        return shown
    following = iter(new)

    def replace(match):
        number, digits = next(following), len(match.group(1) or "")
        difference = abs(float(number) - float(match.group()))
        is_close = difference <= max(
            0.01 * abs(float(number)), 1.001 * 10.0 ** (-digits)
        )
        return number if is_close else match.group()

    return DECIMAL.sub(replace, shown)


def with_code(*languages):
    pages = [page for page in PAGES if any(b[0] in languages for b in blocks(page))]
    return pytest.mark.parametrize("path", pages, ids=[page.stem for page in pages])


@with_code("python", "console")
def test_code_runs_and_prints_what_is_shown(path):
    for optional in ("matplotlib", "skl2onnx", "click", "skops"):
        pytest.importorskip(optional)
    with folder_of_pages():
        for shown, printed in run_page(path):
            expected = with_close_numbers(shown, printed) if IS_OLD_NUMPY else shown
            assert is_shown(printed, expected), f"shown:\n{shown}\nprinted:\n{printed}"


def test_what_is_no_longer_close_or_no_number_is_told():
    shown = "a 0.50 12 -3.1"
    assert with_close_numbers(shown, "a 0.51 12 -3.12") == "a 0.51 12 -3.12"
    assert with_close_numbers(shown, "a 0.53 12 -3.1") == shown
    assert with_close_numbers(shown, "a 0.50 13 -3.1") == shown
    assert with_close_numbers(shown, "a 0.50 12") == shown
    assert with_close_numbers("min 41%, 3", "min 42%, 3") == "min 42%, 3"
    assert with_close_numbers("min 41%, 3", "min 43%, 3") == "min 41%, 3"


@with_code("bash")
def test_commands_exist_with_their_options(path):
    click = pytest.importorskip("click")
    from isvmde.cli import app

    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for language, _, content in blocks(path):
        for line in content.splitlines() if language == "bash" else []:
            program, *words = shlex.split(line, comments=True)
            if program == "isvmde":
                with click.Context(app) as parent:
                    command = app.get_command(parent, words[0])
                    command.make_context(words[0], words[1:], parent=parent)
            elif program == "make":
                assert set(words) <= set(targets)
            else:
                assert program in ("pip", "git", "cd", "python")


def test_links_between_pages_lead_somewhere():
    names = {page.stem for page in (ROOT / "examples").glob("plot_*.py")}
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text("utf-8")):
            if target.startswith("http"):
                continue
            example = re.fullmatch(r"(?:examples/(\w+)|(tour))\.md", target)
            if example:
                assert f"plot_{example[1] or example[2]}" in names
            else:
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_item_of_a_list_begins_a_line():
    """Text that is filled anew can swallow the next item: "... so. - The next ..."."""
    for page in PAGES:
        prose = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
        swallowed = re.findall(r"[.!?:)] -\s+[^\s|-].{0,30}", prose)
        assert not swallowed, f"{page.name}: {swallowed}"


def test_public_names_are_in_the_reference():
    """Modules with ``__all__`` are on a page of the reference as a whole."""
    pages = "".join(p.read_text("utf-8") for p in (ROOT / "docs/api").glob("*.md"))
    for name in (name for name in isvmde.__all__ if name != "__version__"):
        assert f"::: isvmde.{name}\n" in pages
    for module in pkgutil.iter_modules(isvmde.__path__, "isvmde."):
        if module.name in ("isvmde.__main__", "isvmde.cli"):
            continue
        if hasattr(importlib.import_module(module.name), "__all__"):
            assert f"::: {module.name}\n" in pages, module.name


def test_the_short_table_is_that_of_the_results():
    parts = short_results.read_parts(ROOT / "results")
    table = short_results.make_table(parts)
    for name in short_results.PAGES:
        page = (ROOT / name).read_text("utf-8")
        assert short_results.fill(page, table) == page, f"{name}: run `make results`"
        assert table in page


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="unshare is a Linux command")
def test_the_site_builds_without_network_and_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs")
    alone = ["unshare", "--net", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*alone, "true"]).returncode:
        alone = []
    command = [*alone, sys.executable, "-m", "mkdocs", "build", "--strict"]
    done = subprocess.run(
        [*command, "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},  # the theme's own notice
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    for page in tmp_path.rglob("*.html"):
        fetched = r'(?:src|<link[^>]*href)="(?:https?:)?//'
        assert not re.search(fetched, page.read_text("utf-8")), page
    if browser := shutil.which("chromium") or shutil.which("google-chrome"):
        options = "--headless --no-sandbox --disable-gpu --virtual-time-budget=20000"
        address = f"file://{tmp_path}/index.html?q=margin"
        shown = subprocess.run(
            [browser, *options.split(), "--dump-dom", address],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
        assert "matching documents" in shown  # the search box works from a folder
