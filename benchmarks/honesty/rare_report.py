"""Parts (b), (c) and (e): what is said of tables with a rare class."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from .rare import JUDGED_FROM
from .verdicts import PartReport, Verdict, at_most, markdown, standard_error

_LARGE_STEP = 0.03
_STANDARD_ERRORS = 3.0
_LARGE_AUC_DEFICIT = 0.06
_COLLAPSED = 10.0  # slope from which all probabilities are nearly equal


def report_gaussian(found: pd.DataFrame) -> PartReport:
    """Report tables on which a linear machine is right."""
    note = (
        "Eight Gaussian columns, the rare class shifted in four: a linear machine is "
        f"right. Fewer than {JUDGED_FROM} rare rows are not judged. Truth is that of "
        "10,000 fresh rows; the peer is a balanced logistic regression. Means over "
        "seeds; log losses are balanced and under equal priors."
    )
    return _report(found, "(b) Rare classes", note, "logistic regression")


def report_interactions(found: pd.DataFrame) -> PartReport:
    """Report tables on which no linear machine is right."""
    note = (
        "Eight Gaussian columns, the classes differ by interactions of two or four: no "
        "linear machine is right. The peer is `HistGradientBoostingClassifier` with "
        "balanced weights. All else as in (b)."
    )
    return _report(found, "(c) Interactions", note, "boosting")


def _report(found: pd.DataFrame, title: str, note: str, peer: str) -> PartReport:
    found = _with_differences(found)
    judged = found[found["positives"] >= JUDGED_FROM]
    verdicts = _verdicts_on_reports(judged) + _verdicts_on_peers(judged, peer)
    return PartReport(title, note, _table(found, peer), verdicts)


def _with_differences(found: pd.DataFrame) -> pd.DataFrame:
    """Add what is reported less the truth, and what the peer does better."""
    return found.assign(
        flattery=found["reported"] - found["truth"],
        flattery_g_mean=found["reported_g_mean"] - found["truth_g_mean"],
        flattery_equal=found["reported_equal"] - found["truth_equal"],
        flattery_equal_g_mean=(
            found["reported_equal_g_mean"] - found["truth_equal_g_mean"]
        ),
        g_mean_deficit=found["peer_g_mean"] - found["truth_equal_g_mean"],
        log_loss_excess=found["log_loss"] - found["peer_log_loss"],
        auc_deficit=found["peer_auc"] - found["auc"],
    )


def _table(found: pd.DataFrame, peer: str) -> str:
    """Return a line per kind, share and size."""
    header = [
        "table",
        "rare rows",
        "balanced accuracy: reported / truth",
        "G-mean: reported / truth",
        f"G-mean under equal priors: ours / {peer}",
        f"AUC: ours / {peer}",
        "AUC below in the worst seed",
        f"log loss: ours / {peer}",
        "slope",
        "CPU, s",
        "warned",
    ]
    rows = []
    for (kind, share, n_rows), own in found.groupby(["kind", "share", "rows"]):
        mean = own.mean(numeric_only=True)
        remark = "" if mean["positives"] >= JUDGED_FROM else " (not judged)"
        rows.append(
            [
                f"{kind}, {100 * share:g} % of {n_rows:,}{remark}",
                f"{mean['positives']:.0f}",
                f"{mean['reported']:.3f} / {mean['truth']:.3f}",
                f"{mean['reported_g_mean']:.3f} / {mean['truth_g_mean']:.3f}",
                f"{mean['truth_equal_g_mean']:.3f} / {mean['peer_g_mean']:.3f}",
                f"{mean['auc']:.3f} / {mean['peer_auc']:.3f}",
                f"{own['auc_deficit'].max():+.3f}",
                f"{mean['log_loss']:.3f} / {mean['peer_log_loss']:.3f}",
                f"{mean['slope']:.2f}",
                f"{mean['cpu']:.1f}",
                f"{100.0 * (own['warnings'] > 0).mean():.0f} %",
            ]
        )
    return markdown(header, rows)


def _verdicts_on_reports(judged: pd.DataFrame) -> list[Verdict]:
    """Judge reported scores less true ones."""
    asked = {
        "flattery": "Reported less true balanced accuracy",
        "flattery_g_mean": "Reported less true G-mean",
        "flattery_equal": "The same under equal priors, balanced accuracy",
        "flattery_equal_g_mean": "The same under equal priors, G-mean",
    }
    verdicts = []
    for column, words in asked.items():
        values = judged[column]
        remark = f" ± {standard_error(values):.3f}"
        verdicts += [
            at_most(f"{words}, mean", values.mean(), 0.03, remark),
            at_most(f"{words}, mean absolute", values.abs().mean(), 0.06),
        ]
    return verdicts


def _verdicts_on_peers(judged: pd.DataFrame, peer: str) -> list[Verdict]:
    """Judge scores beside those of the peer."""
    worst = judged["auc_deficit"].max()
    bad = (judged["auc_deficit"] > _LARGE_AUC_DEFICIT).sum()
    return [
        at_most(f"G-mean below {peer}, mean", judged["g_mean_deficit"].mean(), 0.02),
        at_most(f"Log loss above {peer}, mean", judged["log_loss_excess"].mean(), 0.03),
        at_most(
            f"AUC below {peer}, worst table",
            worst,
            _LARGE_AUC_DEFICIT,
            f" ({bad} of {len(judged)} exceed it)",
        ),
    ]


def report_neighbours(found: pd.DataFrame) -> PartReport:
    """Report what changes from a size to the next one."""
    found = _with_differences(found)
    judged = found[found["positives"] >= JUDGED_FROM]
    losses = {
        "G-mean": -judged["truth_equal_g_mean"],
        "AUC": -judged["auc"],
        "reported less true": judged["flattery_equal"],
    }
    rows, bad = [], []
    for share, own in judged.groupby("share"):
        for smaller, larger in pairwise(sorted(own["rows"].unique())):
            name = f"{100 * share:g} % of {smaller:,} to {larger:,}"
            cells = [name]
            for words, loss in losses.items():
                change = _paired_change(own.assign(loss=loss), smaller, larger)
                mean, error = change.mean(), standard_error(change)
                sign = 1.0 if words == "reported less true" else -1.0
                cells.append(f"{sign * mean:+.3f} ± {error:.3f}")
                if mean > max(_LARGE_STEP, _STANDARD_ERRORS * error):
                    bad.append(f"{name} ({words})")
            rows.append(cells)
    verdict = Verdict(
        "More rows never cost more than 0.03 and three standard errors of G-mean or "
        "AUC, nor flatter by as much more",
        "; ".join(bad) if bad else "no step does",
        not bad,
    )
    return PartReport(
        "(b) Neighbouring sizes",
        "Changes of G-mean and AUC on fresh rows, and of the balanced accuracy that is "
        "reported less the true one, under equal priors; mean over seeds ± standard "
        "error. A larger table begins with the rows of the smaller one.",
        markdown(["from a size to the next", *losses], rows),
        [verdict],
    )


def _paired_change(own: pd.DataFrame, smaller: int, larger: int) -> pd.Series:
    """Return by how much the loss rises between two sizes, for every seed."""
    after = own[own["rows"] == larger].set_index("seed")["loss"]
    before = own[own["rows"] == smaller].set_index("seed")["loss"]
    return (after - before).dropna()


def report_reliability(found: pd.DataFrame) -> PartReport:
    """Report slopes of a recalibration of fresh rows."""
    judged = found[found["positives"] >= JUDGED_FROM]
    slope = judged["slope"]
    judged = judged.assign(collapsed=slope.isna() | (slope > _COLLAPSED))
    rows = []
    for share, own in judged.groupby("share"):
        low, middle, high = own["slope"].quantile([0.1, 0.5, 0.9])
        rows.append(
            [
                f"{100 * share:g} %",
                f"{own['slope'].mean():.2f}",
                f"{low:.2f}",
                f"{middle:.2f}",
                f"{high:.2f}",
                str(own["collapsed"].sum()),
            ]
        )
    mean, middle = slope.mean(), slope.median()
    collapsed = judged["collapsed"].sum()
    verdict = Verdict(
        "Mean slope between 0.7 and 1.4, no table with nearly equal probabilities",
        f"{mean:.2f} (median {middle:.2f}), {collapsed} of {len(judged)} tables",
        bool(0.7 <= mean <= 1.4) and collapsed == 0,
    )
    header = ["rare class", "mean", "10 %", "median", "90 %", "nearly equal"]
    return PartReport(
        "(e) Reliability",
        "By what the log odds of fresh rows should be multiplied, over the tables of "
        "(b): below 1 predictions are too sure, above 1 too timid.",
        markdown(header, rows),
        [verdict],
    )
