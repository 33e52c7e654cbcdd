"""What the results say, as facts and tables that the templates put into words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from measured import AVE, MAX, METRICS, NINE, PUBLISHED, Measured

from isvmde.bench.content import Table, as_text
from isvmde.published import load_tests
from isvmde.stats import friedman_aligned, holm_test, wilcoxon_signed_rank

TESTS = load_tests()
LEVEL = 0.05
TIE = 1e-9  # points
# Scores that are sums in another order differ in their last digits: they are ties.
TIES = "rounded"
_YES = {True: "yes", False: "no"}


def testable(measured: Measured) -> bool:
    """Whether there are two of the paper's methods on two data sets without gaps."""
    return all(min(measured.whole(m, NINE).shape) >= 2 for m in METRICS)


def holm_tables(
    measured: Measured, metric: str
) -> tuple[str, pd.DataFrame, pd.DataFrame]:
    """Return the paper's control and Holm's test with both standard errors.

    The best measured method stands in for a control that was not measured.
    """
    whole = measured.whole(metric, NINE)
    control = TESTS["holm"][metric]["control"]
    control = control if control in whole.columns else None
    corrected = holm_test(whole, control=control, ties=TIES)
    printed = holm_test(whole, control=control, se="paper", ties=TIES)
    return (
        str(corrected.attrs["control"]),
        corrected.set_index("method"),
        printed.set_index("method"),
    )


def rejections(measured: Measured, metric: str) -> SimpleNamespace | None:
    """Return which of the paper's rejections are found again, by both errors."""
    control, corrected, printed = holm_tables(measured, metric)
    if control != TESTS["holm"][metric]["control"]:
        return None
    claimed = [m for m in TESTS["holm"][metric]["rejected"] if m in corrected.index]

    def told(table: pd.DataFrame, better: bool) -> list[str]:
        return [
            m
            for m in table.index
            if table.loc[m, "rejected"] and (table.loc[m, "z"] > 0) == better
        ]

    theirs = holm_test(PUBLISHED[metric], control=control).set_index("method")
    return SimpleNamespace(
        metric=METRICS[metric],
        control=control,
        claimed=claimed,
        left=[m for m in claimed if theirs.loc[m, "rejected"]],
        again=[m for m in claimed if m in told(corrected, True)],
        again_paper=[m for m in claimed if m in told(printed, True)],
        more=[m for m in told(corrected, True) if m not in claimed],
        lost=told(corrected, False),
    )


def agreement(measured: Measured, metric: str) -> SimpleNamespace | None:
    """Return how far measured and published scores are apart."""
    ours = measured.scores[metric].reindex(columns=NINE)
    difference = ours - PUBLISHED[metric]
    values = difference.stack().dropna()
    if values.empty:
        return None
    by_method = difference.mean().dropna().sort_values(kind="stable")
    far = values.abs().sort_values(ascending=False, kind="stable").index[:5]
    both = pd.DataFrame({"o": ours.stack(), "t": PUBLISHED[metric].stack()}).dropna()
    sds = measured.sds[metric].reindex(columns=NINE).where(ours.notna())
    near = (difference.abs() <= 2 * sds) & sds.notna()
    return SimpleNamespace(
        metric=METRICS[metric],
        cells=len(values),
        mean=values.mean(),
        absolute=values.abs().mean(),
        correlation=both["o"].corr(both["t"]) if len(both) > 2 else None,
        lowest=(by_method.index[0], by_method.iloc[0]),
        highest=(by_method.index[-1], by_method.iloc[-1]),
        far=[(method, dataset, values[dataset, method]) for dataset, method in far],
        near=int(near.to_numpy().sum()),
        with_sd=int(sds.notna().to_numpy().sum()),
    )


def score_cells(measured: Measured, metric: str) -> Table:
    """Return measured ± deviation with the published score and the difference."""
    ours, sds = measured.scores[metric], measured.sds[metric]
    whole = ours.dropna(axis=1, how="all").dropna().index
    label = "average" if len(whole) == len(ours) else f"average of {len(whole)}"
    theirs = PUBLISHED[metric].reindex_like(ours)
    ours = pd.concat([ours, ours.loc[whole].mean().to_frame(label).T])
    theirs = pd.concat([theirs, theirs.loc[whole].mean().to_frame(label).T])
    texts = ours.map(as_text)
    best = ours.round(2).eq(ours.round(2).max(axis=1), axis=0)
    texts = texts.where(~best, "**" + texts + "**")
    texts += sds.reindex_like(ours).map(lambda sd: as_text(sd, " ± {:.2f}", ""))
    gap = (ours - theirs).round(2) + 0.0
    texts += theirs.map(lambda score: as_text(score, "<br>{:.2f}", ""))
    texts += gap.map(lambda points: as_text(points, " ({:+.2f})", ""))
    ours.index.name = texts.index.name = "data set"
    return Table(metric, METRICS[metric], ours, texts, is_markdown=True)


