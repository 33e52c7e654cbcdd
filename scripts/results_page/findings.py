"""Which findings of the paper hold in what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from isvmde.bench.content import Section
from isvmde.stats import (
    ResultTable,
    friedman_aligned,
    holm_test,
    wilcoxon_signed_rank,
)
from results_page.measured import (
    AVE,
    DATASETS,
    MAX,
    METRICS,
    NINE,
    PUBLISHED,
    Measured,
    names,
)
from results_page.rank_sections import TESTS, holm_tables, testable, wilcoxon

LEVEL = 0.05


@dataclass(frozen=True)
class Finding:
    """A statement of the paper, whether it holds here, and the numbers."""

    claim: str
    holds: bool
    evidence: str


def findings_section(measured: Measured) -> Section:
    """Return the findings, those that hold first counted, then one by one."""
    section = Section("Which findings hold")
    if not testable(measured):
        section.paragraphs.append("There are not enough rows yet to say.")
        return section
    findings = find(measured)
    kept = [f for f in findings if f.holds]
    lost = [f for f in findings if not f.holds]
    whole = measured.whole("g_mean", NINE)
    gaps = len(whole) < len(DATASETS) or whole.shape[1] < len(NINE)
    section.paragraphs += [
        f"Of {len(findings)} findings of the paper, {len(kept)} hold in our "
        f"measurements and {len(lost)} do not"
        + (
            f" (preliminary: {len(whole)} of {len(DATASETS)} data sets and "
            f"{whole.shape[1]} of {len(NINE)} methods without gaps)."
            if gaps
            else "."
        )
        + (f" Not: {'; '.join(in_sentence(f.claim) for f in lost)}." if lost else ""),
        *_holm_sentences(measured),
        *_extra_sentences(measured),
    ]
    table = ResultTable(
        {
            "the paper finds": [f.claim for f in findings],
            "holds": ["yes" if f.holds else "**no**" for f in findings],
            "measured": [f.evidence for f in findings],
        }
    )
    section.paragraphs.insert(1, table.to_markdown())
    return section


def find(measured: Measured) -> list[Finding]:
    """Check each finding of the paper's section 4.5 against the measured scores."""
    found = []
    for metric in METRICS:
        found += _leaders(measured, metric)
    for metric, name in METRICS.items():
        test = friedman_aligned(measured.whole(metric, NINE))
        found.append(
            Finding(
                f"The methods differ on {name} (Friedman)",
                test.pvalue < LEVEL,
                f"p = {test.pvalue:.2g}",
            )
        )
    if {AVE, MAX} <= set(measured.whole("g_mean", NINE).columns):
        for metric in METRICS:
            found.append(_alike(measured, metric))
        found += _not_told_from_sdc(measured)
    return found


def _leaders(measured: Measured, metric: str) -> list[Finding]:
    """Check who has the best rank, and the second where the paper names it."""
    ours = friedman_aligned(measured.whole(metric, NINE)).mean_ranks
    ours = ours.sort_values(kind="stable")
    theirs = friedman_aligned(PUBLISHED[metric]).mean_ranks.sort_values(kind="stable")
    places = ("best", "second best")[: 1 if metric == "g_mean" else 2]
    found = []
    for place, word in enumerate(places):
        claimed = str(theirs.index[place])
        if claimed not in ours.index:
            continue
        at = list(ours.index).index(claimed) + 1
        rank = f"{ours[claimed]:.1f}"
        there = str(ours.index[place])
        evidence = f"it is number {at} of {len(ours)} with mean rank {rank}"
        holds = abs(ours[claimed] - ours.iloc[place]) < 1e-9  # or shares the place
        if not holds:
            evidence += f"; {there} is {word} with {ours.iloc[place]:.1f}"
        found.append(
            Finding(
                f"{claimed} has the {word} rank on {METRICS[metric]}",
                bool(holds),
                evidence,
            )
        )
    return found


def _alike(measured: Measured, metric: str) -> Finding:
    """Check that MAX and AVE do not differ."""
    test = wilcoxon(measured, metric)
    pair = measured.whole(metric, [MAX, AVE])
    gap = float((pair[MAX] - pair[AVE]).mean())
    return Finding(
        f"MAX and AVE do not differ on {METRICS[metric]} (Wilcoxon)",
        test.pvalue >= LEVEL,
        f"p = {test.pvalue:.2g}; MAX less AVE {gap:+.2f} points on average",
    )


def _not_told_from_sdc(measured: Measured) -> list[Finding]:
    """Check that i-SVM-DE is no worse than SDC on G-mean by Holm's test."""
    control, corrected, _ = holm_tables(measured, "g_mean")
    if control != "SDC":
        return []
    found = []
    for method in (AVE, MAX):
        row = corrected.loc[method]
        better = "SDC" if row["z"] > 0 else method
        found.append(
            Finding(
                f"{method} cannot be told from SDC on G-mean (Holm)",
                not row["rejected"],
                f"p = {row['p']:.2g} (corrected SE); {better} ranks better",
            )
        )
    return found


def _holm_sentences(measured: Measured) -> list[str]:
    """Say which of the paper's rejections are found again, by both standard errors."""
    lines = []
    for metric, name in METRICS.items():
        control, corrected, printed = holm_tables(measured, metric)
        if control != TESTS["holm"][metric]["control"]:
            continue
        claimed = [m for m in TESTS["holm"][metric]["rejected"] if m in corrected.index]
        # A rejection holds when the control is the better one of the two.
        won = {
            se: [
                m
                for m in table.index
                if table.loc[m, "rejected"] and table.loc[m, "z"] > 0
            ]
            for se, table in (("corrected", corrected), ("paper", printed))
        }
        lost = [
            m
            for m in corrected.index
            if corrected.loc[m, "rejected"] and corrected.loc[m, "z"] < 0
        ]
        again = {se: [m for m in claimed if m in won[se]] for se in won}
        more = [m for m in won["corrected"] if m not in claimed]
        theirs = holm_test(PUBLISHED[metric], control=control).set_index("method")
        left = [m for m in claimed if theirs.loc[m, "rejected"]]
        lines.append(
            f"{name}, Holm against {control}: the paper finds it better than "
            f"{names(claimed)}; from its own scores the corrected standard error "
            f"leaves {names(left)}. In our scores it holds for "
            f"{names(again['corrected'])} with the corrected standard error "
            f"({len(again['corrected'])} of {len(claimed)}) and for "
            f"{names(again['paper'])} with the paper's ({len(again['paper'])})."
            + (f" It is also better than {names(more)}." if more else "")
            + (f" {control} is significantly worse than {names(lost)}." if lost else "")
        )
    return lines


def _extra_sentences(measured: Measured) -> list[str]:
    """Compare methods that are not in the paper with AVE."""
    lines = []
    for method in measured.methods:
        if method in NINE:
            continue
        parts = []
        for metric, name in METRICS.items():
            pair = measured.whole(metric, [method, AVE])
            if len(pair) < 2 or pair.shape[1] < 2:
                continue
            gap = pair[method] - pair[AVE]
            p = wilcoxon_signed_rank(pair[method], pair[AVE]).pvalue
            parts.append(
                f"{name} {gap.mean():+.2f} points, better on {int((gap > 0).sum())} "
                f"of {len(gap)} data sets, p = {p:.2g}"
            )
        if parts:
            lines.append(
                f"{method}, not in the paper, against {AVE}: {'; '.join(parts)}."
            )
    return lines


def in_sentence(claim: str) -> str:
    """Return a claim as it stands within a sentence."""
    return claim[0].lower() + claim[1:] if claim.startswith("The ") else claim
