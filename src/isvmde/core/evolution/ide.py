"""Differential evolution with an individual-dependent mechanism (IDE).

The algorithm is that of Tang, Dong and Liu (IEEE Trans. Evol. Comput. 19, 2015) as
the i-SVM-DE paper uses it (section 3.3, steps 2 to 4). The rank i = 1..NP by fitness
(a 0-based row in the code) sets how far an individual moves: bad ones go far away.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.arrays import Bools, Floats

from .operators import choose_indices, crossover, draw_rates, mutate, superior_share
from .optimizer import Optimizer

_RULES = ("redraw", "clip")


@dataclass(eq=False, repr=False, kw_only=True)
class IDE(Optimizer):
    """Minimise a function of a box by individual-dependent differential evolution.

    For the box, the population, ``ask`` and ``tell`` see :class:`Optimizer`. A
    population has at least 5 individuals.

    Parameters
    ----------
    F_rule, CR_rule : {"redraw", "clip"}, default="redraw" and "clip"
        What happens to a factor F, or a crossover rate CR, outside (0, 1]: drawn
        again, or clipped to [0, 1].
    success_threshold : float, default=0.0
        SR_T. An iteration with this share of accepted trials, or less, has stalled.
    stage_patience : float or None, default=None
        T. After this many stalled iterations in a row the late stage begins, and stays:
        the base of a mutation is then a random individual instead of the target itself.
        None means 1000 D / NP. With NP = 40 that is 525 for the 21 genes of three
        classes, more than 200 iterations, and 175 for the 7 genes of two.

    Attributes
    ----------
    late_stage : bool
        Whether the late stage has begun.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.evolution import IDE
    >>> ide = IDE([-5, -5], [5, 5], max_iter=100, rng=np.random.default_rng(0))
    >>> while not ide.done:
    ...     trials = ide.ask()
    ...     accepted = ide.tell(trials, (trials**2).sum(axis=1))
    >>> bool(ide.fitness[0] < 1e-8)
    True
    """

    smallest_population: ClassVar[int] = 5
    state_names: ClassVar[tuple[str, ...]] = (
        *Optimizer.state_names,
        "late_stage",
        "stalled",
    )

    F_rule: str = "redraw"
    CR_rule: str = "clip"
    success_threshold: float = 0.0
    stage_patience: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.F_rule not in _RULES:
            raise ValueError(f"F_rule is {self.F_rule!r}: use one of {_RULES}.")
        if self.CR_rule not in _RULES:
            raise ValueError(f"CR_rule is {self.CR_rule!r}: use one of {_RULES}.")
        if not 0.0 <= self.success_threshold <= 1.0:
            raise ValueError(
                f"success_threshold is {self.success_threshold}: use one from 0 to 1."
            )
        if self.stage_patience is None:
            self._patience = 1000.0 * self.n_genes / self.pop_size
        else:
            self._patience = self.stage_patience
        if not self._patience > 0:
            raise ValueError(f"stage_patience is {self.stage_patience}: use 1 or more.")
        self.late_stage, self.stalled = False, 0

    def can_go_on_from(self, state: dict[str, Any]) -> bool:
        """Whether a state may be of such an optimiser, its late stage included."""
        late_stage, stalled = (
            np.asarray(state[name]) for name in ("late_stage", "stalled")
        )
        return (
            super().can_go_on_from(state)
            and late_stage.dtype == bool
            and stalled.dtype.kind == "i"
            and bool(0 <= stalled <= self.max_iter)
        )

    def tell(
        self, trials: Floats, fitness: ArrayLike, parents: ArrayLike | None = None
    ) -> Bools:
        """Take the rows of ``ask()`` as `Optimizer.tell`; watch for the late stage."""
        generations_before = self.generation
        accepted = super().tell(trials, fitness, parents)
        if self.generation > generations_before:
            has_stalled = self.success_rate <= self.success_threshold
            self.stalled = self.stalled + 1 if has_stalled else 0
            self.late_stage = self.late_stage or self.stalled >= self._patience
        return accepted

    def _breed(self) -> Floats:
        """Return the trial vectors: mutation, crossover and repair."""
        rng, h, n_pop = self.rng, self.population, self.pop_size
        share = superior_share(self.generation + 1, self.max_iter)
        n_superior = int(share * n_pop + 0.5)  # rounded half up; NP >= 5 makes one
        i = np.arange(n_pop)
        o = rng.integers(n_pop, size=n_pop) if self.late_stage else i
        F = draw_rates((o + 1) / n_pop, self.F_rule, rng)
        CR = draw_rates((i + 1) / n_pop, self.CR_rule, rng)
        better = rng.integers(n_superior, size=n_pop)
        keys = rng.random((n_pop, n_pop))
        attractor, r2, r3 = choose_indices(o, better, n_superior, keys)
        p_d, gate = 0.1 * share, rng.random(h.shape)
        d = np.where(gate < p_d, self._uniform(), h[r3])
        mutants = mutate(h, o, attractor, r2, d, F)
        gate, j_rand = rng.random(h.shape), rng.integers(self.n_genes, size=n_pop)
        return self._repaired(crossover(h, mutants, CR, gate, j_rand))
