"""Draw the pictures of the pages from models fitted here, as the pages' code does.

    python scripts/doc_figures.py

Those in `HEIGHTS` are narrow, with legends below and parts one above the other, so that
they can be read on a phone; docs/css/wide.css lets the others scroll. The same package
versions give the same bytes.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib
import numpy as np
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

matplotlib.use("Agg")

from isvmde import ISVMClassifierCV
from isvmde.bench.figures import new_figure, to_bytes
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.plots import (
    ExplanationDisplay,
    ModelWeightsDisplay,
    PrecisionRecallDisplay,
    RecallDisplay,
    ReliabilityDisplay,
    RocDisplay,
    ThresholdDisplay,
)
from isvmde.plots.appearance import Display
from isvmde.tables import TablePreprocessor, TableWarning, read_table

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "img"
DATA = FOLDER.parent / "data"
WIDTH = 4.6  # inches
HEIGHTS = {
    "loo-recall": (2.6,),
    "explanation": (1.7, 3.2),
    "new-patient": (1.5, 3.2),
    "reliability": (5.4,),
    "threshold": (5.0,),
    "roc": (5.2,),
    "precision-recall": (5.2,),
}
"""Inches of every part of a picture, from top to bottom."""


def draw_guide() -> dict[str, Display]:
    """Fit the guide's models and draw its pictures."""
    hcv = load_dataset("hcv")
    X, y = make_preprocessor(hcv).fit_transform(hcv.data), hcv.target
    model = ISVMClassifierCV(random_state=0).fit(X, y)
    rest = np.arange(len(y)) != 570
    without = ISVMClassifierCV(random_state=0).fit(X[rest], y[rest])
    names = [str(label).partition("=")[2] for label in y]
    labels = [str(label).partition("=")[2] for label in model.classes_]
    return {
        "loo-recall": RecallDisplay.from_report(model.loo_report()),
        "explanation": ExplanationDisplay.from_estimator(without, X, row=570),
        "model-weights": ModelWeightsDisplay.from_estimator(model),
        "reliability": ReliabilityDisplay.from_predictions(
            names, model.loo_proba_, labels=labels, prior=model.prior_
        ),
    }


def draw_new_patient() -> dict[str, Display]:
    """Fit the start page's model and draw its explanation of a new row."""
    patients = read_table(DATA / "patients.csv").dropna(subset="diagnosis")
    X, y = patients.drop(columns="diagnosis"), patients["diagnosis"]
    model = make_pipeline(TablePreprocessor(), ISVMClassifierCV(random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        model.fit(X, y)
        new = read_table(DATA / "new.csv")
        display = ExplanationDisplay.from_estimator(model, new, row=2)
    return {"new-patient": display}


def draw_decisions() -> dict[str, Display]:
    """Fit the model of the page on decisions and draw its curves."""
    cleveland = load_dataset("cleveland")
    X = make_preprocessor(cleveland).fit_transform(cleveland.data)
    grade = cleveland.target.astype(int)
    y = np.select([grade == 0, grade <= 2], ["none", "mild"], "severe")
    model = ISVMClassifierCV(prior="training", random_state=0).fit(X, y)
    seen = {"y_true": y, "y_proba": model.loo_proba_, "labels": model.classes_}
    return {
        "threshold": ThresholdDisplay.from_predictions(
            **seen, label="severe", cost_ratio=10
        ),
        "roc": RocDisplay.from_predictions(**seen),
        "precision-recall": PrecisionRecallDisplay.from_predictions(**seen),
    }


def draw_narrow(display: Display, heights: tuple[float, ...]) -> Figure:
    """Draw a display once more, its parts one above the other."""
    figure = new_figure(WIDTH, sum(heights))
    display.plot(figure.subplots(len(heights), height_ratios=heights))
    return figure


def main() -> None:
    """Write all pictures."""
    displays = draw_guide() | draw_new_patient() | draw_decisions()
    for name, display in displays.items():
        path = FOLDER / f"{name}.svg"
        figure: object = display.figure_
        if name in HEIGHTS:
            figure = draw_narrow(display, HEIGHTS[name])
        path.write_bytes(to_bytes(figure, "svg"))
        print(path.relative_to(FOLDER.parents[1]))


if __name__ == "__main__":
    main()
