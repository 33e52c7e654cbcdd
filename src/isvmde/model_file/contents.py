"""What a model file may hold, checked before anything in it is built.

A model file is a zip archive: arrays as ``.npy`` parts, ``schema.json`` that says how
skops puts them together, and ``isvmde.json`` about the model.
"""

import importlib
import inspect
import io
import json
import zipfile
from collections import OrderedDict
from collections.abc import Collection, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from isvmde import __version__
from isvmde.archive import ArchiveError, read_array, read_parts

NOTES, _SCHEMA = "isvmde.json", "schema.json"
FORMAT = 2
ABOUT = {"target": str, "numeric": list, "nominal": list, "notes": dict, "version": str}
_LARGEST_SCHEMA = 64_000_000  # bytes; a text of the schema takes about 100
_DEEPEST = 150  # levels of the schema; a usual pipeline has 30
_GENERATOR_SIZE = 624  # words of a Mersenne twister

# Prediction with these is NumPy and SciPy: whatever numbers a file gives them, they
# compute or raise. Trees, neighbours and LIBSVM index memory with numbers from the
# file, so they have to be trusted by name.
_SKLEARN = (
    "calibration compose covariance decomposition discriminant_analysis dummy ensemble "
    "feature_extraction feature_extraction.text feature_selection frozen impute "
    "kernel_approximation linear_model model_selection multiclass naive_bayes pipeline "
    "preprocessing random_projection"
)
_OWN = ("isvmde", "isvmde.baselines", "isvmde.model_selection", "isvmde.tables")
_CLASSES_OF = (*(f"sklearn.{name}" for name in _SKLEARN.split()), *_OWN)
_INNER = {  # parts of the above that have no public name
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.metrics._scorer._Scorer",
}
_FUNCTIONS = (
    "sklearn.feature_selection sklearn.metrics sklearn.preprocessing isvmde.metrics"
)
_UFUNCS_OF = ("numpy.", "scipy.special.")  # skops knows which are element-wise
_OTHER = (np.void, np.object_)
_SCALARS = {kind for kind in np.sctypeDict.values() if not issubclass(kind, _OTHER)}
_TYPES = (bool, bytes, float, int, str, object, type(None), np.object_)
_ABSTRACT = (np.number, np.integer, np.floating, np.generic)
_BY_LOADER: dict[str, tuple[Any, ...]] = {
    "DictNode": (dict, OrderedDict, Bunch),
    "ListNode": (list,),
    "TupleNode": (tuple,),
    "SetNode": (set,),
    "SliceNode": (slice,),
    "JsonNode": (str,),
    "NdArrayNode": (np.ndarray, *_SCALARS),
    "MaskedArrayNode": ("numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"),
    "DTypeNode": (np.dtype,),
    "RandomStateNode": (np.random.RandomState,),
    "TypeNode": (*_TYPES, *_ABSTRACT, *_SCALARS),
}


class ModelFileError(ArchiveError):
    """A file that is no model of this version of isvmde; the message says why.

    ``foreign`` names the types in it that isvmde does not know and nobody trusted.
    """

    def __init__(self, message: str, foreign: Collection[str] = ()) -> None:
        super().__init__(message)
        self.foreign = sorted(foreign)


def read_contents(path: Path, trusted: Iterable[Any]) -> tuple[dict[str, Any], Any]:
    """Return what a file says of its model, and the model; all checked before."""
    skops_io = import_skops()
    if not zipfile.is_zipfile(path):
        raise ModelFileError("is no model file, or only a part of one")
    parts = read_parts(path)
    if NOTES not in parts or _SCHEMA not in parts:
        raise ModelFileError("was not saved by isvmde")
    if len(parts[_SCHEMA]) > _LARGEST_SCHEMA:
        raise ModelFileError("has a schema that is too large to be a model's")
    notes, schema = json.loads(parts.pop(NOTES)), json.loads(parts.pop(_SCHEMA))
    about = _read_notes(notes)
    with zipfile.ZipFile(io.BytesIO(skops_io.dumps(None))) as written:
        protocol = json.loads(written.read(_SCHEMA))["protocol"]
    if schema["protocol"] != protocol:
        raise ModelFileError("was written by another version of skops")
    check = _SchemaCheck({name_of(thing) for thing in trusted})
    clean = check.cleaned(schema)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(_SCHEMA, json.dumps(clean))
        for name, content in parts.items():
            if name.endswith(".npy"):
                read_array(content)
            archive.writestr(name, content)
    data = buffer.getvalue()
    foreign = check.foreign or {*skops_io.get_untrusted_types(data=data)} - check.known
    if foreign:
        listed = ", ".join(f"{name:.80}" for name in sorted(foreign)[:9])
        raise ModelFileError(f"holds types isvmde does not load: {listed}", foreign)
    return about, skops_io.loads(data, trusted=sorted(check.known))


