"""Write a model to a file, and read it without running anything of the file's."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline

from isvmde import __version__
from isvmde.archive import ArchiveError, replacing

from .contents import NOTES, SCHEMA, ModelFileError, read_contents, refuse_foreign
from .fitted_state import check_fitted
from .known_types import all_known, name_of
from .saved import SavedModel, short

_FORMAT = 2


def save_model(
    model: Any,
    path: str | Path,
    *,
    target: str = "class",
    trusted: Collection[Any] = (),
) -> Path:
    """Write a model to a file that :func:`load_model` reads.

    The file appears under its name only when it is complete and was loaded again.

    Parameters
    ----------
    model : Pipeline, classifier or SavedModel
        A fitted pipeline around a classifier of this library, or the classifier.
    path : path
        The file to write, by custom with the suffix ``.skops``.
    target : str, default="class"
        Name of the column that is predicted; a `SavedModel` has its own.
    trusted : collection of types, functions or names, default=()
        Your own types and functions in the model, and those of scikit-learn that
        are not taken without being asked for. `load_model` needs them too.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ModelFileError
        When the model holds what `load_model` would refuse; the message names it.

    Examples
    --------
    >>> import tempfile
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> from sklearn.pipeline import make_pipeline
    >>> zoo = load_dataset("zoo")
    >>> pipeline = make_pipeline(make_preprocessor(zoo), ISVMClassifier())
    >>> _ = pipeline.fit(zoo.data, zoo.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = load_model(save_model(pipeline, folder + "/zoo.skops"))
    >>> bool((again.predict(zoo.data) == pipeline.predict(zoo.data)).all())
    True
    """
    saved = model if isinstance(model, SavedModel) else SavedModel(model, target)
    path = Path(path)
    about = {
        name: getattr(saved, name)
        for name in ("target", "numeric", "nominal", "notes", "version")
    }
    content = _dump(saved.pipeline)
    with replacing(path) as partial:
        partial.write_bytes(content)
        with zipfile.ZipFile(partial, "a") as archive:
            archive.writestr(NOTES, json.dumps({"format": _FORMAT, "model": about}))
        _check_again(saved, partial, trusted)
    return path


def _check_again(saved: SavedModel, path: Path, trusted: Collection[Any]) -> None:
    """Refuse a model that does not come back from its file as it is."""
    try:
        again = _load(path, trusted)
    except ModelFileError as error:
        if error.foreign:
            listed = str(error).partition(": ")[2]
            raise ModelFileError(
                f"the model holds {listed}, which load_model would not load: pass them "
                "as trusted= to both save_model and load_model if you trust them",
                error.foreign,
            ) from None
        raise ModelFileError(f"the model cannot be saved: its file {error}") from error
    if again.try_out() != saved.try_out():
        raise ModelFileError(
            "the model cannot be saved: loaded again it would predict otherwise"
        )


def _dump(pipeline: Pipeline) -> bytes:
    """Return the pipeline as skops writes it, or name what it cannot write."""
    try:
        return bytes(_skops_io().dumps(pipeline))
    except Exception as error:  # whatever a foreign object raises
        raise ModelFileError(
            f"the model cannot be saved because of {_culprit(pipeline)}: {short(error)}"
        ) from error


def _culprit(value: Any) -> str:
    """Return the name of the innermost attribute that skops cannot write."""
    dumps = _skops_io().dumps
    pipeline = isinstance(value, Pipeline)
    parts = dict(value.steps) if pipeline else getattr(value, "__dict__", {})
    for name, part in parts.items():
        try:
            dumps(part)
        except Exception:
            inner = _culprit(part)
            return inner if "." in inner else f"{type(value).__name__}.{name}"
    return type(value).__name__


def load_model(path: str | Path, *, trusted: Collection[Any] = ()) -> SavedModel:
    """Read a model written by :func:`save_model`.

    What the file holds is checked before anything is built from it: known types only,
    no function but NumPy's and the scores of scikit-learn, arrays as large as they
    say, nothing compressed. The model then predicts one made-up row.

    Parameters
    ----------
    path : path
        The model file.
    trusted : collection of types, functions or names, default=()
        What the file may hold beside what is always taken, as for `save_model`.
        Trust only what you would run.

    Returns
    -------
    SavedModel
        The pipeline, ready to predict, and its columns.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    ModelFileError
        When the file is damaged, holds something else, or was saved by a version of
        isvmde whose models this one does not understand.

    Examples
    --------
    >>> load_model("nowhere.skops")
    Traceback (most recent call last):
    FileNotFoundError: there is no file nowhere.skops
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        return _load(path, trusted)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}", error.foreign) from error


def _load(path: Path, trusted: Collection[Any]) -> SavedModel:
    """Return the model of a file, or say in half a sentence what is wrong with it."""
    skops_io = _skops_io()
    names = {name_of(thing) for thing in trusted}
    try:
        notes, archive = read_contents(path, names, _protocol())
        about = _read_notes(notes)
        known = sorted(names | all_known())
        refuse_foreign(set(skops_io.get_untrusted_types(data=archive)) - set(known))
        with warnings.catch_warnings():
            # of scikit-learn's version, which a mangled file can say anything about
            warnings.simplefilter("ignore")
            pipeline = skops_io.loads(archive, trusted=known)
            if type(pipeline) is not Pipeline:
                raise ModelFileError("holds no pipeline")
            check_fitted(pipeline)
            model = SavedModel(pipeline, **about)
            if not set(model.numeric + model.nominal) <= set(model.columns):
                raise ModelFileError(
                    "is damaged: its columns are not those of its pipeline"
                )
            model.try_out()
        return model
    except ModelFileError:
        raise
    except ArchiveError as error:
        raise ModelFileError(str(error)) from error
    # A mangled file can fail anywhere in skops and in the types it rebuilds.
    except Exception as error:
        raise ModelFileError(
            f"is damaged and cannot be loaded ({short(error)})"
        ) from error


def _read_notes(notes: Any) -> dict[str, Any]:
    """Return what the file says about the model, or refuse what no model says."""
    about = notes["model"]
    saved_by = str(about["version"])[:20]
    # Fitted attributes may change with any minor version until 1.0.
    if notes["format"] != _FORMAT or _minor(saved_by) != _minor(__version__):
        raise ModelFileError(
            f"was saved by isvmde {saved_by} and this is {__version__}: "
            f"install isvmde {saved_by}, or fit the model again"
        )
    columns = [about["numeric"], about["nominal"]]
    if not (
        about.keys() == {"target", "numeric", "nominal", "notes", "version"}
        and isinstance(about["target"], str)
        and isinstance(about["notes"], dict)
        and all(isinstance(names, list) for names in columns)
        and all(isinstance(name, str) for names in columns for name in names)
    ):
        raise ModelFileError("is damaged: what it says about the model is not complete")
    return dict(about)


def _protocol() -> Any:
    """Return the version of the schema that skops writes and that is checked here."""
    with zipfile.ZipFile(io.BytesIO(_skops_io().dumps(None))) as archive:
        return json.loads(archive.read(SCHEMA))["protocol"]


def _minor(version: str) -> list[str]:
    """Return the parts of a version that decide whether models are understood."""
    return version.split(".")[:2]


def _skops_io() -> Any:
    """Import skops, or say how to get it."""
    try:
        import skops.io
    except ImportError as error:
        raise ImportError(
            "saving and loading models needs skops: install isvmde[persist]"
        ) from error
    return skops.io
