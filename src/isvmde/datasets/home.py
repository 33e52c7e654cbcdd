"""Where data files lie: an argument, $ISVMDE_DATA, or the platform's cache."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def get_data_home(data_home: str | os.PathLike[str] | None = None) -> Path:
    r"""Return the directory in which downloaded data sets are kept.

    Parameters
    ----------
    data_home : path or None
        Used when given; otherwise ``$ISVMDE_DATA``, otherwise the cache directory of
        the platform (``~/.cache/isvmde`` or ``$XDG_CACHE_HOME/isvmde``,
        ``~/Library/Caches/isvmde``, ``%LOCALAPPDATA%\isvmde\Cache``). The
        directory need not exist.

    Returns
    -------
    path : pathlib.Path

    Examples
    --------
    >>> get_data_home("my-data").name
    'my-data'
    """
    chosen = data_home if data_home is not None else os.environ.get("ISVMDE_DATA")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "isvmde" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "isvmde"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isvmde"
