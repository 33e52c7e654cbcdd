"""Bring the data sets that are not shipped into the data home."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .catalogue import get_info
from .fetch import download_file
from .home import get_data_home
from .originals import load_file, parse_checked


def download_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    timeout: float = 30.0,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Path:
    """Fetch shuttle, thyroid or hcv from KEEL or UCI into the data home.

    A download that broke off goes on where it stopped; the file gets its name only
    after its contents are found right.

    Parameters
    ----------
    name : str
        "shuttle", "thyroid" or "hcv".
    data_home : path or None
        Where to put it; None means ``$ISVMDE_DATA`` or the platform's cache directory.
    timeout : float, default=30
        Seconds without an answer after which an attempt is given up.
    progress : callable or None
        Called as ``progress(name, received, total)`` with numbers of bytes; the total
        is None when the server does not tell.

    Returns
    -------
    path : pathlib.Path
        The file; one that was there already is checked and left alone.

    Notes
    -----
    With ``$ISVMDE_MIRROR`` set to the address of a directory, the file is taken from
    there instead.

    Examples
    --------
    >>> download_dataset("glass")
    Traceback (most recent call last):
    ValueError: The data set 'glass' is part of the package: nothing to download.
    """
    info = get_info(name)
    if info.download is None:
        raise ValueError(
            f"The data set {name!r} is part of the package: nothing to download."
        )
    wanted = info.download
    path = get_data_home(data_home) / wanted.filename
    if path.exists():
        load_file(wanted, path)
        return path
    mirror = os.environ.get("ISVMDE_MIRROR")
    urls = (f"{mirror.rstrip('/')}/{wanted.filename}",) if mirror else wanted.urls
    download_file(
        urls,
        path,
        check=lambda content: parse_checked(wanted, content),
        page=wanted.page,
        timeout=timeout,
        progress=None if progress is None else lambda n, of: progress(name, n, of),
    )
    return path
