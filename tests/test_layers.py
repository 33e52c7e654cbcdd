"""Imports go one way; the core knows arrays only."""

import ast
import re
from pathlib import Path

import pytest

import isvmde

ROOT = Path(isvmde.__file__).parent
LEAVES = {"decisions", "metrics", "model_selection", "nested", "stats", "datasets"}
LEAVES |= {"importance", "published"}
CLASSIFIERS = {"classifiers", "baselines"}
# Every part of the package and what it may import of the package.
ALLOWED = {
    "core": set(),
    **{leaf: set() for leaf in LEAVES},
    "decisions": {"nested"},  # for the classifier in a pipeline
    "datasets": {"model_selection"},  # for its public names
    "tables": {"caller", "datasets"},  # for its reader of KEEL files
    "archive": set(),
    "caller": set(),
    "escaping": set(),
    "exceptions": set(),
    "jobs": set(),
    "writing": set(),
    "baselines": {"classifiers", "core", "jobs", "metrics", "model_selection"},
    "classifiers": {"archive", "caller", "core", "decisions", "jobs", "metrics"}
    | {"exceptions", "writing"},
    "plots": LEAVES | {"core", "escaping"},  # for its table of kernels
    "methods": CLASSIFIERS | LEAVES,
    "competitors": LEAVES,
    "method_choice": {"competitors", "methods"},
    "model_file": CLASSIFIERS | LEAVES | {"archive", "core", "tables", "writing"},
    "onnx": CLASSIFIERS | LEAVES | {"core"},
    "bench": CLASSIFIERS
    | LEAVES
    | {"caller", "core", "escaping", "jobs", "method_choice", "methods"}
    | {"plots", "tables", "writing"},
    "cli": CLASSIFIERS
    | LEAVES
    | {"bench", "competitors", "core", "method_choice", "methods", "model_file"}
    | {"onnx"}
    | {"escaping", "exceptions", "plots", "tables", "writing"},
    "__init__": CLASSIFIERS,
    "__main__": {"cli"},
}
# What `from isvmde import ...` stands for.
EXPORTED = {
    "ISVMClassifier": "classifiers",
    "ISVMClassifierCV": "classifiers",
    "ISVMDEClassifier": "classifiers",
}


def imported_names(path, top=ROOT):
    """Return the full dotted name of everything a file imports, wherever in it."""
    package = (top.name, *path.relative_to(top).parts[:-1])
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else ()
            module = (*above, *(node.module.split(".") if node.module else ()))
            yield from (".".join((*module, alias.name)) for alias in node.names)


def part_of(path):
    """Return the part of the package a file belongs to."""
    return path.relative_to(ROOT).with_suffix("").parts[0]


FILES = sorted(ROOT.rglob("*.py"))


def test_every_part_is_in_the_plan():
    assert {part_of(path) for path in FILES} <= set(ALLOWED)


def test_imports_go_one_way():
    for path in FILES:
        own = part_of(path)
        for name in imported_names(path):
            package, *rest = name.split(".")
            if package != "isvmde" or not rest or rest[0] == "__version__":
                continue
            target = EXPORTED.get(rest[0], rest[0])
            assert target == own or target in ALLOWED[own], f"{path} imports {name}"


def test_the_plan_has_no_circle():
    """Peel off what imports nothing that is left; nothing may remain."""
    left = {part: set(allowed) for part, allowed in ALLOWED.items()}
    while left:
        free = [part for part, allowed in left.items() if not allowed & set(left)]
        assert free, left
        for part in free:
            del left[part]


def test_the_core_knows_arrays_only():
    """No scikit-learn, no pandas, no printing; files only for compiled code."""
    for path in FILES:
        if part_of(path) != "core":
            continue
        packages = {name.split(".")[0] for name in imported_names(path)}
        foreign = {"sklearn", "joblib", "pandas", "matplotlib", "warnings"}
        assert not packages & foreign, path
        tree = ast.parse(path.read_text(encoding="utf-8"))
        called = {
            node.func.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert "print" not in called, path
        if path.name != "compilation.py":  # the cache of machine code
            assert "open" not in called, path
            assert not packages & {"pathlib", "os", "io", "shutil"}, path


def test_the_architecture_names_files_that_are_there_and_every_room():
    repository = ROOT.parents[1]
    page = repository / "docs/architecture.md"
    if not page.exists():
        pytest.skip("needs the repository")
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_/]+(?:\.py|/))`", text))
    known = [f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("*.*")]
    known += [f"{name.rpartition('/')[0]}/" for name in known]
    outside = ("tests/", "research/", "scripts/", "benchmarks/")
    for name in named:
        if name.startswith(outside):
            assert (repository / name).exists(), name
        else:
            assert any(path.endswith(f"/{name}") for path in known), name
    walk = text[text.index("## From a csv") : text.index("## core")]
    rooms = {part_of(path) for path in FILES}
    rooms -= {"__init__", "__main__", "archive", "caller", "escaping", "jobs"}
    rooms -= {"exceptions", "writing"}
    assert {room for room in rooms if not re.search(rf"`{room}[/.]", walk)} == set()


def test_only_public_scikit_learn():
    """A name with an underscore may move any day."""
    for path in FILES:
        for name in imported_names(path):
            if name.startswith("sklearn"):
                private = [part for part in name.split(".") if part.startswith("_")]
                assert not private, f"{path} imports {name}"


TESTS = Path(__file__).parent


def test_tests_stand_where_what_they_test_stands():
    """Folders are those of the package, or else of the repository."""
    of_the_package = {path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")}
    of_the_repository = {"docs", "examples", "benchmarks", "research", "scripts"}
    for path in TESTS.rglob("*.py"):
        folder = path.parent.relative_to(TESTS).as_posix()
        assert folder in of_the_package | of_the_repository | {".", "fuzz"}, path
    whole_package = {"layers", "packaging", "public_api", "startup"}
    modules = {path.stem for path in ROOT.glob("*.py")}
    alone = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert alone <= modules | whole_package


def test_no_test_imports_another_test():
    """What two of them need stands in a conftest.py or a module that is not a test."""
    tests = {path.stem for path in TESTS.rglob("test_*.py")}
    for path in TESTS.rglob("*.py"):
        for name in imported_names(path, TESTS):
            assert not tests & set(name.split(".")), f"{path} imports {name}"


def test_no_test_imports_another():
    """What tests share is in a conftest or in a file that holds no tests."""
    tests = ROOT.parents[1] / "tests"
    if not tests.is_dir():
        pytest.skip("needs the repository")
    for path in tests.rglob("*.py"):
        for name in imported_names(path, tests):
            parts = name.split(".")
            assert not any(part.startswith("test_") for part in parts), path
