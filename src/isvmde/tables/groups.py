"""Rows that belong to one subject: what names the subject of every row."""

import numpy as np
import pandas as pd

from isvmde.caller import warn_caller

from .cells import as_texts
from .errors import TableWarning, quote


def name_groups(column: pd.Series) -> np.ndarray:
    """Return what names the group of every row; a row without a name is its own."""
    texts = as_texts(column)
    unknown = texts.isna().to_numpy()
    names = texts.to_numpy(object)
    if unknown.any():
        warn_caller(
            f"{unknown.sum()} rows have no group in column {quote(column.name)}; each "
            "is taken as a group of its own",
            TableWarning,
        )
        taken = set(names[~unknown])
        for row in np.flatnonzero(unknown):
            name = f"row {row}"
            while name in taken:
                name += "*"
            names[row] = name
    return names.astype(np.str_)
