"""Wilcoxon's signed-rank test, which asks if two methods differ."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm, rankdata

from isvmde.stats.rendering import ResultTable, format_p
from isvmde.stats.score_table import Floats, check_scores, without_float_noise

Scores = npt.ArrayLike | pd.Series


@dataclass(frozen=True)
class WilcoxonResult:
    """Outcome of `wilcoxon_signed_rank`.

    Attributes
    ----------
    r_plus, r_minus : float
        Sum of ranks of the data sets on which the first, the second is better.
    pvalue : float
        Two-sided.
    n : int
        Data sets with a difference.
    n_zero : int
        Data sets without one, left out.
    names : tuple of str
        What was compared.
    """

    r_plus: float
    r_minus: float
    pvalue: float
    n: int
    n_zero: int
    names: tuple[str, str] = ("a", "b")

    @property
    def rank_biserial(self) -> float:
        """Effect size (R+ - R-) / (R+ + R-): 1 if the first always wins, -1 never."""
        total = self.r_plus + self.r_minus
        return (self.r_plus - self.r_minus) / total if total else 0.0

    def to_frame(self) -> ResultTable:
        """Return the result as a table of one row."""
        return ResultTable(
            {
                "comparison": [" vs. ".join(self.names)],
                "R+": [self.r_plus],
                "R-": [self.r_minus],
                "p": [self.pvalue],
            }
        )

    def to_markdown(self) -> str:
        """Return the result as a Markdown table."""
        return self.to_frame().to_markdown()

    def to_latex(self) -> str:
        """Return the result as a LaTeX table."""
        return self.to_frame().to_latex()

    def __str__(self) -> str:
        zeros = f", {self.n_zero} without a difference left out" * (self.n_zero > 0)
        return (
            f"Wilcoxon signed ranks, {' vs. '.join(self.names)}: "
            f"R+ = {self.r_plus:g}, R- = {self.r_minus:g}, "
            f"p = {format_p(self.pvalue)} (n = {self.n}{zeros})"
        )


def wilcoxon_signed_rank(
    a: Scores, b: Scores, *, mode: str = "exact"
) -> WilcoxonResult:
    """Test whether two methods differ over the same data sets.

    Data sets on which both score the same are left out.

    Parameters
    ----------
    a, b : array-like of shape (n data sets,)
        Scores of the two methods, higher is better; columns of a DataFrame are
        matched by their index.
    mode : {"exact", "paper"}, default="exact"
        "exact" counts all 2^n signs of the ranks as they are, ties included.
        "paper" repeats what the paper's software did: a sum R+ that is no whole
        number is cut down to one and ties are ignored; if any difference is zero or
        there are more than 25, it uses the normal approximation.

    Returns
    -------
    WilcoxonResult
        ``r_plus``, ``r_minus``, ``pvalue``; prints as text and as Markdown and
        LaTeX. If the methods never differ the p-value is 1.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import wilcoxon_signed_rank
    >>> scores = load_scores("g_mean")
    >>> print(wilcoxon_signed_rank(scores["i-SVM-DE-MAX"], scores["i-SVM-DE-AVE"]))
    Wilcoxon signed ranks, i-SVM-DE-MAX vs. i-SVM-DE-AVE: R+ = 70.5, ...
    """
    if mode not in ("exact", "paper"):
        raise ValueError(f'mode must be "exact" or "paper"; got {mode!r}.')
    x, y, names = _check_pair(a, b)
    d = x - y
    if mode == "exact":
        d = without_float_noise(d, [x, y])
    n_zero = int((d == 0).sum())
    d = d[d != 0]
    ranks = rankdata(np.abs(d))
    r_plus, r_minus = float(ranks[d > 0].sum()), float(ranks[d < 0].sum())
    if mode == "exact":
        p = _exact_p(ranks, r_plus)
    elif n_zero == 0 and len(d) <= 25:
        r_plus = float(int(r_plus))
        p = _exact_p(np.arange(1.0, len(d) + 1), r_plus)
    else:
        p = _normal_p(ranks, r_plus)
    return WilcoxonResult(r_plus, r_minus, p, len(d), n_zero, names)


def _exact_p(ranks: Floats, r_plus: float) -> float:
    """Two-sided p of R+ when every sign of every rank is equally likely."""
    doubled = np.rint(2 * ranks).astype(int)  # mean ranks of ties are halves
    chance = np.zeros(doubled.sum() + 1)
    chance[0] = 1.0
    for rank in doubled:
        chance[rank:] = (chance[rank:] + chance[: len(chance) - rank]) / 2
        chance[:rank] /= 2
    at = round(2 * r_plus)
    return float(min(1.0, 2 * min(chance[: at + 1].sum(), chance[at:].sum())))


def _normal_p(ranks: Floats, r_plus: float) -> float:
    """Two-sided p by the normal approximation, without continuity correction."""
    if len(ranks) == 0:
        return 1.0
    # sum r^2 / 4 is the variance of R+ and holds with ties as well.
    z = (r_plus - ranks.sum() / 2) / np.sqrt((ranks**2).sum() / 4)
    return float(2 * norm.sf(abs(z)))


def _check_pair(a: Scores, b: Scores) -> tuple[Floats, Floats, tuple[str, str]]:
    """Return both methods' scores in the same order of data sets, and their names."""
    try:
        table = check_scores(pd.DataFrame({"a": a, "b": b}))  # matched by the index
    except ValueError as error:
        raise ValueError(
            "a and b must be two lists of equal length, or columns over the same data "
            f"sets: {error}"
        ) from error
    names = (str(getattr(a, "name", None) or "a"), str(getattr(b, "name", None) or "b"))
    return table["a"].to_numpy(), table["b"].to_numpy(), names
