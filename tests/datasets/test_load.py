"""All data sets are those of the paper's Table 1."""

from collections import Counter
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from isvmde.datasets import get_data_home, list_datasets, load_dataset
from isvmde.datasets.catalogue import CATALOGUE

# Table 1 of the paper: examples, attributes, numeric, nominal, class distribution.
TABLE_1 = {
    "automobile": (159, 25, 15, 10, "46/29/13/48/20/3"),
    "balance": (625, 4, 4, 0, "288/49/288"),
    "car": (1728, 6, 0, 6, "384/69/1210/65"),
    "cleveland": (297, 13, 5, 8, "160/54/35/35/13"),
    "dermatology": (358, 34, 1, 33, "111/60/71/48/48/20"),
    "ecoli": (336, 7, 7, 0, "143/77/2/2/35/20/5/52"),
    "flare": (1066, 11, 0, 11, "147/211/239/95/43/331"),
    "glass": (214, 9, 9, 0, "70/76/17/29/13/9"),
    "hayes-roth": (160, 4, 4, 0, "65/64/31"),
    "hcv": (589, 12, 11, 1, "526/20/12/24/7"),
    "lymphography": (148, 18, 3, 15, "4/61/81/2"),
    "newthyroid": (215, 5, 5, 0, "150/35/30"),
    "shuttle": (2175, 9, 9, 0, "1706/2/6/338/123"),
    "thyroid": (720, 21, 6, 15, "17/37/666"),
    "zoo": (101, 16, 0, 16, "41/20/5/13/4/8/10"),
}
DOWNLOADED = ("hcv", "shuttle", "thyroid")
BUILT_IN = [name for name in TABLE_1 if name not in DOWNLOADED]


def assert_matches_table_1(bunch):
    rows, attributes, numeric, nominal, distribution = TABLE_1[bunch.name]
    assert bunch.data.shape == (rows, attributes)
    assert len(bunch.numeric) == numeric
    assert len(bunch.nominal) == nominal
    assert sorted(bunch.numeric + bunch.nominal) == sorted(bunch.data.columns)
    counts = Counter(bunch.target.tolist())
    assert sorted(counts.values()) == sorted(map(int, distribution.split("/")))
    assert not bunch.data.isna().any().any()
    assert all(bunch.data[c].dtype == np.float64 for c in bunch.numeric)
    assert all(
        isinstance(bunch.data[c].dtype, pd.CategoricalDtype) for c in bunch.nominal
    )
    assert bunch.target.dtype.kind == "U"
    assert "UCI" in bunch.source
    assert "doi.org" in bunch.citation


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_sets_match_table_1(name):
    assert_matches_table_1(load_dataset(name))


def test_ecoli_and_glass_hold_ucis_values():
    """KEEL's own files have 49 for 0.49, and rounded values."""
    ecoli, glass = load_dataset("ecoli"), load_dataset("glass")
    assert ecoli.data.iloc[0].tolist() == [0.49, 0.29, 0.48, 0.5, 0.56, 0.24, 0.35]
    assert ecoli.data.to_numpy().max() <= 1
    assert glass.data.iloc[0, :3].tolist() == [1.52101, 13.64, 4.49]


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"no data set 'iris'.*glass.*zoo"):
        load_dataset("iris")


@pytest.mark.parametrize("name", DOWNLOADED)
def test_the_other_three_match_table_1(name, originals):
    assert_matches_table_1(load_dataset(name, data_home=originals))


@pytest.mark.parametrize("name", DOWNLOADED)
def test_where_to_get_what_is_not_here(name, home, contents):
    with pytest.raises(FileNotFoundError) as caught:
        load_dataset(name, data_home=home)
    message = str(caught.value)
    assert str(home) in message
    assert "--download" in message
    assert "https://" in message
    assert "\n" not in message
    assert contents(home) == {}


@pytest.fixture(params=DOWNLOADED)
def original(request, originals):
    """Name, file name and contents of a file that is not shipped."""
    filename = {"hcv": "hcvdat0.csv"}.get(request.param, f"{request.param}.dat")
    return request.param, filename, (originals / filename).read_bytes()


