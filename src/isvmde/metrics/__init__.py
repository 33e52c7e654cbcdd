"""Scores for several classes of very different size (section 4.3 of the paper).

Every score lies in [0, 1] and gives a rare class the weight of a frequent one.
A fold may lack a class altogether; nothing can be said of such a class, so it is
left out of the mean rather than counted as zero:

- G-mean runs over the classes with samples in ``y_true``;
- AvF and CBA also run over classes that were predicted without being there: each
  such prediction is an error, and the class scores 0.
"""

from .report import ImbalanceReport, imbalance_report
from .scores import (
    av_f_beta_score,
    av_f_beta_scorer,
    cba_score,
    cba_scorer,
    g_mean_score,
    g_mean_scorer,
)

__all__ = [
    "ImbalanceReport",
    "av_f_beta_score",
    "av_f_beta_scorer",
    "cba_score",
    "cba_scorer",
    "g_mean_score",
    "g_mean_scorer",
    "imbalance_report",
]
