"""The classes in a table that a model is tried on, as the model names them."""

import pandas as pd

from isvmde.cli.output import counted_rows, say
from isvmde.cli.training_notes import TrainingNotes
from isvmde.model_file import SavedModel
from isvmde.tables.cells import GAP_MARKS, same_spelling, shortest
from isvmde.tables.errors import some
from isvmde.tables.labels import class_labels


def true_classes(saved: SavedModel, column: pd.Series) -> pd.Series:
    """Return the classes of a column as the model names them, and say what differs.

    Rows without a class, or with one that the model does not know, are missing.
    """
    classes = _names(saved)
    labels, respelled = _in_spelling_of(classes, _labels(classes, column))
    if respelled:
        shown = ", ".join(f"{a!r} as {b!r}" for a, b in respelled.items())
        say(f"classes are matched to the model's spelling: {shown}")
    unknown = labels[labels.notna() & ~labels.isin(classes)]
    if len(unknown):
        verb = "is" if len(unknown) == 1 else "are"
        say(
            f"column {saved.target!r} has classes that the model does not know: "
            f"{some(unknown.unique())}; {counted_rows(len(unknown))} with them {verb} "
            "not scored"
        )
    n_empty = int(labels.isna().sum())
    if 0 < n_empty < len(labels):
        say(f"column {saved.target!r} holds no class in {counted_rows(n_empty)}")
    return labels.where(labels.isin(classes), None)


def same_classes(saved: SavedModel, column: pd.Series) -> bool:
    """Whether a column has as many rows of every class as the training table."""
    classes = _names(saved)
    labels, _ = _in_spelling_of(classes, _labels(classes, column))
    counts = labels.dropna().value_counts().to_dict()
    return bool(counts == TrainingNotes.of(saved).classes)


def _names(saved: SavedModel) -> list[str]:
    """Return the classes of a model as text."""
    return [shortest(label) for label in saved.pipeline.classes_]


def _labels(classes: list[str], column: pd.Series) -> pd.Series:
    """Return the labels of a column as text; marks of a gap that are classes stay."""
    keep_marks = not GAP_MARKS.isdisjoint(classes)
    found = class_labels(column, keep_marks=keep_marks).reset_index(drop=True)
    return found.map(shortest, na_action="ignore")


def _in_spelling_of(
    classes: list[str], labels: pd.Series
) -> tuple[pd.Series, dict[str, str]]:
    """Return labels as the model spells them, and which it spells otherwise."""
    spelled: dict[str, list[str]] = {}
    for name in classes:
        spelled.setdefault(same_spelling(name), []).append(name)
    usual: dict[str, str] = {}
    for label in labels.dropna().unique():
        candidates = spelled.get(same_spelling(label), [])
        if label not in classes and len(candidates) == 1:
            usual[label] = candidates[0]
    respelled = labels.map(lambda name: usual.get(name, name), na_action="ignore")
    return respelled, usual
