"""The compiled solver: one dual, a table of tasks, decisions on new samples."""

from .batch import SUPPORT, BatchSolver, Solved, Stopped, Tasks
from .cached import solve_with_cache
from .compilation import is_cached
from .decide import DISTANCE, DOT, LANES, MINIMUM, mean_decisions, sums_of_minima
from .problem import LINEAR, POLY, RBF, make_workspace
from .single import DualSolution, solve_dual, step_limit

__all__ = [
    "DISTANCE",
    "DOT",
    "LANES",
    "LINEAR",
    "MINIMUM",
    "POLY",
    "RBF",
    "SUPPORT",
    "BatchSolver",
    "DualSolution",
    "Solved",
    "Stopped",
    "Tasks",
    "is_cached",
    "make_workspace",
    "mean_decisions",
    "solve_dual",
    "solve_with_cache",
    "step_limit",
    "sums_of_minima",
]
