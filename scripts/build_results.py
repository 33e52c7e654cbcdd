"""Build docs/results.md, its figures and its short form from the rows in results/.

    python scripts/build_results.py

The same rows give the same bytes, with the same version of matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from results_page.page import build

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Build from the given folder into the given folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    for path in build(options.results, options.docs):
        print(path)


if __name__ == "__main__":
    main()
