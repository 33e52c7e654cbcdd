"""Whether rows of a store are what a run writes: their scores follow from their counts.

Everybody can open a store and change it. What a report shows is at least not
contradicted by the confusion matrix in the same row.
"""

import json

import numpy as np
import pandas as pd

from isvmde.bench.fold import KEY
from isvmde.bench.store import StoreError
from isvmde.metrics import scores_of_counts

_CLOSE = 1e-9


def check_rows(rows: pd.DataFrame) -> None:
    """Refuse finished rows whose scores are not those of their confusion matrix."""
    for row in rows[rows["status"] == "done"].to_dict("records"):
        dataset, method, repeat, fold = (row[name] for name in KEY)
        where = f"{dataset}, {method}, repeat {repeat}, fold {fold}"
        try:
            matrix = _read_matrix(row["confusion"])
        except (TypeError, ValueError) as error:
            raise StoreError(f"the row of {where} has no confusion matrix") from error
        for name, expected in scores_of_counts(matrix).items():
            if not abs(row[name] - expected) <= _CLOSE:
                raise StoreError(
                    f"the row of {where} was changed: its {name} is {row[name]:g}, and "
                    f"its confusion matrix says {expected:.6g}"
                )


def _read_matrix(text: str) -> np.ndarray:
    """Return the counts of a row."""
    matrix = np.array(json.loads(text))
    is_square = matrix.ndim == 2 and len(set(matrix.shape)) == 1
    if not is_square or matrix.dtype.kind != "i" or (matrix < 0).any():
        raise ValueError("not a matrix of counts")
    return matrix
