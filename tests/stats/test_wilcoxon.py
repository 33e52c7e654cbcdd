from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from isvmde.stats import wilcoxon_signed_rank

differences = st.lists(st.integers(-6, 6), min_size=2, max_size=10)


def by_enumeration(d):
    """R+ and the two-sided p-value by trying all signs."""
    d = np.array([x for x in d if x], dtype=float)
    ranks = rankdata(abs(d))
    r_plus = ranks[d > 0].sum()
    signs = np.array(list(product([0, 1], repeat=len(d))))
    sums = signs @ ranks
    tail = min((sums >= r_plus).mean(), (sums <= r_plus).mean())
    return r_plus, min(1.0, 2 * tail)


@given(differences.filter(any))
def test_exact_p_counts_all_signs_with_ties(d):
    result = wilcoxon_signed_rank(np.array(d), np.zeros(len(d)))
    r_plus, p = by_enumeration(d)
    assert result.r_plus == r_plus
    assert result.pvalue == pytest.approx(p)
    assert result.n + result.n_zero == len(d)


@pytest.mark.parametrize("n", [5, 15, 40, 200])
def test_exact_p_is_scipys_without_ties(n):
    a, b = np.random.default_rng(n).normal([[0.2], [0]], size=(2, n))
    reference = wilcoxon(a, b, method="exact").pvalue
    assert wilcoxon_signed_rank(a, b).pvalue == pytest.approx(reference)


def test_a_decimal_tie_is_a_tie():
    # 0.3 - 0.1 and 0.8 - 0.6 differ in the last bits of a double.
    a, b = [0.3, 0.6, 0.9], [0.1, 0.8, 0.5]
    result = wilcoxon_signed_rank(a, b)
    assert (result.r_plus, result.r_minus) == (4.5, 1.5)
    in_per_cent = wilcoxon_signed_rank(np.multiply(a, 100), np.multiply(b, 100))
    assert in_per_cent.r_plus == 4.5
    assert wilcoxon_signed_rank(np.multiply(a, 1e-12), np.multiply(b, 1e-12)).n == 3


@given(differences)
def test_swapping_the_methods_swaps_the_sums(d):
    a, b = np.array(d), np.zeros(len(d))
    one, other = wilcoxon_signed_rank(a, b), wilcoxon_signed_rank(b, a)
    assert (one.r_plus, one.r_minus) == (other.r_minus, other.r_plus)
    assert one.pvalue == pytest.approx(other.pvalue)
    assert one.rank_biserial == -other.rank_biserial


# SciPy 1.12 warns of small samples.
@pytest.mark.filterwarnings("ignore:Sample size too small")
@given(differences.filter(lambda d: any(d) and 0 in d))
def test_paper_mode_with_a_zero_is_the_normal_approximation(d):
    result = wilcoxon_signed_rank(np.array(d), np.zeros(len(d)), mode="paper")
    reference = wilcoxon([x for x in d if x], method="approx", correction=False)
    assert result.pvalue == pytest.approx(reference.pvalue)


def test_paper_mode_takes_the_normal_approximation_for_many_data_sets():
    a, b = np.random.default_rng(0).normal(size=(2, 26))
    reference = wilcoxon(a, b, method="approx", correction=False).pvalue
    assert wilcoxon_signed_rank(a, b, mode="paper").pvalue == pytest.approx(reference)
    fewer = wilcoxon_signed_rank(a[1:], b[1:], mode="paper").pvalue
    assert fewer == pytest.approx(wilcoxon(a[1:], b[1:], method="exact").pvalue)


@pytest.mark.parametrize("mode", ["exact", "paper"])
def test_methods_that_never_differ_have_p_one(mode):
    result = wilcoxon_signed_rank([1, 2, 3], [1, 2, 3], mode=mode)
    assert (result.r_plus, result.r_minus, result.pvalue) == (0, 0, 1)
    assert result.rank_biserial == 0


def test_data_sets_are_matched_by_name():
    a = pd.Series({"zoo": 90.0, "car": 95.0, "hcv": 60.0}, name="A")
    b = pd.Series({"car": 94.0, "hcv": 50.0, "zoo": 95.0}, name="B")
    result = wilcoxon_signed_rank(a, b)
    assert (result.r_plus, result.r_minus) == (4, 2)
    with pytest.raises(ValueError, match="over the same data sets"):
        wilcoxon_signed_rank(a, b.drop("zoo"))


def test_prints_as_text():
    a, b = pd.Series([3.0, 1, 5], name="A"), pd.Series([1.0, 3, 5], name="B")
    result = wilcoxon_signed_rank(a, b)
    assert str(result) == (
        "Wilcoxon signed ranks, A vs. B: R+ = 1.5, R- = 1.5, p = 1 "
        "(n = 2, 1 without a difference left out)"
    )


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        ([1, 2], [1, 2, 3], {}, "equal length"),
        ([1], [2], {}, "at least 2"),
        ([1, np.nan], [1, 2], {}, "missing or infinite"),
        ([1, 2], [2, 1], {"mode": "fast"}, 'mode must be "exact" or "paper"'),
    ],
)
def test_bad_input_is_named(a, b, options, message):
    with pytest.raises(ValueError, match=message):
        wilcoxon_signed_rank(a, b, **options)
