"""Turn the columns of a table into numbers in [0, 1], and tell what was done."""

import warnings
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from .cells import as_date_part, judge, read_column, strays
from .errors import TableError, check_columns, find_column, quote, some, unique_names


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Make numbers of a data frame as people have it.

    Every column is judged by the rows it is fitted on:

    - *numbers* (also as text, with a few cells that are none) are scaled to [0, 1];
    - *categories* are coded one-hot, the rarest together when there are many;
    - *dates* become days, and the time of year and of day where these vary;
    - *ids*, *free text*, constant and empty columns are left out, unless they are
      named in one of the parameters.

    Gaps are filled with the median or the most frequent category. Where at least 5 %
    of the rows have a gap, unevenly over the classes (a chi-squared test at 5 %, if
    ``y`` is given), a further column of 0 and 1 says where the gaps were. New rows may
    leave [0, 1]; a category that was not seen counts as the rare ones, or as none.

    Parameters
    ----------
    features : list of str, optional
        Use these columns alone, however they look; all by default.
    drop : list of str, default=()
        Columns to leave out.
    numeric, nominal : list of str, default=()
        Columns to take as numbers, and as categories.
    max_categories : int, default=40
        Categories per column; the rarest beyond it share one.

    Attributes
    ----------
    columns_ : DataFrame
        Of every column ``taken as``, ``gaps``, ``distinct`` and ``note`` (the reason).
    plan_ : dict
        How every column is read, by its name.
    n_features_in_, feature_names_in_ : int, ndarray
        Number and names of the columns it was fitted on.

    Examples
    --------
    >>> import pandas as pd
    >>> fruit = pd.DataFrame({"weight": ["80", "9", "?"], "ripe": ["yes", "no", "no"]})
    >>> preprocessor = TablePreprocessor().fit(fruit)
    >>> preprocessor.transform(fruit).tolist()
    [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.5, 1.0, 0.0]]
    >>> preprocessor.columns_
           taken as  gaps  distinct note
    weight  numbers     1         2
    ripe categories     0         2
    """

    def __init__(
        self,
        *,
        features: Iterable[str] | None = None,
        drop: Iterable[str] = (),
        numeric: Iterable[str] = (),
        nominal: Iterable[str] = (),
        max_categories: int = 40,
    ) -> None:
        self.features = features
        self.drop = drop
        self.numeric = numeric
        self.nominal = nominal
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Judge the columns and learn fillings, ranges and categories.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            The training part.
        y : array-like of shape (n_samples,), optional
            The classes: they decide whether gaps say something.
        """
        table = _as_frame(X)
        if not len(table):
            raise TableError("the table has no rows")
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self.plan_ = self._make_plan(table, y)
        if not self._kept():
            reasons = sorted({plan["note"] for plan in self.plan_.values()})[:3]
            raise TableError(f"no column is left to learn from ({'; '.join(reasons)})")
        encoder = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=self.max_categories,
            sparse_output=False,
        )
        coders = (
            make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler()),
            make_pipeline(SimpleImputer(strategy="most_frequent"), encoder),
        )
        self.numbers_, self.categories_ = (
            coder.fit(block) if block.shape[1] else None
            for coder, block in zip(coders, self._blocks(table), strict=True)
        )
        for name, plan in self.plan_.items():
            if plan["kind"] == "numbers" and plan["note"]:
                said = f"column {quote(name)} is taken as numbers; {plan['note']}"
                warnings.warn(said, stacklevel=2)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return numbers and dates first, then where gaps were, then the categories.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            Columns are found by name; further ones are ignored.
        """
        check_is_fitted(self)
        table = _as_frame(X)
        check_columns(table, self._kept())
        pairs = zip((self.numbers_, self.categories_), self._blocks(table), strict=True)
        with warnings.catch_warnings():
            # scikit-learn tells of categories it has not seen; remarks() does
            warnings.simplefilter("ignore", UserWarning)
            return np.hstack([c.transform(each) for c, each in pairs if c is not None])

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that :meth:`transform` makes."""
        check_is_fitted(self)
        numbers, flags = [], []
        for name, plan in self._kept("numbers", "date").items():
            parts = plan.get("parts", [""])
            numbers += [f"{name} {part}" if part else name for part in parts]
            flags += [f"{name} is missing"] * plan["gaps_tell"]
        names = numbers + flags
        if self.categories_ is not None:
            texts = list(self._kept("categories"))
            names += list(self.categories_[-1].get_feature_names_out(texts))
        return np.array(unique_names(names), dtype=object)

    @property
    def columns_(self) -> pd.DataFrame:
        """What was done with every column."""
        check_is_fitted(self)
        names = pd.Index(list(self.plan_), dtype=object)
        plans = pd.DataFrame(list(self.plan_.values()), names)
        plans = plans.rename(columns={"kind": "taken as"})
        return plans[["taken as", "gaps", "distinct", "note"]]

    def remarks(self, X: Any) -> list[str]:
        """Return sentences on new rows: unseen categories, cells without a number."""
        check_is_fitted(self)
        table = _as_frame(X)
        found, known = [], self._known_categories()
        for name, plan in self._kept("numbers", "categories").items():
            values = read_column(table[name], plan)
            if plan["kind"] == "categories":
                texts = sorted(set(values.dropna()) - set(known[name]))
                what = "values that training did not have"
            else:
                texts = strays(table[name], values)
                what = "cells that are no numbers and count as gaps"
            if texts:
                found.append(f"column {quote(name)} has {what}: {some(texts)}")
        return found

    def _make_plan(self, table: pd.DataFrame, y: Any) -> dict[str, dict[str, Any]]:
        """Judge every column that was not dropped."""
        asked = {"numbers": self.numeric, "categories": self.nominal, "drop": self.drop}
        wanted = {
            find_column(table, name, "the table"): kind
            for kind, names in ({"any": self.features or ()} | asked).items()
            for name in names
        }
        usual = None if self.features is None else "ignore"
        return {k: judge(table[k], wanted.get(k, usual), y) for k in table.columns}

    def _kept(self, *kinds: str) -> dict[str, dict[str, Any]]:
        """Return the plans of the columns that are used, or of some kinds of them."""
        kinds = kinds or ("numbers", "date", "categories")
        return {k: plan for k, plan in self.plan_.items() if plan["kind"] in kinds}

    def _known_categories(self) -> dict[str, np.ndarray]:
        """Return the categories that training had, by column."""
        known = [] if self.categories_ is None else self.categories_[-1].categories_
        return dict(zip(self._kept("categories"), known, strict=True))

    def _blocks(self, table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Return numbers with where their gaps are, and categories."""
        numbers, flags, texts = [], [], []
        for name, plan in self._kept().items():
            values = read_column(table[name], plan)
            if plan["kind"] == "categories":
                missing = "(gap)" if plan["gaps_tell"] else np.nan
                filled = values.astype(object).where(values.notna(), missing)
                texts.append(filled.to_numpy())
                continue
            parts = [as_date_part(values, part) for part in plan.get("parts", [])]
            numbers += parts or [values.to_numpy()]
            if plan["gaps_tell"]:
                flags.append(values.isna().to_numpy(dtype=np.float64))
        empty = np.empty((len(table), 0))
        block = np.column_stack([empty, *numbers, *flags])
        return block, np.column_stack([empty.astype(object), *texts])


def _as_frame(X: Any) -> pd.DataFrame:
    """Return any table with named columns as a data frame of pandas."""
    if hasattr(X, "to_pandas"):  # polars, pyarrow
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2:
            raise TableError(f"a table has two dimensions, this has {X.ndim}")
        X = pd.DataFrame(X).add_prefix("x")
    names = pd.Index([str(name) for name in X.columns], dtype=object)
    twice = sorted(set(names[names.duplicated()]))
    if twice:
        raise TableError(f"more than one column is named {some(twice)}; rename them")
    return X if names.equals(X.columns) else X.set_axis(names, axis=1)
