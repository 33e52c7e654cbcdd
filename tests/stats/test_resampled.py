"""The corrected resampled t-test, against numbers worked out by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from isvmde.stats import corrected_resampled_t, resampled_holm


def test_by_hand():
    """Differences 1, 2, 3, 4 on 2 x 2 folds: s^2 = 5/3, factor 1/4 + 1."""
    found = corrected_resampled_t([1, 2, 3, 4], [0, 0, 0, 0], folds=2)
    assert found.difference == 2.5
    assert found.standard_error == pytest.approx(np.sqrt(1.25 * 5 / 3))
    assert found.statistic == pytest.approx(2.5 / np.sqrt(25 / 12))
    # Student's t with 3 degrees of freedom at sqrt(3): tables print 0.1817.
    assert found.df == 3
    assert found.pvalue == pytest.approx(0.1817, abs=5e-5)


def test_it_is_the_paired_t_test_with_a_larger_error():
    rng = np.random.default_rng(0)
    a, b = rng.uniform(size=(2, 15))
    plain = stats.ttest_rel(a, b)
    ours = corrected_resampled_t(a, b, folds=5)
    assert ours.statistic == pytest.approx(plain.statistic / np.sqrt(1 + 15 / 4))
    assert ours.pvalue > plain.pvalue


def test_exchanging_the_methods_changes_signs_alone():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(size=(2, 10))
    one, two = (corrected_resampled_t(*pair, folds=5) for pair in ((a, b), (b, a)))
    assert one.difference == -two.difference
    assert one.pvalue == two.pvalue


def test_equal_scores_and_a_constant_difference():
    alike = corrected_resampled_t([0.5, 0.6], [0.5, 0.6], folds=2)
    assert (alike.statistic, alike.pvalue) == (0.0, 1.0)
    constant = corrected_resampled_t([0.3, 0.2], [0.2, 0.1], folds=2)
    assert (constant.statistic, constant.pvalue) == (np.inf, 0.0)


def test_under_no_difference_it_seldom_rejects():
    """Scores of overlapping training parts: a shared part and an own part per fold."""
    rng = np.random.default_rng(2)
    rejected = 0
    for _ in range(500):
        shared = rng.normal(size=2)  # of the data set, the same in every fold
        gaps = rng.normal(size=(10, 2)) + 0.5 * shared
        rejected += corrected_resampled_t(*gaps.T, folds=5).pvalue < 0.05
    assert rejected / 500 < 0.07


def test_holm_over_several_methods():
    rng = np.random.default_rng(3)
    scores = pd.DataFrame(rng.normal(size=(15, 4)), columns=list("abcd"))
    scores["c"] += 3
    table = resampled_holm(scores, folds=5)
    assert table.attrs["control"] == "c"
    p = [
        corrected_resampled_t(scores["c"], scores[m], folds=5).pvalue
        for m in table["method"]
    ]
    assert p == sorted(p)
    expected = np.minimum(1, np.maximum.accumulate(np.array([3, 2, 1]) * p))
    np.testing.assert_allclose(table["p_holm"], expected)
    assert resampled_holm(scores, folds=5, control="a").attrs["control"] == "a"


@pytest.mark.parametrize(
    ("a", "b", "folds", "message"),
    [
        ([1, 2], [1, 2, 3], 2, "equal length"),
        ([1], [1], 2, "at least 2"),
        ([1, np.nan], [1, 2], 2, "missing or infinite"),
        ([1, 2], [1, 2], 1, "folds must be at least 2"),
    ],
)
def test_bad_input(a, b, folds, message):
    with pytest.raises(ValueError, match=message):
        corrected_resampled_t(a, b, folds=folds)
