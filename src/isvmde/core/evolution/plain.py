"""What IDE is measured against: the usual differential evolution, and chance."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from isvmde.core.arrays import Floats

from .operators import choose_others, crossover
from .optimizer import Optimizer


@dataclass(eq=False, repr=False, kw_only=True)
class DE(Optimizer):
    """Differential evolution as usual: DE/rand/1/bin (Storn and Price, 1997).

    Every mutant is x_r1 + F (x_r2 - x_r3) with one F and one CR for all individuals.
    For what it shares with the others see :class:`Optimizer`.

    Parameters
    ----------
    F, CR : float, default=0.5 and 0.9
        Factor of the difference, and crossover rate.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.evolution import DE
    >>> search = DE([-5, -5], [5, 5], max_iter=100, rng=np.random.default_rng(0))
    >>> while not search.done:
    ...     trials = search.ask()
    ...     accepted = search.tell(trials, (trials**2).sum(axis=1))
    >>> bool(search.fitness[0] < 1e-8)
    True
    """

    smallest_population: ClassVar[int] = 4

    F: float = 0.5
    CR: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 < self.F <= 2.0:
            raise ValueError(f"F is {self.F}: use a number above 0, at most 2.")
        if not 0.0 <= self.CR <= 1.0:
            raise ValueError(f"CR is {self.CR}: use a number from 0 to 1.")

    def _breed(self) -> Floats:
        """Return the trial vectors: mutation, crossover and repair."""
        rng, h = self.rng, self.population
        r1, r2, r3 = choose_others(rng.random((self.pop_size, self.pop_size)))
        mutants = h[r1] + self.F * (h[r2] - h[r3])
        CR = np.full(self.pop_size, self.CR)
        gate, j_rand = rng.random(h.shape), rng.integers(self.n_genes, size=len(h))
        return self._repaired(crossover(h, mutants, CR, gate, j_rand))


@dataclass(eq=False, repr=False, kw_only=True)
class RandomSearch(Optimizer):
    """Uniform points of the box, as many as an evolution would try.

    Trial k replaces individual k if it is not worse, so the best individual is the
    best of all points so far.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.evolution import RandomSearch
    >>> search = RandomSearch([-5, -5], [5, 5], rng=np.random.default_rng(0))
    >>> while not search.done:
    ...     trials = search.ask()
    ...     accepted = search.tell(trials, (trials**2).sum(axis=1))
    >>> bool(search.fitness[0] < 0.1)
    True
    """

    def _breed(self) -> Floats:
        """Return uniform vectors."""
        return self._uniform()
