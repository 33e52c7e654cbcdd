"""Scaling and one-hot coding."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.datasets import load_dataset, make_preprocessor


def toy(size, colour):
    return Bunch(
        data=pd.DataFrame({"colour": pd.Categorical(colour), "size": size}),
        numeric=["size"],
        nominal=["colour"],
    )


def test_it_learns_from_the_training_part_only():
    train, test = toy([0.0, 10.0, 5.0], ["r", "b", "r"]), toy([20.0, -10.0], ["g", "b"])
    preprocessor = make_preprocessor(train).fit(train.data)
    # Numeric first; min-max of the training rows, not clipped; "g" was never seen.
    np.testing.assert_array_equal(
        preprocessor.transform(test.data), [[2, 0, 0], [-1, 1, 0]]
    )
    assert preprocessor.get_feature_names_out().tolist() == [
        "size",
        "colour_b",
        "colour_r",
    ]


def test_unfitted_dense_and_clonable():
    car = load_dataset("car")
    preprocessor = make_preprocessor(car)
    assert not hasattr(preprocessor, "transformers_")
    X = clone(preprocessor).fit_transform(car.data)
    assert isinstance(X, np.ndarray)
    assert X.shape == (1728, 4 + 4 + 4 + 3 + 3 + 3)
    assert (X.sum(axis=1) == 6).all()


def test_other_tables_have_a_preprocessor_of_their_own():
    frame = pd.DataFrame({"size": [1.0, 2.0]})
    for table in (np.zeros((3, 2)), frame, Bunch(data=frame)):
        with pytest.raises(TypeError, match=r"use isvmde\.tables\.TablePreprocessor"):
            make_preprocessor(table)
