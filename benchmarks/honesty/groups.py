"""Part (d): visits of one patient must not vouch for each other."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold
from threadpoolctl import threadpool_limits

from isvmde import ISVMClassifierCV

from . import measures, tables
from .fitting import fit
from .verdicts import PartReport, at_most, markdown, standard_error


def knows_groups() -> bool:
    """Tell whether the classifier can be fitted with groups."""
    return "groups" in inspect.signature(ISVMClassifierCV.fit).parameters


@dataclass(frozen=True)
class GroupCase:
    """A table of patients who come several times."""

    kind: tables.Visits
    seed: int

    @property
    def table(self) -> str:
        """Return the name of the table."""
        return self.kind.name


@dataclass(frozen=True)
class GroupRow:
    """What is reported with and without groups, beside grouped cross-validation."""

    table: str
    seed: int
    reported: float  # balanced accuracy, fitted with groups
    reported_g_mean: float
    cross_validated: float
    cross_validated_g_mean: float
    truth: float  # of fresh patients
    without_groups: float  # reported by a fit that does not know the groups
    without_groups_g_mean: float
    warnings_without: int
    cpu: float


def list_cases(seeds: int | None, quick: bool) -> list[GroupCase]:
    """List the tables of part (d)."""
    chosen = tables.list_seeds(seeds or (2 if quick else 16), quick)
    return [GroupCase(kind, seed) for kind in tables.VISITS for seed in chosen]


def _cross_validated(table: tables.Table, seed: int) -> measures.Score:
    """Score the predictions of ten folds that keep groups together."""
    assert table.groups is not None
    proba = np.zeros((len(table.y), table.y.max() + 1))
    folds = StratifiedGroupKFold(10, shuffle=True, random_state=seed)
    for train, test in folds.split(table.X, table.y, table.groups):
        known = table.groups[train]
        model = fit(table.X[train], table.y[train], seed, known).model
        proba[test] = model.predict_proba(table.X[test])
    return measures.score(table.y, proba)


def measure(case: GroupCase) -> GroupRow:
    """Fit a table of patients with groups, without, and in grouped folds."""
    table = tables.visits(case.kind, case.seed)
    with threadpool_limits(1):
        fitted = fit(table.X, table.y, case.seed, table.groups)
        proba = fitted.model.predict_proba(table.X_new)
        plain = fit(table.X, table.y, case.seed)
        folds = _cross_validated(table, case.seed)
    reported = measures.reported_score(fitted.model)
    without = measures.reported_score(plain.model)
    return GroupRow(
        table=case.table,
        seed=case.seed,
        reported=reported.balanced_accuracy,
        reported_g_mean=reported.g_mean,
        cross_validated=folds.balanced_accuracy,
        cross_validated_g_mean=folds.g_mean,
        truth=measures.score(table.y_new, proba).balanced_accuracy,
        without_groups=without.balanced_accuracy,
        without_groups_g_mean=without.g_mean,
        warnings_without=plain.warnings,
        cpu=fitted.cpu,
    )


def report(found: pd.DataFrame) -> PartReport:
    """Report groups and duplicates."""
    found = found.assign(
        distance=found["reported"] - found["cross_validated"],
    )
    rows = []
    for table, own in found.groupby("table", sort=False):
        mean = own.mean(numeric_only=True)
        rows.append(
            [
                str(table),
                f"{mean['reported']:.3f} / {mean['reported_g_mean']:.3f}",
                f"{mean['cross_validated']:.3f} / {mean['cross_validated_g_mean']:.3f}",
                f"{mean['truth']:.3f}",
                f"{mean['distance']:+.3f} ± {standard_error(own['distance']):.3f}",
                f"{mean['without_groups']:.3f} / {mean['without_groups_g_mean']:.3f}",
                f"{100.0 * (own['warnings_without'] > 0).mean():.0f} %",
            ]
        )
    header = [
        "patients",
        "reported with groups",
        "grouped cross-validation",
        "fresh patients",
        "reported less cross-validated",
        "reported without groups",
        "remark without groups",
    ]
    distance = found.groupby("table", sort=False)["distance"].mean()
    worst = str(distance.abs().idxmax())
    verdict = at_most(
        "Reported with groups against grouped cross-validation, worst kind, absolute",
        float(distance.abs().max()),
        0.06,
        f" ({worst})",
    )
    return PartReport(
        "(d) Groups and duplicates",
        "Patients who come several times. Balanced accuracy / G-mean of the report, "
        "and of ten folds that keep a patient's visits together "
        "(`StratifiedGroupKFold`).",
        markdown(header, rows),
        [verdict],
    )
