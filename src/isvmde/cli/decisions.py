"""The options with which ``isvmde predict`` decides: prior, costs, thresholds."""

import csv
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd

from isvmde.cli import options
from isvmde.cli.methods import read_prior as read_prior_option
from isvmde.cli.output import join
from isvmde.decisions import CostMatrix, move_prior
from isvmde.decisions.deciding import decide_from_proba
from isvmde.decisions.priors import read_prior
from isvmde.model_file import SavedModel
from isvmde.tables.cells import shortest
from isvmde.tables.notation import choose_format, count_signs, plain_text

decision_options = options.adding(
    click.option(
        "--prior",
        metavar="PRIOR",
        help="How frequent the classes are in DATA: balanced, training, or "
        "class=probability,... for every class [as trained].",
    ),
    click.option(
        "--costs",
        type=options.FILE,
        metavar="FILE",
        help="CSV of what mistakes cost: true classes in rows, decisions in columns; "
        "or two columns, the true class and the cost of missing it.",
    ),
    click.option(
        "--threshold",
        metavar="CLASS=P,...",
        help="Predict a class once it has this probability.",
    ),
)


class Decided(NamedTuple):
    """The decision on every row, and the probabilities under the prior asked for."""

    predicted: np.ndarray
    proba: np.ndarray | None  # None if not wanted, or not to be had
    costs: CostMatrix | None = None

    def among(self, rows: np.ndarray) -> "Decided":
        """Return the decisions on some rows."""
        proba = None if self.proba is None else self.proba[rows]
        return Decided(self.predicted[rows], proba, self.costs)

    def table(self, true: list[str]) -> pd.DataFrame | None:
        """Count decisions by true class, where some decisions are not classes.

        Such predictions have no recall or precision: "ask a doctor" is neither right
        nor wrong.
        """
        if self.costs is None or len(self.costs.decisions) == len(self.costs.classes):
            return None
        taken = pd.Series([shortest(label) for label in self.predicted])
        decisions = [shortest(name) for name in self.costs.decisions]
        counts = pd.crosstab(pd.Series(true), taken)
        return counts.reindex(columns=decisions, fill_value=0).rename_axis(
            index=None, columns=None
        )

    def cost_remark(self, true: Iterable[str]) -> str | None:
        """Say what the decisions cost, row by row, where the truth is known."""
        if self.costs is None or self.proba is None:
            return None
        rows = {shortest(label): k for k, label in enumerate(self.costs.classes)}
        columns = {shortest(name): k for k, name in enumerate(self.costs.decisions)}
        known = [(k, rows[text]) for k, text in enumerate(true) if text in rows]
        if not known:
            return None
        place = [k for k, _ in known]
        row = [true_row for _, true_row in known]
        taken = [columns[shortest(self.predicted[k])] for k in place]
        likeliest = np.argmax(self.proba[place], axis=1)
        paid = self.costs.values[row, taken].mean()
        otherwise = self.costs.values[row, likeliest].mean()
        return (
            f"these decisions cost {paid:.4g} per row; predicting the likeliest class "
            f"would cost {otherwise:.4g}"
        )


class DecisionOptions(NamedTuple):
    """What `decision_options` were given as."""

    prior: str | None
    costs: Path | None
    threshold: str | None

    def decide(
        self, saved: SavedModel, rows: pd.DataFrame, *, with_proba: bool
    ) -> Decided:
        """Decide on rows that `SavedModel.align` returned."""
        classifier = saved.pipeline[-1]
        if not any(self):
            wanted = with_proba and hasattr(saved.pipeline, "predict_proba")
            proba = saved.predict_proba(rows) if wanted else None
            return Decided(saved.predict(rows), proba)
        if not hasattr(classifier, "prior_"):
            raise ValueError(
                f"{type(classifier).__name__} has no calibrated probabilities, which "
                "--prior, --costs and --threshold need; train the model with --method "
                "i-SVM-LOO"
            )
        if self.costs is not None and self.threshold is not None:
            raise click.UsageError(
                "--costs and --threshold exclude each other: give only one of them."
            )
        classes = saved.pipeline.classes_
        by_text = {shortest(label): label for label in classes.tolist()}
        proba = saved.predict_proba(rows)
        if self.prior is not None:
            new = self._new_prior(classifier)
            proba = move_prior(proba, classifier.prior_, new)
        costs = None if self.costs is None else read_costs(self.costs, by_text)
        threshold = None
        if self.threshold is not None:
            threshold = read_thresholds(self.threshold, by_text)
        decided = decide_from_proba(proba, classes, costs, threshold)
        matrix = None if costs is None else CostMatrix.read(costs, classes)
        return Decided(decided, proba, matrix)

    def _new_prior(self, classifier: Any) -> np.ndarray:
        """Return the class frequencies that ``--prior`` stands for."""
        if self.prior == "auto":
            raise click.BadParameter(
                "'auto' is for `isvmde fit`; use balanced, training, or "
                "class=probability for every class",
                param_hint="'--prior'",
            )
        given = read_prior_option(str(self.prior), classifier.classes_.tolist())
        return read_prior(given, classifier.classes_, classifier.class_count_)


