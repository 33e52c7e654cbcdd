"""What a fitted model learned, as HTML for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from isvmde.core.kernels import PARAMETER
from isvmde.metrics import ImbalanceReport

_SHOWN = ("kernel", "C_pos", "C_neg", "margin_pos", "margin_neg", "sigma", "degree")
_HEAVIEST = 3  # kernels named per pair


def params_table(params: Mapping[Any, Mapping[str, Any]], support: np.ndarray) -> str:
    """Return the parameters of one machine per pair."""
    rows = []
    for (pair, chosen), count in zip(params.items(), support, strict=True):
        used = {*_SHOWN[:-2], PARAMETER[chosen["kernel"]]}
        own = {name: chosen[name] if name in used else "" for name in _SHOWN}
        rows.append({"pair": _pair(pair), **own, "support vectors": f"{count:.10g}"})
    return _table("Chosen parameters of every pair", rows)


def pair_table(
    pairs: np.ndarray,
    margins: np.ndarray,
    support: np.ndarray,
    settings: Sequence[Mapping[str, Any]],
    weights: np.ndarray,
) -> str:
    """Return margins, support vectors and heaviest kernels of averaged machines."""
    names = [f"{setting['kernel']} on {setting['view']}" for setting in settings]
    rows = []
    for j, pair in enumerate(pairs.tolist()):
        total = pd.Series(weights[:, j]).groupby(names, sort=False).sum()
        heaviest = total[total > 0].sort_values(ascending=False, kind="stable")
        shares = [f"{name} {share:.0%}" for name, share in heaviest.items()]
        rows.append(
            {
                "pair": _pair(pair),
                "lambda1": margins[j, 0],
                "lambda2": margins[j, 1],
                "support vectors": f"{support[j]:.10g}",
                "heaviest kernels": ", ".join(shares[:_HEAVIEST]),
            }
        )
    return _table("Pairs: margins and heaviest kernels", rows)


def report_table(report: ImbalanceReport) -> str:
    """Return what leave-one-out says of every class, and the scores."""
    rows = [
        {"class": label, "samples": f"{n:.10g}", "recall": recall, "precision": right}
        for label, n, recall, right in report.per_class[
            ["support", "recall", "precision"]
        ].itertuples()
    ]
    names = {"g_mean": "G-mean", "av_f_beta": "AvF", "cba": "CBA"}
    scores = [f"{name} {report.scores[key]:.3f}" for key, name in names.items()]
    return _table(f"Training samples it did not see: {'  '.join(scores)}", rows)


def _pair(pair: Sequence[Any]) -> str:
    """Return the name of a pair."""
    return f"{pair[0]} / {pair[1]}"


def _table(title: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table that opens on demand."""
    shown = pd.DataFrame(rows).to_html(
        index=False, border=0, na_rep="-", float_format="{:.3g}".format
    )
    return f"<details><summary>{html.escape(title)}</summary>{shown}</details>"
