"""Tables 3 to 5 of the paper, measured beside published, and seconds per fit."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isvmde.bench.content import Section, Table
from results_page.measured import METRICS, NINE, PUBLISHED, Measured, names

TABLE_NUMBER = {"g_mean": 3, "av_f_beta": 4, "cba": 5}


def score_section(measured: Measured) -> Section:
    """Return the three tables and how far ours are from the published ones."""
    section = Section(
        "Scores, measured and published",
        [
            "Each cell: measured ± standard deviation over repeats, in per cent; below "
            "it the published score and, in brackets, measured less published. Bold: "
            "the best measured score of a row. The averages are over the data sets "
            "that every method of the table has been measured on."
        ],
    )
    for metric, name in METRICS.items():
        table = _cells(measured, metric)
        title = f"Table {TABLE_NUMBER[metric]} of the paper: {name}"
        section.tables.append(Table(metric, title, measured.scores[metric], table))
    section.paragraphs += [
        _agreement(measured, metric)
        for metric in METRICS
        if measured.scores[metric][NINE].notna().any(axis=None)
    ]
    return section


def _cells(measured: Measured, metric: str) -> pd.DataFrame:
    """Return the texts of a table's cells and its row of averages."""
    ours, sds = measured.scores[metric], measured.sds[metric]
    theirs = PUBLISHED[metric].reindex_like(ours)
    whole = ours.dropna(axis=1, how="all").dropna().index
    label = "average" if len(whole) == len(ours) else f"average of {len(whole)}"
    gap = pd.Series(np.nan, index=ours.columns)
    texts = {
        name: _line(ours.loc[name], sds.loc[name], theirs.loc[name])
        for name in ours.index
    }
    texts[label] = _line(ours.loc[whole].mean(), gap, theirs.loc[whole].mean())
    return pd.DataFrame(texts, index=ours.columns).T


def _line(ours: pd.Series, sds: pd.Series, theirs: pd.Series) -> list[str]:
    """Return the texts of one row."""
    best = ours.round(2).max()
    cells = []
    for m, sd, p in zip(ours, sds, theirs, strict=True):
        text = "–" if pd.isna(m) else f"{m:.2f}"
        text = f"**{text}**" if not pd.isna(m) and round(m, 2) == best else text
        text += "" if pd.isna(sd) else f" ± {sd:.2f}"
        if not pd.isna(p):
            text += f"<br>{p:.2f}" + ("" if pd.isna(m) else f" ({_signed(m - p)})")
        cells.append(text)
    return cells


def _signed(value: float) -> str:
    """Return a difference as text, never -0.00."""
    return f"{round(value, 2) + 0.0:+.2f}"


def _agreement(measured: Measured, metric: str) -> str:
    """Say how far measured and published scores are apart."""
    ours = measured.scores[metric][NINE]
    difference = ours - PUBLISHED[metric]
    values = difference.stack().dropna()
    by_method = difference.mean().dropna().sort_values(kind="stable")
    far = values.abs().sort_values(ascending=False, kind="stable").index[:5]
    text = (
        f"{METRICS[metric]}: over {len(values)} cells ours are {values.mean():+.2f} "
        f"points from the published on average ({values.abs().mean():.2f} in absolute "
        f"value); {_correlation(ours, metric)}by method from {by_method.iloc[0]:+.2f} "
        f"({by_method.index[0]}) to {by_method.iloc[-1]:+.2f} ({by_method.index[-1]}). "
        f"Furthest apart: "
        f"{names(f'{m} on {d} ({values[d, m]:+.1f})' for d, m in far)}."
    )
    sds = measured.sds[metric][NINE].where(ours.notna())
    if sds.notna().any(axis=None):
        near = (difference.abs() <= 2 * sds)[sds.notna()].sum().sum()
        text += (
            f" {int(near)} of {int(sds.notna().sum().sum())} cells lie within two "
            "standard deviations over repeats."
        )
    return text


def _correlation(ours: pd.DataFrame, metric: str) -> str:
    """Say how well ours and theirs agree across all cells."""
    both = pd.DataFrame({"ours": ours.stack(), "theirs": PUBLISHED[metric].stack()})
    both = both.dropna()
    if len(both) < 3:
        return ""
    return f"their correlation is {both['ours'].corr(both['theirs']):.3f}; "


def seconds_section(measured: Measured, key: str, title: str) -> Section:
    """Return the seconds of a fit, the median over folds and repeats."""
    seconds = measured.seconds
    whole = seconds.dropna(axis=1, how="all").dropna()
    texts = seconds.map(_seconds)
    label = "mean" if len(whole) == len(seconds) else f"mean of {len(whole)}"
    texts.loc[label] = whole.mean().reindex(seconds.columns).map(_seconds)
    table = Table(key, "Median seconds of one fit", seconds, texts)
    return Section(
        title,
        ["One fit in one thread, preprocessing and grid search or evolution included."],
        [table],
    )


def _seconds(value: float) -> str:
    """Return seconds as text."""
    return "–" if pd.isna(value) else f"{value:.3g}"