def column_gaps(measured: Measured) -> Table:
    """Return ours less published, averages over the data sets, method by method."""
    lines: dict[str, dict[str, str]] = {method: {} for method in NINE}
    for metric, name in METRICS.items():
        ours = measured.scores[metric].reindex(columns=NINE)
        gap = (ours - PUBLISHED[metric]).mean()
        for method in NINE:
            lines[method][name] = as_text(gap[method], "{:+.2f}")
    return text_table("column-gaps", "method", lines)


def farthest_of_proposed(measured: Measured, metric: str = "av_f_beta") -> Any:
    """Return the two data sets on which AVE lacks most, and their share of all."""
    gap = (measured.scores[metric][AVE] - PUBLISHED[metric][AVE]).dropna()
    two = gap.sort_values(kind="stable").index[:2]
    notes = measured.results.datasets
    columns = {name: notes[name] for name in two if name in notes}
    return SimpleNamespace(
        share=float(gap[two].sum() / gap.sum()) if gap.sum() < -TIE else None,
        gaps={str(name): float(gap[name]) for name in two},
        nominal={
            name: (one["nominal"], one["nominal"] + one["numeric"])
            for name, one in columns.items()
        },
    )


def friedman_table(measured: Measured) -> Table:
    """Return the paper's Table 6."""
    lines = {}
    for metric, name in METRICS.items():
        ours = friedman_aligned(measured.whole(metric, NINE), ties=TIES)
        theirs = TESTS["friedman_aligned"][metric]
        lines[name] = {
            "statistic": f"{ours.statistic:.3f}",
            "p": f"{ours.pvalue:.2g}",
            "methods differ": _YES[bool(ours.pvalue < LEVEL)],
            "published statistic": f"{theirs['statistic']:.3f}",
            "published p": f"{theirs['p']:.2g}",
        }
    return text_table("friedman", "metric", lines)


def holm_table(measured: Measured, metric: str) -> Table:
    """Return one of the paper's Tables 7 to 9, with adjusted p-values."""
    control, corrected, printed = holm_tables(measured, metric)
    ranks = friedman_aligned(measured.whole(metric, NINE), ties=TIES).mean_ranks
    published = TESTS["holm"][metric]
    recomputed = holm_test(PUBLISHED[metric], control=published["control"])
    recomputed = recomputed.set_index("method")
    lines = {}
    for method, row in corrected.iterrows():
        theirs = published["p"].get(str(method))
        lines[str(method)] = {
            "mean rank": f"{ranks[method]:.1f}",
            "z": f"{row['z']:.2f}",
            "p, adjusted": f"{row['p_holm']:.2g}",
            "rejected": _YES[bool(row["rejected"])],
            "paper's SE: p, adjusted": f"{printed.loc[method, 'p_holm']:.2g}",
            "paper's SE: rejected": _YES[bool(printed.loc[method, "rejected"])],
            "published p, not adjusted": as_text(theirs, "{:.2g}"),
            "published: rejected": _YES[method in published["rejected"]],
            "published scores, corrected SE: rejected": (
                _YES[bool(recomputed.loc[method, "rejected"])]
                if method in recomputed.index
                else "–"
            ),
        }
    table = text_table(f"holm-{metric}", "method", lines)
    table.caption = f"Holm's test of {METRICS[metric]} against {control}"
    return table


def wilcoxon_table(measured: Measured) -> Table:
    """Return the paper's Table 10."""
    lines = {}
    for metric, name in METRICS.items():
        pair = measured.whole(metric, [MAX, AVE])
        ours = wilcoxon_signed_rank(pair[MAX], pair[AVE])
        theirs = TESTS["wilcoxon_max_vs_ave"][metric]
        lines[name] = {
            "R+": f"{ours.r_plus:g}",
            "R-": f"{ours.r_minus:g}",
            "p": f"{ours.pvalue:.2g}",
            "different": _YES[bool(ours.pvalue < LEVEL)],
            "published R+": f"{theirs['r_plus']:g}",
            "published R-": f"{theirs['r_minus']:g}",
            "published p": f"{theirs['p']:.2g}",
        }
    return text_table("wilcoxon", "metric", lines)


def seconds_table(measured: Measured) -> Table:
    """Return the median seconds of a fit."""
    seconds = measured.seconds
    whole = seconds.dropna(axis=1, how="all").dropna()
    label = "mean" if len(whole) == len(seconds) else f"mean of {len(whole)}"
    seconds = pd.concat([seconds, whole.mean().to_frame(label).T])
    seconds.index.name = "data set"
    texts = seconds.map(lambda value: as_text(value, "{:.2g}"))
    return Table("seconds", "Median seconds of one fit", seconds, texts)


