"""Read KEEL and ARFF files: a header of @attributes, then comma-separated rows."""

import math
import os
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

_MISSING = ("?", "<null>")
_WITH_ARTICLE = {"integer": "an integer", "real": "a real"}
_LARGEST_LABEL = 2.0**53  # beyond it a float does not tell neighbouring integers apart
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Only a quote that ends the field encloses it: 5'more is a plain value.
_FIELD = re.compile(r"""\s*(?:'([^']*)'\s*|"([^"]*)"\s*|([^,]*)),""")
_ATTRIBUTE = re.compile(
    r"""(?:'([^']+)'|"([^"]+)"|([^\s{'"][^\s{]*))\s*  # the name
    (?:{(.*)}|(integer|real|numeric)\s*(?:\[.*\])?)  # values, or type and range""",
    re.IGNORECASE | re.VERBOSE,
)


class KeelFormatError(ValueError):
    """A KEEL file that cannot be read; the message names it, and perhaps a ``line``."""

    def __init__(self, message: str, source: str, line: int | None = None) -> None:
        where = source if line is None else f"{source}, line {line}"
        super().__init__(f"{where}: {message}")
        self.line = line


def read_keel(
    file: str | os.PathLike[str] | IO[Any], *, target: str | None = None
) -> Bunch:
    """Read a KEEL data file.

    Understands ``integer``, ``real`` and ``{a, b}`` attributes, ``@inputs`` and
    ``@outputs`` (the last attribute by default), missing values (``?``, ``<null>``),
    comments (``%``), rows separated by commas or blanks, and fields in quotes. Other
    files are refused with a :class:`KeelFormatError`.

    Parameters
    ----------
    file : path or open file
        What to read.
    target : str, optional
        The attribute to predict, not the declared output; all others are inputs.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame: numeric columns as float64, nominal ones as categories),
        ``target`` (array), ``numeric`` and ``nominal`` (lists of columns), ``name``
        (the relation's), ``target_name``.

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
    if isinstance(file, (str, os.PathLike)):
        return KeelFile(Path(file).read_bytes(), os.fspath(file)).make_bunch(target)
    name = str(getattr(file, "name", "KEEL file"))
    return KeelFile(file.read(), name).make_bunch(target)


class KeelFile:
    """The attributes and cells of a file."""

    def __init__(self, content: str | bytes, source: str) -> None:
        self.source = source
        self.relation = ""
        self.attributes: dict[str, str | list[str]] = {}  # "integer", "real", or values
        self.roles: dict[str, list[str]] = {}  # "inputs" and "outputs", where given
        rows = {}
        in_data = False
        text = content if isinstance(content, str) else _decode(content)
        # Not str.splitlines: it also breaks at characters that may stand in a value.
        lines = re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff"))
        for number, line in enumerate(map(str.strip, lines), start=1):
            if not line or line.startswith("%"):
                continue
            try:
                if in_data:
                    rows[number] = self._split_row(line)
                else:
                    in_data = self._ends_header(line)
            except ValueError as problem:
                raise self.error(str(problem), number) from None
        if not in_data:
            raise self.error("no @data line; is this a KEEL or ARFF file?")
        if not rows:
            raise self.error("no rows after @data")
        names = list(self.attributes)
        self.cells = pd.DataFrame.from_dict(rows, "index", object, names)

    def error(self, message: str, line: Any = None) -> KeelFormatError:
        """Return the error to raise, with its place in the file."""
        return KeelFormatError(message, self.source, line)

    def _ends_header(self, line: str) -> bool:
        """Take in a line of the header; whether it is the last one, @data."""
        if not line.startswith("@"):
            expected = "expected a line that starts with @ before @data"
            raise ValueError(f"{expected}, found {line[:40]!r}")
        words = line[1:].split(maxsplit=1)
        keyword = words[0].lower() if words else ""
        content = words[1] if len(words) > 1 else ""
        role = keyword.rstrip("s") + "s"
        if keyword == "relation":
            self.relation = content.strip("'\"")
        elif keyword == "attribute":
            name, kind = _parse_attribute(content)
            if name in self.attributes:
                raise ValueError(f"attribute {name!r} is declared twice")
            self.attributes[name] = kind
        elif role in ("inputs", "outputs"):
            if role in self.roles:
                raise ValueError(f"@{role} is given a second time")
            known = {name.lower(): name for name in self.attributes}
            known |= {name: name for name in self.attributes}  # capitals may matter
            self.roles[role] = []
            for name in split_fields(content):
                if name.lower() not in known:
                    raise ValueError(f"@{role} names {name[:40]!r}, no attribute")
                self.roles[role].append(known.get(name) or known[name.lower()])
        elif keyword != "data":
            raise ValueError(
                f"unknown keyword @{keyword[:40]}; KEEL has @relation, @attribute, "
                "@inputs, @outputs and @data"
            )
        elif not self.attributes:
            raise ValueError("@data comes before any @attribute")
        return keyword == "data"

    def _split_row(self, line: str) -> list[str]:
        """Return the cells of a row; some files separate by blanks or tabs alone."""
        cells = split_fields(line) if "," in line else line.split()
        names = list(self.attributes)
        if len(cells) != len(names):
            declared = f"the header declares {len(names)} attributes"
            raise ValueError(f"{len(cells)} values, but {declared}")
        if "" in cells:
            empty = f"the value of {names[cells.index('')]!r} is empty"
            raise ValueError(f"{empty}; a missing value is written ?")
        return cells

    def column(self, name: str) -> pd.Series:
        """Return the checked values of an attribute, indexed by line."""
        kind, cells = self.attributes[name], self.cells[name]
        values: Any
        if isinstance(kind, list):
            values = cells.where(cells.isin(kind))  # first: "?" may be declared
            values = values.astype(pd.CategoricalDtype(kind))
        else:
            values = cells.map(_parse_number).astype(np.float64)
            values = values.where((values % 1 == 0) | (kind == "real"))
        checked: pd.Series = values
        absent = cells[values.isna()]
        wrong = absent[~absent.str.lower().isin(_MISSING)]
        if len(wrong):
            line, cell = wrong.index[0], wrong.iloc[0][:40]
            what = "a declared" if isinstance(kind, list) else _WITH_ARTICLE[kind]
            raise self.error(f"{cell!r} is not {what} value of {name!r}", line)
        return checked

    def make_bunch(self, target: str | None = None) -> Bunch:
        """Return what :func:`read_keel` does."""
        names = list(self.attributes)
        inputs, outputs = self.roles.get("inputs"), self.roles.get("outputs")
        if target is not None:
            inputs, outputs = None, [target]
            if target not in names:
                has = f"it has {', '.join(names)[:300]}"
                raise self.error(f"there is no attribute {target!r}; {has}")
        if outputs is None:
            outputs = [name for name in names if name not in (inputs or names[:-1])]
        if len(outputs) != 1:
            should = "a classification file has one (choose one with target=)"
            raise self.error(f"{len(outputs)} output attributes; {should}")
        output = outputs[0]
        if output in (inputs or ()):
            raise self.error(f"{output!r} is both input and output")
        taken = names if inputs is None else inputs
        columns = {n: self.column(n) for n in names if n in taken and n != output}
        if not columns:
            raise self.error("no input attributes besides the class")
        nominal = [n for n in columns if isinstance(self.attributes[n], list)]
        return Bunch(
            data=pd.DataFrame(columns).reset_index(drop=True),
            target=self._labels(output),
            numeric=[n for n in columns if n not in nominal],
            nominal=nominal,
            name=self.relation or Path(self.source).stem,
            target_name=output,
        )

    def _labels(self, name: str) -> np.ndarray:
        """Return the class of every row: text, or numbers for a numeric attribute."""
        values, kind = self.column(name), self.attributes[name]
        if values.hasnans:
            raise self.error(f"the class {name!r} is missing", values.isna().idxmax())
        if isinstance(kind, list):
            return values.to_numpy(dtype=np.str_)
        if kind == "integer" and values.abs().max() > _LARGEST_LABEL:
            line = values.abs().idxmax()
            raise self.error(f"the class {name!r} is too large a number", line)
        return values.to_numpy(dtype=np.int64 if kind == "integer" else np.float64)


def _decode(content: bytes) -> str:
    """Return the text of a file; older ones are Latin-1."""
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def split_fields(text: str) -> list[str]:
    """Return what stands between commas, stripped; a field may be in quotes."""
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")] if text.strip() else []
    fields = (match.groups() for match in _FIELD.finditer(f"{text},"))
    return [
        plain.strip() if plain is not None else single if double is None else double
        for single, double, plain in fields
    ]


def _parse_number(text: str) -> float:
    """Return the finite number a text spells, or NaN."""
    number = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    return number if math.isfinite(number) else math.nan


def _parse_attribute(text: str) -> tuple[str, str | list[str]]:
    """Read ``name {a, b}``, ``name real``, ``name integer [0, 3]`` and the like."""
    match = _ATTRIBUTE.fullmatch(text)
    if match:
        name = match[1] or match[2] or match[3]
        if match[5]:
            return name, "integer" if match[5].lower() == "integer" else "real"
        # KEEL's own fars.dat lists a value twice: keep the first.
        values = list(dict.fromkeys(split_fields(match[4])))
        if values and "" not in values:
            return name, values
    raise ValueError(
        f"@attribute {text[:40]!r} is not a name with a type: integer or real, or a "
        "list of values {a, b}; save it as csv"
    )
