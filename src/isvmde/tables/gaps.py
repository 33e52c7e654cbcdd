"""Marks that people write where a value is missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

_SIGNS = "? ?? - -- --- – — . .. ... * # / \\N 1.#QNAN -1.#IND"
_WORDS = (
    "na n/a n.a. n.a nan -nan null nil <na> <null> (null) [null] n/d n.d. n.d nd n/k "
    "k.a. s/d s.d. missing (missing) <missing> blank "
    "#n/a #na #n/d #null! #value! #div/0! #ref! #name? #num!"
)
_PHRASES = ("not available", "not recorded", "not done")


def _in_all_capitals(marks: Iterable[str]) -> Iterator[str]:
    """Give every mark in the capitals people use."""
    for mark in marks:
        yield from (mark, mark.upper(), mark.title(), mark.capitalize())


GAP_MARKS = frozenset(
    ("", "NaN", *_SIGNS.split(), *_in_all_capitals((*_WORDS.split(), *_PHRASES)))
)
"""Cells that count as missing. 'none', 'no' and 'unknown' do not: they say something.

>>> "?" in GAP_MARKS, "n/d" in GAP_MARKS, "N/A" in GAP_MARKS, "none" in GAP_MARKS
(True, True, True, False)
"""
