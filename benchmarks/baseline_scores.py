"""Scores of the seven baselines beside the published ones, on six small data sets.

python benchmarks/baseline_scores.py [--repeats 3] [--datasets zoo ...] [--methods ...]
"""

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline

from isvmde.datasets import PaperKFold, load_dataset, make_preprocessor
from isvmde.methods import METHODS, make_method
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score
from isvmde.published import load_scores

DATASETS = ["zoo", "hayes-roth", "newthyroid", "balance", "glass", "lymphography"]
SCORES = {"g_mean": g_mean_score, "av_f_beta": av_f_beta_score, "cba": cba_score}


def cross_validate(name, method, repeats, params, linear_only):
    """Mean scores in per cent over repeats x 5 folds, each repeat dealt anew."""
    data = load_dataset(name)
    X, y = data.data, np.asarray(data.target)
    rows = []
    for repeat in range(repeats):
        folds = PaperKFold(5, random_state=repeat)
        for k, (train, test) in enumerate(folds.split(X, y)):
            classifier = make_method(method, random_state=1000 * repeat + k)
            classifier.set_params(**{f"estimator__{p}": v for p, v in params.items()})
            if linear_only:
                classifier.set_params(param_grid=classifier.param_grid[0])
            model = make_pipeline(make_preprocessor(data), classifier)
            model.fit(X.iloc[train], y[train])
            predicted = model.predict(X.iloc[test])
            rows.append({s: 100 * f(y[test], predicted) for s, f in SCORES.items()})
    return pd.DataFrame(rows).mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--datasets", nargs="+", default=DATASETS)
    parser.add_argument("--methods", nargs="+", default=METHODS[:7])
    parser.add_argument(
        "--set", nargs="*", default=[], help="parameters of the baseline, name=value"
    )
    parser.add_argument("--linear-only", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    params = dict(item.split("=") for item in args.set)
    published = {score: load_scores(score) for score in SCORES}
    print(
        "method        data set       G-mean (publ.)    AvF (publ.)       CBA (publ.)"
    )
    for method in args.methods:
        differences = []
        for name in args.datasets:
            start = time.perf_counter()
            ours = cross_validate(name, method, args.repeats, params, args.linear_only)
            theirs = pd.Series({s: t.loc[name, method] for s, t in published.items()})
            differences.append(ours - theirs)
            cells = "   ".join(f"{ours[s]:6.2f} ({theirs[s]:6.2f})" for s in SCORES)
            seconds = time.perf_counter() - start
            print(f"{method:13} {name:13} {cells}   {seconds:5.1f} s", flush=True)
        table = pd.DataFrame(differences)
        mean = "   ".join(f"{table[s].mean():+6.2f}         " for s in SCORES)
        largest = "   ".join(f"{table[s].abs().max():6.2f}         " for s in SCORES)
        print(f"{method:13} {'mean diff.':13} {mean}")
        print(f"{method:13} {'largest':13} {largest}", flush=True)


if __name__ == "__main__":
    main()
