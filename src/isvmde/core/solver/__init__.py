"""The compiled solver: one dual, a table of tasks, decisions on new samples."""

from .batch import SUPPORT, BatchSolver, Solved, Stopped, Tasks
from .compilation import is_cached
from .compiled_kernels import DISTANCE, DOT, LANES, LINEAR, MINIMUM, POLY, RBF
from .decide import mean_decisions
from .problem import make_workspace
from .single import DualSolution, Samples, solve_dual, step_limit

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
    "Samples",
    "Solved",
    "Stopped",
    "Tasks",
    "is_cached",
    "make_workspace",
    "mean_decisions",
    "solve_dual",
    "step_limit",
]
