"""Parts (b), (c) and (e): what is said of tables with a rare class."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from .rare import JUDGED_FROM, SECOND_SEEDS, Step
from .verdicts import PartReport, Verdict, at_most, markdown, standard_error

_LARGE_STEP = 0.03
_STANDARD_ERRORS = 3.0
_LARGE_AUC_DEFICIT = 0.06
_FLATTERY = "reported less true"
# what more rows should not raise, by the words of the table
_LOSSES = {"G-mean": "lost_g_mean", "AUC": "lost_auc", _FLATTERY: "lost_truth"}
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


def large_steps(found: pd.DataFrame) -> list[Step]:
    """Return the steps between sizes at which something seems to be lost."""
    judged = _with_losses(found)
    return [step for step in _steps(judged) if _what_is_lost(judged, step)]


def report_neighbours(found: pd.DataFrame, again: pd.DataFrame) -> PartReport:
    """Report what changes from a size to the next one.

    ``again`` has the tables of further seeds for the steps that `large_steps` names.
    They alone judge these: among so many steps some stand out by chance.
    """
    judged, second = _with_losses(found), _with_losses(again)
    rows, bad = [], []
    for step in _steps(judged):
        rows.append([step.name, *_cells(judged, step)])
        if not _what_is_lost(judged, step):
            continue
        rows.append([f"{step.name}, other seeds", *_cells(second, step)])
        bad += [f"{step.name} ({words})" for words in _what_is_lost(second, step)]
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
        "error. A larger table begins with the rows of the smaller one. A step that "
        f"stands out is measured again with {len(SECOND_SEEDS)} other seeds, which "
        "judge it.",
        markdown(["from a size to the next", *_LOSSES], rows),
        [verdict],
    )


def _with_losses(found: pd.DataFrame) -> pd.DataFrame:
    """Return the tables that are judged, with what more rows should not raise."""
    found = _with_differences(found)
    judged = found[found["positives"] >= JUDGED_FROM]
    return judged.assign(
        lost_g_mean=-judged["truth_equal_g_mean"],
        lost_auc=-judged["auc"],
        lost_truth=judged["flattery_equal"],
    )


def _steps(judged: pd.DataFrame) -> list[Step]:
    """List all steps from a size to the next one."""
    return [
        Step(float(share), int(smaller), int(larger))
        for share, own in judged.groupby("share")
        for smaller, larger in pairwise(sorted(own["rows"].unique()))
    ]


def _cells(judged: pd.DataFrame, step: Step) -> list[str]:
    """Return the mean change of every score, with its standard error."""
    cells = []
    for words, column in _LOSSES.items():
        change = _paired_change(judged, step, column)
        sign = 1.0 if words == _FLATTERY else -1.0
        cells.append(f"{sign * change.mean():+.3f} ± {standard_error(change):.3f}")
    return cells


def _what_is_lost(judged: pd.DataFrame, step: Step) -> list[str]:
    """Return the scores that a step costs more than it may."""
    lost = []
    for words, column in _LOSSES.items():
        change = _paired_change(judged, step, column)
        if change.mean() > max(_LARGE_STEP, _STANDARD_ERRORS * standard_error(change)):
            lost.append(words)
    return lost


def _paired_change(judged: pd.DataFrame, step: Step, column: str) -> pd.Series:
    """Return by how much a column rises with a step, for every seed."""
    own = judged[judged["share"] == step.share]
    after = own[own["rows"] == step.larger].set_index("seed")[column]
    before = own[own["rows"] == step.smaller].set_index("seed")[column]
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
