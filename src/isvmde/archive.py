"""Zip archives of arrays that somebody else may have written: models, checkpoints.

Nothing in them is compressed, so none grows when it is read; no pickle is loaded.
"""

import io
import math
import sys
import zipfile
from pathlib import Path

import numpy as np

_KINDS = "biufSUmMV"  # plain values, or records of them


class ArchiveError(ValueError):
    """An archive that this library did not write; the message continues its name."""


def read_parts(path: Path, needed: str) -> dict[str, bytes]:
    """Return the parts of an archive whose bytes are all in the file itself.

    Without the ``needed`` part it is somebody else's, and nothing of it is read.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            listed = archive.infolist()
            if needed not in archive.namelist():
                raise ArchiveError("was not saved by isvmde")
            if any(part.compress_type != zipfile.ZIP_STORED for part in listed):
                raise ArchiveError("has compressed parts, which isvmde never writes")
            if sum(part.file_size for part in listed) > path.stat().st_size:
                raise ArchiveError("is damaged: its parts are larger than the file")
            return {part.filename: archive.read(part) for part in listed}
    except ArchiveError:
        raise
    except Exception as error:  # whatever a mangled field leads to
        reason = f"is damaged or of another kind ({error!s:.120})"
        raise ArchiveError(reason) from error


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
    array = np.asarray(np.load(io.BytesIO(content), allow_pickle=False))
    if not _has_values(array):
        raise ArchiveError("is damaged: it has an array of things that do not exist")
    return array


def _has_values(array: np.ndarray) -> bool:
    """Whether the bytes of texts are characters, and those of truths 0 or 1."""
    if array.size == 0 or array.dtype.kind not in "bU":
        return True
    plain = np.ascontiguousarray(array).reshape(-1)
    if array.dtype.kind == "b":
        return bool(plain.view(np.uint8).max() <= 1)
    letters = plain.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
    is_half = (letters >= 0xD800) & (letters <= 0xDFFF)  # of a pair in UTF-16
    return bool(letters.max() <= sys.maxunicode and not is_half.any())
