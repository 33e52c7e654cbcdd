"""A cache of machine code that fails costs time, and nothing else."""

import os
import shutil
import subprocess
import sys
from functools import partial

import pytest

OWN_FUNCTION = """
from isvmde.core.solver.compilation import compiled

@compiled
def twice(x):
    return 2 * x

@compiled
def thrice(x):
    return 3 * x
"""
CALLS = "from own import twice, thrice; print(twice(2.0), thrice(2.0))"


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return a folder with the functions; numba notices when their file changes."""
    folder = tmp_path_factory.mktemp("source")
    (folder / "own.py").write_text(OWN_FUNCTION)
    return folder


def run(source, cache, before="", **environment):
    """Call both functions in a new process; return what it printed and said."""
    path = os.pathsep.join([str(source), os.environ.get("PYTHONPATH", "")])
    settings = {"PYTHONPATH": path, "NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", before + CALLS],
        capture_output=True,
        text=True,
        env={**os.environ, **settings, **environment},
    )
    return done.stdout.strip(), done.stderr


@pytest.fixture
def call(source, tmp_path):
    """Return what calls the functions, with a cache of this test's own."""
    return partial(run, source, tmp_path / "cache")


@pytest.fixture(scope="module")
def filled(source, tmp_path_factory):
    """Return a cache that holds both functions."""
    cache = tmp_path_factory.mktemp("filled")
    assert run(source, cache) == ("4.0 6.0", "")
    return cache


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"\x80\x04"])
def test_damaged_files_are_built_again_with_one_line(
    call, filled, tmp_path, suffix, content
):
    shutil.copytree(filled, tmp_path / "cache")
    files = list((tmp_path / "cache").rglob(f"*{suffix}"))
    assert files
    for file in files:
        file.write_bytes(content)
    printed, said = call()
    assert printed == "4.0 6.0"
    assert said.count("\n") == 1
    assert "is damaged and is built again" in said
    assert call() == ("4.0 6.0", "")


def test_without_a_folder_code_is_compiled_in_memory(call, tmp_path):
    (tmp_path / "file").touch()
    printed, said = call(NUMBA_CACHE_DIR=str(tmp_path / "file" / "none"))
    assert printed == "4.0 6.0"
    assert said.count("\n") == 1
    assert "cannot be written" in said


def test_on_a_full_disk_code_is_compiled_in_memory(call):
    """A limit on file sizes stands in for the disk's end."""
    pytest.importorskip("resource", reason="no file size limits on this system")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (99, 99)); "
    printed, said = call(limit)
    assert printed == "4.0 6.0"
    assert said.count("\n") == 1
    assert "cannot be written (File too large)" in said


def test_the_log_says_once_that_code_is_compiled(call):
    log = "import logging; logging.basicConfig(level='INFO', format='%(message)s'); "
    assert call(log)[1].splitlines() == [
        "isvmde: compiling the solver, once on this machine; it takes about 10 seconds"
    ]
    assert call(log) == ("4.0 6.0", "")


def test_without_a_compiler_one_sentence(call):
    command = [sys.executable, "-m", "isvmde", "fit", "zoo", "-o", "m.skops"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert run.returncode == 2
    assert run.stderr.startswith("isvmde: the solver needs numba's compiler")
    assert run.stderr.count("\n") == 1