def mangled_value(content):
    """One digit of one value changed, in the middle of the file."""
    middle = content.index(b"1", len(content) // 2)
    return content[:middle] + b"7" + content[middle + 1 :]


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:-1000],
        lambda content: content[: content.rindex(b"\n", 0, -1) + 1],  # a row less
        lambda content: content[:500],
        mangled_value,
        lambda content: content.replace(b",", b";"),
        lambda content: b"<html><body>404</body></html>",
        lambda content: b"a,b,c\n1,2,3\n",
        lambda content: b"@attribute a real\n@attribute b {x}\n@data\n1,x\n",
        lambda content: b"Category,Sex,Age\n1,m,x\n",
        lambda content: bytes(range(256)),
    ],
)
def test_a_damaged_or_foreign_file_is_refused_and_left(
    original, home, contents, damage
):
    name, filename, content = original
    (home / filename).write_bytes(damage(content))
    before = contents(home)
    for download in (False, True):
        with pytest.raises(ValueError, match="damaged or another file") as caught:
            load_dataset(name, data_home=home, download=download)
        assert str(home / filename) in str(caught.value)
        assert "SHA-256" in str(caught.value)
    assert contents(home) == before
    assert list_datasets(data_home=home).loc[name, "status"] == "wrong file"


def test_other_line_endings_are_the_same_data(original, home):
    name, filename, content = original
    other = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    (home / filename).write_bytes(other if other != content else content + b"\n")
    assert_matches_table_1(load_dataset(name, data_home=home))


def test_the_data_home_may_come_from_the_environment(originals, monkeypatch):
    monkeypatch.setenv("ISVMDE_DATA", str(originals))
    assert_matches_table_1(load_dataset("shuttle"))


def test_list_datasets(home):
    table = list_datasets(data_home=home)
    assert list(table.index) == list(TABLE_1)
    for name, (rows, attributes, numeric, nominal, distribution) in TABLE_1.items():
        counts = [int(count) for count in distribution.split("/")]
        row = table.loc[name]
        assert row["rows"] == rows == sum(counts)
        assert row["attributes"] == attributes
        assert (row["numeric"], row["nominal"]) == (numeric, nominal)
        assert row["classes"] == len(counts)
        assert row["smallest_class"] == min(counts)
        assert row["imbalance_ratio"] == max(counts) / min(counts)
        assert row["available"] == (name not in DOWNLOADED)
        expected = "needs a download" if name in DOWNLOADED else "built in"
        assert row["status"] == expected


def test_list_datasets_finds_files(originals):
    table = list_datasets(data_home=originals)
    assert (table.loc[list(DOWNLOADED), "status"] == "found").all()
    assert table["available"].all()


def test_class_counts_of_the_catalogue_are_those_of_the_files(originals):
    for name, info in CATALOGUE.items():
        target = load_dataset(name, data_home=originals).target
        assert info.class_counts == dict(Counter(target.tolist()))
        counts = "/".join(map(str, info.class_counts.values()))
        assert counts == TABLE_1[name][4]  # in the paper's order, too


@pytest.mark.parametrize(
    ("platform", "variable", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", ("isvmde",)),
        ("linux", None, (".cache", "isvmde")),
        ("darwin", None, ("Library", "Caches", "isvmde")),
        ("win32", "LOCALAPPDATA", ("isvmde", "Cache")),
        ("win32", None, ("AppData", "Local", "isvmde", "Cache")),
    ],
)
def test_cache_directories(monkeypatch, tmp_path, platform, variable, expected):
    for name in ("ISVMDE_DATA", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr("pathlib.Path.home", lambda: tmp_path)
    if variable:
        monkeypatch.setenv(variable, str(tmp_path))
    assert get_data_home() == tmp_path.joinpath(*expected)
    monkeypatch.setenv("ISVMDE_DATA", str(tmp_path / "mine"))
    assert get_data_home() == tmp_path / "mine"
    assert get_data_home(tmp_path / "given") == tmp_path / "given"


def test_the_shipped_data_are_small_and_attributed():
    folder = resources.files("isvmde.datasets") / "data"
    files = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert sorted(files) == sorted(["LICENSE.md", *(f"{n}.dat" for n in BUILT_IN)])
    assert sum(map(len, files.values())) < 300_000
    licence = files["LICENSE.md"].decode()
    assert "CC BY 4.0" in licence
    for name in BUILT_IN:
        assert CATALOGUE[name].citation in licence
        assert CATALOGUE[name].citation in files[f"{name}.dat"].decode()
