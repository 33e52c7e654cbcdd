"""``isvmde inspect --columns``: which columns of a table a model needs."""

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd

from isvmde.cli.data import naming
from isvmde.cli.output import join, say
from isvmde.cli.training_notes import TrainingNotes
from isvmde.cli.true_classes import true_classes
from isvmde.importance import column_importance
from isvmde.model_file import SavedModel
from isvmde.tables import TablePreprocessor
from isvmde.tables.cells import shortest

SCORES = {"log-loss": "log_loss", "balanced-accuracy": "balanced_accuracy"}
TITLES = {
    "log-loss": "Columns by how much the log loss rises when they are shuffled",
    "balanced-accuracy": "Columns by how much the mean recall falls when they are "
    "shuffled",
}


def importance_table(
    saved: SavedModel, table: pd.DataFrame, score: str, seed: int
) -> pd.DataFrame:
    """Return the importance of every column the model takes, and its relevance."""
    if saved.target not in table:
        raise ValueError(
            f"{table.attrs['source']} has no column {saved.target!r}; --columns needs "
            "rows that have their true class"
        )
    pipeline = saved.pipeline
    if score == "log-loss" and not hasattr(pipeline, "predict_proba"):
        raise ValueError(
            f"{type(pipeline[-1]).__name__} has no probabilities; add --score "
            "balanced-accuracy"
        )
    by_text = {shortest(label): label for label in pipeline.classes_.tolist()}
    true = true_classes(saved, table[saved.target])
    usable = true.isin(list(by_text)).to_numpy(bool)
    if not usable.any():
        raise ValueError(
            f"column {saved.target!r} of {table.attrs['source']} has none of the "
            f"classes {join(by_text)}"
        )
    texts = true[usable].tolist()
    if Counter(texts) == TrainingNotes.of(saved).classes:
        say(
            "these seem to be the rows the model was trained on, and on them columns "
            "look more important than they are; use rows it has not seen"
        )
    with naming(table):
        rows = saved.align(table[usable])
    by_position = not hasattr(pipeline, "feature_names_in_")
    y = np.array([by_text[text] for text in texts], dtype=pipeline.classes_.dtype)
    found = column_importance(
        pipeline,
        rows.to_numpy() if by_position else rows,
        y,
        scoring=SCORES[score],
        random_state=seed,
    )
    if by_position:
        found.index = rows.columns[found.index]
    shown = found.rename_axis("column").reset_index()
    relevance = relevance_by_column(pipeline, list(rows.columns))
    if relevance is not None:
        shown["relevance"] = shown["column"].map(relevance)
    return shown


def relevance_by_column(pipeline: Any, columns: list[str]) -> dict[str, float] | None:
    """Return the largest relevance among the features made of every column."""
    relevance = getattr(pipeline[-1], "relevance_", None)
    if relevance is None or not isinstance(pipeline[0], TablePreprocessor):
        return None
    if len(pipeline) != 2:
        return None
    largest: dict[str, float] = {}
    names = pipeline[0].get_feature_names_out()
    for feature, value in zip(names, relevance, strict=True):
        made_of = [c for c in columns if feature == c or _begins(feature, c)]
        if made_of:
            column = max(made_of, key=len)
            largest[column] = max(largest.get(column, 0.0), float(value))
    return largest


def _begins(feature: str, column: str) -> bool:
    """Whether a feature is a category or a part of a column."""
    return feature.startswith((f"{column} ", f"{column}_"))
