"""Boxes: objects of classes that isvmde does not check, as skops writes them.

What is in a box is safe only if its author is: it is listed without being opened, and
opened only if every type in it was trusted by name.
"""

import io
import json
import zipfile
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np

from .errors import ModelFileError, short

_SCHEMA = "schema.json"
_BUILT_IN = (
    bool,
    bytes,
    dict,
    float,
    int,
    list,
    set,
    slice,
    str,
    tuple,
    type,
    type(None),
)
_NUMPY_SCALARS = frozenset(np.sctypeDict.values())
_HARMLESS = (
    {"numpy.ndarray", "numpy.dtype", "collections.OrderedDict"}
    | {f"builtins.{made.__name__}" for made in _BUILT_IN}
    | {f"numpy.{made.__name__}" for made in _NUMPY_SCALARS}
)


def import_skops() -> Any:
    """Import skops, or say how to get it."""
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "classes of other packages in a model file need skops: "
            "install isvmde[persist]"
        ) from error
    return skops.io


def pack(value: Any) -> bytes:
    """Return a box with one object, or name what cannot be written."""
    skops_io = import_skops()
    try:
        return bytes(skops_io.dumps(value))
    except Exception as error:  # whatever a foreign object raises
        culprit = _culprit(value, skops_io)
        reason = f"the model cannot be saved because of {culprit}: {short(error)}"
        raise ModelFileError(reason) from error


def _culprit(value: Any, skops_io: Any) -> str:
    """Return the attribute that cannot be written, or the type."""
    for name, inner in getattr(value, "__dict__", {}).items():
        try:
            skops_io.dumps(inner)
        except Exception:
            return f"{type(value).__name__}.{name}"
    return type(value).__name__


def types_in(content: bytes) -> set[str]:
    """Return the names of all types and functions in a box; nothing is built."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        listed = archive.infolist()
        stored = all(part.compress_type == zipfile.ZIP_STORED for part in listed)
        if not stored or sum(part.file_size for part in listed) > len(content):
            raise ModelFileError("is damaged: a box in it grows when it is opened")
        schema = json.loads(archive.read(_SCHEMA))
    root = _name_of_node(schema)
    named = {name for node in _nodes(schema) if (name := _name_of_node(node))}
    if root is None or root in _HARMLESS:
        raise ModelFileError("is damaged: a box in it holds nothing that needs one")
    return named - _HARMLESS


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield all dicts of a schema, however deep."""
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield value
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def _name_of_node(node: dict[str, Any]) -> str | None:
    """Return the name of what a node makes."""
    if "__class__" not in node and "__module__" not in node:
        return None
    return f"{node.get('__module__')}.{node.get('__class__')}"


def unpack(content: bytes, trusted: Collection[str]) -> Any:
    """Return the object in a box of which every type is trusted."""
    skops_io = import_skops()
    try:
        return skops_io.loads(content, trusted=sorted(trusted))
    except Exception as error:  # of skops, or of the types it rebuilds
        reason = f"holds a trusted type that cannot be made ({short(error)})"
        raise ModelFileError(reason) from error
