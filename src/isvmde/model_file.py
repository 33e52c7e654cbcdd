"""Save a fitted model with its preprocessing, and load it without any pickle."""

from __future__ import annotations

import json
import os
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline

from isvmde import ISVMClassifier, ISVMDEClassifier, __version__
from isvmde.datasets.columns import as_nominal

_FORMAT = 1
_NOTES = "isvmde.json"

_TRUSTED = [
    f"{kind.__module__}.{kind.__qualname__}"
    for kind in (ISVMClassifier, ISVMDEClassifier)
]
# scikit-learn's own, but before 1.9 in a place that skops does not know
_TRUSTED.append("sklearn.compose._column_transformer._RemainderColsList")
"""The types a model file may hold beside scikit-learn's and numpy's own."""


class ModelFileError(ValueError):
    """A file that is no model of this version of isvmde; the message says why."""


@dataclass
class SavedModel:
    """A fitted pipeline and what it takes to use it on a table.

    Parameters
    ----------
    pipeline : Pipeline
        Preprocessing and classifier, fitted on a DataFrame.
    target : str
        Name of the column that is predicted.
    numeric, nominal : list of str
        The columns the model needs.
    notes : dict
        Anything else worth keeping that JSON can hold, such as the number of rows.
    version : str
        The version of isvmde that saved the model.

    Examples
    --------
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> zoo = load_dataset("zoo")
    >>> pipeline = make_pipeline(make_preprocessor(zoo), SVC())
    >>> _ = pipeline.fit(zoo.data, zoo.target)
    >>> model = SavedModel(pipeline, "kind", zoo.numeric, zoo.nominal)
    >>> model.align(zoo.data.drop(columns=zoo.nominal[0]))
    Traceback (most recent call last):
    ValueError: the table has no column 'Hair', which the model needs
    """

    pipeline: Pipeline
    target: str
    numeric: list[str]
    nominal: list[str]
    notes: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    @property
    def columns(self) -> list[str]:
        """All columns the model needs, in the order it was trained with."""
        return list(self.pipeline.feature_names_in_)

    def align(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns the model needs, typed as in training.

        Further columns are left out. A missing column, or text where the model learned
        numbers, is a ValueError that names it; missing values stay missing.
        """
        absent = [repr(name) for name in self.columns if name not in table]
        if absent:
            raise ValueError(
                f"the table has no column {', '.join(absent)}, which the model needs"
            )
        numeric = set(self.numeric)
        return pd.DataFrame(
            {
                name: _as_numbers(table[name])
                if name in numeric
                else as_nominal(table[name])
                for name in self.columns
            }
        )

    def unseen(self, aligned: pd.DataFrame) -> dict[str, list[str]]:
        """Return values of nominal columns that the training data did not have."""
        encoder = self.pipeline[0].named_transformers_.get("nominal")
        if not self.nominal or not hasattr(encoder, "categories_"):
            return {}
        found = {}
        for name, known in zip(self.nominal, encoder.categories_, strict=True):
            values = set(aligned[name].dropna().astype(str)) - set(map(str, known))
            if values:
                found[name] = sorted(values)
        return found


def save_model(model: SavedModel, path: str | Path) -> Path:
    """Write a model to a file that :func:`load_model` reads.

    The file appears under its name only when it is complete.

    Parameters
    ----------
    model : SavedModel
        The fitted pipeline and its columns.
    path : path
        The file to write, by custom with the suffix ``.skops``.

    Returns
    -------
    Path
        The file written.

    Examples
    --------
    >>> import tempfile
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> zoo = load_dataset("zoo")
    >>> pipeline = make_pipeline(make_preprocessor(zoo), SVC())
    >>> _ = pipeline.fit(zoo.data, zoo.target)
    >>> model = SavedModel(pipeline, "kind", zoo.numeric, zoo.nominal)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(save_model(model, folder + "/zoo.skops"))
    >>> bool((again.pipeline.predict(zoo.data) == pipeline.predict(zoo.data)).all())
    True
    """
    io = _skops_io()
    path = Path(path)
    notes = {
        "format": _FORMAT,
        "model": {k: v for k, v in vars(model).items() if k != "pipeline"},
    }
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    os.close(handle)
    try:
        io.dump(model.pipeline, temporary)
        with zipfile.ZipFile(temporary, "a") as archive:
            archive.writestr(_NOTES, json.dumps(notes))
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return path


def load_model(path: str | Path) -> SavedModel:
    """Read a model written by :func:`save_model`.

    Only scikit-learn's, numpy's and this package's own estimators are built from the
    file; no pickle is ever loaded.

    Parameters
    ----------
    path : path
        The model file.

    Returns
    -------
    SavedModel
        The pipeline, ready to predict, and its columns.

    Raises
    ------
    ModelFileError
        When the file is damaged, holds something else, or was saved by a version of
        isvmde whose models this one does not understand.

    Examples
    --------
    >>> load_model("nowhere.skops")
    Traceback (most recent call last):
    FileNotFoundError: there is no file nowhere.skops
    """
    io = _skops_io()
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    notes = _read_notes(path)
    try:
        foreign = set(io.get_untrusted_types(file=path)) - set(_TRUSTED)
        if foreign:
            raise ModelFileError(
                f"{path} holds types isvmde does not load: {', '.join(sorted(foreign))}"
            )
        pipeline = io.load(path, trusted=_TRUSTED)
        return SavedModel(pipeline, **notes["model"])
    except ModelFileError:
        raise
    # A mangled file can fail anywhere in skops and in the types it rebuilds.
    except Exception as error:
        raise ModelFileError(
            f"{path} is damaged and cannot be loaded ({type(error).__name__}: {error})"
        ) from error


def _read_notes(path: Path) -> dict[str, Any]:
    """Return what the file says about itself, before anything in it is built."""
    try:
        with zipfile.ZipFile(path) as archive:
            broken = archive.testzip()
            notes = json.loads(archive.read(_NOTES))
            saved_by = str(notes["model"]["version"])
    except KeyError:
        raise ModelFileError(f"{path} was not saved by isvmde") from None
    except (zipfile.BadZipFile, ValueError, EOFError, OSError) as error:
        raise ModelFileError(
            f"{path} is no model file, or only a part of one ({error})"
        ) from error
    if broken is not None:
        raise ModelFileError(f"{path} is damaged in its part {broken}")
    # Fitted attributes may change with any minor version until 1.0.
    if notes["format"] != _FORMAT or _minor(saved_by) != _minor(__version__):
        raise ModelFileError(
            f"{path} was saved by isvmde {saved_by} and this is {__version__}: "
            f"install isvmde {saved_by}, or fit the model again"
        )
    return notes


def _minor(version: str) -> list[str]:
    """Return the parts of a version that decide whether models are understood."""
    return version.split(".")[:2]


def _as_numbers(column: pd.Series) -> pd.Series:
    """Return a column as float64, or name the first value that is no number."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    numbers = pd.to_numeric(column, errors="coerce").astype("float64")
    bad = column[numbers.isna() & column.notna()]
    if len(bad):
        row = int(np.flatnonzero(column.index == bad.index[0])[0])
        raise ValueError(
            f"column {column.name!r} has {bad.iloc[0]!r} in data row {row + 1}, where "
            "the model learned numbers"
        )
    return numbers


def _umask() -> int:
    """Return the process's mask for new files, which mkstemp does not follow."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _skops_io() -> Any:
    """Import skops, or say how to get it."""
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "saving and loading models needs skops: install isvmde[persist]"
        ) from error
    return skops.io
