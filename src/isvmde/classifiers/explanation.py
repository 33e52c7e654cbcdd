"""Why a row was predicted: pairs, and the training samples that decided."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isvmde.core.leave_one_out.machines import Machines
from isvmde.core.leave_one_out.settings import Setting
from isvmde.core.pairs import confidence


@dataclass(frozen=True)
class Explanation:
    """Why one row was predicted as it was.

    Attributes
    ----------
    predicted : label
        The predicted class.
    proba : dict
        Probability of every class.
    pairs : DataFrame
        ``other`` class and ``probability`` of the predicted class against it alone.
    support : DataFrame
        ``row`` of the training data, its ``class`` and its ``contribution``: positive
        speaks for the predicted class. Largest first, regardless of sign.
    baseline : float
        What the pairs say before any training sample is looked at. It and all
        contributions add up to the mean decision of the pairs, between -1 and 1.
    """

    predicted: Any
    proba: dict[Any, float]
    pairs: pd.DataFrame
    support: pd.DataFrame
    baseline: float

    def __str__(self) -> str:
        chance = ", ".join(f"{label}: {p:.3f}" for label, p in self.proba.items())
        return (
            f"Predicted {self.predicted}  ({chance})\n\n"
            f"Against each other class\n{_text(self.pairs)}\n\n"
            f"Training rows that decided\n{_text(self.support)}"
        )

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        chance = pd.DataFrame({"probability": self.proba})
        tables = [chance.to_html(float_format=_three_digits)] + [
            table.to_html(float_format=_three_digits, index=False)
            for table in (self.pairs, self.support)
        ]
        name = html.escape(str(self.predicted))
        return f"<b>Predicted {name}</b>" + "".join(tables)


def _three_digits(value: float) -> str:
    """Return a number for a table."""
    return f"{value:.3f}"


def _text(table: pd.DataFrame) -> str:
    """Return a table as plain text."""
    return str(table.to_string(index=False, float_format=_three_digits))


def explain_rows(model: Any, X: np.ndarray, n_rows: int) -> list[Explanation]:
    """Explain every row of X with a fitted `ISVMClassifierCV`."""
    machines, settings = model._trained
    F = model._pair_decisions(X)
    proba = model._probabilities(X)
    classes = model.classes_
    # a row may support machines of several samples: what it says is added up
    given, first, place = np.unique(
        machines.given, return_index=True, return_inverse=True
    )
    explained = []
    for x, f, chance in zip(X, F, proba, strict=True):
        c = int(np.argmax(chance))
        total, baseline = contributions(machines, settings, model._pair_index, x, c)
        total = np.bincount(place, weights=total, minlength=len(first))
        order = np.argsort(-np.abs(total), kind="stable")[:n_rows]
        order = order[total[order] != 0.0]
        own = (model._pair_index == c).any(axis=1)
        side = np.where(model._pair_index[own, 0] == c, 1.0, -1.0)
        other = model._pair_index[own].sum(axis=1) - c
        explained.append(
            Explanation(
                classes[c].item() if hasattr(classes[c], "item") else classes[c],
                dict(zip(classes.tolist(), chance.tolist(), strict=True)),
                pd.DataFrame(
                    {
                        "other": classes[other],
                        "probability": confidence(side * f[own]),
                    }
                ),
                pd.DataFrame(
                    {
                        "row": given[order],
                        "class": classes[machines.label[first[order]]],
                        "contribution": total[order],
                    }
                ),
                baseline,
            )
        )
    return explained


def contributions(
    machines: Machines,
    settings: list[Setting],
    pairs: np.ndarray,
    x: np.ndarray,
    c: int,
) -> tuple[np.ndarray, float]:
    """Return what every support row says for class ``c`` at ``x``, and the rest.

    A machine says tanh f, f = sum_i beta_i K_i + b. Since sum(beta) = 0, K_i may be
    counted from the least similar support vector on: then a row speaks for its own
    class, the louder the more similar it is. The parts of f are scaled to those of
    tanh f, weighed, and averaged over the pairs of ``c``.
    """
    total, baseline = np.zeros(len(machines.rows)), 0.0
    n_own = int((pairs == c).any(axis=1).sum())
    for q, s in enumerate(machines.kernel_setting):
        setting = settings[s]
        kernel = setting.for_solver
        rows = machines.views.see(machines.rows, setting.view, kernel.base)
        here = machines.views.see(x[None], setting.view, kernel.base)
        K = kernel.between(here, rows)[0]
        for k in range(machines.kernel_start[q], machines.kernel_start[q + 1]):
            plus, minus = pairs[machines.pair[k]]
            if c not in (plus, minus):
                continue
            own = slice(machines.start[k], machines.start[k + 1])
            index, beta = machines.index[own], machines.beta[own]
            f = float(np.sum(beta * K[index]) + machines.intercept[k])
            share = np.tanh(f) / f if f != 0.0 else 1.0
            share *= machines.weight[k] * (1.0 if c == plus else -1.0) / n_own
            similar = K[index] - K[index].min(initial=np.inf)
            part = share * beta * similar
            np.add.at(total, index, part)
            baseline += share * f - float(np.sum(part))
    return total, baseline
