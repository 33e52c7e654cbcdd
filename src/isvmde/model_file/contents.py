"""What a model file may hold, checked before anything in it is built.

A model file is a zip archive: arrays as ``.npy`` parts, ``schema.json`` that says how
skops puts them together, and ``isvmde.json`` about the model.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from isvmde.archive import ArchiveError, check_array, read_parts

from .known_types import KEY_TYPES, is_known

SCHEMA = "schema.json"
NOTES = "isvmde.json"
_LARGEST_SCHEMA = 64_000_000  # bytes; a text of the schema takes about 100
_DEEPEST = 150  # levels of the schema; a usual pipeline has 30
_GENERATOR_SIZE = 624  # words of a Mersenne twister


class ModelFileError(ArchiveError):
    """A file that is no model of this version of isvmde; the message says why.

    ``foreign`` names the types in it that isvmde does not know and nobody trusted.
    """

    def __init__(self, message: str, foreign: Collection[str] = ()) -> None:
        super().__init__(message)
        self.foreign = sorted(foreign)


def refuse_foreign(names: Collection[str]) -> None:
    """Refuse a file because of these types: the first few are named, if long cut."""
    if names:
        shown = [name if len(name) <= 80 else f"{name[:80]}..." for name in names]
        more = f" and {len(shown) - 5} more" if len(shown) > 5 else ""
        listed = ", ".join(sorted(shown)[:5]) + more
        raise ModelFileError(f"holds types isvmde does not load: {listed}", names)


def read_contents(
    path: Path, trusted: Collection[str], protocol: int
) -> tuple[Any, bytes]:
    """Return what a file says of its model, and an archive for skops; all checked."""
    if not zipfile.is_zipfile(path):
        raise ModelFileError("is no model file, or only a part of one")
    parts = read_parts(path)
    if NOTES not in parts or SCHEMA not in parts:
        raise ModelFileError("was not saved by isvmde")
    if len(parts[SCHEMA]) > _LARGEST_SCHEMA:
        raise ModelFileError("has a schema that is too large to be a model's")
    try:
        notes, schema = json.loads(parts[NOTES]), json.loads(parts[SCHEMA])
    except (ValueError, RecursionError) as error:
        raise ModelFileError("is damaged: its schema is not readable") from error
    if not isinstance(schema, dict) or schema.get("protocol") != protocol:
        raise ModelFileError("was written by another version of skops")
    check = _SchemaCheck(parts, trusted)
    clean = check.cleaned(schema)
    refuse_foreign(check.foreign)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(SCHEMA, json.dumps(clean))
        for name in check.used:
            archive.writestr(name, parts[name])
    return notes, buffer.getvalue()


class _SchemaCheck:
    """Goes through a schema, notes what is foreign, and leaves out what is not needed.

    References between nodes are left out: no circle, and no tree that is walked
    for ever, can be written without them. Arrays that are used twice stay one.
    """

    def __init__(self, parts: dict[str, bytes], trusted: Collection[str]) -> None:
        self.parts, self.trusted = parts, trusted
        self.foreign: set[str] = set()
        self.used: dict[str, int] = {}

    def cleaned(self, value: Any, depth: int = 0) -> Any:
        """Return a part of the schema as it may be given to skops."""
        if depth > _DEEPEST:
            raise ModelFileError("is nested too deeply to be a model")
        if isinstance(value, list):
            return [self.cleaned(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        clean = {
            key: self.cleaned(item, depth + 1)
            for key, item in value.items()
            if key != "__id__"
        }
        if "__loader__" in clean:
            self._check_node(clean)
        return clean

    def _check_node(self, node: dict[str, Any]) -> None:
        """Refuse a node that skops should not see."""
        loader = node["__loader__"]
        name = f"{node.get('__module__')}.{node.get('__class__')}"
        known = isinstance(loader, str) and is_known(loader, name)
        if not known and name not in self.trusted:
            self.foreign.add(name)
            return
        content: Any = node.get("content")
        if loader == "DictNode":
            self._check_keys(node.get("key_types"), content)
        elif loader == "JsonNode":
            _check(isinstance(content, str) and len(content) < _LARGEST_SCHEMA)
            _check(not isinstance(json.loads(content), (list, dict)))
        elif loader == "RandomStateNode":
            _check_generator(content)
        elif loader == "NdArrayNode" and node.get("type") == "numpy":
            self._check_array(node, name)
        elif loader in ("BytesNode", "BytearrayNode"):  # of a type that was trusted
            part: Any = node.get("file")
            _check(isinstance(part, str) and part in self.parts)
            self.used.setdefault(part, len(self.used) + 1)

    def _check_keys(self, key_types: Any, content: Any) -> None:
        """Refuse keys that would be made by calling something."""
        _check(isinstance(content, dict) and isinstance(key_types, dict))
        kinds = key_types.get("content")
        _check(isinstance(kinds, list) and len(kinds) == len(content))
        for kind in kinds:
            _check(isinstance(kind, dict) and kind.get("__loader__") == "TypeNode")
            _check(f"{kind.get('__module__')}.{kind.get('__class__')}" in KEY_TYPES)

    def _check_array(self, node: dict[str, Any], name: str) -> None:
        """Refuse an array whose header says something else than its bytes."""
        part: Any = node.get("file")
        _check(isinstance(part, str) and part in self.parts)
        if part not in self.used:
            check_array(self.parts[part])
            self.used[part] = len(self.used) + 1
        if name == "numpy.ndarray":
            node["__id__"] = self.used[part]


def _check_generator(content: Any) -> None:
    """Refuse a random state that points outside of its own words."""
    state = content["content"]["state"]["content"]
    _check(0 <= json.loads(state["pos"]["content"]) <= _GENERATOR_SIZE)


def _check(allowed: bool) -> None:
    """Refuse a file with a part that no saved model has."""
    if not allowed:
        raise ModelFileError("is damaged: a part of it is not as isvmde writes it")
