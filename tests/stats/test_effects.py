import numpy as np
import pandas as pd
import pytest

from isvmde.published import load_scores
from isvmde.stats import effect_sizes, friedman_aligned


def test_effects_by_hand():
    scores = pd.DataFrame({"A": [0.9, 0.8, 0.3], "B": [0.7, 0.8, 0.4]})
    row = effect_sizes(scores, control="A").iloc[0]
    assert row["method"] == "B"
    assert (row["wins"], row["ties"], row["losses"]) == (1, 1, 1)
    assert row["score_difference"] == pytest.approx(0.1 / 3)
    # Differences 0.2 and -0.1 carry the ranks 2 and 1.
    assert row["rank_biserial"] == pytest.approx(1 / 3)


def test_rank_differences_are_those_of_the_friedman_test():
    scores = load_scores("av_f_beta")
    ranks = friedman_aligned(scores).mean_ranks
    expected = (ranks - ranks.min()).drop("i-SVM-DE-AVE").sort_values()
    table = effect_sizes(scores)
    assert table["method"].tolist() == expected.index.tolist()
    assert table["rank_difference"].tolist() == pytest.approx(expected.tolist())


def test_every_data_set_is_won_tied_or_lost():
    scores = load_scores("cba")
    table = effect_sizes(scores)
    assert (table[["wins", "ties", "losses"]].sum(axis=1) == 15).all()
    best = scores[table.attrs["control"]]
    for method, wins in zip(table["method"], table["wins"], strict=True):
        assert wins == (best > scores[method]).sum()


def test_rounding_noise_is_no_win():
    scores = pd.DataFrame({"A": [0.1 + 0.2, 0.5], "B": [0.3, 0.4]})
    assert effect_sizes(scores, control="A").loc[0, "ties"] == 1


def test_unknown_control_is_named():
    with pytest.raises(ValueError, match="is not a column"):
        effect_sizes(np.eye(3), control="A")
