"""The paper's own numbers come out of its own tables, and the corrected ones too."""

import numpy as np
import pytest
from scipy.stats import norm

from isvmde.published import METRICS, load_scores, load_tests
from isvmde.stats import friedman_aligned, holm_test, wilcoxon_signed_rank
from isvmde.stats.aligned import aligned_ranks

TESTS = load_tests()

# Printed with one or no significant digit; what the tables give is checked apart.
COARSE = {("g_mean", "Static-SMOTE"): 1.18e-5, ("cba", "PPSVM"): 1.03e-6}
# Printed "Rejected" although p exceeds the threshold 0.0125 printed beside it.
WRONGLY_REJECTED = {"av_f_beta": {"SVM"}, "cba": {"SDC"}, "g_mean": set()}


def printed(value):
    """A published number as printed: 6 significant digits or 5 decimals."""
    return f"{value:.5e}" if value < 1e-5 else f"{value:.5f}"


@pytest.fixture(params=METRICS)
def metric(request):
    return request.param


@pytest.fixture
def scores(metric):
    return load_scores(metric)


def test_tables_are_complete(scores):
    assert scores.shape == (15, 9)
    assert scores.notna().all(axis=None)
    assert scores.columns[0] == "SVM"
    assert scores.columns[-1] == "i-SVM-DE-AVE"


def test_averages_of_the_g_mean_table():
    # The row "Avg." of the paper's table.
    average = [62.40, 63.44, 66.79, 67.22, 63.79, 57.29, 46.45, 66.30, 65.46]
    np.testing.assert_allclose(load_scores("g_mean").mean(), average, atol=0.0051)


def test_unknown_metric_is_named():
    with pytest.raises(ValueError, match="no table for metric 'accuracy'"):
        load_scores("accuracy")


def test_friedman_aligned(metric, scores):
    result, paper = friedman_aligned(scores), TESTS["friedman_aligned"][metric]
    assert f"{result.statistic:.5f}" == f"{paper['statistic']:.5f}"
    assert result.df == 8
    if metric == "av_f_beta":  # the last digit is printed wrong
        assert printed(result.pvalue) == "2.78811e-07"
        assert printed(paper["p"]) == "2.78810e-07"
    else:
        assert printed(result.pvalue) == printed(paper["p"])


@pytest.mark.parametrize(
    ("metric", "statistic"),
    [("g_mean", "44.37740"), ("av_f_beta", "45.68450"), ("cba", "51.51787")],
)
def test_friedman_aligned_with_decimal_ties(metric, statistic):
    result = friedman_aligned(load_scores(metric), ties="rounded")
    assert f"{result.statistic:.5f}" == statistic


def test_holm_p_values_with_the_papers_standard_error(metric, scores):
    table, paper = holm_test(scores, se="paper"), TESTS["holm"][metric]
    assert table.attrs["control"] == paper["control"]
    assert table["method"].tolist() == list(paper["p"])  # the printed order
    for method, z, p in zip(table["method"], table["z"], table["p"], strict=True):
        published = paper["p"][method]
        if published == 0:  # the paper's 2 (1 - Phi(z)) vanishes in doubles
            assert 2 * (1 - norm.cdf(z)) == 0
            assert 0 < p < 1e-15
        elif (metric, method) in COARSE:
            assert f"{p:.2e}" == f"{COARSE[metric, method]:.2e}"
            assert f"{p:.0e}" == f"{published:.0e}"
        else:
            assert printed(p) == printed(published)


def test_holm_decisions_by_the_papers_own_rule(metric, scores):
    table = holm_test(scores, se="paper")
    rejected = set(table.loc[table["rejected"], "method"])
    misprinted = WRONGLY_REJECTED[metric]
    assert rejected == set(TESTS["holm"][metric]["rejected"]) - misprinted
    for method in misprinted:
        row = table[table["method"] == method].iloc[0]
        assert row["alpha_i"] == 0.0125 < row["p"]


@pytest.mark.parametrize(
    ("metric", "control", "rejected"),
    [
        ("g_mean", "SDC", ["NBSVM", "PPSVM"]),
        ("av_f_beta", "i-SVM-DE-AVE", ["NBSVM", "WK-SMOTE"]),
        ("cba", "i-SVM-DE-AVE", ["NBSVM", "WK-SMOTE"]),
    ],
)
def test_holm_decisions_with_a_correct_standard_error(metric, control, rejected):
    table = holm_test(load_scores(metric))
    assert table.attrs["control"] == control
    assert table.loc[table["rejected"], "method"].tolist() == rejected


@pytest.mark.parametrize(
    ("metric", "permutation"), [("g_mean", 13.81), ("av_f_beta", 12.88), ("cba", 12.90)]
)
def test_the_papers_standard_error_is_too_small(metric, permutation):
    scores = load_scores(metric)
    ranks = aligned_ranks(scores)
    means = ranks.mean()
    error = {}
    for se in ("paper", "corrected"):
        first = holm_test(scores, se=se).iloc[0]
        error[se] = (means[first["method"]] - means.min()) / first["z"]
    assert error["paper"] == pytest.approx(4.90, abs=0.005)
    assert error["corrected"] == pytest.approx(14.28, abs=0.005)
    # Shuffling one data set's ranks gives a difference of variance 2 s_i^2.
    exact = np.sqrt(2 * ranks.var(axis=1).sum()) / len(ranks)
    assert exact == pytest.approx(permutation, abs=0.005)
    rng = np.random.default_rng(0)
    drawn = [rng.permuted(ranks, axis=1).mean(axis=0) for _ in range(4000)]
    assert np.std(np.subtract(*np.transpose(drawn)[:2])) == pytest.approx(
        exact, rel=0.05
    )
    assert 2.6 < exact / error["paper"] < 2.9


def max_against_ave(scores, mode):
    return wilcoxon_signed_rank(
        scores["i-SVM-DE-MAX"], scores["i-SVM-DE-AVE"], mode=mode
    )


def test_wilcoxon_as_the_paper_did_it(metric, scores):
    result, paper = max_against_ave(scores, "paper"), TESTS["wilcoxon_max_vs_ave"]
    assert result.r_plus == paper[metric]["r_plus"]
    assert result.r_minus == paper[metric]["r_minus"]
    assert printed(result.pvalue) == printed(paper[metric]["p"])


@pytest.mark.parametrize(
    ("metric", "r_plus", "r_minus", "p"),
    [
        ("g_mean", 70.5, 49.5, 0.5708),  # R+ is printed as 70
        ("av_f_beta", 45, 60, 0.6698),
        ("cba", 47, 58, 0.7609),
    ],
)
def test_wilcoxon_exact(metric, r_plus, r_minus, p):
    result = max_against_ave(load_scores(metric), "exact")
    assert (result.r_plus, result.r_minus) == (r_plus, r_minus)
    assert result.pvalue == pytest.approx(p, abs=5e-5)
