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

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from isvmde.core.arrays import Bools, Floats, Ints

from . import generator_state, variation
from .bounds import check_bounds, check_inside

__all__ = ["IDE"]

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

    Notes
    -----
    *Following individuals.* The population is sorted by fitness after every ``tell``,
    and trial row k competes with population row k. A caller that keeps something for
    each individual can do so in one of two ways.

    - *In fixed places:* a list of NP slots. ``parents[r]`` is the slot of population
      row r, so it is also the slot of the individual that trial row k = r competes
      with. Read ``parents`` before ``tell``, then put what belongs to an accepted trial
      k into slot ``parents[k]``. Nothing else moves.
    - *Sorted like the population:* after ``tell``, first put what belongs to an
      accepted trial k into row k, then permute the rows by ``order``: the new row r is
      the old row ``order[r]``.

    Before the first ``tell`` there are no individuals, all trials are accepted, and
    ``parents`` is 0..NP-1.

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
        self._lower, self._upper = check_bounds(lower, upper)
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
        self._max_iter = int(max_iter)
        self._rules = {"F_rule": F_rule, "CR_rule": CR_rule, "repair": repair}
        for name, rule in self._rules.items():
            if rule not in _RULES[name]:
                raise ValueError(f"{name} is {rule!r}: use one of {_RULES[name]}.")
        self._success_threshold = float(success_threshold)
        self._stage_patience = float(stage_patience)
        self._rng = rng

        # Arrays of the state are replaced, never changed: views of them stay valid.
        self._population = np.empty((0, self._shape[1]))
        self._fitness = np.empty(0)
        self._parents: Ints = np.arange(pop_size)
        self._order: Ints = np.arange(pop_size)
        self._generation = 0
        self._stalled = 0
        self._late = False
        self._success_rate = 1.0
        self._trials: Floats | None = self._first_population(initial)

    def ask(self) -> Floats:
        """Return the vectors to evaluate, (NP, D); the same ones until ``tell``."""
        if self._trials is None:
            if self.done:
                raise RuntimeError(
                    f"All {self._max_iter} iterations are done: read best and "
                    "best_fitness, or start a search with a larger max_iter."
                )
            self._trials = self._breed(self._generation + 1)
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
            check_inside("trials", trials, self._lower, self._upper)
        if parent_fitness is not None and self._fitness.size:
            self._fitness = np.array(parent_fitness, dtype=np.float64)
        told = np.array(fitness, dtype=np.float64)
        if told.shape != self._shape[:1]:
            raise ValueError(
                f"fitness has shape {told.shape}: give one number for each of the "
                f"{self._shape[0]} rows of ask()."
            )
        told[np.isnan(told)] = np.inf
        trials, self._trials = self._trials if trials is None else trials, None
        if not self._fitness.size:
            accepted = np.ones(self._shape[0], dtype=bool)
            population = trials
        else:
            accepted = variation.select(self._fitness, told)
            told = np.where(accepted, told, self._fitness)
            population = np.where(accepted[:, None], trials, self._population)
            self._generation += 1
            self._success_rate = float(accepted.mean())
            stalled = self._success_rate <= self._success_threshold
            self._stalled = self._stalled + 1 if stalled else 0
            self._late = self._late or self._stalled >= self._stage_patience
        self._order = np.argsort(told, kind="stable")
        self._population = population[self._order]
        self._fitness = told[self._order]
        self._parents = self._parents[self._order]
        return accepted

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
            check_inside("initial", given, lower, upper)
            population[: len(given)] = given
        return population

    def _breed(self, g: int) -> Floats:
        """Trial vectors of iteration g: mutation, crossover and repair."""
        rng, h = self._rng, self._population
        n_pop, n_genes = self._shape
        share = variation.superior_share(g, self._max_iter)
        n_superior = variation.superior_count(share, n_pop)
        i = np.arange(n_pop)
        o = rng.integers(n_pop, size=n_pop) if self._late else i
        F = variation.draw_rates((o + 1) / n_pop, self._rules["F_rule"], rng)
        CR = variation.draw_rates((i + 1) / n_pop, self._rules["CR_rule"], rng)
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
            u, self._lower, self._upper, self._rules["repair"], fresh
        )

    @property
    def population(self) -> Floats:
        """Individuals, best first, (NP, D); no rows before the first ``tell``."""
        return _read_only(self._population)

    @property
    def fitness(self) -> Floats:
        """Fitness of the rows of ``population``, ascending; NaN was made +inf."""
        return _read_only(self._fitness)

    @property
    def parents(self) -> Ints:
        """Slot of each population row, see Notes of the class."""
        return _read_only(self._parents)

    @property
    def order(self) -> Ints:
        """Row before the last ``tell``'s sorting of each population row, see Notes."""
        return _read_only(self._order)

    @property
    def generation(self) -> int:
        """Iterations completed; 0 until the first trials after the initial ones."""
        return self._generation

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return self._generation >= self._max_iter

    @property
    def late_stage(self) -> bool:
        """Whether the base of a mutation is a random individual by now."""
        return self._late

    @property
    def success_rate(self) -> float:
        """Share of trials accepted by the last ``tell``; 1.0 before one."""
        return self._success_rate

    @property
    def best(self) -> Floats:
        """The best individual so far, (D,)."""
        return self.population[self._first_row()]

    @property
    def best_fitness(self) -> float:
        """Fitness of ``best``."""
        return float(self._fitness[self._first_row()])

    def _first_row(self) -> int:
        """Row of the best individual, refused before any was evaluated."""
        if not self._fitness.size:
            raise RuntimeError("Nothing was evaluated yet: ask() and tell() first.")
        return 0

    def _settings(self) -> dict[str, Any]:
        """Everything of the constructor that the run depends on."""
        return {
            "lower": self._lower.copy(),
            "upper": self._upper.copy(),
            "pop_size": self._shape[0],
            "max_iter": self._max_iter,
            "success_threshold": self._success_threshold,
            "stage_patience": self._stage_patience,
            **self._rules,
        }

    def get_state(self) -> dict[str, Any]:
        """Return the whole state as arrays, numbers and strings.

        ``np.savez`` stores it without pickle, and ``json`` once its arrays are lists.
        """
        trials = self._population[:0] if self._trials is None else self._trials
        return {
            **self._settings(),
            "population": self._population.copy(),
            "fitness": self._fitness.copy(),
            "parents": self._parents.copy(),
            "order": self._order.copy(),
            "trials": trials.copy(),
            "generation": self._generation,
            "stalled": self._stalled,
            "late": self._late,
            "success_rate": self._success_rate,
            "rng": generator_state.to_text(self._rng),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a ``get_state()`` of an IDE built with the same arguments.

        Values may have gone through ``np.savez`` or JSON: 0-d arrays and lists are
        understood. The run that follows equals the unbroken one bit for bit.
        """
        for name, ours in self._settings().items():
            if not np.array_equal(np.asarray(state[name]), np.asarray(ours)):
                raise ValueError(
                    f"The state was saved with another {name}: build the IDE with the "
                    "arguments of the saved run."
                )
        generator_state.restore(self._rng, str(state["rng"]))
        n_genes = self._shape[1]
        trials = np.array(state["trials"], dtype=np.float64).reshape(-1, n_genes)
        population = np.array(state["population"], dtype=np.float64)
        self._population = population.reshape(-1, n_genes)
        self._fitness = np.array(state["fitness"], dtype=np.float64)
        self._parents = np.array(state["parents"], dtype=np.intp)
        self._order = np.array(state["order"], dtype=np.intp)
        self._trials = trials if len(trials) else None
        self._generation = int(state["generation"])
        self._stalled = int(state["stalled"])
        self._late = bool(state["late"])
        self._success_rate = float(state["success_rate"])
        if not self._is_whole():
            raise ValueError("The state is not one that a run leaves behind.")

    def _is_whole(self) -> bool:
        """Tell whether the arrays of the state fit together."""
        size, told = self._shape[0], len(self._population)
        rows = np.arange(size)
        return bool(
            told in (0, size)
            and 0 <= self._generation <= self._max_iter
            and self._fitness.shape == (told,)
            and np.isfinite(self._population).all()
            and (self._population >= self._lower).all()
            and (self._population <= self._upper).all()
            and np.array_equal(np.sort(self._parents), rows)
            and np.array_equal(np.sort(self._order), rows)
            and (self._trials is None or self._trials.shape == self._shape)
        )


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """View that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
