"""Read KEEL files: a header of @attributes, then comma-separated rows."""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from .keel_syntax import (
    Attribute,
    KeelFormatError,
    parse_attribute,
    parse_number,
    split_fields,
)

MISSING = frozenset({"?", "<null>"})
# Beyond 2^53 a float no longer tells neighbouring integers apart.
_LARGEST_LABEL = 2.0**53


def read_keel(
    file: str | os.PathLike[str] | IO[Any],
    *,
    target: str | Literal[False] | None = None,
) -> Bunch:
    """Read a KEEL data file.

    Understands ``integer``, ``real`` and ``{a, b}`` attributes with or without
    ranges, ``@inputs``/``@outputs`` (when missing, the last attribute is the class),
    missing values (``?``, ``<null>``), comments (``%``), any line ending and
    capitalisation of keywords, rows separated by commas or by blanks, and fields in
    quotes.

    Parameters
    ----------
    file : path or open file
        What to read.
    target : str, False or None
        The attribute to predict instead of the declared output; all others are then
        inputs. With False the file has no class: every attribute is an input.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame: numeric columns as float64, nominal ones as categories),
        ``target`` (array), ``numeric`` and ``nominal`` (lists of columns), ``name``
        (the relation's), ``target_name``, ``ranges`` (declared range per numeric
        column).

    Raises
    ------
    KeelFormatError
        With the line number, when the file is not a well-formed KEEL file.

    Warns
    -----
    UserWarning
        When values lie outside the declared range; they are kept as they are.

    Examples
    --------
    >>> import io
    >>> bunch = read_keel(io.StringIO('''@relation toy
    ... @attribute size real [0, 9]
    ... @attribute colour {red, blue}
    ... @attribute class {yes, no}
    ... @data
    ... 1.5, red, yes
    ... ?, blue, no'''))
    >>> bunch.numeric, bunch.nominal, bunch.target.tolist()
    (['size'], ['colour'], ['yes', 'no'])
    """
    content: str | bytes
    if isinstance(file, (str, os.PathLike)):
        content, source = Path(file).read_bytes(), os.fspath(file)
    else:
        content, source = file.read(), str(getattr(file, "name", "KEEL file"))
    text = decode(content) if isinstance(content, bytes) else content
    bunch, remarks = parse_keel(text.removeprefix("\ufeff"), source, target=target)
    for remark in remarks:
        warnings.warn(remark, UserWarning, stacklevel=2)
    return bunch


