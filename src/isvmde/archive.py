"""Zip archives of arrays that somebody else may have written: models, checkpoints.

Nothing in them is compressed, so none grows when it is read; no pickle is loaded.
"""

import contextlib
import io
import math
import os
import uuid
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

_KINDS = "biufSUmMV"  # plain values, or records of them


class ArchiveError(ValueError):
    """An archive that this library did not write; the message continues its name."""


def read_parts(path: Path) -> dict[str, bytes]:
    """Return the parts of an archive whose bytes are all in the file itself."""
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
            if any(part.compress_type != zipfile.ZIP_STORED for part in listed):
                raise ArchiveError("has compressed parts, which isvmde never writes")
            if sum(part.file_size for part in listed) > path.stat().st_size:
                raise ArchiveError("is damaged: its parts are larger than the file")
            return {part.filename: archive.read(part) for part in listed}
    except ArchiveError:
        raise
    except Exception as error:  # whatever a mangled field leads to
        raise ArchiveError(f"is damaged or of another kind ({error})") from error


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path to write to; its file takes the place of ``path`` when complete."""
    partial = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.partial")
    try:
        yield partial
        with open(partial, "rb+") as file:
            os.fsync(file.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def read_array(content: bytes) -> np.ndarray:
    """Return the array of a part if it is exactly as large as its header says."""
    stream = io.BytesIO(content)
    try:
        version = np.lib.format.read_magic(stream)
        shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
        plain = version == (1, 0) and dtype.kind in _KINDS and not dtype.hasobject
        size = math.prod(shape) * dtype.itemsize
    except Exception as error:
        raise ArchiveError("is damaged: it has an array without a header") from error
    if not plain or not dtype.itemsize or size != len(content) - stream.tell():
        raise ArchiveError("is damaged: it has an array that is not what it says")
    return np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
