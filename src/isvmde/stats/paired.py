"""Comparison of two methods, over data sets or folds, and what all tests share."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.stats import norm, rankdata
from scipy.stats import t as student_t

Floats = npt.NDArray[np.float64]
Scores = pd.DataFrame | npt.ArrayLike  # data sets in rows, methods in columns


@dataclass(frozen=True)
class WilcoxonResult:
    """Outcome of `wilcoxon_signed_rank`.

    Attributes
    ----------
    r_plus, r_minus : float
        Sum of ranks of the data sets on which the first, the second is better.
    pvalue : float
        Two-sided; 1 if the methods never differ.
    n, n_zero : int
        Data sets with a difference, and without one, which are left out.
    names : tuple of str
        What was compared.
    """

    r_plus: float
    r_minus: float
    pvalue: float
    n: int
    n_zero: int
    names: tuple[str, str]

    @property
    def rank_biserial(self) -> float:
        """Effect size (R+ - R-) / (R+ + R-): 1 if the first always wins, -1 never."""
        total = self.r_plus + self.r_minus
        return (self.r_plus - self.r_minus) / total if total else 0.0

    def __str__(self) -> str:
        return (
            f"Wilcoxon signed ranks, {' vs. '.join(self.names)}: R+ = {self.r_plus:g}, "
            f"R- = {self.r_minus:g}, p = {self.pvalue:.3g} "
            f"(n = {self.n}, {self.n_zero} without a difference left out)"
        )


def wilcoxon_signed_rank(
    a: npt.ArrayLike | pd.Series, b: npt.ArrayLike | pd.Series, *, mode: str = "exact"
) -> WilcoxonResult:
    """Test whether two methods differ over the same data sets.

    Parameters
    ----------
    a, b : array-like of shape (n data sets,)
        Scores, higher is better; columns of a DataFrame are matched by their index.
    mode : {"exact", "paper"}, default="exact"
        "exact" counts all 2^n signs of the ranks as they are, ties included.
        "paper" repeats what the paper's software did: a sum R+ that is not a whole
        number is cut down to one and ties are ignored; if any difference is zero or
        there are more than 25, it uses the normal approximation.

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
    x, y = check_pair(a, b)
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
    else:  # sum r^2 / 4 is the variance of R+ and holds with ties as well
        spread = np.sqrt((ranks**2).sum() / 4)
        z = (r_plus - ranks.sum() / 2) / spread if len(d) else 0.0
        p = float(2 * norm.sf(abs(z)))
    names = (str(getattr(a, "name", None) or "a"), str(getattr(b, "name", None) or "b"))
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


@dataclass(frozen=True)
class ResampledTResult:
    """Outcome of `corrected_resampled_t`.

    Attributes
    ----------
    difference, standard_error : float
        Mean score of the first less that of the second, and its corrected error.
    statistic, pvalue, df
        Student's t, its two-sided p-value and its degrees of freedom.
    """

    difference: float
    statistic: float
    pvalue: float
    df: int
    standard_error: float


def corrected_resampled_t(
    a: npt.ArrayLike, b: npt.ArrayLike, *, folds: int
) -> ResampledTResult:
    r"""Test whether two methods differ on one data set, over repeated folds.

    The training parts of a cross-validation overlap, so its scores are not independent
    and the usual t-test finds differences where there are none. Nadeau and Bengio
    (Inference for the generalization error. Machine Learning 52 (2003) 239-281) replace
    the variance :math:`s^2/J` of the mean of J differences by
    :math:`(1/J + n_{test}/n_{train}) s^2`, with k folds :math:`(1/J + 1/(k-1)) s^2`.

    Parameters
    ----------
    a, b : array-like of shape (J,)
        Scores of two methods on the same folds of the same repeats.
    folds : int
        Number of folds of a repeat.

    Examples
    --------
    >>> from isvmde.stats import corrected_resampled_t
    >>> a = [0.8, 0.7, 0.9, 0.8, 0.8]
    >>> b = [0.7, 0.7, 0.8, 0.6, 0.7]
    >>> print(f"{corrected_resampled_t(a, b, folds=5).pvalue:.3f}")
    0.103
    """
    if folds < 2:
        raise ValueError(f"folds must be at least 2; got {folds!r}.")
    first, second = check_pair(np.asarray(a), np.asarray(b))
    # Differences of equal decimals, such as 0.3 - 0.2 and 0.2 - 0.1, are equal.
    gaps = np.round(first - second, 12)
    n, mean = len(gaps), float(gaps.mean())
    error = float(np.sqrt((1 / n + 1 / (folds - 1)) * gaps.var(ddof=1)))
    constant = float(np.sign(mean)) * np.inf if mean else 0.0
    statistic = mean / error if error > 0 else constant
    p = float(2 * student_t.sf(abs(statistic), n - 1))
    return ResampledTResult(mean, statistic, p, n - 1, error)


