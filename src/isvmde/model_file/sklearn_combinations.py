"""Rules of what selects and combines columns and steps in scikit-learn."""

import numpy as np

from .kinds import (
    ANY_ROLE,
    MOST_COLUMNS,
    Array,
    Choice,
    DictOf,
    Flag,
    FunctionOf,
    ListOf,
    OneOf,
    Plain,
    Real,
    Size,
    State,
    Surroundings,
    Text,
    TupleOf,
    Whole,
    expect,
    maybe,
)
from .rules import ClassRules
from .sklearn_common import (
    INNER,
    JOBS,
    N_FEATURES,
    NAMES,
    OUTPUT,
    PER_FEATURE,
    STEP,
    TRANSFORMER,
    total_width,
)


def _check_selected(state: State, around: Surroundings) -> None:
    """Look at the number of columns that are to be selected."""
    count = state["k"]
    expect(count == "all" or isinstance(count, (int, np.integer)), "a strange number")


def _selected_width(state: State, around: Surroundings) -> int | None:
    """Return the columns that a SelectKBest selects."""
    d = around.sizes.get("features")
    return d if d is None or state["k"] == "all" else min(int(state["k"]), d)


def _component_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of a PCA."""
    return around.sizes.get("components")


def _check_steps(state: State, around: Surroundings) -> None:
    """Look at the steps of a pipeline: each takes what the one before returns."""
    steps = state["steps"]
    expect(len(steps) > 0, "no steps")
    expect(len({name for name, _ in steps}) == len(steps), "two steps of one name")
    width = None
    for name, step in steps:
        if step is None or isinstance(step, str):
            continue
        part = around.part(step)
        taken = part.sizes.get("features")
        fits = width is None or taken is None or width == taken
        expect(fits, f"{name} takes {taken} columns and gets {width}")
        width = part.width
    for _, step in steps[:-1]:
        if step is not None and not isinstance(step, str):
            expect("transformer" in around.part(step).roles, "a step that ends")
    for name, (_, step) in (("features", steps[0]), ("classes", steps[-1])):
        if step is not None and not isinstance(step, str):
            sizes = around.part(step).sizes
            around.sizes.update({name: sizes[name]} if name in sizes else {})


def _steps_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of a pipeline's last step."""
    last = state["steps"][-1][1]
    return None if last is None or isinstance(last, str) else around.part(last).width


def _check_columns(state: State, around: Surroundings) -> None:
    """Look at the parts of a ColumnTransformer: each gets columns that there are."""
    if "transformers_" not in state:
        return
    d = around.sizes["features"]
    known = set(state.get("feature_names_in_", ()))
    inputs = state["_transformer_to_input_indices"]
    expect(len(state["_columns"]) == len(state["transformers"]), "columns are missing")
    for indices in inputs.values():
        expect(all(0 <= place < d for place in indices), "a column that is not there")
    for name, transformer, columns in state["transformers_"]:
        count = _check_choice(columns, known, d)
        expect(name in inputs and count == len(inputs[name]), f"columns of {name}")
        if transformer is None or isinstance(transformer, str) or count == 0:
            continue
        expect(around.part(transformer).is_fitted, f"{name} is not trained")
        taken = around.part(transformer).sizes.get("features")
        expect(taken in (None, count), f"{name} takes {taken} columns and gets {count}")
    for chosen in state["output_indices_"].values():
        expect(isinstance(chosen, slice), "a strange part of the output")
        Whole(0, MOST_COLUMNS).check(chosen.stop, around)


def _check_choice(columns: object, known: set[object], d: int) -> int:
    """Return how many of ``d`` columns are chosen; refuse those that are not there."""
    if isinstance(columns, slice):
        bounds = (columns.start, columns.stop, columns.step)
        plain = all(one is None or type(one) is int for one in bounds)
        expect(plain and columns.step != 0, "a strange choice of columns")
        return len(range(d)[columns])
    chosen = [columns] if isinstance(columns, (str, int)) else columns
    values = chosen.tolist() if isinstance(chosen, np.ndarray) else chosen
    expect(isinstance(values, list), "a strange choice of columns")
    assert isinstance(values, list)
    if values and all(isinstance(one, bool) for one in values):
        expect(len(values) == d, "a mask of other columns")
        return sum(values)
    for one in values:
        there = one in known if isinstance(one, str) else type(one) is int
        expect(there and (isinstance(one, str) or -d <= one < d), "a missing column")
    return len(values)


