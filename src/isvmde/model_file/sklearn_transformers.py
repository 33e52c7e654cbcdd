"""Rules of scikit-learn's transformers of single columns."""

from itertools import pairwise
from typing import Any

import numpy as np

from .kinds import (
    LARGEST_ROW,
    LONGEST_TEXT,
    MOST_COLUMNS,
    Array,
    Choice,
    Flag,
    FunctionOf,
    Kind,
    Labels,
    ListOf,
    OneOf,
    PartOf,
    Plain,
    Real,
    Size,
    State,
    Surroundings,
    Whole,
    expect,
    maybe,
)
from .rules import ClassRules
from .sklearn_common import (
    N_FEATURES,
    NAMES,
    PER_FEATURE,
    TRANSFORMER,
    same_width,
)


class _DataType:
    """A NumPy type that columns are turned into."""

    def check(self, value: Any, around: Surroundings) -> None:
        """Refuse another value."""
        expect(isinstance(value, np.dtype), "a type is missing")
        expect(value.itemsize <= LONGEST_TEXT, "a type of huge texts")
        expect(value.kind in "biufOSU", "a strange type")


def _scaler(name: str, fitted: dict[str, Kind], seconds: float = 1e-7) -> ClassRules:
    """Return the rules of a transformer that changes each column by itself."""
    return ClassRules(
        name=f"sklearn.preprocessing.{name}",
        roles=TRANSFORMER,
        fitted={"n_features_in_": N_FEATURES} | fitted,
        optional=NAMES,
        width=same_width,
        seconds=seconds,
    )


def _check_power(state: State, around: Surroundings) -> None:
    """Look at the scaler inside a PowerTransformer."""
    if "lambdas_" in state and state["standardize"]:
        expect("_scaler" in state, "a scaler is missing")


# Encoders of categories


def _check_categories(state: State, around: Surroundings) -> None:
    """Look at encoded categories: numbers are found by their order."""
    for known in state.get("categories_", ()):
        expect(len(known) > 0, "a column without categories")
        if known.dtype.kind in "biuf":
            rises = np.diff(known.astype(float)) > 0
            rises[-1:] |= np.isnan(known[-1:].astype(float))[: len(rises)]
            expect(rises, "categories without order")
    for name in ("_infrequent_indices", "_default_to_infrequent_mappings"):
        pairs = zip(state.get(name, ()), state.get("categories_", ()), strict=False)
        for indices, known in pairs:
            inside = indices is None or (indices >= 0) & (indices < len(known))
            expect(inside, f"{name} is outside of the categories")
    if "categories_" in state:
        names = {"_infrequent_indices", "_default_to_infrequent_mappings"}
        there = names & state.keys()
        # what is not enabled is not used, but would count as columns
        needed = names if state["_infrequent_enabled"] else set()
        expect(there == needed, "infrequent categories are missing, or not used")


def _check_one_hot(state: State, around: Surroundings) -> None:
    """Look at the columns of a OneHotEncoder: SciPy writes where they say."""
    _check_categories(state, around)
    if "categories_" not in state:
        return
    for known in state["categories_"]:
        _check_places(known)
    sizes = _grouped_sizes(state)
    dropped = state["_drop_idx_after_grouping"]
    for name in ("drop_idx_", "_drop_idx_after_grouping"):
        if state[name] is None:
            expect(state["drop"] is None, "a category that is dropped is missing")
            continue
        known = [len(one) for one in state["categories_"]]
        bounds = known if name == "drop_idx_" else sizes
        for index, size in zip(state[name], bounds, strict=True):
            maybe(Whole(0, size - 1)).check(index, around)
    for j, size in enumerate(sizes):
        gone = dropped is not None and dropped[j] is not None
        expect(state["_n_features_outs"][j] == size - gone, "a strange width")


