"""Read KEEL files: a header of @attributes, then comma-separated rows."""

from __future__ import annotations

import math
import os
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

MISSING = frozenset({"?", "<null>"})

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_FIELD = re.compile(r"""\s*(?:'([^']*)'|"([^"]*)"|([^,]*?))\s*(?:,|$)""")
_ATTRIBUTE = re.compile(r"""(?:'([^']+)'|"([^"]+)"|([^\s{'"][^\s{]*))\s*(.*)""")
_KINDS = {"integer": "integer", "real": "real", "numeric": "real"}


class KeelFormatError(ValueError):
    """A KEEL file that cannot be read; the message names the file and the line.

    Parameters
    ----------
    message : str
        What is wrong and what to do.
    source : str
        Name of the file.
    line : int or None
        Number of the line, counted from 1; None when the whole file is meant.

    Examples
    --------
    >>> str(KeelFormatError("3 values, but 4 attributes", "my.dat", 7))
    'my.dat, line 7: 3 values, but 4 attributes'
    """

    def __init__(self, message: str, source: str, line: int | None = None) -> None:
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {message}")
        self.line = line


@dataclass
class _Attribute:
    """One @attribute line."""

    name: str
    kind: str  # "integer", "real" or "nominal"
    values: list[str] = field(default_factory=list)  # of a nominal attribute
    bounds: tuple[float, float] | None = None  # of a numeric one
    line: int = 0


