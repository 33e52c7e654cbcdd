"""Seven genes per pair (paper, 3.3.1), and what they mean.

A genome is the concatenation over all pairs of C+, C-, lambda1, lambda2, the kernel's
type, sigma and d, real numbers all; the type and d are decoded by rounding down, which
gives every value the same share of its range.
"""

from dataclasses import dataclass

import numpy as np

from isvmde.core import kernels
from isvmde.core.dual import defines_svm, to_c_svc
from isvmde.core.pair_machine import PairSettings

N_GENES = 7
_NAMES = {code: name for name, code in kernels.PAPER_KERNELS.items()}
# Columns of the genes, and of groups of them
C_POS, C_NEG, MARGIN_POS, MARGIN_NEG, KERNEL, SIGMA, DEGREE = range(N_GENES)
COSTS = [C_POS, C_NEG]
# Columns of a key: kernel, its parameter, U+/A and U-/A
KEY_KERNEL, KEY_COSTS = 0, [2, 3]


@dataclass(frozen=True)
class Ranges:
    """Where the genes may lie; the defaults are the paper's Table 2."""

    C: float = 1000.0
    kernels: tuple[str, ...] = ("linear", "rbf", "poly")
    sigma: tuple[float, float] = (0.0, 100.0)
    degree: tuple[int, int] = (1, 5)
    cost: tuple[float, float] = (0.0, 1.0)
    margin: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True)
class Decoded:
    """Genes of any number of i-SVMs as the arrays the solver and the fitness need."""

    genes: np.ndarray  # (..., 7), decoded values
    scale: np.ndarray  # A of f = A f_std + c
    shift: np.ndarray  # c
    valid: np.ndarray  # False where the genes define no SVM, and the rest means nothing
    key: np.ndarray  # (..., 4), i-SVMs with the same one share one solution


class Encoding:
    """Between genomes (rows of real numbers) and the settings of all pairs."""

    def __init__(self, ranges: Ranges, n_pairs: int, share: str | None = None) -> None:
        self.ranges, self.n_pairs = ranges, n_pairs
        bounds = [ranges.cost] * 2 + [ranges.margin] * 2 + [(0, len(ranges.kernels))]
        bounds += [ranges.sigma, (ranges.degree[0], ranges.degree[1] + 1)]
        # of the genes of one pair
        self.pair_lower, self.pair_upper = np.array(bounds, dtype=float).T
        # Where in a genome the genes of every pair are: all pairs have the same seven,
        # or each its own, or one kernel (first in the genome) and each its four others.
        self._places = np.tile(np.arange(N_GENES), (n_pairs, 1))
        if share is None:
            self._places += N_GENES * np.arange(n_pairs)[:, None]
        elif share == "kernel":
            self._places[:, KERNEL:] = np.arange(3)
            self._places[:, :KERNEL] = 3 + np.arange(4 * n_pairs).reshape(-1, 4)
        self.lower, self.upper = np.empty((2, self._places.max() + 1))
        self.lower[self._places] = self.pair_lower
        self.upper[self._places] = self.pair_upper

    def genes(self, genomes: np.ndarray) -> np.ndarray:
        """Return the seven genes of every pair, (..., n_pairs, 7)."""
        return np.asarray(genomes[..., self._places])

    def decode(self, genes: np.ndarray) -> Decoded:
        """Return what genes (..., pairs, 7) mean."""
        ranges, values = self.ranges, np.array(genes, dtype=float)
        C_pos, C_neg, *margins, kernel, sigma, degree = np.moveaxis(values, -1, 0)
        # an upper bound can be met exactly: it belongs to the last value
        codes = np.array([kernels.PAPER_KERNELS[name] for name in ranges.kernels])
        kernel[...] = codes[np.minimum(kernel.astype(int), len(codes) - 1)]
        sigma[...] = sigma.clip(kernels.SMALLEST_SIGMA, kernels.LARGEST_SIGMA)
        degree[...] = np.floor(degree).clip(max=ranges.degree[1])

        U_pos, U_neg = ranges.C * C_pos, ranges.C * C_neg
        valid = defines_svm(U_pos, U_neg, *margins)
        standard = to_c_svc(U_pos, U_neg, *(np.where(valid, m, 1.0) for m in margins))
        costs = (np.where(valid, U, 0.0) for U in (standard.U_pos, standard.U_neg))
        key = np.stack([*kernels.solver_codes(kernel, sigma, degree), *costs], axis=-1)
        return Decoded(values, standard.scale, standard.shift, valid, key)

    def settings(self, genes: np.ndarray) -> list[PairSettings]:
        """Return readable settings for the genes of every pair, (n_pairs, 7)."""
        C, values = float(self.ranges.C), self.decode(genes).genes.tolist()
        return [
            PairSettings(C, C_pos, C_neg, lambda1, lambda2, _NAMES[k], sigma, int(d))
            for C_pos, C_neg, lambda1, lambda2, k, sigma, d in values
        ]
