r"""MkDocs hook: formulas become MathML, which browsers draw without any script.

Written as GitHub shows them too: ``$x$`` in a line, a fence called ``math`` on its own.
"""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(`[^`\n]*`)|\$([^$\n]+)\$")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Convert the formulas of a page; code stays as it is."""
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(markdown):
        parts.append(_INLINE.sub(_inline, markdown[end : fence.start()]))
        is_math = fence.group(1) == "math"
        parts.append(_block(fence.group(2)) if is_math else fence.group())
        end = fence.end()
    parts.append(_INLINE.sub(_inline, markdown[end:]))
    return "".join(parts)


def _inline(match: re.Match[str]) -> str:
    """Return a formula within a line; code between backticks is kept."""
    if match.group(1):
        return match.group(1)
    return _convert(match.group(2), "inline")


def _block(source: str) -> str:
    """Return a formula of its own."""
    formula = _convert(" ".join(source.split()), "block")
    return f'<div style="overflow-x: auto">{formula}</div>'


def _convert(source: str, display: str) -> str:
    """Return LaTeX as MathML on one line."""
    from latex2mathml.converter import convert

    return str(convert(source, display=display)).replace("\n", "")
