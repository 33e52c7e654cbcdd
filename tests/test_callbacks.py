"""scikit-learn's callbacks on the search, and our three."""

import numpy as np
import pytest
from sklearn.base import clone

from isvmde import ISVMDEClassifier
from isvmde.callbacks import Checkpoint, EarlyStopping, TimeLimit

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


def test_early_stopping_is_patience(three):
    patient = small(max_iter=300, patience=3, pop_size=5).fit(three.X, three.y)
    stopped = small(max_iter=300, pop_size=5).set_callbacks(EarlyStopping(3))
    stopped.fit(three.X, three.y)
    assert stopped.stop_reason_ == "callback"
    assert stopped.n_iter_ == patient.n_iter_ < 300
    assert stopped.pair_params_ == patient.pair_params_


def test_time_limit(three):
    model = small(max_iter=10**6).set_callbacks(TimeLimit(0.2)).fit(three.X, three.y)
    assert model.stop_reason_ == "callback"
    assert 0 < model.n_iter_ < 10**6


def test_checkpoint_is_resumed_by_the_parameter(three, tmp_path):
    """Written at the end of a search that another callback stopped."""
    path = tmp_path / "search"
    stopped = small().set_callbacks(Checkpoint(path), Stop(at=3))
    stopped.fit(three.X, three.y)
    assert stopped.n_iter_ == 3
    seen = []
    resumed = small(checkpoint=path, callback=lambda s: seen.append(s.generation))
    resumed.fit(three.X, three.y)
    assert seen[0] == 3
    unbroken = small().fit(three.X, three.y)
    assert resumed.pair_params_ == unbroken.pair_params_
    np.testing.assert_array_equal(resumed.history_["best"], unbroken.history_["best"])


class Stop(Recorder):
    """Asks to stop at a generation."""

    def __init__(self, at):
        super().__init__()
        self.at = at

    def on_fit_task_end(self, estimator, context):
        return context.task_name == "generation" and context.task_id == self.at


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
    model = small(max_iter=2).set_callbacks(EarlyStopping(2), TimeLimit(60))
    first = model.fit(three.X, three.y).fitness_
    assert model.fit(three.X, three.y).fitness_ == first
    assert clone(model).fit(three.X, three.y).fitness_ == first
