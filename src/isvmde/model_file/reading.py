"""From a description in JSON and arrays to a fitted pipeline, everything checked.

An object is made without calling anything of its class: its attributes are read,
judged by the rules of the class and then put in place.
"""

from collections.abc import Collection, Iterator, Mapping
from enum import Enum
from pkgutil import resolve_name
from typing import Any

import numpy as np

from isvmde.archive import read_array

from .boxes import types_in, unpack
from .errors import ModelFileError, check_text
from .judging import judge
from .kinds import (
    ANY_ROLE,
    FOREIGN,
    LONGEST_TEXT,
    MOST_SECONDS,
    MOST_STEPS,
    Part,
    UnlikeError,
)
from .known_classes import ENUMS, RULES, attributes_of, class_of, function_of
from .writing import ARRAY_KINDS, DEEPEST, TYPES, named_fields, type_name

_TYPES = {type_name(made): made for made in TYPES}
_PLAIN = (bool, int, float, str, type(None))
_PLAIN_OR_NUMPY = (bool, int, float, str, type(None), np.generic)
_DAMAGED = "is damaged: a part of it is not as isvmde writes it"
_GENERATOR_SIZE = 624  # words of a Mersenne twister


class Reader:
    """Makes values of their description; ``files`` are the other parts of the archive.

    What is neither checked by this library nor trusted is refused before anything else
    is read.
    """

    def __init__(
        self, description: Any, files: Mapping[str, bytes], trusted: Collection[str]
    ) -> None:
        self._description, self._files = description, files
        self._trusted = set(trusted)
        self._parts: dict[int, Part] = {}
        self._made: list[Any] = []  # keeps the ids of parts in use
        self._taken: set[str] = set()  # parts of the archive that became values
        self._n_steps = 0
        self._seconds = 0.0  # that they take for a row

    def read(self) -> Any:
        """Return what the whole description stands for."""
        foreign = {name for name in self._asked_for() if name not in self._trusted}
        if foreign:
            listed = ", ".join(f"{name:.80}" for name in sorted(foreign)[:9])
            raise ModelFileError(f"holds types isvmde does not load: {listed}", foreign)
        return self._value(self._description, 0)

    def _asked_for(self) -> Iterator[str]:
        """Yield the names of everything that has to be trusted."""
        waiting = [self._description]
        while waiting:
            value = waiting.pop()
            if isinstance(value, list):
                waiting.extend(value)
            elif isinstance(value, dict):
                waiting.extend(value.values())
                if "function" in value and function_of(str(value["function"])) is None:
                    yield str(value["function"])
                if "box" in value:
                    yield from types_in(self._file(value["box"]))
                if "class" in value and value["class"] not in RULES:
                    yield str(value["class"])

    def _file(self, name: Any) -> bytes:
        """Return another part of the archive."""
        if not isinstance(name, str) or name not in self._files:
            raise ModelFileError("is damaged: a part of it is missing")
        return self._files[name]

    def _take(self, name: Any) -> bytes:
        """Return a part of the archive for a value: each is one, so no file grows."""
        content = self._file(name)
        if name in self._taken:
            raise ModelFileError("is damaged: a part of it is used twice")
        self._taken.add(name)
        return content

    def _value(self, given: Any, depth: int) -> Any:
        """Return what a part of the description stands for."""
        if depth > DEEPEST:
            raise ModelFileError("is nested too deeply to be a model")
        if isinstance(given, _PLAIN):
            check_text(given)
            return given
        if isinstance(given, list):
            return [self._value(item, depth + 1) for item in given]
        makers = {
            ("array",): self._array,
            ("attributes", "class"): self._object,
            ("box",): self._foreign,
            ("dict",): self._dict,
            ("dtype",): self._dtype,
            ("dtype", "scalar"): self._scalar,
            ("function",): self._function,
            ("masked",): self._masked,
            ("member", "of"): self._member,
            ("objects", "shape"): self._objects,
            ("random state",): self._random_state,
            ("slice",): self._slice,
            ("tuple",): self._tuple,
            ("type",): self._type,
        }
        maker = makers.get(tuple(sorted(given)))
        if maker is None:
            raise ModelFileError(_DAMAGED)
        return maker(given, depth + 1)

    def _array(self, given: Any, depth: int) -> np.ndarray:
        array = read_array(self._take(given["array"]))
        if array.dtype.kind not in ARRAY_KINDS or not array.dtype.isnative:
            raise ModelFileError(_DAMAGED)
        return array

    def _objects(self, given: Any, depth: int) -> np.ndarray:
        items = self._plain_list(given["objects"], depth)
        shape = self._plain_list(given["shape"], depth)
        whole = all(type(size) is int and 0 <= size <= len(items) for size in shape)
        if not whole or np.prod(shape, dtype=float) != len(items):
            raise ModelFileError(_DAMAGED)
        array = np.empty(len(items), dtype=object)
        array[:] = items
        return array.reshape(shape)

    def _plain_list(self, given: Any, depth: int) -> list[Any]:
        """Return a list of numbers and texts."""
        items = self._value(given, depth)
        if type(items) is not list:
            raise ModelFileError(_DAMAGED)
        if not all(isinstance(one, _PLAIN_OR_NUMPY) for one in items):
            raise ModelFileError(_DAMAGED)
        return items

    def _masked(self, given: Any, depth: int) -> np.ndarray:
        data, mask = self._value(given["masked"], depth)
        if mask.dtype != bool or mask.shape != data.shape:
            raise ModelFileError(_DAMAGED)
        return np.ma.MaskedArray(data, mask)

    def _scalar(self, given: Any, depth: int) -> Any:
        if given["dtype"] is None:
            return self._array(given["scalar"], depth)[()]
        dtype = self._dtype(given, depth)
        if dtype.kind not in "biufU" or not isinstance(given["scalar"], _PLAIN):
            raise ModelFileError(_DAMAGED)
        return np.array([given["scalar"]], dtype)[0]

    def _dtype(self, given: Any, depth: int) -> np.dtype:
        if not isinstance(given["dtype"], str) or len(given["dtype"]) > 12:
            raise ModelFileError(_DAMAGED)
        dtype = np.dtype(given["dtype"])
        if dtype.itemsize > LONGEST_TEXT or dtype.kind not in "biufOSU":
            raise ModelFileError(_DAMAGED)
        return dtype

    def _type(self, given: Any, depth: int) -> type:
        if given["type"] not in _TYPES:
            raise ModelFileError(_DAMAGED)
        return _TYPES[given["type"]]

    def _tuple(self, given: Any, depth: int) -> tuple[Any, ...]:
        return tuple(self._value(list(given["tuple"]), depth))

    def _dict(self, given: Any, depth: int) -> dict[Any, Any]:
        pairs = [self._value(list(pair), depth) for pair in given["dict"]]
        return dict(pairs)

    def _member(self, given: Any, depth: int) -> Enum:
        return ENUMS[given["of"]][given["member"]]

    def _slice(self, given: Any, depth: int) -> slice:
        start, stop, step = self._plain_list(given["slice"], depth)
        return slice(start, stop, step)

    def _random_state(self, given: Any, depth: int) -> np.random.RandomState:
        state = self._value(given["random state"], depth)
        words, place = state["key"], state["pos"]
        plain = words.dtype == np.uint32 and words.shape == (_GENERATOR_SIZE,)
        # the generator reads the word at this place
        if not plain or type(place) is not int or not 0 <= place <= _GENERATOR_SIZE:
            raise ModelFileError(_DAMAGED)
        rng = np.random.RandomState(0)
        has_gauss, gauss = int(state["has_gauss"]), float(state["gauss"])
        rng.set_state(("MT19937", words, place, has_gauss, gauss))
        return rng

    def _function(self, given: Any, depth: int) -> Any:
        name = str(given["function"])
        found = function_of(name)
        function, role = found or (_trusted_function(name), "trusted")
        self._note(function, Part(name, frozenset({role}), {}, None, True))
        return function

    def _foreign(self, given: Any, depth: int) -> Any:
        value = unpack(self._take(given["box"]), self._trusted)
        self._note(value, FOREIGN)
        return value

    def _object(self, given: Any, depth: int) -> Any:
        rules = RULES[given["class"]]
        self._n_steps += bool(rules.roles & ANY_ROLE)
        if self._n_steps > MOST_STEPS:
            raise ModelFileError(f"holds more than {MOST_STEPS} steps and classifiers")
        own = rules.name.rpartition(".")[2]
        allowed = set(attributes_of(rules))
        if not given["attributes"].keys() <= allowed:
            raise ModelFileError(f"is damaged: its {own} has attributes of its own")
        state = {
            name: self._value(item, depth) for name, item in given["attributes"].items()
        }
        try:
            part = judge(rules, state, self._parts)
        except Exception as error:
            known = isinstance(error, UnlikeError)
            reason = " ".join(str(error).split()) if known else type(error).__name__
            raise ModelFileError(
                f"is damaged: its {own} is not as training leaves it ({reason:.120})"
            ) from error
        self._seconds += rules.seconds * part.sizes.get("features", 0)
        if self._seconds > MOST_SECONDS:
            raise ModelFileError("would take far too long for a single row")
        value = _make(class_of(rules.name), state | dict(rules.derive(state)))
        self._note(value, part)
        return value

    def _note(self, value: Any, part: Part) -> None:
        """Remember what is known of an object."""
        self._made.append(value)
        self._parts[id(value)] = part


def _trusted_function(name: str) -> Any:
    """Return a function that was trusted by its name."""
    module, _, own = name.rpartition(".")
    try:
        return resolve_name(f"{module}:{own}")
    except (ImportError, AttributeError, ValueError) as error:
        raise ModelFileError(f"names a function that is not there: {name}") from error


def _make(made: type, state: Mapping[str, Any]) -> Any:
    """Return an object with these attributes, made without its class's own code."""
    if issubclass(made, tuple):
        return tuple.__new__(made, [state[name] for name in named_fields(made)])
    value = made.__new__(made)
    value.__dict__.update(state)
    return value
