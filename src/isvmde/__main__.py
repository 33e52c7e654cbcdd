"""``python -m isvmde`` and the command ``isvmde``."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Examples
    --------
    >>> main(["--version"])
    isvmde 0...
    0
    """
    try:
        import click  # noqa: F401
        import rich  # noqa: F401
    except ImportError as error:
        print(
            f"isvmde: the command line needs the package {error.name}: install "
            "isvmde[cli]",
            file=sys.stderr,
        )
        return 2
    from isvmde.cli import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
