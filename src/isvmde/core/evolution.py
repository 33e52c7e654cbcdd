"""Differential evolution with an individual-dependent mechanism (IDE), ask and tell.

The algorithm is that of Tang, Dong and Liu (IEEE Trans. Evol. Comput. 19, 2015) as
the i-SVM-DE paper uses it (section 3.3, steps 2 to 4). The rank i = 1..NP by fitness
(a 0-based row in the code) sets how far an individual moves: bad ones go far away.
Nothing here knows of SVMs.
"""

import json
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.arrays import Bools, Floats, Ints

_STATE = ("population", "fitness", "generation", "late_stage", "stalled")
RATE_STD = 0.1  # randn(mean, 0.1): the second number is read as a standard deviation


def superior_share(g: int, max_iter: int) -> float:
    """Share ps of the superior set S in iteration g = 1..max_iter."""
    return 0.1 + 0.9 * 10.0 ** (5.0 * (g / max_iter - 1.0))


def draw_rates(mean: Floats, rule: str, rng: np.random.Generator) -> Floats:
    """Draw N(mean, 0.1), brought into range by redrawing (0, 1] or clipping [0, 1]."""
    rates = rng.normal(mean, RATE_STD)
    if rule == "clip":
        return np.clip(rates, 0.0, 1.0)
    # The means lie in (0, 1], so a draw is in range with a probability near 1/2.
    while (outside := np.flatnonzero((rates <= 0.0) | (rates > 1.0))).size:
        rates[outside] = rng.normal(mean[outside], RATE_STD)
    return rates


def choose_indices(
    o: Ints, better: Ints, n_superior: int, keys: Floats
) -> tuple[Ints, Ints, Ints]:
    """Choose (attractor, r2, r3) of every target i by random keys (NP, NP)."""
    # The attractor is r1 where the base o is in S, ``better`` where it is in I. The
    # three differ, and every r differs from i and o: NP = 5 is enough.
    keys = keys.copy()
    i = np.arange(len(keys))
    keys[i, i] = np.inf
    keys[i, o] = np.inf
    inferior = o >= n_superior
    keys[i[inferior], better[inferior]] = -1.0
    ranked = np.argsort(keys, axis=1, kind="stable")
    return ranked[:, 0], ranked[:, 1], ranked[:, 2]


def mutate(
    population: Floats, o: Ints, attractor: Ints, r2: Ints, d: Floats, F: Floats
) -> Floats:
    """Mutants v = h_o + F_o (h_attractor - h_o) + F_o (h_r2 - d_r3), d the d_r3."""
    base, scale = population[o], F[:, None]
    return base + scale * (population[attractor] - base) + scale * (population[r2] - d)


def crossover(
    parents: Floats, mutants: Floats, CR: Floats, gate: Floats, j_rand: Ints
) -> Floats:
    """Binomial crossover: gene j of the mutant where gate <= CR_i or j = j_rand."""
    take = gate <= CR[:, None]
    take[np.arange(len(parents)), j_rand] = True
    return np.where(take, mutants, parents)


