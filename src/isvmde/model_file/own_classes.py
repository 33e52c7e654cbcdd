"""What training leaves in the classes of this library.

**A new fitted attribute** is one line here, in ``fitted`` of its class: its name, and
what it may be. `save_model` refuses an attribute that is not listed, so none can be
forgotten. Where it is an index, it also gets ``within``, or a line in the class's
``check``. A parameter needs a line only if it is more than a plain value. A frozen
dataclass or a named tuple that an attribute holds is a class like all others.
"""

import numpy as np

from isvmde.core.averaging.machines import Machines
from isvmde.core.decomposition import DECOMPOSITIONS, make_decomposition
from isvmde.core.kernels import KERNELS, LARGEST_DEGREE
from isvmde.core.views import VIEWS, WEIGHTED
from isvmde.tables.columns import Kind as ColumnKind
from isvmde.tables.columns import Reason

from .kinds import (
    MOST_JOBS,
    Array,
    Choice,
    DictOf,
    Every,
    Flag,
    FunctionOf,
    Kind,
    Labels,
    ListOf,
    Member,
    Names,
    OneOf,
    PartOf,
    Plain,
    Real,
    Record,
    Size,
    State,
    Surroundings,
    Text,
    UnlikeError,
    Whole,
    expect,
    maybe,
)
from .rules import ClassRules

_MOST_CLASSES = 1_000  # they make up to half a million problems
_CLASSIFIER = frozenset({"classifier"})
_BASELINE = frozenset({"classifier", "baseline"})
_FLOATS = Array("f", ("*",))
_PER_PROBLEM = Array("f", ("problems",))
_JOBS = maybe(Whole(-MOST_JOBS, MOST_JOBS))
_LABEL = OneOf((Whole(-(2**63), 2**63), Real(), Text(), Flag()))

# what every classifier knows after training
_CLASSES: dict[str, Kind] = {
    "n_features_in_": Size("features"),
    "classes_": Labels(),
    "class_count_": Array("f", ("classes",)),
    "decomposition_": Choice(tuple(DECOMPOSITIONS)),
}
_NAMES: dict[str, Kind] = {"feature_names_in_": Names()}

# one machine per binary problem
_MACHINES: dict[str, Kind] = {
    "_kernels": Array("f", ("problems", 3)),
    "support_vectors_": ListOf(Array("f", ("*", "features")), "problems"),
    "dual_coef_": ListOf(_FLOATS, "problems"),
    "intercept_": _PER_PROBLEM,
    "kkt_violation_": _PER_PROBLEM,
    "n_support_": OneOf((_PER_PROBLEM, Array("i", ("problems",)))),
    "n_iter_": Whole(),
}
_SETTINGS_OF_PROBLEM = Record(
    {
        "C": Real(0.0),
        "C_pos": Real(0.0),
        "C_neg": Real(0.0),
        "margin_pos": Real(0.0),
        "margin_neg": Real(0.0),
        "kernel": Choice(KERNELS),
        "sigma": Real(0.0),
        "degree": Whole(1, LARGEST_DEGREE),
        "ranks": Flag(),
    }
)
_VIEWS = Record(
    {
        "values": ListOf(_FLOATS, "features"),
        "ranks": ListOf(_FLOATS, "features"),
        "origin": Array("f", ("features",)),
        "relevance": Array("f", ("parts", "features")),
        "rank_relevance": Array("f", ("parts", "features")),
    }
)
_SETTINGS: dict[str, Kind] = {
    "_settings": ListOf(_SETTINGS_OF_PROBLEM, "problems"),
    "_views": maybe(_VIEWS),
}
_SEARCH: dict[str, Kind] = {
    "fitness_": Real(),
    "history_": DictOf(Array("if", ("*",), computed=False)),
    "stop_reason_": Text(),
}

