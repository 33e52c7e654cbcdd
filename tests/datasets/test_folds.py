"""The splitters' laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from isvmde.datasets import PaperKFold, load_dataset


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    n_splits=st.integers(2, 7),
    seed=st.integers(0, 2**31),
)
def test_dealing(sizes, n_splits, seed):
    y = np.random.RandomState(seed).permutation(np.repeat(np.arange(len(sizes)), sizes))
    cv = PaperKFold(n_splits, random_state=seed)
    if max(sizes) < n_splits:
        with pytest.raises(ValueError, match="would leave a fold empty"):
            next(cv.split(y, y))
        return
    splits = list(cv.split(y, y))
    assert len(splits) == cv.get_n_splits() == n_splits
    # The test parts partition the samples; training is the rest.
    assert np.array_equal(
        np.sort(np.concatenate([test for _, test in splits])), np.arange(len(y))
    )
    for k, (train, test) in enumerate(splits):
        assert np.array_equal(np.sort(np.r_[train, test]), np.arange(len(y)))
        # Fold k (from 0) gets every n_splits-th sample of a class from the k-th on.
        expected = [len(range(k, size, n_splits)) for size in sizes]
        assert np.bincount(y[test], minlength=len(sizes)).tolist() == expected


def test_seeds():
    y = np.repeat([0, 1], 50)
    folds = [
        [test.tolist() for _, test in PaperKFold(random_state=seed).split(y, y)]
        for seed in (0, 0, 1)
    ]
    assert folds[0] == folds[1] != folds[2]
    shared = np.random.RandomState(0)
    cv = PaperKFold(random_state=shared)
    assert [t.tolist() for _, t in cv.split(y, y)] != [
        t.tolist() for _, t in cv.split(y, y)
    ]


def test_ecolis_tiny_classes_share_two_folds():
    ecoli = load_dataset("ecoli")
    cv = PaperKFold(random_state=3)
    tests = [test for _, test in cv.split(ecoli.data, ecoli.target)]
    for k, test in enumerate(tests):
        present = {"imS", "imL"} & set(ecoli.target[test])
        assert present == ({"imS", "imL"} if k < 2 else set())


def test_it_is_a_scikit_learn_splitter():
    glass = load_dataset("glass")
    scores = cross_val_score(
        KNeighborsClassifier(),
        glass.data,
        glass.target,
        cv=PaperKFold(4, random_state=0),
    )
    assert scores.shape == (4,)
    assert repr(PaperKFold(4)) == "PaperKFold(n_splits=4, random_state=None)"


@pytest.mark.parametrize("n_splits", [1, 0, 2.0, "5", True, None])
def test_bad_n_splits(n_splits):
    with pytest.raises(ValueError, match="n_splits must be an integer"):
        PaperKFold(n_splits)


@pytest.mark.parametrize("y", [None, [0.5, 1.5, 2.5], [[0, 1], [1, 0]]])
def test_bad_labels(y):
    with pytest.raises(ValueError, match=r"labels y|one class label"):
        next(PaperKFold(2).split(np.zeros((3, 1)), y))
