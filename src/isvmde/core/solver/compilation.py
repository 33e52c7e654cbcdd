"""How the solver's functions are compiled, and where the compiled code is kept.

numba's on-disk cache does not notice a change in a *different* file, so the cache
directory carries a hash of all compiled sources: after an upgrade or an edit, old
machine code cannot be picked up.
"""

import hashlib
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from platformdirs import user_cache_path

_numba: Any = numba  # some of its options have no types


def source_hash() -> str:
    """Return a hash of every compiled source file and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_directory() -> str | None:
    """Return a writable directory for this version's machine code, or None."""
    base = _numba.config.CACHE_DIR or user_cache_path("isvmde", False)
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


def is_cached() -> bool:
    """Tell whether machine code of this version lies on disk already."""
    return CACHE_DIRECTORY is not None and any(Path(CACHE_DIRECTORY).rglob("*.nbc"))


def compiled(function: Callable[..., Any], *, inline: bool = False) -> Any:
    """Compile for the CPU at hand, without the GIL, cached on disk if possible."""
    # numba reads the directory when a function is decorated; put it back at once.
    previous = _numba.config.CACHE_DIR
    _numba.config.CACHE_DIR = CACHE_DIRECTORY or previous
    try:
        return _numba.njit(
            cache=CACHE_DIRECTORY is not None,
            nogil=True,
            # Operations stay in the order they are written, with no fused multiply-add:
            # LLVM compiles a function once for every library it is linked into, and
            # freedom to reorder would give the copies different last digits. NaN never
            # enters (input is checked), and so maxima and minima vectorise.
            fastmath={"nnan", "nsz"},
            error_model="numpy",
            boundscheck=False,
            forceinline=inline,
            no_cpython_wrapper=inline,  # only compiled code calls those
            # The solver allocates nothing, so it needs no reference counts; handing a
            # Workspace to a function would cost two atomic operations per array.
            _nrt=False,
            no_cfunc_wrapper=True,  # nobody asks for addresses: less to compile
        )(function)
    finally:
        _numba.config.CACHE_DIR = previous


# into every caller, for small functions of the inner loops
compiled_inline = partial(compiled, inline=True)