# the machines of an average; where their indices point is checked at their own door
_AVERAGE = Record(
    {
        "rows": Array("f", ("rows", "features")),
        "given": Array("i", ("rows",), within="samples"),
        "label": Array("i", ("rows",), within="classes"),
        "views": _VIEWS,
        "kernel_setting": Array("i", ("kernels",), within="settings"),
        "kernel_rows": Array("i", ("kernels", 2)),
        "kernel_start": Array("i", ("*",)),
        "setting": Array("i", ("averaged",), within="settings"),
        "pair": Array("i", ("averaged",), within="problems"),
        "weight": Array("f", ("averaged",)),
        "intercept": Array("f", ("averaged",)),
        "start": Array("i", ("*",)),
        "index": Array("i", ("support",), within="rows"),
        "beta": Array("f", ("support",)),
    }
)
_SETTING_OF_ALL = Record(
    {
        "kernel": Choice(KERNELS),
        "view": Choice(VIEWS),
        "C_pos": Real(0.0),
        "C_neg": Real(0.0),
    },
    optional={
        "sigma": Real(0.0),
        "degree": Whole(1, LARGEST_DEGREE),
        "part": Whole(0),
    },
)
_AVERAGED: dict[str, Kind] = {
    "decomposition_": Choice(("one-vs-one",)),
    "class_rank_": Array("i", ("classes",), within="classes"),
    "settings_": ListOf(_SETTING_OF_ALL, "settings"),
    "loo_error_": Array("f", ("settings", "problems")),
    "weights_": Array("f", ("settings", "problems")),
    "margins_": Array("f", ("problems", 2)),
    "prior_": Array("f", ("classes",)),
    "loo_proba_": Array("f", ("samples", "classes")),
    "_given_label": Array("i", ("samples",), within="classes", least=-1),
    "_given_weight": Array("f", ("samples",)),
    "_machines": _AVERAGE,
    "kkt_violation_": _PER_PROBLEM,
    "n_support_": OneOf((_PER_PROBLEM, Array("i", ("problems",)))),
    "n_cut_short_": Whole(),
}

ENUMS = {
    "isvmde.tables.columns.Kind": ColumnKind,
    "isvmde.tables.columns.Reason": Reason,
}
_PLAN, _READING, _NUMBER_FORMAT = (
    PartOf(frozenset({role})) for role in ("plan", "reading", "number format")
)
_SHORT_TEXTS = Every(Text(100))


def _check_problems(state: State, around: Surroundings) -> None:
    """Look at what a classifier knows of its binary problems."""
    n_classes = around.sizes["classes"]
    expect(2 <= n_classes <= _MOST_CLASSES, f"{n_classes} classes")
    made = make_decomposition(state["decomposition_"], state["class_count_"])
    around.agree("problems", len(made.problems))
    if "_kernels" in state:
        _check_machines(state)
    if state.get("_views") is not None:
        _check_views(state["_views"])


def _check_machines(state: State) -> None:
    """Look at one trained machine per problem."""
    base, function, parameter = state["_kernels"].T
    expect(np.isin(base, (0, 1, 2)) & np.isin(function, (0, 1, 2)), "strange kernels")
    expect(parameter >= 0.0, "a kernel's parameter below zero")
    expect((function != 2) | (parameter <= LARGEST_DEGREE), "an endless degree")
    pairs = zip(state["support_vectors_"], state["dual_coef_"], strict=True)
    expect([len(rows) == len(own) for rows, own in pairs], "multipliers are missing")


def _check_views(views: State) -> None:
    """Look at the values that are known of the features."""
    pairs = zip(views["values"], views["ranks"], strict=True)
    expect([0 < len(known) == len(rank) for known, rank in pairs], "ranks are missing")
    expect([(np.diff(known) > 0).all() for known in views["values"]], "falling values")


def _check_average(state: State, around: Surroundings) -> None:
    """Look at the averaged machines: what they point to is checked by their door."""
    _check_problems(state, around)
    rank = np.sort(state["class_rank_"])
    expect(rank == np.arange(len(rank)), "two classes of one rank")
    saved = state["_machines"]
    _check_views(saved["views"])
    n_parts = len(saved["views"]["relevance"])
    parts = [
        setting.get("part", 0)
        for setting in state["settings_"]
        if setting["view"] in WEIGHTED.values()
    ]
    expect([part < n_parts for part in parts], "a part whose relevance is missing")
    try:
        Machines.from_dict(saved).check(around.sizes["problems"])
    except ValueError as error:
        raise UnlikeError(str(error)) from error


def _check_plan(state: State, around: Surroundings) -> None:
    """Look at the columns of a table: each coder gets as many as are planned."""
    plans = state["plan_"]
    expect(list(plans) == list(state["feature_names_in_"]), "other columns are planned")
    numbers, n_texts = 0, 0
    for plan in plans.values():
        if plan.kind in (ColumnKind.NUMBERS, ColumnKind.DATE):
            parts = 2 if plan.reading.ratio else 1
            is_date = plan.kind is ColumnKind.DATE
            numbers += len(plan.date_parts) if is_date else parts
            numbers += bool(plan.gaps_tell)
        n_texts += plan.kind is ColumnKind.CATEGORIES
    for name, count in (("numbers_", numbers), ("categories_", n_texts)):
        expect((state[name] is None) == (count == 0), f"{name} is missing, or not used")
        if count:
            taken = around.part(state[name]).sizes.get("features")
            expect(taken == count, f"{name} takes {taken} columns and not {count}")


def _plan_width(state: State, around: Surroundings) -> int | None:
    """Return the columns that both coders return."""
    coders = [state[name] for name in ("numbers_", "categories_")]
    widths = [around.part(coder).width for coder in coders if coder is not None]
    return None if None in widths else sum(width or 0 for width in widths)


