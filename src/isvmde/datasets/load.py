"""Load one of the paper's data sets by name, and list them."""

from __future__ import annotations

import os
from importlib import resources
from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from .catalogue import CATALOGUE, DatasetInfo, get_info
from .download import download_dataset
from .home import get_data_home
from .keel import parse_keel
from .originals import load_original


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    download: bool = False,
) -> Bunch:
    """Load one of the paper's fifteen data sets.

    Twelve are part of the package; shuttle, thyroid and hcv are read from the data
    home, where their contents are checked against the SHA-256 of the originals.

    Parameters
    ----------
    name : str
        One of the names in :func:`list_datasets`.
    data_home : path or None
        Directory with ``shuttle.dat`` (or KEEL's ``shuttle-5-1tst.dat`` to
        ``-5-5tst.dat``), ``thyroid.dat`` and ``hcvdat0.csv``; None means
        ``$ISVMDE_DATA`` or the platform's cache directory.
    download : bool, default=False
        Fetch the file from KEEL or UCI when it is not there.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame: numeric columns as float64, nominal ones as categories),
        ``target`` (array of text), ``numeric`` and ``nominal`` (lists of columns),
        ``name``, ``target_name``, ``source``, ``citation``. There are no missing
        values.

    Raises
    ------
    FileNotFoundError
        When a file is not there; the message says where to get it.
    ValueError
        When the name is unknown or the file is not the expected one.

    Examples
    --------
    >>> glass = load_dataset("glass")
    >>> glass.data.shape, len(glass.numeric), len(set(glass.target))
    ((214, 9), 9, 6)
    """
    info = get_info(name)
    if info.download is None:
        path = resources.files(__package__) / "data" / f"{name}.dat"
        return _describe(info, parse_keel(path.read_text("utf-8"), f"{name}.dat")[0])
    home = get_data_home(data_home)
    bunch = load_original(info, home)
    if bunch is None and download:
        download_dataset(name, data_home=home)
        bunch = load_original(info, home)
    if bunch is None:
        raise FileNotFoundError(
            f"The data set {name!r} is not in {home}: run `isvmde datasets --download` "
            f"(or load_dataset({name!r}, download=True)), or get "
            f"{info.download.filename} from {info.download.page} and put it there."
        )
    return _describe(info, bunch)


def list_datasets(*, data_home: str | os.PathLike[str] | None = None) -> pd.DataFrame:
    """List the paper's fifteen data sets.

    Parameters
    ----------
    data_home : path or None
        Where to look for those that are not part of the package.

    Returns
    -------
    table : DataFrame
        A row per data set, indexed by name: ``rows``, ``attributes``, ``numeric``,
        ``nominal``, ``classes``, ``smallest_class``, ``imbalance_ratio`` (largest
        class over smallest), ``source``, ``status`` ("built in", "found", "needs a
        download" or "wrong file") and ``available``.

    Examples
    --------
    >>> from isvmde.datasets import list_datasets
    >>> list_datasets().loc["ecoli", ["rows", "classes", "smallest_class"]].tolist()
    [336, 8, 2]
    """
    home = get_data_home(data_home)
    rows = []
    for info in CATALOGUE.values():
        status = _status(info, home)
        rows.append(
            {
                "name": info.name,
                "rows": info.n_rows,
                "attributes": info.n_numeric + info.n_nominal,
                "numeric": info.n_numeric,
                "nominal": info.n_nominal,
                "classes": len(info.class_counts),
                "smallest_class": min(info.class_counts.values()),
                "imbalance_ratio": info.imbalance_ratio,
                "source": info.source,
                "status": status,
                "available": status in ("built in", "found"),
            }
        )
    return pd.DataFrame(rows).set_index("name")


def _status(info: DatasetInfo, home: Path) -> str:
    """Say whether a data set can be loaded."""
    if info.download is None:
        return "built in"
    try:
        found = load_original(info, home)
    except (ValueError, OSError):
        return "wrong file"
    return "needs a download" if found is None else "found"


def _describe(info: DatasetInfo, bunch: Bunch) -> Bunch:
    """Add the catalogue's knowledge to what a reader returned."""
    return Bunch(
        data=bunch.data,
        target=bunch.target,
        numeric=bunch.numeric,
        nominal=bunch.nominal,
        name=info.name,
        target_name=bunch.target_name,
        source=info.source,
        citation=info.citation,
    )
