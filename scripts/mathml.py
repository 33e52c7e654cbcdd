r"""MkDocs hook: formulas become MathML, which browsers draw without any script.

Written as GitHub shows them too: ``$x$`` in a line, a fence called ``math`` on its own.
"""

from __future__ import annotations

import re
from typing import Any

_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(`[^`\n]*`)|\$([^$\n]+)\$")
_MARK = re.compile(r"<p>formula:(\d+):block</p>|formula:(\d+):inline")

# Markdown would take MathML for HTML blocks, so marks stand in for it meanwhile.
_formulas: list[str] = []


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Put marks in the place of a page's formulas; code stays as it is."""
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(markdown):
        parts.append(_INLINE.sub(_mark_inline, markdown[end : fence.start()]))
        if fence.group(1) == "math":
            parts.append(_mark(" ".join(fence.group(2).split()), "block"))
        else:
            parts.append(fence.group())
        end = fence.end()
    parts.append(_INLINE.sub(_mark_inline, markdown[end:]))
    return "".join(parts)


def on_page_content(html: str, **_: Any) -> str:
    """Put the formulas in the place of their marks."""
    return _MARK.sub(lambda mark: _formulas[int(mark[1] or mark[2])], html)


def _mark_inline(match: re.Match[str]) -> str:
    """Mark a formula within a line; code between backticks is kept."""
    return match[1] or _mark(match[2], "inline")


def _mark(source: str, display: str) -> str:
    """Convert LaTeX, keep the result, return its mark."""
    from latex2mathml.converter import convert

    formula = str(convert(source, display=display)).replace("\n", "")
    if display == "block":
        style = "overflow-x: auto; overflow-y: hidden; padding: 0.3em 0"
        formula = f'<div style="{style}">{formula}</div>'
    _formulas.append(formula)
    return f"formula:{len(_formulas) - 1}:{display}"
