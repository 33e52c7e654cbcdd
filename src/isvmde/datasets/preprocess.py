"""Scaling and coding of columns, to be fitted on the training part alone."""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from .columns import split_by_dtype


def make_preprocessor(bunch: Any) -> ColumnTransformer:
    """Make an unfitted transformer: min-max for numeric, one-hot for nominal columns.

    Numeric columns are scaled to [0, 1] over the rows it is fitted on; values of other
    rows may leave that interval, they are not clipped. A category not seen in fitting
    becomes a row of zeros. Put it into a pipeline, so that it is fitted on the training
    part only.

    Parameters
    ----------
    bunch : Bunch or DataFrame
        A data set of :func:`load_dataset` or :func:`read_keel`:
        its ``data``, ``numeric`` and ``nominal`` are used. For a DataFrame, or a bunch
        without the two lists, the columns' dtypes decide, and a warning says what was
        decided.

    Returns
    -------
    preprocessor : ColumnTransformer
        With dense output: numeric columns first, then the nominal ones' categories.

    Examples
    --------
    >>> from isvmde.datasets import load_dataset, make_preprocessor
    >>> automobile = load_dataset("automobile")
    >>> X = make_preprocessor(automobile).fit_transform(automobile.data)
    >>> X.shape
    (159, 64)
    """
    data = bunch if isinstance(bunch, pd.DataFrame) else getattr(bunch, "data", None)
    if not isinstance(data, pd.DataFrame):
        raise TypeError(
            "make_preprocessor needs a data set (as load_dataset returns it) or a "
            f"pandas DataFrame, not {type(bunch).__name__}."
        )
    if data is bunch or not {"numeric", "nominal"} <= set(bunch):
        numeric, nominal = split_by_dtype(data)
        warnings.warn(
            "No column types are given, so the dtypes decide: "
            f"{len(numeric)} numeric columns {_some(numeric)}, "
            f"{len(nominal)} nominal columns {_some(nominal)}.",
            UserWarning,
            stacklevel=2,
        )
    else:
        numeric, nominal = list(bunch["numeric"]), list(bunch["nominal"])
    if not numeric and not nominal:
        raise ValueError("The data set has no columns to preprocess.")
    return ColumnTransformer(
        [
            ("numeric", MinMaxScaler(), _columns(data, numeric)),
            (
                "nominal",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                _columns(data, nominal),
            ),
        ],
        sparse_threshold=0.0,
        verbose_feature_names_out=False,
    )


def _columns(data: pd.DataFrame, names: list[Any]) -> list[Any]:
    """Columns as ColumnTransformer wants them; it takes integers for positions."""
    if all(isinstance(name, str) for name in names):
        return names
    return [list(data.columns).index(name) for name in names]


def _some(names: list[Any]) -> str:
    """Return a list short enough for a sentence."""
    shown = ", ".join(str(name) for name in names[:8])
    return f"({shown}{', ...' if len(names) > 8 else ''})"
