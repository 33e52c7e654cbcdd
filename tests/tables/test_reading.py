"""Files as people have them, read without being told how they are written."""

import bz2
import gzip
import io
import lzma
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isvmde.datasets import KeelFormatError
from isvmde.tables import TableError, read_table

FRUIT = pd.DataFrame(
    {
        "weight": [80.5, 9.0, np.nan],
        "colour": ["red", "blue", "red"],
        "kind": ["apple", "plum", "apple"],
        "code": [3, 1, 3],
    }
)
ARFF = """% a note
@RELATION fruit
@ATTRIBUTE weight NUMERIC
@ATTRIBUTE colour {red, blue}
@ATTRIBUTE kind {apple, plum}
@DATA
80.5, red, apple
9, ?, plum
?, blue, apple
"""
KEEL = """@relation fruit
@attribute kind {apple, plum}
@attribute weight real
@inputs weight
@outputs kind
@data
apple, 80.5
plum, 9
apple, ?
"""


def read(text, **options):
    """Read a text, or bytes."""
    content = text if isinstance(text, bytes) else text.encode()
    return read_table(io.BytesIO(content), **options)


def as_read(table):
    return table.attrs["read_as"].removeprefix("csv, ")


@pytest.fixture
def write(tmp_path):
    def write(name):
        path = tmp_path / name
        if name.endswith(".parquet"):
            FRUIT.to_parquet(path)
        elif name.endswith(".xlsx"):
            FRUIT.to_excel(path, index=False)
        elif name.endswith((".arff", ".dat")):
            path.write_text(ARFF if name.endswith(".arff") else KEEL)
        else:
            sep = "\t" if ".tsv" in name else ";" if ".txt" in name else ","
            FRUIT.to_csv(path, index=False, sep=sep)
        return path

    return write


@pytest.mark.parametrize(
    "name",
    [
        "a.csv",
        "a.CSV",
        "a.tsv",
        "a.txt",
        "a",
        "a.csv.gz",
        "a.v2.csv",
        "a.parquet",
        "a.xlsx",
        "a.csv.xz",
    ],
)
def test_the_same_table_from_every_kind_of_file(write, name):
    path = write(name)
    table = read_table(path)
    pd.testing.assert_frame_equal(table, FRUIT, check_dtype=False)
    assert table["weight"].dtype == np.float64
    assert table.attrs["source"] == str(path)


def test_the_content_and_not_the_suffix_says_what_a_file_is(write, tmp_path):
    for name in ("a.parquet", "a.xlsx", "a.csv.gz", "a.arff"):
        disguised = tmp_path / "disguised.csv"
        disguised.write_bytes(write(name).read_bytes())
        assert read_table(disguised)["weight"].tolist()[:2] == [80.5, 9.0]


def test_formats_that_declare_types(write):
    arff = read_table(write("a.arff"))
    assert arff["colour"].tolist() == ["red", np.nan, "blue"]
    assert arff["colour"].cat.categories.tolist() == ["red", "blue"]
    keel = read_table(write("a.dat"))
    assert keel.attrs["target"] == "kind"  # declared, though it is the first column
    assert list(keel) == ["kind", "weight"]


TEXTS = {
    "separator comma, encoding utf-8": "a,b\n1.5,x\n2.5,y\n",
    "separator semicolon, encoding utf-8": "a;b\n1.5;x\n2.5;y\n",
    "separator tab, encoding utf-8": "a\tb\n1.5\tx\n2.5\ty\n",
    "separator bar, encoding utf-8": "a|b\n1.5|x\n2.5|y\n",
    "separator blanks, encoding utf-8": "a   b\n1.5 x\n2.5 y\n",
    "separator semicolon, decimal comma, encoding utf-8": "a;b\n1,5;x\n2,5;y\n",
    "separator comma, decimal comma, encoding utf-8": 'a,b\n"1,5",x\n"2,5",y\n',
    "separator ':', encoding utf-8": "sep=:\na:b\n1.5:x\n2.5:y\n",
}