class _Reader:
    """The state of one reading: the header so far, and the rows."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.relation: str | None = None
        self.attributes: list[_Attribute] = []
        self.roles: dict[str, tuple[int, list[str]]] = {}  # inputs/outputs
        self.rows: list[list[str | None]] = []
        self.row_lines: list[int] = []
        self.in_data = False

    def fail(self, message: str, line: int | None = None) -> KeelFormatError:
        """Return the error to raise, with its place in the file."""
        return KeelFormatError(message, self.source, line)

    def feed(self, line: int, text: str) -> None:
        """Take in one line of the file."""
        text = text.strip()
        if not text or text.startswith("%"):
            return
        if self.in_data:
            self._add_row(line, text)
        elif text.startswith("@"):
            self._add_header(line, text)
        else:
            raise self.fail(
                f"expected a line that starts with @ before @data, found {text[:40]!r}",
                line,
            )

    def _add_header(self, line: int, text: str) -> None:
        keyword, _, rest = text[1:].replace("\t", " ").partition(" ")
        keyword, rest = keyword.lower(), rest.strip()
        if keyword == "relation":
            self.relation = rest.strip("'\"")
        elif keyword == "attribute":
            self.attributes.append(self._attribute(line, rest))
        elif keyword in ("input", "inputs", "output", "outputs"):
            role = keyword.rstrip("s") + "s"
            if role in self.roles:
                raise self.fail(f"@{role} is given a second time", line)
            self.roles[role] = (line, _split(rest))
        elif keyword == "data":
            if not self.attributes:
                raise self.fail("@data comes before any @attribute", line)
            self.in_data = True
        else:
            raise self.fail(
                f"unknown keyword @{keyword[:40]}; KEEL has @relation, @attribute, "
                "@inputs, @outputs and @data",
                line,
            )

    def _attribute(self, line: int, text: str) -> _Attribute:
        """Read `name {a, b}`, `name real`, `name integer [0, 3]` and the like."""
        match = _ATTRIBUTE.fullmatch(text)
        if not match:
            raise self.fail("@attribute needs a name and a type", line)
        name = next(group for group in match.groups()[:3] if group)
        declared = match[4]
        if any(other.name == name for other in self.attributes):
            raise self.fail(f"attribute {name!r} is declared twice", line)
        if declared.startswith("{"):
            if not declared.endswith("}"):
                raise self.fail(f"the values of {name!r} do not end with }}", line)
            # KEEL's own fars.dat lists a value twice: keep the first.
            values = list(dict.fromkeys(_split(declared[1:-1])))
            if not values or "" in values:
                raise self.fail(f"{name!r} has no values or an empty one", line)
            return _Attribute(name, "nominal", values, line=line)
        word, bracket, bounds = declared.partition("[")
        kind = _KINDS.get(word.strip().lower())
        if kind is None:
            raise self.fail(
                f"type {declared[:40]!r} of attribute {name!r} is not integer, real or "
                "{a list of values}",
                line,
            )
        attribute = _Attribute(name, kind, line=line)
        if bracket:
            ends = [_number(end) for end in bounds.rstrip().rstrip("]").split(",")]
            if not bounds.rstrip().endswith("]") or len(ends) != 2:
                raise self.fail(f"the range of {name!r} is not [low, high]", line)
            low, high = ends
            if low is None or high is None or low > high:
                raise self.fail(f"the range of {name!r} is not [low, high]", line)
            attribute.bounds = (low, high)
        return attribute

    def _add_row(self, line: int, text: str) -> None:
        # Files in the wild separate by "," or ", ", a few by blanks or tabs alone.
        cells = _split(text) if "," in text else text.split()
        if len(cells) != len(self.attributes):
            raise self.fail(
                f"{len(cells)} values, but the header declares "
                f"{len(self.attributes)} attributes",
                line,
            )
        for cell, attribute in zip(cells, self.attributes, strict=True):
            if not cell:
                raise self.fail(
                    f"the value of {attribute.name!r} is empty; "
                    "a missing value is written ?",
                    line,
                )
        self.rows.append([None if c.lower() in MISSING else c for c in cells])
        self.row_lines.append(line)

    def target(self) -> _Attribute:
        """Return the output: of @outputs, or not in @inputs, or the last attribute."""
        by_name = {attribute.name: attribute for attribute in self.attributes}
        folded = {name.lower(): name for name in by_name}
        for role, (line, names) in self.roles.items():
            for i, name in enumerate(names):
                if name not in by_name and name.lower() not in folded:
                    raise self.fail(f"@{role} names {name!r}, no attribute", line)
                names[i] = name if name in by_name else folded[name.lower()]
        if "outputs" in self.roles:
            line, names = self.roles["outputs"]
        elif "inputs" in self.roles:
            line, inputs = self.roles["inputs"]
            names = [name for name in by_name if name not in inputs]
        else:
            line, names = self.attributes[-1].line, [self.attributes[-1].name]
        if len(names) != 1:
            raise self.fail(
                f"{len(names)} outputs {names[:5]}; a classification file has one", line
            )
        return by_name[names[0]]

    def inputs(self, target: _Attribute) -> list[_Attribute]:
        """Return the inputs in the file's order: of @inputs, or all but the target."""
        if "inputs" in self.roles:
            line, names = self.roles["inputs"]
            if target.name in names:
                raise self.fail(f"{target.name!r} is both input and output", line)
            return [a for a in self.attributes if a.name in names]
        return [a for a in self.attributes if a is not target]

    def column(self, attribute: _Attribute) -> list[Any]:
        """Return the checked values of one attribute: str, float or None per row."""
        index = self.attributes.index(attribute)
        cells = [row[index] for row in self.rows]
        if attribute.kind == "nominal":
            allowed = set(attribute.values)
            for line, cell in zip(self.row_lines, cells, strict=True):
                if cell is not None and cell not in allowed:
                    raise self.fail(
                        f"{cell[:40]!r} is not a declared value of {attribute.name!r}",
                        line,
                    )
            return cells
        numbers: list[float | None] = []
        for line, cell in zip(self.row_lines, cells, strict=True):
            number = None if cell is None else _number(cell)
            whole = attribute.kind == "real" or number is None or number % 1 == 0
            if cell is not None and (number is None or not whole):
                raise self.fail(
                    f"{cell[:40]!r} is not a value of the {attribute.kind} attribute "
                    f"{attribute.name!r}",
                    line,
                )
            numbers.append(number)
        self._warn_out_of_range(attribute, numbers)
        return numbers

    def _warn_out_of_range(
        self, attribute: _Attribute, numbers: list[float | None]
    ) -> None:
        """Say when values leave the declared range; the values are kept."""
        if attribute.bounds is None:
            return
        low, high = attribute.bounds
        outside = [
            line
            for line, number in zip(self.row_lines, numbers, strict=True)
            if number is not None and not low <= number <= high
        ]
        if outside:
            warnings.warn(
                f"{self.source}: {len(outside)} values of {attribute.name!r} lie "
                f"outside its declared range [{low:g}, {high:g}], the first in line "
                f"{outside[0]}; they are kept as they are.",
                UserWarning,
                stacklevel=5,
            )


