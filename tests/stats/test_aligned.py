import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2, rankdata

from isvmde.stats import friedman_aligned


@st.composite
def tables(draw, decimals=2):
    """Tables of scores in per cent with a few decimals, so that ties occur."""
    n, k = draw(st.integers(2, 8)), draw(st.integers(2, 6))
    cell = st.integers(0, 100 * 10**decimals)
    cells = draw(st.lists(cell, min_size=n * k, max_size=n * k))
    columns = [f"method {j}" for j in range(k)]
    return pd.DataFrame(np.reshape(cells, (n, k)) / 10**decimals, columns=columns)


def test_two_data_sets_and_two_methods_by_hand():
    # Aligned values 2, -2 and 1, -1; ranks from the best: 1, 4 and 2, 3.
    result = friedman_aligned(pd.DataFrame({"A": [6.0, 9.0], "B": [2.0, 7.0]}))
    assert result.mean_ranks.to_dict() == {"A": 1.5, "B": 3.5}
    # (k-1)[9 + 49 - 2*4/4*25] / [4*5*9/6 - (25 + 25)/2] = 8 / 5
    assert result.statistic == pytest.approx(8 / 5)
    assert result.pvalue == pytest.approx(chi2.sf(8 / 5, 1))


@given(tables())
def test_statistic_is_a_ratio_of_sums_of_squares(scores):
    # The same test written as spread between methods over spread within data sets,
    # with the sum of squares of untied ranks.
    x = scores.to_numpy()
    aligned = np.round(x - x.mean(axis=1, keepdims=True), 9)
    ranks = rankdata(-aligned).reshape(x.shape)
    n, k = x.shape
    between = n**2 * ((ranks.mean(axis=0) - (k * n + 1) / 2) ** 2).sum()
    untied = (np.arange(1, k * n + 1) ** 2).sum()
    within = untied - k * (ranks.mean(axis=1) ** 2).sum()
    result = friedman_aligned(scores, ties="rounded")
    assert result.statistic == pytest.approx((k - 1) * between / within, abs=1e-9)
    assert result.mean_ranks.to_numpy() == pytest.approx(ranks.mean(axis=0))


@given(tables(), st.randoms(use_true_random=False))
def test_order_and_level_of_data_sets_do_not_matter(scores, random):
    order = random.sample(range(len(scores)), len(scores))
    methods = random.sample(list(scores), scores.shape[1])
    easier = scores.add([random.randrange(50) for _ in scores.index], axis=0)
    expected = friedman_aligned(scores, ties="rounded")
    for same in (scores.iloc[order], scores[methods], easier, scores / 100):
        result = friedman_aligned(same, ties="rounded")
        assert result.statistic == pytest.approx(expected.statistic, abs=1e-9)
        ranks = result.mean_ranks[scores.columns]
        assert ranks.to_numpy() == pytest.approx(expected.mean_ranks.to_numpy())


@given(tables())
def test_lower_instead_of_higher_is_better_turns_the_ranks_round(scores):
    up = friedman_aligned(scores, ties="rounded")
    down = friedman_aligned(-scores, ties="rounded")
    assert down.statistic == pytest.approx(up.statistic, abs=1e-9)
    total = up.mean_ranks + down.mean_ranks
    assert total.to_numpy() == pytest.approx(scores.size + 1)


def test_memory_layout_does_not_decide_ties():
    x = np.random.default_rng(0).integers(0, 40, (12, 9)) / 100
    row_major = friedman_aligned(pd.DataFrame(np.ascontiguousarray(x)))
    column_major = friedman_aligned(pd.DataFrame(np.asfortranarray(x)))
    assert row_major.statistic == column_major.statistic


@pytest.mark.parametrize("ties", ["float", "rounded"])
def test_methods_that_score_alike_are_not_told_apart(ties):
    constant = pd.DataFrame(np.tile([[0.1], [0.7], [0.3]], (1, 7)))
    result = friedman_aligned(constant, ties=ties)
    assert result.statistic == pytest.approx(0, abs=1e-12)
    assert result.pvalue == pytest.approx(1)


def test_under_the_null_hypothesis_p_values_are_near_uniform():
    rng = np.random.default_rng(1)
    p = [friedman_aligned(rng.normal(size=(15, 5))).pvalue for _ in range(400)]
    assert np.mean(np.array(p) < 0.5) == pytest.approx(0.5, abs=0.08)
    assert np.mean(np.array(p) < 0.05) == pytest.approx(0.05, abs=0.035)


def test_prints_the_test_and_the_ranks_from_the_best():
    result = friedman_aligned(pd.DataFrame({"B": [2.0, 7.0], "A_1": [6.0, 9.0]}))
    first, *ranks = str(result).splitlines()
    assert first == "Friedman aligned ranks: F_AR = 1.60000, df = 1, p = 0.206"
    assert [line.split() for line in ranks] == [["A_1", "1.5"], ["B", "3.5"]]


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[1.0, 2.0]], r"at least 2 data sets in rows .*got shape \(1, 2\)"),
        ([[1.0], [2.0]], r"2 methods in columns; got shape \(2, 1\)"),
        ([1.0, 2.0], r"as a table .*got shape \(2,\)"),
        ([[1.0, 2.0], [np.nan, 2.0]], "1 cell.* data set 1, method 0"),
        ([[1.0, np.inf], [1.0, 2.0]], "missing or infinite"),
        (pd.DataFrame({"name": ["a", "b"], "A": [1, 2]}), "must be a number"),
        (pd.DataFrame([[1, 2], [3, 4]], columns=["A", "A"]), "Two columns are called"),
    ],
)
def test_bad_tables_are_named(scores, message):
    with pytest.raises(ValueError, match=message):
        friedman_aligned(scores)


def test_unknown_rule_for_ties_is_named():
    with pytest.raises(ValueError, match='ties must be "float" or "rounded"'):
        friedman_aligned(np.eye(3), ties="exact")
