"""How the solver's functions are compiled, and where the compiled code is kept.

numba's on-disk cache does not notice a change in a *different* file, so the cache
directory carries a hash of all compiled sources: after an upgrade or an edit, old
machine code cannot be picked up.
"""

import hashlib
import logging
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numba
from platformdirs import user_cache_path

from .assembly import PartCompiler, WholeCompiler, without_collections

SECONDS_TO_COMPILE = 10  # about, where nothing else keeps the processor busy
_numba: Any = numba  # some of its options have no types
_log = logging.getLogger("isvmde")

if _numba.config.DISABLE_JIT:
    raise ImportError(
        "the solver needs numba's compiler, which NUMBA_DISABLE_JIT turns off: "
        "unset that variable"
    )


def source_hash() -> str:
    """Return a hash of every compiled source file and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _cache_base() -> Path:
    """Return where the machine code of all versions is kept."""
    return Path(_numba.config.CACHE_DIR or user_cache_path("isvmde", False))


def _cache_directory() -> str | None:
    """Return a writable directory for this version's machine code, or None."""
    directory = _cache_base() / f"solver-{source_hash()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        probe = directory / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return str(directory)


CACHE_DIRECTORY = _cache_directory()


class _ForgivingCache:
    """numba's cache of one function's machine code, which may fail but ends no call.

    What is damaged, as after a power cut, is compiled anew and written again. Where
    nothing can be written, as on a full disk, machine code stays in memory.
    """

    failure_said = False  # of all functions, one line is enough
    compiling_said = False

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    @property
    def cache_path(self) -> str:
        """Where the files are; numba asks for it."""
        return str(self._cache.cache_path)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return the machine code for a signature, None if it has to be compiled."""
        try:
            with without_collections():
                code = self._cache.load_overload(signature, context)
        except Exception as error:  # whatever the bytes of a damaged file lead to
            self._say(f"is damaged and is built again ({type(error).__name__})")
            self._forget()
            return None
        if code is None:
            self._say_compiling()
        return code

    def _forget(self) -> None:
        """Drop what the cache holds of this function."""
        try:
            self._cache.flush()
        except OSError as error:
            self._say(f"cannot be written ({error.strerror})")

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep the machine code of a signature if that is possible."""
        if CACHE_DIRECTORY is None:
            self._say("cannot be written")
            return
        try:
            self._cache.save_overload(signature, code)
        except Exception as error:  # of the disk, or of a file damaged meanwhile
            reason = getattr(error, "strerror", None) or type(error).__name__
            self._say(f"cannot be written ({reason})")

    @classmethod
    def _say_compiling(cls) -> None:
        """Say once per process what it is that takes so long."""
        if not cls.compiling_said:
            cls.compiling_said = True
            _log.info(
                "isvmde: compiling the solver, once on this machine; it takes about "
                "%d seconds",
                SECONDS_TO_COMPILE,
            )

    @classmethod
    def _say(cls, problem: str) -> None:
        """Say once per process why this one starts slowly."""
        if not cls.failure_said:
            cls.failure_said = True
            _log.warning(
                "isvmde: the cache of compiled code in %s %s; compiling takes about "
                "%d seconds",
                CACHE_DIRECTORY or _cache_base(),
                problem,
                SECONDS_TO_COMPILE,
            )


def is_cached() -> bool:
    """Tell whether machine code of this version lies on disk already."""
    return CACHE_DIRECTORY is not None and any(Path(CACHE_DIRECTORY).rglob("*.nbc"))


def compiled(
    function: Callable[..., Any], *, part: bool = False, inline: bool = False
) -> Any:
    """Compile for the CPU at hand, without the GIL, cached on disk if possible.

    A ``part`` is called by compiled code alone: Python must not call it. It is cached
    with those that call it.
    """
    is_cached = CACHE_DIRECTORY is not None and not part
    # numba reads the directory when a function is decorated; put it back at once.
    previous = _numba.config.CACHE_DIR
    _numba.config.CACHE_DIR = CACHE_DIRECTORY or previous
    try:
        dispatcher = _numba.njit(
            cache=is_cached,
            pipeline_class=PartCompiler if part else WholeCompiler,
            nogil=True,
            # Operations stay in the order they are written, with no fused multiply-add:
            # LLVM compiles a function once for every library it is linked into, and
            # freedom to reorder would give the copies different last digits. NaN never
            # enters (input is checked), and so maxima and minima vectorise.
            fastmath={"nnan", "nsz"},
            error_model="numpy",
            boundscheck=False,
            forceinline=inline,
            no_cpython_wrapper=part,
            # The solver allocates nothing, so it needs no reference counts; handing a
            # Workspace to a function would cost two atomic operations per array.
            _nrt=False,
            no_cfunc_wrapper=True,  # nobody asks for addresses: less to compile
        )(function)
    finally:
        _numba.config.CACHE_DIR = previous
    if not part:
        dispatcher._cache = _ForgivingCache(dispatcher._cache)
    return dispatcher


compiled_part = partial(compiled, part=True)
# into every caller, for small functions of the inner loops
compiled_inline = partial(compiled, part=True, inline=True)
