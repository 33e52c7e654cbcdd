"""Seven genes per pair (paper, 3.3.1), and what they mean.

A genome is the concatenation over all pairs of C+, C-, lambda1, lambda2, the kernel's
type, sigma and d, real numbers all; the type and d are decoded by rounding down, which
gives every value the same share of its range.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isvmde.core.dual import defines_svm, to_c_svc
from isvmde.core.kernels import (
    LARGEST_SIGMA,
    PAPER_KERNELS,
    SMALLEST_SIGMA,
    solver_codes,
)
from isvmde.core.pair_machine import PairSettings

GENES = ("C_pos", "C_neg", "margin_pos", "margin_neg", "kernel", "sigma", "degree")
N_GENES = len(GENES)
_NAMES = {code: name for name, code in PAPER_KERNELS.items()}
# Columns of the genes, and of groups of them
C_POS, C_NEG, MARGIN_POS, MARGIN_NEG, KERNEL, SIGMA, DEGREE = range(N_GENES)
COSTS = [C_POS, C_NEG]
_KERNEL_GENES = [KERNEL, SIGMA, DEGREE]
_PAIR_GENES = [C_POS, C_NEG, MARGIN_POS, MARGIN_NEG]
# Columns of a key: i-SVMs with the same key share one solution
KEY_KERNEL, KEY_PARAMETER, KEY_U_POS, KEY_U_NEG = range(4)
KEY_COSTS = [KEY_U_POS, KEY_U_NEG]


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
        return [PAPER_KERNELS[name] for name in self.kernels]


@dataclass(frozen=True)
class Decoded:
    """Genes of any number of i-SVMs as the arrays the solver and the fitness need.

    ``scale`` and ``shift`` are A and c of f = A f_std + c; ``key`` holds kernel code,
    kernel parameter, U+/A and U-/A: i-SVMs with the same key share one solution.
    Where ``valid`` is False the genes define no SVM, and the rest means nothing.
    """

    genes: np.ndarray  # (..., 7), decoded values
    scale: np.ndarray
    shift: np.ndarray
    valid: np.ndarray
    key: np.ndarray  # (..., 4)


class Encoding:
    """Between genomes (rows of real numbers) and the settings of all pairs.

    ``share`` None gives every pair its seven genes; "kernel" gives all pairs one
    kernel (three genes, first in the genome) and each its four costs and margins;
    "all" gives all pairs the same seven.
    """

    def __init__(self, ranges: Ranges, n_pairs: int, share: str | None = None) -> None:
        self.ranges, self.n_pairs, self.share = ranges, n_pairs, share
        bounds = {
            "C_pos": ranges.cost,
            "C_neg": ranges.cost,
            "margin_pos": ranges.margin,
            "margin_neg": ranges.margin,
            "kernel": (0, len(ranges.kernel_codes)),
            "sigma": ranges.sigma,
            "degree": (ranges.degree[0], ranges.degree[1] + 1),
        }
        # of the genes of one pair
        self.pair_lower, self.pair_upper = np.array(
            [bounds[name] for name in GENES], dtype=float
        ).T
        if share == "all":
            columns = np.arange(N_GENES)
        elif share == "kernel":
            columns = np.concatenate([_KERNEL_GENES, np.tile(_PAIR_GENES, n_pairs)])
        else:
            columns = np.tile(np.arange(N_GENES), n_pairs)
        self.lower, self.upper = self.pair_lower[columns], self.pair_upper[columns]

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return the seven genes of every pair, (..., n_pairs, 7)."""
        lead = genomes.shape[:-1]
        shape = (*lead, self.n_pairs, N_GENES)
        if self.share == "all":
            return np.broadcast_to(genomes[..., None, :], shape)
        if self.share == "kernel":
            n_shared = len(_KERNEL_GENES)
            genes = np.empty(shape)
            genes[..., _KERNEL_GENES] = genomes[..., None, :n_shared]
            genes[..., _PAIR_GENES] = genomes[..., n_shared:].reshape(
                *lead, self.n_pairs, len(_PAIR_GENES)
            )
            return genes
        return genomes.reshape(shape)

    def decode(self, genes: np.ndarray) -> Decoded:
        """Return what genes (..., 7) mean."""
        ranges = self.ranges
        values = np.array(genes, dtype=float)
        # an upper bound can be met exactly: it belongs to the last value
        codes = np.array(ranges.kernel_codes)
        which = np.minimum(np.floor(values[..., KERNEL]).astype(int), len(codes) - 1)
        values[..., KERNEL] = codes[which]
        sigma = values[..., SIGMA]
        values[..., SIGMA] = np.clip(sigma, SMALLEST_SIGMA, LARGEST_SIGMA)
        values[..., DEGREE] = np.minimum(
            np.floor(values[..., DEGREE]), ranges.degree[1]
        )

        U_pos, U_neg = ranges.C * values[..., C_POS], ranges.C * values[..., C_NEG]
        margins = values[..., MARGIN_POS], values[..., MARGIN_NEG]
        valid = defines_svm(U_pos, U_neg, *margins)
        standard = to_c_svc(U_pos, U_neg, *(np.where(valid, m, 1.0) for m in margins))
        key = np.zeros((*valid.shape, 4))
        key[..., KEY_KERNEL], key[..., KEY_PARAMETER] = solver_codes(
            values[..., KERNEL], values[..., SIGMA], values[..., DEGREE]
        )
        key[..., KEY_U_POS] = np.where(valid, standard.U_pos, 0.0)
        key[..., KEY_U_NEG] = np.where(valid, standard.U_neg, 0.0)
        return Decoded(values, standard.scale, standard.shift, valid, key)

    def settings(self, genes: np.ndarray) -> list[PairSettings]:
        """Return readable settings for the genes of every pair, (n_pairs, 7)."""
        settings = []
        for row in self.decode(genes).genes.tolist():
            named = dict(zip(GENES, row, strict=True))
            named["kernel"], named["degree"] = (
                _NAMES[int(row[KERNEL])],
                int(row[DEGREE]),
            )
            settings.append(PairSettings(C=float(self.ranges.C), **named))
        return settings
