"""The chosen parameters of a fitted model as HTML, for notebooks."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

_SHOWN = ("kernel", "C_pos", "C_neg", "margin_pos", "margin_neg", "sigma", "degree")


def params_table(params: Mapping[Any, Mapping[str, Any]], support: np.ndarray) -> str:
    """Return the chosen parameters as an HTML table."""
    head = "".join(f"<th>{name}</th>" for name in ("pair", *_SHOWN, "support vectors"))
    body = ""
    for (pair, chosen), count in zip(params.items(), support, strict=True):
        cells = [f"{html.escape(str(pair[0]))} / {html.escape(str(pair[1]))}"]
        for name in _SHOWN:
            value = chosen[name]
            irrelevant = (name == "sigma" and chosen["kernel"] != "rbf") or (
                name == "degree" and chosen["kernel"] != "poly"
            )
            text = f"{value:.3g}" if isinstance(value, float) else str(value)
            cells.append("" if irrelevant else html.escape(text))
        cells.append(str(int(count)))
        body += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    return (
        "<details><summary>Chosen parameters of every pair</summary>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></details>"
    )