def _split(text: str) -> list[str]:
    """Fields between commas, stripped; a field may stand in quotes."""
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")] if text.strip() else []
    fields, position = [], 0
    while True:
        match = _FIELD.match(text, position)
        if match is None:  # a quote that never ends: take the text as it stands
            return [part.strip() for part in text.split(",")]
        fields.append(next(group for group in match.groups() if group is not None))
        position = match.end()
        if position == len(text):
            return fields if not match[0].endswith(",") else [*fields, ""]


def _number(text: str) -> float | None:
    """Return the finite number a text spells, or None."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def _read_text(file: str | os.PathLike[str] | IO[Any]) -> tuple[str, str]:
    """Text and name of a path or an open file."""
    if hasattr(file, "read"):
        content = file.read()
        name = str(getattr(file, "name", "KEEL file"))
    else:
        name = os.fspath(file)
        content = Path(name).read_bytes()
    if isinstance(content, bytes):
        try:
            content = content.decode("utf-8-sig")
        except UnicodeDecodeError:  # older KEEL files
            content = content.decode("latin-1")
    return content.removeprefix("\ufeff"), name


def read_keel(file: str | os.PathLike[str] | IO[Any]) -> Bunch:
    """Read a KEEL data file.

    Understands ``integer``, ``real`` and ``{a, b}`` attributes with or without
    ranges, ``@inputs``/``@outputs`` (when missing, the last attribute is the class),
    missing values (``?``, ``<null>``), comments (``%``), any line ending and
    capitalisation of keywords, and fields in quotes.

    Parameters
    ----------
    file : path or open file
        What to read.

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
    text, source = _read_text(file)
    reader = _Reader(source)
    # Not str.splitlines: it also breaks at characters that may stand in a value.
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        reader.feed(number, line)
    if not reader.in_data:
        raise reader.fail("no @data line; is this a KEEL file?")
    if not reader.rows:
        raise reader.fail("no rows after @data")
    target = reader.target()
    inputs = reader.inputs(target)
    if not inputs:
        raise reader.fail("no input attributes beside the class")
    labels = reader.column(target)
    if None in labels:
        raise reader.fail("the class is missing", reader.row_lines[labels.index(None)])
    columns = {
        a.name: (
            pd.Categorical(reader.column(a), categories=a.values)
            if a.kind == "nominal"
            else np.array(reader.column(a), dtype=np.float64)
        )
        for a in inputs
    }
    kinds = {"nominal": np.str_, "integer": np.int64, "real": np.float64}
    try:
        y: np.ndarray = np.array(labels, dtype=kinds[target.kind])
    except OverflowError:
        raise reader.fail(f"a value of {target.name!r} is too large") from None
    return Bunch(
        data=pd.DataFrame(columns),
        target=y,
        numeric=[a.name for a in inputs if a.kind != "nominal"],
        nominal=[a.name for a in inputs if a.kind == "nominal"],
        name=reader.relation or Path(source).stem,
        target_name=target.name,
        ranges={a.name: a.bounds for a in inputs if a.bounds is not None},
    )
