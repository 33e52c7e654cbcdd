"""From a fitted pipeline to a description in JSON, arrays, and boxes.

A box holds an object of a class that isvmde does not check: it is written by skops and
opened only by who trusts what is in it.
"""

import io
import os
import warnings
from collections import OrderedDict, UserList
from enum import Enum
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .boxes import pack
from .errors import ModelFileError
from .judging import judge
from .kinds import FOREIGN, Part, UnlikeError
from .known_classes import (
    ENUMS,
    attributes_of,
    function_of,
    name_of_function,
    parameters_of,
    rules_of,
)
from .rules import ClassRules

DEEPEST = 60  # objects and containers inside each other; a usual pipeline has 15
ARRAY_KINDS = "biufcSUmM"
_NUMPY_TYPES = (
    np.float64,
    np.float32,
    np.float16,
    np.int64,
    np.int32,
    np.int16,
    np.int8,
    np.uint64,
    np.uint32,
    np.uint16,
    np.uint8,
    np.bool_,
    np.number,
    np.integer,
    np.floating,
    np.object_,
    np.str_,
)
_PYTHON_TYPES = (float, int, bool, str, object)
TYPES = _NUMPY_TYPES + _PYTHON_TYPES
_FUNCTIONS = (FunctionType, BuiltinFunctionType, np.ufunc)
_DICTS = (dict, OrderedDict, Bunch)
_CONTAINERS = (list, tuple, dict, OrderedDict, Bunch)
_IN_TRAINING = {"_skl_callbacks"}  # of scikit-learn, which a file does not keep
_LARGEST = 2**63


def type_name(made: type) -> str:
    """Return how a file calls a type of numbers or texts."""
    module = "" if made.__module__ == "builtins" else f"{made.__module__}."
    return f"{module}{made.__name__}"


def named_fields(made: Any) -> tuple[str, ...]:
    """Return the names of a named tuple's fields."""
    fields: tuple[str, ...] = made._fields
    return fields


