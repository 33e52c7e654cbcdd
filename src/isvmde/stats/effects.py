"""How large a difference is, beside whether it is significant."""

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt
import pandas as pd

from isvmde.stats.aligned import aligned_ranks
from isvmde.stats.rendering import ResultTable
from isvmde.stats.score_table import pick_control, without_float_noise
from isvmde.stats.wilcoxon import wilcoxon_signed_rank


def effect_sizes(
    scores: pd.DataFrame | npt.ArrayLike,
    *,
    control: Hashable | None = None,
    ties: str = "float",
) -> ResultTable:
    """Measure how far each method is from a control.

    Parameters
    ----------
    scores, control, ties
        As in `holm_test`.

    Returns
    -------
    DataFrame
        A row per method other than the control, in the order of the mean aligned
        ranks: ``method``; ``rank_difference``, its mean aligned rank less the
        control's; ``score_difference``, the control's mean score less its own;
        ``wins``, ``ties``, ``losses`` of the control against it, in data sets;
        ``rank_biserial`` from -1 (it is always better) to 1 (the control is).

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> from isvmde.stats import effect_sizes
    >>> table = effect_sizes(load_scores("cba"), control="i-SVM-DE-AVE")
    >>> table[table["method"] == "SVM"][["wins", "ties", "losses"]].values.tolist()
    [[9, 0, 6]]
    """
    table, _, ranks = aligned_ranks(scores, ties=ties)
    control_name = pick_control(ranks, control)
    best = table[control_name]
    rows = []
    for method in ranks.drop(control_name).sort_values(kind="stable").index:
        difference = (best - table[method]).to_numpy()
        sign = np.sign(without_float_noise(difference, table[[control_name, method]]))
        rows.append(
            {
                "method": method,
                "rank_difference": ranks[method] - ranks[control_name],
                "score_difference": float(difference.mean()),
                "wins": int((sign > 0).sum()),
                "ties": int((sign == 0).sum()),
                "losses": int((sign < 0).sum()),
                "rank_biserial": wilcoxon_signed_rank(
                    best, table[method]
                ).rank_biserial,
            }
        )
    result = ResultTable(rows)
    result.attrs = {"control": control_name}
    return result
