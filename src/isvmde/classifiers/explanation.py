"""Why a row was predicted: pairs, and the training samples that decided."""

import html
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isvmde.core.averaging.machines import Machines
from isvmde.core.averaging.settings import Setting
from isvmde.core.decomposition.coupling import confidence


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
        speaks for the predicted class, negative against it. Largest first, regardless
        of sign; at least a third are of either sign, where there are that many.
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
        pairs, support = (
            table.to_string(index=False, float_format="{:.3f}".format)
            for table in (self.pairs, self.support)
        )
        return (
            f"Predicted {self.predicted}  ({chance})\n\n"
            f"Against each other class\n{pairs}\n\n"
            f"Training rows that decided\n{support}"
        )

    def _repr_html_(self) -> str:
        """Return the tables for a notebook."""
        chance = pd.DataFrame({"probability": self.proba})
        tables = [
            table.to_html(float_format="{:.3f}".format, index=table is chance)
            for table in (chance, self.pairs, self.support)
        ]
        heading = f"<b>Predicted {html.escape(str(self.predicted))}</b>"
        return heading + "".join(tables)


def explain_row(
    model: Any, x: np.ndarray, f: np.ndarray, chance: np.ndarray, n_rows: int
) -> Explanation:
    """Explain a row, given its log odds f per pair and its chance of every class."""
    c, pairs, classes = int(np.argmax(chance)), model._pair_index, model.classes_
    own = (pairs == c).any(axis=1)
    side = np.where(pairs[:, 0] == c, 1.0, -1.0)
    machines, settings = model._trained
    machines = machines.some(own[machines.pair]).without_idle_rows()
    share = side[machines.pair] * machines.weight / own.sum()
    said, baseline = _contributions(machines, settings, x, share)
    # a row may support machines of several samples: what it says is added up
    given, first, place = np.unique(
        machines.given, return_index=True, return_inverse=True
    )
    total = np.bincount(place, said, len(given))
    order = _strongest(total, n_rows)
    against = {
        "other": classes[pairs[own].sum(axis=1) - c],
        "probability": confidence(side[own] * f[own]),
    }
    support = {
        "row": given[order],
        "class": classes[machines.label[first[order]]],
        "contribution": total[order],
    }
    proba = dict(zip(classes.tolist(), chance.tolist(), strict=True))
    return Explanation(
        predicted=classes.tolist()[c],
        proba=proba,
        pairs=pd.DataFrame(against),
        support=pd.DataFrame(support),
        baseline=baseline,
    )


def _strongest(total: np.ndarray, n_rows: int) -> np.ndarray:
    """Return the rows that contribute most, of both signs, the largest first."""
    order = np.argsort(-np.abs(total), kind="stable")
    order = order[total[order] != 0.0]
    least = max(n_rows // 3, 1) if n_rows > 1 else 0
    first = np.zeros(len(total), dtype=bool)  # what is named whatever its size
    for sign in (1.0, -1.0):
        first[order[np.sign(total[order]) == sign][:least]] = True
    rest = order[~first[order]][: max(n_rows - int(first.sum()), 0)]
    first[rest] = True
    return np.asarray(order[first[order]])


def _contributions(
    machines: Machines, settings: list[Setting], x: np.ndarray, share: np.ndarray
) -> tuple[np.ndarray, float]:
    """Return what every support row says at ``x``, and the rest."""
    # A machine says tanh f, f = sum_i beta_i K_i + b. Since sum(beta) = 0, K_i may be
    # counted from the least similar support vector on: then a row speaks for its own
    # class. The parts of f are scaled to those of tanh f, and to the machine's share.
    total, baseline = np.zeros(len(machines.rows)), 0.0
    for q, s in enumerate(machines.kernel_setting):
        kernel, sight = settings[s].for_solver, settings[s].sight
        rows = machines.views.see(machines.rows, sight)
        here = machines.views.see(x[None], sight)
        K = kernel.between(here, rows)[0]
        for k in range(machines.kernel_start[q], machines.kernel_start[q + 1]):
            own = slice(machines.start[k], machines.start[k + 1])
            index, beta = machines.index[own], machines.beta[own]
            f = float(np.sum(beta * K[index]) + machines.intercept[k])
            scale = (np.tanh(f) / f if f != 0.0 else 1.0) * share[k]
            part = scale * beta * (K[index] - K[index].min(initial=np.inf))
            np.add.at(total, index, part)
            baseline += scale * f - float(np.sum(part))
    return total, baseline
