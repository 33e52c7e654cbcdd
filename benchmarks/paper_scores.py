"""The paper's scores of i-SVM-DE beside ours: `python -m benchmarks.paper_scores`.

Every data set is split by the paper's folds, several times; columns are scaled and
coded inside the fold, the search is the paper's (joint, 40 individuals x 200
generations). Options try other readings of what the paper leaves open, for example

    python -m benchmarks.paper_scores --set delta=0.01 --datasets zoo hayes-roth
"""

from __future__ import annotations

import argparse
import ast
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from isvmde import ISVMDEClassifier
from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score
from isvmde.published import METRICS, load_scores

DATASETS = ("zoo", "hayes-roth", "newthyroid", "balance", "glass")
FITNESS = {"i-SVM-DE-AVE": "ave", "i-SVM-DE-MAX": "max"}
SCORES = dict(zip(METRICS, (g_mean_score, av_f_beta_score, cba_score), strict=True))


def fold_scores(name: str, repeat: int, **params: Any) -> list[dict[str, float]]:
    """Return the scores of one model on each of five folds, in per cent."""
    bunch = load_dataset(name)
    y = np.asarray(bunch.target)
    rows = []
    folds = PaperKFold(5, random_state=repeat).split(bunch.data, y)
    for fold, (train, test) in enumerate(folds):
        columns = make_preprocessor(bunch)
        X = columns.fit_transform(bunch.data.iloc[train])
        model = ISVMDEClassifier(random_state=1000 * repeat + fold, **params)
        model.fit(X, y[train])
        predicted = model.predict(columns.transform(bunch.data.iloc[test]))
        rows.append(
            {key: 100 * score(y[test], predicted) for key, score in SCORES.items()}
        )
    return rows


def compare(
    datasets: tuple[str, ...] = DATASETS, repeats: int = 3, **params: Any
) -> pd.DataFrame:
    """Return a row per (data set, method): ours, the paper's and the difference."""
    published = {metric: load_scores(metric) for metric in METRICS}
    rows = []
    for name in datasets:
        for method, fitness in FITNESS.items():
            folds = [
                row
                for repeat in range(repeats)
                for row in fold_scores(name, repeat, fitness=fitness, **params)
            ]
            ours = pd.DataFrame(folds).mean()
            row: dict[str, Any] = {"dataset": name, "method": method}
            for metric in METRICS:
                paper = float(published[metric].loc[name, method])
                row[metric] = ours[metric]
                row[f"{metric} paper"] = paper
                row[f"{metric} diff"] = ours[metric] - paper
            rows.append(row)
            print(_line(row), flush=True)
    return pd.DataFrame(rows)


def _line(row: dict[str, Any]) -> str:
    """Return one row for reading while the rest is computed."""
    cells = [
        f"{row[m]:6.2f} (paper {row[f'{m} paper']:6.2f}, {row[f'{m} diff']:+6.2f})"
        for m in METRICS
    ]
    return f"{row['dataset']:11s} {row['method']:13s} " + "  ".join(cells)


def summary(table: pd.DataFrame) -> str:
    """Return the signed mean difference and the largest one for every metric."""
    lines = []
    for metric in METRICS:
        diff = table[f"{metric} diff"]
        worst = table.loc[diff.abs().idxmax()]
        lines.append(
            f"{metric:10s} mean difference {diff.mean():+.2f}, largest "
            f"{worst[f'{metric} diff']:+.2f} ({worst['dataset']}, {worst['method']})"
        )
    return "\n".join(lines)


def main() -> None:
    """Read the options, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", nargs="+", default=list(DATASETS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of ISVMDEClassifier, such as delta=0.01",
    )
    given = parser.parse_args()
    params = {}
    for item in given.set:
        name, _, value = item.partition("=")
        try:
            params[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            params[name] = value
    print("G-mean, AvF and CBA in per cent, ours (paper, difference)")
    with threadpool_limits(1):
        table = compare(tuple(given.datasets), given.repeats, **params)
    print(summary(table))


if __name__ == "__main__":
    main()
