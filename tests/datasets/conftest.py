"""Where the files of shuttle, thyroid and hcv lie, if they are here."""

import os
from pathlib import Path

import pytest

FILES = ("shuttle.dat", "thyroid.dat", "hcvdat0.csv")
# Read once: the tests change the variable.
FOLDER = Path(
    os.environ.get("ISVMDE_DATA") or Path(__file__).parents[3] / "shared" / "data"
)


@pytest.fixture
def originals():
    """Folder with the three files that are not shipped, or skip."""
    missing = [name for name in FILES if not (FOLDER / name).is_file()]
    if missing:
        pytest.skip(f"{', '.join(missing)} not in {FOLDER}; set ISVMDE_DATA")
    return FOLDER


@pytest.fixture(autouse=True)
def _nothing_from_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("ISVMDE_DATA", str(tmp_path / "not-there"))
    monkeypatch.delenv("ISVMDE_MIRROR", raising=False)


@pytest.fixture
def home(tmp_path):
    """An empty data home."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def contents():
    """Return a function that lists a folder: name and bytes of every file."""
    return lambda folder: {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
