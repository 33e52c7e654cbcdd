"""The parts of a report before it is written, and the templates that write them."""

import functools
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from isvmde.escaping import for_markdown, printable

_WORDS = "no,one,two,three,four,five,six,seven,eight,nine,ten"
_LONGEST_SLUG = 60  # names of files have at most 255 bytes
_LATEX = (
    {c: "\\" + c for c in "&%$#_{}"}
    | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"\\": r"\textbackslash{}", "<": r"\textless{}", ">": r"\textgreater{}"}
    | {"–": "--", "−": "$-$", "±": r"$\pm$", "×": r"$\times$", "²": "$^2$"}
    | {"≥": r"$\ge$", "≤": r"$\le$", "√": r"$\surd$"}
    | {"λ": r"$\lambda$", "κ": r"$\kappa$", "τ": r"$\tau$"}
)


@dataclass(frozen=True)
class Column:
    """A column of a table whose columns differ in form: its title, its format."""

    title: str
    pattern: str = "{:.2f}"


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
    class_sizes: dict[str, list[int]] | None = None  # small bars at the end of a row
    in_latex: bool = True
    is_markdown: bool = False  # the texts have their own marks and line breaks

    @property
    def header(self) -> list[str]:
        """The headings of all columns."""
        headings = [str(self.values.index.name or "data set")]
        headings.extend(str(column) for column in self.texts.columns)
        return headings

    @property
    def lines(self) -> list[list[str]]:
        """The texts of each row, its name first."""
        return [list(map(str, line)) for line in self.texts.itertuples(name=None)]

    def is_best(self, row: int, column: int) -> bool:
        """Whether a cell is to be bold; column 0 holds the names."""
        if self.best is None or column == 0:
            return False
        return bool(self.best.iloc[row, column - 1])

    def to_markdown(self) -> str:
        """Return the table as Markdown, the best in bold."""
        lines = [[for_markdown(name) for name in self.header]]
        for i, line in enumerate(self.lines):
            texts = line if self.is_markdown else [for_markdown(text) for text in line]
            for j, text in enumerate(texts):
                if self.is_best(i, j):
                    texts[j] = f"**{text}**"
            lines.append(texts)
        n_columns = len(self.header)
        widths = [max(len(line[j]) for line in lines) for j in range(n_columns)]
        written = []
        for line in lines:
            cells = [
                text.rjust(width) for text, width in zip(line, widths, strict=True)
            ]
            cells[0] = line[0].ljust(widths[0])
            written.append(f"| {' | '.join(cells)} |")
        rules = [f"-{'-' * width}:" for width in widths]  # numbers: to the right
        rules[0] = f"-{'-' * widths[0]}-"
        written.insert(1, f"|{'|'.join(rules)}|")
        return "\n".join(written)

    def to_latex(self) -> str:
        """Return the table as LaTeX for the package booktabs, the best in bold."""
        return render("table.tex", table=self)

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
    paragraphs: list[str]
    tables: list[Table] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    details: list[tuple[str, list[Table]]] = field(default_factory=list)

    @property
    def all_tables(self) -> list[Table]:
        """Its tables, those of the details last."""
        return sum((tables for _, tables in self.details), self.tables)

    def show(
        self,
        key: str,
        caption: str,
        draw: Callable[..., Any],
        *data: Any,
        wide: bool = False,
    ) -> None:
        """Add a figure, drawn from `data` when the report is written."""
        self.figures.append(Figure(key, caption, functools.partial(draw, *data), wide))


def as_text(value: Any, pattern: str = "{:.2f}", gap: str = "–") -> str:
    """Return a number as text, a dash for a gap."""
    return gap if pd.isna(value) else pattern.format(value)


def printed(values: pd.DataFrame, columns: Sequence[Column]) -> pd.DataFrame:
    """Return numbers as texts; ``columns`` are those of the table, in their order."""
    titles = [column.title for column in columns]
    if titles != list(values.columns):
        raise ValueError(f"formats of {titles} for the columns {list(values.columns)}")
    texts = values.astype(object)
    for column in columns:
        texts[column.title] = values[column.title].map(
            functools.partial(as_text, pattern=column.pattern)
        )
    return texts


