"""Friedman's test on aligned ranks, which asks if the methods differ at all."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import chi2, rankdata

from isvmde.stats.rendering import ResultTable, format_p, latex_text
from isvmde.stats.score_table import Floats, check_scores, without_float_noise


@dataclass(frozen=True, eq=False)
class FriedmanAlignedResult:
    """Outcome of `friedman_aligned`.

    Attributes
    ----------
    statistic : float
        F_AR.
    pvalue : float
        Tail of the chi-square distribution with ``df`` degrees of freedom.
    df : int
        Number of methods less one.
    mean_ranks : Series
        Mean aligned rank of every method; 1 is the best rank, k n the worst.
    n_datasets : int
        Number of data sets.
    """

    statistic: float
    pvalue: float
    df: int
    mean_ranks: "pd.Series[float]"
    n_datasets: int

    def to_frame(self) -> ResultTable:
        """Return the methods with their mean aligned ranks, best first."""
        ranks = self.mean_ranks.sort_values(kind="stable")
        return ResultTable({"method": ranks.index, "mean_rank": ranks.to_numpy()})

    def to_markdown(self) -> str:
        """Return the test and the mean ranks as Markdown."""
        return f"{self._sentence()}\n\n{self.to_frame().to_markdown()}"

    def to_latex(self) -> str:
        """Return the mean ranks as a LaTeX table with the test as its caption."""
        caption = (
            rf"Friedman aligned ranks: $F_{{AR}} = {self.statistic:.5f}$, "
            rf"{self.df} degrees of freedom, p = {latex_text(format_p(self.pvalue))}."
        )
        return self.to_frame().to_latex(caption=caption)

    def __str__(self) -> str:
        ranks = self.to_frame().to_string(index=False, float_format="{:.2f}".format)
        return f"{self._sentence()}\n{ranks}"

    def _sentence(self) -> str:
        """Say the outcome in one line."""
        return (
            f"Friedman aligned ranks: F_AR = {self.statistic:.5f}, df = {self.df}, "
            f"p = {format_p(self.pvalue)} ({len(self.mean_ranks)} methods on "
            f"{self.n_datasets} data sets)"
        )


def friedman_aligned(
    scores: pd.DataFrame | npt.ArrayLike, *, ties: str = "float"
) -> FriedmanAlignedResult:
    """Test whether methods differ, by the ranks of all scores together.

    Each data set's mean is taken off its scores, which makes easy and hard data
    sets comparable; then all k n values are ranked as one list, the best first.

    Parameters
    ----------
    scores : DataFrame of shape (n data sets, k methods)
        Higher is better.
    ties : {"float", "rounded"}, default="float"
        When two aligned scores share a rank: "float" if they are equal as doubles,
        which is what the paper did; "rounded" if they are equal to 11 digits, which
        also catches equal decimals that differ by rounding noise.

    Returns
    -------
    FriedmanAlignedResult
        ``statistic``, ``pvalue``, ``df``, ``mean_ranks``; prints as text and as
        Markdown and LaTeX. If every method scores alike the statistic is 0 and the
        p-value 1.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import friedman_aligned
    >>> result = friedman_aligned(load_scores("g_mean"))
    >>> print(f"{result.statistic:.5f} {result.pvalue:.5e} {result.df}")
    44.37740 4.82763e-07 8
    """
    _, ranks, mean_ranks = aligned_ranks(scores, ties=ties)
    n, k = ranks.shape
    R_j, R_i = ranks.sum(axis=0), ranks.sum(axis=1)  # per method, per data set
    above = (k - 1) * ((R_j**2).sum() - k * n**2 / 4 * (k * n + 1) ** 2)
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - (R_i**2).sum() / k
    statistic = float(above / below)
    return FriedmanAlignedResult(
        statistic=statistic,
        pvalue=float(chi2.sf(statistic, k - 1)),
        df=k - 1,
        mean_ranks=mean_ranks,
        n_datasets=n,
    )


def aligned_ranks(
    scores: pd.DataFrame | npt.ArrayLike, *, ties: str = "float"
) -> tuple[pd.DataFrame, Floats, "pd.Series[float]"]:
    """Return the checked table, the ranks of all aligned scores, and their means."""
    if ties not in ("float", "rounded"):
        raise ValueError(f'ties must be "float" or "rounded"; got {ties!r}.')
    table = check_scores(scores)
    x = table.to_numpy(dtype=np.float64)
    # Added from left to right: the library's own order of summation follows the
    # memory layout, and with it would change which doubles tie.
    mean = np.cumsum(x, axis=1)[:, -1:] / x.shape[1]
    aligned = x - mean
    if ties == "rounded":
        aligned = without_float_noise(aligned, x)
    ranks: Floats = rankdata(-aligned.ravel()).reshape(x.shape)
    means = pd.Series(ranks.sum(axis=0) / len(x), table.columns, name="mean_rank")
    return table, ranks, means
