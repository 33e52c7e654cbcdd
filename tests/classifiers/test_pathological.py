"""Training sets that break careless code."""

import os
import subprocess
import sys
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

import isvmde
from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier

SOURCE = Path(isvmde.__file__).parents[1]
MODELS = {
    "rbf": ISVMClassifier(C=100.0, margin_pos=0.7),
    "linear": ISVMClassifier(kernel="linear", C=1000.0),
    "poly": ISVMClassifier(kernel="poly", degree=5, C=1000.0),
    "joint ave": ISVMDEClassifier(pop_size=6, max_iter=4, random_state=0),
    "joint max": ISVMDEClassifier(
        fitness="max", pop_size=6, max_iter=4, random_state=0
    ),
    "pairwise ave": ISVMDEClassifier(
        search="pairwise", pop_size=6, max_iter=4, random_state=0
    ),
    "pairwise max": ISVMDEClassifier(
        fitness="max", search="pairwise", pop_size=6, max_iter=4, random_state=0
    ),
    "min": ISVMClassifier(kernel="min", degree=3, C=100.0),
    "averaged": ISVMClassifierCV(n_settings=12, random_state=0),
}


def tiny_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(6), [1, 2, 3, 4, 5, 40])
    return rng.random((len(y), 4)), y


def all_classes_of_one_sample():
    return np.random.default_rng(0).random((4, 3)), np.arange(4)


def identical_points():
    return np.full((12, 3), 0.5), np.arange(12) % 3


def conflicting_duplicates():
    X = np.repeat(np.random.default_rng(0).random((5, 2)), 4, axis=0)
    return X, np.arange(20) % 2


def conflict_among_others():
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), np.repeat([0, 1, 2], [20, 7, 3])
    X[20:23] = X[:3]
    return X, y


def constant_features():
    rng = np.random.default_rng(0)
    X = np.column_stack([np.zeros(30), np.full(30, 7.0), rng.random(30)])
    return X, np.repeat([0, 1, 2], [18, 9, 3])


def only_constant_features():
    return np.ones((10, 2)), np.repeat([0, 1], [7, 3])


def duplicated_columns():
    X = np.random.default_rng(0).random((30, 2))
    return np.tile(X, 10), np.repeat([0, 1, 2], [18, 9, 3])


def one_against_five_hundred():
    X = np.random.default_rng(0).random((501, 3))
    return X, np.repeat([0, 1], [500, 1])


def one_feature_many_samples():
    X = np.random.default_rng(0).random((120, 1)).round(2)
    return X, np.repeat([0, 1], [90, 30])


def unscaled():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3)) * [1e-6, 1.0, 1e4]
    return X, np.repeat([0, 1], [30, 10])


def ten_classes():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), np.arange(1, 11))
    return rng.random((len(y), 5)) + 0.1 * y[:, None], y


def twenty_classes():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 20
    return rng.random((len(y), 4)) + 0.2 * y[:, None], y


CASES = [
    tiny_classes,
    all_classes_of_one_sample,
    identical_points,
    conflicting_duplicates,
    conflict_among_others,
    constant_features,
    only_constant_features,
    duplicated_columns,
    one_against_five_hundred,
    one_feature_many_samples,
    unscaled,
    ten_classes,
    twenty_classes,
]


