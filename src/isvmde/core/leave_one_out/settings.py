"""One set of settings for all pairs, drawn and solved: what is averaged must differ."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import qmc

from ..arrays import Ints
from ..kernels import KERNELS, PARAMETER, Kernel, base_matrix, make_kernel
from ..limits import check_products, check_values
from ..solver import DISTANCE, BatchSolver, Tasks
from ..training_set import TrainingSet
from ..views import RANKS, VALUES, WEIGHTED

_SCALES = (1.0, 1.7, 3.0, 5.0)  # widths of rbf kernels, in units of the data's spread
_COSTS = (10.0, 200.0)
_MEMORY = 256 * 2**20  # bytes of matrices that are kept at a time
Told = Callable[[int], None]  # hears how many SVMs were solved


@dataclass(frozen=True)
class Setting:
    """A kernel, what it sees, and the costs of the two classes of a pair."""

    kernel: str
    view: str
    sigma: float | None = None  # of rbf
    degree: int | None = None  # of poly and min
    C_pos: float = 1.0
    C_neg: float = 1.0

    @cached_property
    def for_solver(self) -> Kernel:
        """The kernel as the solver takes it."""
        return make_kernel(self.kernel, self.sigma or 1.0, self.degree or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return what applies to this kernel, by name."""
        return {name: v for name, v in asdict(self).items() if v is not None}


@dataclass(frozen=True)
class SettingSpace:
    """What settings are drawn from."""

    kernels: tuple[str, ...] = KERNELS
    views: tuple[str, ...] = ("values", "ranks", "weighted")
    cost: tuple[float, float] = (0.1, 1000.0)
    sigma: tuple[float, float] = (0.1, 20.0)
    degree: tuple[int, int] = (1, 5)

    @property
    def plain_views(self) -> list[str]:
        """The views that are not weighted."""
        return [view for view in (VALUES, RANKS) if view in self.views]

    @property
    def shares(self) -> list[tuple[list[str], list[str]]]:
        """(kernels, views) of every share of the settings."""
        plain = self.plain_views
        weighted = [WEIGHTED[view] for view in plain or [VALUES]]
        smooth = [kernel for kernel in self.kernels if kernel != "min"]
        steps = ["min"] if "min" in self.kernels else []
        shares = [
            (smooth, plain or weighted),  # weighing adds nothing here: only if asked
            (steps, plain),
            (steps, weighted if "weighted" in self.views else []),
        ]
        return [(kernels, views) for kernels, views in shares if kernels and views]


def draw_settings(
    n: int, space: SettingSpace, seed: int, large: TrainingSet | None = None
) -> list[Setting]:
    """Return ``n`` settings from a scrambled Sobol sequence, equally many per share."""
    (low, high), shares, settings = space.degree, space.shares, []
    points = qmc.Sobol(5, seed=seed).random_base2(int(np.ceil(np.log2(n))))
    for k, u in enumerate(points[:n]):
        kernels, views = shares[k % len(shares)]
        kernel = kernels[int(u[0] * len(kernels))]
        sigma = degree = None
        if PARAMETER[kernel] == "sigma":
            sigma = _log_scale(u[2], space.sigma)
        elif PARAMETER[kernel] == "degree":
            degree = low + int(u[2] * (high - low + 1))
        costs = (_log_scale(value, space.cost) for value in u[3:])
        view = views[int(u[1] * len(views))]
        settings.append(Setting(kernel, view, sigma, degree, *costs))
    return settings if large is None else with_wide_kernels(settings, space, large)


def _log_scale(u: float, bounds: tuple[float, float]) -> float:
    """Return the number at ``u`` of [0, 1) between the bounds, on a log scale."""
    low, high = bounds
    return float(low * (high / low) ** u)