def decode(content: bytes) -> str:
    """Return the text of a file; older KEEL and ARFF files are Latin-1."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def parse_keel(
    text: str, source: str, *, target: str | Literal[False] | None = None
) -> tuple[Bunch, list[str]]:
    """Return what :func:`read_keel` does, and its remarks on values out of range."""
    reader = _Reader(source)
    # Not str.splitlines: it also breaks at characters that may stand in a value.
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        reader.feed(number, line.strip())
    if not reader.in_data:
        raise reader.error("no @data line; is this a KEEL file?")
    if not reader.rows:
        raise reader.error("no rows after @data")
    inputs, output = reader.roles_of(target)
    if not inputs:
        raise reader.error("no input attributes beside the class")
    columns: dict[str, Any] = {}
    for attribute in inputs:
        values = reader.column(attribute)
        columns[attribute.name] = (
            pd.Categorical(values, categories=attribute.values)
            if attribute.kind == "nominal"
            else np.array(values, dtype=np.float64)
        )
    bunch = Bunch(
        data=pd.DataFrame(columns),
        target=None if output is None else reader.labels(output),
        numeric=[a.name for a in inputs if a.kind != "nominal"],
        nominal=[a.name for a in inputs if a.kind == "nominal"],
        name=reader.relation or Path(source).stem,
        target_name=None if output is None else output.name,
        ranges={a.name: a.bounds for a in inputs if a.bounds is not None},
    )
    return bunch, reader.remarks


class _Reader:
    """The state of one reading: the header so far, and the rows."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.relation: str | None = None
        self.attributes: dict[str, Attribute] = {}
        self.roles: dict[str, tuple[int, list[str]]] = {}  # inputs, outputs
        self.rows: list[list[str]] = []
        self.row_lines: list[int] = []
        self.in_data = False
        self.remarks: list[str] = []

    def error(self, message: str, line: int | None = None) -> KeelFormatError:
        """Return the error to raise, with its place in the file."""
        return KeelFormatError(message, self.source, line)

    def feed(self, line: int, text: str) -> None:
        """Take in one line of the file."""
        if not text or text.startswith("%"):
            return
        if not self.in_data:
            try:
                self._add_header(line, text)
            except KeelFormatError:
                raise
            except ValueError as problem:
                raise self.error(str(problem), line) from None
            return
        # Files in the wild separate by "," or ", ", a few by blanks or tabs alone.
        cells = split_fields(text) if "," in text else text.split()
        if len(cells) != len(self.attributes):
            raise self.error(
                f"{len(cells)} values, but the header declares "
                f"{len(self.attributes)} attributes",
                line,
            )
        if "" in cells:
            name = list(self.attributes)[cells.index("")]
            raise self.error(
                f"the value of {name!r} is empty; a missing value is written ?", line
            )
        self.rows.append(cells)
        self.row_lines.append(line)

    def _add_header(self, line: int, text: str) -> None:
        """Take in a line of the header; raises a ValueError on what is wrong."""
        if not text.startswith("@"):
            raise ValueError(
                f"expected a line that starts with @ before @data, found {text[:40]!r}"
            )
        keyword, content = [*text[1:].split(maxsplit=1), "", ""][:2]
        keyword = keyword.lower()
        if keyword == "relation":
            self.relation = content.strip("'\"")
        elif keyword == "attribute":
            attribute = parse_attribute(content)
            if attribute.name in self.attributes:
                raise ValueError(f"attribute {attribute.name!r} is declared twice")
            self.attributes[attribute.name] = attribute
        elif keyword in ("input", "inputs", "output", "outputs"):
            role = keyword.rstrip("s") + "s"
            if role in self.roles:
                raise ValueError(f"@{role} is given a second time")
            self.roles[role] = (line, split_fields(content))
        elif keyword == "data":
            if not self.attributes:
                raise ValueError("@data comes before any @attribute")
            self.in_data = True
        else:
            raise ValueError(
                f"unknown keyword @{keyword[:40]}; KEEL has @relation, @attribute, "
                "@inputs, @outputs and @data"
            )

    def roles_of(
        self, target: str | Literal[False] | None
    ) -> tuple[list[Attribute], Attribute | None]:
        """Return inputs (in the file's order) and output."""
        everything = list(self.attributes.values())
        if target is False:
            return everything, None
        if target is not None:
            if target not in self.attributes:
                raise self.error(
                    f"there is no attribute {target!r}; it has "
                    f"{', '.join(self.attributes)[:300]}"
                )
            output = self.attributes[target]
            return [a for a in everything if a is not output], output
        inputs, outputs = self._named("inputs"), self._named("outputs")
        if outputs is None:
            outputs = [a for a in everything if a not in (inputs or everything[:-1])]
        if len(outputs) != 1:
            raise self.error(
                f"{len(outputs)} output attributes; a classification file has one "
                "(choose one with target=)"
            )
        output = outputs[0]
        if inputs is not None and output in inputs:
            line, _ = self.roles["inputs"]
            raise self.error(f"{output.name!r} is both input and output", line)
        taken = everything if inputs is None else inputs
        return [a for a in everything if a in taken and a is not output], output

    def _named(self, role: str) -> list[Attribute] | None:
        """Return the attributes an @inputs or @outputs line names."""
        if role not in self.roles:
            return None
        line, names = self.roles[role]
        known = {name.lower(): a for name, a in self.attributes.items()}
        known |= self.attributes  # two may differ in capitals alone
        for name in names:
            if name not in known and name.lower() not in known:
                raise self.error(f"@{role} names {name[:40]!r}, no attribute", line)
        return [known.get(name) or known[name.lower()] for name in names]

    def column(self, attribute: Attribute) -> list[Any]:
        """Return the checked values of one attribute: str, float or None per row."""
        index = list(self.attributes).index(attribute.name)
        allowed, kind = set(attribute.values), attribute.kind
        low, high = attribute.bounds or (-np.inf, np.inf)
        values: list[Any] = []
        outside: list[int] = []
        for line, row in zip(self.row_lines, self.rows, strict=True):
            cell = row[index]
            if cell in allowed:  # before "?", which may be a declared value
                values.append(cell)
                continue
            if cell.lower() in MISSING:
                values.append(None)
                continue
            value = parse_number(cell) if kind != "nominal" else None
            if value is None or (kind == "integer" and value % 1):
                what = "declared value" if kind == "nominal" else "value"
                of = "" if kind == "nominal" else f"the {kind} attribute "
                raise self.error(
                    f"{cell[:40]!r} is not a {what} of {of}{attribute.name!r}", line
                )
            if not low <= value <= high:
                outside.append(line)
            values.append(value)
        if outside:
            self.remarks.append(
                f"{self.source}: {len(outside)} values of {attribute.name!r} lie "
                f"outside its declared range [{low:g}, {high:g}], the first in line "
                f"{outside[0]}; they are kept as they are."
            )
        return values

    def labels(self, output: Attribute) -> np.ndarray:
        """Return the class of every row: text, or numbers for a numeric attribute."""
        values = self.column(output)
        if None in values:
            line = self.row_lines[values.index(None)]
            raise self.error(f"the class {output.name!r} is missing", line)
        if output.kind == "nominal":
            return np.array(values, dtype=np.str_)
        numbers = np.array(values, dtype=np.float64)
        if output.kind == "real":
            return numbers
        if np.abs(numbers).max() > _LARGEST_LABEL:
            line = self.row_lines[int(np.abs(numbers).argmax())]
            raise self.error(f"the class {output.name!r} is too large a number", line)
        return numbers.astype(np.int64)
