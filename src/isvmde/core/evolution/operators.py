"""The operators of differential evolution: each a function of given random numbers."""

import numpy as np

from isvmde.core.arrays import Floats, Ints

RATE_STD = 0.1  # randn(mean, 0.1): the second number is read as a standard deviation


def superior_share(g: int, max_iter: int) -> float:
    """Share ps of the superior set S in iteration g = 1..max_iter."""
    return float(0.1 + 0.9 * 10.0 ** (5.0 * (g / max_iter - 1.0)))


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
    """Choose (attractor, r2, r3) of every target i by random keys (NP, NP)."""
    # The attractor is r1 where the base o is in S, ``better`` where it is in I. The
    # three differ, and every r differs from i and o: NP = 5 is enough.
    keys = keys.copy()
    i = np.arange(len(keys))
    keys[i, i] = np.inf
    keys[i, o] = np.inf
    inferior = o >= n_superior
    keys[i[inferior], better[inferior]] = -1.0
    ranked = np.argsort(keys, axis=1, kind="stable")
    return ranked[:, 0], ranked[:, 1], ranked[:, 2]


def choose_others(keys: Floats) -> tuple[Ints, Ints, Ints]:
    """Choose (r1, r2, r3) of every target i, all different, by keys (NP, NP)."""
    keys = keys.copy()
    np.fill_diagonal(keys, np.inf)
    ranked = np.argsort(keys, axis=1, kind="stable")
    return ranked[:, 0], ranked[:, 1], ranked[:, 2]


def mutate(
    population: Floats, o: Ints, attractor: Ints, r2: Ints, d: Floats, F: Floats
) -> Floats:
    """Mutants v = h_o + F_o (h_attractor - h_o) + F_o (h_r2 - d_r3), d the d_r3."""
    base, scale = population[o], F[:, None]
    return base + scale * (population[attractor] - base) + scale * (population[r2] - d)


def crossover(
    parents: Floats, mutants: Floats, CR: Floats, gate: Floats, j_rand: Ints
) -> Floats:
    """Binomial crossover: gene j of the mutant where gate <= CR_i or j = j_rand."""
    take = gate <= CR[:, None]
    take[np.arange(len(parents)), j_rand] = True
    return np.where(take, mutants, parents)
