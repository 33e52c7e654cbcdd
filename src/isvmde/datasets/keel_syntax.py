"""The pieces of a KEEL file: fields, numbers, @attribute lines, and what is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_NAME = re.compile(r"""'([^']+)'|"([^"]+)"|([^\s{'"][^\s{]*)""")
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
    if not text.strip():
        return []
    if "'" not in text and '"' not in text:
        return [part.strip() for part in text.split(",")]
    fields, position = [], 0
    while position <= len(text):
        comma = text.find(",", position)
        end = len(text) if comma < 0 else comma
        content = text[position:end].strip()
        if content[:1] in ("'", '"'):
            opening = text.index(content[0], position)
            closing = text.find(content[0], opening + 1)
            after = text.find(",", closing)
            after = len(text) if after < 0 else after
            # Only a quote that ends the field encloses it: 5'more is a plain value.
            if closing > 0 and not text[closing + 1 : after].strip():
                content, end = text[opening + 1 : closing], after
        fields.append(content)
        position = end + 1
    return fields


def parse_number(text: str) -> float | None:
    """Return the finite number a text spells, or None."""
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def parse_attribute(text: str) -> Attribute:
    """Read ``name {a, b}``, ``name real``, ``name integer [0, 3]`` and the like.

    Raises a ValueError that says what is wrong.
    """
    match = _NAME.match(text)
    if not match:
        raise ValueError("@attribute needs a name and a type")
    name = next(group for group in match.groups() if group)
    declared = text[match.end() :].strip()
    if declared.startswith("{"):
        return Attribute(name, "nominal", _parse_values(name, declared))
    word, bracket, bounds = declared.partition("[")
    kind = _KINDS.get(word.strip().lower())
    if kind is None:
        raise ValueError(
            f"type {declared[:40]!r} of attribute {name[:40]!r} is not integer, real "
            "or {a list of values}"
        )
    return Attribute(
        name, kind, bounds=_parse_bounds(name, bounds) if bracket else None
    )


def _parse_values(name: str, declared: str) -> list[str]:
    """Read the values between braces."""
    if not declared.endswith("}"):
        raise ValueError(f"the values of {name[:40]!r} do not end with }}")
    # KEEL's own fars.dat lists a value twice: keep the first.
    values = list(dict.fromkeys(split_fields(declared[1:-1])))
    if not values or "" in values:
        raise ValueError(f"attribute {name[:40]!r} has no values or an empty one")
    return values


def _parse_bounds(name: str, text: str) -> tuple[float, float]:
    """Read ``low, high]``."""
    text = text.strip()
    ends = [parse_number(end) for end in text.removesuffix("]").split(",")]
    if text.endswith("]") and len(ends) == 2:
        low, high = ends
        if low is not None and high is not None and low <= high:
            return low, high
    raise ValueError(f"the range of {name[:40]!r} is not [low, high]")
