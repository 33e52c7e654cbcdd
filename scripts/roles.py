"""MkDocs hook: the roles of docstrings, such as :class:, become plain code."""

from __future__ import annotations

import re
from typing import Any

_ROLE = re.compile(r":(?:class|func|meth|mod|data):<code>(?:~[\w.]+\.)?")
_MATH_ROLE = re.compile(r":math:<code>(.*?)</code>")


def on_page_content(html: str, **_: Any) -> str:
    """Drop the roles of a page; a tilde keeps the last part of a name."""
    return _ROLE.sub("<code>", _MATH_ROLE.sub(_formula, html))


def _formula(match: re.Match[str]) -> str:
    """Return the formula of a :math: role as MathML."""
    from latex2mathml.converter import convert

    return str(convert(match[1])).replace("\n", "")
