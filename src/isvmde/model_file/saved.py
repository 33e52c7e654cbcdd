"""A fitted pipeline and what it takes to use it on a table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from isvmde import __version__
from isvmde.tables import TablePreprocessor
from isvmde.tables.cells import as_nominal
from isvmde.tables.errors import check_columns

from .columns import Column, input_columns
from .contents import ModelFileError


@dataclass
class SavedModel:
    """A fitted pipeline and what it takes to use it on a table.

    Parameters
    ----------
    pipeline : Pipeline
        Preprocessing and classifier, fitted on a DataFrame or an array. A classifier
        alone becomes a pipeline of one step.
    target : str, default="class"
        Name of the column that is predicted.
    numeric, nominal : list of str
        The columns the model needs. If neither is given, they are worked out from the
        preprocessing: what is coded by categories of text is nominal, all else
        numeric.
    notes : dict
        Anything else worth keeping that JSON can hold, such as the number of rows.
    version : str
        The version of isvmde that saved the model.

    Examples
    --------
    >>> from isvmde import ISVMClassifier
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> from sklearn.pipeline import make_pipeline
    >>> zoo = load_dataset("zoo")
    >>> pipeline = make_pipeline(make_preprocessor(zoo), ISVMClassifier())
    >>> model = SavedModel(pipeline.fit(zoo.data, zoo.target), "kind")
    >>> model.numeric, model.nominal[:3]
    ([], ['Hair', 'Feathers', 'Eggs'])
    >>> model.align(zoo.data.drop(columns="Hair"))
    Traceback (most recent call last):
    isvmde.tables.errors.TableError: the table has no column 'Hair', which the model
    needs
    """

    pipeline: Pipeline
    target: str = "class"
    numeric: list[str] = field(default_factory=list)
    nominal: list[str] = field(default_factory=list)
    notes: dict[str, Any] = field(default_factory=dict)
    version: str = __version__

    def __post_init__(self) -> None:
        if not isinstance(self.pipeline, Pipeline):
            self.pipeline = Pipeline([("classifier", self.pipeline)])
        check_is_fitted(self.pipeline)
        if not self.numeric and not self.nominal:
            kinds = {column.name: column.kind for column in self._taken}
            self.numeric = [name for name, kind in kinds.items() if kind == "numeric"]
            self.nominal = [name for name, kind in kinds.items() if kind == "nominal"]

    @cached_property
    def _taken(self) -> list[Column]:
        """What the pipeline's first step takes."""
        return input_columns(self.pipeline)

    @property
    def columns(self) -> list[str]:
        """All columns the model needs, in the order it was trained with."""
        return [column.name for column in self._taken]

    @property
    def _by_position(self) -> bool:
        """Whether the model was trained on an array, without names of columns."""
        return not hasattr(self.pipeline, "feature_names_in_")

    def align(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns the model needs, typed as in training.

        Further columns are left out. A missing column, or text where the model learned
        numbers, is a ValueError that names it; missing values stay missing. For a
        model that was trained on an array, columns are taken by their position.
        """
        if self._by_position:
            table = self._named_by_position(table)
        check_columns(table, self.columns)
        if isinstance(self.pipeline[0], TablePreprocessor):  # it types them itself
            return table[self.columns]
        numeric = set(self.numeric)
        return pd.DataFrame(
            {
                name: _as_numbers(table[name])
                if name in numeric
                else as_nominal(table[name])
                for name in self.columns
            }
        )

    def _named_by_position(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the columns but the target, with the names the model has for them."""
        features = table.drop(columns=self.target, errors="ignore")
        if features.shape[1] != len(self.columns):
            raise ValueError(
                f"the model was trained on {len(self.columns)} columns without names, "
                f"but the table has {features.shape[1]}"
            )
        return features.set_axis(self.columns, axis=1)

    def unseen(self, aligned: pd.DataFrame) -> dict[str, list[str]]:
        """Return values of nominal columns that the training data did not have."""
        found = {}
        for column in self._taken:
            if column.categories and column.name in self.nominal:
                values = set(aligned[column.name].dropna().astype(str))
                values -= set(map(str, column.categories))
                if values:
                    found[column.name] = sorted(values)
        return found

    def predict(self, aligned: pd.DataFrame) -> np.ndarray:
        """Return the predicted classes of rows that `align` returned."""
        return self._ask("predict", aligned)

    def predict_proba(self, aligned: pd.DataFrame) -> np.ndarray:
        """Return the class probabilities of rows that `align` returned."""
        return self._ask("predict_proba", aligned)

    def _ask(self, method: str, aligned: pd.DataFrame) -> np.ndarray:
        """Call a method of the pipeline; what fails in its depth is one sentence."""
        rows = aligned.to_numpy() if self._by_position else aligned
        try:
            with np.errstate(all="ignore"):  # a changed file can hold any number
                return np.asarray(getattr(self.pipeline, method)(rows))
        except ValueError:
            raise
        except Exception as error:
            raise ModelFileError(
                f"the model cannot be used on this table ({short(error)})"
            ) from error

    def try_out(self) -> np.ndarray:
        """Predict a row made up from what the columns hold; return the class."""
        row = {column.name: [column.example] for column in self._taken}
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            aligned = self.align(pd.DataFrame(row))
            if hasattr(self.pipeline, "predict_proba"):
                self.predict_proba(aligned)
            return self.predict(aligned)


def short(error: BaseException) -> str:
    """Return an error's type and the beginning of its message, in one line."""
    text = " ".join(str(error).split())
    shown = text if len(text) <= 120 else text[:120] + "..."
    return f"{type(error).__name__}: {shown}"


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
