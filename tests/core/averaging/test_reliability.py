"""Whether an average can be believed: on probabilities whose loss is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isvmde.core.averaging.reliability import assess, is_clearly_worse
from isvmde.core.training_set import training_set

# millionths: squares of differences near 1e-200 would be zero
losses = arrays(float, 12, elements=st.integers(0, 10**6).map(lambda k: k / 1e6))


@given(losses, losses)
def test_at_most_one_of_two_is_clearly_worse(one, other):
    assert not (is_clearly_worse(one, other) and is_clearly_worse(other, one))
    assert not is_clearly_worse(one, one)
    if is_clearly_worse(one, other):
        assert one.sum() > other.sum()


def test_luck_is_no_difference_and_a_little_everywhere_is_one():
    random = np.random.default_rng(0)
    other = random.random(400)
    found = [
        is_clearly_worse(other + random.normal(size=400), other) for _ in range(400)
    ]
    assert 0 < np.mean(found) < 0.06  # two standard errors: one time in 44
    assert is_clearly_worse(other + 0.3 + random.normal(size=400), other)


def table(sizes, weight=None):
    n = sum(sizes)
    weight = np.ones(n) if weight is None else weight
    y = np.repeat(np.arange(len(sizes)), sizes)
    return training_set(np.arange(n)[:, None] + 0.5, y, weight, len(sizes))


def assessed(data, proba, rows=None, **options):
    rows = np.arange(len(data.X)) if rows is None else rows
    return assess(proba, data, rows, **{"is_linear": False, **options})


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_guessing_has_the_loss_of_chance(n_classes):
    data = table([30] * n_classes)
    found = assessed(data, np.full((30 * n_classes, n_classes), 1 / n_classes))
    assert found.log_loss == pytest.approx(np.log(n_classes))
    assert found.chance == pytest.approx(np.log(n_classes))
    assert found.standard_error == pytest.approx(0.0, abs=1e-12)
    assert found.is_guessing


def test_the_mean_loss_of_classes_by_hand():
    data = table([4, 2])
    told = np.array([0.9, 0.8, 0.7, 0.2, 0.6, 0.5])  # of the true class
    proba = np.where(data.label[:, None] == [0, 1], told[:, None], 1 - told[:, None])
    found = assessed(data, proba)
    loss = -np.log(told)
    assert found.log_loss == pytest.approx(0.5 * (loss[:4].mean() + loss[4:].mean()))
    variance = [loss[:4].var(ddof=1) / 4, loss[4:].var(ddof=1) / 2]
    assert found.standard_error == pytest.approx(0.5 * np.sqrt(np.sum(variance)))


def test_a_weight_is_that_many_rows():
    random = np.random.default_rng(0)
    weight = random.integers(1, 4, 20)
    proba = random.dirichlet([1.0, 1.0], 20)
    one = assessed(table([14, 6], weight.astype(float)), proba)
    y = np.repeat([0, 1], [14, 6])
    again = np.repeat(np.arange(20), weight)
    X = np.arange(len(again))[:, None] + 0.5  # not merged
    many = training_set(X, y[again], np.ones(len(again)), 2)
    other = assessed(many, proba[again])
    assert one.log_loss == pytest.approx(other.log_loss)
    assert one.standard_error == pytest.approx(other.standard_error)


def test_rows_that_do_not_judge_do_not_matter():
    data, random = table([20, 10]), np.random.default_rng(0)
    proba = random.dirichlet([1.0, 1.0], 30)
    rows = np.arange(0, 30, 2)
    other = proba.copy()
    other[1::2] = 1e-9
    assert assessed(data, proba, rows) == assessed(data, other, rows)


@pytest.mark.parametrize("sharpness", [0.0, 0.3, 3.0])
def test_true_probabilities_are_believed_and_noise_is_not(sharpness):
    """Noise: as sure of itself, of rows whose classes it does not know."""
    data, random = table([200, 200]), np.random.default_rng(0)
    sign = np.where(data.label == 0, 1.0, -1.0)
    f = sharpness * (sign + random.normal(size=400))
    noise = random.permutation(f)

    def doubted(log_odds):
        p = 1 / (1 + np.exp(-log_odds))
        return assessed(data, np.column_stack([p, 1 - p])).is_guessing

    assert doubted(f) == (sharpness == 0.0)
    assert doubted(noise)


def test_a_sure_mistake_has_a_finite_loss():
    data = table([2, 1])
    found = assessed(data, np.array([[1.0, 0.0]] * 3), is_linear=True)
    assert found.log_loss == pytest.approx(0.5 * -np.log(1e-12))
    assert found.is_guessing
    assert found.is_linear
