"""Rules of scikit-learn's classifiers, and of what wraps or searches them."""

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from .kinds import (
    ANY_ROLE,
    MOST_COLUMNS,
    Array,
    Choice,
    DictOf,
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
    Text,
    TupleOf,
    Whole,
    expect,
)
from .rules import ClassRules
from .sklearn_common import (
    CLASSIFIER,
    INNER,
    JOBS,
    N_FEATURES,
    NAMES,
    PER_FEATURE,
    STEP,
)


def _check_linear(state: State, around: Surroundings) -> None:
    """Look at a linear classifier: one function per class, a single one for two."""
    if "coef_" in state:
        functions, classes = around.sizes["functions"], around.sizes["classes"]
        expect(classes >= 2 and functions in (1, classes), "functions are missing")
        expect(functions > 1 or classes == 2, "functions are missing")


def _check_dummy(state: State, around: Surroundings) -> None:
    """Look at a classifier that says the same of all: it says one of its classes."""
    if state["_strategy"] == "constant":
        said = np.ravel(np.asarray(state["constant"], dtype=object)).tolist()
        known = state["classes_"].tolist()
        expect(len(said) == 1 and said[0] in known, "a constant that is not a class")


def _check_votes(state: State, around: Surroundings) -> None:
    """Look at voting classifiers: what they vote for counts memory."""
    _check_together(state, state["le_"], around)
    for voter in state.get("estimators_", ()):
        known = np.asarray(getattr(voter, "classes_", ()))
        votes = np.arange(around.sizes["classes"])
        expect(np.array_equal(known, votes), "strange votes")
    if state["weights"] is not None:
        expect(np.isfinite(state["weights"]), "strange weights")


def _check_stacked(state: State, around: Surroundings) -> None:
    """Look at stacked classifiers."""
    _check_together(state, state["_label_encoder"], around)


def _check_together(state: State, labels: Any, around: Surroundings) -> None:
    """Look at several classifiers: all take the same columns, for one set of labels."""
    same = np.array_equal(state["classes_"], labels.classes_)
    expect(same, "labels of other classes")
    for estimator in state.get("estimators_", ()):
        sizes = around.part(estimator).sizes
        if "features" in sizes:
            around.agree("features", sizes["features"])


def _named(state: State) -> State:
    """Return the trained estimators by name, as scikit-learn has them twice."""
    names = [name for name, given in state["estimators"] if given != "drop"]
    if "classes_" not in state:
        return {}
    named = Bunch()
    named.update(zip(names, state.get("estimators_", ()), strict=False))
    return {"named_estimators_": named}


def _check_search(state: State, around: Surroundings) -> None:
    """Look at a grid search that was trained: it decides as its best estimator."""
    best = state.get("best_estimator_")
    if best is not None:
        around.sizes.update(around.part(best).sizes)


def _check_calibrated(state: State, around: Surroundings) -> None:
    """Look at one calibrated classifier: a calibrator per class, one for two."""
    n_classes = around.sizes["classes"]
    expect(n_classes >= 2, "a single class")
    needed = 1 if n_classes == 2 else n_classes
    expect(len(state["calibrators"]) == needed, "calibrators are missing")
    inner = around.part(state["estimator"])
    around.sizes.update({k: v for k, v in inner.sizes.items() if k == "features"})


_ANY_FLOAT = Array("f", ("*",), computed=False)
_VOTER = PartOf(CLASSIFIER, {"features": "features", "classes": "classes"})
_SEARCH: dict[str, Kind] = {
    "estimator": INNER,
    "param_grid": Plain(ANY_ROLE),
    "scoring": OneOf((Plain(frozenset({"scorer"})), FunctionOf(("score",)))),
    "cv": Plain(frozenset({"splitter"})),
    # computed by joblib when the search is fitted again
    "pre_dispatch": OneOf((Choice(("2*n_jobs", "n_jobs", "all")), Whole(1))),
}
# which of them there are depends on the solver
_OF_SOME_DISCRIMINANTS: dict[str, Kind] = {
    "xbar_": PER_FEATURE,
    "scalings_": Array("f", ("features", "*"), computed=False),
    "covariance_": Array("f", ("features", "features"), computed=False),
    "explained_variance_ratio_": _ANY_FLOAT,
    "_max_components": Whole(),
    "_n_features_out": Whole(0, MOST_COLUMNS),
}
_ESTIMATORS = ListOf(TupleOf((Text(), STEP)))


def _search(name: str) -> ClassRules:
    """Return the rules of a search for parameters."""
    return ClassRules(
        name=f"sklearn.model_selection.{name}",
        roles=ANY_ROLE,
        parameters=_SEARCH,
        fitted={
            "best_estimator_": PartOf(ANY_ROLE),
            "best_index_": Whole(),
            "best_params_": DictOf(Plain(ANY_ROLE)),
            "cv_results_": DictOf(Plain(ANY_ROLE)),
            "n_splits_": Whole(),
            "multimetric_": Flag(),
            "scorer_": OneOf((Plain(frozenset({"scorer"})), FunctionOf(()))),
        },
        optional=NAMES | {"best_score_": Real(), "refit_time_": Real()},
        check=_check_search,
        forget=JOBS,
    )


def _splitter(name: str) -> ClassRules:
    """Return the rules of what deals rows into folds."""
    return ClassRules(
        name=f"sklearn.model_selection.{name}",
        roles=frozenset({"splitter"}),
    )


