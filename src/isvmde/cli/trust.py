"""Models that hold types of other packages: saved freely, loaded if trusted."""

from __future__ import annotations

from pathlib import Path

import click

from isvmde.cli.output import say
from isvmde.model_file import ModelFileError, SavedModel, load_model, save_model
from isvmde.model_file.contents import ForeignTypeError

trust_option = click.option(
    "--trust",
    is_flag=True,
    help="Also build types of other packages that the file holds, such as "
    "scikit-learn's trees. Only for files that you or someone you trust made.",
)


def open_model(path: Path, trust: bool) -> SavedModel:
    """Load a model; with ``trust`` whatever types it holds."""
    trusted: set[str] = set()
    while True:
        try:
            return load_model(path, trusted=trusted)
        except ModelFileError as error:
            new = _foreign_types(error) - trusted
            if new and not trust:
                raise ModelFileError(
                    f"{path} holds types of other packages; add --trust if the file is "
                    f"from someone you trust ({', '.join(sorted(new)[:3])})"
                ) from error
            if not new:
                raise
            trusted |= new


def save_trained(saved: SavedModel, path: Path) -> None:
    """Save a model that was trained here, whatever types it holds."""
    trusted: set[str] = set()
    while True:
        try:
            save_model(saved, path, trusted=trusted)
            break
        except ModelFileError as error:
            new = _foreign_types(error) - trusted
            if not new:
                raise
            trusted |= new
    if trusted:
        say(f"to use {path}, add --trust: it holds types of other packages")


def _foreign_types(error: ModelFileError) -> set[str]:
    """Return the types because of which a model was refused."""
    inner = error.__cause__ or error.__context__
    return set(inner.names) if isinstance(inner, ForeignTypeError) else set()
