"""What the attributes of a class may be: arrays of some shape, numbers, texts, parts.

The sizes of arrays have names. Within one object a name stands for one number, so that
``Array("f", ("pairs", 2))`` and ``Array("f", ("pairs",))`` have to fit together.
"""

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Protocol

import numpy as np

MOST_FEATURES = 100_000
MOST_COLUMNS = 1_000_000  # that a transformer may return
MOST_STEPS = 2_000  # transformers and classifiers in one file
MOST_SECONDS = 5.0  # that all of them may take for a row
MOST_JOBS = 256
LONGEST_TEXT = 40_000  # bytes of an entry of an array, and so of a column of new rows
LARGEST_ROW = 100_000_000  # bytes of all columns of one

Sizes = dict[str, int]
State = Mapping[str, Any]


class UnlikeError(ValueError):
    """A value that no training leaves behind."""


def expect(condition: Any, what: str) -> None:
    """Refuse what no training leaves behind."""
    if isinstance(condition, (list, np.ndarray)):
        condition = np.all(np.asarray(condition, dtype=bool))
    if not condition:
        raise UnlikeError(what)


@dataclass(frozen=True)
class Part:
    """What is known of an object inside a model, once it was checked."""

    name: str  # the public name of its class
    roles: frozenset[str]
    sizes: Sizes
    width: int | None  # the columns it returns, if that is known
    is_fitted: bool


ANY_ROLE = frozenset({"transformer", "classifier"})
FOREIGN = Part("a trusted type", ANY_ROLE, {}, None, True)


@dataclass
class Surroundings:
    """What a kind may look at beside its value."""

    parts: Mapping[int, Part]  # all objects made so far, by their id
    sizes: Sizes = field(default_factory=dict)

    def agree(self, name: str | int, size: int) -> None:
        """Learn a size that is not known yet, refuse another than is known."""
        known = name if isinstance(name, int) else self.sizes.setdefault(name, size)
        expect(known == size, f"{name} is {size} and not {known}")

    def part(self, value: Any) -> Part:
        """Return what is known of an object."""
        expect(id(value) in self.parts, f"{type(value).__name__} where a part belongs")
        return self.parts[id(value)]


class Kind(Protocol):
    """What a value may be."""

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""


@dataclass(frozen=True)
class Array:
    """An array; ``kinds`` are NumPy's letters, "*" in the shape stands for any size."""

    kinds: str
    shape: tuple[str | int, ...]
    within: str | None = None  # its entries are indices: from 0 up to this size
    least: int = 0  # or from here
    computed: bool = True  # with by this library: finite numbers of eight bytes

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(type(value) is np.ndarray, "an array is missing")
        expect(value.dtype.kind in self.kinds, f"an array of {value.dtype}")
        expect(value.ndim == len(self.shape), f"an array of {value.ndim} dimensions")
        expect(value.dtype.itemsize <= LONGEST_TEXT, "an array of huge texts")
        for name, size in zip(self.shape, value.shape, strict=True):
            if name != "*":
                around.agree(name, size)
        if self.computed and value.dtype.kind in "if":
            native = value.dtype.itemsize == 8 and value.dtype.isnative
            expect(native, f"an array of {value.dtype}")
            expect(np.isfinite(value), "a number that is not finite")
        if self.within is not None:
            inside = (value >= self.least) & (value < around.sizes[self.within])
            expect(inside, f"an index of {self.within} that is outside")


@dataclass(frozen=True)
class Labels:
    """The classes: an array without repetition, which says how many there are."""

    size: str = "classes"

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        Array("biufSUO", (self.size,), computed=False).check(value, around)
        expect(len(set(value.tolist())) == len(value), "a class that is named twice")
        expect(len(value) > 0, "no classes")


@dataclass(frozen=True)
class Names:
    """The names of columns."""

    size: str = "features"

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        Array("OU", (self.size,)).check(value, around)
        expect(all(isinstance(name, str) for name in value), "a name that is not text")


@dataclass(frozen=True)
class Size:
    """A whole number that says how large something is."""

    name: str
    most: int = MOST_FEATURES

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        Whole(0, self.most).check(value, around)
        around.agree(self.name, int(value))


@dataclass(frozen=True)
class Whole:
    """A whole number between two others."""

    least: int = 0
    most: int = 2**53

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        expect(is_whole, "a whole number is missing")
        inside = self.least <= value <= self.most
        expect(inside, f"{value} is not between {self.least} and {self.most}")


@dataclass(frozen=True)
class Real:
    """A number between two others."""

    least: float = -np.inf
    most: float = np.inf

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        is_real = isinstance(value, numbers.Real) and not isinstance(value, bool)
        expect(is_real, "a number is missing")
        expect(self.least <= value <= self.most, f"{value} is too small or too large")


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(isinstance(value, (bool, np.bool_)), "neither true nor false")


