"""Titles above the names of the columns are left out, and said."""

import io

import openpyxl
import pandas as pd
import pytest

from isvmde.tables import TableWarning, read_table
from isvmde.tables.titles import count_titles

TABLE = pd.DataFrame({"age": [34, 61, 45], "alt": [1.5, 2.5, 0.5], "kind": list("aba")})


@pytest.mark.parametrize("sep", [",", ";", "\t"])
@pytest.mark.parametrize(
    "title",
    ["Report of ward 7\nprinted 2020-03-01\n\n", "# made by x\n", "Ward 7{2}\n{2}\n"],
)
def test_titles_of_text_files(title, sep):
    content = title.replace("{2}", 2 * sep) + TABLE.to_csv(index=False, sep=sep)
    with pytest.warns(TableWarning, match="above the names of the columns .* left out"):
        found = read_table(io.BytesIO(content.encode()))
    pd.testing.assert_frame_equal(found, TABLE, check_dtype=False)


def test_titles_of_sheets():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet["A1"], sheet["C2"] = "Ward 7", 2020
    for row in [list(TABLE), *TABLE.itertuples(index=False)]:
        sheet.append([None, *row])
    file = io.BytesIO()
    book.save(file)
    with pytest.warns(TableWarning, match="2 lines .* are left out: 'Ward 7', '2020'"):
        found = read_table(io.BytesIO(file.getvalue()))
    pd.testing.assert_frame_equal(found, TABLE, check_dtype=False)


@pytest.mark.parametrize(
    "rows",
    [
        [["", "y"], ["1.5", "a"], ["2.5", "b"]],  # two columns, one without a name
        [["age"], ["1"], ["2"]],
        [["", "", "y"], ["1", "2", "a"], ["3", "4", "b"]],  # names are missing
        [["a", "b", "y"], ["", "", "x"], ["1", "2", "x"]],
    ],
)
def test_what_is_not_a_title(rows):
    assert count_titles(rows) == 0


def test_a_comma_in_every_row_but_the_first_is_decimal():
    found = read_table(io.BytesIO(b"v;n\nR$ 1,5;1\nR$ 2,5;2\nR$ 4,5;3\n"))
    assert list(found) == ["v", "n"]
