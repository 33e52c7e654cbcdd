"""The classifiers work with the tools that people put around a classifier.

A section each: Pipeline, ColumnTransformer, GridSearchCV, cross_validate, calibration,
clone, pickle, joblib's backends, skops, pandas, polars, set_config.
"""

import pickle

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor
from isvmde.metrics import (
    av_f_beta_scorer,
    cba_score,
    cba_scorer,
    g_mean_score,
    g_mean_scorer,
)

COLUMNS = ["length", "width"]
ESTIMATORS = {
    "given": ISVMClassifier(C=10, margin_neg=0.6),
    "searched": ISVMDEClassifier(
        search="pairwise", pop_size=5, max_iter=2, random_state=0
    ),
    "averaged": ISVMClassifierCV(n_settings=12, random_state=0),
}
either = pytest.mark.parametrize("estimator", ESTIMATORS.values(), ids=ESTIMATORS)


@pytest.fixture(scope="module")
def data():
    """Three classes of 40, 20 and 8 samples in two features."""
    rng = np.random.default_rng(0)
    y = np.repeat(["common", "rare", "tiny"], [40, 20, 8])
    centre = {"common": (0.2, 0.2), "rare": (0.7, 0.3), "tiny": (0.5, 0.8)}
    return rng.normal([centre[label] for label in y], 0.12), y


def same_choice(one, other):
    """Compare what was chosen: parameters per pair, or settings and weights."""
    if isinstance(one, ISVMClassifierCV):
        assert one.settings_ == other.settings_
        np.testing.assert_array_equal(one.weights_, other.weights_)
    else:
        assert one.pair_params_ == other.pair_params_


def same_decisions(one, other, X):
    np.testing.assert_array_equal(
        one.pair_decision_function(X), other.pair_decision_function(X)
    )


# Pipeline


@either
def test_pipeline_scales_inside(estimator, data):
    X, y = data
    pipeline = make_pipeline(MinMaxScaler(), clone(estimator)).fit(100 * X + 7, y)
    alone = clone(estimator).fit(MinMaxScaler().fit_transform(100 * X + 7), y)
    np.testing.assert_array_equal(
        pipeline.decision_function(100 * X + 7),
        alone.decision_function(MinMaxScaler().fit_transform(100 * X + 7)),
    )
    assert pipeline.score(100 * X + 7, y) > 0.9


def test_pipeline_hands_on_sample_weight(data):
    X, y = data
    weight = np.where(y == "tiny", 3.0, 1.0)
    pipeline = make_pipeline(MinMaxScaler(), ISVMClassifier(C=10))
    pipeline.fit(X, y, isvmclassifier__sample_weight=weight)
    repeated = np.repeat(np.arange(len(y)), weight.astype(int))
    expected = clone(pipeline).fit(X[repeated], y[repeated])
    same_decisions(pipeline[-1], expected[-1], MinMaxScaler().fit(X).transform(X))


# ColumnTransformer


@either
def test_column_transformer_with_text_columns(estimator):
    zoo = load_dataset("lymphography")
    table = zoo.data.astype(dict.fromkeys(zoo.nominal, object))
    numbers = make_column_selector(dtype_include=np.number)
    text = make_column_selector(dtype_exclude=np.number)
    pipeline = make_pipeline(
        make_column_transformer(
            (MinMaxScaler(), numbers),
            (OneHotEncoder(handle_unknown="ignore", sparse_output=False), text),
        ),
        clone(estimator),
    ).fit(table, zoo.target)
    assert pipeline.score(table, zoo.target) > 0.8
    unknown = table.head(2).assign(Lymphatics="never seen")
    assert set(pipeline.predict(unknown)) <= set(zoo.target)


# GridSearchCV and cross_validate, with our scorers


def test_grid_search_over_nested_parameters(data):
    X, y = data
    grid = GridSearchCV(
        make_pipeline(MinMaxScaler(), ISVMClassifier()),
        {"isvmclassifier__C": [1e-3, 10], "isvmclassifier__C_pos": [1, 2]},
        scoring={"g_mean": g_mean_scorer, "cba": cba_scorer},
        refit="g_mean",
        cv=PaperKFold(3, random_state=0),
    ).fit(X, y)
    assert grid.best_params_["isvmclassifier__C"] == 10
    best = grid.cv_results_["mean_test_g_mean"].max()
    assert grid.best_score_ == best > 0.8
    assert set(grid.predict(X)) == set(y)


def test_grid_search_over_the_search_itself(data):
    X, y = data
    model = ISVMDEClassifier(search="pairwise", pop_size=5, max_iter=1, random_state=0)
    grid = GridSearchCV(
        model, {"fitness": ["ave", "max"]}, scoring=cba_scorer, cv=2
    ).fit(X, y)
    assert grid.best_estimator_.fitness == grid.best_params_["fitness"]


@either
def test_cross_validate_with_all_three_scorers(estimator, data):
    X, y = data
    folds = StratifiedKFold(3)
    scorers = {"g": g_mean_scorer, "f": av_f_beta_scorer, "cba": cba_scorer}
    result = cross_validate(
        estimator, X, y, scoring=scorers, cv=folds, return_estimator=True
    )
    for k, (_, test) in enumerate(folds.split(X, y)):
        predicted = result["estimator"][k].predict(X[test])
        assert result["test_g"][k] == g_mean_score(y[test], predicted)
        assert result["test_cba"][k] == cba_score(y[test], predicted)


