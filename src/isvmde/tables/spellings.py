"""Categories and classes that are written in several ways."""

from collections import Counter
from collections.abc import Mapping

import pandas as pd

from .cells import counted, replaced, same_spelling

_SHORT_FORMS = (
    {"y": "yes", "n": "no"},
    {"t": "true", "f": "false"},
    {"m": "male", "f": "female"},
    {"j": "ja", "n": "nein"},
    {"o": "oui", "n": "non"},
    {"s": "si", "n": "no"},
    {"s": "sí", "n": "no"},
)


def find_spellings(texts: pd.Series) -> dict[str, str]:
    """Return the usual spelling by what its spellings share; empty if each has one."""
    spelled: dict[str, Counter[str]] = {}
    for text, times in counted(texts):
        spelled.setdefault(same_spelling(text), Counter())[text] = times
    short = _short_forms(set(spelled))
    for form, word in short.items():
        spelled[word].update(spelled[form])
    for form, word in short.items():
        spelled[form] = spelled[word]
    if all(len(variants) == 1 for variants in spelled.values()):
        return {}
    return {shared: _usual(variants) for shared, variants in spelled.items()}


def _usual(variants: Counter[str]) -> str:
    """Return the most frequent spelling; of equally frequent ones, the last in order.

    Capitals come before small letters in that order, short words before long ones.
    """
    return max(variants, key=lambda text: (variants[text], text))


def _short_forms(shared: set[str]) -> dict[str, str]:
    """Return which words are short for which others, such as "y" for "yes"."""
    for forms in _SHORT_FORMS:
        if shared <= set(forms).union(forms.values()):
            return {f: w for f, w in forms.items() if f in shared and w in shared}
    return {}


def in_usual_spelling(texts: pd.Series, spellings: Mapping[str, str]) -> pd.Series:
    """Return texts with each spelling replaced by the usual one; others stay."""
    if not spellings:
        return texts
    usual = {
        text: spellings.get(same_spelling(str(text)), text)
        for text in texts.dropna().unique()
    }
    return replaced(texts, usual, texts.dtype)


def joined(texts: pd.Series, spellings: Mapping[str, str]) -> list[list[str]]:
    """Return the spellings that are joined, the usual one first in each list."""
    variants: dict[str, list[str]] = {}
    for text, _ in counted(texts):
        usual = spellings.get(same_spelling(text), text)
        variants.setdefault(usual, []).append(text)
    return [
        sorted(texts, key=lambda text: text != usual)
        for usual, texts in variants.items()
        if len(texts) > 1
    ]
