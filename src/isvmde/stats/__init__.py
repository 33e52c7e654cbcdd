"""Statistical comparison of methods over data sets.

All take a table, data sets in rows, methods in columns, higher scores being better::

    friedman_aligned(scores)              # do the methods differ at all?
    holm_test(scores)                     # which of them differ from the best?
    wilcoxon_signed_rank(a, b)            # do these two differ?
    effect_sizes(scores)                  # and by how much?

On a single data set, over the folds of a repeated cross-validation::

    corrected_resampled_t(a, b, folds=5)  # do these two differ?
    resampled_holm(scores, folds=5)       # which of them differ from the best?

All are correct by default; the paper's own choices can be asked for by name.
"""

from .aligned import FriedmanAlignedResult, effect_sizes, friedman_aligned, holm_test
from .paired import (
    ResampledTResult,
    WilcoxonResult,
    corrected_resampled_t,
    resampled_holm,
    wilcoxon_signed_rank,
)

__all__ = [
    "FriedmanAlignedResult",
    "ResampledTResult",
    "WilcoxonResult",
    "corrected_resampled_t",
    "effect_sizes",
    "friedman_aligned",
    "holm_test",
    "resampled_holm",
    "wilcoxon_signed_rank",
]
