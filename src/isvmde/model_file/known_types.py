"""The types and functions a model file may hold without being trusted by name.

Prediction with the estimators below is NumPy and SciPy: whatever numbers a file gives
them, they compute or raise. Trees, neighbours and LIBSVM index memory with numbers
from the file, so they have to be trusted by name.
"""

from __future__ import annotations

import importlib
import inspect
from functools import cache
from typing import Any

import numpy as np

_CLASSES_OF = (
    "sklearn.calibration",
    "sklearn.compose",
    "sklearn.covariance",
    "sklearn.decomposition",
    "sklearn.discriminant_analysis",
    "sklearn.dummy",
    "sklearn.ensemble",
    "sklearn.feature_extraction",
    "sklearn.feature_extraction.text",
    "sklearn.feature_selection",
    "sklearn.frozen",
    "sklearn.impute",
    "sklearn.kernel_approximation",
    "sklearn.linear_model",
    "sklearn.model_selection",
    "sklearn.multiclass",
    "sklearn.naive_bayes",
    "sklearn.pipeline",
    "sklearn.preprocessing",
    "sklearn.random_projection",
    "isvmde",
    "isvmde.baselines",
    "isvmde.datasets",
    "isvmde.tables",
)
_FUNCTIONS_OF = (
    "sklearn.feature_selection",
    "sklearn.metrics",
    "sklearn.preprocessing",
    "isvmde.metrics",
)
_UFUNCS_OF = ("numpy.", "scipy.special.")
# parts of the above that have no public name
_INNER = {
    "sklearn.calibration._CalibratedClassifier",
    "sklearn.calibration._SigmoidCalibration",
    "sklearn.compose._column_transformer._RemainderColsList",
    "sklearn.metrics._scorer._Scorer",
}
_SCALARS = {
    f"numpy.{kind.__name__}"
    for kind in np.sctypeDict.values()
    if not issubclass(kind, (np.void, np.object_))
}
_PLAIN = {f"builtins.{name}" for name in ("bool", "bytes", "float", "int", "str")}

KEY_TYPES = _PLAIN | _SCALARS
"""What the keys of a dict may be."""

_BY_LOADER = {
    "DictNode": {
        "builtins.dict",
        "collections.OrderedDict",
        "sklearn.utils._bunch.Bunch",
    },
    "ListNode": {"builtins.list"},
    "TupleNode": {"builtins.tuple"},
    "SetNode": {"builtins.set"},
    "SliceNode": {"builtins.slice"},
    "JsonNode": {"builtins.str"},
    "NdArrayNode": {"numpy.ndarray"} | _SCALARS,
    "MaskedArrayNode": {"numpy.ma.MaskedArray", "numpy.ma.core.MaskedArray"},
    "DTypeNode": {"numpy.dtype"},
    "RandomStateNode": {"numpy.random.mtrand.RandomState"},
    "TypeNode": KEY_TYPES
    | {"builtins.object", "builtins.NoneType", "numpy.object_"}
    | {f"numpy.{kind}" for kind in ("number", "integer", "floating", "generic")},
}


def is_known(loader: str, name: str) -> bool:
    """Tell whether a node of this kind may hold the type or function of this name."""
    if loader == "ObjectNode":
        return name in known_classes()
    if loader == "FunctionNode":
        # of NumPy and SciPy, skops knows which ones are element-wise functions
        return name in known_functions() or name.startswith(_UFUNCS_OF)
    return name in _BY_LOADER.get(loader, ())


@cache
def known_classes() -> frozenset[str]:
    """Return the names of the classes whose objects may be built."""
    found = (thing for module in _CLASSES_OF for thing in _public(module))
    return frozenset(map(name_of, filter(inspect.isclass, found))) | _INNER


@cache
def known_functions() -> frozenset[str]:
    """Return the names of the functions a file may refer to; all only compute."""
    found = (thing for module in _FUNCTIONS_OF for thing in _public(module))
    return frozenset(map(name_of, filter(inspect.isfunction, found)))


def all_known() -> set[str]:
    """Return every name, for skops to trust."""
    return set().union(known_classes(), known_functions(), *_BY_LOADER.values())


def name_of(thing: Any) -> str:
    """Return the name under which skops keeps a class or function."""
    return thing if isinstance(thing, str) else f"{thing.__module__}.{thing.__name__}"


def _public(module_name: str) -> list[Any]:
    """Return what a module offers; scikit-learn's experimental names need asking."""
    try:
        module = importlib.import_module(module_name)
    except ImportError:  # a part that this version of scikit-learn does not have
        return []
    own = [n for n, t in vars(module).items() if _is_own(t, module_name, n)]
    found = []
    for name in getattr(module, "__all__", own):
        try:
            found.append(getattr(module, name))
        except ImportError:
            continue
    return found


def _is_own(thing: Any, module_name: str, name: str) -> bool:
    """Tell whether a public thing was made in this very module."""
    made_in = getattr(thing, "__module__", None)
    return made_in == module_name and not name.startswith("_")
