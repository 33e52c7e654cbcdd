import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import friedmanchisquare, rankdata

from isvmde.stats import iman_davenport

# Table 6 of J. Demsar, Statistical comparisons of classifiers over multiple data
# sets, JMLR 7 (2006): AUC of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf on 14 data sets.
# The ranks printed there tell the two 0.975 of "voting" apart, by unprinted digits.
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798],
    [0.599, 0.591, 0.590, 0.569],
    [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657],
    [0.882, 0.888, 0.886, 0.898],
    [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685],
    [0.583, 0.583, 0.563, 0.625],
    [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000],
    [0.940, 0.962, 0.965, 0.962],
    [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.9751, 0.975],
    [0.957, 0.978, 0.946, 0.970],
]


def test_the_example_of_demsar():
    result = iman_davenport(DEMSAR, correct_ties=False)
    assert result.mean_ranks.round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    # Printed there from the rounded ranks: chi2 9.28, F_F 3.69.
    assert result.friedman_chi2 == pytest.approx(9.28, abs=0.01)
    assert result.statistic == pytest.approx(3.69, abs=0.01)
    assert result.df == (3, 39)
    assert 0.01 < result.pvalue < 0.05  # above the critical value 2.85


tables = arrays(
    int, st.tuples(st.integers(3, 8), st.integers(3, 5)), elements=st.integers(0, 5)
)


@given(tables.filter(lambda x: (np.ptp(x, axis=1) > 0).any()))
def test_chi_square_is_scipys(x):
    reference = friedmanchisquare(*x.T).statistic
    assert iman_davenport(x).friedman_chi2 == pytest.approx(reference, abs=1e-9)


def test_the_form_is_an_analysis_of_variance_of_ranks():
    x = np.random.default_rng(0).integers(0, 6, size=(12, 4))
    ranks = rankdata(-x, axis=1)
    n, k = x.shape
    between = n * ranks.mean(axis=0).var() * k / (k - 1)
    rest = ranks - ranks.mean(axis=0) - ranks.mean(axis=1)[:, None] + ranks.mean()
    F = between / ((rest**2).sum() / ((k - 1) * (n - 1)))
    assert iman_davenport(x).statistic == pytest.approx(F)


def test_full_agreement_and_no_difference_have_defined_answers():
    agreed = iman_davenport(np.tile([3, 2, 1], (5, 1)))
    assert (agreed.statistic, agreed.pvalue) == (np.inf, 0)
    alike = iman_davenport(np.ones((5, 3)))
    assert (alike.statistic, alike.pvalue) == (0, 1)


def test_prints_as_text():
    text = str(iman_davenport(pd.DataFrame({"A": [1, 2, 3], "B": [2, 1, 1]})))
    assert (
        text.splitlines()[0]
        == "Iman-Davenport: F_F = 0.25000, df = (1, 2), p = 0.66667"
    )
