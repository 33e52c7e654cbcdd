"""Part (a): pure noise must not be reported as knowledge."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from . import measures, tables
from .fitting import fit
from .verdicts import PartReport, Verdict, at_most, markdown, standard_error

SHAPES = (
    tables.NoiseShape((20, 20), 200),
    tables.NoiseShape((50, 50), 400),
    tables.NoiseShape((100, 10), 20),
    tables.NoiseShape((100, 10), 50, "binary"),
    tables.NoiseShape((100, 10), 100),
    tables.NoiseShape((200, 5), 100),
    tables.NoiseShape((300, 300), 10),
    tables.NoiseShape((80, 15), 120, "one-hot"),
    tables.NoiseShape((1000, 30), 50),
    tables.NoiseShape((4000, 40), 12),
    tables.NoiseShape((60, 20, 10), 100),
    tables.NoiseShape((500, 20, 20), 40, "binary"),
    tables.NoiseShape((150, 50, 20, 10, 5), 60, "one-hot"),
    tables.NoiseShape((40, 30, 25, 20, 15, 12, 10, 8, 6, 5), 30),
    tables.NoiseShape((1200, 600, 300, 150, 80, 40, 20, 10), 16, "one-hot"),
)
_FEWEST_TABLES = 10
_LARGEST_CLAIM = 0.03  # of log loss below chance
_STANDARD_ERROR = 0.01  # of a shape's mean report, that its number of tables allows


@dataclass(frozen=True)
class NoiseCase:
    """A table without knowledge."""

    shape: tables.NoiseShape
    seed: int

    @property
    def table(self) -> str:
        """Return the name of the table."""
        return self.shape.name


@dataclass(frozen=True)
class NoiseRow:
    """Reported and true balanced accuracy, log losses, confidence."""

    table: str
    seed: int
    classes: int
    reported: float
    reported_equal: float  # under equal priors
    truth: float
    truth_equal: float
    log_loss_reported: float  # of loo_proba_ under equal priors
    log_loss_new: float
    confidence: float  # mean largest probability of fresh rows, under equal priors
    warnings: int
    cpu: float


def n_noise_tables(shape: tables.NoiseShape, quick: bool) -> int:
    """Return how many tables make the mean report of a shape sure enough."""
    # A recall of n rows by guessing has a variance of p (1 - p) / n.
    p, n_classes = shape.chance, len(shape.sizes)
    variance = sum(p * (1.0 - p) / size for size in shape.sizes) / n_classes**2
    count = max(_FEWEST_TABLES, math.ceil(variance / _STANDARD_ERROR**2))
    return math.ceil(count / 4) if quick else count


def list_cases(seeds: int | None, quick: bool) -> list[NoiseCase]:
    """List the tables of part (a)."""
    cases = []
    for shape in SHAPES:
        count = seeds or n_noise_tables(shape, quick)
        for seed in tables.list_seeds(count, quick):
            cases.append(NoiseCase(shape, seed))
    return cases


def measure(case: NoiseCase) -> NoiseRow:
    """Fit a table without knowledge."""
    table = tables.noise(case.shape, case.seed)
    with threadpool_limits(1):
        fitted = fit(table.X, table.y, case.seed)
        model = fitted.model
        proba = model.predict_proba(table.X_new)
    equal = measures.under_equal_priors(proba, model.prior_)
    unseen = measures.under_equal_priors(model.loo_proba_, model.prior_)
    return NoiseRow(
        table=case.table,
        seed=case.seed,
        classes=len(case.shape.sizes),
        reported=measures.reported_score(model).balanced_accuracy,
        reported_equal=measures.score(table.y, unseen).balanced_accuracy,
        truth=measures.score(table.y_new, proba).balanced_accuracy,
        truth_equal=measures.score(table.y_new, equal).balanced_accuracy,
        log_loss_reported=measures.balanced_log_loss(table.y, unseen),
        log_loss_new=measures.balanced_log_loss(table.y_new, equal),
        confidence=float(equal.max(axis=1).mean()),
        warnings=fitted.warnings,
        cpu=fitted.cpu,
    )


def report(found: pd.DataFrame) -> PartReport:
    """Report pure noise."""
    chance = 1.0 / found["classes"]
    found = found.assign(
        above=found["reported"] - chance,
        above_equal=found["reported_equal"] - chance,
        claimed=np.log(found["classes"]) - found["log_loss_reported"],
    )
    return PartReport(
        "(a) Pure noise",
        "Labels that mean nothing. Shapes with few rows have more tables, so that the "
        "standard error of what is reported, after ±, is near 0.01. Log losses are "
        "balanced and under equal priors; one below chance claims knowledge.",
        _table(found),
        _verdicts(found),
    )


def _table(found: pd.DataFrame) -> str:
    """Return a line per shape."""
    header = [
        "rows per class x columns",
        "tables",
        "chance",
        "truth",
        "reported above chance",
        "under equal priors",
        "reported log loss below chance: mean, most",
        "log loss of fresh rows below chance",
        "mean confidence",
        "warned",
    ]
    rows = []
    for table, own in found.groupby("table", sort=False):
        mean = own.mean(numeric_only=True)
        error = standard_error(own["above"])
        error_equal = standard_error(own["above_equal"])
        rows.append(
            [
                str(table),
                str(len(own)),
                f"{1.0 / mean['classes']:.3f}",
                f"{mean['truth']:.3f}",
                f"{mean['above']:+.3f} ± {error:.3f}",
                f"{mean['above_equal']:+.3f} ± {error_equal:.3f}",
                f"{mean['claimed']:+.3f}, {own['claimed'].max():+.3f}",
                f"{np.log(mean['classes']) - mean['log_loss_new']:+.3f}",
                f"{mean['confidence']:.3f}",
                f"{100.0 * (own['warnings'] > 0).mean():.0f} %",
            ]
        )
    return markdown(header, rows)


def _verdicts(found: pd.DataFrame) -> list[Verdict]:
    """Judge the mean of the shapes and the worst of them."""
    asked = {
        "above": "Balanced accuracy of `loo_report()` above chance",
        "above_equal": "The same of `loo_proba_` under equal priors",
    }
    by_shape = found.groupby("table", sort=False)
    verdicts = []
    for column, words in asked.items():
        means = by_shape[column].mean()
        worst = f" ({means.idxmax()})"
        verdicts += [
            at_most(f"{words}, mean of the shapes", means.mean(), 0.03),
            at_most(f"{words}, worst shape", means.max(), 0.04, worst),
        ]
    claimed = by_shape["claimed"].mean()
    bad = (found["claimed"] > _LARGEST_CLAIM).sum()
    words = "Log loss of `loo_proba_` below chance"
    verdicts += [
        at_most(
            f"{words}, worst shape",
            claimed.max(),
            _LARGEST_CLAIM,
            f" ({claimed.idxmax()})",
        ),
        at_most(
            f"{words}, worst table",
            found["claimed"].max(),
            _LARGEST_CLAIM,
            f" ({bad} of {len(found)} exceed it)",
        ),
    ]
    return verdicts
