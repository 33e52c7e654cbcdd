"""scikit-learn's callbacks on the search."""

import numpy as np
import pytest
from sklearn.base import clone

from isvmde import ISVMDEClassifier

callback = pytest.importorskip("sklearn.callback", reason="needs scikit-learn 1.9")

SMALL = {"pop_size": 6, "max_iter": 8, "random_state": 0}


def small(**params):
    return ISVMDEClassifier(**{**SMALL, **params})


class Recorder:
    """Counts the tasks it is told of."""

    def __init__(self):
        self.calls = []

    def setup(self, estimator, context):
        self.calls.append("setup")

    def teardown(self, estimator, context):
        self.calls.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.calls.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.calls.append(f"end {context.task_name}")


def test_every_generation_is_a_task(three):
    recorder = Recorder()
    small(max_iter=2).set_callbacks(recorder).fit(three.X, three.y)
    generation = ["begin generation", "end generation"]
    assert recorder.calls == [
        "setup",
        "begin fit",
        *(3 * generation),
        "end fit",
        "teardown",
    ]


def test_callbacks_do_not_change_the_model(three):
    plain = small().fit(three.X, three.y)
    watched = small().set_callbacks(Recorder()).fit(three.X, three.y)
    assert watched.pair_params_ == plain.pair_params_


class Stop(Recorder):
    """Asks to stop at a generation."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "generation" and context.task_id == self.at


def test_a_callback_may_end_the_search(three):
    model = small().set_callbacks(Stop(at=3)).fit(three.X, three.y)
    assert (model.n_iter_, model.stop_reason_) == (3, "callback")
    unbroken = small().fit(three.X, three.y)
    np.testing.assert_array_equal(model.history_["best"], unbroken.history_["best"][:4])


def test_scoring_monitor_sees_a_fitted_model_every_generation(three):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = small(max_iter=3).set_callbacks(monitor).fit(three.X, three.y)
    log = monitor.get_logs().data_as_pandas
    rows = log[log["task_name"] == "generation"]
    assert len(rows) == 4
    scores = rows.sort_values("task_id")["accuracy"]
    assert scores.between(0, 1).all()
    assert scores.iloc[-1] == model.score(three.X, three.y)


def test_scoring_monitor_with_weights(three):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = small(max_iter=2).set_callbacks(monitor)
    model.fit(three.X, three.y, sample_weight=np.where(three.y == 2, 3.0, 1.0))
    assert len(monitor.get_logs().data_as_pandas) >= 3


def test_progress_bar(three, capsys):
    pytest.importorskip("rich")
    small(max_iter=2).set_callbacks(callback.ProgressBar()).fit(three.X, three.y)
    assert "ISVMDEClassifier" in capsys.readouterr().out


def test_a_model_with_callbacks_can_be_cloned_and_fitted_again(three):
    model = small(max_iter=2).set_callbacks(Recorder())
    first = model.fit(three.X, three.y).fitness_
    assert model.fit(three.X, three.y).fitness_ == first
    assert clone(model).fit(three.X, three.y).fitness_ == first
