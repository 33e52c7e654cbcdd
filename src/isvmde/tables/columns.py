"""What is decided about a column: its plan, and why it is left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from .notation import NumberFormat
from .numbers import PLAIN_READING, Reading


class Kind(Enum):
    """What a column is taken as; the value is what people read."""

    NUMBERS = "numbers"
    CATEGORIES = "categories"
    DATE = "date"
    LEFT_OUT = "left out"


class Reason(Enum):
    """Why a column is left out; the value is what people read."""

    DROPPED = "dropped as asked"
    NOT_ASKED_FOR = "not asked for"
    COMPLEX = "complex numbers"
    EMPTY = "empty"
    CONSTANT = "the same value in every row"
    ROW_NUMBER = "an id: a number for every row"
    UNIQUE = "an id: almost every value is different"
    FREE_TEXT = "free text"
    TOO_MANY = "too many different values for categories"
    SEVERAL_UNITS = "numbers in several units"

    @property
    def is_judgement(self) -> bool:
        """Whether a user who knows the column may decide differently."""
        return self in _JUDGEMENTS


_JUDGEMENTS = frozenset(
    {
        Reason.ROW_NUMBER,
        Reason.UNIQUE,
        Reason.FREE_TEXT,
        Reason.TOO_MANY,
        Reason.SEVERAL_UNITS,
    }
)


@dataclass(frozen=True)
class ColumnPlan:
    """How a column is read, and what is worth saying about it.

    Parameters
    ----------
    kind : Kind
        What it is taken as.
    reason : Reason, optional
        Why it is left out.
    gaps, distinct : int
        Missing cells, and different values, in the rows it was judged by.
    gaps_tell : bool
        Whether a further column says where its gaps were.
    reading : Reading
        Of numbers: their notation and unit, and whether a cell holds two of them.
    date_formats, date_parts : tuple of str
        Of dates: how they are written, and which numbers are made of them.
    first_year : int
        Of dates with years of two digits: the first of the hundred years they stand
        for; 0 for 1969, as is usual.
    spellings : mapping of str to str
        Of categories in several spellings: what a spelling without capitals stands for.
    facts : tuple of str
        What the table of columns says.
    remarks : tuple of str
        What it says as well, and is worth a warning.
    """

    kind: Kind
    reason: Reason | None = None
    gaps: int = 0
    distinct: int = 0
    gaps_tell: bool = False
    reading: Reading = PLAIN_READING
    date_formats: tuple[str, ...] = ()
    date_parts: tuple[str, ...] = ()
    first_year: int = 0
    spellings: Mapping[str, str] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def is_used(self) -> bool:
        """Whether the column is a feature."""
        return self.kind is not Kind.LEFT_OUT

    @property
    def note(self) -> str:
        """What there is to say, in one line."""
        reason = (self.reason.value,) if self.reason else ()
        return "; ".join(reason + self.facts + self.remarks)

    def to_record(self) -> dict[str, Any]:
        """Return the plan in what JSON can hold."""
        form = self.reading.form
        return {
            "kind": self.kind.name,
            "reason": self.reason.name if self.reason else None,
            "gaps": self.gaps,
            "distinct": self.distinct,
            "gaps_tell": self.gaps_tell,
            "decimal": form.decimal,
            "thousands": form.thousands,
            "strict": form.strict,
            "unit": self.reading.unit,
            "ratio": self.reading.ratio,
            "date_formats": list(self.date_formats),
            "date_parts": list(self.date_parts),
            "first_year": self.first_year,
            "spellings": dict(self.spellings),
            "facts": list(self.facts),
            "remarks": list(self.remarks),
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "ColumnPlan":
        """Return the plan that a record holds, or raise an error if it holds none."""
        if set(record) != _RECORD_KEYS:
            raise ValueError("the plan of a column does not have the fields of a plan")
        form = NumberFormat(
            _text(record["decimal"]),
            _text(record["thousands"]),
            _flag(record["strict"]),
        )
        reason = record["reason"]
        return cls(
            kind=Kind[record["kind"]],
            reason=None if reason is None else Reason[reason],
            gaps=_count(record["gaps"]),
            distinct=_count(record["distinct"]),
            gaps_tell=_flag(record["gaps_tell"]),
            reading=Reading(form, _text(record["unit"]), _flag(record["ratio"])),
            date_formats=tuple(map(_text, record["date_formats"])),
            date_parts=tuple(map(_text, record["date_parts"])),
            first_year=_count(record["first_year"]),
            spellings={_text(k): _text(v) for k, v in record["spellings"].items()},
            facts=tuple(map(_text, record["facts"])),
            remarks=tuple(map(_text, record["remarks"])),
        )


_RECORD_KEYS = set(ColumnPlan(Kind.NUMBERS).to_record())


def _text(value: Any) -> str:
    """Return a text, or refuse another type."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _flag(value: Any) -> bool:
    """Return True or False, or refuse another type."""
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _count(value: Any) -> int:
    """Return a whole number, such as that of rows, or refuse anything else."""
    if not isinstance(value, int) or value < 0:
        raise TypeError(f"{value!r} is not a whole number of 0 or more")
    return value
