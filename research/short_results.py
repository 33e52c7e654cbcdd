"""Fill the short table and the picture of README and docs from the rows in results/.

    python research/short_results.py

Text between ``<!-- short results: begin -->`` and ``<!-- short results: end -->`` is
replaced in every page that has these marks.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd

from isvmde.bench import Results, load_results
from isvmde.bench.figures import new_figure, to_bytes
from isvmde.bench.tables import METRIC_NAMES, confusions, score_table
from isvmde.datasets import load_dataset
from isvmde.plots import RecallDisplay

ROOT = Path(__file__).resolve().parents[1]
FILES = ("paper.csv", "competitors.csv")
PAGES = ("README.md", "docs/index.md", "docs/which.md")
SHOWN = "hcv"  # the data set of the picture
# The methods of the short table, in its order; those not yet measured are left out.
NAMES = {
    "i-SVM-LOO": "**`ISVMClassifierCV`**",
    "balanced SVC": "balanced SVC",
    "random forest": "random forest",
    "gradient boosting": "gradient boosting",
    "CatBoost": "CatBoost",
    "WK-SMOTE": "WK-SMOTE",
    "SVM": "plain SVM",
    "i-SVM-DE-AVE": "i-SVM-DE, the paper",
}
DRAWN = ("i-SVM-LOO", "balanced SVC", "random forest", "gradient boosting")
_MARKS = re.compile(
    r"(<!-- short results: begin -->\n).*?(<!-- short results: end -->)", re.DOTALL
)


def read_parts(folder: Path) -> list[Results]:
    """Return the results in the files that hold the short table's methods."""
    return [load_results(folder / name) for name in FILES]


def make_table(parts: list[Results]) -> str:
    """Return the means over all data sets in Markdown, the best of each in bold."""
    scores = {
        metric: pd.concat([score_table(part, metric).mean() for part in parts])
        for metric in METRIC_NAMES
    }
    seconds = pd.concat([_seconds(part) for part in parts])
    lines = [
        "| | " + " | ".join(METRIC_NAMES.values()) + " | seconds |",
        "| --- |" + " ---: |" * (len(METRIC_NAMES) + 1),
    ]
    for method, name in NAMES.items():
        if method not in seconds.index:
            continue
        cells = [_bold_if_best(scores[m], method) for m in METRIC_NAMES]
        lines.append(f"| {name} | {' | '.join(cells)} | {seconds[method]:.2g} |")
    return "\n".join(lines)


def _seconds(results: Results) -> pd.Series[float]:
    """Return every method's seconds per fit, the mean over data sets."""
    middle = results.done.groupby(["dataset", "method"])["fit_seconds"].median()
    return middle.unstack().mean()


def _bold_if_best(scores: pd.Series[float], method: str) -> str:
    """Return a score in per cent, in bold if no other is higher."""
    shown = scores[scores.index.isin(NAMES)]
    text = f"{scores[method]:.1f}"
    return f"**{text}**" if scores[method] == shown.max() else text


def draw_recall(parts: list[Results], dataset: str) -> bytes:
    """Draw the recall of every class over all folds as SVG."""
    labels, sizes = np.unique(load_dataset(dataset).target, return_counts=True)
    matrices = {k: v for part in parts for k, v in confusions(part, dataset).items()}
    recall = {}
    for method in DRAWN:
        if method in matrices:
            name = NAMES[method].strip("*`") if method == DRAWN[0] else method
            recall[name] = np.diag(matrices[method]) / matrices[method].sum(axis=1)
    labels = np.array([str(label).partition("=")[2] or label for label in labels])
    table = pd.DataFrame(recall, index=labels)
    # narrow enough for a phone, with room for the legend below
    ax = new_figure(4.8, 1.7 + 0.56 * len(labels)).subplots()
    display = RecallDisplay(table, pd.Series(sizes, index=labels))
    return to_bytes(display.plot(ax).figure_, "svg")


def fill(page: str, text: str) -> str:
    """Put a text between the marks of a page."""
    return _MARKS.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page)


def main() -> None:
    """Fill the pages and write the picture."""
    parts = read_parts(ROOT / "results")
    table = make_table(parts)
    (ROOT / "docs/img/short-recall.svg").write_bytes(draw_recall(parts, SHOWN))
    for name in PAGES:
        path = ROOT / name
        path.write_text(fill(path.read_text("utf-8"), table), encoding="utf-8")
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