def _check_places(known: np.ndarray) -> None:
    """Look at categories that columns are made of: none is found behind the last.

    scikit-learn searches numbers by bisection, also among texts that look like them.
    """
    if known.dtype.kind in "US":
        expect(known[:-1] < known[1:], "texts without order")
    if known.dtype.kind != "O":
        return
    values = known.tolist()
    is_missing = [value is None or value != value for value in values]
    n_there = len(values) - sum(is_missing)
    there = values[:n_there]
    expect(not any(is_missing[:n_there]), "missing values before others")
    if all(isinstance(value, str) for value in there):
        return
    for value in there:
        OneOf((Flag(), Real())).check(value, Surroundings({}))
    expect([a < b for a, b in pairwise(there)], "categories without order")


def _grouped_sizes(state: State) -> list[int]:
    """Return the categories of every column, all infrequent ones counted as one."""
    sizes = [len(known) for known in state["categories_"]]
    mappings = state.get("_default_to_infrequent_mappings") or [None] * len(sizes)
    expect(len(mappings) == len(sizes), "infrequent categories are missing")
    for j, mapping in enumerate(mappings):
        if mapping is not None:
            expect(len(mapping) == sizes[j], "infrequent categories are missing")
            groups = int(mapping.max()) + 1
            expect(len(np.unique(mapping)) == groups, "a group without a category")
            infrequent = state["_infrequent_indices"][j]
            expect(infrequent is not None and len(infrequent), "no infrequent category")
            expect(mapping[infrequent] == groups - 1, "a strange group")
            sizes[j] = groups
    return sizes


def _one_hot_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of a OneHotEncoder."""
    widths = state.get("_n_features_outs")
    return None if widths is None else sum(widths)


# Imputers


def _imputer_width(state: State, around: Surroundings) -> int | None:
    """Return the columns that a SimpleImputer keeps, and those that say where."""
    if "statistics_" not in state:
        return None
    empty = [value is None or value != value for value in state["statistics_"]]
    kept = len(empty) - (0 if state["keep_empty_features"] else sum(empty))
    told = state["indicator_"]
    return kept if told is None else kept + len(told.features_)


def _check_imputer(state: State, around: Surroundings) -> None:
    """Look at the indicator of a SimpleImputer."""
    if "statistics_" not in state:
        return
    told = state["indicator_"] is not None
    expect(told or not state["add_indicator"], "an indicator is missing")
    # a row becomes an array of this type
    size = state["_fit_dtype"].itemsize * around.sizes["features"]
    expect(size <= LARGEST_ROW, "rows of huge texts")


def _indicator_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of a MissingIndicator."""
    return len(state["features_"]) if "features_" in state else None


_COUNT = OneOf((Whole(), Real(), Array("if", ("*",), computed=False)))
_NUMBER_TYPES = Choice(
    (
        np.float64,
        np.float32,
        np.int64,
        np.int32,
        np.int8,
        np.uint8,
        np.bool_,
        float,
        int,
        bool,
    )
)


_CATEGORIES: dict[str, Kind] = {
    "n_features_in_": N_FEATURES,
    "categories_": ListOf(Array("biufSUO", ("*",), computed=False), "features"),
    "_infrequent_enabled": Flag(),
}
_INFREQUENT: dict[str, Kind] = NAMES | {
    "_infrequent_indices": ListOf(
        maybe(Array("i", ("*",), computed=False)), "features"
    ),
    "_default_to_infrequent_mappings": ListOf(
        maybe(Array("i", ("*",), computed=False)), "features"
    ),
}
_DROPPED = maybe(Array("O", ("features",), computed=False))
_ONE_HOT: dict[str, Kind] = {
    "_n_features_outs": ListOf(Whole(0, MOST_COLUMNS), "features"),
    "drop_idx_": _DROPPED,
    "_drop_idx_after_grouping": _DROPPED,
}


