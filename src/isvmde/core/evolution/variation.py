"""Operators of individual-dependent differential evolution (section 3.3, 2 to 4).

Functions of arrays and of random numbers handed to them, so that each can be checked
by hand. Populations are sorted by fitness, best first; indices are 0-based rows.
"""

from __future__ import annotations

import numpy as np

from isvmde.core.arrays import Bools, Floats, Ints

RATE_STD = 0.1  # randn(mean, 0.1): the second number is read as a standard deviation


def superior_share(g: int, max_iter: int) -> float:
    """Share ps of the superior set S in iteration g = 1..max_iter."""
    return 0.1 + 0.9 * 10.0 ** (5.0 * (g / max_iter - 1.0))


def superior_count(share: float, pop_size: int) -> int:
    """Size of S: share * NP rounded half up, at least one individual."""
    return min(pop_size, max(1, int(share * pop_size + 0.5)))


def uniform_in(lower: Floats, upper: Floats, u: Floats) -> Floats:
    """L + u (U - L) for u in [0, 1); rounding may reach U but never passes it."""
    return lower + u * (upper - lower)


def draw_rates(mean: Floats, rule: str, rng: np.random.Generator) -> Floats:
    """Draw N(mean, 0.1), brought into range by redrawing (0, 1] or clipping [0, 1]."""
    rates = rng.normal(mean, RATE_STD)
    if rule == "clip":
        return np.clip(rates, 0.0, 1.0)
    # The means lie in (0, 1], so a draw is in range with a probability near 1/2.
    while (outside := np.flatnonzero((rates <= 0.0) | (rates > 1.0))).size:
        rates[outside] = rng.normal(mean[outside], RATE_STD)
    return rates


def choose_indices(
    o: Ints, better: Ints, n_superior: int, keys: Floats
) -> tuple[Ints, Ints, Ints]:
    """Choose (attractor, r2, r3) of every target i by random keys (NP, NP) in [0, 1).

    The attractor is r1 where the base o is in S, and ``better`` where it is in I.
    The three differ from each other, and every r differs from i and from o: at most
    five individuals take part, so NP = 5 is enough.
    """
    keys = keys.copy()
    i = np.arange(len(keys))
    keys[i, i] = np.inf
    keys[i, o] = np.inf
    inferior = o >= n_superior
    keys[i[inferior], better[inferior]] = -1.0
    ranked = np.argsort(keys, axis=1, kind="stable")
    return ranked[:, 0], ranked[:, 1], ranked[:, 2]


def perturb(
    individuals: Floats,
    lower: Floats,
    upper: Floats,
    p_d: float,
    gate: Floats,
    fresh: Floats,
) -> Floats:
    """d_r3: each gene is a fresh uniform value with probability Pd (gate < Pd)."""
    return np.where(gate < p_d, uniform_in(lower, upper, fresh), individuals)


def mutate(
    population: Floats, o: Ints, attractor: Ints, r2: Ints, d: Floats, F: Floats
) -> Floats:
    """Mutants v = h_o + F_o (h_attractor - h_o) + F_o (h_r2 - d_r3).

    Both cases of the paper: the attractor is r1 or better, see ``choose_indices``.
    ``F`` holds one factor per target (that of its base o), ``d`` the rows of d_r3.
    """
    base = population[o]
    scale = F[:, None]
    return base + scale * (population[attractor] - base) + scale * (population[r2] - d)


def crossover(
    parents: Floats, mutants: Floats, CR: Floats, gate: Floats, j_rand: Ints
) -> Floats:
    """Binomial crossover: gene j of the mutant where gate <= CR_i or j = j_rand."""
    take = gate <= CR[:, None]
    take[np.arange(len(parents)), j_rand] = True
    return np.where(take, mutants, parents)


def repair_genes(
    trials: Floats, lower: Floats, upper: Floats, rule: str, fresh: Floats
) -> Floats:
    """Make illegal genes legal: a fresh uniform value (the paper), or the bound."""
    if rule == "clip":
        return np.clip(trials, lower, upper)
    illegal = (trials < lower) | (trials > upper)
    return np.where(illegal, uniform_in(lower, upper, fresh), trials)


def select(parent_fitness: Floats, trial_fitness: Floats) -> Bools:
    """Mask of the trials that replace their parents: fit(u) <= fit(h)."""
    return trial_fitness <= parent_fitness
