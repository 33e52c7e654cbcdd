"""The pieces of a KEEL file: fields, numbers, @attribute lines, and what is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NAME = re.compile(r"""'([^']+)'|"([^"]+)"|([^\s{'"][^\s{]*)""")
# Only a quote that ends the field encloses it: 5'more is a plain value.
_FIELD = re.compile(r"""\s*(?:'([^']*)'\s*|"([^"]*)"\s*|([^,]*)),""")
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
class Attribute:
    """One @attribute line."""

    name: str
    kind: str  # "integer", "real" or "nominal"
    values: list[str] = field(default_factory=list)  # of a nominal attribute
    bounds: tuple[float, float] | None = None  # of a numeric one


def split_fields(text: str) -> list[str]:
    """Return what stands between commas, stripped; a field may be in quotes."""
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")] if text.strip() else []
    fields = (match.groups() for match in _FIELD.finditer(f"{text},"))
    return [
        plain.strip() if plain is not None else single if double is None else double
        for single, double, plain in fields
    ]


def parse_number(text: str) -> float | None:
    """Return the finite number a text spells, or None."""
    number = float(text) if _NUMBER.fullmatch(text.strip()) else math.nan
    return number if math.isfinite(number) else None


def parse_attribute(text: str) -> Attribute:
    """Read ``name {a, b}``, ``name real``, ``name integer [0, 3]`` and the like."""
    match = _NAME.match(text)
    if not match:
        raise ValueError("@attribute needs a name and a type")
    name, declared = match[match.lastindex or 0], text[match.end() :].strip()
    if declared.startswith("{"):
        if not declared.endswith("}"):
            raise ValueError(f"the values of {name[:40]!r} do not end with }}")
        # KEEL's own fars.dat lists a value twice: keep the first.
        values = list(dict.fromkeys(split_fields(declared[1:-1])))
        if not values or "" in values:
            raise ValueError(f"attribute {name[:40]!r} has no values or an empty one")
        return Attribute(name, "nominal", values)
    word, bracket, ends = declared.partition("[")
    kind = _KINDS.get(word.strip().lower())
    if kind is None:
        raise ValueError(
            f"type {declared[:40]!r} of attribute {name[:40]!r} is not integer, real "
            "or {a list of values}"
        )
    if not bracket:
        return Attribute(name, kind)
    bounds = [parse_number(end) for end in ends.strip().removesuffix("]").split(",")]
    low, high = bounds if len(bounds) == 2 else (None, None)
    if not ends.endswith("]") or low is None or high is None or low > high:
        raise ValueError(f"the range of {name[:40]!r} is not [low, high]")
    return Attribute(name, kind, bounds=(low, high))
