"""From decisions on rows left out to the weights of the settings, pair by pair.

What is better by chance must not win. So a weight is the mean over many draws, each of
which sees another half of the rows (half-samples have the noise of a bootstrap), and
what a row itself is told is averaged with the weights of draws that did not see it.
Only the width of the weights, a number per pair, is that of all draws.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..training_set import TrainingSet

N_BLOCKS = 16  # that rows are dealt among; a draw sees half of them
N_DRAWS = 32
_CHUNK = 20_000  # decisions that are averaged at a time


@dataclass(frozen=True)
class Tuning:
    """The numbers of the method; results are flat around all of them."""

    temperature: float = 3.0  # sharpness t of the error 1/(1 + exp(t y f))
    shrinkage: float = 5.0  # kappa: samples that the other pairs' opinion counts as
    width: float = 0.02  # tau: difference of error that makes a weight smaller by e
    penalty: float = 8.0  # on a pair's distance from the calibration of all pairs
    common: float = 1.0  # on the distance of that from a plain SVM's
    dropped: float = 0.1  # summed weight of the machines that a pair can do without


class Judges(NamedTuple):
    """Rows that judge machines: once for every pair that their class is in.

    Entries are sorted by pair, those of its first class, +, before those of -.
    """

    row: Ints  # (C,) of the training set
    pair: Ints  # (C,)
    is_plus: Bools  # (C,)
    weight: Floats  # (C,)
    part: Ints  # (C,) whose relevance does not know the row
    block: Ints  # (C,)
    n_pairs: int


class BlockErrors(NamedTuple):
    """Sums of weighted errors of every pair, side (+, -) and block."""

    of_all: Floats  # (pairs, 2, blocks) of the mean machine
    weight: Floats  # (pairs, 2, blocks)
    beyond: Floats  # (settings, pairs, 2, blocks) of a setting, less the mean machine's
    known_weight: Floats  # (settings, pairs, 2, blocks) of rows that may judge it


def list_judges(
    data: TrainingSet, pairs: Ints, rows: Ints, part: Ints, block: Ints
) -> Judges:
    """List what rows, ascending, judge; ``part`` and ``block`` are of all rows."""
    is_judge = np.zeros(len(data.X), dtype=bool)
    is_judge[rows] = True
    of_pairs, is_plus = [], []
    for plus, minus in pairs:
        for c in (plus, minus):
            own = np.arange(data.class_start[c], data.class_start[c + 1])
            of_pairs.append(own[is_judge[own]])
            is_plus.append(np.full(len(of_pairs[-1]), c == plus))
    sizes = [
        len(of_pairs[k]) + len(of_pairs[k + 1]) for k in range(0, len(of_pairs), 2)
    ]
    row = np.concatenate(of_pairs)
    return Judges(
        row=row,
        pair=np.repeat(np.arange(len(pairs)), sizes),
        is_plus=np.concatenate(is_plus),
        weight=data.weight[row],
        part=part[row],
        block=block[row],
        n_pairs=len(pairs),
    )


def errors_of(t: Floats, judges: Judges, temperature: float) -> Floats:
    """Return 1/(1 + exp(temperature y f)) of decisions t = tanh f, (settings, C)."""
    f = np.arctanh(np.clip(t, -1.0 + 1e-15, 1.0 - 1e-15))
    y = np.where(judges.is_plus, 1.0, -1.0)
    # 1/(1 + exp(z)) = (1 - tanh(z/2))/2, which never overflows
    return np.asarray(0.5 - 0.5 * np.tanh((0.5 * temperature) * y * f))


def sum_by_block(error: Floats, judges: Judges, setting_part: Ints) -> BlockErrors:
    """Add errors (settings, C) up by pair, side and block.

    A setting of part k >= 0 is judged by the rows of this part alone; what all may
    judge has the part -1. Differences from the mean machine, on the same rows, do not
    depend on how hard the rows of a part are.
    """
    may_judge = (setting_part[:, None] < 0) | (setting_part[:, None] == judges.part)
    known = may_judge * judges.weight
    n_known = may_judge.sum(axis=0)
    mean = np.where(may_judge, error, 0.0).sum(axis=0) / np.maximum(n_known, 1)
    cell = (2 * judges.pair + ~judges.is_plus) * N_BLOCKS + judges.block
    order = np.argsort(cell, kind="stable")
    cells, first = np.unique(cell[order], return_index=True)

    def summed(values: Floats) -> Floats:
        """Sum values on the last axis in every cell."""
        sums = np.zeros((*values.shape[:-1], 2 * judges.n_pairs * N_BLOCKS))
        sums[..., cells] = np.add.reduceat(values[..., order], first, axis=-1)
        return sums.reshape(*values.shape[:-1], judges.n_pairs, 2, N_BLOCKS)

    return BlockErrors(
        of_all=summed(judges.weight * mean),
        weight=summed(judges.weight),
        beyond=summed(known * (error - mean)),
        known_weight=summed(known),
    )


def balanced_errors(sums: BlockErrors, present: Bools) -> Floats:
    """Return the class-balanced error of every setting in every draw.

    ``present`` (draws, blocks); the result is (draws, settings, pairs). Where no row of
    a side is present a pair says nothing: the other side alone would praise machines
    that always decide for it.
    """
    shown = present.astype(float)
    weight = np.einsum("bk,pck->bpc", shown, sums.weight)
    mean = np.einsum("bk,pck->bpc", shown, sums.of_all) / np.maximum(weight, 1e-300)
    # einsum with two operands, not BLAS, whose last digits depend on its threads
    known = np.einsum("bk,spck->bspc", shown, sums.known_weight)
    beyond = np.einsum("bk,spck->bspc", shown, sums.beyond)
    beyond = np.divide(beyond, known, out=np.zeros_like(beyond), where=known > 0.0)
    error = 0.5 * (mean[:, None] + beyond).sum(axis=-1)
    says_something = (weight > 0.0).all(axis=-1)
    return np.where(says_something[:, None], error, 0.5)


def shrunk(error: Floats, size: Floats, kappa: float) -> Floats:
    """Return errors (..., settings, pairs), moved towards what the other pairs say."""
    # A class of few samples hardly says which setting is good. With e the error less
    # its mean over settings: e~ = (n_p e + kappa mean_p e) / (n_p + kappa).
    e = error - error.mean(axis=-2, keepdims=True)
    opinion = (e * size).sum(axis=-1, keepdims=True) / size.sum()
    return np.asarray((size * e + kappa * opinion) / (size + kappa))


def softmin(error: Floats, tau: Floats | float) -> Floats:
    """Return weights (..., settings, pairs) ~ exp(-error / tau) that sum to 1."""
    weight = np.exp((error.min(axis=-2, keepdims=True) - error) / tau)
    return np.asarray(weight / weight.sum(axis=-2, keepdims=True))


class DrawnWeights(NamedTuple):
    """Weights of the settings, (settings, pairs)."""

    of_all: Floats  # mean over all draws
    without_block: Floats  # (blocks, settings, pairs) over draws without the block


def draw_weights(
    sums: BlockErrors, present: Bools, size: Floats, usable: Bools, tuning: Tuning
) -> DrawnWeights:
    """Weigh settings in every draw, and average over draws.

    ``size`` (pairs,) is the weight of the smaller class of every pair. What is not
    ``usable`` (settings, pairs) gets no weight where a pair has anything else.
    """
    error = shrunk(balanced_errors(sums, present), size, tuning.shrinkage)
    # Differences smaller than their own noise, which is that between half-samples, are
    # no reason to prefer a setting.
    noise = np.sqrt(error.var(axis=0).mean(axis=0))
    width = np.sqrt(tuning.width**2 + noise**2)
    allowed = usable | ~usable.any(axis=0)
    drawn = softmin(np.where(allowed, error, np.inf), width)
    absent = (~present).astype(float)
    without = np.einsum("bk,bsp->ksp", absent, drawn)
    return DrawnWeights(
        of_all=drawn.mean(axis=0),
        without_block=without / absent.sum(axis=0)[:, None, None],
    )


def without_smallest(weight: Floats, dropped: float) -> Floats:
    """Return weights (..., settings, pairs) without the smallest ones.

    What is left out of a pair adds up to at most ``dropped``; the rest sums to 1.
    """
    order = np.argsort(-weight, axis=-2, kind="stable")
    descending = np.take_along_axis(weight, order, axis=-2)
    so_far = np.cumsum(descending, axis=-2) - descending
    kept = np.where(so_far < 1.0 - dropped, descending, 0.0)
    result = np.empty_like(weight)
    np.put_along_axis(result, order, kept, axis=-2)
    return np.asarray(result / result.sum(axis=-2, keepdims=True))


def heaviest(weight: Floats, most: int) -> Ints:
    """Return the settings, ascending, with most weight in (settings, pairs)."""
    order = np.argsort(-weight.mean(axis=1), kind="stable")
    return np.sort(order[:most])


def for_parts(weight: Floats, setting_part: Ints, n_parts: int) -> Floats:
    """Return the weights with which rows of every part are averaged.

    Rows of a part may be told only by settings that all may judge (part -1) and by
    those of their own part, which stand in for those of the others: the share of both
    kinds stays what it is. (..., settings, pairs) becomes
    (parts, ..., settings, pairs).
    """
    result = []
    is_common = setting_part[:, None] < 0
    restricted = np.where(is_common, 0.0, weight).sum(axis=-2, keepdims=True)
    for part in range(n_parts):
        own = np.where(setting_part[:, None] == part, weight, 0.0)
        total = own.sum(axis=-2, keepdims=True)
        scale = np.divide(
            restricted, total, out=np.zeros_like(total), where=total > 0.0
        )
        told = np.where(is_common, weight, own * scale)
        whole = told.sum(axis=-2, keepdims=True)
        result.append(np.divide(told, whole, out=told, where=whole > 0.0))
    return np.array(result)


def average_decisions(t: Floats, judges: Judges, weight: Floats) -> Floats:
    """Return sum_s w_s t_s of every judge, (C,).

    ``weight`` (parts, blocks, settings, pairs) depends on who is told.
    """
    mean = np.empty(t.shape[1])
    for first in range(0, len(mean), _CHUNK):
        some = slice(first, first + _CHUNK)
        own = weight[judges.part[some], judges.block[some], :, judges.pair[some]]
        mean[some] = np.einsum("cs,sc->c", own, t[:, some])
    return mean
