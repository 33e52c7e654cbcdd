"""Checkpoints of a search: written atomically, never pickled, refused when foreign."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isvmde.archive import read_array, read_parts, replacing

_FORMAT = 4
# The model is the same whatever these are.
_NOT_IDENTITY = {
    "callback",
    "checkpoint",
    "keep_best_on_interrupt",
    "n_jobs",
    "time_limit",
    "verbose",
}


def search_identity(arrays: list[np.ndarray], params: Mapping[str, Any]) -> str:
    """Return a fingerprint of a search: its data, its parameters, this version."""
    from isvmde import __version__

    settings = {k: v for k, v in params.items() if k not in _NOT_IDENTITY}
    settings["version"] = __version__
    if isinstance(settings["random_state"], np.random.RandomState):
        del settings["random_state"]  # its state is in the file
    return fingerprint(arrays, settings)


def fingerprint(arrays: list[np.ndarray], settings: Mapping[str, Any]) -> str:
    """Return a hash of the data and the settings a search depends on."""
    text = json.dumps(settings, sort_keys=True, default=_plain)
    digest = hashlib.sha256(text.encode())
    for array in arrays:
        digest.update(str((array.dtype.str, array.shape)).encode())
        if array.dtype == object:
            digest.update(repr(array.tolist()).encode())
        else:
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """Return arrays and NumPy's numbers as JSON knows them, in full."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    return repr(value)


def _digest(state: Mapping[str, np.ndarray]) -> str:
    """Return a hash of all arrays, which tells that none was changed in the file."""
    names = sorted(state)
    return fingerprint([np.asarray(state[name]) for name in names], {"names": names})


class CheckpointFile:
    """One file that holds the state of a search.

    Parameters
    ----------
    path : the file, used as given
    identity : fingerprint of data and settings
    every : seconds between two writes
    """

    def __init__(
        self, path: str | os.PathLike[str], identity: str, *, every: float = 2.0
    ) -> None:
        self.path, self.identity, self.every = Path(path), identity, every
        folder = self.path.parent
        if not folder.is_dir():
            raise ValueError(
                f"checkpoint={str(self.path)!r}: the folder {str(folder)!r} does not "
                "exist; create it or choose another path."
            )
        self._last = -np.inf

    def load(self) -> dict[str, Any] | None:
        """Return the saved state, None if there is no file."""
        if not self.path.exists():
            return None
        try:
            state = {
                name.removesuffix(".npy"): read_array(content)
                for name, content in read_parts(self.path).items()
            }
            identity, version = str(state.pop("identity")), int(state.pop("format"))
            digest = str(state.pop("digest"))
        except Exception as error:  # foreign bytes can fail in any way
            raise self._damaged() from error
        if version != _FORMAT:
            raise ValueError(
                f"checkpoint={str(self.path)!r} was written by another version of "
                "isvmde; remove it or choose another path."
            )
        if identity != self.identity:
            raise ValueError(
                f"checkpoint={str(self.path)!r} belongs to a search over other data or "
                "with other parameters; remove it or choose another path."
            )
        if digest != _digest(state):
            raise self._damaged()
        return state

    def resume(self, search: Any) -> dict[str, Any] | None:
        """Take a search to its saved state and return it, None if there is no file."""
        state = self.load()
        if state is not None:
            try:
                search.set_state(state)
            except Exception as error:  # arrays that no search leaves behind
                raise self._damaged() from error
        return state

    def _damaged(self) -> ValueError:
        return ValueError(
            f"checkpoint={str(self.path)!r} is no checkpoint of a search or is "
            "damaged; remove it or choose another path."
        )

    def save(self, state: Mapping[str, Any]) -> None:
        """Replace the file in one step."""
        own: Any = {"identity": self.identity, "format": _FORMAT}
        with replacing(self.path) as partial, open(partial, "wb") as file:
            np.savez(file, **state, **own, digest=_digest(state))
        self._last = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last write is long enough ago."""
        return time.monotonic() - self._last >= self.every
