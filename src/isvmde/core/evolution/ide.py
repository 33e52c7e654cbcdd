"""Differential evolution with an individual-dependent mechanism (IDE), ask and tell.

The algorithm is that of Tang, Dong and Liu (IEEE Trans. Evol. Comput. 19, 2015) as
the i-SVM-DE paper uses it (section 3.3, steps 2 to 4). Individuals are ranked by
fitness, smaller is better, and the rank i = 1..NP sets how far an individual moves:
good ones search near themselves, bad ones far away. In the code ranks are 0-based
rows of a sorted population; only the means of F and CR use the 1-based rank. The
operators are in ``variation.py``; :class:`IDE` draws their random numbers and keeps
the population.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isvmde.core.arrays import Bools, Floats, Ints

from . import variation

__all__ = ["IDE"]

# What changes in a run, beside the trials and the random numbers.
_STATE = (
    "population",
    "fitness",
    "order",
    "generation",
    "late_stage",
    "success_rate",
    "_stalled",
)
_RULES = {
    "F_rule": ("redraw", "clip"),
    "CR_rule": ("clip", "redraw"),
    "repair": ("uniform", "clip"),
}


class IDE:
    """Minimise a function of a box by individual-dependent differential evolution.

    The caller evaluates: ``ask()`` gives NP vectors, ``tell()`` takes their fitness.
    The first exchange is the initial population, the next ``max_iter`` are the
    iterations. NaN counts as +inf and never replaces a finite value.

    Parameters
    ----------
    lower, upper : array-like of shape (D,)
        Bounds of the genes, finite, ``lower <= upper``. Every vector stays inside.
    pop_size : int, default=40
        NP, at least 5.
    max_iter : int, default=200
        g_max, the number of iterations after the initial population.
    rng : numpy.random.Generator
        Source of all random numbers. It belongs to this object: drawing from it
        elsewhere changes the run, and ``set_state`` overwrites its state.
    F_rule : {"redraw", "clip"}, default="redraw"
        What happens to a factor F outside (0, 1]: drawn again, or clipped to [0, 1].
        Neither paper says; the mean is 1/NP for the best individual, so about 40 % of
        its draws are concerned.
    CR_rule : {"clip", "redraw"}, default="clip"
        The same for the crossover rate CR.
    success_threshold : float, default=0.0
        SR_T. An iteration has stalled when the share of accepted trials is at or below
        it.
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
    population : ndarray of shape (NP, D)
        Individuals, best first; no rows before the first ``tell``.
    fitness : ndarray of shape (NP,)
        Fitness of the rows of ``population``, ascending; NaN was made +inf.
    order : ndarray of shape (NP,)
        Row of each individual before the last sorting, see Notes.
    generation : int
        Iterations completed; 0 until the first trials after the initial ones.
    late_stage : bool
        Whether the base of a mutation is a random individual by now.
    success_rate : float
        Share of trials accepted by the last ``tell``; 1.0 before one.

    Notes
    -----
    The population is sorted by fitness after every ``tell``, and trial row k competes
    with population row k. A caller that keeps something for each individual puts what
    belongs to an accepted trial k into row k after ``tell``, and then permutes the rows
    by ``order``: the new row r is the old row ``order[r]``.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.core.evolution import IDE
    >>> ide = IDE([-5, -5], [5, 5], max_iter=100, rng=np.random.default_rng(0))
    >>> while not ide.done:
    ...     trials = ide.ask()
    ...     accepted = ide.tell((trials**2).sum(axis=1))
    >>> bool(ide.best_fitness < 1e-8)
    True
    """

    def __init__(
        self,
        lower: ArrayLike,
        upper: ArrayLike,
        *,
        pop_size: int = 40,
        max_iter: int = 200,
        rng: np.random.Generator,
        F_rule: str = "redraw",
        CR_rule: str = "clip",
        success_threshold: float = 0.0,
        stage_patience: float | None = None,
        repair: str = "uniform",
        initial: ArrayLike | None = None,
    ) -> None:
        self._lower, self._upper = _check_bounds(lower, upper)
        self._shape = (int(pop_size), self._lower.size)
        if pop_size < 5:
            raise ValueError(
                f"pop_size is {pop_size}, but a mutation combines up to five different "
                "individuals: use at least 5."
            )
        if max_iter < 1:
            raise ValueError(f"max_iter is {max_iter}: use at least 1.")
        if not 0.0 <= success_threshold <= 1.0:
            raise ValueError(
                f"success_threshold is {success_threshold}: it is a share of the "
                "population, use a number from 0 to 1."
            )
        if stage_patience is None:
            stage_patience = 1000.0 * self._shape[1] / pop_size
        if not stage_patience > 0:
            raise ValueError(
                f"stage_patience is {stage_patience}: use a positive number of "
                "iterations, or None."
            )
        rules = {"F_rule": F_rule, "CR_rule": CR_rule, "repair": repair}
        for name, rule in rules.items():
            if rule not in _RULES[name]:
                raise ValueError(f"{name} is {rule!r}: use one of {_RULES[name]}.")
        self._rng = rng
        # what a run depends on
        self._settings: dict[str, Any] = {
            "lower": self._lower,
            "upper": self._upper,
            "pop_size": int(pop_size),
            "max_iter": int(max_iter),
            "success_threshold": float(success_threshold),
            "stage_patience": float(stage_patience),
            **rules,
        }
        # Arrays of the state are replaced, never changed.
        self.population: Floats = np.empty((0, self._shape[1]))
        self.fitness: Floats = np.empty(0)
        self.order: Ints = np.arange(pop_size)
        self.generation = 0
        self.late_stage = False
        self.success_rate = 1.0
        self._stalled = 0  # iterations in a row
        self._trials: Floats | None = self._first_population(initial)

    def ask(self) -> Floats:
        """Return the vectors to evaluate, (NP, D); the same ones until ``tell``."""
        if self._trials is None:
            if self.done:
                raise RuntimeError(
                    f"All {self.generation} iterations are done: read best and "
                    "best_fitness, or start a search with a larger max_iter."
                )
            self._trials = self._breed(self.generation + 1)
        return self._trials.copy()

    def tell(
        self,
        fitness: ArrayLike,
        parent_fitness: ArrayLike | None = None,
        *,
        trials: ArrayLike | None = None,
    ) -> Bools:
        """Take the fitness of the rows of ``ask()``; return which were accepted.

        ``parent_fitness`` replaces the fitness of the population's rows first, for an
        objective that has changed since they were told (cooperative search). ``trials``
        replaces the rows of ``ask()``, for a caller that has improved them.
        """
        if self._trials is None:
            raise RuntimeError("There is nothing to tell: call ask() first.")
        if trials is not None:
            trials = np.array(trials, dtype=np.float64)
            if trials.shape != self._shape:
                raise ValueError(
                    f"trials has shape {trials.shape}: give the {self._shape[0]} rows "
                    f"of ask(), {self._shape[1]} genes each."
                )
            self._check_inside("trials", trials)
        if parent_fitness is not None and self.fitness.size:
            self.fitness = _fixed(parent_fitness)
        told = np.array(fitness, dtype=np.float64)
        if told.shape != self._shape[:1]:
            raise ValueError(
                f"fitness has shape {told.shape}: give one number for each of the "
                f"{self._shape[0]} rows of ask()."
            )
        told[np.isnan(told)] = np.inf
        population, self._trials = self._trials if trials is None else trials, None
        accepted = np.ones(self._shape[0], dtype=bool)
        if self.fitness.size:
            accepted = variation.select(self.fitness, told)
            told = np.where(accepted, told, self.fitness)
            population = np.where(accepted[:, None], population, self.population)
            self.generation += 1
            self.success_rate = float(accepted.mean())
            stalled = self.success_rate <= self._settings["success_threshold"]
            self._stalled = self._stalled + 1 if stalled else 0
            if self._stalled >= self._settings["stage_patience"]:
                self.late_stage = True
        self.order = _fixed(np.argsort(told, kind="stable"), np.intp)
        self.population = _fixed(population[self.order])
        self.fitness = _fixed(told[self.order])
        return accepted

    def _check_inside(self, name: str, given: Floats) -> None:
        """Refuse individuals outside the bounds."""
        if not np.all((given >= self._lower) & (given <= self._upper)):
            raise ValueError(
                f"{name} has genes outside [lower, upper]: clip them, or widen the "
                "bounds."
            )

    def _first_population(self, initial: ArrayLike | None) -> Floats:
        """Uniform individuals, the first ones replaced by those given."""
        lower, upper = self._lower, self._upper
        population = variation.uniform_in(lower, upper, self._rng.random(self._shape))
        if initial is not None:
            given = np.asarray(initial, dtype=np.float64)
            if given.shape[1:] != self._shape[1:] or len(given) > self._shape[0]:
                raise ValueError(
                    f"initial has shape {given.shape}: give at most {self._shape[0]} "
                    f"rows of {self._shape[1]} genes."
                )
            self._check_inside("initial", given)
            population[: len(given)] = given
        return population

    def _breed(self, g: int) -> Floats:
        """Trial vectors of iteration g: mutation, crossover and repair."""
        rng, h = self._rng, self.population
        n_pop, n_genes = self._shape
        share = variation.superior_share(g, self._settings["max_iter"])
        n_superior = variation.superior_count(share, n_pop)
        i = np.arange(n_pop)
        o = rng.integers(n_pop, size=n_pop) if self.late_stage else i
        F = variation.draw_rates((o + 1) / n_pop, self._settings["F_rule"], rng)
        CR = variation.draw_rates((i + 1) / n_pop, self._settings["CR_rule"], rng)
        better = rng.integers(n_superior, size=n_pop)
        attractor, r2, r3 = variation.choose_indices(
            o, better, n_superior, rng.random((n_pop, n_pop))
        )
        p_d = 0.1 * share
        gate, fresh = rng.random(self._shape), rng.random(self._shape)
        d = variation.perturb(h[r3], self._lower, self._upper, p_d, gate, fresh)
        v = variation.mutate(h, o, attractor, r2, d, F)
        gate, j_rand = rng.random(self._shape), rng.integers(n_genes, size=n_pop)
        u = variation.crossover(h, v, CR, gate, j_rand)
        fresh = rng.random(self._shape)
        return variation.repair_genes(
            u, self._lower, self._upper, self._settings["repair"], fresh
        )

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return bool(self.generation >= self._settings["max_iter"])

    @property
    def best(self) -> Floats:
        """The best individual so far, (D,)."""
        return self.population[self._first_row()]

    @property
    def best_fitness(self) -> float:
        """Fitness of ``best``."""
        return float(self.fitness[self._first_row()])

    def _first_row(self) -> int:
        """Row of the best individual, refused before any was evaluated."""
        if not self.fitness.size:
            raise RuntimeError("Nothing was evaluated yet: ask() and tell() first.")
        return 0

    def get_state(self) -> dict[str, Any]:
        """Return the whole state as arrays, numbers and strings.

        ``np.savez`` stores it without pickle, and ``json`` once its arrays are lists.
        """
        trials = self.population[:0] if self._trials is None else self._trials
        state = {name: getattr(self, name) for name in _STATE}
        rng = json.dumps(self._rng.bit_generator.state, default=np.ndarray.tolist)
        return {**self._settings, **state, "trials": trials, "rng": rng}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a ``get_state()`` of an IDE built with the same arguments.

        Values may have gone through ``np.savez`` or JSON: 0-d arrays and lists are
        understood. The run that follows equals the unbroken one bit for bit.
        """
        for name, ours in self._settings.items():
            if not np.array_equal(np.asarray(state[name]), np.asarray(ours)):
                raise ValueError(
                    f"The state was saved with another {name}: build the IDE with the "
                    "arguments of the saved run."
                )
        self._rng.bit_generator.state = json.loads(str(state["rng"]))
        for name in _STATE:
            now = getattr(self, name)
            is_array = isinstance(now, np.ndarray)
            value = (
                _fixed(state[name], now.dtype) if is_array else type(now)(state[name])
            )
            setattr(self, name, value)
        self.population = self.population.reshape(-1, self._shape[1])
        trials = _fixed(state["trials"]).reshape(-1, self._shape[1])
        self._trials = trials if len(trials) else None
        if not self._is_whole():
            raise ValueError("The state is not one that a run leaves behind.")

    def _is_whole(self) -> bool:
        """Tell whether the arrays of the state fit together."""
        size, told = self._shape[0], len(self.population)
        return bool(
            told in (0, size)
            and 0 <= self.generation <= self._settings["max_iter"]
            and self.fitness.shape == (told,)
            and (
                (self.population >= self._lower) & (self.population <= self._upper)
            ).all()
            and np.array_equal(np.sort(self.order), np.arange(size))
            and (self._trials is None or self._trials.shape == self._shape)
        )


def _check_bounds(lower: ArrayLike, upper: ArrayLike) -> tuple[Floats, Floats]:
    """Return bounds as vectors of the same length, finite and in order."""
    low, high = _fixed(lower), _fixed(upper)
    if low.ndim != 1 or low.shape != high.shape or not low.size:
        raise ValueError(
            f"lower and upper have shapes {low.shape} and {high.shape}: give two "
            "vectors of one and the same length, at least 1."
        )
    if not np.isfinite([low, high]).all():
        raise ValueError("lower and upper must be finite: replace NaN and infinity.")
    if np.any(low > high):
        j = int(np.argmax(low > high))
        raise ValueError(
            f"lower[{j}] = {low[j]} is above upper[{j}] = {high[j]}: exchange them."
        )
    return low, high


def _fixed(given: Any, kind: Any = np.float64) -> NDArray[Any]:
    """Return an array of its own that cannot be written to."""
    array = np.array(given, dtype=kind)
    array.flags.writeable = False
    return array
