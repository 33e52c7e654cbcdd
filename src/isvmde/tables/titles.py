"""Lines above the names of the columns: a title, who made the file, and when."""

import re
from collections import Counter
from collections.abc import Sequence

from isvmde.caller import warn_caller

from .errors import TableWarning, some

_MOST_LINES = 10
_HAS_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)?")


def count_titles(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above the names of the columns; 0 if in doubt.

    A title fills one cell at most. Names fill at least half of the columns that the
    other rows have, and are not numbers.
    """
    widths = Counter(len(row) for row in rows)
    width = widths.most_common(1)[0][0]
    for place, row in enumerate(rows[: _MOST_LINES + 1]):
        filled = [cell.strip() for cell in row if cell.strip()]
        is_title = len(filled) <= 1 and (width >= 3 or len(row) != width)
        if is_title:
            continue
        are_names = 2 * len(filled) >= width and abs(len(row) - width) <= 1
        has_numbers = any(_HAS_NUMBER.fullmatch(cell) for cell in filled)
        return place if are_names and not has_numbers else 0
    return 0


def warn_of_titles(rows: Sequence[Sequence[str]]) -> None:
    """Say which rows above the names of the columns are left out."""
    texts = [cell.strip() for row in rows for cell in row if cell.strip()]
    lines = "1 line" if len(rows) == 1 else f"{len(rows)} lines"
    verb = "is" if len(rows) == 1 else "are"
    shown = f": {some(texts, 2)}" if texts else ""
    warn_caller(
        f"{lines} above the names of the columns {verb} left out{shown}", TableWarning
    )
