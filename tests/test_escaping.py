"""Names cannot do anything to the place where they are shown."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isvmde.escaping import for_markdown, for_plot, is_formula, printable


@given(st.text())
def test_no_control_character_is_printed(name):
    shown = printable(name)
    kinds = {unicodedata.category(c) for c in shown if c not in "\u200c\u200d"}
    assert not kinds & {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
    shown.encode("utf-8")


@pytest.mark.parametrize("name", ["hayes-roth", "Zürich", "α β", "病気", "a\u00a0b"])
def test_names_stay_as_they_are(name):
    assert printable(name) == name
    assert for_plot(name) == name


@given(st.text(alphabet="$\\^{#a1 "))
def test_nothing_is_mathematics_to_matplotlib(name):
    cbook = pytest.importorskip("matplotlib.cbook")
    assert not cbook.is_math_text(for_plot(name))


def test_markdown_has_no_html_and_no_links():
    text = for_markdown('<img src=x> [a](javascript:b) `c` **d** "e"')
    assert "<" not in text
    assert r"\[a\](javascript" in text
    assert r"\*\*d\*\*" in text
    assert r"\`c\`" in text


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("=cmd|' /C calc'!A0", True),
        ("@SUM(1)", True),
        ("-a", True),
        ("-1.5", False),
        ("ill", False),
        ("+1e3", False),
        ("", False),
        (3.5, False),
    ],
)
def test_what_a_spreadsheet_would_compute(text, formula):
    assert is_formula(text) == formula
