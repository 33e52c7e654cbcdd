"""What binary problems are called: in messages, in tables and as keys of parameters."""

from collections.abc import Sequence
from typing import Any

Side = Sequence[Any]  # labels of the classes on one side


def problem_text(plus: Side, minus: Side, n_classes: int) -> str:
    """Return what a message calls a problem.

    Examples
    --------
    >>> problem_text(("a",), ("b",), 3), problem_text(("b", "c"), ("a",), 3)
    ("'a' against 'b'", "'a' against the rest")
    """
    first, second = plus, minus
    if is_rest(plus, n_classes):
        first, second = minus, plus
    return f"{_side_text(first, n_classes)} against {_side_text(second, n_classes)}"


def side_label(side: Side, n_classes: int) -> Any:
    """Return what a table calls a side: its class, or the rest.

    Examples
    --------
    >>> side_label((2,), 3), side_label(("b", "c"), 3)
    (2, 'the rest')
    """
    return side[0] if len(side) == 1 else _side_text(side, n_classes)


def problem_key(plus: Side, minus: Side, n_classes: int) -> Any:
    """Return the key of a problem in ``pair_params_``.

    It is (plus, minus) for two classes, and the class alone against the rest.

    Examples
    --------
    >>> problem_key(("a",), ("b",), 3), problem_key(("b", "c"), ("a",), 3)
    (('a', 'b'), 'a')
    """
    if is_rest(plus, n_classes):
        return minus[0]
    if is_rest(minus, n_classes):
        return plus[0]
    return _one_or_all(plus), _one_or_all(minus)


def is_rest(side: Side, n_classes: int) -> bool:
    """Tell whether a side holds several classes, all but one."""
    return 1 < len(side) == n_classes - 1


def _side_text(side: Side, n_classes: int) -> str:
    if is_rest(side, n_classes):
        return "the rest"
    return " or ".join(repr(label) for label in side)


def _one_or_all(side: Side) -> Any:
    return side[0] if len(side) == 1 else tuple(side)