@pytest.mark.parametrize(("found", "text"), TEXTS.items(), ids=TEXTS)
def test_separator_and_decimal_sign(found, text):
    table = read(text)
    assert as_read(table) == found
    assert table.to_dict("list") == {"a": [1.5, 2.5], "b": ["x", "y"]}


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("latin-1", "cp1252"),
        ("utf-16", "utf-16"),
    ],
)
def test_encoding(written, found):
    table = read("größe;name\n1;Ä\n".encode(written))
    assert as_read(table) == f"separator semicolon, encoding {found}"
    assert table.to_dict("list") == {"größe": [1], "name": ["Ä"]}


def test_bytes_that_windows_does_not_know_are_latin_1():
    assert read(b"a;b\n1;\xe4\x81\n")["b"].tolist() == ["ä\x81"]


def test_what_was_found_can_be_overridden():
    text = "a;b\n1,5;2\n"
    assert read(text, sep=",")["a;b"].tolist() == ["5;2"]
    assert read(text, decimal=".")["a"].tolist() == ["1,5"]
    assert read("a\tb\n1\t2\n", sep="tab")["b"].tolist() == [2]
    assert read("é;b\n1;2\n".encode("cp1250"), encoding="cp1250").columns[0] == "é"


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ('a,b\n"1,500",x\n"3,501,222",y\n', [1500, 3501222]),
        ("a;b\n1.500,5;x\n3,5;y\n", [1500.5, 3.5]),
        ("a;b\n1,5;24.12.2020\n1.500,5;01.02.2021\n", [1.5, 1500.5]),
    ],
)
def test_thousands(text, column):
    table = read(text)
    assert table["a"].tolist() == column
    assert not pd.api.types.is_numeric_dtype(table["b"].dtype)


def test_marks_of_gaps_do_not_make_text_of_numbers():
    marks = ["?", "n/d", "NA", "-", "", "#N/A", "NULL", "N.A.", "nan", "."]
    table = read("a,b\n" + "".join(f"{mark},1\n" for mark in marks) + "2.5,1\n")
    assert table["a"].dtype == np.float64
    assert table["a"].isna().sum() == len(marks)
    assert read("a,b\nnone,1\nunknown,2\n")["a"].tolist() == ["none", "unknown"]


def test_blank_lines_and_blanks_around_names_and_cells():
    table = read("\n\n a , b \n\n1, x\n   \n2, y\n\n")
    assert table.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}


def test_a_separator_at_the_end_of_every_row():
    assert read("a,b\n1,2,\n3,4,\n").to_dict("list") == {"a": [1, 3], "b": [2, 4]}


def test_names_of_rows_as_R_writes_them():
    table = read('"a","b"\n"1",5,6\n"2",7,8\n')
    assert table.to_dict("list") == {"Unnamed: 0": [1, 2], "a": [5, 7], "b": [6, 8]}


def test_empty_and_repeated_names():
    with pytest.warns(UserWarning, match="more than one column is named 'a'; all"):
        table = read("a,,a,a (2),b.1\n1,2,3,4,5\n")
    assert list(table) == ["a", "Unnamed: 1", "a (3)", "a (2)", "b.1"]


def test_sheets_of_excel(tmp_path):
    path = tmp_path / "a.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame().to_excel(book, sheet_name="empty")
        FRUIT.to_excel(book, sheet_name="fruit", index=False, startrow=2, startcol=1)
        FRUIT[["code"]].to_excel(book, sheet_name="codes", index=False)
    table = read_table(path)
    assert table.attrs["read_as"] == "Excel, sheet 'fruit' of 3"
    assert list(table) == list(FRUIT)
    assert read_table(path, sheet="codes")["code"].tolist() == [3, 1, 3]
    assert list(read_table(path, sheet=3)) == ["code"]
    with pytest.raises(TableError, match="no sheet 'fruits'; the file has 'empty', '"):
        read_table(path, sheet="fruits")
    with pytest.raises(TableError, match="'empty' is empty"):
        read_table(path, sheet="empty")


