"""What the optimisers share: a box, a population, selection and a state to save."""

import json
import numbers
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from isvmde.core.arrays import Bools, Floats

_REPAIRS = ("uniform", "clip")


@dataclass(eq=False, repr=False)
class Optimizer:
    """Minimise a function of a box by a population of vectors.

    The caller evaluates: ``ask()`` gives NP vectors, ``tell()`` takes their fitness.
    The first exchange is the initial population, the next ``max_iter`` are the
    iterations, in each of which trial k replaces individual k if it is not worse. NaN
    counts as +inf and never replaces a finite value.

    Parameters
    ----------
    lower, upper : array-like of shape (D,)
        Bounds of the genes, finite, ``lower <= upper``. Every vector stays inside.
    rng : numpy.random.Generator
        Source of all random numbers; drawing from it elsewhere changes the run.
    pop_size, max_iter : int, default=40 and 200
        NP, and g_max, the iterations after the initial population.
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
    generation, success_rate : int, float
        Iterations completed, and the share of trials that the last ``tell`` accepted.
    """

    smallest_population: ClassVar[int] = 1
    state_names: ClassVar[tuple[str, ...]] = ("population", "fitness", "generation")

    lower: ArrayLike
    upper: ArrayLike
    _: KW_ONLY
    rng: np.random.Generator
    pop_size: int = 40
    max_iter: int = 200
    repair: str = "uniform"
    initial: ArrayLike | None = None

    def __post_init__(self) -> None:
        self._set_box()
        self._check_whole("pop_size", self.pop_size)
        self._check_whole("max_iter", self.max_iter)
        if self.pop_size < self.smallest_population:
            raise ValueError(
                f"pop_size is {self.pop_size}: a mutation needs "
                f"{self.smallest_population} or more."
            )
        if self.max_iter < 1:
            raise ValueError(f"max_iter is {self.max_iter}: use 1 or more.")
        if self.repair not in _REPAIRS:
            raise ValueError(f"repair is {self.repair!r}: use one of {_REPAIRS}.")
        self._set_initial()
        # Arrays of the state are replaced, never changed.
        self.population: Floats = np.empty((0, self.n_genes))
        self.fitness: Floats = np.empty(0)
        self.generation = 0
        self.success_rate = 1.0

    @staticmethod
    def _check_whole(name: str, given: Any) -> None:
        """Refuse what is not a whole number: NaN iterations would never be done."""
        if isinstance(given, bool) or not isinstance(given, numbers.Integral):
            raise TypeError(f"{name} is {given!r}: use a whole number.")

    def _set_box(self) -> None:
        """Keep the bounds as arrays, checked."""
        self._low = np.array(self.lower, dtype=float)
        self._high = np.array(self.upper, dtype=float)
        if self._low.ndim != 1 or self._low.shape != self._high.shape:
            raise ValueError(
                f"lower has shape {self._low.shape} and upper {self._high.shape}: use "
                "one bound of each kind per gene."
            )
        if self.n_genes == 0:
            raise ValueError("lower and upper are empty: there is no gene to search.")
        if not (np.isfinite(self._low).all() and np.isfinite(self._high).all()):
            raise ValueError("lower and upper must be finite numbers.")
        if not (self._low <= self._high).all():
            gene = int(np.argmax(self._low > self._high))
            raise ValueError(
                f"lower[{gene}]={self._low[gene]} is above upper[{gene}]="
                f"{self._high[gene]}: swap them."
            )
        with np.errstate(over="ignore"):  # refused here
            widths = self._high - self._low
        if not np.isfinite(widths).all():
            gene = int(np.argmin(np.isfinite(widths)))
            raise ValueError(
                f"lower[{gene}]={self._low[gene]} and upper[{gene}]={self._high[gene]} "
                "are too far apart: their difference is not a number that can be held."
            )

    def _set_initial(self) -> None:
        """Keep the individuals to begin with, checked."""
        rows = np.empty((0, self.n_genes)) if self.initial is None else self.initial
        self.first_rows: Floats = np.asarray(rows, dtype=float)
        shape = self.first_rows.shape
        if shape[1:] != (self.n_genes,) or shape[0] > self.pop_size:
            raise ValueError(
                f"initial has shape {shape}: use at most {self.pop_size} rows of "
                f"{self.n_genes}."
            )
        if not self._inside(self.first_rows).all():
            raise ValueError("initial has genes outside their ranges: clip them.")

    @property
    def n_genes(self) -> int:
        """Number of genes D."""
        return len(self._low)

    @property
    def done(self) -> bool:
        """Whether all iterations are completed."""
        return self.generation >= self.max_iter

    def ask(self) -> Floats:
        """Return the vectors to evaluate, (NP, D): new ones with every call."""
        if len(self.population):
            return self._breed()
        return np.concatenate(
            [self.first_rows, self._uniform()[len(self.first_rows) :]]
        )

    def tell(
        self, trials: Floats, fitness: ArrayLike, parents: ArrayLike | None = None
    ) -> Bools:
        """Take the rows of ``ask()``, improved or not; return which were accepted.

        ``fitness`` is theirs, ``parents`` that of the population's rows, for an
        objective that has changed since they were told (cooperative search).
        """
        values = np.array(fitness, dtype=float)
        values[np.isnan(values)] = np.inf
        accepted = np.ones(self.pop_size, dtype=bool)
        if len(self.population):
            known = self.fitness if parents is None else np.asarray(parents, float)
            accepted = values <= known
            values = np.where(accepted, values, known)
            trials = np.where(accepted[:, None], trials, self.population)
            self.generation += 1
            self.success_rate = float(accepted.mean())
        self.order = np.argsort(values, kind="stable")
        self.population, self.fitness = trials[self.order], values[self.order]
        return accepted

    def _breed(self) -> Floats:
        """Return the trial vectors of the next iteration."""
        raise NotImplementedError

    def _uniform(self) -> Floats:
        """Return uniform genes; rounding may reach U but never passes it."""
        u = self.rng.random((self.pop_size, self.n_genes))
        return np.asarray(self._low + u * (self._high - self._low))

    def _inside(self, genes: Floats) -> Bools:
        """Tell which genes are within their bounds."""
        return (genes >= self._low) & (genes <= self._high)

    def _repaired(self, trials: Floats) -> Floats:
        """Return trials whose genes out of range are fresh, or at their bounds."""
        fresh = self._uniform()
        if self.repair == "clip":
            return np.clip(trials, self._low, self._high)
        return np.where(self._inside(trials), trials, fresh)

    def get_state(self) -> dict[str, Any]:
        """Return what has changed since the first ``tell``: arrays, numbers, a text."""
        state = {name: getattr(self, name) for name in self.state_names}
        return state | {"rng": json.dumps(self.rng.bit_generator.state)}

    def can_go_on_from(self, state: dict[str, Any]) -> bool:
        """Whether a state may be of one that was built with the same arguments.

        What its generator holds is left to NumPy, which refuses what it cannot use.
        """
        population, fitness = np.asarray(state["population"]), state["fitness"]
        generation = np.asarray(state["generation"])
        fresh = np.random.default_rng(0)
        fresh.bit_generator.state = json.loads(str(state["rng"]))
        return (
            population.shape == (self.pop_size, self.n_genes)
            and population.dtype == np.float64
            and bool(self._inside(population).all())
            and np.shape(fitness) == (self.pop_size,)
            and np.asarray(fitness).dtype == np.float64
            and not np.isnan(fitness).any()
            and generation.dtype.kind == "i"
            and bool(0 <= generation <= self.max_iter)
        )

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from a ``get_state()`` of one built with the same arguments."""
        self.rng.bit_generator.state = json.loads(str(state["rng"]))
        for name in self.state_names:
            value = np.asarray(state[name])
            setattr(self, name, value if value.ndim else value.item())