def _read_notes(notes: Any) -> dict[str, Any]:
    """Return what the file says about the model, or refuse what no model says."""
    about = notes["model"]
    saved_by = str(about["version"])[:20]
    # Fitted attributes may change with any minor version until 1.0.
    minor = __version__.split(".")[:2]
    if notes["format"] != FORMAT or saved_by.split(".")[:2] != minor:
        raise ModelFileError(
            f"was saved by isvmde {saved_by} and this is {__version__}: "
            f"install isvmde {saved_by}, or fit the model again"
        )
    if {name: type(value) for name, value in about.items()} != ABOUT:
        raise ModelFileError("is damaged: what it says about the model is not complete")
    return dict(about)


def import_skops() -> Any:
    """Import skops, or say how to get it."""
    try:
        import skops.io
    except ImportError as error:
        raise ImportError("model files need skops: install isvmde[persist]") from error
    return skops.io


class _SchemaCheck:
    """Goes through a schema and notes what is foreign."""

    def __init__(self, trusted: Collection[str]) -> None:
        self.trusted = trusted
        self.known: set[str] = set()
        self.foreign: set[str] = set()

    def cleaned(self, value: Any, depth: int = 0) -> Any:
        """Return a part of the schema as it may be given to skops."""
        if depth > _DEEPEST:
            raise ModelFileError("is nested too deeply to be a model")
        if isinstance(value, list):
            return [self.cleaned(item, depth + 1) for item in value]
        if not isinstance(value, dict):
            return value
        clean = {  # without references between nodes: no circles, no endless walks
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
        known = name if name in self.trusted else _known_name(loader, name)
        if known:
            self.known.add(known)
            node["__module__"], _, node["__class__"] = known.rpartition(".")
        elif loader != "FunctionNode" or not name.startswith(_UFUNCS_OF):
            self.foreign.add(name)
            return
        allowed = True
        if loader == "DictNode":  # keys are made by their types, not by any function
            made_by = [kind["__loader__"] for kind in node["key_types"]["content"]]
            allowed = made_by == ["TypeNode"] * len(node["content"])
        elif loader == "JsonNode":
            allowed = not isinstance(json.loads(node["content"]), (list, dict))
        elif loader == "RandomStateNode":  # it points into its own words
            state = node["content"]["content"]["state"]["content"]
            allowed = 0 <= json.loads(state["pos"]["content"]) <= _GENERATOR_SIZE
        elif loader == "NdArrayNode" and node.get("type") == "numpy":
            allowed = node["file"].endswith(".npy")
            node["__id__"] = f"{name} {node['file']}"  # one array, used twice or not
        if not allowed:
            raise ModelFileError("is damaged: a part of it is not as isvmde writes it")


@lru_cache(1000)
def _known_name(loader: str, name: str) -> str | None:
    """Return the name of what a node of this kind may hold, as it is called now."""
    if loader == "ObjectNode":
        return name if name in _INNER else _offered(name, _CLASSES_OF, inspect.isclass)
    if loader == "FunctionNode":  # all only compute
        return _offered(name, _FUNCTIONS.split(), inspect.isfunction)
    return name if name in map(name_of, _BY_LOADER.get(loader, ())) else None


def _offered(name: str, packages: Iterable[str], is_kind: Any) -> str | None:
    """Return the name of a public thing of this kind; ours may have moved."""
    last = name.rpartition(".")[2]
    for package in packages:
        if name.startswith(f"{package}.") and not last.startswith("_"):
            try:
                thing = getattr(importlib.import_module(package), last, None)
            except ImportError:  # of another version of scikit-learn, or experimental
                continue
            now = name_of(thing) if is_kind(thing) else ""
            if now == name or now.startswith("isvmde."):
                return now
    return None


def name_of(thing: Any) -> str:
    """Return the name under which skops keeps a class or function."""
    return thing if isinstance(thing, str) else f"{thing.__module__}.{thing.__name__}"
