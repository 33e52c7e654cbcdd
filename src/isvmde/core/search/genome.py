"""Seven genes per binary problem (paper, 3.3.1), and what they mean.

A genome is the concatenation over all problems (the paper's are pairs of classes) of
C+, C-, lambda1, lambda2, the kernel's type, sigma and d, real numbers all; the type and
d are decoded by rounding down, which gives every value the same share of its range.
"""

from dataclasses import dataclass

import numpy as np

from isvmde.core import kernels
from isvmde.core.arrays import Bools, Floats, Ints
from isvmde.core.binary_machine import ISVMSettings
from isvmde.core.dual import defines_svm, to_c_svc

_KERNEL_NAMES = {code: name for name, code in kernels.PAPER_KERNELS.items()}
# Columns of the genes of a problem, and of groups of them
N_GENES = 7
C_POS, C_NEG, MARGIN_POS, MARGIN_NEG, KERNEL, SIGMA, DEGREE = range(N_GENES)
COSTS = [C_POS, C_NEG]
# Columns of a key: kernel, its parameter, U+/A and U-/A
N_KEY = 4
KEY_KERNEL, KEY_PARAMETER, KEY_U_POS, KEY_U_NEG = range(N_KEY)
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
    tied_costs: bool = False  # whether C- is C+, and the gene of C- means nothing


@dataclass(frozen=True)
class Decoded:
    """Genes of any number of i-SVMs as the arrays the solver and the fitness need."""

    genes: Floats  # (..., 7), decoded values
    scale: Floats  # A of f = A f_std + c
    shift: Floats  # c
    valid: Bools  # False where the genes define no SVM, and the rest means nothing
    key: Floats  # (..., 4), i-SVMs with the same one share one solution


class Encoding:
    """Between genomes (rows of real numbers) and the settings of all problems."""

    def __init__(
        self, ranges: Ranges, n_problems: int, share: str | None = None
    ) -> None:
        self.ranges, self.n_problems = ranges, n_problems
        # of the genes of one problem
        self.problem_lower, self.problem_upper = _bounds(ranges)
        self._places = _places(n_problems, share)
        n_genes = int(self._places.max()) + 1
        self.lower: Floats = np.empty(n_genes)
        self.upper: Floats = np.empty(n_genes)
        self.lower[self._places] = self.problem_lower
        self.upper[self._places] = self.problem_upper

    def genes(self, genomes: Floats) -> Floats:
        """Return the seven genes of every problem, (..., n_problems, 7)."""
        return np.asarray(genomes[..., self._places])

    def decode(self, genes: Floats) -> Decoded:
        """Return what genes (..., problems, 7) mean."""
        C = self.ranges.C
        values = self._meanings(genes)
        margin_pos, margin_neg = values[..., MARGIN_POS], values[..., MARGIN_NEG]
        U_pos, U_neg = C * values[..., C_POS], C * values[..., C_NEG]
        valid = defines_svm(U_pos, U_neg, margin_pos, margin_neg)
        standard = to_c_svc(
            U_pos,
            U_neg,
            np.where(valid, margin_pos, 1.0),
            np.where(valid, margin_neg, 1.0),
        )
        function, parameter = kernels.solver_codes(
            values[..., KERNEL], values[..., SIGMA], values[..., DEGREE]
        )
        key = np.empty((*valid.shape, N_KEY))
        key[..., KEY_KERNEL] = function
        key[..., KEY_PARAMETER] = parameter
        key[..., KEY_U_POS] = np.where(valid, standard.U_pos, 0.0)
        key[..., KEY_U_NEG] = np.where(valid, standard.U_neg, 0.0)
        return Decoded(
            genes=values,
            scale=standard.scale,
            shift=standard.shift,
            valid=valid,
            key=key,
        )

    def _meanings(self, genes: Floats) -> Floats:
        """Return the genes with the kernel's code, a sigma in range, a whole degree."""
        ranges, values = self.ranges, np.array(genes, dtype=float)
        # an upper bound can be met exactly: it belongs to the last value
        codes = np.array([kernels.PAPER_KERNELS[name] for name in ranges.kernels])
        kernel = np.minimum(values[..., KERNEL].astype(int), len(codes) - 1)
        values[..., KERNEL] = codes[kernel]
        values[..., SIGMA] = values[..., SIGMA].clip(
            kernels.SMALLEST_SIGMA, kernels.LARGEST_SIGMA
        )
        values[..., DEGREE] = np.floor(values[..., DEGREE]).clip(max=ranges.degree[1])
        if ranges.tied_costs:
            values[..., C_NEG] = values[..., C_POS]
        return values

    def settings(self, genes: Floats) -> list[ISVMSettings]:
        """Return readable settings for the genes of every problem, (n_problems, 7)."""
        return [
            ISVMSettings(
                C=float(self.ranges.C),
                C_pos=float(values[C_POS]),
                C_neg=float(values[C_NEG]),
                margin_pos=float(values[MARGIN_POS]),
                margin_neg=float(values[MARGIN_NEG]),
                kernel=_KERNEL_NAMES[int(values[KERNEL])],
                sigma=float(values[SIGMA]),
                degree=int(values[DEGREE]),
            )
            for values in self._meanings(genes)
        ]


def _bounds(ranges: Ranges) -> tuple[Floats, Floats]:
    """Return the least and the largest values of the genes of a problem."""
    lower, upper = np.empty(N_GENES), np.empty(N_GENES)
    lower[COSTS], upper[COSTS] = ranges.cost
    margins = [MARGIN_POS, MARGIN_NEG]
    lower[margins], upper[margins] = ranges.margin
    lower[KERNEL], upper[KERNEL] = 0, len(ranges.kernels)
    lower[SIGMA], upper[SIGMA] = ranges.sigma
    lower[DEGREE], upper[DEGREE] = ranges.degree[0], ranges.degree[1] + 1
    return lower, upper


def _places(n_problems: int, share: str | None) -> Ints:
    """Return where in a genome the genes of every problem are, (n_problems, 7).

    All have the same seven ("all"), or each its own (None), or one kernel (first in the
    genome) and each its four others ("kernel").
    """
    places = np.tile(np.arange(N_GENES), (n_problems, 1))
    if share is None:
        places += N_GENES * np.arange(n_problems)[:, None]
    elif share == "kernel":
        places[:, KERNEL:] = np.arange(3)
        places[:, :KERNEL] = 3 + np.arange(4 * n_problems).reshape(-1, 4)
    return places