@dataclass(frozen=True)
class Text:
    """A text of some length."""

    most: int = 100_000

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        is_short = isinstance(value, str) and len(value) <= self.most
        expect(is_short, "a text is missing, or too long")


@dataclass(frozen=True)
class Choice:
    """One of a few values."""

    values: tuple[Any, ...]

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        same = (type(value) is type(one) and value == one for one in self.values)
        shown = value if isinstance(value, (str, int)) else type(value).__name__
        expect(any(same), f"{shown!r:.60} is not one of {self.values}")


@dataclass(frozen=True)
class Member:
    """A member of an enumeration."""

    of: type[Enum]

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(isinstance(value, self.of), f"not a {self.of.__name__}")


@dataclass(frozen=True)
class OneOf:
    """A value of any of these kinds."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        reasons = []
        for kind in self.kinds:
            try:
                kind.check(value, around)
            except UnlikeError as error:
                reasons.append(str(error))
            else:
                return
        raise UnlikeError(", ".join(reasons))


def maybe(kind: Kind) -> OneOf:
    """Return this kind, or None."""
    return OneOf((Choice((None,)), kind))


@dataclass(frozen=True)
class ListOf:
    """A list of ``count`` values of one kind."""

    kind: Kind
    count: str | int = "*"

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(type(value) is list, "a list is missing")
        if self.count != "*":
            around.agree(self.count, len(value))
        for item in value:
            self.kind.check(item, around)


@dataclass(frozen=True)
class Every:
    """A tuple of any length, of values of one kind."""

    kind: Kind

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(type(value) is tuple, "a tuple is missing")
        for item in value:
            self.kind.check(item, around)


@dataclass(frozen=True)
class TupleOf:
    """A tuple of values of these kinds."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        fits = type(value) in (tuple, list) and len(value) == len(self.kinds)
        expect(fits, f"a tuple of {len(self.kinds)} is missing")
        for item, kind in zip(value, self.kinds, strict=True):
            kind.check(item, around)


@dataclass(frozen=True)
class DictOf:
    """A dict from texts to values of one kind."""

    kind: Kind

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(type(value) is dict, "a dict is missing")
        for key, item in value.items():
            Text().check(key, around)
            self.kind.check(item, around)


@dataclass(frozen=True)
class Record:
    """A dict with these keys; those of ``optional`` may be missing."""

    fields: Mapping[str, Kind]
    optional: Mapping[str, Kind] = field(default_factory=dict)

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(type(value) is dict, "a dict is missing")
        kinds = dict(self.fields) | dict(self.optional)
        complete = self.fields.keys() <= value.keys() <= kinds.keys()
        expect(complete, "a dict has other keys")
        for key, kind in kinds.items():
            if key in value:
                kind.check(value[key], around)


@dataclass(frozen=True)
class Plain:
    """Numbers, texts, and arrays and containers of them; ``parts`` are roles allowed.

    For what is only kept and shown, and never leads anywhere in memory.
    """

    parts: frozenset[str] = frozenset()

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        if value is None or isinstance(value, (str, bool, numbers.Number, np.generic)):
            return
        if isinstance(value, np.ndarray):
            expect(value.dtype.itemsize <= LONGEST_TEXT, "an array of huge texts")
        elif isinstance(value, dict):
            self._check_all(value.keys(), around)
            self._check_all(value.values(), around)
        elif isinstance(value, (list, tuple)):
            self._check_all(value, around)
        elif not isinstance(value, (slice, np.dtype, np.random.RandomState, type)):
            expect(around.part(value).roles & self.parts, "a part in a wrong place")

    def _check_all(self, values: Iterable[Any], around: Surroundings) -> None:
        for value in values:
            self.check(value, around)


@dataclass(frozen=True)
class PartOf:
    """An object of one of these roles or classes, whose sizes are those of its whole.

    ``sizes`` are the names of sizes that both have: its own name, and the whole's.
    """

    roles: frozenset[str]
    sizes: Mapping[str, str] = field(default_factory=dict)
    fitted: bool = True

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        part = around.part(value)
        expect(part.roles & self.roles, f"a {part.name} in a wrong place")
        expect(part.is_fitted or not self.fitted, f"a {part.name} without training")
        for own, whole in self.sizes.items():
            if own in part.sizes:
                around.agree(whole, part.sizes[own])


@dataclass(frozen=True)
class FunctionOf:
    """A function; the reader has already judged whether it may be one."""

    groups: tuple[str, ...]

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        part = around.part(value)
        allowed = {"trusted"}.union(self.groups)
        expect(part.roles & allowed, "a function in a wrong place")
