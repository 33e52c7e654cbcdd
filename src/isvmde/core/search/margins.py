"""Wider margins without another SVM.

The solution f_std of an i-SVM depends on its key alone: kernel, U+/A and U-/A. Margins
and costs that grow by the same factor keep the key, so f = A f_std + c is known for all
of them once one is solved. As long as more is right than wrong, a larger A has a better
fitness, and the ranges of margins and costs say how large A can be.

Equal margins would put samples midway between two classes, common in tables of whole
numbers, at f = 0 up to rounding: another machine may vote otherwise. So the margin of
the minus class ends a trace below its range, and such votes go to the plus class.
"""

from __future__ import annotations

import numpy as np

from .genome import COSTS, KEY_COSTS, MARGIN_NEG, MARGIN_POS, Decoded, Encoding

_WORTH = 1e-9  # relative growth of A below which nothing is tried
_TRIES = 64
_TRACE = 1e-6  # of the widest margin: far above rounding, far below what matters


def widest_margins(
    encoding: Encoding, genes: np.ndarray, decoded: Decoded
) -> np.ndarray:
    """Return genes (..., 7) of the same keys with the widest margins in range.

    ``decoded`` is what ``genes`` mean. The new genes decode to the keys of the old ones
    bit for bit: what was solved for the old genes is what the new ones stand for, and
    solving anew gives it again. Rounding rarely allows that for the very widest
    margins, so those a few units in the last place narrower are tried. Genes stay as
    they are where their margins are the widest, define no SVM, or nothing fits.
    """
    ranges = encoding.ranges
    widest_pos = ranges.margin[1]
    widest_neg = max(widest_pos * (1.0 - _TRACE), ranges.margin[0])
    dearest = np.where(decoded.valid, decoded.key[..., KEY_COSTS].max(axis=-1), 1.0)
    within_costs = ranges.C * ranges.cost[1] / dearest
    scale = np.minimum(0.5 * (widest_pos + widest_neg), within_costs)
    # c stays as it is as far as both margins A + c and A - c allow it
    shift = np.clip(decoded.shift, scale - widest_neg, widest_pos - scale)

    result = np.array(genes, dtype=float)
    left = np.argwhere(decoded.valid & (scale > (1.0 + _WORTH) * decoded.scale))
    for step in range(_TRIES):
        if not len(left):
            break
        cells = tuple(left.T)
        key = decoded.key[cells]
        trials = _of_margins(
            encoding, result[cells], key, scale[cells], shift[cells], step
        )
        same = (encoding.decode(trials).key == key[:, None]).swapaxes(1, 2)
        same = same[:, KEY_COSTS]
        found = same.any(axis=-1).all(axis=-1)  # a rounding of C+, and one of C-
        rows = np.flatnonzero(found)
        chosen = same[rows].argmax(axis=-1)
        new = trials[rows, 0]
        for j, cost in enumerate(COSTS):
            new[:, cost] = trials[rows, chosen[:, j], cost]
        result[tuple(left[found].T)] = new
        left = left[~found]
    return result


def _of_margins(
    encoding: Encoding,
    genes: np.ndarray,
    key: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    step: int,
) -> np.ndarray:
    """Return the genes of keys with given A and c, three roundings of costs each.

    ``genes`` is (cells, 7), the result (cells, 3, 7). ``step`` makes the larger margin
    as many units of its last place smaller.
    """
    large = (scale + np.abs(shift)) * (1.0 - step * np.finfo(float).eps)
    small = scale - np.abs(shift)
    large, small = np.clip([large, small], *encoding.ranges.margin)
    cost = key[:, KEY_COSTS] * (0.5 * (large + small) / encoding.ranges.C)[:, None]
    trials = np.repeat(genes[:, None], 3, axis=1)
    around = [np.nextafter(cost, -np.inf), cost, np.nextafter(cost, np.inf)]
    trials[..., COSTS] = np.clip(
        np.stack(around, axis=1), encoding.pair_lower[COSTS], encoding.pair_upper[COSTS]
    )
    positive = shift >= 0
    trials[..., MARGIN_POS] = np.where(positive, large, small)[:, None]
    trials[..., MARGIN_NEG] = np.where(positive, small, large)[:, None]
    return trials
