"""Decisions and scores of all points of a grid on one inner fold, work shared.

A plain search trains every grid point from nothing. Here the rows, distances and
synthetic samples of a binary problem are computed once per fold, kernel values once per
kernel, and along increasing C every solution starts from the one before it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from isvmde.core.kernels import Kernel, cross_base
from isvmde.core.solver.problem import Workspace

from .binary_problem import BinaryProblem, solve_problem
from .ovo_svm import OVOSVM


class Group(NamedTuple):
    """Candidates that share their binary problems."""

    candidates: list[OVOSVM]
    in_grid: np.ndarray  # positions of the candidates
    # chains of candidates that differ in C alone, C increasing, by position in here
    chains: dict[Kernel, list[list[int]]]


def group_candidates(candidates: list[OVOSVM]) -> list[Group]:
    """Sort the grid into groups, kernels and chains."""
    members: dict[tuple[object, ...], list[int]] = {}
    for i, candidate in enumerate(candidates):
        key = tuple(getattr(candidate, name) for name in candidate._structure)
        members.setdefault(key, []).append(i)
    groups = []
    for index in members.values():
        inside = [candidates[i] for i in index]
        groups.append(Group(inside, np.array(index), _chains(inside)))
    return groups


def _chains(candidates: list[OVOSVM]) -> dict[Kernel, list[list[int]]]:
    """Sort candidates by kernel, then by all else but C, then by C."""
    found: dict[Kernel, dict[tuple[object, ...], list[int]]] = {}
    for i, candidate in enumerate(candidates):
        rest = candidate.get_params(deep=False)
        for name in ("C", "kernel", "sigma", "degree"):
            rest.pop(name)
        chains = found.setdefault(candidate._kernel_in_use(), {})
        chains.setdefault(tuple(rest.values()), []).append(i)
    return {
        kernel: [
            sorted(c, key=lambda i: float(candidates[i].C)) for c in chains.values()
        ]
        for kernel, chains in found.items()
    }


def decide_grid(
    problem: BinaryProblem, group: Group, X: np.ndarray, work: Workspace
) -> np.ndarray:
    """Return f of every candidate of the group for the rows of X, (candidates, n)."""
    problem = replace(problem)  # its matrices are to be forgotten with this call
    F = np.empty((len(group.candidates), len(X)))
    cross: dict[int, np.ndarray] = {}
    for kernel, chains in group.chains.items():
        if kernel.base not in cross:
            cross[kernel.base] = cross_base(kernel.base, problem.points, X)
        coefficients, b = _solve_chains(problem, kernel, group, work)
        F[np.concatenate(chains)] = (
            coefficients @ kernel.from_base(cross[kernel.base]) + b[:, None]
        )
    return F


def _solve_chains(
    problem: BinaryProblem, kernel: Kernel, group: Group, work: Workspace
) -> tuple[np.ndarray, np.ndarray]:
    """Return (candidates, points) coefficients and intercepts, chain after chain."""
    source = problem.solver_base(kernel)
    coefficients, intercepts = [], []
    for chain in group.chains[kernel]:
        alpha = None
        C_before = 1.0
        targets = group.candidates[chain[0]]._targets(problem)
        for candidate in (group.candidates[i] for i in chain):
            C = float(candidate.C)
            if alpha is not None:
                alpha *= C / C_before  # feasible again, and what was at its bound is
            solution = solve_problem(
                source,
                targets,
                C,
                tol=candidate.tol,
                max_iter=candidate.max_iter,
                alpha=alpha,
                work=work,
            )
            alpha, C_before = solution.alpha, C
            coefficients.append(problem.fold_back(targets.y * alpha))
            intercepts.append(solution.b)
    return np.array(coefficients), np.array(intercepts)


def score_fold(
    y: np.ndarray, predicted: np.ndarray, n_classes: int, weight: np.ndarray
) -> np.ndarray:
    """Return (2, candidates): G-mean and AvF, over the classes `isvmde.metrics` takes.

    ``y`` and ``weight`` are (n,), ``predicted`` (candidates, n). A sample with
    y = n_classes is of a class that could not be learned: it adds to the wrong
    predictions of the others.
    """
    count = len(predicted)
    cell = (np.arange(count)[:, None] * (n_classes + 1) + y) * n_classes + predicted
    size = count * (n_classes + 1) * n_classes
    weights = np.broadcast_to(weight, cell.shape).ravel()
    confusion = np.bincount(cell.ravel(), weights, minlength=size).reshape(
        count, n_classes + 1, n_classes
    )
    right = np.diagonal(confusion[:, :n_classes], axis1=1, axis2=2)
    true = np.bincount(y, weight, minlength=n_classes + 1)[:n_classes]
    here = true > 0
    recall = right[:, here] / true[here]
    found = (recall > 0).all(axis=1)
    log_recall = np.log(np.where(recall > 0, recall, 1.0))
    g_mean = np.where(found, np.exp(log_recall.mean(axis=1)), 0.0)
    both = true + confusion.sum(axis=1)
    f = np.divide(2 * right, both, out=np.zeros_like(right), where=both > 0)
    return np.array([g_mean, f.sum(axis=1) / (both > 0).sum(axis=1)])
