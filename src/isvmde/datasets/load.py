"""Load one of the paper's data sets by name."""

from __future__ import annotations

import os
from importlib import resources

from sklearn.utils import Bunch

from .catalogue import DatasetInfo, get_info
from .keel import read_keel


def load_dataset(
    name: str, *, data_home: str | os.PathLike[str] | None = None
) -> Bunch:
    """Load one of the paper's fifteen data sets.

    Parameters
    ----------
    name : str
        One of the names in :func:`list_datasets`.
    data_home : path or None
        Where shuttle, thyroid and hcv lie.

    Returns
    -------
    bunch : sklearn.utils.Bunch
        ``data`` (DataFrame), ``target`` (array of labels), ``numeric`` and ``nominal``
        (lists of columns), ``name``, ``target_name``, ``source``, ``citation``.

    Examples
    --------
    >>> glass = load_dataset("glass")
    >>> glass.data.shape, len(glass.numeric), len(set(glass.target))
    ((214, 9), 9, 6)
    """
    info = get_info(name)
    if info.download is None:
        return _finish(info, _load_built_in(name))
    raise FileNotFoundError(name)


def _load_built_in(name: str) -> Bunch:
    """Read a file that is shipped with the package."""
    path = resources.files(__package__) / "data" / f"{name}.dat"
    with path.open("rb") as file:
        return read_keel(file)


def _finish(info: DatasetInfo, bunch: Bunch) -> Bunch:
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
