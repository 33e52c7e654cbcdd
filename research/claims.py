"""What the paper claims of its scores, each claim with the rule by which it is judged.

Every rule is a function of three tables of scores (data sets x methods, one per
metric), so that it can be applied to the published scores, to ours, and to tables made
of both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from measured import AVE, MAX, METRICS, NINE, PUBLISHED, Measured
from results_facts import LEVEL, TESTS, TIE, TIES

from isvmde.stats import friedman_aligned, holm_test, wilcoxon_signed_rank

BASELINES = NINE[:7]
STATIC = "Static-SMOTE"

Scores = Mapping[str, pd.DataFrame]  # by metric


class Verdict(NamedTuple):
    """Whether a claim holds of some scores, and by what."""

    holds: bool
    evidence: str


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper, and how it is judged."""

    kind: str  # "order", "difference" or "no difference"
    text: str
    rule: str
    judge: Callable[[Scores], Verdict]


class Judged(NamedTuple):
    """A claim, judged by the published scores and by ours."""

    claim: Claim
    published: Verdict
    measured: Verdict


def all_claims() -> list[Claim]:
    """Return what section 4.5, the conclusions and the abstract say, in this order."""
    return [
        *_average_claims(),
        *_rank_claims(),
        *(_methods_differ(metric) for metric in METRICS),
        *_superiority_claims(),
        *(_named_rejections(metric) for metric in METRICS),
        *(_not_told_apart("g_mean", "SDC", method) for method in (AVE, MAX)),
        *(_not_told_apart(metric, AVE, STATIC) for metric in ("av_f_beta", "cba")),
        *(_ranks_above(metric, AVE, STATIC) for metric in METRICS),
        _told_apart(AVE, STATIC),
        *(_alike(metric) for metric in METRICS),
        *(_unlike_most(metric, AVE) for metric in ("av_f_beta", "cba")),
        _superior_everywhere(),
    ]


def judge(measured: Measured) -> list[Judged]:
    """Judge every claim by the published scores and by ours."""
    ours = scores_of(measured)
    return [
        Judged(claim, claim.judge(PUBLISHED), claim.judge(ours))
        for claim in all_claims()
    ]


def scores_of(measured: Measured) -> dict[str, pd.DataFrame]:
    """Return our scores of the paper's methods, data sets with gaps left out."""
    return {metric: measured.whole(metric, NINE) for metric in METRICS}


def mean_ranks(table: pd.DataFrame) -> pd.Series[float]:
    """Return the mean aligned ranks, the best first."""
    ranks = friedman_aligned(table, ties=TIES).mean_ranks
    return ranks.sort_values(kind="stable")


def place(ordered: pd.Series[float], method: str) -> int:
    """Return a method's place among values sorted from best to worst, ties shared."""
    apart = (ordered - ordered[method]).abs() > TIE
    return 1 + int(apart[: list(ordered.index).index(method)].sum())


def _average_claims() -> list[Claim]:
    """Return who has the best average, metric by metric."""
    leaders = {"g_mean": "SDC", "av_f_beta": AVE, "cba": AVE}

    def make(metric: str, method: str) -> Claim:
        def by(scores: Scores) -> Verdict:
            means = scores[metric].mean().sort_values(ascending=False, kind="stable")
            at, best = place(means, method), means.index[0]
            text = f"number {at} of {len(means)} with {means[method]:.1f}"
            lead = "" if at == 1 else f"; {best} has {means.iloc[0]:.1f}"
            return Verdict(at == 1, text + lead)

        text = f"{method} has the best average {METRICS[metric]}"
        return Claim("order", text, "largest mean over the data sets", by)

    return [make(metric, method) for metric, method in leaders.items()]


def _rank_claims() -> list[Claim]:
    """Return who has the best mean aligned rank, and the second best."""
    places = [("g_mean", "SDC", 1)]
    places += [
        (m, who, k) for m in ("av_f_beta", "cba") for who, k in ((AVE, 1), (MAX, 2))
    ]

    def make(metric: str, method: str, wanted: int) -> Claim:
        def by(scores: Scores) -> Verdict:
            ranks = mean_ranks(scores[metric])
            at = place(ranks, method)
            text = f"number {at} of {len(ranks)}, mean rank {ranks[method]:.1f}"
            there = ranks.index[wanted - 1]
            lead = "" if at == wanted else f"; {there} has {ranks.iloc[wanted - 1]:.1f}"
            return Verdict(at == wanted, text + lead)

        word = {1: "best", 2: "second best"}[wanted]
        text = f"{method} has the {word} rank on {METRICS[metric]}"
        return Claim("order", text, "mean aligned rank", by)

    return [make(*claimed) for claimed in places]


def _methods_differ(metric: str) -> Claim:
    """Return that not all methods are alike."""

    def by(scores: Scores) -> Verdict:
        p = friedman_aligned(scores[metric], ties=TIES).pvalue
        return Verdict(p < LEVEL, f"p = {p:.2g}")

    text = f"The methods differ on {METRICS[metric]}"
    return Claim("difference", text, "Friedman's test, p < 0.05", by)