def with_wide_kernels(
    settings: list[Setting], space: SettingSpace, data: TrainingSet
) -> list[Setting]:
    """Return the settings with rbf kernels of the data's own width as the last ones."""
    # With many rows the best width is known: near their spread.
    views = space.plain_views
    n_new = min(len(settings) // 6, len(views) * len(_SCALES) * len(_COSTS))
    if "rbf" not in space.kernels or n_new == 0:
        return settings
    some = slice(None, None, 1 + len(data.X) // 5_000)
    share = data.weight[some] / data.weight[some].sum()
    spread = {}
    for view in views:
        X = data.views.see(data.X[some], view, DISTANCE)
        mean = np.einsum("i,ij->j", share, X)
        spread[view] = np.sqrt(0.5 * np.einsum("i,ij->", share, (X - mean) ** 2))
    new = []
    for scale, cost, view in product(_SCALES, np.clip(_COSTS, *space.cost), views):
        sigma = float(np.clip(scale * spread[view], *space.sigma))
        new.append(Setting("rbf", view, sigma, None, float(cost), float(cost)))
    return settings[: len(settings) - n_new] + new[:n_new]


class Task(NamedTuple):
    """Pairs of a training set that are to be solved at some settings."""

    data: TrainingSet
    pairs: np.ndarray
    settings: Sequence[Setting]
    tol: float
    # Free samples up to which leave-one-out is exact. With 400 the estimate beyond it
    # was so pessimistic on 1,000 rows that the best kernels were passed over.
    largest_face: int = 1_000

    @property
    def rows(self) -> list[np.ndarray]:
        """The rows of every pair, those of the smaller class first."""
        return [self.data.pair_rows(*pair) for pair in self.pairs]


class Solved(NamedTuple):
    """Solutions of all pairs at all settings."""

    f: np.ndarray  # (settings, rows of all pairs) leave-one-out decisions
    beta: np.ndarray  # (settings, rows of all pairs) multipliers y_i a_i
    intercept: np.ndarray  # (settings, pairs)
    violation: np.ndarray  # (settings, pairs)


def by_pair(values: np.ndarray, rows: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return values of the rows of all pairs, on the last axis, pair by pair."""
    return np.split(values, np.cumsum([len(own) for own in rows])[:-1], axis=-1)


def most_steps(n: int) -> int:
    """Return the bound on steps: twice what the hardest settings were seen to need."""
    return 10_000 + 25 * n


def solve_settings(
    task: Task, n_threads: int = 1, told: Told | None = None, stop: Ints | None = None
) -> Solved:
    """Solve every pair at every setting; ``told`` hears how many were solved."""
    data, pairs, settings, tol, largest_face = task
    spans, sizes = data.spans(pairs), [len(rows) for rows in task.rows]
    shapes = (len(settings), sum(sizes)), (len(settings), len(pairs))
    solved = Solved(*np.empty((2, *shapes[0])), *np.empty((2, *shapes[1])))
    groups: dict[tuple[str, int], list[int]] = {}
    for s, setting in enumerate(settings):
        groups.setdefault((setting.view, setting.for_solver.base), []).append(s)
    keys, heaviest = list(groups), float(data.weight.max())
    # as many matrices at a time as fit: threads then seldom wait for each other
    at_once = min(len(keys), max(1, _MEMORY // (8 * len(data.X) ** 2)))
    bases = np.empty((at_once, len(data.X), len(data.X)))
    with BatchSolver(
        bases,
        data.weight,
        tol=tol,
        max_steps=most_steps(max(sizes)),
        left_out=True,
        largest_face=largest_face,
        n_threads=n_threads,
        stop=stop,
    ) as solver:
        for first in range(0, len(keys), at_once):
            some = keys[first : first + at_once]
            at, columns = [], []
            for k, X in enumerate(data.views.see_all(data.X, some)):
                check_values(X)
                base_matrix(some[k][1], X, out=bases[k])
                largest = float(np.abs(np.diagonal(bases[k])).max())
                for s in groups[some[k]]:
                    kernel = settings[s].for_solver
                    code = kernel.function, kernel.parameter
                    costs = settings[s].C_pos, settings[s].C_neg
                    check_products(largest, *code, heaviest * max(costs), len(X))
                    at.append(s)
                    columns.append((k, *code, *costs))
            table = np.repeat(columns, len(pairs), axis=0).T
            tasks = Tasks(*np.tile(spans, (len(at), 1)).T, *table)
            result = solver.solve(tasks, with_beta=True)
            for name, out in solved._asdict().items():
                out[at] = getattr(result, name).reshape(len(at), -1)
            if told is not None:
                told(len(at) * len(pairs))
    # What was cut short is no optimum, so its leave-one-out values mean nothing: it
    # counts as a coin and gets no weight where others were solved.
    solved.f[np.repeat(~(solved.violation <= tol), sizes, axis=1)] = 0.0
    return solved
