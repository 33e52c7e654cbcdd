from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from isvmde.stats import friedman_aligned, holm_test


def random_scores(seed, n=12, k=6, spread=1.0):
    rng = np.random.default_rng(seed)
    scores = 70 + spread * np.arange(k) + rng.normal(scale=5, size=(n, k))
    return pd.DataFrame(scores, columns=[f"m{j}" for j in range(k)])


def closed_test(p):
    """Adjust p-values by the closure of Bonferroni's test, over all subsets."""
    index = range(len(p))
    subsets = chain.from_iterable(combinations(index, r + 1) for r in index)
    value = {s: min(1, len(s) * min(p[i] for i in s)) for s in subsets}
    return [max(v for s, v in value.items() if i in s) for i in index]


@given(st.integers(0, 10_000), st.sampled_from([0.0, 1.0, 4.0]))
def test_holm_is_the_closed_test_of_bonferroni(seed, spread):
    table = holm_test(random_scores(seed, spread=spread), alpha=0.1)
    adjusted = closed_test(table["p"].tolist())
    assert table["p_holm"].tolist() == pytest.approx(adjusted)
    assert table["rejected"].tolist() == [p <= 0.1 for p in adjusted]


def test_z_and_p_follow_from_the_mean_ranks():
    scores = random_scores(3)
    ranks = friedman_aligned(scores).mean_ranks
    n, k = scores.shape
    table = holm_test(scores).set_index("method")
    control = ranks.idxmin()
    z = (ranks.drop(control) - ranks.min()) / np.sqrt(k * (k * n + 1) / 6)
    pd.testing.assert_series_equal(table["z"].sort_index(), z, check_names=False)
    assert table["p"].to_numpy() == pytest.approx(2 * norm.sf(table["z"]))
    assert table["alpha_i"].to_numpy() == pytest.approx(0.05 / np.arange(k - 1, 0, -1))


def test_the_contract_of_the_table():
    table = holm_test(random_scores(0), control="m2", alpha=0.1)
    assert isinstance(table, pd.DataFrame)
    assert list(table) == ["method", "z", "p", "p_holm", "alpha_i", "rejected"]
    assert set(table["method"]) == {"m0", "m1", "m3", "m4", "m5"}
    assert table["p"].is_monotonic_increasing
    assert table.attrs["control"] == "m2"
    assert table.attrs["alpha"] == 0.1


def test_z_is_negative_for_a_method_better_than_the_control():
    table = holm_test(random_scores(0, spread=10.0), control="m2").set_index("method")
    assert (table.loc[["m0", "m1"], "z"] > 0).all()
    assert (table.loc[["m3", "m4", "m5"], "z"] < 0).all()


def test_corrected_error_keeps_its_level_and_the_papers_does_not():
    rng = np.random.default_rng(7)
    tables = [rng.normal(size=(15, 6)) for _ in range(300)]

    def false_alarms(se):
        return np.mean(
            [holm_test(x, control=0, se=se)["rejected"].any() for x in tables]
        )

    assert false_alarms("corrected") <= 0.08
    assert false_alarms("paper") > 0.4


@pytest.mark.parametrize("se", ["corrected", "paper"])
def test_constant_scores_reject_nothing(se):
    table = holm_test(np.full((4, 3), 0.3), se=se)
    assert (table["p"] == 1).all()
    assert not table["rejected"].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"control": "m9"}, "control='m9' is not a column.* m0, m1"),
        ({"alpha": 0}, "alpha must lie between 0 and 1"),
        ({"se": "wrong"}, 'se must be "corrected"'),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        holm_test(random_scores(0), **options)
