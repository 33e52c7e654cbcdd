"""The rules of a class: what its attributes may be, and what follows from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .kinds import Kind, State, Surroundings

Check = Callable[[State, Surroundings], None]
Width = Callable[[State, Surroundings], int | None]


def _nothing_more(state: State, around: Surroundings) -> None:
    """Accept what the table accepts."""


def _nothing_derived(state: State) -> State:
    """Return no further attributes."""
    return {}


def _unknown_width(state: State, around: Surroundings) -> None:
    """Return None: how many columns come out is not known."""


@dataclass(frozen=True)
class ClassRules:
    """What the attributes of one class may be.

    ``parameters`` are those of ``__init__`` that are more than plain values; ``fitted``
    is what training leaves, all of it or nothing, of which ``optional`` may be missing.
    ``check`` says what the table cannot, ``width`` how many columns come out, and
    ``derive`` returns attributes that follow from the others.
    """

    name: str
    roles: frozenset[str]
    parameters: Mapping[str, Kind] = field(default_factory=dict)
    fitted: Mapping[str, Kind] = field(default_factory=dict)
    optional: Mapping[str, Kind] = field(default_factory=dict)
    check: Check = _nothing_more
    width: Width = _unknown_width
    derive: Callable[[State], State] = _nothing_derived
    forget: frozenset[str] = frozenset()  # parameters that a file does not keep
    seconds: float = 1e-7  # that a row takes per column, about
