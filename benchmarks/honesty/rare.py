"""Parts (b) and (c): rare classes, with a linear boundary and with interactions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from . import measures, tables
from .fitting import fit

MIN_POSITIVES = 5  # fewer are left out; JUDGED_FROM of them are judged
JUDGED_FROM = 15
ROWS = (500, 1_000, 3_300, 3_500, 3_700, 6_000, 16_000, 40_000, 100_000)
SHARES = (0.002, 0.005, 0.015, 0.05)
INTERACTION_ROWS = (1_000, 3_500, 16_000, 40_000)
INTERACTION_SHARES = (0.015, 0.05)
SECOND_SEEDS = range(100, 124)  # of steps between sizes that stood out
GAUSSIAN = "shifted Gaussian"
INTERACTIONS = tuple(kind for kind in tables.RARE if kind != GAUSSIAN)


@dataclass(frozen=True)
class RareCase:
    """A table with a rare class."""

    kind: str
    rows: int
    share: float
    seed: int

    @property
    def positives(self) -> int:
        """Return the rows of the rare class."""
        return tables.n_positives(self.rows, self.share)

    @property
    def table(self) -> str:
        """Return the name of the table."""
        return f"{self.kind}, {self.rows} rows, {100 * self.share:g} %"


@dataclass(frozen=True)
class Step:
    """From a size to the next one, the share of the rare class staying the same."""

    share: float
    smaller: int
    larger: int

    @property
    def name(self) -> str:
        """Return for example ``0.5 % of 3,700 to 6,000``."""
        return f"{100 * self.share:g} % of {self.smaller:,} to {self.larger:,}"


@dataclass(frozen=True)
class RareRow:
    """Reported and true scores beside those of a peer."""

    table: str
    seed: int
    kind: str
    rows: int
    share: float
    positives: int
    reported: float  # balanced accuracy and G-mean, as the user sees them
    reported_g_mean: float
    truth: float
    truth_g_mean: float
    reported_equal: float  # the same under equal priors
    reported_equal_g_mean: float
    truth_equal: float
    truth_equal_g_mean: float
    log_loss_reported: float  # of loo_proba_ under equal priors
    log_loss: float  # of fresh rows under equal priors
    auc: float
    slope: float
    peer_g_mean: float
    peer_log_loss: float
    peer_auc: float
    warnings: int
    cpu: float


def _rare_cases(
    kinds: tuple[str, ...],
    rows: tuple[int, ...],
    shares: tuple[float, ...],
    seeds: range,
) -> Iterator[RareCase]:
    for kind in kinds:
        for size in rows:
            for share in shares:
                for seed in seeds:
                    case = RareCase(kind, size, share, seed)
                    if case.positives >= MIN_POSITIVES:
                        yield case


def gaussian_cases(seeds: int | None, quick: bool) -> list[RareCase]:
    """List the tables of part (b)."""
    chosen = tables.list_seeds(seeds or (2 if quick else 6), quick)
    if quick:
        rows, shares = (1_000, 3_300, 3_700, 16_000), (0.005, 0.05)
        return list(_rare_cases((GAUSSIAN,), rows, shares, chosen))
    return list(_rare_cases((GAUSSIAN,), ROWS, SHARES, chosen))


def interaction_cases(seeds: int | None, quick: bool) -> list[RareCase]:
    """List the tables of part (c)."""
    chosen = tables.list_seeds(seeds or (2 if quick else 3), quick)
    if quick:
        return list(_rare_cases(INTERACTIONS, (3_500,), (0.05,), chosen))
    rows, shares = INTERACTION_ROWS, INTERACTION_SHARES
    return list(_rare_cases(INTERACTIONS, rows, shares, chosen))


def cases_again(steps: list[Step]) -> list[RareCase]:
    """List tables of both sizes of some steps, with seeds of their own."""
    return [
        RareCase(GAUSSIAN, rows, step.share, seed)
        for step in steps
        for rows in (step.smaller, step.larger)
        for seed in SECOND_SEEDS
    ]


def measure(case: RareCase) -> RareRow:
    """Fit a table with a rare class, and the peer."""
    table = tables.rare(case.kind, case.rows, case.share, case.seed)
    with threadpool_limits(1):
        fitted = fit(table.X, table.y, case.seed)
        model = fitted.model
        proba = model.predict_proba(table.X_new)
        if case.kind == GAUSSIAN:
            peer = measures.balanced_logistic_regression()
        else:
            peer = measures.balanced_boosting()
        by_peer = peer.fit(table.X, table.y).predict_proba(table.X_new)
    equal = measures.under_equal_priors(proba, model.prior_)
    unseen = measures.under_equal_priors(model.loo_proba_, model.prior_)
    reported, truth = measures.reported_score(model), measures.score(table.y_new, proba)
    reported_equal = measures.score(table.y, unseen)
    truth_equal = measures.score(table.y_new, equal)
    return RareRow(
        table=case.table,
        seed=case.seed,
        kind=case.kind,
        rows=case.rows,
        share=case.share,
        positives=case.positives,
        reported=reported.balanced_accuracy,
        reported_g_mean=reported.g_mean,
        truth=truth.balanced_accuracy,
        truth_g_mean=truth.g_mean,
        reported_equal=reported_equal.balanced_accuracy,
        reported_equal_g_mean=reported_equal.g_mean,
        truth_equal=truth_equal.balanced_accuracy,
        truth_equal_g_mean=truth_equal.g_mean,
        log_loss_reported=measures.balanced_log_loss(table.y, unseen),
        log_loss=measures.balanced_log_loss(table.y_new, equal),
        auc=measures.auc(table.y_new, equal),
        slope=measures.calibration_slope(table.y_new, equal),
        peer_g_mean=measures.score(table.y_new, by_peer).g_mean,
        peer_log_loss=measures.balanced_log_loss(table.y_new, by_peer),
        peer_auc=measures.auc(table.y_new, by_peer),
        warnings=fitted.warnings,
        cpu=fitted.cpu,
    )