def test_dates_and_mixed_cells_of_excel(tmp_path):
    table = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-05-01"]),
            "mixed": [1, "n/d"],
        }
    )
    table.to_excel(tmp_path / "a.xlsx", index=False)
    again = read_table(tmp_path / "a.xlsx")
    assert pd.api.types.is_datetime64_any_dtype(again["day"].dtype)
    assert again["mixed"].isna().tolist() == [False, True]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", "the file is empty"),
        ("a.csv", b" \n\n", "the file is empty"),
        ("a.csv", b"a,b\n", "no rows"),
        ("a.csv", b"a,b\n1,2\n1,2,3\n", "Expected 2 fields in line 3, saw 3"),
        ("a.csv", b'a,b\n1,"2\n3,4\n', "EOF inside string"),
        ("a.csv", b"1.5,2\n3,4\n", "first line holds numbers"),
        ("a.csv", bytes(range(256)), "not a text file"),
        ("a.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel file"),
        ("a.parquet", b"PAR1", "not a parquet file"),
        ("a.parquet", b"a,b\n1,2\n", "not a parquet file"),
        ("a.xlsx", b"PK\x03\x04...", "not an Excel file"),
        ("a.xlsx", b"a,b\n1,2\n", "not an Excel file"),
        ("a.arff", b"@relation x\n@attribute a string\n@data\nb\n", "save it as csv"),
        (
            "a.arff",
            b"@relation x\n@attribute a {b}\n@data\nc\n",
            "not a declared value",
        ),
        ("a.csv.gz", gzip.compress(b"a,b\n1,2\n" * 100, mtime=0)[:-10], "damaged"),
        ("a.csv.bz2", bz2.compress(b"a,b\n1,2\n" * 100)[:-10], "damaged"),
        ("a.csv.xz", lzma.compress(b"a,b\n1,2\n" * 100)[:-10], "damaged"),
    ],
)
def test_files_that_cannot_be_read(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(TableError, match=message) as refusal:
        read_table(path)
    assert str(path) in str(refusal.value)
    assert len(str(refusal.value)) < 200 + len(str(path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sep": "ab"}, "must be one character"),
        ({"decimal": "'"}, "decimal sign"),
        ({"sep": ",", "decimal": ","}, "and not the separator"),
        ({"encoding": "klingon"}, "no encoding 'klingon'"),
        ({"encoding": "utf-16"}, "not in the encoding utf-16"),
        ({"encoding": "x" * 3000}, "no encoding 'xxx"),
        ({"sheet": "a"}, "only an Excel file"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(TableError, match=message) as refusal:
        read("a,b\n1,2\n3", **options)
    assert len(str(refusal.value)) < 200


def test_what_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_table(tmp_path / "a.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(tmp_path)


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".xlsx", ".arff"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(0, 200), junk=st.binary(max_size=30))
def test_nothing_but_its_own_errors(tmp_path, write, suffix, cut, junk):
    content = write(f"good{suffix}").read_bytes()
    bad = tmp_path / f"bad{suffix}"
    bad.write_bytes(content[:cut] + junk + content[cut + len(junk) // 2 :])
    try:
        table = read_table(bad)
    except (TableError, KeelFormatError, UserWarning):  # the last: a name twice
        return
    assert len(table) > 0
    assert table.columns.is_unique


def test_a_large_file_is_not_held_twice(tmp_path):
    """Beside the table itself, reading takes little: the parser works in pieces."""
    rng = np.random.default_rng(0)
    path = tmp_path / "large.csv"
    pd.DataFrame(rng.normal(size=(40_000, 20))).round(6).to_csv(path, index=False)
    tracemalloc.start()
    table = read_table(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1.8 * table.memory_usage().sum() + 4e6