@functools.cache
def environment_for(*folders: Path) -> Any:
    """Return a jinja2 environment with our filters, for these folders and our own."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("reports need jinja2: install isvmde[bench]") from error
    searched = list(folders)
    searched.append(Path(__file__).parent / "templates")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(searched),
        autoescape=jinja2.select_autoescape(["html"], default=False),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.tests["gap"] = pd.isna
    signed, p = functools.partial(digits, sign="+"), "{:.2g}".format
    environment.filters |= {"names": names, "digits": digits, "signed": signed, "p": p}
    environment.filters |= {"number": number, "count": count, "latex": latex}
    environment.filters["markdown"] = for_markdown
    return environment


def render(template: str, **facts: Any) -> str:
    """Fill one of the report's templates."""
    return str(environment_for().get_template(template).render(**facts))


def prose(macro: str, **facts: Any) -> list[str]:
    """Return the paragraphs that a macro of ``prose.txt`` makes of named facts."""
    template = environment_for().get_template("prose.txt")
    text = str(getattr(template.module, macro)(**facts))
    paragraphs = (" ".join(block.split()) for block in text.split("\n\n"))
    return [paragraph for paragraph in paragraphs if paragraph]


def caption(macro: str, **facts: Any) -> str:
    """Return the caption that a macro of ``prose.txt`` makes of named facts."""
    return " ".join(prose(macro, **facts))


def names(words: Iterable[object]) -> str:
    """Join names for a sentence: a, b and c."""
    listed = [str(word) for word in words] or ["none"]
    if len(listed) == 1:
        return listed[0]
    return f"{', '.join(listed[:-1])} and {listed[-1]}"


def digits(value: float, places: int = 2, sign: str = "") -> str:
    """Return a number with this many decimals, never -0.00, a dash for a gap."""
    return "–" if pd.isna(value) else f"{round(value, places) + 0.0:{sign}.{places}f}"


def number(value: int) -> str:
    """Return a small number as a word."""
    return _WORDS.split(",")[value] if value <= 10 else f"{value:,}"


def count(value: int, noun: str) -> str:
    """Return a number with its noun: one fold, 15 folds."""
    return f"{number(value)} {noun if value == 1 else noun + 's'}"


def slug(name: object) -> str:
    """Return a name that is safe for a file and an address on a page; not unique."""
    text = "".join(c if c.isalnum() else "-" for c in str(name))
    return text[:_LONGEST_SLUG]


def make_keys_unique(sections: Iterable[Section]) -> None:
    """Give every table and figure a key, and so files, of its own.

    Keys that are alike are numbered: names that differ in a sign alone have the same
    slug, and some file systems take capitals for small letters.
    """
    sections = list(sections)
    all_tables = [table for section in sections for table in section.all_tables]
    all_figures = [figure for section in sections for figure in section.figures]
    _number_keys_alike(all_tables)
    _number_keys_alike(all_figures)


def _number_keys_alike(parts: "list[Table] | list[Figure]") -> None:
    """Put -2, -3 and so on behind keys that are already taken."""
    taken: set[str] = set()
    for part in parts:
        first, n = part.key, 1
        while _as_file_systems_see(part.key) in taken:
            n += 1
            part.key = f"{first}-{n}"
        taken.add(_as_file_systems_see(part.key))


def _as_file_systems_see(key: str) -> str:
    """Return a key without what some file systems do not tell apart."""
    return unicodedata.normalize("NFKC", key).casefold()


def latex(text: str) -> str:
    """Return a text for LaTeX: specials escaped, powers of ten as mathematics."""
    power = re.fullmatch(r"([+-]?[0-9.]+)e([+-]?[0-9]+)", text)
    if power:
        return rf"${power[1]} \times 10^{{{int(power[2])}}}$"
    return "".join(_LATEX.get(c, c) for c in printable(text))
