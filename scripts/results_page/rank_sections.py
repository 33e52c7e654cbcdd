"""Tables 6 to 10 of the paper: Friedman's, Holm's and Wilcoxon's tests, and ranks."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd

from isvmde.bench.content import Figure, Section, Table
from isvmde.published import load_tests
from isvmde.stats import friedman_aligned, holm_test, wilcoxon_signed_rank
from results_page.measured import AVE, MAX, METRICS, NINE, PUBLISHED, Measured

TABLE_NUMBER = {"g_mean": 7, "av_f_beta": 8, "cba": 9}
TESTS = load_tests()
_YES = {True: "yes", False: "no"}


def testable(measured: Measured) -> bool:
    """Whether there are two methods on two data sets without gaps."""
    return all(min(measured.whole(m, NINE).shape) >= 2 for m in METRICS)


def rank_section(measured: Measured) -> Section:
    """Return aligned ranks, Friedman's, Holm's and Wilcoxon's tests."""
    section = Section("Ranks and tests")
    if not testable(measured):
        section.paragraphs.append(
            "The tests need at least two of the paper's methods on two data sets "
            "without gaps; there are not enough rows yet."
        )
        return section
    whole = measured.whole("g_mean", NINE)
    section.paragraphs += [
        f"Computed over {len(whole)} data sets and {whole.shape[1]} of the paper's "
        "nine methods. The paper's standard error of a difference of mean aligned "
        "ranks, √(k(n+1)/6), is that of ranks within data sets; aligned ranks run over "
        "all kn cells, and theirs is √(k(kn+1)/6). Both are given: the paper's makes "
        "differences look √((kn+1)/(n+1)) times as large as they are. Thresholds "
        "follow Holm; two rows that the paper prints as rejected (SVM for AvF, SDC "
        "for CBA) exceed its own thresholds.",
    ]
    section.tables.append(_friedman_table(measured))
    section.tables += [_holm_table(measured, metric) for metric in METRICS]
    if {AVE, MAX} <= set(whole.columns):
        section.tables.append(_wilcoxon_table(measured))
    section.figures.append(
        Figure(
            "results-ranks",
            "Mean aligned ranks, measured and published; smaller is better",
            partial(_draw_ranks, measured),
        )
    )
    for metric, name in METRICS.items():
        section.figures.append(
            Figure(
                f"results-ranks-{metric}",
                f"{name}: measured mean aligned ranks, Holm's test against the best "
                "with the corrected standard error",
                partial(_draw_holm, measured.whole(metric, NINE), name),
            )
        )
    return section


def _friedman_table(measured: Measured) -> Table:
    """Return the paper's Table 6."""
    lines = {}
    for metric, name in METRICS.items():
        ours = friedman_aligned(measured.whole(metric, NINE))
        theirs = TESTS["friedman_aligned"][metric]
        lines[name] = {
            "statistic": f"{ours.statistic:.3f}",
            "p": f"{ours.pvalue:.3g}",
            "methods differ": _YES[ours.pvalue < 0.05],
            "published statistic": f"{theirs['statistic']:.3f}",
            "published p": f"{theirs['p']:.3g}",
        }
    texts = pd.DataFrame(lines).T.rename_axis("metric")
    return Table("friedman", "Table 6: Friedman's aligned ranks", texts, texts)


def holm_tables(
    measured: Measured, metric: str
) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """Return the paper's control and Holm's test with both standard errors.

    The best measured method stands in for a control that was not measured.
    """
    whole = measured.whole(metric, NINE)
    control = TESTS["holm"][metric]["control"]
    control = control if control in whole.columns else None
    corrected = holm_test(whole, control=control)
    printed = holm_test(whole, control=control, se="paper")
    return (
        str(corrected.attrs["control"]),
        corrected.set_index("method"),
        printed.set_index("method"),
    )


