"""The compiled solver: one dual, or a table of (individual, pair) tasks."""

from .batch import ON_RANKS, BatchSolver, Solved, Tasks
from .compilation import is_cached
from .problem import LINEAR, POLY, RBF, make_workspace
from .single import DualSolution, solve_dual, step_limit

__all__ = [
    "LINEAR",
    "ON_RANKS",
    "POLY",
    "RBF",
    "BatchSolver",
    "DualSolution",
    "Solved",
    "Tasks",
    "is_cached",
    "make_workspace",
    "solve_dual",
    "step_limit",
]
