"""Write what i-SVM-LOO says of its own training samples, on whole data sets.

    python research/run_loo_report.py

Writes results/loo_report.csv: the scores of `loo_report()` per data set, to be compared
with the cross-validated scores of results/paper.csv. Takes a minute or two.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from measuring import RESULTS, choose

from isvmde.bench.plan import derive_seed
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.method_choice import make_classifier

if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--datasets", help="some of the data sets, by commas [all]")
    parser.add_argument("--file", type=Path, default=RESULTS / "loo_report.csv")
    options = parser.parse_args()
    rows = []
    for name in choose(options.datasets, PAPER_DATASETS):
        bunch = load_dataset(name)
        X = make_preprocessor(bunch).fit_transform(bunch.data)
        model = make_classifier("i-SVM-LOO", random_state=derive_seed(0, name))
        report = model.fit(X, np.asarray(bunch.target)).loo_report()
        rows.append({"dataset": name, **report.scores.to_dict()})
        print(rows[-1], flush=True)
    pd.DataFrame(rows).to_csv(
        options.file, index=False, float_format="%.10g", lineterminator="\n"
    )
