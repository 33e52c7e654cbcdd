"""Seven genes a pair (paper, 3.3.1), and what they mean.

A genome is the concatenation over all pairs of C+, C-, lambda1, lambda2, the kernel's
type, sigma and d, real numbers all; the type and d are decoded by rounding down, which
gives every value the same share of its range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .kernels import KERNEL_NAMES, KERNELS, SMALLEST_SIGMA
from .pair_model import _DEGENERATE, PairSettings
from .solver import LINEAR, POLY, RBF

GENES = ("C_pos", "C_neg", "margin_pos", "margin_neg", "kernel", "sigma", "degree")
N_GENES = len(GENES)
_OF_THE_KERNEL = (4, 5, 6)
_OF_THE_PAIR = (0, 1, 2, 3)


@dataclass(frozen=True)
class Ranges:
    """Where the genes may lie; the defaults are the paper's Table 2."""

    C: float = 1000.0
    kernels: tuple[str, ...] = ("linear", "rbf", "poly")
    sigma: tuple[float, float] = (0.0, 100.0)
    degree: tuple[int, int] = (1, 5)
    cost: tuple[float, float] = (0.0, 1.0)
    margin: tuple[float, float] = (0.0, 1.0)

    @property
    def kernel_codes(self) -> list[int]:
        """Codes of all kernels to choose from."""
        return [KERNELS[name] for name in self.kernels]


@dataclass(frozen=True)
class Decoded:
    """Genes of any number of i-SVMs as the arrays the solver and the fitness need.

    ``scale`` and ``shift`` are A and c of f = A f_std + c; ``key`` holds kernel code,
    kernel parameter, U+/A and U-/A: i-SVMs with the same key share one solution.
    """

    genes: np.ndarray  # (..., 7), decoded values
    scale: np.ndarray
    shift: np.ndarray
    valid: np.ndarray
    key: np.ndarray  # (..., 4)

    def of_pair(self, p: int) -> Decoded:
        """Return the column of one pair of a population."""
        return Decoded(
            self.genes[:, p],
            self.scale[:, p],
            self.shift[:, p],
            self.valid[:, p],
            self.key[:, p],
        )


class Encoding:
    """Between genomes (rows of real numbers) and the settings of all pairs.

    ``share`` None gives every pair its seven genes; "kernel" gives all pairs one
    kernel (three genes, first in the genome) and each its four costs and margins;
    "all" gives all pairs the same seven.
    """

    def __init__(self, ranges: Ranges, n_pairs: int, share: str | None = None) -> None:
        self.ranges, self.n_pairs, self.share = ranges, n_pairs, share
        bounds = np.array(
            [
                ranges.cost,
                ranges.cost,
                ranges.margin,
                ranges.margin,
                (0, len(ranges.kernel_codes)),
                ranges.sigma,
                (ranges.degree[0], ranges.degree[1] + 1),
            ],
            dtype=float,
        )
        if share == "all":
            chosen = np.arange(N_GENES)
        elif share == "kernel":
            chosen = np.concatenate([_OF_THE_KERNEL, np.tile(_OF_THE_PAIR, n_pairs)])
        else:
            chosen = np.tile(np.arange(N_GENES), n_pairs)
        self.lower, self.upper = bounds[chosen, 0], bounds[chosen, 1]

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return the seven genes of every pair, (..., n_pairs, 7)."""
        lead = genomes.shape[:-1]
        shape = (*lead, self.n_pairs, N_GENES)
        if self.share == "all":
            return np.broadcast_to(genomes[..., None, :], shape)
        if self.share == "kernel":
            genes = np.empty(shape)
            genes[..., list(_OF_THE_KERNEL)] = genomes[..., None, :3]
            genes[..., list(_OF_THE_PAIR)] = genomes[..., 3:].reshape(
                *lead, self.n_pairs, 4
            )
            return genes
        return genomes.reshape(shape)

    def decode(self, genes: np.ndarray) -> Decoded:
        """Return what genes (..., 7) mean."""
        ranges = self.ranges
        values = np.array(genes, dtype=float)
        # an upper bound can be met exactly: it belongs to the last value
        codes = np.array(ranges.kernel_codes)
        which = np.minimum(np.floor(values[..., 4]).astype(int), len(codes) - 1)
        values[..., 4] = codes[which]
        values[..., 5] = np.maximum(values[..., 5], SMALLEST_SIGMA)
        values[..., 6] = np.minimum(np.floor(values[..., 6]), ranges.degree[1])

        U = ranges.C * values[..., :2]
        scale = 0.5 * (values[..., 2] + values[..., 3])
        shift = 0.5 * (values[..., 2] - values[..., 3])
        valid = (scale >= _DEGENERATE) & (U.min(axis=-1) >= _DEGENERATE)
        kernel, degree = values[..., 4], values[..., 6]
        key = np.zeros((*scale.shape, 4))
        # 1 + x'z has the solution of x'z
        poly = (kernel == POLY) & (degree > 1)
        key[..., 0] = np.where((kernel == POLY) & ~poly, LINEAR, kernel)
        key[..., 1] = np.where(
            kernel == RBF, 0.5 / (values[..., 5] * values[..., 5]), 0.0
        )
        key[..., 1] = np.where(poly, degree, key[..., 1])
        divisor = np.where(valid, scale, 1.0)
        key[..., 2:] = np.where(valid[..., None], U / divisor[..., None], 0.0)
        return Decoded(values, scale, shift, valid, key)

    def settings(self, genes: np.ndarray) -> list[PairSettings]:
        """Return readable settings for the genes of every pair, (n_pairs, 7)."""
        return [
            PairSettings(
                C=float(self.ranges.C),
                C_pos=float(row[0]),
                C_neg=float(row[1]),
                margin_pos=float(row[2]),
                margin_neg=float(row[3]),
                kernel=KERNEL_NAMES[int(row[4])],
                sigma=float(row[5]),
                degree=int(row[6]),
            )
            for row in self.decode(genes).genes
        ]
