"""The chosen parameters of a fitted model as HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np


def params_table(
    params: Mapping[Any, Mapping[str, Any]], support: np.ndarray, n_models: int
) -> str:
    """Return the chosen parameters as an HTML table, ranks where some pair has them.

    They are those of the best of ``n_models`` that are averaged, if any are.
    """
    names = ["kernel", "C_pos", "C_neg", "margin_pos", "margin_neg", "sigma", "degree"]
    if any(chosen["ranks"] for chosen in params.values()):
        names.insert(1, "ranks")
    head = "".join(f"<th>{name}</th>" for name in ("pair", *names, "support vectors"))
    body = ""
    for (pair, chosen), count in zip(params.items(), support, strict=True):
        cells = [f"{html.escape(str(pair[0]))} / {html.escape(str(pair[1]))}"]
        for name in names:
            value = chosen[name]
            irrelevant = (name == "sigma" and chosen["kernel"] != "rbf") or (
                name == "degree" and chosen["kernel"] != "poly"
            )
            text = f"{value:.3g}" if isinstance(value, float) else str(value)
            if name == "ranks":
                text = "yes" if value else ""
            cells.append("" if irrelevant else html.escape(text))
        cells.append(str(int(count)))
        body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    of = f" (the best of {n_models} models that are averaged)" if n_models else ""
    return (
        f"<details><summary>Chosen parameters of every pair{of}</summary>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )
