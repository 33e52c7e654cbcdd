"""Names from other people's data, made safe for where they are shown.

A class may be called ``$1$``, ``<script>`` or hold a terminal's control sequences. Data
files keep such names as they are; what a person looks at has them escaped.
"""

import re
import unicodedata

_JOINERS = "\u200c\u200d"  # needed to write Persian, and emoji
_MARKDOWN = re.compile(r"([\\`*_\[\]|])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: object) -> str:
    r"""Return a text in one line, its control characters written out.

    >>> print(printable("red \x1b[31m\n"))
    red \x1b[31m\n
    """
    shown = str(text)
    if shown.isprintable():
        return shown
    return "".join(
        c.encode("unicode_escape").decode("ascii") if _controls(c) else c for c in shown
    )


def printable_lines(text: str) -> str:
    """Return a text of several lines with all other control characters written out."""
    return "\n".join(printable(line) for line in text.split("\n"))


def for_markdown(text: object) -> str:
    r"""Return a text that Markdown shows as it is: no HTML, no links, no emphasis.

    >>> print(for_markdown("<b> of a_b|c"))
    &lt;b> of a\_b\|c
    """
    escaped = printable(text).replace("&", "&amp;").replace("<", "&lt;")
    return _MARKDOWN.sub(r"\\\1", escaped)


def for_plot(text: object) -> str:
    r"""Return a text that matplotlib draws as it is, not as mathematics.

    >>> print(for_plot("$1$"))
    \$1\$
    """
    return printable(text).replace("$", r"\$")


def is_formula(text: object) -> bool:
    """Whether a spreadsheet program may mistake a text for a formula."""
    if not isinstance(text, str) or not text.startswith(_FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False


def _controls(character: str) -> bool:
    """Whether a character says how others are shown instead of being shown."""
    kind = unicodedata.category(character)
    if kind in ("Zl", "Zp"):
        return True
    return kind.startswith("C") and character not in _JOINERS
