"""Variants of i-SVM-DE: an idea of the paper left out, or one of its numbers changed.

Every variant is an ``ISVMDEClassifier`` that differs from the paper's in what its name
says. The benchmark gives each a seed of its own.
"""

from __future__ import annotations

from sklearn.base import BaseEstimator

from isvmde import ISVMDEClassifier
from isvmde.methods import make_method

AVE, MAX = "i-SVM-DE-AVE", "i-SVM-DE-MAX"

# The paper's contributions, each replaced by what one would use without it.
CONTRIBUTIONS: dict[str, BaseEstimator] = {
    "margins 1": ISVMDEClassifier(margin_range=(1, 1)),
    "costs tied": ISVMDEClassifier(tied_costs=True),
    "margins 1, costs tied": ISVMDEClassifier(margin_range=(1, 1), tied_costs=True),
    "rbf only": ISVMDEClassifier(kernels=("rbf",)),
    "inner folds": ISVMDEClassifier(fitness="cv"),
    "usual DE": ISVMDEClassifier(optimizer="de"),
    "random points": ISVMDEClassifier(optimizer="random"),
    "pairwise": ISVMDEClassifier(search="pairwise"),
}

# Other binary problems than one per pair of classes.
DECOMPOSITIONS: dict[str, BaseEstimator] = {
    f"{method}, {kind}": make_method(method).set_params(**{parameter: kind})
    for kind in ("one-vs-rest", "dag")
    for method, parameter in (
        ("SVM", "estimator__decomposition"),
        (AVE, "decomposition"),
    )
}

# The same method with other random numbers.
SEEDS: dict[str, BaseEstimator] = {
    f"{method}, seed {number}": ISVMDEClassifier(fitness=fitness)
    for number in (2, 3, 4, 5)
    for method, fitness in ((AVE, "ave"), (MAX, "max"))
}

# The numbers that the paper sets, halved and doubled.
NUMBERS: dict[str, BaseEstimator] = {
    "C = 500": ISVMDEClassifier(C=500.0),
    "C = 2000": ISVMDEClassifier(C=2000.0),
    "sigma up to 50": ISVMDEClassifier(sigma_range=(0.0, 50.0)),
    "sigma up to 200": ISVMDEClassifier(sigma_range=(0.0, 200.0)),
    "delta = 0.025": ISVMDEClassifier(delta=0.025),
    "delta = 0.1": ISVMDEClassifier(delta=0.1),
    "20 individuals": ISVMDEClassifier(pop_size=20),
    "100 generations": ISVMDEClassifier(max_iter=100),
    "80 individuals": ISVMDEClassifier(pop_size=80),
    "400 generations": ISVMDEClassifier(max_iter=400),
}

# Other readings of what the paper leaves open in its evolution.
READINGS: dict[str, BaseEstimator] = {
    "F clipped": ISVMDEClassifier(ide_options={"F_rule": "clip"}),
    "CR drawn again": ISVMDEClassifier(ide_options={"CR_rule": "redraw"}),
    "late stage": ISVMDEClassifier(
        ide_options={"success_threshold": 0.1, "stage_patience": 10}
    ),
}

GROUPS = {
    "contributions": CONTRIBUTIONS,
    "decomposition": DECOMPOSITIONS,
    "seeds": SEEDS,
    "numbers": NUMBERS,
    "readings": READINGS,
}