CLASSIFIERS = (
    ClassRules(
        name="sklearn.frozen.FrozenEstimator",
        roles=ANY_ROLE,
        parameters={"estimator": PartOf(ANY_ROLE)},
    ),
    ClassRules(
        name="sklearn.linear_model.LogisticRegression",
        roles=CLASSIFIER,
        fitted={
            "n_features_in_": N_FEATURES,
            "classes_": Labels(),
            "coef_": Array("f", ("functions", "features"), computed=False),
            "intercept_": Array("f", ("functions",), computed=False),
            "n_iter_": Array("iu", ("*",), computed=False),
        },
        optional=NAMES,
        check=_check_linear,
        forget=JOBS,
    ),
    ClassRules(
        name="sklearn.naive_bayes.GaussianNB",
        roles=CLASSIFIER,
        fitted={
            "n_features_in_": N_FEATURES,
            "classes_": Labels(),
            "theta_": Array("f", ("classes", "features"), computed=False),
            "var_": Array("f", ("classes", "features"), computed=False),
            "class_count_": Array("f", ("classes",), computed=False),
            "class_prior_": Array("f", ("classes",), computed=False),
            "epsilon_": Real(),
        },
        optional=NAMES,
    ),
    ClassRules(
        name="sklearn.discriminant_analysis.LinearDiscriminantAnalysis",
        roles=CLASSIFIER,
        parameters={"covariance_estimator": Choice((None,))},
        fitted={
            "n_features_in_": N_FEATURES,
            "classes_": Labels(),
            "priors_": Array("f", ("classes",), computed=False),
            "means_": Array("f", ("classes", "features"), computed=False),
            "coef_": Array("f", ("functions", "features"), computed=False),
            "intercept_": Array("f", ("functions",), computed=False),
        },
        optional=NAMES | _OF_SOME_DISCRIMINANTS,
        check=_check_linear,
    ),
    ClassRules(
        name="sklearn.dummy.DummyClassifier",
        roles=CLASSIFIER,
        fitted={
            "n_features_in_": N_FEATURES,
            "classes_": Labels(),
            "n_classes_": Size("classes"),
            "class_prior_": Array("f", ("classes",), computed=False),
            "n_outputs_": Choice((1,)),
            "sparse_output_": Choice((False,)),
            "_strategy": Choice(
                ("constant", "most_frequent", "prior", "stratified", "uniform")
            ),
        },
        optional=NAMES,
        check=_check_dummy,
    ),
    ClassRules(
        name="sklearn.calibration.CalibratedClassifierCV",
        roles=CLASSIFIER,
        parameters={
            "estimator": OneOf((Choice((None,)), INNER)),
            "cv": Plain(frozenset({"splitter"})),
        },
        fitted={
            "classes_": Labels(),
            "calibrated_classifiers_": ListOf(
                PartOf(
                    frozenset({"calibrated"}),
                    {"features": "features", "classes": "classes"},
                )
            ),
        },
        optional={"n_features_in_": N_FEATURES} | NAMES,
        forget=JOBS,
    ),
    ClassRules(
        name="sklearn.calibration._CalibratedClassifier",
        roles=frozenset({"calibrated"}),
        parameters={
            "estimator": PartOf(CLASSIFIER, {"classes": "classes"}),
            "classes": Labels(),
            "calibrators": ListOf(PartOf(frozenset({"calibrator"}))),
            "method": Choice(("sigmoid",)),
        },
        check=_check_calibrated,
    ),
    ClassRules(
        name="sklearn.calibration._SigmoidCalibration",
        roles=frozenset({"calibrator"}),
        fitted={"a_": Real(), "b_": Real()},
    ),
    ClassRules(
        name="sklearn.ensemble.VotingClassifier",
        roles=CLASSIFIER,
        parameters={"estimators": _ESTIMATORS},
        fitted={
            "classes_": Labels(),
            "le_": PartOf(frozenset({"labels"}), {"classes": "classes"}),
            "estimators_": ListOf(_VOTER),
        },
        optional=NAMES,
        check=_check_votes,
        derive=_named,
        forget=JOBS,
    ),
    ClassRules(
        name="sklearn.ensemble.StackingClassifier",
        roles=CLASSIFIER,
        parameters={
            "estimators": _ESTIMATORS,
            "final_estimator": OneOf((Choice((None,)), INNER)),
            "cv": Plain(frozenset({"splitter"})),
        },
        fitted={
            "classes_": Labels(),
            "_label_encoder": PartOf(frozenset({"labels"}), {"classes": "classes"}),
            "estimators_": ListOf(_VOTER),
            "final_estimator_": PartOf(CLASSIFIER, {"classes": "classes"}),
            "stack_method_": ListOf(
                Choice(("predict_proba", "decision_function", "predict"))
            ),
        },
        optional=NAMES | {"_n_feature_outs": ListOf(Whole(0, MOST_COLUMNS))},
        check=_check_stacked,
        derive=_named,
        forget=JOBS,
    ),
    _search("GridSearchCV"),
    _search("RandomizedSearchCV"),
    _splitter("KFold"),
    _splitter("StratifiedKFold"),
    ClassRules(
        name="sklearn.metrics._scorer._Scorer",
        roles=frozenset({"scorer"}),
        fitted={
            "_score_func": FunctionOf(("score",)),
            "_sign": Choice((1, -1)),
            "_kwargs": DictOf(Plain()),
            "_response_method": Plain(),
        },
    ),
    ClassRules(
        name="sklearn.metrics._scorer._PassthroughScorer",
        roles=frozenset({"scorer"}),
        fitted={"_estimator": INNER},
    ),
)
