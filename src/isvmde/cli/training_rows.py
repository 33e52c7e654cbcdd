"""The training rows that an explanation names: where they are, and what is in them."""

import contextlib
from pathlib import Path, PureWindowsPath

import numpy as np
import pandas as pd

from isvmde.cli.columns import relevance_by_column
from isvmde.cli.data import chosen_columns, read_rows
from isvmde.cli.output import say
from isvmde.cli.training_notes import TrainingNotes
from isvmde.cli.true_classes import same_classes
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.model_file import SavedModel
from isvmde.tables.errors import find_column

_MOST_COLUMNS = 6  # beside those of --keep


def _rows_in_file(saved: SavedModel) -> int:
    """Return how many rows the training file had."""
    without_class = TrainingNotes.of(saved).rows_left_out
    return len(saved.pipeline[-1].loo_proba_) + len(without_class)


def rows_of_file(saved: SavedModel, positions: pd.Series) -> np.ndarray:
    """Return the rows of the training file, counted from 1, of training samples."""
    without_class = TrainingNotes.of(saved).rows_left_out
    rows = np.setdiff1d(np.arange(1, _rows_in_file(saved) + 1), without_class)
    return np.asarray(rows[positions.to_numpy()])


def find_training_table(
    saved: SavedModel, model: Path, asked: str | None
) -> pd.DataFrame | None:
    """Return the table a model was trained on, if it is named or lies near.

    A model file may come from anybody. So of the path that it names only the last part
    is used, for a file beside the model or in the working directory: no path of its
    author is looked at, be it a device or another computer.
    """
    if asked is not None:
        signs = TrainingNotes.of(saved).decimal_signs
        table = read_rows(asked, text=[saved.target], decimal_signs=signs)
        if len(table) != _rows_in_file(saved):
            raise ValueError(
                f"--training {asked} has {len(table)} rows, but the model was trained "
                f"on one with {_rows_in_file(saved)} rows; name that table"
            )
        return table
    notes = TrainingNotes.of(saved)
    for place in _near(notes.source, model):
        with contextlib.suppress(ValueError, OSError):  # changed meanwhile
            table = read_rows(
                place, text=[saved.target], decimal_signs=notes.decimal_signs
            )
            if _is_training_table(saved, table):
                return table
    return None


def _near(source: str, model: Path) -> list[str]:
    """Return where a table of this name may be: built in, or near the model."""
    if source in CATALOGUE:
        return [source]
    name = PureWindowsPath(source).name  # what follows the last slash of any kind
    if name in ("", "-"):  # no file, or standard input
        return []
    near = dict.fromkeys([model.parent / name, Path(name)])
    return [str(path) for path in near if _is_file(path)]


def say_how_to_name_it(saved: SavedModel) -> None:
    """Say how to see what is in the training rows, and which table it was."""
    source = TrainingNotes.of(saved).source
    was = f" (the model says it was {source!r})" if source else ""
    say("to see what is in these rows, name the training table: --training FILE" + was)


def _is_file(path: Path) -> bool:
    """Whether there is a file, also where a name cannot be one's."""
    with contextlib.suppress(OSError, ValueError):  # too long a name, or one with a NUL
        return path.is_file()
    return False


def _is_training_table(saved: SavedModel, table: pd.DataFrame) -> bool:
    """Whether a table has as many rows of every class as the training table."""
    if len(table) != _rows_in_file(saved) or saved.target not in table:
        return False
    return same_classes(saved, table[saved.target])


def show_rows(
    saved: SavedModel,
    this: pd.Series,
    training: pd.DataFrame,
    rows: pd.Series,
    keep: str | None,
) -> pd.DataFrame:
    """Return what is in a row and, below it, in rows of training, by column."""
    names = [
        find_column(training, name, str(training.attrs["source"]))
        for name in chosen_columns(keep, training)
    ]
    relevance = relevance_by_column(saved.pipeline, saved.columns) or {}
    by_relevance = sorted(saved.columns, key=lambda name: -relevance.get(name, 0.0))
    shown = [name for name in by_relevance if name in training and name not in names]
    names += shown[:_MOST_COLUMNS]
    if len(shown) > _MOST_COLUMNS:
        say(f"the {_MOST_COLUMNS} most relevant columns are shown; --keep adds others")
    below = training.iloc[rows.to_numpy() - 1][names]
    above = pd.DataFrame([this.reindex(names)])
    both = pd.concat([above.astype(object), below.astype(object)], ignore_index=True)
    taken = ("row", "class", "contribution")  # by what is said of the rows
    both.columns = [f"{name} (column)" if name in taken else name for name in names]
    return both.where(both.notna(), "").map(_text)


def _text(value: object) -> object:
    """Return a cell in readable form."""
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else value
