"""The table every test starts from: data sets in rows, methods in columns."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

Floats = npt.NDArray[np.float64]


def check_scores(scores: pd.DataFrame | npt.ArrayLike) -> pd.DataFrame:
    """Return the scores as a complete table of floats, or say what is wrong."""
    table = scores if isinstance(scores, pd.DataFrame) else _unnamed(scores)
    n, k = table.shape
    if n < 2 or k < 2:
        raise ValueError(
            f"The table has {n} data set(s) in rows and {k} method(s) in columns; "
            "a comparison needs at least 2 of each."
        )
    if table.columns.has_duplicates:
        twice = table.columns[table.columns.duplicated()][0]
        raise ValueError(f"Two columns are called {twice!r}; rename one of them.")
    try:
        table = table.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "Every cell of the table must be a number; move names of data sets into "
            f"the index ({error})."
        ) from error
    bad = np.argwhere(~np.isfinite(table.to_numpy()))
    if len(bad):
        row, column = bad[0]
        raise ValueError(
            f"{len(bad)} cell(s) of the table are missing or infinite, the first at "
            f"data set {table.index[row]!r}, method {table.columns[column]!r}; "
            "fill them in or drop the data set."
        )
    return table


def _unnamed(scores: npt.ArrayLike) -> pd.DataFrame:
    """Return scores given as an array as a table with numbered methods."""
    array = np.asarray(scores)
    if array.ndim != 2:
        raise ValueError(
            "Give the scores as a table, data sets in rows and methods in columns; "
            f"got {array.ndim} dimension(s)."
        )
    return pd.DataFrame(array)


def without_float_noise(values: Floats, scores: npt.ArrayLike) -> Floats:
    """Round differences of scores to 1e-9 per cent, so that equal decimals tie.

    The unit follows the largest score: 1e-9 for scores up to 100, 1e-11 for
    scores up to 1.
    """
    largest = float(np.max(np.abs(np.asarray(scores)), initial=0.0))
    if largest == 0:
        return values
    unit = 10.0 ** (np.ceil(np.log10(largest)) - 11)
    rounded: Floats = np.rint(values / unit)
    return rounded * unit


def pick_control(mean_ranks: "pd.Series[float]", control: Hashable | None) -> Any:
    """Return the control's name: the given one, or the best mean rank."""
    if control is None:
        return mean_ranks.idxmin()
    if control not in mean_ranks.index:
        raise ValueError(
            f"control={control!r} is not a column of the table; "
            f"choose one of {', '.join(map(str, mean_ranks.index))}."
        )
    return control


def check_level(alpha: float) -> None:
    """Refuse what is no level of a test."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {alpha!r}.")