def _columns_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of all parts of a ColumnTransformer."""
    inputs = state.get("_transformer_to_input_indices", {})
    widths: list[int | None] = []
    for name, transformer, _ in state.get("transformers_", ()):
        count = len(inputs[name])
        if transformer in (None, "passthrough"):
            widths.append(count)
        elif transformer != "drop" and count > 0:
            widths.append(around.part(transformer).width)
    return total_width(widths, at_most=around.sizes.get("features", 0))


def _check_union(state: State, around: Surroundings) -> None:
    """Look at the parts of a FeatureUnion: all take the same columns.

    One has to know how many: unions of unions would double them without end.
    """
    parts = [part for _, part in state["transformer_list"]]
    for part in parts:
        if not isinstance(part, str) and "features" in around.part(part).sizes:
            around.agree("features", around.part(part).sizes["features"])
    expect("features" in around.sizes, "no part of a union knows its columns")


def _union_width(state: State, around: Surroundings) -> int | None:
    """Return the columns of all parts of a FeatureUnion."""
    d = around.sizes["features"]
    widths = [
        d if part == "passthrough" else around.part(part).width
        for _, part in state["transformer_list"]
        if part != "drop"
    ]
    return total_width(widths, at_most=d)


_COLUMNS = OneOf((Plain(frozenset({"selector"})), FunctionOf(())))
_ESTIMATORS = ListOf(TupleOf((Text(), STEP)))

COMBINATIONS = (
    ClassRules(
        name="sklearn.feature_selection.SelectKBest",
        roles=TRANSFORMER,
        parameters={"score_func": FunctionOf(("score",))},
        fitted={
            "n_features_in_": N_FEATURES,
            "scores_": PER_FEATURE,
            "pvalues_": maybe(PER_FEATURE),
        },
        optional=NAMES,
        check=_check_selected,
        width=_selected_width,
    ),
    ClassRules(
        name="sklearn.feature_selection.SelectPercentile",
        roles=TRANSFORMER,
        parameters={"score_func": FunctionOf(("score",)), "percentile": Real(0, 100)},
        fitted={
            "n_features_in_": N_FEATURES,
            "scores_": PER_FEATURE,
            "pvalues_": maybe(PER_FEATURE),
        },
        optional=NAMES,
    ),
    ClassRules(
        name="sklearn.feature_selection.VarianceThreshold",
        roles=TRANSFORMER,
        fitted={"n_features_in_": N_FEATURES, "variances_": PER_FEATURE},
        optional=NAMES,
    ),
    ClassRules(
        name="sklearn.decomposition.PCA",
        roles=TRANSFORMER,
        fitted={
            "n_features_in_": N_FEATURES,
            "components_": Array("f", ("components", "features"), computed=False),
            "mean_": PER_FEATURE,
            "n_components_": Size("components"),
            "explained_variance_": Array("f", ("components",), computed=False),
            "explained_variance_ratio_": Array("f", ("components",), computed=False),
            "singular_values_": Array("f", ("components",), computed=False),
            "noise_variance_": Real(),
            "n_samples_": Whole(),
        },
        optional=NAMES | {"_fit_svd_solver": Text()},
        width=_component_width,
    ),
    ClassRules(
        name="sklearn.compose.ColumnTransformer",
        roles=TRANSFORMER,
        parameters={
            "transformers": ListOf(TupleOf((Text(), STEP, _COLUMNS))),
            "remainder": STEP,
            "verbose_feature_names_out": Flag(),
        },
        fitted={
            "n_features_in_": N_FEATURES,
            # one without columns is not trained
            "transformers_": ListOf(TupleOf((Text(), STEP, Plain()))),
            "_columns": ListOf(Plain()),
            "_transformer_to_input_indices": DictOf(ListOf(Whole())),
            "_remainder": TupleOf((Text(), STEP, Plain())),
            "output_indices_": DictOf(Plain()),
            "sparse_output_": Choice((False, np.False_)),
        },
        optional=NAMES | {"_name_to_fitted_passthrough": DictOf(INNER)},
        check=_check_columns,
        width=_columns_width,
        forget=JOBS,
    ),
    ClassRules(
        name="sklearn.compose.make_column_selector",
        roles=frozenset({"selector"}),
    ),
    ClassRules(
        name="sklearn.pipeline.Pipeline",
        roles=ANY_ROLE,
        parameters={"steps": ListOf(TupleOf((Text(), STEP)))},
        optional=OUTPUT,
        check=_check_steps,
        width=_steps_width,
        forget=frozenset({"memory"}),
    ),
    ClassRules(
        name="sklearn.pipeline.FeatureUnion",
        roles=TRANSFORMER,
        parameters={
            "transformer_list": _ESTIMATORS,
            "verbose_feature_names_out": Flag(),
        },
        optional=NAMES,
        check=_check_union,
        width=_union_width,
        forget=JOBS,
    ),
)
