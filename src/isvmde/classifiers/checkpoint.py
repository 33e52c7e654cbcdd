"""Checkpoints of a search: written atomically, never pickled, refused when foreign."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isvmde.archive import read_array, read_parts
from isvmde.writing import replacing

_FORMAT = 5
State = dict[str, np.ndarray]
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
    if isinstance(settings["random_state"], np.random.RandomState):
        del settings["random_state"]  # its state is in the file
    return fingerprint(arrays, settings | {"version": (__version__, _FORMAT)})


def fingerprint(arrays: list[np.ndarray], settings: Mapping[str, Any]) -> str:
    """Return a hash of the data and the settings a search depends on."""
    text = json.dumps(settings, sort_keys=True, default=_plain)
    digest = hashlib.sha256(text.encode())
    for array in arrays:
        digest.update(str((array.dtype.str, array.shape)).encode())
        plain = array.dtype != object
        digest.update(array.tobytes() if plain else repr(array.tolist()).encode())
    return digest.hexdigest()


def _plain(value: Any) -> Any:
    """Return arrays and NumPy's numbers as JSON knows them, in full."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)


def _digest(state: Mapping[str, np.ndarray]) -> str:
    """Return a hash of all arrays, which tells that none was changed in the file."""
    names = sorted(state)
    return fingerprint([state[name] for name in names], {"names": names})


class CheckpointFile:
    """One file that holds the state of a search; ``identity`` says of which."""

    every = 2.0  # seconds between two writes

    def __init__(self, path: str | os.PathLike[str], identity: str) -> None:
        self.path, self.identity = Path(path), identity
        self._last = -np.inf
        folder = self.path.parent
        if not folder.is_dir():
            raise ValueError(
                f"checkpoint={str(self.path)!r}: the folder {str(folder)!r} does not "
                "exist; create it or choose another path."
            )

    def load(
        self, is_sound: Callable[[State], bool] = lambda state: True
    ) -> State | None:
        """Return the saved state, None if there is no file.

        ``is_sound`` tells whether a search can go on from a state. Its hash says only
        that nobody changed it by accident: who forges a file can write that as well.
        """
        if not self.path.exists():
            return None
        problem = "is not a checkpoint of this version of isvmde, or is damaged"
        with contextlib.suppress(Exception):  # foreign bytes can fail in any way
            parts = read_parts(self.path, needed="identity.npy").items()
            state = {name.removesuffix(".npy"): read_array(p) for name, p in parts}
            identity, digest = (str(state.pop(name)) for name in ("identity", "digest"))
            if digest == _digest(state):
                if identity != self.identity:
                    problem = (
                        "belongs to a search over other data or with other parameters"
                    )
                elif is_sound(state):
                    return state
        what = f"checkpoint={str(self.path)!r} {problem}"
        raise ValueError(f"{what}; remove it or choose another path.")

    def save(self, state: Mapping[str, Any]) -> None:
        """Replace the file in one step."""
        about: Any = {"identity": self.identity, "digest": _digest(state)}
        with replacing(self.path) as partial, open(partial, "wb") as file:
            np.savez(file, **(dict(state) | about))
        self._last = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last write is long enough ago."""
        return time.monotonic() - self._last >= self.every