def read_costs(path: Path, by_text: dict[str, Any]) -> pd.DataFrame | dict[Any, float]:
    """Return the costs in a csv, with the labels of the classes as names."""
    cells = _read_cells(path)
    names = list(cells.columns)
    true, decisions = names[0], names[1:]
    cells.index = pd.Index([by_text.get(name, name) for name in cells[true]])
    table = cells[decisions].rename(columns=lambda name: by_text.get(name, name))
    values = _in_plain_notation(table, path)
    for label in set(values.index) & set(values.columns):
        values.loc[label, label] = values.loc[label, label] or "0"
    if len(decisions) == 1 and decisions[0] not in by_text:
        pairs = pd.to_numeric(values.iloc[:, 0], errors="coerce")
        missing = [name for name, label in by_text.items() if label not in pairs.index]
        if missing or pairs.isna().any():
            raise ValueError(
                f"--costs {path}: give a number for each of the classes {join(by_text)}"
            )
        return {label: float(cost) for label, cost in pairs.items()}
    try:
        CostMatrix.read(values, list(by_text.values()))
    except ValueError as error:
        raise ValueError(f"--costs {path}: {error}") from error
    return values


def _in_plain_notation(table: pd.DataFrame, path: Path) -> pd.DataFrame:
    """Return costs with a decimal point and without separated thousands."""
    cells = [str(text) for text in table.to_numpy().ravel() if text]
    signs = count_signs(Counter(cells).items())
    form, _ = choose_format(signs)
    if signs.open and not (signs.decimal or signs.groups):
        thousand = signs.example.replace(",", "").replace(".", "")
        raise ValueError(
            f"--costs {path}: {signs.example!r} may be {thousand}, or a fraction; "
            "write it without separated thousands, or with two decimals"
        )
    return table.map(lambda text: plain_text(text, form))


def _read_cells(path: Path) -> pd.DataFrame:
    """Return the cells of a csv as text, whatever its separator."""
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"--costs {path} is not a csv in UTF-8; save it as one"
        ) from error
    lines = [line for line in lines if line.strip()]
    header = lines[0] if lines else ""
    separator = max(";,\t", key=header.count)
    rows = [
        [cell.strip() for cell in row] for row in csv.reader(lines, delimiter=separator)
    ]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise ValueError(
            f"--costs {path} needs a header and two columns or more: the true class "
            "first, then the cost of each decision"
        )
    if any(len(row) != len(rows[0]) for row in rows):
        raise ValueError(f"--costs {path} has rows of different lengths; complete them")
    return pd.DataFrame(rows[1:], columns=rows[0])


def read_thresholds(text: str, by_text: dict[str, Any]) -> dict[Any, float]:
    """Return the thresholds of ``a=0.2,b=0.1`` by class."""
    found = {}
    for part in options.split_names(text):
        name, _, number = part.rpartition("=")
        try:
            found[by_text[name.strip()]] = options.read_share(number)
        except (KeyError, ValueError):
            raise _bad_threshold(by_text) from None
    if not all(0.0 < value <= 1.0 for value in found.values()) or not found:
        raise _bad_threshold(by_text)
    return found


def _bad_threshold(names: Iterable[str]) -> click.BadParameter:
    """Return the error for a threshold that cannot be used."""
    return click.BadParameter(
        "use class=probability, above 0 and at most 1, as in ill=0.2; the classes are "
        f"{join(names)}",
        param_hint="'--threshold'",
    )
