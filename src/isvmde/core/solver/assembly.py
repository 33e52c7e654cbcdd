"""How compiled functions are put together: optimised once, where Python calls them.

By itself numba optimises every function together with all that it calls, and makes
machine code of it: what lies eight calls deep goes through LLVM eight times. Here a
function that only compiled code calls, a part, is typed and translated once and left
at that. A whole, which Python calls, takes in all its parts and is then optimised.
That halves what the first fit on a machine waits for.

The bits of results do not depend on it: operations stay in the order in which they are
written, however often LLVM looks at them.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags


class _Part(JITCodeLibrary):
    """The code of a function that only compiled code calls."""

    @property
    def codegen(self) -> Self:
        """What numba asks for when it sets up a function that Python may call."""
        return self

    @property
    def needed(self) -> list[JITCodeLibrary]:
        """The code of the functions that this one calls."""
        return list(self._linking_libraries)

    @property
    def module(self) -> Any:
        """The code itself, in LLVM's form."""
        return self._final_module

    def add_linking_library(self, library: JITCodeLibrary) -> None:
        """Remember what the function calls."""
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        """Leave all else to the wholes that take this part in."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """There is no machine code to point to."""
        return 0

    def set_env(self, name: str, environment: Any) -> None:
        """Keep no Python objects: code of the solver raises no exceptions."""


class _Whole(JITCodeLibrary):
    """The code of a function that Python calls, and of all its parts."""

    def __init__(self, codegen: Any, name: str) -> None:
        super().__init__(codegen, name)
        self._parts: dict[_Part, None] = {}  # in the order in which they came

    def add_linking_library(self, library: JITCodeLibrary) -> None:
        """Take in what the function calls, and what that calls."""
        if not isinstance(library, _Part):
            super().add_linking_library(library)
        elif library not in self._parts:
            self._parts[library] = None
            for needed in library.needed:
                self.add_linking_library(needed)

    def finalize(self) -> None:
        """Link the parts and optimise everything together."""
        names = []
        for part in self._parts:
            functions = part.module.functions
            names += [found.name for found in functions if not found.is_declaration]
            self._final_module.link_in(part.module, preserve=True)
        for name in names:  # whatever is inlined everywhere need not be kept
            self._final_module.get_function(name).linkage = "internal"
        super().finalize()


class _SharedFlags(Flags):
    """Options of the compiler that are compared at once, being the same object.

    numba looks up every operation by its types and these options, and compares all of
    them one by one each time.
    """

    _text: str
    _known: ClassVar[dict[str, "_SharedFlags"]] = {}

    @classmethod
    def of(cls, flags: Flags) -> "_SharedFlags":
        """Return the object that stands for these options."""
        shared = cls(flags)
        shared._text = str(shared.values())
        return cls._known.setdefault(shared._text, shared)

    def copy(self) -> Self:
        """Nobody changes them any more."""
        return self

    def __hash__(self) -> int:
        return hash(self._text)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _SharedFlags):
            return self is other
        return super().__eq__(other)


@contextmanager
def without_collections() -> Iterator[None]:
    """Keep Python from looking for garbage among the compiler's many objects."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class PartCompiler(Compiler):
    """Compiles a function that only compiled code calls."""

    library_class: type[JITCodeLibrary] = _Part

    def __init__(self, typing: Any, target: Any, library: Any, *options: Any) -> None:
        super().__init__(typing, target, library, *options)
        self.state.library = self.library_class(target.codegen(), "isvmde")
        self.state.library.enable_object_caching()
        self.state.flags = _SharedFlags.of(self.state.flags)


class WholeCompiler(PartCompiler):
    """Compiles a function that Python calls."""

    library_class = _Whole

    def compile_extra(self, function: Any) -> Any:
        """Compile, with the parts that are not compiled yet."""
        with without_collections():
            return super().compile_extra(function)
