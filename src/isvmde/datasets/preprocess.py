"""Scaling and coding of columns, to be fitted on the training part alone."""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils import Bunch


def make_preprocessor(bunch: Any) -> ColumnTransformer:
    """Make an unfitted transformer: min-max for numeric, one-hot for nominal columns.

    Numeric columns are scaled to [0, 1] over the rows it is fitted on; values of other
    rows may leave that interval, they are not clipped. A category not seen in fitting
    becomes a row of zeros. Put it into a pipeline, so that it is fitted on the training
    part only.

    Parameters
    ----------
    bunch : Bunch
        A data set of :func:`load_dataset` or :func:`read_keel`: its ``data``,
        ``numeric`` and ``nominal`` are used. For other tables there is
        :class:`isvmde.tables.TablePreprocessor`.

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
    if not isinstance(bunch, Bunch) or not {"numeric", "nominal"} <= set(bunch):
        raise TypeError(
            "make_preprocessor needs a data set, as load_dataset and read_keel return "
            "it; for another table use isvmde.tables.TablePreprocessor."
        )
    if not bunch.numeric and not bunch.nominal:
        raise ValueError("The data set has no columns to preprocess.")
    return ColumnTransformer(
        [
            ("numeric", MinMaxScaler(), list(bunch.numeric)),
            (
                "nominal",
                OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                list(bunch.nominal),
            ),
        ],
        sparse_threshold=0.0,
        verbose_feature_names_out=False,
    )
