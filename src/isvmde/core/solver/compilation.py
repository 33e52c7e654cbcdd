"""How the solver's functions are compiled, and where the compiled code is kept.

numba's on-disk cache does not notice a change in a *different* file, so the cache
directory carries a hash of all compiled sources: after an upgrade or an edit, old
machine code cannot be picked up.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

_config: Any = numba.config

# Operations stay in the order they are written, with no fused multiply-add: LLVM
# compiles a function once for every library it is linked into, and freedom to reorder
# would give the copies different last digits, so that a search would depend on
# whether its code was compiled or loaded. NaN never enters the solver (input is
# checked before it), and with nnan and nsz maxima and minima vectorise.
_IN_ORDER = {"nnan", "nsz"}


def _user_cache() -> Path:
    """Return the platform's directory for caches."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))


def source_hash() -> str:
    """Return a hash of every compiled source file and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> str | None:
    """Return a writable directory for this version's machine code, or None."""
    base = _config.CACHE_DIR or str(_user_cache() / "isvmde")
    directory = Path(base) / f"solver-{source_hash()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return str(directory)


CACHE_DIRECTORY = _cache_directory()


def compiled(function: Callable[..., Any]) -> Any:
    """Compile for the CPU at hand, without the GIL, cached on disk if possible."""
    return _compile(function)


def compiled_inline(function: Callable[..., Any]) -> Any:
    """Compile into every caller, for small functions of the inner loops."""
    return _compile(function, inline=True)


def _compile(function: Callable[..., Any], inline: bool = False) -> Any:
    """Compile with the options all functions share."""
    options: dict[str, Any] = {
        "nogil": True,
        "fastmath": _IN_ORDER,
        "error_model": "numpy",
        "boundscheck": False,
        "forceinline": inline,
        "no_cpython_wrapper": inline,  # only compiled code calls those
        # The solver allocates nothing, so it needs no reference counts; handing a
        # Workspace of 19 arrays to a function would cost 38 atomic operations.
        "_nrt": False,
        "no_cfunc_wrapper": True,  # nobody asks for addresses: less to compile
    }
    if CACHE_DIRECTORY is None:
        return numba.njit(**options)(function)
    # numba reads the directory when a function is decorated; put it back at once.
    previous = _config.CACHE_DIR
    _config.CACHE_DIR = CACHE_DIRECTORY
    try:
        return numba.njit(cache=True, **options)(function)
    finally:
        _config.CACHE_DIR = previous


def is_cached() -> bool:
    """Tell whether machine code of this version lies on disk already."""
    return CACHE_DIRECTORY is not None and any(Path(CACHE_DIRECTORY).rglob("*.nbc"))