@dataclass(eq=False, repr=False)
class IDE:
    """Minimise a function of a box by individual-dependent differential evolution.

    The caller evaluates: ``ask()`` gives NP vectors, ``tell()`` takes their fitness.
    The first exchange is the initial population, the next ``max_iter`` are the
    iterations. NaN counts as +inf and never replaces a finite value.

    Parameters
    ----------
    lower, upper : array-like of shape (D,)
        Bounds of the genes, finite, ``lower <= upper``. Every vector stays inside.
    rng : numpy.random.Generator
        Source of all random numbers; drawing from it elsewhere changes the run.
    pop_size, max_iter : int, default=40 and 200
        NP, at least 5, and g_max, the iterations after the initial population.
    F_rule, CR_rule : {"redraw", "clip"}, default="redraw" and "clip"
        What happens to a factor F, or a crossover rate CR, outside (0, 1]: drawn
        again, or clipped to [0, 1].
    success_threshold : float, default=0.0
        SR_T. An iteration with this share of accepted trials, or less, has stalled.
    stage_patience : float or None, default=None
        T. After this many stalled iterations in a row the late stage begins, and stays:
        the base of a mutation is then a random individual instead of the target itself.
        None means 1000 D / NP, so never within 200 iterations for NP = 40 and D >= 8.
    repair : {"uniform", "clip"}, default="uniform"
        A gene out of range becomes a fresh uniform value (the paper), or its bound.
    initial : array-like of shape (k, D) or None, default=None
        The first k <= NP individuals of the initial population; the rest is uniform.

    Attributes
    ----------
    population, fitness : ndarrays of shape (NP, D) and (NP,)
        Individuals, best first, and their fitness; no rows before the first ``tell``.
    order : ndarray of shape (NP,)
        Row of each individual before the last sorting: trial row k competes with
        population row k, and then the new row r is the old row ``order[r]``.
    generation, late_stage, success_rate : int, bool, float
        Iterations completed, whether the late stage has begun, and the share of trials
        that the last ``tell`` accepted.

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

    lower: ArrayLike
    upper: ArrayLike
    _: KW_ONLY
    rng: np.random.Generator
    pop_size: int = 40
    max_iter: int = 200
    F_rule: str = "redraw"
    CR_rule: str = "clip"
    success_threshold: float = 0.0
    stage_patience: float | None = None
    repair: str = "uniform"
    initial: ArrayLike | None = None

    def __post_init__(self) -> None:
        self._low, self._high = np.array([self.lower, self.upper], dtype=float)
        n_pop, n_genes = self.pop_size, len(self._low)
        patience = self.stage_patience
        self._patience = 1000.0 * n_genes / n_pop if patience is None else patience
        first = np.empty((0, n_genes)) if self.initial is None else self.initial
        self.given: Floats = np.asarray(first, dtype=float)
        shape = self.given.shape
        fits = shape[1:] == (n_genes,) and shape[0] <= n_pop
        inside = not fits or (self.given >= self._low) & (self.given <= self._high)
        rules, repairs = ("redraw", "clip"), ("uniform", "clip")
        share = self.success_threshold
        for holds, sentence in (
            (
                n_pop >= 5,
                f"pop_size is {n_pop}: a mutation needs 5 or more",
            ),
            (self.F_rule in rules, f"F_rule is {self.F_rule!r}: use one of {rules}"),
            (self.CR_rule in rules, f"CR_rule is {self.CR_rule!r}: use one of {rules}"),
            (
                self.repair in repairs,
                f"repair is {self.repair!r}: use {repairs}",
            ),
            (0 <= share <= 1, f"success_threshold is {share}: use one from 0 to 1"),
            (
                self._patience > 0,
                f"stage_patience is {patience}: use 1 or more",
            ),
            (fits, f"initial has shape {shape}: use at most {n_pop} rows of {n_genes}"),
            (np.all(inside), "initial has genes outside their ranges: clip them"),
        ):
            if not holds:
                raise ValueError(f"{sentence}.")
        # Arrays of the state are replaced, never changed.
        self.population: Floats = np.empty((0, n_genes))
        self.fitness: Floats = np.empty(0)
        self.generation, self.stalled = 0, 0
        self.late_stage, self.success_rate = False, 1.0

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return self.generation >= self.max_iter

    def ask(self) -> Floats:
        """Return the vectors to evaluate, (NP, D): new ones with every call."""
        if len(self.population):
            return self._breed()
        return np.concatenate([self.given, self._uniform()[len(self.given) :]])

    def tell(
        self, trials: Floats, fitness: ArrayLike, parents: ArrayLike | None = None
    ) -> Bools:
        """Take the rows of ``ask()``, improved or not; return which were accepted.

        ``fitness`` is theirs, ``parents`` that of the population's rows, for an
        objective that has changed since they were told (cooperative search).
        """
        told = np.array(fitness, dtype=float)
        told[np.isnan(told)] = np.inf
        accepted = np.ones(self.pop_size, dtype=bool)
        if len(self.population):
            known = self.fitness if parents is None else np.asarray(parents, float)
            accepted = told <= known
            told = np.where(accepted, told, known)
            trials = np.where(accepted[:, None], trials, self.population)
            self.generation += 1
            self.success_rate = float(accepted.mean())
            has_stalled = self.success_rate <= self.success_threshold
            self.stalled = self.stalled + 1 if has_stalled else 0
            self.late_stage = self.late_stage or self.stalled >= self._patience
        self.order = np.argsort(told, kind="stable")
        self.population, self.fitness = trials[self.order], told[self.order]
        return accepted

    def _uniform(self) -> Floats:
        """Return uniform genes; rounding may reach U but never passes it."""
        u = self.rng.random((self.pop_size, len(self._low)))
        return self._low + u * (self._high - self._low)

    def _breed(self) -> Floats:
        """Trial vectors of the next iteration: mutation, crossover and repair."""
        rng, h = self.rng, self.population
        n_pop, n_genes = self.pop_size, len(self._low)
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
        v = mutate(h, o, attractor, r2, d, F)
        gate, j_rand = rng.random(h.shape), rng.integers(n_genes, size=n_pop)
        u = crossover(h, v, CR, gate, j_rand)
        fresh = self._uniform()
        if self.repair == "clip":
            return np.clip(u, self._low, self._high)
        return np.where((u < self._low) | (u > self._high), fresh, u)

    def get_state(self) -> dict[str, Any]:
        """Return what has changed since the first ``tell``: arrays, numbers, a text."""
        state = {name: getattr(self, name) for name in _STATE}
        return {**state, "rng": json.dumps(self.rng.bit_generator.state)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a ``get_state()`` of an IDE built with the same arguments."""
        self.rng.bit_generator.state = json.loads(str(state["rng"]))
        for name in _STATE:
            value = np.asarray(state[name])
            setattr(self, name, value if value.ndim else value.item())
