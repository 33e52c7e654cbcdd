"""What n_jobs stands for."""

import os

import numpy as np
import pytest

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.jobs import usable_jobs

X = np.random.default_rng(0).normal(size=(20, 2))
Y = np.repeat([0, 1], 10)


def test_all_cores_and_no_more_than_are_of_use():
    assert 1 <= usable_jobs(-1) <= os.cpu_count()
    assert usable_jobs(np.int64(2)) == 2
    assert usable_jobs(10**9) == usable_jobs(10**12)


@pytest.mark.parametrize("kind", [ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier])
@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (1.5, TypeError), ("2", TypeError)]
)
def test_what_is_not_a_number_of_jobs_is_refused(kind, n_jobs, error):
    with pytest.raises(error, match=f"n_jobs={n_jobs!r}: use "):
        kind(n_jobs=n_jobs).fit(X, Y)
