"""Comparison over data sets by aligned ranks: Friedman's test, Holm's, effect sizes."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import chi2, norm, rankdata

from .paired import (
    Scores,
    check_scores,
    holm_step_down,
    pick_control,
    wilcoxon_signed_rank,
    without_float_noise,
)


@dataclass(frozen=True, eq=False)
class FriedmanAlignedResult:
    """Outcome of `friedman_aligned`.

    Attributes
    ----------
    statistic, pvalue, df
        F_AR, and the tail of the chi-square distribution with k - 1 degrees of freedom;
        0 and 1 if every method scores alike.
    mean_ranks : Series
        Mean aligned rank of every method; 1 is the best rank, k n the worst.
    """

    statistic: float
    pvalue: float
    df: int
    mean_ranks: "pd.Series[float]"

    def __str__(self) -> str:
        ranks = self.mean_ranks.sort_values(kind="stable").round(2)
        return (
            f"Friedman aligned ranks: F_AR = {self.statistic:.5f}, df = {self.df}, "
            f"p = {self.pvalue:.3g}\n{ranks.to_string()}"
        )


def friedman_aligned(scores: Scores, *, ties: str = "float") -> FriedmanAlignedResult:
    """Test whether methods differ, by the ranks of all scores together.

    Each data set's mean is taken off its scores, so that easy and hard ones can be
    compared; then all k n values are ranked as one list, the best first.

    Parameters
    ----------
    scores : DataFrame of shape (n data sets, k methods)
        Higher is better.
    ties : {"float", "rounded"}, default="float"
        When two aligned scores share a rank: "float" if they are equal as doubles, as
        in the paper; "rounded" if they are equal to 11 digits, as equal decimals are.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import friedman_aligned
    >>> result = friedman_aligned(load_scores("g_mean"))
    >>> print(f"{result.statistic:.5f} {result.pvalue:.5e} {result.df}")
    44.37740 4.82763e-07 8
    """
    ranks = aligned_ranks(scores, ties=ties)
    n, k = ranks.shape
    R_j, R_i = ranks.sum(axis=0), ranks.sum(axis=1)  # per method, per data set
    above = (k - 1) * ((R_j**2).sum() - k * n**2 / 4 * (k * n + 1) ** 2)
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (R_i**2).sum() / k
    F_AR = float(above / below)
    return FriedmanAlignedResult(
        F_AR, float(chi2.sf(F_AR, k - 1)), k - 1, ranks.mean().rename("mean_rank")
    )


def holm_test(
    scores: Scores,
    *,
    control: Hashable | None = None,
    alpha: float = 0.05,
    se: str = "corrected",
    ties: str = "float",
) -> pd.DataFrame:
    r"""Test which methods differ from a control, by Holm's step-down procedure.

    Parameters
    ----------
    scores
        As in `friedman_aligned`.
    control : optional
        The method to compare the others with; by default the one with the best mean
        rank. That favours rejection a little: name it beforehand where you can.
    alpha : float, default=0.05
        Probability of rejecting anything if no method differs from the control.
    se : {"corrected", "paper"}, default="corrected"
        Standard error of the difference of two mean ranks: :math:`\sqrt{k(kn+1)/6}`,
        or :math:`\sqrt{k(n+1)/6}`, too small and only for published numbers.
    ties : {"float", "rounded"}, default="float"
        As in `friedman_aligned`.

    Returns
    -------
    DataFrame
        A row per method other than the control, the smallest p-value first:
        ``method``; ``z``, positive where the control ranks better; ``p``, two-sided;
        ``p_holm``, adjusted; ``alpha_i``, the threshold for ``p``; ``rejected``.
        ``attrs`` holds the control, alpha and the mean ranks.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import holm_test
    >>> table = holm_test(load_scores("g_mean"))
    >>> table.attrs["control"]
    'SDC'
    >>> table[["method", "z", "p_holm", "rejected"]].head(3).round(3)
      method      z  p_holm  rejected
    0  NBSVM  4.880   0.000      True
    1  PPSVM  3.218   0.009      True
    2    SVM  2.121   0.203     False
    """
    ranks = aligned_ranks(scores, ties=ties)
    n, k = ranks.shape
    largest_rank = {"corrected": k * n, "paper": n}
    if se not in largest_rank:
        raise ValueError(f'se must be "corrected" or "paper"; got {se!r}.')
    means = ranks.mean()
    best = pick_control(means, control)
    z = (means.drop(best) - means[best]) / np.sqrt(k * (largest_rank[se] + 1) / 6)
    z = z.sort_values(key=np.abs, ascending=False, kind="stable")
    result: pd.DataFrame = z.rename_axis("method").reset_index(name="z")
    result["p"] = 2 * norm.sf(result["z"].abs())
    result["p_holm"], rejected = holm_step_down(result["p"], alpha)
    result["alpha_i"] = alpha / np.arange(len(z), 0, -1)
    result["rejected"] = rejected
    result.attrs = {"control": best, "alpha": alpha, "mean_ranks": means.to_dict()}
    return result


def effect_sizes(scores: Scores, *, control: Hashable | None = None) -> pd.DataFrame:
    """Measure how far each method is from a control.

    Parameters
    ----------
    scores, control
        As in `holm_test`.

    Returns
    -------
    DataFrame
        A row per method other than the control, the best mean aligned rank first:
        ``method``; ``rank_difference``, its mean rank less the control's;
        ``score_difference``, the control's mean score less its own; ``wins``, ``ties``,
        ``losses`` of the control; ``rank_biserial``, 1 if it always wins, -1 if never.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import effect_sizes
    >>> table = effect_sizes(load_scores("cba"), control="i-SVM-DE-AVE")
    >>> table[table["method"] == "SVM"][["wins", "ties", "losses"]].values.tolist()
    [[9, 0, 6]]
    """
    table, means = check_scores(scores), aligned_ranks(scores).mean()
    best = pick_control(means, control)
    rows = []
    for method in means.drop(best).sort_values(kind="stable").index:
        gaps = (table[best] - table[method]).to_numpy()
        signs = np.sign(without_float_noise(gaps, table[[best, method]]))
        test = wilcoxon_signed_rank(table[best], table[method])
        rows.append(
            {
                "method": method,
                "rank_difference": means[method] - means[best],
                "score_difference": gaps.mean(),
                "wins": int((signs == 1).sum()),
                "ties": int((signs == 0).sum()),
                "losses": int((signs == -1).sum()),
                "rank_biserial": test.rank_biserial,
            }
        )
    result = pd.DataFrame(rows)
    result.attrs = {"control": best}
    return result


def aligned_ranks(scores: Scores, *, ties: str = "float") -> pd.DataFrame:
    """Return the ranks of all aligned scores as one list, in the table's shape."""
    if ties not in ("float", "rounded"):
        raise ValueError(f'ties must be "float" or "rounded"; got {ties!r}.')
    table = check_scores(scores)
    x = table.to_numpy(dtype=np.float64)
    # Added from left to right: the library's own order of summation follows the
    # memory layout, and with it would change which doubles tie.
    aligned = x - np.cumsum(x, axis=1)[:, -1:] / x.shape[1]
    if ties == "rounded":
        aligned = without_float_noise(aligned, x)
    ranks = rankdata(-aligned.ravel()).reshape(x.shape)
    return pd.DataFrame(ranks, table.index, table.columns)