def _superiority_claims() -> list[Claim]:
    """Return that both methods are significantly better than all others."""

    def make(metric: str, method: str) -> Claim:
        def by(scores: Scores) -> Verdict:
            better = rejected(scores[metric], method, better=True)
            better = [name for name in better if name in BASELINES]
            all_of_them = [name for name in BASELINES if name in scores[metric]]
            text = f"better than {len(better)} of {len(all_of_them)}"
            return Verdict(better == all_of_them, text)

        name = METRICS[metric]
        text = f"{method} is significantly better than the other methods on {name}"
        rule = "Holm's test against all seven baselines, corrected error"
        return Claim("difference", text, rule, by)

    return [make(m, who) for m in ("av_f_beta", "cba") for who in (AVE, MAX)]


def _named_rejections(metric: str) -> Claim:
    """Return that the control is significantly better than the methods named."""
    printed = TESTS["holm"][metric]
    control, named = printed["control"], printed["rejected"]

    def by(scores: Scores) -> Verdict:
        again = [
            m for m in rejected(scores[metric], control, better=True) if m in named
        ]
        return Verdict(len(again) == len(named), f"than {len(again)} of these")

    text = (
        f"{control} is significantly better than {', '.join(named[:-1])} and "
        f"{named[-1]} on {METRICS[metric]}"
    )
    return Claim("difference", text, "Holm's test, corrected error", by)


def _not_told_apart(metric: str, control: str, method: str) -> Claim:
    """Return that two methods do not differ significantly."""

    def by(scores: Scores) -> Verdict:
        table = holm_test(scores[metric], control=control, ties=TIES)
        row = table.set_index("method").loc[method]
        better = control if row["z"] > 0 else method
        text = f"p = {row['p_holm']:.2g}, adjusted; {better} ranks better"
        return Verdict(not row["rejected"], text)

    text = f"{method} cannot be told from {control} on {METRICS[metric]}"
    return Claim("no difference", text, "Holm's test, corrected error", by)


def _ranks_above(metric: str, method: str, other: str) -> Claim:
    """Return that one method has the better rank of two."""

    def by(scores: Scores) -> Verdict:
        ranks = mean_ranks(scores[metric])
        text = f"mean rank {ranks[method]:.1f} against {ranks[other]:.1f}"
        return Verdict(bool(ranks[method] < ranks[other] - TIE), text)

    text = f"{method} ranks above {other} on {METRICS[metric]}"
    return Claim("order", text, "mean aligned rank", by)


def _told_apart(control: str, method: str) -> Claim:
    """Return that two methods differ on every metric.

    The paper says so of two methods that it has just said not to differ.
    """

    def by(scores: Scores) -> Verdict:
        apart = []
        for metric, name in METRICS.items():
            table = holm_test(scores[metric], control=control, ties=TIES)
            if table.set_index("method").loc[method, "rejected"]:
                apart.append(name)
        text = f"they differ on {len(apart)} of {len(METRICS)} metrics"
        return Verdict(len(apart) == len(METRICS), text)

    text = f"{control} and {method} are statistically different"
    rule = "Holm's test on all three metrics, corrected error"
    return Claim("difference", text, rule, by)


def _unlike_most(metric: str, control: str) -> Claim:
    """Return that the control differs from most of the other methods."""

    def by(scores: Scores) -> Verdict:
        table = scores[metric]
        unlike = [
            name
            for better in (True, False)
            for name in rejected(table, control, better=better)
            if name in BASELINES
        ]
        others = [name for name in BASELINES if name in table]
        text = f"from {len(unlike)} of {len(others)}"
        return Verdict(2 * len(unlike) > len(others), text)

    text = (
        f"{control} differs significantly from most of the others on "
        f"{METRICS[metric]} (conclusions)"
    )
    rule = "Holm's test, corrected error, more than half of the baselines"
    return Claim("difference", text, rule, by)


def _alike(metric: str) -> Claim:
    """Return that MAX and AVE do not differ."""

    def by(scores: Scores) -> Verdict:
        table = scores[metric]
        p = wilcoxon_signed_rank(table[MAX], table[AVE]).pvalue
        gap = float((table[MAX] - table[AVE]).mean())
        return Verdict(p >= LEVEL, f"p = {p:.2g}; MAX less AVE {gap:+.2f} points")

    text = f"{MAX} and {AVE} do not differ on {METRICS[metric]}"
    return Claim("no difference", text, "Wilcoxon's test, p ≥ 0.05", by)


def _superior_everywhere() -> Claim:
    """Return the abstract's last sentence."""

    def by(scores: Scores) -> Verdict:
        counts = [
            len(
                [
                    m
                    for m in rejected(scores[metric], AVE, better=True)
                    if m in BASELINES
                ]
            )
            for metric in METRICS
        ]
        cells = len(BASELINES) * len(METRICS)
        text = f"{AVE} is better in {sum(counts)} of {cells} comparisons"
        return Verdict(sum(counts) == cells, text)

    text = "i-SVM-DE is statistically superior to the other methods (abstract)"
    rule = "Holm's test against all baselines on all three metrics, corrected error"
    return Claim("difference", text, rule, by)


def rejected(
    table: pd.DataFrame, control: str, *, better: bool, se: str = "corrected"
) -> list[str]:
    """Return which methods the control is significantly better (or worse) than.

    In the order of the table's columns.
    """
    tested = holm_test(table, control=control, se=se, ties=TIES).set_index("method")
    found = tested["rejected"] & ((tested["z"] > 0) == better)
    return [str(method) for method in table.columns if bool(found.get(method, False))]
