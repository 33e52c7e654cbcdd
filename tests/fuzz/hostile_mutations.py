"""Changes of a model file: its description, its arrays, its bytes, its archive."""

import contextlib
import copy
import io
import json
import random
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

CLASSES = [
    *("isvmde.ISVMClassifier", "isvmde.ISVMClassifierCV", "isvmde.baselines.OVOSVM"),
    *("isvmde.baselines.NBSVM", "isvmde.tables.TablePreprocessor", "isvmde.load_model"),
    *("sklearn.pipeline.Pipeline", "sklearn.preprocessing.MinMaxScaler"),
    *("sklearn.preprocessing.OneHotEncoder", "sklearn.compose.ColumnTransformer"),
    *("sklearn.frozen.FrozenEstimator", "sklearn.ensemble.VotingClassifier"),
    *("sklearn.svm.SVC", "sklearn.feature_extraction.text.CountVectorizer"),
    *("builtins.object", "os.system", "subprocess.Popen", "sklearn.utils.Bunch", ""),
]
FUNCTIONS = [
    *("os.system", "builtins.eval", "builtins.open", "numpy.load", "numpy.add"),
    *("numpy.rint", "numpy.positive", "scipy.special.expit", "isvmde.metrics.g_mean"),
    *("sklearn.metrics.accuracy_score", "sklearn.datasets.load_files", "rint", ""),
]
METHODS = [
    *("predict", "transform", "_checked_rows", "_pair_decisions", "__class__"),
    *("__dict__", "_more_tags", "get_params", "classes_", "n_features_in_"),
    *("steps", "sparse_output", "kw_args", "categories_", "_machines", "n_jobs"),
]
NUMBERS = [
    0,
    1,
    2,
    3,
    4,
    7,
    -1,
    -2,
    10**3,
    10**6,
    10**9,
    10**12,
    2**31,
    2**62,
    -(2**62),
]
JUNK: list[Any] = [
    *(None, True, False, 0.5, 1e308, -1e308, float("nan"), float("inf"), 1e-320),
    *("", "text", "pass", "drop", "passthrough", "filename", "/etc/passwd"),
    *("9" * 5000, "x" * 100_000, [], {}, [[[]]], {"tuple": []}, {"dict": []}),
    *({"dict": [["a", 1]]}, {"dtype": "<f8"}, {"dtype": "O"}, {"dtype": "<U9999999"}),
    *({"type": "numpy.float64"}, {"type": "object"}, {"slice": [0, 10**12, None]}),
    *({"array": "arrays/0.npy"}, {"box": "arrays/0.npy"}, {"set": [1]}, 10**30),
    *({"objects": [1, "a", None], "shape": [3]}, {"scalar": 3, "dtype": "<i8"}),
    {"scalar": 0.5, "dtype": "<f4"},
]
DTYPES = ["<i8", "<i4", "<f8", "<f4", "<f2", "<c16", "?", "<M8[s]", "<U3", ">f8", "S2"]


def places(value: Any, parent: Any = None, key: Any = None) -> Iterator[tuple]:
    """Go through every (container, key) of a JSON value."""
    if parent is not None:
        yield parent, key
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for inner, item in items:
        yield from places(item, value, inner)


def _change_description(
    parts: dict[str, bytes], others: dict[str, bytes], rng: random.Random
) -> str:
    """Change some places of the description."""
    tree = json.loads(parts["isvmde.json"])
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        branch = rng.choice(["pipeline"] * 8 + ["model", "all of it"])
        spots = list(places(tree.get(branch, tree)))
        if not spots:
            break
        parent, key = rng.choice(spots)
        found = [p[k] for p, k in spots if isinstance(p[k], dict)]
        objects = [one for one in found if "attributes" in one and "class" in one]
        one = rng.choice(objects or [{"class": "", "attributes": {}}])
        kind = rng.choice(_DESCRIBED)
        attributes = one["attributes"] if isinstance(one["attributes"], dict) else {}
        names = list(attributes) or [""]
        if kind == "junk":
            parent[key] = copy.deepcopy(rng.choice(JUNK))
        elif kind == "attribute":
            attributes[rng.choice(names)] = copy.deepcopy(rng.choice(JUNK))
        elif kind == "number":
            whole = [(p, k) for p, k in spots if type(p[k]) is int]
            parent, key = rng.choice(whole or [(parent, key)])
            near = isinstance(parent[key], int) and rng.random() < 0.3
            parent[key] = parent[key] + rng.choice([-1, 1]) if near else _number(rng)
        elif kind == "delete":
            del parent[key]
        elif kind == "forget":
            attributes.pop(rng.choice(names), None)
        elif kind == "swap":
            other, place = rng.choice(spots)
            parent[key] = copy.deepcopy(other[place])
        elif kind == "exchange":
            other = rng.choice(objects or [one])["attributes"]
            name = rng.choice(names)
            if isinstance(other, dict) and other:
                attributes[name] = copy.deepcopy(other[rng.choice(list(other))])
        elif kind == "graft":
            spare = json.loads(others["isvmde.json"])["pipeline"]
            theirs = [p[k] for p, k in places(spare) if isinstance(p[k], dict)]
            parent[key] = copy.deepcopy(rng.choice(theirs))
        elif kind == "class":
            one["class"] = rng.choice(CLASSES)
        elif kind == "function":
            attributes[rng.choice(names)] = {"function": rng.choice(FUNCTIONS)}
        elif kind == "method":
            value = rng.choice([{"function": rng.choice(FUNCTIONS)}, 1, "x", None])
            attributes[rng.choice(METHODS)] = value
        elif kind == "array":
            arrays = [one for one in found if "array" in one]
            chosen = rng.choice(arrays or [{}])
            chosen["array"] = rng.choice([n for n in parts if n.endswith(".npy")])
        elif kind == "repeat":
            parent[key] = [copy.deepcopy(parent[key])] * rng.choice([2, 50])
        elif kind == "deep":
            for _ in range(rng.choice([3, 30, 90])):
                parent[key] = [parent[key]]
        done.append(kind)
    parts["isvmde.json"] = json.dumps(tree).encode()
    return f"description: {' '.join(done)}"


