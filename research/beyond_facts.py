"""What i-SVM-LOO is worth: facts and tables for the page on it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
from measured import DATASETS, METRICS, NINE, OURS, Measured
from results_facts import against, lost_by, standard_error, text_table

from isvmde.bench.content import Table, as_text


def verdicts(ours: Measured, competitors: Measured | None) -> list[SimpleNamespace]:
    """Compare the method with all others, metric by metric."""
    found = []
    for metric, name in METRICS.items():
        tables = [ours.scores[metric]]
        tables += [] if competitors is None else [competitors.scores[metric]]
        scores = pd.concat(tables, axis=1).dropna(axis=1, how="all")
        others = [method for method in scores if not method.startswith(OURS)]
        if OURS not in scores or not others:
            continue
        whole = scores.dropna()
        means = whole[others].mean().sort_values(ascending=False, kind="stable")
        of_nine = [m for m in means.index if m in NINE]
        rest = [m for m in means.index if m not in NINE]
        found.append(
            SimpleNamespace(
                metric=name,
                mean=whole[OURS].mean(),
                n=len(whole),
                best_of_nine=_best(scores, of_nine),
                best_competitor=_best(scores, rest),
                lost=lost_by(3.0, scores, OURS),
            )
        )
    return found


def _best(scores: pd.DataFrame, methods: list[str]) -> SimpleNamespace | None:
    """Compare with the best of some methods; the list is sorted by their averages."""
    return against(scores, OURS, scores, methods[0]) if methods else None


def lost_table(ours: Measured, competitors: Measured | None) -> Table | None:
    """Return the data sets where the method is far behind the best, and who leads."""
    lines: dict[str, dict[str, str]] = {}
    for metric, name in METRICS.items():
        tables = [ours.scores[metric]]
        tables += [] if competitors is None else [competitors.scores[metric]]
        scores = pd.concat(tables, axis=1)
        for dataset, points in lost_by(3.0, scores, OURS):
            leader = scores.loc[dataset].idxmax()
            lines[f"{dataset}, {name}"] = {
                OURS: as_text(scores.loc[dataset, OURS], "{:.1f}"),
                "best": as_text(scores.loc[dataset].max(), "{:.1f}"),
                "by": str(leader),
                "points behind": f"{points:.1f}",
            }
    return text_table("lost", "data set and metric", lines) if lines else None


def others_table(others: Measured) -> Table:
    """Return averages over tables of two classes and over those of several."""
    thinned = [name for name in others.datasets if name.endswith("thinned")]
    natural = [name for name in others.datasets if name not in thinned]
    values = pd.DataFrame(
        {
            f"{kind}: {name}": others.scores[metric].loc[rows].mean()
            for kind, rows in (("two classes", natural), ("several", thinned))
            for metric, name in METRICS.items()
            if rows
        }
    ).dropna(how="all")
    values.index.name = "method"
    texts = values.map(lambda value: as_text(value, "{:.1f}"))
    return Table("others", "", values, texts, values.eq(values.max()))


def variant_table(table: pd.DataFrame, base: str) -> Table:
    """Return average scores of variants and their difference from the base."""
    variants = list(dict.fromkeys(table["variant"]))
    lines = {}
    for variant in variants:
        line = {}
        for metric, name in METRICS.items():
            means = table[table["variant"] == variant].groupby("dataset")[metric].mean()
            line[name] = f"{100 * means.mean():.1f}"
        for metric, name in METRICS.items():
            gap, sd = standard_error(table, variant, base, metric)
            text = f"{gap:+.1f}" + as_text(sd, " ± {:.1f}", "")
            line[f"change, {name}"] = "" if variant == base else text
        lines[variant] = line
    return text_table("variants", "variant", lines)


def largest_change(table: pd.DataFrame, base: str) -> float:
    """Return the largest change of an average by any variant, in points."""
    gaps = [
        abs(standard_error(table, variant, base, metric)[0])
        for variant in set(table["variant"]) - {base}
        for metric in METRICS
    ]
    return max(gaps, default=np.nan)


def calibration_losses(table: pd.DataFrame) -> pd.DataFrame:
    """Return balanced losses by (loss, data set, method): classes weigh alike."""
    keys = ["method", "dataset", "repeat", "class"]
    sums = table.groupby(keys, sort=False)[["n", "log_loss", "brier"]].sum()
    per_class = sums[["log_loss", "brier"]].div(sums["n"], axis=0)
    per_repeat = per_class.groupby(level=["method", "dataset", "repeat"]).mean()
    return per_repeat.groupby(level=["method", "dataset"]).mean()


def calibration_table(table: pd.DataFrame) -> Table:
    """Return balanced logarithmic loss and Brier score of every method."""
    losses = calibration_losses(table)
    means = losses.groupby(level="method").mean()
    methods = list(dict.fromkeys(table["method"]))
    lines = {}
    for method in methods:
        line = {}
        for column, name in {"log_loss": "log loss", "brier": "Brier score"}.items():
            wide = losses[column].unstack("method")
            best = int((wide.idxmin(axis=1) == method).sum())
            line[name] = f"{means.loc[method, column]:.3f}"
            line[f"{name}: best on"] = f"{best} of {len(wide)}"
        lines[method] = line
    return text_table("calibration", "method", lines)


def loo_pairs(loo: pd.DataFrame, ours: Measured) -> pd.DataFrame:
    """Return leave-one-out and pooled cross-validated scores in per cent."""
    rows = []
    for metric, name in METRICS.items():
        if OURS not in ours.pooled[metric]:
            continue
        for _, row in loo.iterrows():
            rows.append(
                {
                    "metric": name,
                    "data set": row["dataset"],
                    "loo": 100 * row[metric],
                    "cv": ours.pooled[metric].loc[row["dataset"], OURS],
                }
            )
    return pd.DataFrame(rows, columns=["metric", "data set", "loo", "cv"]).dropna()


def loo_table(pairs: pd.DataFrame) -> Table:
    """Return a row per data set: leave-one-out and cross-validated scores."""
    lines: dict[str, dict[str, str]] = {}
    known = set(pairs["data set"])
    for dataset in [name for name in DATASETS if name in known]:
        line = {}
        for name in METRICS.values():
            row = pairs[(pairs["metric"] == name) & (pairs["data set"] == dataset)]
            for column, word in (("loo", "own"), ("cv", "cross-validated")):
                value = row[column].iloc[0] if len(row) else None
                line[f"{name}, {word}"] = as_text(value, "{:.1f}")
        lines[dataset] = line
    return text_table("loo", "data set", lines)