@pytest.mark.parametrize("make", CASES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", MODELS)
def test_every_model_learns_and_predicts(make, name):
    """No warning, no NaN, a label and a probability for every sample."""
    X, y = make()
    with warnings.catch_warnings():
        if make in (unscaled, constant_features):
            # K is about 1e40 and 3e8 for the polynomial: times C its last digits are
            # worth more than tol, or about as much
            warnings.simplefilter("ignore", ConvergenceWarning)
        model = MODELS[name].fit(X, y)
    M = len(np.unique(y))
    assert len(model.pairs_) == M * (M - 1) // 2
    assert np.isfinite(model.pair_decision_function(X)).all()
    proba = model.predict_proba(X)
    assert proba.shape == (len(X), M)
    assert_allclose(proba.sum(axis=1), 1)
    assert np.isin(model.predict(X), y).all()
    # rounding of K bounds what can be reached
    K = max(1.0, float((1 + (X**2).sum(axis=1)).max()))
    if name in ("rbf", "linear"):
        assert (model.kkt_violation_ <= max(model.tol, 1e-9 * K)).all()
    if name == "averaged":
        assert np.isfinite(model.loo_proba_).all()
        assert np.isfinite(model.margins_).all()
        assert len(model.explain(X[:2])) == 2
        assert str(model.loo_report())
    if "fitness" in model.get_params():
        assert np.isfinite(model.history_["best"]).all()
        assert 0 < model.fitness_ < 3


def test_a_single_sample_of_a_class_is_found_again():
    """Far away from the others, even against 500."""
    X = np.random.default_rng(0).random((501, 3))
    X[-1] = 4.0
    y = np.repeat([0, 1], [500, 1])
    for name, model in MODELS.items():
        assert model.fit(X, y).predict(X[-1:]) == [1], name


def test_identical_points_go_to_the_heavier_side():
    """One point, nine labels of one class and one of the other: costs decide."""
    X, y = np.zeros((10, 2)), np.repeat([0, 1], [9, 1])
    assert ISVMClassifier().fit(X, y).predict(X[:1]) == [0]
    balanced = ISVMClassifier(class_weight={0: 1.0, 1: 10.0}).fit(X, y)
    assert balanced.predict(X[:1]) == [1]


def test_equal_votes_of_identical_points_go_to_the_rarest_class():
    X, y = np.zeros((9, 2)), np.repeat([2, 0, 1], [3, 3, 3])
    model = ISVMClassifier().fit(X, y)
    assert model.predict(X[:1]) == [0]  # f = 0 everywhere, equal sizes: lowest label


def peak_memory(script, tmp_path):
    """Run a script in a process of its own; return its peak memory in MB.

    Linux counts what the parent had for a child's ru_maxrss, but not for its VmHWM.
    """
    pytest.importorskip("resource")
    script = textwrap.dedent(script) + textwrap.dedent(
        """
        import re, resource, sys
        from pathlib import Path

        status = Path("/proc/self/status")
        if status.exists():
            print(int(re.search(r"VmHWM:\\s+(\\d+)", status.read_text())[1]) / 2**10)
        else:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(peak / (2**20 if sys.platform == "darwin" else 2**10))
        """
    )
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "2", "PYTHONPATH": str(SOURCE)},
    )
    return float(run.stdout.split()[-1])


START = """
import numpy as np
from isvmde import ISVMClassifier, ISVMDEClassifier
rng = np.random.default_rng(0)
"""


def test_190_pairs_do_not_blow_the_memory(tmp_path):
    """20 classes, 1,000 samples: little beyond what a small model takes."""
    little = peak_memory(
        START
        + """
X, y = rng.random((40, 4)), np.arange(40) % 2
ISVMDEClassifier(pop_size=5, max_iter=1, random_state=0).fit(X, y)
""",
        tmp_path,
    )
    much = peak_memory(
        START
        + """
y = np.arange(1000) % 20
X = rng.random((1000, 4)) + 0.3 * rng.random((20, 4))[y]
for search in ("joint", "pairwise"):
    ISVMDEClassifier(search=search, pop_size=40, max_iter=1, random_state=0).fit(X, y)
""",
        tmp_path,
    )
    assert much < little + 200


@pytest.mark.slow
def test_20_000_samples_in_two_classes_stay_below_a_gigabyte(tmp_path):
    peak = peak_memory(
        START
        + """
y = (np.arange(20_000) % 5 == 0).astype(int)
X = rng.normal(size=(20_000, 8)) + 1.5 * y[:, None]
model = ISVMClassifier(C=1.0, sigma=2.0).fit(X, y)
assert model.score(X[:2000], y[:2000]) > 0.95
""",
        tmp_path,
    )
    assert peak < 1000


def test_machines_refuse_rows_of_other_columns():
    """Compiled code does not look how wide rows are: its door does."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 3))
    y = (X[:, 0] > 0.5).astype(int)
    options = {"kernels": ["rbf"], "views": ["values"], "n_settings": 8}
    model = ISVMClassifierCV(random_state=0, **options).fit(X, y)
    model.n_features_in_ = 40
    with pytest.raises(ValueError, match="columns of the training rows"):
        model.predict(rng.random((500, 40)))
