"""A user's own csv, parquet, ARFF and KEEL files."""

import gzip

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isvmde.datasets import (
    KeelFormatError,
    TableFormatError,
    make_preprocessor,
    read_table,
)

FRUIT = pd.DataFrame(
    {
        "weight": [80.5, 9.0, np.nan],
        "colour": ["red", "blue", "red"],
        "kind": ["apple", "plum", "apple"],
        "ripe": [True, False, True],
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
KEEL = ARFF.replace("% a note\n", "").replace("NUMERIC", "real")


@pytest.fixture
def write(tmp_path):
    def write(name):
        path = tmp_path / name
        if name.endswith(".parquet"):
            FRUIT.to_parquet(path)
        elif name.endswith((".arff", ".dat")):
            path.write_text(ARFF if name.endswith(".arff") else KEEL)
        else:
            FRUIT.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
        return path

    return write


@pytest.mark.parametrize(
    "name", ["a.csv", "a.CSV", "a.tsv", "a.csv.gz", "a.v2.csv", "a.parquet"]
)
def test_tables(write, name):
    bunch = read_table(write(name), target="kind")
    assert bunch.numeric == ["weight", "code"]
    assert bunch.nominal == ["colour", "ripe"]
    assert bunch.target.tolist() == ["apple", "plum", "apple"]
    assert bunch.target.dtype.kind == "U"
    assert bunch.data["weight"].tolist()[:2] == [80.5, 9.0]
    assert bunch.data["ripe"].tolist() == ["True", "False", "True"]
    assert (bunch.data[bunch.numeric].dtypes == np.float64).all()
    assert bunch.name == "a"
    assert bunch.source.endswith(name)


@pytest.mark.parametrize("name", ["a.arff", "a.dat"])
def test_formats_that_declare_types(write, name):
    bunch = read_table(write(name))
    assert (bunch.numeric, bunch.nominal) == (["weight"], ["colour"])
    assert bunch.target.tolist() == ["apple", "plum", "apple"]
    assert bunch.data["colour"].tolist() == ["red", np.nan, "blue"]
    assert bunch.data["colour"].cat.categories.tolist() == ["red", "blue"]
    with pytest.raises(ValueError, match="class"):  # its second value is missing
        read_table(write(name), target="colour")


def test_the_target_is_a_name_the_last_column_or_absent(write):
    path = write("a.csv")
    assert read_table(path).target.tolist() == [3, 1, 3]
    assert read_table(path).target_name == "code"
    bunch = read_table(path, target=False)
    assert bunch.target is None
    assert bunch.data.shape == (3, 5)
    with pytest.raises(TableFormatError, match="no column 'taste'; it has weight"):
        read_table(path, target="taste")
    with pytest.raises(TableFormatError, match="1 rows have no class in column 'weigh"):
        read_table(path, target="weight")


def test_codes_can_be_declared_nominal(write):
    bunch = read_table(write("a.csv"), target="kind", nominal=["code", "colour"])
    assert bunch.numeric == ["weight"]
    assert bunch.nominal == ["colour", "ripe", "code"]
    assert bunch.data["code"].tolist() == ["3", "1", "3"]
    assert make_preprocessor(bunch).fit_transform(bunch.data).shape == (
        3,
        1 + 2 + 2 + 2,
    )
    with pytest.raises(TableFormatError, match="no column 'taste'"):
        read_table(write("a.csv"), nominal=["taste"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "", "not a readable csv"),
        ("a.csv", "a,b\n", "no rows"),
        ("a.csv", "a\n1\n", "no columns beside"),
        ("a.csv", "a,b\n1,2\n1,2,3\n", "not a readable csv"),
        ("a.parquet", "PAR1", "not a readable parquet"),
        ("a.arff", "@relation x\n", "not a readable arff|no rows|no columns"),
        ("a.arff", "@relation x\n@attribute a string\n@data\nb\n", "readable arff"),
        ("a.csv.gz", "not compressed", "not a readable csv"),
        ("a.xlsx", "", "tells no known format"),
        ("a", "", "tells no known format"),
        ("a.parquet.gz", "", "tells no known format"),
    ],
)
def test_bad_files(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(TableFormatError, match=message):
        read_table(path)


def test_other_refusals(tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_table(tmp_path / "a.csv")
    dates = pd.DataFrame({"t": pd.to_datetime(["2020-01-01"]), "y": [1]})
    dates.to_parquet(tmp_path / "a.parquet")
    with pytest.raises(TableFormatError, match="'t' holds dates"):
        read_table(tmp_path / "a.parquet")


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz", ".parquet", ".arff", ".dat"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(0, 200), junk=st.binary(max_size=30))
def test_nothing_but_its_own_errors(tmp_path, write, suffix, cut, junk):
    path = write("good.parquet" if suffix == ".parquet" else "good" + suffix)
    content = path.read_bytes()
    bad = tmp_path / f"bad{suffix}"
    bad.write_bytes(content[:cut] + junk + content[cut + len(junk) // 2 :])
    try:
        bunch = read_table(bad)
    except (TableFormatError, KeelFormatError):
        return
    assert len(bunch.data) == len(bunch.target) > 0


def test_gzip_content_is_checked(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n" * 100)[:-10])
    with pytest.raises(TableFormatError, match="not a readable csv"):
        read_table(path)
