"""A model file as a whole: what it says of its model, and the model.

A model file is a zip archive in which nothing is compressed. ``isvmde.json`` says what
the model is for and describes its pipeline, ``arrays/`` has the arrays of it as
``.npy``, and ``boxes/`` what isvmde does not check.
"""

import json
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import sklearn
from sklearn.pipeline import Pipeline

from isvmde import __version__
from isvmde.archive import read_parts

from .errors import ModelFileError, check_text
from .known_classes import name_of
from .reading import Reader
from .writing import DEEPEST, Writer

_DESCRIPTION = "isvmde.json"
FORMAT = 3
ABOUT = {"target": str, "numeric": list, "nominal": list, "notes": dict, "version": str}
_LARGEST_DESCRIPTION = 64_000_000  # bytes; a column takes about 600
_MOST_VALUES = 3_000_000  # of which the description of a column has about 30


def write_contents(path: Path, about: dict[str, Any], pipeline: Pipeline) -> list[str]:
    """Write a file that `read_contents` reads.

    Return why objects of scikit-learn's known classes have to be trusted all the same.
    """
    writer = Writer()
    description = {
        "format": FORMAT,
        "model": about,
        "scikit-learn": sklearn.__version__,
        "pipeline": writer.describe(pipeline),
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(_DESCRIPTION, json.dumps(description))
        for name, content in writer.files.items():
            archive.writestr(name, content)
    return writer.boxed


def read_contents(path: Path, trusted: Iterable[Any]) -> tuple[dict[str, Any], Any]:
    """Return what a file says of its model, and the model; all checked before."""
    if not zipfile.is_zipfile(path):
        raise ModelFileError("is not a model file, or only a part of one")
    files = read_parts(path, needed=_DESCRIPTION)
    written = files.pop(_DESCRIPTION)
    # every value but the first of a list or a dict comes after a comma
    if len(written) > _LARGEST_DESCRIPTION or written.count(b",") > _MOST_VALUES:
        raise ModelFileError("has a description that is too large to be a model's")
    description = json.loads(written)
    about = _read_notes(description)
    names = {name_of(thing) for thing in trusted}
    try:
        pipeline = Reader(description["pipeline"], files, names).read()
    except ModelFileError as error:
        saved_with = str(description["scikit-learn"])[:20]
        if error.foreign or saved_with == sklearn.__version__:
            raise
        raise ModelFileError(
            f"{error}; it was saved with scikit-learn {saved_with}, and this is "
            f"{sklearn.__version__}"
        ) from error
    return about, pipeline


def _read_notes(description: Any) -> dict[str, Any]:
    """Return what the file says about the model, or refuse what no model says."""
    about = description["model"]
    saved_by = str(about["version"])[:20]
    # Fitted attributes may change with any minor version until 1.0.
    minor = __version__.split(".")[:2]
    if description["format"] != FORMAT or saved_by.split(".")[:2] != minor:
        raise ModelFileError(
            f"was saved by isvmde {saved_by} and this is {__version__}: "
            f"install isvmde {saved_by}, or fit the model again"
        )
    if {name: type(value) for name, value in about.items()} != ABOUT:
        raise ModelFileError("is damaged: what it says about the model is not complete")
    columns = about["numeric"] + about["nominal"]
    if not all(isinstance(name, str) for name in columns):
        raise ModelFileError("is damaged: a column in it has a name that is not text")
    check_text(json.dumps(about, ensure_ascii=False))
    _check_depth(about)
    return dict(about)


def _check_depth(value: Any, depth: int = 0) -> None:
    """Refuse notes that nobody can go through without meeting Python's limit."""
    if depth > DEEPEST:
        raise ModelFileError("is damaged: what it says about the model has no end")
    if isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            _check_depth(item, depth + 1)
