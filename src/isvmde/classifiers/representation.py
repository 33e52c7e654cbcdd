"""What a fitted model learned, as HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from isvmde.metrics import ImbalanceReport

_SHOWN = ("kernel", "C_pos", "C_neg", "margin_pos", "margin_neg", "sigma", "degree")
_HEAVIEST = 3  # kernels named per pair


def params_table(params: Mapping[Any, Mapping[str, Any]], support: np.ndarray) -> str:
    """Return the parameters of one machine per pair."""
    rows = []
    for (pair, chosen), count in zip(params.items(), support, strict=True):
        cells = [_pair(pair)]
        for name in _SHOWN:
            irrelevant = (name == "sigma" and chosen["kernel"] != "rbf") or (
                name == "degree" and chosen["kernel"] not in ("poly", "min")
            )
            cells.append("" if irrelevant else _text(chosen[name]))
        rows.append([*cells, f"{count:.10g}"])
    head = ("pair", *_SHOWN, "support vectors")
    return _table("Chosen parameters of every pair", head, rows)


def pair_table(
    pairs: np.ndarray,
    margins: np.ndarray,
    support: np.ndarray,
    settings: Sequence[Mapping[str, Any]],
    weights: np.ndarray,
) -> str:
    """Return margins, support vectors and heaviest kernels of averaged machines."""
    rows = [
        [_pair(pair), *map(_text, margin), f"{count:.10g}", _heaviest(settings, weight)]
        for pair, margin, count, weight in zip(
            pairs.tolist(), margins.tolist(), support, weights.T, strict=True
        )
    ]
    head = ("pair", "lambda1", "lambda2", "support vectors", "heaviest kernels")
    return _table("Pairs: margins and heaviest kernels", head, rows)


def report_table(report: ImbalanceReport) -> str:
    """Return what leave-one-out says of every class, and the scores."""
    rows = [
        [str(label), f"{support:.10g}", *("-" if np.isnan(v) else _text(v) for v in of)]
        for label, support, *of in report.per_class[
            ["support", "recall", "precision"]
        ].itertuples()
    ]
    scores = "  ".join(
        f"{name} {report.scores[key]:.3f}"
        for name, key in (("G-mean", "g_mean"), ("AvF", "av_f_beta"), ("CBA", "cba"))
    )
    head = ("class", "samples", "recall", "precision")
    return _table(f"Training samples it did not see: {scores}", head, rows)


def _heaviest(settings: Sequence[Mapping[str, Any]], weight: np.ndarray) -> str:
    """Return the kernels and views with most weight, the largest first."""
    total: dict[str, float] = {}
    for setting, share in zip(settings, weight.tolist(), strict=True):
        name = f"{setting['kernel']} on {setting['view']}"
        total[name] = total.get(name, 0.0) + share
    order = sorted(total, key=lambda name: -total[name])[:_HEAVIEST]
    return ", ".join(f"{name} {total[name]:.0%}" for name in order if total[name] > 0)


def _pair(pair: Sequence[Any]) -> str:
    """Return the name of a pair."""
    return f"{pair[0]} / {pair[1]}"


def _text(value: Any) -> str:
    """Return a value for a table."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table that opens on demand; texts are escaped here."""
    names = "".join(f"<th>{html.escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<details><summary>{html.escape(title)}</summary>"
        f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table></details>"
    )
