"""Which classes and functions a model file may name, and the things they stand for."""

import inspect
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pkgutil import resolve_name
from typing import Any

from .own_classes import ENUMS, OWN_CLASSES
from .rules import ClassRules
from .sklearn_classifiers import CLASSIFIERS
from .sklearn_combinations import COMBINATIONS
from .sklearn_transformers import TRANSFORMERS

__all__ = [
    "ELEMENTWISE",
    "ENUMS",
    "RULES",
    "attributes_of",
    "class_of",
    "function_of",
    "name_of",
    "name_of_function",
    "parameters_of",
    "rules_of",
]

_TABLES = (OWN_CLASSES, TRANSFORMERS, COMBINATIONS, CLASSIFIERS)
RULES = {rules.name: rules for table in _TABLES for rules in table}
_WITHOUT_PARAMETERS = ("sklearn.metrics._scorer.",)

# each is given one array and returns another, entry by entry
_ELEMENTWISE = {
    "numpy": (
        "abs absolute arccos arccosh arcsin arcsinh arctan arctanh cbrt ceil cos cosh "
        "deg2rad exp exp2 expm1 fabs floor log log10 log1p log2 negative rad2deg "
        "reciprocal rint sign sin sinh sqrt square tan tanh trunc"
    ),
    "scipy.special": "expit logit log_expit exprel",
}
ELEMENTWISE = frozenset(
    f"{module}.{name}"
    for module, names in _ELEMENTWISE.items()
    for name in names.split()
)
_SCORES_OF = ("isvmde.metrics", "sklearn.metrics", "sklearn.feature_selection")


@lru_cache
def class_of(name: str) -> type:
    """Return a class of the table; LookupError where this scikit-learn has none."""
    module, _, own = name.rpartition(".")
    try:
        made: type = getattr(import_module(module), own)
    except (AttributeError, ImportError) as error:
        raise LookupError(f"this scikit-learn has no {name}") from error
    return made


@lru_cache
def rules_of(made: Any) -> ClassRules | None:
    """Return the rules of a class, None for one that has to be trusted."""
    package = made.__module__.partition(".")[0]
    for name, rules in RULES.items():
        known = name.startswith(f"{package}.") and name.endswith(f".{made.__name__}")
        with suppress(LookupError):
            if known and class_of(name) is made:
                return rules
    return None


@lru_cache
def parameters_of(made: Any) -> tuple[str, ...]:
    """Return the names of the parameters that a class stores."""
    if f"{made.__module__}.".startswith(_WITHOUT_PARAMETERS):
        return ()
    if made.__init__ is object.__init__:
        return ()
    return tuple(name for name in inspect.signature(made).parameters)


@lru_cache
def function_of(name: str) -> tuple[Any, str] | None:
    """Return a function that any file may name, and its role."""
    module, _, own = name.rpartition(".")
    if name in ELEMENTWISE:
        return resolve_name(f"{module}:{own}"), "elementwise"
    if module in _SCORES_OF and own in import_module(module).__all__:
        found = getattr(import_module(module), own)
        return (found, "score") if inspect.isfunction(found) else None
    return None


def name_of_function(function: Any) -> str:
    """Return the public name of a function, or where it was defined."""
    own = getattr(function, "__name__", "")
    for module in tuple(_ELEMENTWISE) + _SCORES_OF:
        found = function_of(f"{module}.{own}")
        if found is not None and found[0] is function:
            return f"{module}.{own}"
    return name_of(function)


def name_of(thing: Any) -> str:
    """Return the name by which a class or a function is trusted."""
    return thing if isinstance(thing, str) else f"{thing.__module__}.{thing.__name__}"


def attributes_of(rules: ClassRules) -> Iterator[str]:
    """Yield the names of all attributes that an object of a class may have."""
    yield from parameters_of(class_of(rules.name))
    yield from rules.fitted
    yield from rules.optional
