"""Cells as people write them in one country or program, and what they mean."""

import io

import numpy as np
import pandas as pd
import pytest

from isvmde.tables import ColumnWarning, TablePreprocessor, read_table
from isvmde.tables.columns import Kind
from isvmde.tables.dates import as_points, find_dates
from isvmde.tables.judging import read_column
from isvmde.tables.months import in_plain_english


def read(cells, times=6, name="v"):
    """Write cells to a file again and again; return the plan and the values."""
    cells = list(cells)
    table = pd.DataFrame({name: cells * times, "age": range(len(cells) * times)})
    file = io.BytesIO(table.to_csv(index=False, sep=";").encode())
    read_again = read_table(file)
    preprocessor = TablePreprocessor(drop=["age"]).fit(read_again)
    plan = preprocessor.plan_[name]
    return plan, read_column(read_again[name], plan)[: len(cells)].tolist()


NUMBERS = {
    "real": (["R$ 1.234,56", "R$ 7,50", "R$ 88,00"], [1234.56, 7.5, 88]),
    "krona": (["kr 1 234,50", "kr. 7,50", "kr 12,00"], [1234.5, 7.5, 12]),
    "rouble": (["1.234,56 ₽", "7,50 ₽"], [1234.56, 7.5]),
    "rupee": (["Rs. 1,23,456", "Rs 12,345.50", "Rs 99,999"], [123456, 12345.5, 99999]),
    "lakhs": (["1,23,456", "12,34,567.50", "2,345"], [123456, 1234567.5, 2345]),
    "no cents": (["5,-", "12,50", "7,—"], [5, 12.5, 7]),
    "swiss": (["CHF 1'234.50", "CHF 200.-", "CHF 99.–"], [1234.5, 200, 99]),
    "power": (["1.2x10^5", "3.4 x 10^-4", "5·10⁶"], [1.2e5, 3.4e-4, 5e6]),
    "years": (["45 yrs", "46 years", "33 y", "18yr"], [45, 46, 33, 18]),
    "celsius": (["37.0 C", "36.5 °C", "38.1ºC"], [37, 36.5, 38.1]),
    "wrapped": (['="12.5"', '="13"', '="7"'], [12.5, 13, 7]),
}  # fmt: skip


@pytest.mark.parametrize("case", NUMBERS)
@pytest.mark.filterwarnings("ignore::isvmde.tables.ColumnWarning")
def test_numbers(case):
    cells, meant = NUMBERS[case]
    plan, values = read(cells)
    assert plan.kind is Kind.NUMBERS
    assert values == pytest.approx(meant)


CATEGORIES = {
    "ordinals": ["1st", "2nd", "3rd"],
    "codes of Excel": ['="007"', '="011"', '="100"'],
    "letters": ["A5", "B7", "A7"],
    "lots": ["12-345", "12-346"],
    "version": ["1.2.3", "1.2.10"],
    "beds": ["R 12", "R 13"],
    "several units": ["3 mg", "2 tablets"],
}


@pytest.mark.parametrize("case", CATEGORIES)
def test_categories_keep_their_text(case):
    cells = CATEGORIES[case]
    plan, values = read(cells)
    assert plan.kind is Kind.CATEGORIES
    assert values == [cell.removeprefix('="').removesuffix('"') for cell in cells]


DAYS = pd.Series(pd.date_range("2019-01-29", periods=40, freq="17D"))
GERMAN = {
    "Jan": "Januar", "Feb": "Februar", "Mar": "März", "Apr": "April", "May": "Mai",
    "Jun": "Juni", "Jul": "Juli", "Aug": "August", "Sep": "September",
    "Oct": "Oktober", "Nov": "November", "Dec": "Dezember",
}  # fmt: skip


@pytest.mark.parametrize(
    "form",
    [
        "%d%b%Y", "%d-%b-%y", "%d-%b-%Y", "%b %d %Y", "%B %d, %Y", "%d %b, %Y",
        "%d. %B %Y", "%A, %d %B %Y", "%d/%m/%Y, %H:%M", "%m/%d/%Y %H:%M:%S.%f",
        "%d.%m.%Y %H.%M", "%d/%m/%Y %I:%M %p",
    ],
)  # fmt: skip
def test_dates_of_programs(form):
    plan, values = read(DAYS.dt.strftime(form), times=1)
    assert plan.kind is Kind.DATE
    assert values == DAYS.tolist()
    assert read(DAYS.dt.strftime(form).str.upper(), times=1)[1] == DAYS.tolist()