def _holm_table(measured: Measured, metric: str) -> Table:
    """Return one of the paper's Tables 7 to 9."""
    control, corrected, printed = holm_tables(measured, metric)
    ranks = friedman_aligned(measured.whole(metric, NINE)).mean_ranks
    recomputed = holm_test(PUBLISHED[metric], control=TESTS["holm"][metric]["control"])
    recomputed = recomputed.set_index("method")
    published = TESTS["holm"][metric]
    lines = {}
    for method in corrected.index:
        row = corrected.loc[method]
        lines[str(method)] = {
            "mean rank": f"{ranks[method]:.1f}",
            "z": f"{row['z']:.2f}",
            "p": f"{row['p']:.3g}",
            "rejected": _YES[bool(row["rejected"])],
            "p, paper's SE": f"{printed.loc[method, 'p']:.3g}",
            "rejected, paper's SE": _YES[bool(printed.loc[method, "rejected"])],
            "published p": _published(published["p"], method),
            "published rejected": _YES[method in published["rejected"]],
            "published scores, corrected SE: rejected": (
                _YES[bool(recomputed.loc[method, "rejected"])]
                if method in recomputed.index
                else "–"
            ),
        }
    texts = pd.DataFrame(lines).T.rename_axis("method")
    caption = (
        f"Table {TABLE_NUMBER[metric]}: Holm's test of {METRICS[metric]} against "
        f"{control} (measured mean rank {ranks[control]:.1f}; the best measured is "
        f"{ranks.idxmin()} with {ranks.min():.1f}); positive z: {control} ranks better"
    )
    return Table(f"holm-{metric}", caption, texts, texts)


def _published(values: dict[str, float], method: object) -> str:
    """Return a p-value as the paper has it."""
    return f"{values[str(method)]:.3g}" if method in values else "–"


def wilcoxon(measured: Measured, metric: str) -> Any:
    """Compare MAX with AVE over the data sets that have both."""
    pair = measured.whole(metric, [MAX, AVE])
    return wilcoxon_signed_rank(pair[MAX], pair[AVE])


def _wilcoxon_table(measured: Measured) -> Table:
    """Return the paper's Table 10."""
    lines = {}
    for metric, name in METRICS.items():
        ours = wilcoxon(measured, metric)
        theirs = TESTS["wilcoxon_max_vs_ave"][metric]
        lines[name] = {
            "R+": f"{ours.r_plus:g}",
            "R-": f"{ours.r_minus:g}",
            "p": f"{ours.pvalue:.3g}",
            "different": _YES[ours.pvalue < 0.05],
            "published R+": f"{theirs['r_plus']:g}",
            "published R-": f"{theirs['r_minus']:g}",
            "published p": f"{theirs['p']:.3g}",
        }
    texts = pd.DataFrame(lines).T.rename_axis("metric")
    caption = "Table 10: Wilcoxon's signed ranks, MAX (R+) against AVE (R-)"
    return Table("wilcoxon", caption, texts, texts)


def _draw_ranks(measured: Measured) -> Any:
    """Draw the paper's rank figure: a panel per metric, published beside measured."""
    from isvmde.bench.figures import new_figure

    figure = new_figure(10.5, 3.8)
    axes = figure.subplots(1, len(METRICS), sharey=True)
    for ax, (metric, name) in zip(axes, METRICS.items(), strict=True):
        ours = friedman_aligned(measured.whole(metric, NINE)).mean_ranks
        theirs = friedman_aligned(PUBLISHED[metric]).mean_ranks
        for row, method in enumerate(NINE):
            ax.axhline(row, color="0.9", linewidth=0.8, zorder=0)
            ax.plot(theirs[method], row, "D", color="#D55E00", markerfacecolor="white")
            if method in ours.index:
                ax.plot(ours[method], row, "o", color="#0072B2")
        ax.set_title(name, loc="left")
        ax.set_xlabel("mean aligned rank")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
    axes[0].set_yticks(range(len(NINE)), NINE)
    axes[0].invert_yaxis()
    axes[0].plot([], [], "o", color="#0072B2", label="measured")
    axes[0].plot(
        [], [], "D", color="#D55E00", markerfacecolor="white", label="published"
    )
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    return figure


def _draw_holm(scores: pd.DataFrame, title: str) -> Any:
    """Draw mean ranks with the methods that cannot be told from the best."""
    from isvmde.bench.figures import new_figure
    from isvmde.plots import RankDisplay

    ax = new_figure(8, 1.6 + 0.34 * scores.shape[1]).subplots()
    return RankDisplay.from_scores(scores, ax=ax, title=title).figure_
