"""Measure the nine methods with one column for every nominal one of two values.

    python research/run_coding.py --repeats 3

The paper's one-hot coding gives such a column two, which makes it count twice in every
distance. Data sets without one would be the same as in results/paper.csv and are left
out. Keeps every finished fold in results/coding and writes results/coding.csv; the same
command goes on.
"""

from __future__ import annotations

import numpy as np
from measuring import choose, measure, parse_options
from sklearn.utils import Bunch

from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import PAPER_DATASETS
from isvmde.methods import METHODS

NINE = METHODS[:9]


def two_valued(bunch: Bunch) -> list[str]:
    """Return the nominal columns of two values."""
    return [name for name in bunch.nominal if bunch.data[name].nunique() == 2]


def with_single_columns(bunch: Bunch) -> Bunch:
    """Return the data set with its two-valued nominal columns as numbers 0 and 1."""
    columns = two_valued(bunch)
    data = bunch.data.copy()
    for name in columns:
        data[name] = np.unique(data[name].astype(str), return_inverse=True)[1]
    return Bunch(
        **{
            **bunch,
            "data": data,
            "numeric": [*bunch.numeric, *columns],
            "nominal": [name for name in bunch.nominal if name not in columns],
        }
    )


if __name__ == "__main__":
    concerned = [name for name in PAPER_DATASETS if two_valued(load_dataset(name))]
    options = parse_options(__doc__, "coding", datasets=concerned)
    options.datasets = {
        name: with_single_columns(load_dataset(name)) for name in options.datasets
    }
    measure(choose(options.methods, NINE), options)
