"""Saved models: opened, those with types of other packages if trusted, and saved."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from isvmde.cli.output import join, say
from isvmde.model_file import ModelFileError, SavedModel, load_model, save_model

_Result = TypeVar("_Result")


def open_model(path: Path, trust: bool) -> SavedModel:
    """Load a model; with ``trust`` whatever types it holds."""
    try:
        saved, _ = _trusting(lambda names: load_model(path, trusted=names), trust)
        return saved
    except ModelFileError as error:
        if trust or not error.foreign:
            raise
        raise ModelFileError(
            f"{path} holds types of other packages; add --trust if the file is from "
            f"someone you trust ({join(error.foreign[:3])})"
        ) from error


def save_trained(saved: SavedModel, path: Path) -> None:
    """Save a model that was trained here, whatever types it holds."""
    _, foreign = _trusting(lambda names: save_model(saved, path, trusted=names), True)
    if foreign:
        say(f"to use {path}, add --trust: it holds types of other packages")


def _trusting(
    act: Callable[[set[str]], _Result], trust: bool
) -> tuple[_Result, set[str]]:
    """Call with the names of trusted types, again and again while it asks for more."""
    trusted: set[str] = set()
    while True:
        try:
            return act(trusted), trusted
        except ModelFileError as error:
            if not trust or trusted.issuperset(error.foreign):
                raise
            trusted.update(error.foreign)
