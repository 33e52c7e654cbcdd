"""Comparison of methods on one data set, over the folds of a cross-validation."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import t as t_distribution

from isvmde.stats.holm import holm_adjusted
from isvmde.stats.rendering import ResultTable, format_p
from isvmde.stats.score_table import check_level, check_scores, pick_control


@dataclass(frozen=True)
class ResampledTResult:
    """Outcome of `corrected_resampled_t`.

    Attributes
    ----------
    difference : float
        Mean score of the first less that of the second.
    statistic : float
        Student's t with the corrected standard error.
    pvalue : float
        Two-sided.
    df : int
        Degrees of freedom, one less than the number of scores.
    standard_error : float
        Of the difference.
    """

    difference: float
    statistic: float
    pvalue: float
    df: int
    standard_error: float

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the difference."""
        half = t_distribution.ppf(0.5 + level / 2, self.df) * self.standard_error
        return self.difference - half, self.difference + half

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"Corrected resampled t-test: difference {self.difference:.4g} "
            f"(95 % interval {low:.4g} to {high:.4g}), t = {self.statistic:.3f}, "
            f"df = {self.df}, p = {format_p(self.pvalue)}"
        )


def corrected_resampled_t(
    a: npt.ArrayLike, b: npt.ArrayLike, *, folds: int
) -> ResampledTResult:
    r"""Test whether two methods differ on one data set, over repeated folds.

    The training parts of a cross-validation overlap, so its scores are not
    independent and the usual t-test finds differences where there are none. Nadeau
    and Bengio replace the variance :math:`s^2/J` of the mean of J differences by
    :math:`(1/J + n_{test}/n_{train}) s^2`, which with k folds is
    :math:`(1/J + 1/(k-1)) s^2`.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        Scores of two methods on the same folds of the same repeats.
    folds : int
        Number of folds of a repeat.

    Returns
    -------
    ResampledTResult
        ``difference``, ``statistic``, ``pvalue``, ``df``, ``standard_error``.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine
    Learning 52 (2003), 239-281.

    Examples
    --------
    >>> from isvmde.stats import corrected_resampled_t
    >>> a = [0.8, 0.7, 0.9, 0.8, 0.8]
    >>> b = [0.7, 0.7, 0.8, 0.6, 0.7]
    >>> print(f"{corrected_resampled_t(a, b, folds=5).pvalue:.3f}")
    0.103
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 2:
        raise ValueError(
            "Give two lists of at least 2 scores of the same length, one per fold; "
            f"got shapes {first.shape} and {second.shape}."
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("Some scores are missing or infinite; leave their folds out.")
    if folds < 2:
        raise ValueError(f"folds must be at least 2; got {folds!r}.")
    # Differences of equal decimals, such as 0.3 - 0.2 and 0.2 - 0.1, are equal.
    gaps = np.round(first - second, 12)
    n = len(gaps)
    error = float(np.sqrt((1 / n + 1 / (folds - 1)) * gaps.var(ddof=1)))
    mean = float(gaps.mean())
    if error > 0:
        statistic = mean / error
    else:
        statistic = float(np.sign(mean)) * np.inf if mean else 0.0
    return ResampledTResult(
        difference=mean,
        statistic=statistic,
        pvalue=float(2 * t_distribution.sf(abs(statistic), n - 1)),
        df=n - 1,
        standard_error=error,
    )


def resampled_holm(
    scores: pd.DataFrame | npt.ArrayLike,
    *,
    folds: int,
    control: Hashable | None = None,
    alpha: float = 0.05,
) -> ResultTable:
    """Test on one data set which methods differ from a control.

    Parameters
    ----------
    scores : DataFrame of shape (repeats x folds, methods)
        Higher is better; a row per fold of each repeat.
    folds : int
        Number of folds of a repeat.
    control : optional
        The method to compare the others with; by default the one with the best mean.
    alpha : float, default=0.05
        Probability of rejecting anything if no method differs from the control.

    Returns
    -------
    DataFrame
        A row per method other than the control, the smallest p-value first:
        ``method``; ``difference``, the control's mean less its own; ``t``; ``p``,
        two-sided; ``p_holm``, adjusted by Holm's procedure; ``rejected``. ``attrs``
        holds the control and alpha.

    Examples
    --------
    >>> from isvmde.stats import resampled_holm
    >>> scores = {"A": [0.8, 0.7, 0.9, 0.8, 0.8], "B": [0.7, 0.7, 0.8, 0.6, 0.7]}
    >>> table = resampled_holm(pd.DataFrame(scores), folds=5)
    >>> print(table.to_markdown())
    | method | difference | t     | p       | p_holm  | rejected |
    |--------|------------|-------|---------|---------|----------|
    | B      | 0.100      | 2.108 | 0.10270 | 0.10270 | no       |
    """
    check_level(alpha)
    table = check_scores(scores)
    best = pick_control(-table.mean(), control)
    found = {
        method: corrected_resampled_t(table[best], table[method], folds=folds)
        for method in table.columns.drop(best)
    }
    order = sorted(found, key=lambda method: found[method].pvalue)
    p = np.array([found[method].pvalue for method in order])
    p_holm = holm_adjusted(p)
    result = ResultTable(
        {
            "method": order,
            "difference": [found[method].difference for method in order],
            "t": [found[method].statistic for method in order],
            "p": p,
            "p_holm": p_holm,
            "rejected": p_holm <= alpha,
        }
    )
    result.attrs = {"control": best, "alpha": alpha}
    return result
