"""The public names, and what importing them costs."""

import importlib
import inspect
import itertools
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import isvmde

SOURCE = Path(isvmde.__file__).parents[1]
PUBLIC = [
    "isvmde",
    "isvmde.baselines",
    "isvmde.bench",
    "isvmde.competitors",
    "isvmde.datasets",
    "isvmde.decisions",
    "isvmde.importance",
    "isvmde.method_choice",
    "isvmde.methods",
    "isvmde.metrics",
    "isvmde.model_selection",
    "isvmde.plots",
    "isvmde.published",
    "isvmde.stats",
    "isvmde.tables",
]
CONTRACT = {
    "isvmde": [
        "ISVMClassifier",
        "ISVMClassifierCV",
        "ISVMDEClassifier",
        "warm_up",
    ],
    "isvmde.methods": ["METHODS", "make_method"],
    "isvmde.baselines": [
        "CostSVM",
        "NBSVM",
        "OVOSVM",
        "PPSVM",
        "SDCSVM",
        "StaticSMOTESVM",
        "WKSMOTESVM",
    ],
    "isvmde.metrics": [
        "av_f_beta_score",
        "av_f_beta_scorer",
        "cba_score",
        "cba_scorer",
        "g_mean_score",
        "g_mean_scorer",
    ],
    "isvmde.stats": ["friedman_aligned", "holm_test", "wilcoxon_signed_rank"],
    "isvmde.datasets": [
        "DOBSCVKFold",
        "KeelKFold",
        "PaperKFold",
        "list_datasets",
        "load_dataset",
        "make_preprocessor",
        "read_keel",
    ],
    "isvmde.model_selection": ["DOBSCVKFold", "KeelKFold", "PaperKFold"],
    "isvmde.tables": ["TablePreprocessor", "read_table"],
    "isvmde.bench": ["load_results", "run_benchmark"],
}


@pytest.mark.parametrize("name", PUBLIC)
def test_all_is_sorted_and_there(name):
    module = importlib.import_module(name)
    names = module.__all__
    assert len(set(names)) == len(names)
    assert names == sorted(names, key=_rank)
    for public in names:
        assert hasattr(module, public), public


def _rank(name):
    """CONSTANTS, then Classes, then functions, as isort and ruff have it."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name


@pytest.mark.parametrize("name", CONTRACT)
def test_promised_names(name):
    module = importlib.import_module(name)
    assert set(CONTRACT[name]) <= set(module.__all__)


def test_public_functions_and_estimators_show_their_use():
    for name in PUBLIC:
        module = importlib.import_module(name)
        assert module.__doc__
        for public in module.__all__:
            value = getattr(module, public)
            if inspect.isfunction(value) or hasattr(value, "fit"):
                text = inspect.getdoc(value)
                assert ">>>" in text, f"{public} has no example"
                if inspect.signature(value).parameters:
                    assert "Parameters\n----------\n" in text, public


def entries(text, section):
    """Give the lines ``name : type`` of a section, each with the line below it."""
    found = re.search(
        rf"^{section}\n-+\n(.*?)(?=^\S[^\n]*\n-+\n|\Z)", text, re.M | re.S
    )
    lines = found[1].splitlines() if found else []
    for line, below in itertools.pairwise([*lines, ""]):
        if line and not line.startswith(" ") and "..." not in line:
            yield line, below


def test_every_parameter_and_attribute_has_its_sentence():
    for module in map(importlib.import_module, PUBLIC):
        for name in module.__all__:
            value = getattr(module, name)
            methods = inspect.getmembers(value, inspect.isfunction)
            own = [m for n, m in methods if n[0] != "_" and "isvmde" in m.__module__]
            for documented in [value, *own] if callable(value) else []:
                text = inspect.getdoc(documented) or ""
                for section in ("Parameters", "Attributes"):
                    for line, below in entries(text, section):
                        assert below.startswith(" "), f"{name}: {line}"


def test_import_is_light():
    """No benchmark, command line or plot comes along."""
    code = (
        f"import sys; sys.path.insert(0, {str(SOURCE)!r})\n"
        "import isvmde\n"
        "isvmde.ISVMDEClassifier\n"
        "print(*sorted({name for name in sys.modules if 'isvmde.' in name}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    parts = {name.split(".")[1] for name in run.stdout.split()}
    assert "core" in parts
    assert parts.isdisjoint({"bench", "cli", "plots", "methods", "datasets"})


def test_every_module_can_be_imported():
    for module in pkgutil.walk_packages(isvmde.__path__, "isvmde."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