class Writer:
    """Describes values; collects the parts of the archive beside the description."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.parts: dict[int, Part] = {}
        self.boxed: list[str] = []  # why objects of known classes are in boxes

    def describe(self, value: Any, depth: int = 0) -> Any:
        """Return a value as JSON has it."""
        if depth > DEEPEST:
            raise UnlikeError("it is nested too deeply")
        if value is None or type(value) in (bool, str, float):
            return value
        if type(value) is int:
            if abs(value) >= _LARGEST:
                raise UnlikeError("a whole number is too large")
            return value
        made: Any = type(value)
        rules = rules_of(made)
        if rules is not None:
            return self._describe_object(value, rules, depth + 1)
        if isinstance(value, np.ndarray):
            return self._describe_array(value, depth)
        if isinstance(value, np.generic):
            return self._describe_scalar(value)
        if type(value) in _CONTAINERS or isinstance(value, UserList):
            return self._describe_container(value, depth)
        if isinstance(value, Enum) and made in ENUMS.values():
            owner = f"{made.__module__}.{made.__name__}"
            return {"member": value.name, "of": owner}
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, np.dtype):
            return {"dtype": value.str}
        if isinstance(value, type) and value in TYPES:
            return {"type": type_name(value)}
        if isinstance(value, np.random.RandomState):
            state: Any = value.get_state(legacy=False)
            numbers = state | state["state"]
            del numbers["state"], numbers["bit_generator"]
            return {"random state": self.describe(numbers, depth + 1)}
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, _FUNCTIONS):
            return self._describe_function(value)
        return self._describe_foreign(value)

    def _describe_container(self, value: Any, depth: int) -> Any:
        """Describe a list, a tuple or a dict."""
        if isinstance(value, _DICTS):
            items = [
                [self.describe(key, depth + 1), self.describe(item, depth + 1)]
                for key, item in value.items()
            ]
            return {"dict": items}
        items = [self.describe(item, depth + 1) for item in value]
        return {"tuple": items} if isinstance(value, tuple) else items

    def _describe_array(self, value: np.ndarray, depth: int) -> Any:
        """Put an array into a part of its own; one of objects is a list of them."""
        if isinstance(value, np.ma.MaskedArray):
            plain = [np.asarray(value.data), np.ma.getmaskarray(value)]
            return {"masked": [self._describe_array(one, depth) for one in plain]}
        value = np.asarray(value)
        if value.dtype == object:
            items = [self.describe(item, depth + 1) for item in value.ravel().tolist()]
            return {"objects": items, "shape": list(value.shape)}
        if value.dtype.kind not in ARRAY_KINDS:
            raise UnlikeError(f"an array of {value.dtype}")
        buffer = io.BytesIO()
        np.save(buffer, value, allow_pickle=False)
        name = f"arrays/{len(self.files)}.npy"
        self.files[name] = buffer.getvalue()
        return {"array": name}

    def _describe_scalar(self, value: np.generic) -> Any:
        """Describe a number of NumPy with its type."""
        plain = value.item()
        if isinstance(plain, (bool, int, float, str)):
            return {"scalar": plain, "dtype": value.dtype.str}
        return {"scalar": self._describe_array(np.asarray(value), 0), "dtype": None}

    def _describe_function(self, value: Any) -> Any:
        """Describe a function by its name; it has to be one that can be found again."""
        name = name_of_function(value)
        own = getattr(value, "__qualname__", getattr(value, "__name__", ""))
        if not name.endswith(f".{own}"):
            raise UnlikeError(f"{name} is not at the top of its module")
        found = function_of(name)
        role = "trusted" if found is None else found[1]
        self.parts[id(value)] = Part(name, frozenset({role}), {}, None, True)
        return {"function": name}

    def _describe_object(self, value: Any, rules: ClassRules, depth: int) -> Any:
        """Describe the attributes of an object; box it if they are not as checked."""
        made: Any = type(value)
        is_own = rules.name.startswith("isvmde.")
        known = list(attributes_of(rules))
        if isinstance(value, tuple):
            state = dict(zip(named_fields(made), value, strict=True))
        else:
            state = dict(vars(value))
        if is_own:
            unknown = sorted(state.keys() - set(known) - _IN_TRAINING)
            if unknown:
                what = f"{type(value).__name__}.{unknown[0]}"
                raise ModelFileError(
                    f"the model cannot be saved because of {what}, an attribute that "
                    "training does not leave there; remove it"
                )
        else:
            state = {name: _with_plain_lists(own) for name, own in state.items()}
        state |= dict.fromkeys(rules.forget & set(parameters_of(made)) & state.keys())
        before = dict(self.files)
        try:
            attributes = {
                name: self.describe(state[name], depth)
                for name in known
                if name in state
            }
            kept = {name: state[name] for name in attributes}
            self.parts[id(value)] = judge(rules, kept, self.parts)
        except UnlikeError as error:
            if is_own:
                name = type(value).__name__
                raise ModelFileError(
                    f"the model cannot be saved: its {name} is not as training leaves "
                    f"it ({error})"
                ) from error
            self.files = before
            self.boxed.append(f"{rules.name}: {error}")
            return self._describe_foreign(value)
        return {"class": rules.name, "attributes": attributes}

    def _describe_foreign(self, value: Any) -> Any:
        """Put an object of a class that is not checked into a box."""
        name = f"boxes/{len(self.files)}.skops"
        self.files[name] = pack(value)
        self.parts[id(value)] = FOREIGN
        return {"box": name}


def _with_plain_lists(value: Any) -> Any:
    """Return a value with lists in place of what only looks like one.

    scikit-learn 1.6 keeps the columns of a remainder in a list of its own, which
    warns whoever reads it.
    """
    if isinstance(value, UserList):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return list(value)
    if type(value) in (list, tuple):
        return type(value)(_with_plain_lists(item) for item in value)
    return value
