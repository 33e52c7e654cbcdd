"""Whether the attributes of an object fit together, before the object is made."""

from typing import Any

from .kinds import (
    MOST_COLUMNS,
    Choice,
    Part,
    Plain,
    State,
    Surroundings,
    UnlikeError,
    expect,
)
from .known_classes import class_of, parameters_of
from .rules import ClassRules


def judge(rules: ClassRules, state: State, parts: dict[int, Part]) -> Part:
    """Return what is known of an object with these attributes, or refuse them."""
    around = Surroundings(parts)
    for name in parameters_of(class_of(rules.name)):
        forgotten = Choice((None,)) if name in rules.forget else None
        kind = forgotten or rules.parameters.get(name, Plain())
        _check(name, kind, state, around)
    present = rules.fitted.keys() & state.keys()
    if present:
        for name, kind in rules.fitted.items():
            _check(name, kind, state, around)
    for name, kind in rules.optional.items():
        if name in state:
            _check(name, kind, state, around)
    is_fitted = bool(present) or not rules.fitted
    if is_fitted:
        rules.check(state, around)
    width = rules.width(state, around) if is_fitted else None
    expect(width is None or width <= MOST_COLUMNS, f"{width} columns come out")
    return Part(rules.name, rules.roles, around.sizes, width, is_fitted)


def _check(name: str, kind: Any, state: State, around: Surroundings) -> None:
    """Refuse an attribute that is missing or of another kind."""
    expect(name in state, f"{name} is missing")
    try:
        kind.check(state[name], around)
    except UnlikeError as error:
        raise UnlikeError(f"{name}: {error}") from error
