"""Probabilities for other class frequencies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from isvmde.decisions import move_prior
from isvmde.decisions.priors import read_prior

positive = arrays(float, 3, elements=st.floats(0.01, 1.0))


@given(positive, positive, positive)
def test_there_and_back_is_the_same(p, old, new):
    p = (p / p.sum())[None]
    there = move_prior(p, old, new)
    assert there.sum() == pytest.approx(1.0)
    assert move_prior(there, new, old) == pytest.approx(p)


@given(positive, positive, positive)
def test_what_the_features_say_stays_the_same(p, old, new):
    """The ratio of two classes changes by that of their frequencies alone."""
    p = (p / p.sum())[None]
    q = move_prior(p, old, new)[0]
    before = p[0, 0] / p[0, 1] * old[1] / old[0]
    assert q[0] / q[1] * new[1] / new[0] == pytest.approx(before)


def test_a_sure_row_stays_sure():
    assert move_prior([[1.0, 0.0]], [0.5, 0.5], [1e-300, 1.0]).tolist() == [[1.0, 0.0]]
    assert np.isfinite(move_prior([[1.0, 0.0]], [1.0, 1e-300], [1e-300, 1.0])).all()


def test_names_and_dicts_of_priors():
    classes = np.array(["a", "b"])
    assert read_prior("balanced", classes).tolist() == [0.5, 0.5]
    assert read_prior("training", classes, [30, 10]).tolist() == [0.75, 0.25]
    assert read_prior({"b": 3, "a": 1}, classes).tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ("auto", "'balanced', 'training' or a dict"),
        (0.5, "'balanced', 'training' or a dict"),
        ({"a": 0.5}, "lacks the class 'b'"),
        ({"a": 0.5, "b": 0.4, "c": 0.1}, "names 'c', which is not a class"),
        ({"a": 0.5, "b": 0.0}, "positive numbers"),
    ],
)
def test_priors_that_are_none_are_refused(prior, message):
    with pytest.raises(ValueError, match=message):
        read_prior(prior, ["a", "b"])