def _baseline(name: str) -> ClassRules:
    """Return the rules of a baseline."""
    return ClassRules(
        name=f"isvmde.baselines.{name}",
        roles=_BASELINE,
        fitted=_CLASSES | _MACHINES,
        optional=_NAMES,
        check=_check_problems,
    )


_GRID_SEARCH: dict[str, Kind] = {
    "n_splits_": Whole(),
    "best_index_": Whole(),
    "best_params_": DictOf(Plain()),
    "best_score_": Real(),
    "cv_results_": DictOf(Plain()),
    "best_estimator_": PartOf(
        frozenset({"baseline"}), {"features": "features", "classes": "classes"}
    ),
    "n_support_": OneOf((Array("f", ("*",)), Array("i", ("*",)))),
}
_CODER = PartOf(frozenset({"transformer"}))

OWN_CLASSES = (
    ClassRules(
        name="isvmde.ISVMClassifier",
        roles=_CLASSIFIER,
        parameters={"n_jobs": _JOBS},
        fitted=_CLASSES | _SETTINGS | _MACHINES,
        optional=_NAMES,
        check=_check_problems,
    ),
    ClassRules(
        name="isvmde.ISVMDEClassifier",
        roles=_CLASSIFIER,
        parameters={
            "n_jobs": _JOBS,
            "callback": maybe(FunctionOf(())),
            "cv": Plain(frozenset({"splitter"})),
        },
        # a file would say where the next fit writes
        forget=frozenset({"checkpoint"}),
        fitted=_CLASSES | _SETTINGS | _MACHINES | _SEARCH,
        optional=_NAMES,
        check=_check_problems,
    ),
    ClassRules(
        name="isvmde.ISVMClassifierCV",
        roles=_CLASSIFIER,
        parameters={
            "n_jobs": _JOBS,
            "scoring": OneOf((maybe(Text()), FunctionOf(("score",)))),
        },
        fitted=_CLASSES | _AVERAGED,
        optional=_NAMES,
        check=_check_average,
    ),
    _baseline("NBSVM"),
    _baseline("OVOSVM"),
    _baseline("CostSVM"),
    _baseline("PPSVM"),
    _baseline("SDCSVM"),
    _baseline("StaticSMOTESVM"),
    _baseline("WKSMOTESVM"),
    ClassRules(
        name="isvmde.baselines.GridSearchSVM",
        roles=_CLASSIFIER,
        parameters={
            "n_jobs": _JOBS,
            "estimator": PartOf(frozenset({"baseline"}), fitted=False),
            "cv": Plain(frozenset({"splitter"})),
        },
        fitted=_CLASSES | _GRID_SEARCH,
        optional=_NAMES,
        check=_check_problems,
    ),
    ClassRules(
        name="isvmde.tables.TablePreprocessor",
        roles=frozenset({"transformer"}),
        fitted={
            "n_features_in_": Size("features"),
            "feature_names_in_": Names(),
            "plan_": DictOf(_PLAN),
            "numbers_": maybe(_CODER),
            "categories_": maybe(_CODER),
        },
        check=_check_plan,
        width=_plan_width,
        seconds=1e-4,
    ),
    ClassRules(
        name="isvmde.tables.columns.ColumnPlan",
        roles=frozenset({"plan"}),
        parameters={
            "kind": Member(ColumnKind),
            "reason": maybe(Member(Reason)),
            "gaps": Whole(),
            "distinct": Whole(),
            "gaps_tell": Flag(),
            "reading": _READING,
            "date_formats": _SHORT_TEXTS,
            "date_parts": _SHORT_TEXTS,
            "first_year": Whole(),
            "spellings": DictOf(Text()),
            "facts": Every(Text()),
            "remarks": Every(Text()),
        },
    ),
    ClassRules(
        name="isvmde.tables.numbers.Reading",
        roles=frozenset({"reading"}),
        parameters={"form": _NUMBER_FORMAT, "unit": Text(), "ratio": Flag()},
    ),
    ClassRules(
        name="isvmde.tables.notation.NumberFormat",
        roles=frozenset({"number format"}),
        parameters={
            "decimal": Choice((".", ",", ".,")),
            "thousands": Choice(("", ".", ",")),
            "strict": Flag(),
        },
    ),
    ClassRules(
        name="isvmde.model_selection.PaperKFold",
        roles=frozenset({"splitter"}),
    ),
    ClassRules(
        name="isvmde.model_selection.KeelKFold",
        roles=frozenset({"splitter"}),
        fitted={"test_fold": Array("i", ("*",)), "unique_folds": Array("i", ("*",))},
    ),
)
