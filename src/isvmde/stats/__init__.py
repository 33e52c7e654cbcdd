r"""Statistical comparison of methods over data sets.

All tests take a table with data sets in rows and methods in columns, higher scores
being better::

    friedman_aligned(scores)              # do the methods differ at all?
    holm_test(scores)                     # which of them differ from the best?
    wilcoxon_signed_rank(a, b)            # do these two differ?
    effect_sizes(scores)                  # and by how much?

On a single data set, over the folds of a repeated cross-validation::

    corrected_resampled_t(a, b, folds=5)  # do these two differ?
    resampled_holm(scores, folds=5)       # which of them differ from the best?

Correct by default; the paper's numbers on request
--------------------------------------------------
Three of the paper's choices are available only by name, to reproduce its tables.

``holm_test(se="paper")``. Holm's test divides the difference of two mean ranks by
its standard error. Aligned ranks run from 1 to k n, because all scores are ranked
as one list (135 ranks for 9 methods on 15 data sets). A rank drawn from 1..N has the
variance (N + 1)(N - 1)/12, so that the difference of two means over n data sets has
a standard error close to :math:`\sqrt{k(kn+1)/6}`, here 14.28. The paper, like
some textbooks, prints :math:`\sqrt{k(n+1)/6}`, here 4.90: as if the ranks ran to n
only. Shuffling the published ranks within each data set gives 13.81, 12.88 and
12.90 for the three metrics. So the printed form is too small by a factor of 2.6 to
2.9 and every z is too large by as much: a p-value of 0.055 (PPSVM, AvF) is printed
as 2e-8.

What that does to the paper's conclusions: it calls five methods significantly
worse than the best for each metric. With the correct standard error two remain:
NBSVM and PPSVM for G-mean (control SDC), NBSVM and WK-SMOTE for AvF and for CBA
(control i-SVM-DE-AVE). Nothing else can be told apart on these 15 data sets.

``wilcoxon_signed_rank(mode="paper")`` cuts a rank sum of 70.5 down to 70 and
changes to a normal approximation at the first tie with zero. The default is exact,
with ties.

``ties="float"``, the default, lets two aligned scores share a rank if they are the
same double, as in the paper; ``ties="rounded"`` also ties decimals that differ by
rounding noise. On the published tables the statistic changes by 0.05 at most.

A Bayesian signed-rank test is not part of this module; the package ``baycomp`` has
one that takes the same two columns.
"""

from isvmde.stats.aligned import FriedmanAlignedResult, friedman_aligned
from isvmde.stats.effects import effect_sizes
from isvmde.stats.holm import holm_test
from isvmde.stats.rendering import ResultTable
from isvmde.stats.resampled import (
    ResampledTResult,
    corrected_resampled_t,
    resampled_holm,
)
from isvmde.stats.wilcoxon import WilcoxonResult, wilcoxon_signed_rank

__all__ = [
    "FriedmanAlignedResult",
    "ResampledTResult",
    "ResultTable",
    "WilcoxonResult",
    "corrected_resampled_t",
    "effect_sizes",
    "friedman_aligned",
    "holm_test",
    "resampled_holm",
    "wilcoxon_signed_rank",
]
