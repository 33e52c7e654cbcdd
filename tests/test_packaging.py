"""Wheel and source archive: what they hold, and that the wheel works on its own."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import isvmde

ROOT = Path(__file__).parents[1]

SMOKE = """
import sys
from importlib.metadata import version
import isvmde
from isvmde import ISVMDEClassifier
from isvmde.datasets import list_datasets, load_dataset, make_preprocessor

assert version("isvmde") == isvmde.__version__
assert "site-packages" in isvmde.__file__, isvmde.__file__
for name in list_datasets().index:
    assert len(load_dataset(name).target) > 100, name
zoo = load_dataset("zoo")
X = make_preprocessor(zoo).fit_transform(zoo.data)
model = ISVMDEClassifier(search="pairwise", pop_size=8, max_iter=3, random_state=0)
assert model.fit(X, zoo.target).score(X, zoo.target) > 0.9
"""


def test_the_oldest_versions_are_those_of_pyproject():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    wanted = [
        *project["project"]["dependencies"],
        *(
            one
            for some in project["project"]["optional-dependencies"].values()
            for one in some
        ),
        *project["dependency-groups"]["test"],
    ]
    lowest = (ROOT / "requirements-lowest.txt").read_text("utf-8")
    pinned = dict(re.findall(r"^([\w-]+)==([\d.]+)$", lowest, re.MULTILINE))
    for name, version in re.findall(
        r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", " ".join(wanted)
    ):
        assert f"{pinned.get(name)}.".startswith(f"{version}."), name


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Build the source archive, and the wheel from it."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder]
    done = subprocess.run([*command, ROOT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


def run(*command, folder, check=True):
    """Run a command in a folder, without this environment's settings of Python."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    done = subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    assert not check or done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(archives):
    names = zipfile.ZipFile(archives[0]).namelist()
    meta = f"isvmde-{isvmde.__version__}.dist-info"
    assert {name.split("/")[0] for name in names} == {"isvmde", meta}
    assert not [name for name in names if Path(name).name.startswith("test_")]
    assert "isvmde/py.typed" in names
    package = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/isvmde").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in names if name.startswith("isvmde/")} == package


@pytest.mark.slow
def test_the_source_archive_holds_everything(archives):
    with tarfile.open(archives[1]) as archive:
        names = {member.name.split("/", 1)[1] for member in archive if member.isfile()}
    for needed in ("tests/conftest.py", "docs/index.md", "Makefile", "LICENSE"):
        assert needed in names
    if (ROOT / ".git").exists():
        tracked = run("git", "ls-files", folder=ROOT).stdout.split()
        assert set(tracked) <= names


@pytest.mark.slow
def test_the_wheel_works_in_an_empty_environment(archives, tmp_path):
    run(sys.executable, "-m", "venv", "empty", folder=tmp_path)
    scripts = "Scripts" if sys.platform == "win32" else "bin"
    python = str(tmp_path / "empty" / scripts / "python")
    install = [python, "-m", "pip", "install", "--quiet"]
    if run(*install, "numpy", folder=tmp_path, check=False).returncode:
        pytest.skip("there is no package index to install from")
    run(*install, f"{archives[0]}[plots,cli,bench]", folder=tmp_path)
    work = tmp_path / "work"
    work.mkdir()
    run(python, "-c", SMOKE, folder=work)
    program = str(tmp_path / "empty" / scripts / "isvmde")
    assert isvmde.__version__ in run(program, "--version", folder=work).stdout
    small = ["--datasets", "zoo", "--methods", "SVM", "--preset", "quick"]
    run(program, "benchmark", "--out", "b", *small, "--jobs", "1", folder=work)
    run(program, "report", "b", folder=work)  # its templates and figures come along
    assert (work / "b" / "report.html").is_file()
