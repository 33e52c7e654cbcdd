"""Honest company: what a practitioner would use instead, on the same folds."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from isvmde.bench.content import Section, Table
from isvmde.stats import wilcoxon_signed_rank
from results_page.measured import AVE, DATASETS, METRICS, Measured, names

BEST = "best of the methods above"
TIE = 1e-9  # points


def company_section(ours: Measured | None, company: Measured | None) -> Section:
    """Return the company's tables, and where it wins."""
    section = Section("Honest company")
    if company is None:
        section.paragraphs.append("Not measured yet: results/company.csv is missing.")
        return section
    section.paragraphs.append(
        "The same folds for what a practitioner would use instead: scikit-learn's SVC "
        "with balanced costs (the grid of Table 2, three inner folds, chosen by "
        "G-mean), a random forest (300 trees) and histogram gradient boosting with "
        "balanced weights, imbalanced-learn's BalancedRandomForest (300 trees) and "
        "logistic regression with balanced weights (C from 0.1 to 1000, chosen in the "
        "same way). Nothing else was tuned. The second column is, for each data set, "
        "the best of all methods of the tables above, chosen after the fact, which "
        "favours it. Bold: company that beats it."
    )
    if ours is None:
        section.paragraphs.append("There are no rows of our methods to compare with.")
        return section
    for metric in METRICS:
        section.tables.append(_table(ours, company, metric))
    section.paragraphs += [
        "Where company beats the best of the methods above:",
        _list(_wins(ours, company, method) for method in company.methods),
        f"Each against {AVE}, averaged over the data sets:",
        _list(_against_ave(ours, company, method) for method in company.methods),
        _overall(ours, company),
    ]
    return section


def _list(lines: Iterable[str]) -> str:
    """Return lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def _best(ours: Measured, metric: str) -> pd.Series:
    """Return the best score of our methods on each data set."""
    return ours.scores[metric].max(axis=1)


def _table(ours: Measured, company: Measured, metric: str) -> Table:
    """Return scores of the company beside ours."""
    best, theirs = _best(ours, metric), company.scores[metric]
    ave = ours.scores[metric][AVE]
    values = pd.concat([best.rename(BEST), ave, theirs], axis=1)
    whole = values.dropna(axis=1, how="all").dropna()
    label = "average" if len(whole) == len(values) else f"average of {len(whole)}"
    values.loc[label] = whole.mean().reindex(values.columns)
    texts = values.map(_text)
    for dataset in DATASETS:
        for method in company.methods:
            if values.loc[dataset, method] > values.loc[dataset, BEST] + TIE:
                texts.loc[dataset, method] = f"**{texts.loc[dataset, method]}**"
        if pd.notna(best[dataset]):
            winner = ours.scores[metric].loc[dataset].idxmax()
            texts.loc[dataset, BEST] += f" ({winner})"
    return Table(f"company-{metric}", METRICS[metric], values, texts)


def _wins(ours: Measured, company: Measured, method: str) -> str:
    """Name the data sets where a method beats all of ours."""
    parts = []
    for metric, name in METRICS.items():
        theirs = company.scores[metric][method]
        best = _best(ours, metric)
        won = [d for d in DATASETS if theirs[d] > best[d] + TIE]
        parts.append(f"{name} on {names(won)}" + (f" ({len(won)})" if won else ""))
    return f"{method}: {'; '.join(parts)}."


def _against_ave(ours: Measured, company: Measured, method: str) -> str:
    """Compare a method with i-SVM-DE-AVE."""
    parts = []
    for metric, name in METRICS.items():
        pair = pd.concat(
            [company.scores[metric][method], ours.scores[metric][AVE]], axis=1
        ).dropna()
        if len(pair) < 2:
            continue
        gap = pair[method] - pair[AVE]
        p = wilcoxon_signed_rank(pair[method], pair[AVE]).pvalue
        parts.append(
            f"{name} {gap.mean():+.2f} points, higher on {int((gap > 0).sum())} of "
            f"{len(gap)} data sets (Wilcoxon p = {p:.2g})"
        )
    if not parts:
        return f"{method}: too few data sets in common to compare."
    return f"{method}: {'; '.join(parts)}."


def _overall(ours: Measured, company: Measured) -> str:
    """Say which method of all has the best average, metric by metric."""
    parts = []
    for metric, name in METRICS.items():
        table = pd.concat([ours.scores[metric], company.scores[metric]], axis=1)
        whole = table.dropna(axis=1, how="all").dropna()
        if whole.empty:
            continue
        means = whole.mean().sort_values(ascending=False, kind="stable")
        parts.append(
            f"{name} {names(f'{m} ({v:.2f})' for m, v in means.head(3).items())}"
        )
    if not parts:
        return "No data set has been measured with every method of both tables yet."
    return f"The three highest averages of all, company included: {'; '.join(parts)}."


def _text(value: float) -> str:
    """Return a score as text."""
    return "–" if pd.isna(value) else f"{value:.2f}"
