"""Run the code on the pages of the documentation; with ``--write`` refresh its output.

    python scripts/page_outputs.py            # which outputs are out of date
    python scripts/page_outputs.py --write    # put the new ones in their place

A block ``text title="Output"`` shows what the Python block above it prints. A block
``console`` holds commands after ``$ `` and what they show on a terminal. Three dots
stand for whatever comes in their place.
"""

from __future__ import annotations

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("[!_]*.md"))]
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_WIDTH = "88"


class Terminal(io.StringIO):
    """A stream that programs take for a terminal."""

    def isatty(self) -> bool:
        """Say that it is one."""
        return True


def blocks(path: Path) -> list[tuple[str, str, str]]:
    """Return every fenced block: language, rest of its first line, content."""
    return FENCE.findall(path.read_text(encoding="utf-8"))


def is_shown(printed: str, shown: str) -> bool:
    """Compare word by word; three dots stand for whatever comes in their place."""
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    return doctest.OutputChecker().check_output(f" {shown}", f" {printed}", options)


def run_page(path: Path) -> Iterator[tuple[str, str]]:
    """Run a page in the current folder; yield what it shows and what came out."""
    space = {"__name__": path.stem}
    printed = ""
    for language, rest, content in blocks(path):
        if language == "python":
            printed = _run_python(content, f"{path.name}: {content[:40]!r}", space)
        elif language == "text" and 'title="Output"' in rest:
            yield content, printed
        elif language == "console":
            yield content, _run_console(content)


def _run_python(code: str, name: str, space: dict[str, Any]) -> str:
    """Run a block of Python and return what it prints."""
    from isvmde.tables import TableWarning

    stream = io.StringIO()
    with contextlib.redirect_stdout(stream), warnings.catch_warnings():
        # The pages say that tables give such warnings; any other one is a mistake.
        warnings.simplefilter("ignore", TableWarning)
        exec(compile(code, name, "exec"), space)
    return stream.getvalue()


def _run_console(content: str) -> str:
    """Run the commands of a block one after the other, as on a terminal."""
    lines = []
    for part in re.split(r"^\$ ", content, flags=re.MULTILINE)[1:]:
        command, _, _ = part.partition("\n")
        lines.append(f"$ {command}\n{_run_in_terminal(shlex.split(command))}")
    return "".join(lines)


def _run_in_terminal(words: list[str]) -> str:
    """Run a command in this process; return what a person would see."""
    from isvmde.__main__ import main as isvmde

    screen, beside = Terminal(), io.StringIO()
    beside.write = screen.write  # type: ignore[method-assign]  # messages, unframed
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(beside):
        if words[0] == "isvmde":
            isvmde(words[1:])
        elif words[0] == "head":
            text = Path(words[-1]).read_text(encoding="utf-8", errors="replace")
            print("\n".join(text.splitlines()[: int(words[1].lstrip("-n"))]))
        else:
            raise ValueError(f"{words[0]} is not a program that pages may run")
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue())
    text = re.sub(r".*\d folds, \d+ running.*\n", "", text)  # progress, overwritten
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())


@contextlib.contextmanager
def folder_of_pages() -> Iterator[None]:
    """Work in a new folder with the files of docs/data, at the width of a page.

    They are there by their names alone, and below ``docs/data`` as in a clone.
    """
    before, width = Path.cwd(), os.environ.get("COLUMNS")
    with tempfile.TemporaryDirectory() as folder:
        for place in (Path(folder), Path(folder, "docs/data")):
            shutil.copytree(ROOT / "docs/data", place, dirs_exist_ok=True)
        os.chdir(folder)
        os.environ["COLUMNS"] = _WIDTH
        try:
            yield
        finally:
            os.chdir(before)
            os.environ.pop("COLUMNS")
            if width is not None:
                os.environ["COLUMNS"] = width


def main() -> int:
    """Name the pages whose output is out of date; refresh it if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    parser.add_argument("pages", nargs="*", type=Path, default=PAGES)
    options = parser.parse_args()
    os.environ.setdefault("MPLBACKEND", "Agg")
    stale = 0
    for path in map(Path.resolve, options.pages):
        page = path.read_text(encoding="utf-8")
        with folder_of_pages():
            for shown, printed in run_page(path):
                if not is_shown(printed, shown):
                    stale += 1
                    print(f"{path.relative_to(ROOT)}: shown\n{shown}printed\n{printed}")
                    # seconds differ from run to run
                    new = re.sub(r"\b\d+(\.\d+)? s\b", "... s", printed)
                    if "s/fit" in new:
                        new = re.sub(r"(?m)(±.*) [\d.]+$", r"\1 ...", new)
                    page = page.replace(f"\n{shown}```", f"\n{new}```", 1)
        if options.write:
            path.write_text(page, encoding="utf-8")
    return 0 if options.write else min(stale, 1)


if __name__ == "__main__":
    sys.exit(main())
