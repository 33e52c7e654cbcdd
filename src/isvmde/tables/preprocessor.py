"""Turn the columns of a table into numbers in [0, 1], and report what was done."""

import warnings
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from sklearn.utils.validation import check_is_fitted

from isvmde.caller import warn_caller

from .columns import ColumnPlan, Kind, Reason
from .dates import as_date_part, depends_on_order, proved_order
from .errors import (
    ColumnWarning,
    LeftOutWarning,
    TableError,
    check_columns,
    find_column,
    quote,
    some,
    unique_names,
)
from .judging import Request, judge, read_column, read_ratios, without_marks
from .notation import decimal_sign
from .numbers import strays, survey

_MOST_NAMED = 8  # columns that a message names
_SIDES = ("before /", "after /")


class TablePreprocessor(TransformerMixin, BaseEstimator):
    """Turn a table of mixed columns into numbers.

    Every column is judged by the rows it is fitted on:

    - *numbers* (also as text, with a unit, or with a few cells that are not numbers)
      are scaled to [0, 1]; ratios such as "120/80" are two numbers;
    - *categories* are coded one-hot, the rarest together when there are many; spellings
      that differ in capitals and blanks are one category, and so are "y" and "yes";
    - *dates* become days, and the time of year and of day where these vary;
    - *ids*, *free text*, constant and empty columns are left out, unless they are
      named in one of the parameters. A column is an id by its values, and only if it
      says nothing about the classes.

    A warning names what was left out, and what could also be read differently.

    Gaps are filled with the median or the most frequent category. Where at least 5 % of
    the rows have a gap, unevenly over the classes (a chi-squared test at 5 %, if ``y``
    is given), a further column of 0 and 1 says where the gaps were. New rows may leave
    [0, 1]; a category
    not seen in training counts as one of the rare ones, or as none.

    Parameters
    ----------
    features : list of str, optional
        Use only these columns, whatever they look like; all by default.
    drop : list of str, default=()
        Columns to leave out.
    numeric, nominal : list of str, default=()
        Columns to take as numbers, and as categories. In the latter, different
        spellings stay different categories.
    missing : list of str, default=()
        Values that stand for a gap, such as "-999".
    day_first : bool, optional
        Which number is the day in dates such as 03/04/2020, if no cell of the column
        settles it; the first by default, with a warning.
    max_categories : int, default=40
        Categories per column; the rarest beyond it share one.

    Attributes
    ----------
    columns_ : DataFrame
        Of every column ``taken as``, ``gaps``, ``distinct`` and ``note`` (the reason).
    plan_ : dict of str to ColumnPlan
        How every column is read, by its name. In a model file it is plain records.
    numbers_, categories_ : Pipeline or None
        What fills and scales the numbers, and what fills and codes the categories.
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
        missing: Iterable[str] = (),
        day_first: bool | None = None,
        max_categories: int = 40,
    ) -> None:
        self.features = features
        self.drop = drop
        self.numeric = numeric
        self.nominal = nominal
        self.missing = missing
        self.day_first = day_first
        self.max_categories = max_categories

    def fit(self, X: Any, y: Any = None) -> Self:
        """Judge the columns and learn fillings, ranges and categories.

        Parameters
        ----------
        X : DataFrame of shape (n_samples, n_columns)
            The training part.
        y : array-like of shape (n_samples,), optional
            The classes: they decide whether gaps are informative.
        """
        table = _as_frame(X)
        if not len(table):
            raise TableError("the table has no rows")
        self.feature_names_in_ = np.array(table.columns, dtype=object)
        self.n_features_in_ = table.shape[1]
        self.plan_ = self._make_plan(table, _known_classes(y, len(table)))
        if not self._kept():
            reasons = sorted({plan.note for plan in self.plan_.values()})[:3]
            raise TableError(f"no column is left to learn from ({'; '.join(reasons)})")
        encoder = OneHotEncoder(
            handle_unknown="infrequent_if_exist",
            max_categories=self.max_categories,
            sparse_output=False,
        )
        scaling = make_pipeline(SimpleImputer(strategy="median"), MinMaxScaler())
        coding = make_pipeline(SimpleImputer(strategy="most_frequent"), encoder)
        numbers, categories = self._numbers(table), self._categories(table)
        self.numbers_ = _fitted(scaling, numbers)
        self.categories_ = _fitted(coding, categories)
        self._warn()
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
        blocks = []
        with warnings.catch_warnings():
            # scikit-learn tells of categories it has not seen; remarks() does
            warnings.simplefilter("ignore", UserWarning)
            if self.numbers_ is not None:
                blocks.append(self.numbers_.transform(self._numbers(table)))
            if self.categories_ is not None:
                blocks.append(self.categories_.transform(self._categories(table)))
        return np.hstack(blocks)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return the names of the columns that :meth:`transform` makes."""
        check_is_fitted(self)
        numbers, flags = [], []
        for name, plan in self._kept(Kind.NUMBERS, Kind.DATE).items():
            parts = _SIDES if plan.reading.ratio else plan.date_parts
            numbers += [f"{name} {part}" for part in parts] or [name]
            if plan.gaps_tell:
                flags.append(f"{name} is missing")
        names = numbers + flags
        if self.categories_ is not None:
            texts = list(self._kept(Kind.CATEGORIES))
            names += list(self.categories_[-1].get_feature_names_out(texts))
        return np.array(unique_names(names), dtype=object)

    @property
    def columns_(self) -> pd.DataFrame:
        """What was done with every column."""
        check_is_fitted(self)
        plans = self.plan_.values()
        return pd.DataFrame(
            {
                "taken as": [plan.kind.value for plan in plans],
                "gaps": [plan.gaps for plan in plans],
                "distinct": [plan.distinct for plan in plans],
                "note": [plan.note for plan in plans],
            },
            index=pd.Index(list(self.plan_), dtype=object),
        )

    @property
    def used_columns(self) -> list[str]:
        """The columns that :meth:`transform` needs."""
        check_is_fitted(self)
        return list(self._kept())

    @property
    def left_out(self) -> list[str]:
        """The columns left out for looking like ids or free text: you may disagree."""
        check_is_fitted(self)
        plans = self.plan_.items()
        return [k for k, p in plans if p.reason is not None and p.reason.is_judgement]

    def remarks(self, X: Any) -> list[str]:
        """Return sentences on new rows: unseen categories, cells without a number."""
        check_is_fitted(self)
        table = _as_frame(X)
        found, known = [], self._known_categories()
        for name, plan in self._kept(Kind.NUMBERS, Kind.CATEGORIES).items():
            column = self._without_marks(table[name])
            values = read_column(column, plan)
            if plan.kind is Kind.CATEGORIES:
                texts = sorted(set(values.dropna()) - set(known[name]))
                what = "values that training did not have"
            else:
                texts = strays(column, values)
                unit = plan.reading.unit
                of = f" with the unit {quote(unit)}" if unit else ""
                what = f"cells that are not numbers{of} and count as missing"
            if texts:
                found.append(f"column {quote(name)} has {what}: {some(texts)}")
        return found

    def __getstate__(self) -> dict[str, Any]:
        """Return the state with plans as records, which files can hold."""
        state = dict(super().__getstate__())
        if "plan_" in state:
            plans = state["plan_"].items()
            state["plan_"] = {name: plan.to_record() for name, plan in plans}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take a state with plans as records; what is not a plan is an error."""
        state = dict(state)
        if "plan_" in state:
            records = state["plan_"].items()
            state["plan_"] = {k: ColumnPlan.from_record(v) for k, v in records}
        super().__setstate__(state)

    def _make_plan(self, table: pd.DataFrame, y: Any) -> dict[str, ColumnPlan]:
        """Judge every column that was not dropped."""
        texts = table.select_dtypes(["object", "string"])
        usual = Request(
            left_out=None if self.features is None else Reason.NOT_ASKED_FOR,
            missing=tuple(map(str, _one_or_more(self.missing))),
            day_first=self.day_first,
            decimal=decimal_sign(survey(texts[name]) for name in texts),
        )
        used = replace(usual, left_out=None, however_it_looks=True)
        of = {
            "features": used,
            "numeric": replace(used, kind=Kind.NUMBERS),
            "nominal": replace(used, kind=Kind.CATEGORIES),
            "drop": replace(usual, left_out=Reason.DROPPED),
        }
        requests = {
            find_column(table, name, "the table"): request
            for parameter, request in of.items()
            for name in _one_or_more(getattr(self, parameter))
        }
        plans = {k: judge(table[k], requests.get(k, usual), y) for k in table.columns}
        in_doubt, day_first = _order_of_dates(table, plans)
        for name in in_doubt if self.day_first is None else ():
            request = replace(requests.get(name, usual), day_first=day_first)
            plans[name] = judge(table[name], request, y)
        return self._with_repetitions(table, plans)

    def _with_repetitions(
        self, table: pd.DataFrame, plans: dict[str, ColumnPlan]
    ) -> dict[str, ColumnPlan]:
        """Say in the plans which columns repeat another one."""
        first: dict[bytes, str] = {}
        said = dict(plans)
        for name, plan in plans.items():
            if plan.is_used:
                values = read_column(self._without_marks(table[name]), plan)
                content = pd.util.hash_pandas_object(values, index=False)
                other = first.setdefault(content.to_numpy().tobytes(), name)
                if other != name:
                    fact = f"the same as {quote(other)} in every row"
                    said[name] = replace(plan, facts=(*plan.facts, fact))
        return said

    def _warn(self) -> None:
        """Warn of columns that can be read in another way, or were left out."""
        for name, plan in self.plan_.items():
            taken = f"taken as {plan.kind.value}" if plan.is_used else "left out"
            for remark in plan.remarks:
                said = f"column {quote(name)} is {taken}; {remark}"
                warn_caller(said, ColumnWarning)
        left_out = [f"{quote(k)} ({self.plan_[k].note})" for k in self.left_out]
        if left_out:
            more = len(left_out) - _MOST_NAMED
            named = ", ".join(left_out[:_MOST_NAMED])
            rest = f" and {more} more" if more > 0 else ""
            warn_caller(
                f"left out: {named}{rest}; to use a column, name it in nominal, "
                "numeric or features",
                LeftOutWarning,
            )

    def _kept(self, *kinds: Kind) -> dict[str, ColumnPlan]:
        """Return the plans of the columns that are used, or of some kinds of them."""
        used = {name: plan for name, plan in self.plan_.items() if plan.is_used}
        return {name: p for name, p in used.items() if not kinds or p.kind in kinds}

    def _known_categories(self) -> dict[str, np.ndarray]:
        """Return the categories that training had, by column."""
        known = [] if self.categories_ is None else self.categories_[-1].categories_
        return dict(zip(self._kept(Kind.CATEGORIES), known, strict=True))

    def _without_marks(self, column: pd.Series) -> pd.Series:
        """Return a column without the values that stand for a gap."""
        return without_marks(column, tuple(map(str, self.missing)))[0]

    def _numbers(self, table: pd.DataFrame) -> np.ndarray:
        """Return numbers and parts of dates, (n, d), with where their gaps are."""
        # no numbers at all are a column of zero width, with as many rows
        numbers: list[np.ndarray] = [np.empty((len(table), 0))]
        flags: list[np.ndarray] = []
        for name, plan in self._kept(Kind.NUMBERS, Kind.DATE).items():
            column = self._without_marks(table[name])
            values = read_column(column, plan)
            if plan.kind is Kind.DATE:
                numbers += [as_date_part(values, part) for part in plan.date_parts]
            elif plan.reading.ratio:
                sides = read_ratios(column, plan)
                numbers += [sides[side].to_numpy() for side in sides]
            else:
                numbers.append(values.to_numpy())
            if plan.gaps_tell:
                flags.append(values.isna().to_numpy(dtype=np.float64))
        return np.column_stack(numbers + flags)

    def _categories(self, table: pd.DataFrame) -> np.ndarray:
        """Return the texts of categories, (n, d)."""
        texts: list[np.ndarray] = [np.empty((len(table), 0), object)]  # as for numbers
        for name, plan in self._kept(Kind.CATEGORIES).items():
            values = read_column(self._without_marks(table[name]), plan)
            missing = "(gap)" if plan.gaps_tell else np.nan
            filled = values.astype(object).where(values.notna(), missing)
            texts.append(filled.to_numpy())
        return np.column_stack(texts)


def _order_of_dates(
    table: pd.DataFrame, plans: dict[str, ColumnPlan]
) -> tuple[list[str], bool | None]:
    """Return columns that leave the order of day and month open, and what others prove.

    The columns are to be read as the others are, if these agree.
    """
    in_doubt: list[str] = []
    orders: set[bool] = set()
    for name, plan in plans.items():
        if depends_on_order(plan.date_formats):
            order = proved_order(table[name], plan.date_formats)
            if order is None:
                in_doubt.append(name)
            else:
                orders.add(order)
    return (in_doubt, orders.pop()) if len(orders) == 1 else ([], None)


def _fitted(coder: Any, block: np.ndarray) -> Any:
    """Return a coder fitted on a block of columns; None if the block has none."""
    if not block.shape[1]:
        return None
    # arrays, whatever output a person chose for all of scikit-learn
    return coder.set_output(transform="default").fit(block)


def _known_classes(y: Any, n: int) -> np.ndarray | None:
    """Return the classes of the rows, or None where they are not all known."""
    if y is None:
        return None
    labels = pd.Series(y.to_pandas() if hasattr(y, "to_pandas") else np.asarray(y))
    return labels.to_numpy() if len(labels) == n and labels.notna().all() else None


def _one_or_more(names: str | Iterable[Any] | None) -> list[Any]:
    """Return names as a list; a single text is a name and not letters."""
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)


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
    named: pd.DataFrame = X if names.equals(X.columns) else X.set_axis(names, axis=1)
    return named