def averages_table(*measured: Measured | None) -> Table:
    """Return all methods' averages over the data sets that all of them have."""
    files = [one for one in measured if one is not None]
    columns, shared = {}, set(files[0].datasets)
    scores = {
        metric: pd.concat([one.scores[metric] for one in files], axis=1)
        for metric in METRICS
    }
    for table in scores.values():
        shared &= set(table.dropna(axis=1, how="all").dropna().index)
    rows = [name for name in files[0].datasets if name in shared]
    for metric, name in METRICS.items():
        part = scores[metric].loc[rows].dropna(axis=1)
        columns[name] = part.mean()
        if min(part.shape) >= 2:
            columns[f"rank, {name}"] = friedman_aligned(part, ties=TIES).mean_ranks
    values = pd.DataFrame(columns)
    seconds = pd.concat([one.seconds for one in files], axis=1).loc[rows].mean()
    values["seconds per fit"] = seconds.reindex(values.index)
    ordered = [*METRICS.values(), *(c for c in values if c.startswith("rank"))]
    values = values[[c for c in [*ordered, "seconds per fit"] if c in values]]
    values = values.reindex(scores["g_mean"].columns).dropna(how="all")
    values.index.name = "method"
    texts = values.map(lambda value: as_text(value, "{:.1f}"))
    texts["seconds per fit"] = values["seconds per fit"].map(
        lambda value: as_text(value, "{:.2g}")
    )
    best = values.eq(values.max())
    for column in values:
        if column.startswith("rank"):
            best[column] = values[column].eq(values[column].min())
    best["seconds per fit"] = False
    table = Table("averages", "", values, texts, best)
    table.n_datasets = len(rows)  # type: ignore[attr-defined]
    return table


def against(
    ours: pd.DataFrame, method: str, theirs: pd.DataFrame, other: str
) -> SimpleNamespace | None:
    """Compare two methods over the data sets that both have."""
    if method not in ours or other not in theirs:
        return None
    pair = pd.DataFrame({"a": ours[method], "b": theirs[other]}).dropna()
    if len(pair) < 2:
        return None
    gap = pair["a"] - pair["b"]
    return SimpleNamespace(
        method=method,
        other=other,
        gap=gap.mean(),
        wins=int((gap > TIE).sum()),
        n=len(gap),
        p=wilcoxon_signed_rank(pair["a"], pair["b"]).pvalue,
        worst=gap.sort_values(kind="stable"),
    )


def text_table(key: str, corner: str, lines: dict[str, dict[str, str]]) -> Table:
    """Return a table of texts."""
    texts = pd.DataFrame(lines).T.rename_axis(corner)
    return Table(key, "", texts, texts)


def curve_facts(curves: pd.DataFrame, fitness: str) -> SimpleNamespace:
    """Return what more search brings for one fitness."""

    def at(search: str, generation: int | None) -> pd.DataFrame:
        rows = curves[(curves["fitness"] == fitness) & (curves["search"] == search)]
        generation = rows["generation"].max() if generation is None else generation
        return rows[rows["generation"] == generation].set_index("dataset").sort_index()

    def changes(before: pd.DataFrame, after: pd.DataFrame) -> dict[str, float]:
        return {
            name: 100 * float((after[m] - before[m]).mean())
            for m, name in METRICS.items()
        }

    first, end = at("joint", 0), at("joint", None)
    last = int(end["generation"].iloc[0])
    middle = max([g for g in set(curves["generation"]) if 0 < g <= last // 10] or [0])
    half = at("joint", int(middle))
    pairwise, random = at("pairwise", None), at("random", None)
    return SimpleNamespace(
        name=fitness.upper(),
        n=len(end),
        middle=int(middle),
        last=last,
        fitness=[float(t["best_fitness"].mean()) for t in (first, half, end)],
        all_changes=changes(first, end),
        late_changes=changes(half, end),
        pairwise_fitness=float(pairwise["best_fitness"].mean()),
        pairwise_generations=int(pairwise["generation"].iloc[0]),
        pairwise_share=float((pairwise["n_svms"] / end["n_svms"]).mean()),
        pairwise_lower=int((pairwise["best_fitness"] < end["best_fitness"]).sum()),
        pairwise_changes=changes(end, pairwise),
        random_fitness=float(random["best_fitness"].mean()),
        random_higher=int((random["best_fitness"] > end["best_fitness"]).sum()),
        random_changes=changes(end, random),
    )


def lost_by(
    points: float, scores: pd.DataFrame, method: str
) -> list[tuple[str, float]]:
    """Return data sets where a method is behind the best of all by more than this."""
    if method not in scores:
        return []
    behind = (scores.max(axis=1) - scores[method]).dropna()
    far = behind[behind > points].sort_values(ascending=False, kind="stable")
    return [(str(name), float(gap)) for name, gap in far.items()]


def standard_error(table: pd.DataFrame, variant: str, base: str, metric: str) -> tuple:
    """Return mean and deviation over repeats of a variant less the base, in points."""
    per_set = table.groupby(["variant", "repeat", "dataset"])[metric].mean()
    per_repeat = 100 * per_set.groupby(level=["variant", "repeat"]).mean()
    gap = per_repeat[variant] - per_repeat[base]
    return float(gap.mean()), float(gap.std()) if len(gap) > 1 else np.nan
