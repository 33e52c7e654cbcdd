"""Which columns a fitted pipeline takes, worked out from what it was fitted on."""

from __future__ import annotations

from collections import UserList
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion, Pipeline

from isvmde.tables import TablePreprocessor


@dataclass(frozen=True)
class Column:
    """One column that a pipeline takes, and the values it knows."""

    name: str
    kind: str = "numeric"  # "nominal", "date"
    categories: tuple[Any, ...] = ()  # empty: any value

    @property
    def example(self) -> Any:
        """Return a value that the pipeline takes; a date may be missing."""
        if self.categories:
            return self.categories[0]
        return {"numeric": 1.0, "nominal": "a"}.get(self.kind)


def input_columns(pipeline: Pipeline) -> list[Column]:
    """Return the columns a fitted pipeline takes, in their order."""
    names = getattr(pipeline, "feature_names_in_", None)
    if names is None:  # a step of the user's own may not tell, the next one does
        sizes = [getattr(step, "n_features_in_", None) for _, step in pipeline.steps]
        size = next((size for size in sizes if size is not None), 0)
        names = [f"x{j}" for j in range(int(size))]
    return _taken_by(pipeline.steps[0][1], [str(name) for name in names])


def _taken_by(transformer: Any, names: list[str]) -> list[Column]:
    """Return the columns of these names as a transformer takes them."""
    if isinstance(transformer, TablePreprocessor):
        return _taken_from_table(transformer)
    if isinstance(transformer, ColumnTransformer):
        found = {
            column.name: column
            for _, part, chosen in transformer.transformers_
            if not isinstance(part, str)
            for column in _taken_by(part, _chosen(names, chosen))
        }
        return [found.get(name, Column(name)) for name in names]
    if isinstance(transformer, (Pipeline, FeatureUnion)):
        union = isinstance(transformer, FeatureUnion)
        steps = transformer.transformer_list if union else transformer.steps
        for _, step in steps:
            columns = _taken_by(step, names)
            if any(c.kind != "numeric" or c.categories for c in columns):
                return columns
        return [Column(name) for name in names]
    categories = getattr(transformer, "categories_", None)
    if categories is not None and len(categories) == len(names):
        return [
            Column(name, _kind(known), tuple(known))
            for name, known in zip(names, categories, strict=True)
        ]
    filled = getattr(transformer, "statistics_", None)  # what an imputer fills in
    text = hasattr(transformer, "vocabulary_")
    kind = "nominal" if text else "numeric" if filled is None else _kind(filled)
    return [Column(name, kind) for name in names]


def _kind(values: Any) -> str:
    """Return what the values of a column are."""
    return "numeric" if np.asarray(values).dtype.kind in "biuf" else "nominal"


def _taken_from_table(preprocessor: TablePreprocessor) -> list[Column]:
    """Return the columns that a preprocessor of tables does not leave out."""
    known = preprocessor._known_categories()
    kinds = {"numbers": "numeric", "categories": "nominal", "date": "date"}
    return [
        Column(name, kinds[plan["kind"]], tuple(known.get(name, ())))
        for name, plan in preprocessor.plan_.items()
        if plan["kind"] != "left out"
    ]


def _chosen(names: list[str], chosen: Any) -> list[str]:
    """Return the names a ColumnTransformer's choice of columns stands for."""
    empty = pd.DataFrame(columns=names)
    if isinstance(chosen, UserList):  # scikit-learn 1.6 warns where its own is read
        chosen = chosen.data
    if isinstance(chosen, str):
        return [chosen]
    by_name = (
        isinstance(chosen.start, str) or isinstance(chosen.stop, str)
        if isinstance(chosen, slice)
        else any(isinstance(name, str) for name in chosen)
    )
    where = empty.loc if by_name else empty.iloc
    return [str(name) for name in where[:, chosen].columns]
