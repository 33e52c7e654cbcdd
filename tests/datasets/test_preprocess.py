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


@pytest.mark.parametrize("columns", [["a", "b", "c"], [7, 5, 0], [1, "b", 2]])
def test_dtypes_decide_for_a_frame_and_it_says_so(columns):
    data = pd.DataFrame(
        {0: [1, 2, 3], 1: ["x", "y", "x"], 2: [True, False, True]}
    ).set_axis(columns, axis=1)
    with pytest.warns(UserWarning, match="dtypes decide: 1 numeric .* 2 nominal"):
        preprocessor = make_preprocessor(data)
    X = preprocessor.fit_transform(data.rename(columns=str))
    np.testing.assert_array_equal(
        X, [[0, 1, 0, 0, 1], [0.5, 0, 1, 1, 0], [1, 1, 0, 0, 1]]
    )


def test_what_it_cannot_take():
    with pytest.raises(TypeError, match="needs a data set"):
        make_preprocessor(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="holds dates"):
        make_preprocessor(pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}))