def resampled_holm(
    scores: Scores, *, folds: int, control: Hashable | None = None, alpha: float = 0.05
) -> pd.DataFrame:
    """Test on one data set which methods differ from a control.

    Parameters
    ----------
    scores : DataFrame of shape (repeats x folds, methods)
        Higher is better; a row per fold of each repeat.
    folds : int
        Number of folds of a repeat.
    control, alpha
        As in `holm_test`; by default the control is the method with the best mean.

    Returns
    -------
    DataFrame
        As from `holm_test`, without ``alpha_i`` and the mean ranks, and for ``z`` the
        ``difference``, the control's mean less the method's, and its ``t``.

    Examples
    --------
    >>> from isvmde.stats import resampled_holm
    >>> scores = {"A": [0.8, 0.7, 0.9, 0.8, 0.8], "B": [0.7, 0.7, 0.8, 0.6, 0.7]}
    >>> resampled_holm(pd.DataFrame(scores), folds=5).round(3)
      method  difference      t      p  p_holm  rejected
    0      B         0.1  2.108  0.103   0.103     False
    """
    table = check_scores(scores)
    best = pick_control(-table.mean(), control)
    rows = []
    for method in table.columns.drop(best):
        test = corrected_resampled_t(table[best], table[method], folds=folds)
        rows.append((method, test.difference, test.statistic, test.pvalue))
    result = pd.DataFrame(rows, columns=["method", "difference", "t", "p"])
    result = result.sort_values("p", kind="stable", ignore_index=True)
    result["p_holm"], result["rejected"] = holm_step_down(result["p"], alpha)
    result.attrs = {"control": best, "alpha": alpha}
    return result


def check_scores(scores: Scores) -> pd.DataFrame:
    """Return the scores as a complete table of floats, or say what is wrong."""
    if np.ndim(scores) != 2 or min(np.shape(scores)) < 2:
        raise ValueError(
            "Give the scores as a table with at least 2 data sets in rows and 2 "
            f"methods in columns; got shape {np.shape(scores)}."
        )
    given = scores if isinstance(scores, pd.DataFrame) else np.asarray(scores)
    table = pd.DataFrame(given)
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"Two columns are called {twice!r}; rename one of them.")
    try:
        table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Every cell of the table must be a number; move names of data sets into "
            f"the index ({error})."
        ) from error
    bad = np.argwhere(~np.isfinite(table.to_numpy()))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{len(bad)} cell(s) of the table are missing or infinite, the first at "
            f"data set {table.index[row]!r}, method {table.columns[column]!r}; "
            "fill them in or drop the data set."
        )
    return table


def check_pair(a: Any, b: Any) -> tuple[Floats, Floats]:
    """Return the scores of two methods, matched by the index if they have one."""
    try:
        table = check_scores(pd.DataFrame({"a": a, "b": b}))
    except ValueError as error:
        raise ValueError(
            "a and b must be two lists of equal length, or columns over the same data "
            f"sets: {error}"
        ) from error
    return table["a"].to_numpy(), table["b"].to_numpy()


def without_float_noise(values: Floats, scores: npt.ArrayLike) -> Floats:
    """Round differences to 11 digits of the largest score: equal decimals tie."""
    largest = float(np.max(np.abs(np.asarray(scores)), initial=0.0))
    if largest == 0:
        return values
    unit = 10.0 ** (np.ceil(np.log10(largest)) - 11)
    return np.asarray(np.rint(values / unit) * unit)


def pick_control(mean_ranks: "pd.Series[float]", control: Hashable | None) -> Any:
    """Return the control's name: the given one, or the best mean rank."""
    if control is None:
        return mean_ranks.idxmin()
    if control not in mean_ranks.index:
        raise ValueError(
            f"control={control!r} is not a column of the table; "
            f"choose one of {', '.join(map(str, mean_ranks.index))}."
        )
    return control


def holm_step_down(p: npt.ArrayLike, alpha: float) -> tuple[Floats, npt.NDArray[Any]]:
    """Adjust ascending p-values by Holm's procedure and say which are rejected."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
    left = np.arange(np.size(p), 0, -1)  # hypotheses not yet decided
    adjusted = np.minimum(1.0, np.maximum.accumulate(left * np.asarray(p)))
    return adjusted, adjusted <= alpha
