"""The figures printed in the paper, as reference data.

The tables of scores (15 data sets, nine methods, three metrics, in per cent) and
the three statistical tests. They are given exactly as printed, slips included:

- the p-value of the Friedman test for AvF ends in 0; its own table gives
  2.78811e-7;
- Holm's test prints "Rejected" for SVM (AvF, p = 0.03434) and SDC (CBA,
  p = 0.01822), although both exceed the printed threshold 0.0125;
- the Wilcoxon row of G-mean prints R+ = 70; the ranks add up to 70.5.
"""

import json
from importlib.resources import files
from typing import Any

import pandas as pd

__all__ = ["METRICS", "load_scores", "load_tests"]

METRICS = ("g_mean", "av_f_beta", "cba")


def load_scores(metric: str) -> pd.DataFrame:
    """Load the paper's scores in per cent, a row per data set, a column per method.

    Parameters
    ----------
    metric : {"g_mean", "av_f_beta", "cba"}
        Which of the three tables.

    Examples
    --------
    >>> from isvmde.published import load_scores
    >>> load_scores("g_mean").loc["glass", ["SVM", "SDC"]].tolist()
    [51.88, 62.58]
    """
    if metric not in METRICS:
        raise ValueError(
            f"The paper has no table for metric {metric!r}; "
            f"choose one of {', '.join(METRICS)}."
        )
    with (files(__name__) / "scores.csv").open(encoding="utf-8") as file:
        table = pd.read_csv(file, index_col="dataset")
    return table[table["metric"] == metric].drop(columns="metric")


def load_tests() -> dict[str, Any]:
    """Load the paper's three tables of statistical tests.

    ``"friedman_aligned"``, ``"holm"`` and ``"wilcoxon_max_vs_ave"``, each with an entry
    per metric; ``"rejected"`` under ``"holm"`` lists the methods printed as rejected.

    Examples
    --------
    >>> from isvmde.published import load_tests
    >>> load_tests()["friedman_aligned"]["cba"]["statistic"]
    51.51837
    """
    text = (files(__name__) / "tests.json").read_text(encoding="utf-8")
    numbers: dict[str, Any] = json.loads(text)
    return numbers