TRANSFORMERS = (
    _scaler(
        "MinMaxScaler",
        {
            "scale_": PER_FEATURE,
            "min_": PER_FEATURE,
            "data_min_": PER_FEATURE,
            "data_max_": PER_FEATURE,
            "data_range_": PER_FEATURE,
            "n_samples_seen_": _COUNT,
        },
    ),
    _scaler(
        "StandardScaler",
        {
            "mean_": maybe(PER_FEATURE),
            "var_": maybe(PER_FEATURE),
            "scale_": maybe(PER_FEATURE),
            "n_samples_seen_": _COUNT,
        },
    ),
    _scaler(
        "RobustScaler",
        {"center_": maybe(PER_FEATURE), "scale_": maybe(PER_FEATURE)},
    ),
    _scaler(
        "MaxAbsScaler",
        {"max_abs_": PER_FEATURE, "scale_": PER_FEATURE, "n_samples_seen_": _COUNT},
    ),
    _scaler(
        "QuantileTransformer",
        {
            "n_quantiles_": Size("quantiles"),
            "references_": Array("f", ("quantiles",), computed=False),
            "quantiles_": Array("f", ("quantiles", "features"), computed=False),
        },
        seconds=1e-4,
    ),
    ClassRules(
        name="sklearn.preprocessing.PowerTransformer",
        roles=TRANSFORMER,
        fitted={"n_features_in_": N_FEATURES, "lambdas_": PER_FEATURE},
        optional=NAMES | {"_scaler": PartOf(TRANSFORMER, {"features": "features"})},
        check=_check_power,
        width=same_width,
        seconds=2e-5,
    ),
    _scaler("Normalizer", {}),
    ClassRules(
        name="sklearn.preprocessing.OneHotEncoder",
        roles=TRANSFORMER,
        parameters={"sparse_output": Choice((False,)), "dtype": _NUMBER_TYPES},
        fitted=_CATEGORIES | _ONE_HOT,
        optional=_INFREQUENT,
        check=_check_one_hot,
        width=_one_hot_width,
        seconds=1e-4,
    ),
    ClassRules(
        name="sklearn.preprocessing.OrdinalEncoder",
        roles=TRANSFORMER,
        parameters={"dtype": _NUMBER_TYPES},
        fitted=_CATEGORIES | {"_missing_indices": Plain()},
        optional=_INFREQUENT,
        check=_check_categories,
        width=same_width,
        seconds=1e-4,
    ),
    ClassRules(
        name="sklearn.preprocessing.FunctionTransformer",
        roles=TRANSFORMER,
        parameters={
            "func": maybe(FunctionOf(("elementwise",))),
            "inverse_func": maybe(FunctionOf(("elementwise",))),
            "feature_names_out": Choice((None, "one-to-one")),
            # an `out` or a `where` would write into another array
            "kw_args": Choice((None,)),
            "inv_kw_args": Choice((None,)),
        },
        fitted={"n_features_in_": N_FEATURES},
        optional=NAMES,
        width=same_width,
    ),
    ClassRules(
        name="sklearn.preprocessing.LabelEncoder",
        roles=frozenset({"labels"}),
        fitted={"classes_": Labels()},
    ),
    ClassRules(
        name="sklearn.impute.SimpleImputer",
        roles=TRANSFORMER,
        fitted={
            "n_features_in_": N_FEATURES,
            "statistics_": Array("biufO", ("features",), computed=False),
            "indicator_": maybe(PartOf(frozenset({"indicator"}))),
            "_fit_dtype": _DataType(),
        },
        optional=NAMES | {"_fill_dtype": _DataType()},
        check=_check_imputer,
        width=_imputer_width,
    ),
    ClassRules(
        name="sklearn.impute.MissingIndicator",
        roles=frozenset({"transformer", "indicator"}),
        parameters={"sparse": Choice((False, "auto"))},
        fitted={
            "n_features_in_": N_FEATURES,
            "features_": Array("i", ("*",), within="features", computed=False),
            "_n_features": Size("features"),
            "_precomputed": Flag(),
        },
        optional=NAMES,
        width=_indicator_width,
    ),
)