_DESCRIBED = [
    *("junk", "attribute", "attribute", "number", "number", "number", "delete"),
    *("forget", "swap", "exchange", "exchange", "graft", "class", "function"),
    *("method", "array", "array", "repeat", "deep"),
]


_ARRAYS = [
    *("shape", "kind", "values", "one", "one", "one", "shift", "order", "header"),
    *("text", "empty", "shorter", "longer", "exchange"),
]


def _number(rng: random.Random) -> int:
    return rng.choice(NUMBERS)


def _change_array(
    parts: dict[str, bytes], others: dict[str, bytes], rng: random.Random
) -> str:
    """Change the shape, the kind or the numbers of some arrays."""
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        name = rng.choice([n for n in parts if n.endswith(".npy")] or [""])
        if not name:
            break
        try:
            array = np.load(io.BytesIO(parts[name]))
        except (ValueError, MemoryError):  # its header lies already
            continue
        kind = rng.choice(_ARRAYS)
        done.append(kind)
        if kind == "header":
            lies = [b"(9999999999999,)", b"(0,)", b"()", b"(-1,)", b"(2, 2)"]
            shape = str(array.shape).encode()
            parts[name] = parts[name].replace(shape, rng.choice(lies), 1)
            continue
        if kind == "exchange":
            other = rng.choice([n for n in parts if n.endswith(".npy")])
            parts[name], parts[other] = parts[other], parts[name]
            continue
        with np.errstate(all="ignore"):
            changed = _changed(array, kind, rng)
        buffer = io.BytesIO()
        np.save(buffer, changed)
        parts[name] = buffer.getvalue()
    return f"array: {' '.join(done)}"


def _changed(array: np.ndarray, kind: str, rng: random.Random) -> np.ndarray:
    """Return an array that is changed in one way."""
    if kind == "shape":
        sizes = [(1,), (3, 2), (), (2, 2, 2), (1000,), (0, 3), (0, 10**6)]
        return np.resize(array, rng.choice(sizes))
    if kind == "kind":
        with contextlib.suppress(ValueError):
            return array.astype(rng.choice(DTYPES))
        return np.zeros(array.shape, dtype=rng.choice(DTYPES))
    if kind == "text":
        return np.full(array.shape, "x" * rng.choice([50, 200_000]))
    if kind == "empty":
        return array[:0] if array.ndim else array
    if kind == "shorter":
        return array[:-1] if array.ndim else array
    if kind == "longer":
        return np.concatenate([array, array[-1:]]) if array.ndim else array
    array = array.copy()
    if kind == "order" and array.ndim:
        return np.ascontiguousarray(array[::-1])
    extreme = rng.choice([np.nan, np.inf, -np.inf, 1e308, 1e-320, *NUMBERS])
    with contextlib.suppress(ValueError, OverflowError, TypeError):
        if kind == "shift":
            return array + rng.choice([-1, 1, 0.5, 10**6])
        if kind == "one" and array.size:
            place = rng.randrange(array.size)
            near = array.dtype.kind == "i" and rng.random() < 0.5
            array.flat[place] += rng.choice([-1, 1]) if near else 0
            array.flat[place] = array.flat[place] if near else extreme
            return array
        array[...] = extreme
    return array


def _change_bytes(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Cut a file, or overwrite some of its bytes."""
    changed = bytearray(content)
    if rng.random() < 0.3:
        return bytes(changed[: rng.randrange(len(changed))]), "bytes: cut"
    for _ in range(rng.choice([1, 8, 200])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed), "bytes: changed"


def _change_archive(
    parts: dict[str, bytes], others: dict[str, bytes], rng: random.Random
) -> tuple[str, int]:
    """Change which parts there are, or how they are stored."""
    how = rng.choice(["bomb", "compressed", "missing", "more", "box", "graft"])
    if how == "missing":
        del parts[rng.choice(list(parts))]
    elif how == "more":
        parts["../../outside.npy"] = b"x"
    elif how == "box":
        boxes = [name for name in parts if name.startswith("boxes/")]
        name = rng.choice(boxes or ["boxes/0.skops"])
        content = bytearray(parts.get(name, b"PK"))
        content[rng.randrange(len(content))] = rng.randrange(256)
        parts[name] = bytes(content)
    elif how == "graft":
        arrays = [name for name in others if name.endswith(".npy")]
        for name in rng.sample(arrays, min(len(arrays), rng.choice([1, 3, 30]))):
            parts[name] = others[name]
    if how == "bomb":
        parts[rng.choice(list(parts))] = bytes(30_000_000)
    stored = how not in ("bomb", "compressed")
    kind = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
    return f"archive: {how}", kind


def parts_of(content: bytes) -> dict[str, bytes]:
    """Return the parts of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def mutant(content: bytes, other: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Return a changed file and what was done; ``other`` is a file to take from."""
    kind = rng.choice(
        ["description"] * 6 + ["array"] * 4 + ["both", "bytes", "archive"]
    )
    if kind == "bytes":
        return _change_bytes(content, rng)
    parts, others = parts_of(content), parts_of(other)
    how, compression = "", zipfile.ZIP_STORED
    if kind in ("description", "both"):
        how = _change_description(parts, others, rng)
    if kind in ("array", "both"):
        how = f"{how} {_change_array(parts, others, rng)}".strip()
    if kind == "archive":
        how, compression = _change_archive(parts, others, rng)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue(), how