# CalibratedClassifierCV


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@either
def test_calibration(estimator, method, data):
    X, y = data
    calibrated = CalibratedClassifierCV(estimator, method=method, cv=2).fit(X, y)
    probability = calibrated.predict_proba(X)
    np.testing.assert_allclose(probability.sum(axis=1), 1)
    assert (calibrated.predict(X) == y).mean() > 0.8


# clone and pickle


@either
def test_clone_keeps_parameters_and_forgets_the_fit(estimator, data):
    fitted = clone(estimator).fit(*data)
    again = clone(fitted)
    assert again.get_params() == estimator.get_params()
    assert not hasattr(again, "classes_")
    same_decisions(again.fit(*data), fitted, data[0])


@either
def test_pickle_keeps_every_decision(estimator, data):
    fitted = clone(estimator).fit(*data)
    again = pickle.loads(pickle.dumps(fitted))
    same_decisions(again, fitted, data[0])
    np.testing.assert_array_equal(
        again.predict_proba(data[0]), fitted.predict_proba(data[0])
    )
    same_choice(again, fitted)


@either
def test_joblib_dump_and_memory_map(estimator, data, tmp_path):
    fitted = clone(estimator).fit(*data)
    joblib.dump(fitted, tmp_path / "model.joblib")
    same_decisions(
        joblib.load(tmp_path / "model.joblib", mmap_mode="r"), fitted, data[0]
    )


# joblib's backends


@pytest.mark.parametrize("backend", ["loky", "threading"])
@either
def test_joblib_backends(estimator, backend, data):
    X, y = data
    alone = cross_val_score(estimator, X, y, cv=2)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        np.testing.assert_array_equal(cross_val_score(estimator, X, y, cv=2), alone)


# Closing a cluster within one process leaves sockets to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_dask_backend(data):
    distributed = pytest.importorskip("distributed")
    X, y = data
    estimator = ESTIMATORS["searched"]
    alone = cross_val_score(estimator, X, y, cv=2)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        np.testing.assert_array_equal(
            cross_val_score(estimator, X, y, cv=2, n_jobs=2), alone
        )


@pytest.mark.parametrize("backend", ["loky", "threading"])
@pytest.mark.parametrize("name", ["searched", "averaged"])
def test_own_threads_under_a_backend_give_the_same_model(name, backend, data):
    model = clone(ESTIMATORS[name])
    expected = clone(model).fit(*data)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        same_decisions(model.set_params(n_jobs=2).fit(*data), expected, data[0])


# skops


@either
def test_a_skops_file_keeps_every_decision_without_pickle(estimator, tmp_path):
    pytest.importorskip("skops")
    from isvmde.model_file import SavedModel, load_model, save_model

    zoo = load_dataset("zoo")
    pipeline = make_pipeline(make_preprocessor(zoo), clone(estimator))
    pipeline.fit(zoo.data, zoo.target)
    saved = SavedModel(pipeline, "kind", zoo.numeric, zoo.nominal)
    again = load_model(save_model(saved, tmp_path / "zoo.skops")).pipeline
    np.testing.assert_array_equal(
        again.decision_function(zoo.data), pipeline.decision_function(zoo.data)
    )
    same_choice(again[-1], pipeline[-1])


@either
def test_skops_alone_writes_and_reads_a_classifier(estimator, data):
    io = pytest.importorskip("skops.io")
    fitted = clone(estimator).fit(*data)
    content = io.dumps(fitted)
    own = f"{type(fitted).__module__}.{type(fitted).__qualname__}"
    assert io.get_untrusted_types(data=content) == [own]
    again = io.loads(content, trusted=[own])
    same_decisions(again, fitted, data[0])
    same_choice(again, fitted)


# pandas and polars


@either
def test_pandas_columns_are_remembered(estimator, data):
    X, y = data
    frame = pd.DataFrame(X, columns=COLUMNS)
    fitted = clone(estimator).fit(frame, pd.Series(y, dtype="category"))
    assert fitted.feature_names_in_.tolist() == COLUMNS
    expected = clone(estimator).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(fitted.predict_proba(frame), expected)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[COLUMNS[::-1]])


@either
def test_polars_frames_and_series(estimator, data):
    polars = pytest.importorskip("polars")
    X, y = data
    frame = polars.DataFrame(X, schema=COLUMNS)
    fitted = clone(estimator).fit(frame, polars.Series(y.tolist()))
    assert fitted.feature_names_in_.tolist() == COLUMNS
    expected = clone(estimator).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(fitted.predict_proba(frame), expected)
    assert g_mean_score(polars.Series(y.tolist()), fitted.predict(frame)) > 0.8


# set_config(transform_output=...)


@pytest.mark.parametrize("output", ["pandas", "polars"])
@either
def test_transform_output(estimator, output, data):
    pytest.importorskip(output)
    X, y = data
    frame = pd.DataFrame(X, columns=COLUMNS)
    pipeline = make_pipeline(MinMaxScaler(), clone(estimator))
    with config_context(transform_output=output):
        pipeline.fit(frame, y)
        predicted = pipeline.predict(frame)
    assert pipeline[-1].feature_names_in_.tolist() == COLUMNS
    plain = make_pipeline(MinMaxScaler(), clone(estimator)).fit(X, y)
    np.testing.assert_array_equal(predicted, plain.predict(X))


def test_transform_output_through_our_preprocessor(data):
    zoo = load_dataset("zoo")
    pipeline = make_pipeline(make_preprocessor(zoo), clone(ESTIMATORS["given"]))
    with config_context(transform_output="pandas"):
        pipeline.fit(zoo.data, zoo.target)
        assert pipeline.score(zoo.data, zoo.target) > 0.9
    assert "Hair_1" in pipeline[-1].feature_names_in_.tolist()
