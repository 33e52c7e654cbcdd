"""The compiled solver: one dual, a table of tasks, decisions on new samples."""

from .batch import SUPPORT, BatchSolver, Solved, Tasks
from .compilation import SECONDS_TO_COMPILE, is_cached
from .compiled_kernels import DISTANCE, DOT, LINEAR, MINIMUM, POLY, RBF
from .decide import (
    KernelTable,
    MachineTable,
    mean_decisions,
)
from .doors import check_columns, check_machine_table
from .lanes import LANES
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
    "SECONDS_TO_COMPILE",
    "SUPPORT",
    "BatchSolver",
    "DualSolution",
    "KernelTable",
    "MachineTable",
    "Samples",
    "Solved",
    "Tasks",
    "check_columns",
    "check_machine_table",
    "is_cached",
    "make_workspace",
    "mean_decisions",
    "solve_dual",
    "step_limit",
]
