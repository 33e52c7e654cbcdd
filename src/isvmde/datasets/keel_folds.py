"""KEEL's fold files: NAME-5-1tra.dat, NAME-5-1tst.dat, ..., NAME-5-5tst.dat."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils import Bunch

from .keel import decode, parse_keel
from .keel_syntax import parse_number


def find_fold_files(name: str, n_parts: int, folder: Path) -> list[Path] | None:
    """Return the test parts in a folder, or in its NAME-5-fold; None when none is.

    The test parts together are the whole data set; the training parts repeat them.
    """
    for place in (folder, folder / f"{name}-{n_parts}-fold"):
        paths = [place / f"{name}-{n_parts}-{k + 1}tst.dat" for k in range(n_parts)]
        missing = [path.name for path in paths if not path.is_file()]
        if not missing:
            return paths
        if len(missing) < n_parts:
            raise ValueError(
                f"{place} has some of KEEL's test parts of {name!r} but not "
                f"{', '.join(missing)}; put all {n_parts} there."
            )
    return None


def join_parts(paths: list[Path]) -> tuple[Bunch, NDArray[np.intp]]:
    """Return the rows of all parts, and for every row the part (from 1) it is in."""
    parts = [parse_keel(decode(p.read_bytes()), p.name)[0] for p in paths]
    first = parts[0]
    for path, part in zip(paths, parts, strict=True):
        if list(part.data.columns) != list(first.data.columns):
            raise ValueError(f"{path}: other attributes than in {paths[0].name}.")
    sizes = [len(part.data) for part in parts]
    joined = Bunch(**first)
    joined.data = pd.concat([part.data for part in parts], ignore_index=True)
    joined.target = np.concatenate([part.target for part in parts])
    return joined, np.repeat(np.arange(len(parts)) + 1, sizes)


def align_parts(
    bunch: Bunch, joined: Bunch, part: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the part of every row of a data set, found by comparing the values."""
    where: dict[tuple[str, ...], list[int]] = {}
    for key, k in zip(_keys(joined), part.tolist(), strict=True):
        where.setdefault(key, []).append(k)
    keys = _keys(bunch)
    unknown = sum(key not in where for key in keys)
    if unknown or len(keys) != len(part):
        raise ValueError(
            f"KEEL's fold files hold {len(part)} rows, {bunch.name!r} has {len(keys)}, "
            f"{unknown} of them with values the fold files do not have "
            "(KEEL's ecoli and glass files are known for mangled values)."
        )
    try:
        # Equal rows are interchangeable: hand out their parts in order.
        return np.array([where[key].pop(0) for key in keys], dtype=np.intp)
    except IndexError:
        raise ValueError(
            f"KEEL's fold files repeat other rows than {bunch.name!r} does."
        ) from None


def _keys(bunch: Bunch) -> list[tuple[str, ...]]:
    """Return every row as text that does not depend on how numbers are spelt."""
    columns = [bunch.data[name].tolist() for name in bunch.data]
    rows = zip(*columns, bunch.target.tolist(), strict=True)
    return [tuple(_canonical(str(value)) for value in row) for row in rows]


def _canonical(text: str) -> str:
    """Return one spelling for 1, 1.0 and 1e0."""
    number = parse_number(text)
    return text if number is None else repr(number)
