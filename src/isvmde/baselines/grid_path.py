"""Decisions of all points of a grid on one inner fold, with the common work shared.

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
from .pairwise import PairwiseSVM


class Chain(NamedTuple):
    """Candidates that differ in C alone, C increasing."""

    candidates: list[PairwiseSVM]
    in_group: list[int]  # their positions


class Group(NamedTuple):
    """Candidates that share their binary problems."""

    candidates: list[PairwiseSVM]
    in_grid: np.ndarray  # positions of the candidates
    chains: dict[Kernel, list[Chain]]


def group_candidates(candidates: list[PairwiseSVM]) -> list[Group]:
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


def _chains(candidates: list[PairwiseSVM]) -> dict[Kernel, list[Chain]]:
    """Sort candidates by kernel, then by all else but C, then by C."""
    found: dict[Kernel, dict[tuple[object, ...], list[int]]] = {}
    for i, candidate in enumerate(candidates):
        rest = candidate.get_params(deep=False)
        for name in ("C", "kernel", "sigma", "degree"):
            rest.pop(name)
        key = tuple(rest[name] for name in sorted(rest))
        chains = found.setdefault(candidate._kernel_in_use(), {})
        chains.setdefault(key, []).append(i)
    ordered: dict[Kernel, list[Chain]] = {}
    for kernel, chains in found.items():
        ordered[kernel] = []
        for indices in chains.values():
            indices.sort(key=lambda i: float(candidates[i].C))
            ordered[kernel].append(Chain([candidates[i] for i in indices], indices))
    return ordered


def decide_grid(
    problem: BinaryProblem, group: Group, X: np.ndarray, work: Workspace
) -> np.ndarray:
    """Return f of every candidate of the group for the rows of X, (candidates, n).

    The path through the grid is fixed, so the result does not depend on what other
    threads do.
    """
    problem = replace(problem)  # its matrices are to be forgotten with this call
    F = np.empty((len(group.candidates), len(X)))
    cross: dict[int, np.ndarray] = {}
    for kernel, chains in group.chains.items():
        if kernel.base not in cross:
            cross[kernel.base] = cross_base(kernel.base, problem.points, X)
        position, coefficients, b = _solve_chains(problem, kernel, chains, work)
        F[position] = coefficients @ kernel.from_base(cross[kernel.base]) + b[:, None]
    return F


def _solve_chains(
    problem: BinaryProblem, kernel: Kernel, chains: list[Chain], work: Workspace
) -> tuple[list[int], np.ndarray, np.ndarray]:
    """Return positions, (candidates, points) coefficients and intercepts."""
    source = problem.solver_base(kernel)
    position: list[int] = []
    coefficients, intercepts = [], []
    for chain in chains:
        alpha = None
        C_before = 1.0
        targets = chain.candidates[0]._targets(problem)
        for candidate in chain.candidates:
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
        position += chain.in_group
    return position, np.array(coefficients), np.array(intercepts)
