"""Mutate model files and open them: `python -m benchmarks.hostile_files [n] [seed]`.

Every mutant is loaded, used for a prediction and inspected by the command line. It may
work or be refused in one sentence; anything else is a finding.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
import sys
import tempfile
import time
import traceback
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.baselines import NBSVM, OVOSVM, GridSearchSVM
from isvmde.cli import run
from isvmde.model_file import ModelFileError, load_model, save_model
from isvmde.tables import TablePreprocessor

TOO_SLOW = 10.0  # seconds
FOREIGN_CODE = {
    "os.system",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "subprocess.Popen",
    "socket.connect",
    "os.remove",
    "os.rename",
    "ctypes.dlopen",
    "pickle.find_class",
}
NAMES = [
    ("os", "system"),
    ("builtins", "eval"),
    ("builtins", "exec"),
    ("builtins", "open"),
    ("subprocess", "check_output"),
    ("numpy", "load"),
    ("numpy", "ndarray"),
    ("numpy", "void"),
    ("functools", "partial"),
    ("operator", "methodcaller"),
    ("sklearn.svm._classes", "SVC"),
    ("sklearn.datasets", "load_files"),
    ("sklearn.pipeline", "Pipeline"),
    ("sklearn.preprocessing._data", "MinMaxScaler"),
    ("isvmde.baselines.ovo_svm", "OVOSVM"),
    ("isvmde.model_file", "load_model"),
    ("builtins", "dict"),
    ("builtins", "list"),
    ("builtins", "str"),
]
LOADERS = [
    "ObjectNode",
    "FunctionNode",
    "TypeNode",
    "MethodNode",
    "PartialNode",
    "OperatorFuncNode",
    "ConstructorFromReduceNode",
    "SparseMatrixNode",
    "TreeNode",
    "DictNode",
    "ListNode",
    "TupleNode",
    "JsonNode",
    "NdArrayNode",
    "CachedNode",
    "Nonsense",
]
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    10**30,
    1e308,
    float("nan"),
    "",
    "text",
    "null",
    "[]",
    "1e999",
    "9" * 5000,
    "x" * 100_000,
    [],
    {},
    [[[]]],
    {"a": 1},
]


def table() -> tuple[pd.DataFrame, np.ndarray]:
    """Return a small table of numbers and text, three classes."""
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], [12, 9, 5])
    X = pd.DataFrame(rng.normal(size=(26, 3)) + (y == "a")[:, None], columns=[*"uvw"])
    return X.assign(k=np.where(X["u"] > 0, "yes", "no")), y


def models() -> dict[str, Any]:
    """Return fitted pipelines of different kinds."""
    X, y = table()

    def preprocessing() -> ColumnTransformer:
        numbers = make_column_selector(dtype_include="number")
        scaled = make_pipeline(SimpleImputer(), MinMaxScaler())
        coded = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        return ColumnTransformer([("n", scaled, numbers), ("k", coded, ["k"])])

    searched = ISVMDEClassifier(pop_size=5, max_iter=1, random_state=0)
    grid = GridSearchSVM(OVOSVM(), {"C": [1.0, 10.0]}, random_state=0)
    classifiers = {
        "given": ISVMClassifier(),
        "searched": searched,
        "grid": grid,
        "rest": NBSVM(),
        "calibrated": CalibratedClassifierCV(ISVMClassifier(), cv=3),
    }
    found = {
        name: make_pipeline(preprocessing(), SelectKBest(k=3), classifier).fit(X, y)
        for name, classifier in classifiers.items()
    }
    averaged = ISVMClassifierCV(n_settings=6, random_state=0)
    found["table"] = make_pipeline(TablePreprocessor(), averaged).fit(
        X.assign(day=pd.date_range("2020-01-01", periods=len(X)).astype(str)), y
    )
    found["alone"] = ISVMClassifier(kernel="poly").fit(X[[*"uvw"]].to_numpy(), y)
    return found


def places(value: Any, parent: Any = None, key: Any = None) -> Iterator[tuple]:
    """Go through every (container, key) of a JSON value."""
    if parent is not None:
        yield parent, key
    items = value.items() if isinstance(value, dict) else ()
    items = enumerate(value) if isinstance(value, list) else items
    for inner, item in items:
        yield from places(item, value, inner)


def mutate_schema(parts: dict[str, bytes], rng: random.Random, name: str) -> str:
    """Change some places of a JSON part."""
    tree = json.loads(parts[name])
    done = []
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        spots = list(places(tree))
        if not spots:
            break
        parent, key = rng.choice(spots)
        kind = rng.choice(
            ["junk", "delete", "swap", "name", "loader", "repeat", "deep", "reference"]
        )
        nodes = [p[k] for p, k in spots if isinstance(p[k], dict)]
        node = rng.choice(nodes or [{}])
        if kind == "junk":
            parent[key] = copy.deepcopy(rng.choice(JUNK))
        elif kind == "delete":
            del parent[key]
        elif kind == "swap":
            other, place = rng.choice(spots)
            parent[key] = copy.deepcopy(other[place])
        elif kind == "name":
            node["__module__"], node["__class__"] = rng.choice(NAMES)
        elif kind == "loader":
            node["__loader__"] = rng.choice(LOADERS)
        elif kind == "repeat":
            parent[key] = [copy.deepcopy(parent[key])] * rng.choice([2, 50])
        elif kind == "deep":
            for _ in range(rng.choice([3, 30, 90])):
                parent[key] = {
                    "__class__": "list",
                    "__module__": "builtins",
                    "__loader__": "ListNode",
                    "content": [parent[key]],
                }
        else:
            ids = [n["__id__"] for n in nodes if "__id__" in n] or [1]
            parent[key] = {"__id__": rng.choice(ids)}
        done.append(kind)
    parts[name] = json.dumps(tree).encode()
    return f"{name}: {' '.join(done)}"


def mutate_array(parts: dict[str, bytes], rng: random.Random) -> str:
    """Change the shape, the kind or the numbers of one array."""
    name = rng.choice([n for n in parts if n.endswith(".npy")])
    array = np.load(io.BytesIO(parts[name]))
    kind = rng.choice(["shape", "kind", "values", "header", "text", "empty"])
    if kind == "header":
        lie = rng.choice([b"(9999999999999,)", b"(0,)", b"()", b"(-1,)"])
        changed = parts[name].replace(str(array.shape).encode(), lie, 1)
        parts[name] = changed
        return f"array: {kind}"
    if kind == "shape":
        array = np.resize(array, rng.choice([(1,), (3, 2), (), (2, 2, 2), (1000,)]))
    elif kind == "kind":
        wanted = rng.choice(["<i8", "<f4", "<c16", "?", "<M8[s]", "<U3"])
        array = np.zeros(array.shape, dtype=wanted)
    elif kind == "values":
        extreme = rng.choice([np.nan, np.inf, 1e308, -1, 10**6])
        with np.errstate(all="ignore"), contextlib.suppress(ValueError, OverflowError):
            array = np.full(array.shape, extreme).astype(array.dtype)
    elif kind == "text":
        array = np.full(array.shape, "x" * 50)
    else:
        array = array[:0] if array.ndim else array
    buffer = io.BytesIO()
    np.save(buffer, array)
    parts[name] = buffer.getvalue()
    return f"array: {kind}"


def mutant(content: bytes, rng: random.Random) -> tuple[bytes, str]:
    """Return a changed file and what was done to it."""
    kind = rng.choice(["schema"] * 5 + ["array"] * 3 + ["notes", "bytes", "zip"])
    if kind == "bytes":
        changed = bytearray(content)
        if rng.random() < 0.3:
            return bytes(changed[: rng.randrange(len(changed))]), "bytes: cut"
        for _ in range(rng.choice([1, 8, 200])):
            changed[rng.randrange(len(changed))] = rng.randrange(256)
        return bytes(changed), "bytes: changed"
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    how, compression = kind, zipfile.ZIP_STORED
    if kind == "schema":
        how = mutate_schema(parts, rng, "schema.json")
    elif kind == "notes":
        how = mutate_schema(parts, rng, "isvmde.json")
    elif kind == "array":
        how = mutate_array(parts, rng)
    else:
        how = rng.choice(["zip: bomb", "zip: compressed", "zip: missing", "zip: more"])
        if how == "zip: missing":
            del parts[rng.choice(list(parts))]
        elif how == "zip: more":
            parts["../../outside.npy"] = b"x"
        else:
            compression = zipfile.ZIP_DEFLATED
        if how == "zip: bomb":
            parts[rng.choice(list(parts))] = bytes(30_000_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue(), how


def judge(path: Path, rows: Path) -> str:
    """Open a file in every way; return what came of it, a finding with a '!'."""
    began = time.perf_counter()
    outcome = "loaded"
    try:
        model = load_model(path)
        X, _ = table()
        with contextlib.suppress(ValueError):
            model.predict_proba(model.align(X))
    except ModelFileError as error:
        outcome = "refused"
        if "\n" in str(error) or len(str(error)) > 1000:
            return f"! long message: {str(error)[:200]}"
    except Exception:
        return "! load: " + traceback.format_exc()[-1500:]
    for arguments in (
        ["inspect", str(path)],
        ["predict", str(path), str(rows), "--proba"],
        ["explain", str(path), str(rows), "--row", "2"],
    ):
        out, err = io.StringIO(), io.StringIO()
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = run(arguments)
        except Exception:
            return f"! {arguments[0]}: " + traceback.format_exc()[-1500:]
        if code not in (0, 2):
            return f"! {arguments[0]}: exit code {code}"
        if "Warning" in err.getvalue() or err.getvalue().count("\n") > 12:
            return f"! {arguments[0]} said: {err.getvalue()[:500]}"
    seconds = time.perf_counter() - began
    return outcome if seconds < TOO_SLOW else f"! {seconds:.1f} s"


def attack(n: int, seed: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Yield what was done to each of n files and what came of it."""
    rng = random.Random(seed)
    X, _ = table()
    rows = folder / "rows.csv"
    X.assign(day="2020-01-05").to_csv(rows, index=False)
    originals = [
        save_model(model, folder / f"{name}.skops").read_bytes()
        for name, model in models().items()
    ]
    ran: list[str] = []
    watching = False
    sys.addaudithook(lambda event, _: ran.append(event) if watching else None)
    path = folder / "mutant.skops"
    for _ in range(n):
        content, how = mutant(rng.choice(originals), rng)
        path.write_bytes(content)
        ran.clear()
        watching = True
        outcome = judge(path, rows)
        watching = False
        foreign = FOREIGN_CODE & set(ran)
        yield how, f"! ran {sorted(foreign)}" if foreign else outcome


def main(arguments: list[str]) -> int:
    """Attack, print every finding and a table."""
    n, seed = ([int(a) for a in arguments] + [3000, 0][len(arguments) :])[:2]
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for number, (how, outcome) in enumerate(attack(n, seed, Path(folder))):
            if outcome.startswith("!"):
                print(f"file {number}, {how}\n{outcome}\n", flush=True)
            kind = "finding" if outcome.startswith("!") else outcome
            counts[how.split()[0], kind] += 1
    print(
        "| changed | files | refused | loaded | findings |\n|---|---:|---:|---:|---:|"
    )
    for what in sorted({what for what, _ in counts}):
        row = [counts[what, k] for k in ("refused", "loaded", "finding")]
        print(
            f"| {what.rstrip(':')} | {sum(row)} | " + " | ".join(map(str, row)) + " |"
        )
    return int(any(kind == "finding" for _, kind in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
