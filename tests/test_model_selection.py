"""The splitters' laws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from isvmde import datasets
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.model_selection import DOBSCVKFold, KeelKFold, PaperKFold


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


@given(
    sizes=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    n_splits=st.integers(2, 7),
    seed=st.integers(0, 2**31),
)
def test_optimally_balanced_folds_hold_as_many_of_a_class_as_dealt_ones(
    sizes, n_splits, seed
):
    sizes = [*sizes, n_splits]
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = np.random.RandomState(seed).random_sample((len(y), 2))
    dealt = PaperKFold(n_splits, random_state=seed).split(X, y)
    balanced = DOBSCVKFold(n_splits, random_state=seed).split(X, y)
    for (_, one), (_, other) in zip(dealt, balanced, strict=True):
        assert np.bincount(y[one]).tolist() == np.bincount(y[other]).tolist()


def test_neighbours_are_in_different_folds():
    """Six groups of five equal rows: every fold has one row of each group."""
    X = np.repeat(np.arange(6.0), 5)[:, None]
    for _, test in DOBSCVKFold(5, random_state=1).split(X, np.zeros(30)):
        assert sorted(X[test, 0]) == [0, 1, 2, 3, 4, 5]


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
        next(PaperKFold(2).split(y or [0, 1], y))


PARTITIONS = {
    **dict.fromkeys(PAPER_DATASETS, ("keel5", "keel10", "keel5imb")),
    **dict.fromkeys(("car", "cleveland", "flare", "zoo"), ("keel5", "keel10")),
    **dict.fromkeys(("shuttle", "thyroid"), ("keel5imb",)),
    "hayes-roth": ("keel5",),
    "hcv": (),
}


@pytest.mark.parametrize("name", PARTITIONS)
def test_keels_partitions_fit_their_data_sets(name):
    bunch = load_dataset(name)
    for partition in PARTITIONS[name]:
        cv = KeelKFold(name, partition=partition)
        splits = list(cv.split(bunch.data, bunch.target))
        expected = 10 if partition == "keel10" else 5
        assert len(splits) == cv.get_n_splits() == expected
        tests = np.concatenate([test for _, test in splits])
        assert np.array_equal(np.sort(tests), np.arange(len(bunch.data)))
        sizes = [len(test) for _, test in splits]
        assert min(sizes) > 0.7 * len(bunch.data) / expected
        for train, test in splits:
            assert np.array_equal(np.sort(np.r_[train, test]), np.arange(len(tests)))


def test_keels_partitions_are_stratified():
    """Misaligned rows would not be: zoo lies sorted by name, not by class."""
    for name in ("zoo", "glass", "newthyroid"):
        bunch = load_dataset(name)
        cv = KeelKFold(name)
        largest = max(set(bunch.target), key=list(bunch.target).count)
        inside = [
            (bunch.target[test] == largest).sum() for _, test in cv.split(bunch.data)
        ]
        assert max(inside) - min(inside) <= 1


@pytest.mark.parametrize(
    ("name", "partition", "message"),
    [
        ("iris", "keel5", "no partition of 'iris'; choose one of automobile, "),
        ("hcv", "keel5", "no partition of 'hcv'.* or use PaperKFold"),
        ("zoo", "five", "'zoo' has no partition 'five'; choose one of keel5, keel10"),
        ("shuttle", "keel5", "'shuttle' has no partition 'keel5'.* keel5imb"),
    ],
)
def test_partitions_that_keel_does_not_have(name, partition, message):
    with pytest.raises(ValueError, match=message):
        KeelKFold(name, partition=partition)


def test_x_must_have_the_data_sets_rows():
    cv = KeelKFold("zoo")
    with pytest.raises(ValueError, match="its 101 rows, but X has 100"):
        next(cv.split(np.zeros((100, 2))))
    assert len(next(cv.split([[0]] * 101))[0]) == 80


def test_the_splitters_are_found_beside_the_data_sets():
    assert datasets.PaperKFold is PaperKFold
    assert datasets.KeelKFold is KeelKFold


def test_folds_need_the_labels_alone():
    y = np.repeat(["a", "b"], 6)
    folds = PaperKFold(3, random_state=0)
    for with_rows, without in zip(folds.split(y, y), folds.split(None, y), strict=True):
        np.testing.assert_array_equal(with_rows[1], without[1])
