"""The preprocessing of a benchmark: the paper's, with gaps filled in."""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.utils import Bunch

from isvmde.datasets import make_preprocessor


def preprocessor_for(bunch: Bunch) -> Any:
    """Return what turns a data set's columns into numbers, not fitted.

    Numeric columns are scaled to [0, 1], nominal ones coded. A gap in a numeric column
    becomes the training part's median, one in a nominal column a category of its own.
    """
    own = bunch.get("preprocessor")
    if own is not None:
        return clone(own)
    plain = make_preprocessor(bunch)
    if not pd.DataFrame(bunch.data)[list(bunch.numeric)].isna().any(axis=None):
        return plain
    return ColumnTransformer(
        [
            (name, _filling(step) if name == "numeric" else step, columns)
            for name, step, columns in plain.transformers
        ],
        sparse_threshold=0.0,
        verbose_feature_names_out=False,
    )


def _filling(scaler: Any) -> Any:
    """Put the median where a value is missing, before the scaler."""
    return make_pipeline(
        SimpleImputer(strategy="median", keep_empty_features=True), scaler
    )
