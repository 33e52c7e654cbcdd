"""The plain Friedman test in the form of Iman and Davenport."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import f as f_distribution
from scipy.stats import rankdata

from isvmde.stats.rendering import ResultTable, format_p
from isvmde.stats.score_table import check_scores


@dataclass(frozen=True, eq=False)
class ImanDavenportResult:
    """Outcome of `iman_davenport`.

    Attributes
    ----------
    statistic : float
        F_F.
    pvalue : float
        Tail of the F distribution with ``df`` degrees of freedom.
    df : tuple of int
        (k - 1, (k - 1)(n - 1)).
    friedman_chi2 : float
        Friedman's chi-square, from which ``statistic`` is computed.
    mean_ranks : Series
        Mean rank of every method within the data sets; 1 is the best.
    """

    statistic: float
    pvalue: float
    df: tuple[int, int]
    friedman_chi2: float
    mean_ranks: "pd.Series[float]"

    def to_frame(self) -> ResultTable:
        """Return the methods with their mean ranks, best first."""
        ranks = self.mean_ranks.sort_values(kind="stable")
        return ResultTable({"method": ranks.index, "mean_rank": ranks.to_numpy()})

    def __str__(self) -> str:
        ranks = self.to_frame().to_string(index=False, float_format="{:.3f}".format)
        return (
            f"Iman-Davenport: F_F = {self.statistic:.5f}, df = {self.df}, "
            f"p = {format_p(self.pvalue)}\n{ranks}"
        )


def iman_davenport(
    scores: pd.DataFrame | npt.ArrayLike, *, correct_ties: bool = True
) -> ImanDavenportResult:
    """Test whether methods differ, by ranks within each data set.

    Friedman's chi-square is conservative; this form of it is not. Unlike
    `friedman_aligned` it ignores by how much a method is better.

    Parameters
    ----------
    scores : DataFrame of shape (n data sets, k methods)
        Higher is better.
    correct_ties : bool, default=True
        Allow for tied scores in the chi-square. Textbooks often print the value
        without.

    Returns
    -------
    ImanDavenportResult
        ``statistic``, ``pvalue``, ``df``, ``friedman_chi2``, ``mean_ranks``. If
        every method scores alike the statistic is 0 and the p-value 1.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import iman_davenport
    >>> result = iman_davenport(load_scores("g_mean"))
    >>> print(f"{result.statistic:.3f} {result.df}")
    5.657 (8, 112)
    """
    table = check_scores(scores)
    n, k = table.shape
    ranks = rankdata(-table.to_numpy(), axis=1)
    R = ranks.mean(axis=0)
    spread = n * k * (k**2 - 1) / 12  # sum of squared deviations of untied ranks
    if correct_ties:
        spread = float(((ranks - (k + 1) / 2) ** 2).sum())
    between = n * float(((R - (k + 1) / 2) ** 2).sum())
    chi2 = n * (k - 1) * between / spread if spread > 0 else 0.0
    df = (k - 1, (k - 1) * (n - 1))
    rest = n * (k - 1) - chi2
    # Every data set ranks the methods alike: there is no disagreement to divide by.
    agreed = np.isclose(rest, 0, atol=1e-9 * n * k)
    statistic = np.inf if agreed else (n - 1) * chi2 / rest
    return ImanDavenportResult(
        statistic=float(statistic),
        pvalue=float(f_distribution.sf(statistic, *df)),
        df=df,
        friedman_chi2=chi2,
        mean_ranks=pd.Series(R, index=table.columns, name="mean_rank"),
    )
