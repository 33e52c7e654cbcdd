"""Ctrl-C and time limits act at once, whatever the size of the training set."""

import signal
import subprocess
import sys
import textwrap
import time
import warnings

import numpy as np
import pytest

from isvmde import ISVMDEClassifier, baselines
from isvmde.classifiers import run
from isvmde.core.search.evaluation import Evaluator

# Of the time it takes a training set to get in and an exception out.
SECONDS = 1.0

DATA = """
import numpy as np
rng = np.random.default_rng(0)
y = np.arange({rows}) % 3
X = rng.normal(size=({rows}, 4)) + 0.4 * y[:, None]
"""


# Settings with which a fit takes long.
HARD = "C=1e6, sigma=3.0, tol=1e-10"
MODELS = {
    "joint search": "ISVMDEClassifier(n_jobs=2)",
    "pairwise search": "ISVMDEClassifier(fitness='max', search='pairwise')",
    "given": f"ISVMClassifier({HARD})",
    "given, two threads": f"ISVMClassifier({HARD}, n_jobs=2)",
    "averaged": "ISVMClassifierCV(n_settings=480)",
    "averaged, two threads": "ISVMClassifierCV(n_settings=960, n_jobs=2)",
    "averaged, samples in two threads": "ISVMClassifierCV(n_settings=8, n_jobs=2)",
    **{name: f"baselines.{name}({HARD})" for name in baselines.__all__},
}
del MODELS["GridSearchSVM"]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [4_000, 20_000])
@pytest.mark.parametrize("name", MODELS)
def test_ctrl_c_is_raised_within_a_second(name, rows):
    """A real signal to a process of its own, which fits until it comes."""
    script = DATA.format(rows=rows) + textwrap.dedent(
        f"""
        import time, warnings
        from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier, baselines

        warnings.simplefilter("ignore")  # that such a fit ended without an optimum
        model = {MODELS[name]}
        for small in (ISVMClassifier(), ISVMClassifierCV(n_settings=12)):
            small.fit(X[:60], y[:60])  # what is compiled is loaded
        print("ready", flush=True)
        try:
            for _ in range(1_000):  # a fast machine may need several
                model.fit(X, y)
        except KeyboardInterrupt:
            print(time.monotonic(), flush=True)
        else:
            print("done", flush=True)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.8)  # it is in the middle of a fit
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        said, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert said != "done\n", "all fits took less than the test waits"
    assert float(said) - sent < SECONDS
    assert (process.returncode, errors) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("rows", [4_000, 20_000])
@pytest.mark.parametrize("search", ["joint", "pairwise"])
def test_a_time_limit_ends_the_search_within_a_second(rows, search, monkeypatch):
    """The chosen machines are trained after it; here that is left out."""
    space = {}
    exec(DATA.format(rows=rows), space)
    ended = []
    monkeypatch.setattr(
        ISVMDEClassifier, "_train_best", lambda *_: ended.append(time.monotonic())
    )
    model = ISVMDEClassifier(search=search, time_limit=3.0, n_jobs=2, random_state=0)
    began = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it may be too short for the first population
        model.fit(space["X"], space["y"])
    assert model.stop_reason_ == "time_limit"
    assert 3.0 <= ended[0] - began < 3.0 + SECONDS
    assert np.isfinite(model.fitness_)


@pytest.mark.parametrize("search", ["joint", "pairwise"])
def test_a_generation_the_time_does_not_suffice_for_leaves_no_trace(
    three, search, monkeypatch
):
    """The model is the one of the whole generation before, and it can be resumed."""
    params = {"search": search, "pop_size": 6, "max_iter": 6, "random_state": 0}
    solve, calls = Evaluator.solve, []

    def slow(self, *args, **kwargs):
        calls.append(None)
        if len(calls) == 4 and self.deadline is not None:
            time.sleep(max(self.deadline - time.monotonic(), 0.0) + 0.01)
        return solve(self, *args, **kwargs)

    # the whole one first: what is compiled is loaded before the clock runs
    whole = ISVMDEClassifier(**params, callback=lambda s: s.generation == 2)
    whole.fit(three.X, three.y)
    monkeypatch.setattr(Evaluator, "solve", slow)
    timed = ISVMDEClassifier(**params, time_limit=2.0).fit(three.X, three.y)
    assert (timed.stop_reason_, timed.n_iter_) == ("time_limit", 2)
    assert timed.pair_params_ == whole.pair_params_
    assert timed.fitness_ == whole.fitness_


def test_a_time_limit_too_short_for_anything_is_told(three, monkeypatch):
    """There is a model all the same: of settings that nobody has looked at."""
    monkeypatch.setattr(run, "_GRACE", 0.0)
    model = ISVMDEClassifier(pop_size=6, max_iter=3, random_state=0, time_limit=0)
    with pytest.warns(UserWarning, match="before its initial population was trained"):
        model.fit(three.X, three.y)
    assert (model.stop_reason_, model.n_iter_) == ("time_limit", 0)
    assert model.history_["n_svms"].tolist() == [0]
    assert len(model.predict(three.X)) == len(three.X)
