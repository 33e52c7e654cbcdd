"""Turn the columns of a table into numbers in [0, 1], and tell what was done."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2_contingency
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from .cells import as_numbers, as_texts, strays
from .dates import as_part, parse
from .errors import TableError, check_columns, quote, some, unique_names
from .judging import check_size, judge
from .target import find_column

GAP = "(gap)"
"""The category of a gap, where gaps are a category of their own."""


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Make numbers of a data frame as people have it.

    Every column is judged by the rows it is fitted on:

    - *numbers* (also as text, with a few cells that are none) are scaled to [0, 1];
    - *categories* are coded one-hot, the rarest together when there are many;
    - *dates* become days, and the time of year and of day where these vary;
    - *ids*, *free text*, constant and empty columns are left out, unless they are
      named in one of the parameters.

    Gaps are filled with the median or the most frequent category. Where at least 5 %
    of the rows have a gap and gaps are distributed unevenly over the classes (a
    chi-squared test at 5 %; without ``y`` the frequency alone decides), a further
    column of 0 and 1 says where the gaps were. New rows may leave [0, 1]; a category
    that was not seen counts as the rare ones, or as none.

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
        For every column ``taken as``, ``gaps``, ``distinct`` and ``note``: why it was
        left out, which cells are no numbers.
    plan_ : dict
        How every column is read, by its name.
    n_features_in_ : int
        Number of columns it was fitted on.
    feature_names_in_ : ndarray
        Their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from isvmde.tables import TablePreprocessor
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

    def fit(self, X: Any, y: Any = None) -> TablePreprocessor:
        """Judge the columns and learn fillings, ranges and categories.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            The training part.
        y : array-like of shape (n_samples,), optional
            The classes: they decide whether gaps say something.

        Returns
        -------
        self
            Itself, fitted.
        """
        table = _as_frame(X)
        if not len(table):
            raise TableError("the table has no rows")
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self.plan_ = self._make_plan(table, y)
        numbers, _, texts = self._blocks(table)
        if not numbers.shape[1] and not texts.shape[1]:
            reasons = {plan["note"] for plan in self.plan_.values()}
            raise TableError(
                f"no column is left to learn from ({'; '.join(sorted(reasons)[:3])})"
            )
        self.numbers_: Pipeline | None = None
        if numbers.shape[1]:
            self.numbers_ = make_pipeline(
                SimpleImputer(strategy="median"), MinMaxScaler()
            ).fit(numbers)
        self.categories_: Pipeline | None = None
        if texts.shape[1]:
            encoder = OneHotEncoder(
                handle_unknown="infrequent_if_exist",
                max_categories=self.max_categories,
                sparse_output=False,
            )
            self.categories_ = make_pipeline(
                SimpleImputer(strategy="most_frequent"), encoder
            ).fit(texts)
        for name, plan in self.plan_.items():
            if plan["kind"] == "numbers" and plan["note"]:
                warnings.warn(
                    f"column {quote(name)} is taken as numbers; {plan['note']}",
                    UserWarning,
                    stacklevel=2,
                )
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the numbers of a table.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            Columns are found by name; further ones are ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            Numbers and dates first, then where gaps were, then the categories.
        """
        check_is_fitted(self)
        table = _as_frame(X)
        check_columns(table, self._kept())
        numbers, flags, texts = self._blocks(table)
        blocks = [flags]
        if self.numbers_ is not None:
            blocks.insert(0, self.numbers_.transform(numbers))
        if self.categories_ is not None:
            with warnings.catch_warnings():
                # scikit-learn tells of categories it has not seen; remarks() does
                warnings.simplefilter("ignore", UserWarning)
                blocks.append(self.categories_.transform(texts))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that :meth:`transform` makes.

        Parameters
        ----------
        input_features : ignored
            There for scikit-learn's interface.

        Returns
        -------
        ndarray of str
            Their names.
        """
        check_is_fitted(self)
        numbers, flags = [], []
        for name, plan in self._kept().items():
            if plan["kind"] != "categories":
                parts = plan.get("parts", [""])
                numbers += [f"{name} {part}" if part else name for part in parts]
                flags += [f"{name} is missing"] * plan["gaps_tell"]
        names = numbers + flags
        if self.categories_ is not None:
            texts = list(self._known_categories())
            names += list(self.categories_[-1].get_feature_names_out(texts))
        return np.array(unique_names(names), dtype=object)

    @property
    def columns_(self) -> pd.DataFrame:
        """What was done with every column."""
        check_is_fitted(self)
        keys = ["kind", "gaps", "distinct", "note"]
        rows = [[plan[key] for key in keys] for plan in self.plan_.values()]
        names = pd.Index(list(self.plan_), dtype=object)
        return pd.DataFrame(rows, names, ["taken as", *keys[1:]])

    def remarks(self, X: Any) -> list[str]:
        """Return sentences on what is unusual in new rows, for a person to read.

        Parameters
        ----------
        X : DataFrame
            New rows with the columns of training.

        Returns
        -------
        list of str
            On categories that were not seen, and on cells that are no numbers.
        """
        check_is_fitted(self)
        table = _as_frame(X)
        found = []
        known = self._known_categories()
        for name, plan in self._kept().items():
            column = table[name]
            if plan["kind"] == "categories":
                values = set(as_texts(column).dropna()) - set(known[name])
                if values:
                    found.append(
                        f"column {quote(name)} has values that training did not have: "
                        f"{some(sorted(values))}"
                    )
            elif plan["kind"] == "numbers":
                texts = strays(column, as_numbers(column, plan["decimal"]))
                if texts:
                    found.append(
                        f"column {quote(name)} has cells that are no numbers and "
                        f"count as gaps: {some(texts)}"
                    )
        return found

    def _make_plan(self, table: pd.DataFrame, y: Any) -> dict[str, dict[str, Any]]:
        """Judge every column that was not dropped."""
        wanted = self._wanted(table)
        dropped = {find_column(table, name, "the table") for name in self.drop}
        plans: dict[str, dict[str, Any]] = {}
        for name in table.columns:
            if name in dropped or (self.features is not None and name not in wanted):
                plans[name] = {
                    "kind": "left out",
                    "note": "dropped as asked" if name in dropped else "not asked for",
                    "gaps": int(table[name].isna().sum()),
                    "distinct": int(as_texts(table[name]).nunique()),
                }
                continue
            plan = judge(table[name], wanted.get(name))
            if plan["kind"] != "left out":
                gaps = _values(table[name], plan).isna().to_numpy()
                flag = plan["note"] == "one value or a gap"
                plan["gaps_tell"] = flag or _gaps_tell(gaps, y)
            plans[name] = plan
        return plans

    def _wanted(self, table: pd.DataFrame) -> dict[str, str]:
        """Return what was asked for, by column."""
        wanted = {}
        for names, kind in (
            (self.features or (), "any"),
            (self.numeric, "numbers"),
            (self.nominal, "categories"),
        ):
            for name in names:
                wanted[find_column(table, name, "the table")] = kind
        return wanted

    def _kept(self) -> dict[str, dict[str, Any]]:
        """Return the plans of the columns that are used."""
        return {k: plan for k, plan in self.plan_.items() if plan["kind"] != "left out"}

    def _known_categories(self) -> dict[str, np.ndarray]:
        """Return the categories that training had, by column."""
        names = [k for k, plan in self.plan_.items() if plan["kind"] == "categories"]
        coder = self.categories_
        known = [] if coder is None else coder[-1].categories_
        return dict(zip(names, known, strict=True))

    def _blocks(self, table: pd.DataFrame) -> list[np.ndarray]:
        """Return numbers, where their gaps are, and categories, with their gaps."""
        numbers: list[np.ndarray] = []
        flags: list[np.ndarray] = []
        texts: list[np.ndarray] = []
        for name, plan in self._kept().items():
            column = table[name]
            values = _values(column, plan)
            if plan["kind"] == "categories":
                filled = values.astype(object)
                missing = GAP if plan["gaps_tell"] else np.nan
                texts.append(filled.where(values.notna(), missing).to_numpy())
                continue
            if plan["kind"] == "numbers":
                _check_new_numbers(column, values)
                numbers.append(values.to_numpy())
            else:
                numbers += [as_part(values, part) for part in plan["parts"]]
            if plan["gaps_tell"]:
                flags.append(values.isna().to_numpy(dtype=np.float64))
        empty = np.empty((len(table), 0))
        blocks = (numbers, flags, texts)
        return [np.column_stack(each) if each else empty for each in blocks]


def _values(column: pd.Series, plan: dict[str, Any]) -> pd.Series:
    """Return a column as its plan reads it: numbers, points in time or text."""
    if plan["kind"] == "numbers":
        return as_numbers(column, plan["decimal"])
    if plan["kind"] == "date":
        is_text = plan["format"] is not None
        return parse(as_texts(column) if is_text else column, plan["format"])
    return as_texts(column)


def _check_new_numbers(column: pd.Series, numbers: pd.Series) -> None:
    """Refuse infinity, and text alone where numbers were learned."""
    check_size(column, numbers.dropna())
    if numbers.isna().all():
        texts = strays(column, numbers)
        if texts:
            raise TableError(
                f"column {quote(column.name)} has no numbers, and the model learned "
                f"numbers there: {some(texts, 3)}"
            )


def _gaps_tell(gaps: np.ndarray, y: Any) -> bool:
    """Whether gaps are frequent, and uneven over the classes where these are known."""
    if min(gaps.sum(), (~gaps).sum()) < max(5, 0.05 * len(gaps)):
        return False
    if y is None:
        return True
    counts = pd.crosstab(gaps, np.asarray(y))
    return bool(counts.shape[1] > 1 and chi2_contingency(counts).pvalue < 0.05)


def _as_frame(X: Any) -> pd.DataFrame:
    """Return any table with named columns as a data frame of pandas."""
    if hasattr(X, "to_pandas"):  # polars, pyarrow
        X = X.to_pandas()
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2:
            raise TableError(f"a table has two dimensions, this has {X.ndim}")
        X = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    names = [str(name) for name in X.columns]
    if len(set(names)) < len(names):
        twice = {name for name in names if names.count(name) > 1}
        raise TableError(
            f"more than one column is named {some(sorted(twice))}; rename them"
        )
    return X.set_axis(names, axis=1) if names != list(X.columns) else X