def test_months_in_other_languages():
    written = [f"{day.day}. {GERMAN[day.strftime('%b')]} {day.year}" for day in DAYS]
    assert read(written, times=1)[1] == DAYS.tolist()
    others = pd.Series(
        ["12 mars 2020", "3 de agosto de 2020", "8:30 p.m.", "1 août 20"]
    )
    plain = ["12 Mar 2020", "3 Aug 2020", "8:30 pm", "1 Aug 20"]
    assert in_plain_english(others).tolist() == plain


BORN = pd.Series(["09.11.38", "07.07.81", "23.06.44", "14.01.95", "27.11.05"])
CONTRACTS = pd.Series(["31.12.19", "30.06.24", "31.12.31", "31.12.35"])


def test_people_are_not_born_in_the_future():
    found = find_dates(BORN, this_year=2026)
    days = as_points(BORN, found.formats, found.first_year)
    assert days.dt.year.tolist() == [1938, 1981, 1944, 1995, 2005]
    assert days.dt.day.tolist() == [9, 7, 23, 14, 27]
    new = pd.Series(["01.02.27", "01.02.28"])
    years = as_points(new, found.formats, found.first_year).dt.year
    assert years.tolist() == [2027, 1928]
    with pytest.warns(
        ColumnWarning, match=r"years of two digits are read as 19\d\d to"
    ):
        plan, values = read(BORN)
    assert values == as_points(BORN, plan.date_formats, plan.first_year).tolist()


def test_contracts_end_in_the_future():
    found = find_dates(CONTRACTS, this_year=2026)
    days = as_points(CONTRACTS, found.formats, found.first_year)
    assert days.dt.year.tolist() == [2019, 2024, 2031, 2035]
    assert find_dates(CONTRACTS, this_year=2040).first_year == 0


def test_an_order_of_day_and_month_that_changes_is_said():
    cells = ["13/02/2020", "02/14/2020", "03/04/2020"]
    with pytest.warns(
        ColumnWarning, match="stand in both orders; '03/04/2020' is read"
    ):
        read(cells)


OLD_PANDAS = int(pd.__version__.split(".")[0]) < 3


@pytest.mark.parametrize(
    "as_text",
    [
        pytest.param(
            True,
            marks=pytest.mark.skipif(
                OLD_PANDAS, reason="pandas before 3 reads no dates beyond 2262 in text"
            ),
        ),
        False,
    ],
)
def test_dates_that_stand_for_a_gap_are_pointed_out(as_text):
    days = [*pd.date_range("2020-01-01", periods=9), *[pd.Timestamp("9999-12-31")] * 3]
    column = pd.Series(days).astype("datetime64[us]")
    table = pd.DataFrame(
        {"seen": column.dt.strftime("%Y-%m-%d") if as_text else column}
    )
    with pytest.warns(ColumnWarning, match="9999-12-31 in 3 rows .* --missing"):
        TablePreprocessor().fit(table)
    quiet = TablePreprocessor(missing=["9999-12-31"]).fit(table)
    assert quiet.columns_.loc["seen", "gaps"] == 3


def test_signs_of_other_scripts_are_digits():
    assert read(["１２", "３"])[1] == [12, 3]


def test_a_category_is_the_same_in_one_row_as_in_many():
    _, many = read(["1st", "2nd", "3rd"])
    one = read_table(io.BytesIO(b"v;age\n1st;3\n"))
    assert one["v"].tolist() == many[:1]
    assert np.unique(many).tolist() == ["1st", "2nd", "3rd"]


@pytest.mark.parametrize("other", ["n.b.", "not detected"])
def test_words_that_hide_numbers_are_pointed_out(other):
    """Too many cells are words for the column to hold numbers."""
    cells = [other if i % 5 == 0 else f"{i / 7:.2f}" for i in range(60)]
    table = pd.DataFrame({"level": cells, "age": range(60)})
    with pytest.warns(ColumnWarning, match=f"48 cells are numbers .*'{other}'; if"):
        TablePreprocessor(features=["level"]).fit(table)
    told = TablePreprocessor(features=["level"], missing=[other]).fit(table)
    assert told.columns_.loc["level"].tolist()[:2] == ["numbers", 12]


def test_grades_are_not_numbers_with_words():
    plan, _ = read(["1", "2", "3", "4", "5+"])
    assert plan.kind is Kind.CATEGORIES
    assert not plan.remarks
