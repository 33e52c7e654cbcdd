"""Readings of what the paper leaves open, and what another reading would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from dealing import Dealings, folds_effect
from effects import Effect, alike, effect
from measured import AVE, METRICS, Measured
from results_facts import text_table
from sensitivity import Counting

from isvmde.bench.content import Table

NOT_MEASURED = "not measured"


class Reading(NamedTuple):
    """A reading, by its number in the list of departures (0: not in it)."""

    number: int
    question: str
    here: str
    tried: str  # whether the published scores had a say in it
    others: tuple[str, ...]  # other readings, by their key in the measurements


READINGS = (
    Reading(4, "delta in the bound", "0.05", "no", ("delta = 0.025", "delta = 0.1")),
    Reading(5, "N in the bound", "samples of the pair", "no", ()),
    Reading(
        6,
        "support vectors that count",
        "weight of the distinct rows",
        "no",
        ("distinct", "none"),
    ),
    Reading(
        8,
        "width of the rbf kernel",
        "exp(-d²/(2σ²)), σ up to 100",
        "no",
        ("sigma up to 50", "sigma up to 200"),
    ),
    Reading(0, "C that the costs multiply", "1000", "no", ("C = 500", "C = 2000")),
    Reading(
        0, "individuals", "40 (stated)", "no", ("20 individuals", "80 individuals")
    ),
    Reading(
        0, "generations", "200 (stated)", "no", ("100 generations", "400 generations")
    ),
    Reading(
        11,
        "F and CR out of range",
        "F drawn again, CR clipped",
        "no",
        ("F clipped", "CR drawn again"),
    ),
    Reading(
        12,
        "late stage of the evolution",
        "not within 200 generations",
        "no",
        ("late stage",),
    ),
    Reading(
        17,
        "nominal columns of two values",
        "two columns",
        "afterwards",
        ("one column",),
    ),
    Reading(18, "classes that a test fold lacks", "skipped", "their arithmetic", ()),
    Reading(
        19, "folds", "dealt class by class", "yes", ("stratified", "keel", "dob-scv")
    ),
    Reading(20, "repeats", "three", "their arithmetic", ()),
    Reading(21, "choice of the baselines' parameters", "inner G-mean", "no", ()),
    Reading(24, "costs of SDC and WK-SMOTE", "from original counts", "yes", ()),
    Reading(25, "gamma and delta of PPSVM", "window, floor", "no", ()),
    Reading(26, "decision of NBSVM", "largest value", "yes", ()),
)

# What the table cannot say in numbers of AVE.
ELSEWHERE = {
    5: "all samples of the data set would look at the test fold",
    18: "counted as zero, they would cap several published scores below print",
    20: "see the deviations over repeats, and the seeds below",
    21: "see [above](#how-the-baselines-were-chosen): concerns the others",
    24: "concerns the others",
    25: "concerns the others",
    26: "concerns the others: the printed column does not come out either way",
}


@dataclass(frozen=True)
class Measurements:
    """What the other readings were measured with; None where there are no rows."""

    paper: Measured
    ideas: Measured | None
    coding: Measured | None
    dealings: Dealings
    counted: list[Counting]

    def change(self, other: str) -> str | None:
        """Return what another reading changes, as text; None if it was not measured."""
        for one in self.counted:
            if one.reading == other:
                return _as_text(one.changes, one.n_datasets)
        found = self._effect(other)
        if found is None:
            return None
        changes = {metric: change.mean for metric, change in found.changes.items()}
        text = _as_text(changes, found.n_datasets)
        if self.ideas is None or other not in self.ideas.methods:
            return text
        same, folds = alike((self.ideas, other), (self.paper, AVE))
        return f"{text[:-1]}, {same} of {folds} folds alike)"

    def _effect(self, other: str) -> Effect | None:
        """Return the other reading less ours."""
        ours = (self.paper, AVE)
        if other == "one column":
            return effect(other, (self.coding, AVE), ours) if self.coding else None
        if other in self.dealings:
            return folds_effect(self.dealings, other, AVE)
        return effect(other, (self.ideas, other), ours) if self.ideas else None


def readings_table(measurements: Measurements) -> Table:
    """Return every reading with what hangs on it."""
    lines: dict[str, dict[str, str]] = {}
    for reading in READINGS:
        changes = []
        for other in reading.others:
            change = measurements.change(other)
            changes.append(f"{other}: {change or NOT_MEASURED}")
        text = "; ".join(changes) or ELSEWHERE.get(reading.number, NOT_MEASURED)
        number = f" ({reading.number})" if reading.number else ""
        lines[reading.question + number] = {
            "here": reading.here,
            "tried on the published scores": reading.tried,
            "other readings": text,
        }
    table = text_table("readings", "what is open (its number in the list)", lines)
    table.is_markdown = True
    return table


def _as_text(changes: dict[str, float], n_datasets: int) -> str:
    """Return changes of the three metrics, and on how many sets."""
    numbers = " / ".join(f"{round(changes[m], 1) + 0.0:+.1f}" for m in METRICS)
    return f"{numbers} ({n_datasets} sets)"
