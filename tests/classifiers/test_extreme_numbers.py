"""Extreme numbers: refused in a sentence, or finite and the same each time."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.baselines import CostSVM
from isvmde.datasets import load_dataset

EVERY = [
    ISVMClassifier(),
    ISVMClassifierCV(n_settings=4, random_state=0),
    ISVMDEClassifier(pop_size=5, max_iter=1, random_state=0),
    CostSVM(),
]
every = pytest.mark.parametrize("model", EVERY, ids=lambda m: type(m).__name__)


@every
@pytest.mark.parametrize("weight", [1.7e308, 1e298, 1e-300])
def test_weights_that_cannot_be_counted_are_refused(three, model, weight):
    with pytest.raises(ValueError, match="too wide to compute with"):
        model.fit(three.X, three.y, sample_weight=np.full(len(three.y), weight))


@every
def test_weights_whose_ratio_is_no_number_are_refused(three, model):
    weight = np.geomspace(1e-300, 1e271, len(three.y))
    with pytest.raises(ValueError, match=r"goes from 1e-300 to 1e.271"):
        model.fit(three.X, three.y, sample_weight=weight)


@every
def test_values_whose_squares_are_no_numbers_are_refused(three, model):
    with pytest.raises(ValueError, match=r"too large for kernels.*scale the feat"):
        model.fit(three.X * 1e154, three.y)


def test_ranks_do_not_mind_large_values(three):
    plain = ISVMClassifier(ranks=True).fit(three.X, three.y)
    large = ISVMClassifier(ranks=True).fit(three.X * 1e154, three.y)
    np.testing.assert_array_equal(
        large.predict(three.X * 1e154), plain.predict(three.X)
    )


@pytest.mark.parametrize(
    ("kernel", "scale", "C"), [("linear", 1.0, 1e303), ("poly", 1e60, 100.0)]
)
def test_products_that_are_no_numbers_are_refused(three, kernel, scale, C):
    with pytest.raises(
        ValueError, match="exceed the range of floating-point numbers: scale the feat"
    ):
        ISVMClassifier(kernel=kernel, C=C).fit(three.X * scale, three.y)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "min"])
@pytest.mark.parametrize("size", [1e60, 1e155, 1.7e308])
def test_far_away_rows_get_finite_scores(three, kernel, size):
    model = ISVMClassifier(kernel=kernel, degree=5).fit(three.X, three.y)
    rng = np.random.default_rng(0)
    new = size * rng.choice([-1.0, 0.0, 1.0], size=(20, three.X.shape[1]))
    assert np.isfinite(model.pair_decision_function(new)).all()
    assert np.isfinite(model.decision_function(new)).all()
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1.0)


def test_rows_that_are_not_far_away_are_left_as_they_are(three):
    """Scores grow with the distance until they stop being numbers."""
    model = ISVMClassifier(kernel="linear").fit(three.X, three.y)
    near = np.abs(model.pair_decision_function(1e30 * three.X))
    far = np.abs(model.pair_decision_function(1e150 * three.X))
    np.testing.assert_allclose(far / near, 1e120, rtol=1e-6)


def test_the_violation_is_what_decisions_show():
    """Raw features: degree 3 loses digits, and the certificate says so."""
    glass = load_dataset("glass")
    X = glass.data.to_numpy(float)
    with pytest.warns(ConvergenceWarning, match="largest violation left"):
        model = ISVMClassifier(kernel="poly", degree=3, C=1000.0).fit(X, glass.target)
    worst = int(np.argmax(model.kkt_violation_))
    plus = model.pairs_[worst, 0]
    f = model.pair_decision_function(X)[:, worst]
    beta = np.abs(model.dual_coef_[worst])
    free = model.support_vectors_[worst][(beta > 1e-9) & (beta < 999.0)]
    own = [int(np.flatnonzero((row == X).all(axis=1))[0]) for row in free]
    y = np.where(np.asarray(glass.target)[own] == plus, 1.0, -1.0)
    missed = np.abs(y * f[own] - 1.0).max()
    assert missed > 0.01  # it is not solved to 1e-3
    assert model.kkt_violation_[worst] >= 0.5 * missed


def test_scaled_features_are_solved_to_the_tolerance(three):
    model = ISVMClassifier(kernel="poly", degree=3, C=1000.0).fit(three.X, three.y)
    assert model.kkt_violation_.max() <= 1e-3


def test_one_class_is_named_as_it_was_given():
    with pytest.raises(ValueError, match=r"holds only one class: 0\."):
        ISVMClassifier().fit([[0.0], [1.0]], np.array([0, 0]))


def test_support_of_fractional_weights_is_a_fraction(three):
    weight = np.full(len(three.y), 0.25)
    model = ISVMClassifier(C=10.0).fit(three.X, three.y, sample_weight=weight)
    counts = [len(own) for own in model.support_vectors_]
    np.testing.assert_allclose(model.n_support_, 0.25 * np.array(counts))


@every
@pytest.mark.parametrize("size", [1.0, 1e8, 1e40])
def test_a_row_alone_gets_what_it_gets_in_a_batch(three, model, size):
    """To the last bit: sums of huge numbers have no digits to spare."""
    fitted = clone(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fitted.fit(three.X, three.y)
    rows = size * three.X[::3]
    together = fitted.decision_function(rows)
    alone = [fitted.decision_function(row[None])[0] for row in rows]
    assert np.array(alone).tobytes() == together.tobytes()


@every
@pytest.mark.parametrize("what", ["X", "y", "sample_weight"])
def test_masked_cells_are_not_taken_for_numbers(three, model, what):
    given = {"X": three.X, "y": three.y, "sample_weight": np.ones(len(three.y))}
    mask = np.zeros(given[what].shape, dtype=bool)
    whole = {**given, what: np.ma.MaskedArray(given[what], mask)}
    fitted = clone(model).fit(**whole)  # nothing is masked
    mask[3] = True
    masked = np.ma.MaskedArray(given[what], mask)
    with pytest.raises(ValueError, match=f"{what} is a masked array with"):
        clone(model).fit(**{**given, what: masked})
    if what == "X":
        with pytest.raises(ValueError, match="X is a masked array with"):
            fitted.predict(masked)


@every
def test_more_jobs_than_anybody_has_take_no_memory_for_each(three, model):
    if "n_jobs" not in model.get_params():
        pytest.skip("computes with one thread")
    many = clone(model).set_params(n_jobs=10**9).fit(three.X, three.y)
    one = clone(model).set_params(n_jobs=1).fit(three.X, three.y)
    expected = one.decision_function(three.X)
    assert many.decision_function(three.X).tobytes() == expected.tobytes()
