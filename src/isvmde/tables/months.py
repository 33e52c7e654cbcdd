"""Names of months in several languages, and other words that stand in dates."""

import re

import pandas as pd

# English, German, French, Spanish, Italian, Portuguese and Dutch
_NAMES = {
    "Jan": "january januar jänner janvier janv ene enero gen gennaio janeiro januari",
    "Feb": "february februar février fevrier févr fevr febrero febbraio fev fevereiro "
    "februari",
    "Mar": "march märz maerz mär mrz mars marzo março marco maart mrt",
    "Apr": "april avril avr abr abril aprile",
    "May": "mai mayo mag maggio maio mei",
    "Jun": "june juni juin junio giu giugno junho",
    "Jul": "july juli juillet juil julio lug luglio julho",
    "Aug": "august août aout ago agosto augustus",
    "Sep": "sept september septembre septiembre setiembre set sett settembre setembro",
    "Oct": "october okt oktober octobre octubre ott ottobre out outubro",
    "Nov": "november novembre noviembre novembro",
    "Dec": "december dez dezember décembre decembre déc dic diciembre dicembre "
    "dezembro",
}
_MONTHS = {
    name: short
    for short, names in _NAMES.items()
    for name in f"{short.lower()} {names}".split()
}
_LETTERS = re.compile(r"[^\W\d_]+")
_WEEKDAY = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
)


def in_plain_english(texts: pd.Series) -> pd.Series:
    """Return dates with English months of three letters and one blank between parts.

    "12. März 2020" becomes "12 Mar 2020", and "March 12, 2020, 8:30 p.m." becomes
    "Mar 12 2020 8:30 PM". Names of weekdays go.
    """
    plain = texts.str.replace(r"[.,]?\s+", " ", regex=True)
    if not plain.str.contains(_LETTERS, na=False).any():
        return plain
    plain = plain.str.replace(r"\b([ap])\.?m\.?$", r"\1m", regex=True, case=False)
    plain = plain.str.replace(r"\bde\b ?", "", regex=True)
    return plain.str.replace(_LETTERS, _plain_word, regex=True).str.strip()


def _plain_word(found: re.Match[str]) -> str:
    """Return the English short name of a month; nothing for a weekday."""
    word = found[0].lower()
    if _WEEKDAY.fullmatch(word):
        return ""
    return _MONTHS.get(word, found[0])
