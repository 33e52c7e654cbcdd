"""Load one of the paper's data sets by name, and list them."""

from __future__ import annotations

import os

import pandas as pd
from sklearn.utils import Bunch

from .catalogue import CATALOGUE, DATA
from .keel import parse_keel


def load_dataset(
    name: str, *, data_home: str | os.PathLike[str] | None = None
) -> Bunch:
    """Load one of the paper's fifteen data sets; all are part of the package.

    Parameters
    ----------
    name : str
        One of the names in :func:`list_datasets`.
    data_home : ignored
        Not used: no data set needs a folder. Files of your own are read by
        :func:`read_keel` and :func:`isvmde.tables.read_table`.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame: numeric columns as float64, nominal ones as categories),
        ``target`` (array of text), ``numeric`` and ``nominal`` (lists of columns),
        ``name``, ``target_name``, ``source``, ``citation``. There are no missing
        values.

    Raises
    ------
    ValueError
        When there is no data set of that name.

    Examples
    --------
    >>> glass = load_dataset("glass")
    >>> glass.data.shape, len(glass.numeric), len(set(glass.target))
    ((214, 9), 9, 6)
    """
    if not isinstance(name, str) or name not in CATALOGUE:
        raise ValueError(
            f"There is no data set {name!r}; choose one of {', '.join(CATALOGUE)}."
        )
    info = CATALOGUE[name]
    bunch, _ = parse_keel((DATA / f"{name}.dat").read_text("utf-8"), f"{name}.dat")
    del bunch["ranges"]
    bunch.update(name=info.name, source=info.source, citation=info.citation)
    return bunch


def list_datasets() -> pd.DataFrame:
    """List the paper's fifteen data sets.

    Returns
    -------
    table : DataFrame
        A row per data set, indexed by name: ``rows``, ``attributes``, ``numeric``,
        ``nominal``, ``classes``, ``smallest_class``, ``imbalance_ratio`` (largest
        class over smallest) and ``source``.

    Examples
    --------
    >>> from isvmde.datasets import list_datasets
    >>> list_datasets().loc["ecoli", ["rows", "classes", "smallest_class"]].tolist()
    [336, 8, 2]
    """
    rows = {}
    for info in CATALOGUE.values():
        sizes = info.class_counts.values()
        rows[info.name] = {
            "rows": sum(sizes),
            "attributes": info.n_numeric + info.n_nominal,
            "numeric": info.n_numeric,
            "nominal": info.n_nominal,
            "classes": len(sizes),
            "smallest_class": min(sizes),
            "imbalance_ratio": max(sizes) / min(sizes),
            "source": info.source,
        }
    return pd.DataFrame(list(rows.values()), index=pd.Index(rows, name="name"))
