"""Draw the pictures of the guide from a model fitted here.

    python scripts/doc_figures.py

The same package versions give the same bytes.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("Agg")

from isvmde import ISVMClassifierCV
from isvmde.bench.figures import to_bytes
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.plots import (
    ExplanationDisplay,
    ModelWeightsDisplay,
    RecallDisplay,
    ReliabilityDisplay,
)

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "img"


def main() -> None:
    """Fit the guide's model and write its pictures."""
    hcv = load_dataset("hcv")
    X, y = make_preprocessor(hcv).fit_transform(hcv.data), hcv.target
    model = ISVMClassifierCV(random_state=0).fit(X, y)
    rest = np.arange(len(y)) != 570
    without = ISVMClassifierCV(random_state=0).fit(X[rest], y[rest])
    names = [str(label).partition("=")[2] for label in y]
    labels = [str(label).partition("=")[2] for label in model.classes_]
    displays = {
        "loo-recall": RecallDisplay.from_report(model.loo_report()),
        "explanation": ExplanationDisplay.from_estimator(without, X, row=570),
        "model-weights": ModelWeightsDisplay.from_estimator(model),
        "reliability": ReliabilityDisplay.from_predictions(
            names, model.loo_proba_, labels=labels, prior=model.prior_
        ),
    }
    for name, display in displays.items():
        path = FOLDER / f"{name}.svg"
        path.write_bytes(to_bytes(display.figure_, "svg"))
        print(path.relative_to(FOLDER.parents[1]))


if __name__ == "__main__":
    main()
