"""All data sets are those of the paper's Table 1."""

import hashlib
from collections import Counter
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from isvmde.datasets import list_datasets, load_dataset
from isvmde.datasets.catalogue import CATALOGUE, PAPER_DATASETS

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


@pytest.mark.parametrize("name", TABLE_1)
def test_every_set_matches_table_1(name):
    bunch = load_dataset(name)
    rows, attributes, numeric, nominal, distribution = TABLE_1[name]
    assert bunch.name == name
    assert bunch.data.shape == (rows, attributes)
    assert (len(bunch.numeric), len(bunch.nominal)) == (numeric, nominal)
    assert sorted(bunch.numeric + bunch.nominal) == sorted(bunch.data.columns)
    counts = CATALOGUE[name].class_counts
    assert counts == Counter(bunch.target.tolist())
    assert "/".join(map(str, counts.values())) == distribution
    assert not bunch.data.isna().any().any()
    assert all(bunch.data[c].dtype == np.float64 for c in bunch.numeric)
    assert all(
        isinstance(bunch.data[c].dtype, pd.CategoricalDtype) for c in bunch.nominal
    )
    assert bunch.target.dtype.kind == "U"
    assert "UCI" in bunch.source
    assert "doi.org" in bunch.citation


def test_ecoli_and_glass_hold_ucis_values():
    """KEEL's own files have 49 for 0.49, and rounded values."""
    ecoli, glass = load_dataset("ecoli"), load_dataset("glass")
    assert ecoli.data.iloc[0].tolist() == [0.49, 0.29, 0.48, 0.5, 0.56, 0.24, 0.35]
    assert ecoli.data.to_numpy().max() <= 1
    assert glass.data.iloc[0, :3].tolist() == [1.52101, 13.64, 4.49]


def fingerprint(bunch):
    """Hash the names, the values and the classes, whatever their spelling."""
    columns = [
        bunch.data[name].astype(str).str.removesuffix(".0") for name in bunch.data
    ]
    rows = sorted(zip(*columns, bunch.target, strict=True))
    lines = [tuple(bunch.data.columns), *rows]
    return hashlib.sha256("\n".join(map("\t".join, lines)).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("name", "expected"),
    [("shuttle", "ea85300a005cc6fa"), ("thyroid", "bbf5431a21415ac0")],
)
def test_shuttle_and_thyroid_hold_keels_values(name, expected):
    assert fingerprint(load_dataset(name)) == expected


def test_hcv_holds_ucis_values():
    hcv = load_dataset("hcv")
    first, second = [32, "m", 38.5, 52.5, 7.7], [32, "m", 38.5, 70.3, 18]
    assert hcv.data.iloc[:2, :5].to_numpy().tolist() == [first, second]
    assert hcv.nominal == ["Sex"]
    assert Counter(hcv.data["Sex"]) == {"m": 363, "f": 226}


def test_an_unknown_name_lists_the_known_ones():
    for name in ("iris", None, ["zoo"]):
        with pytest.raises(ValueError, match=r"no data set .*glass.*zoo"):
            load_dataset(name)


def test_a_folder_may_be_named_and_changes_nothing(tmp_path):
    given = load_dataset("shuttle", data_home=tmp_path)
    pd.testing.assert_frame_equal(given.data, load_dataset("shuttle").data)


def test_list_datasets():
    table = list_datasets()
    assert list(table.index) == list(CATALOGUE)
    assert list(table.index[table["in_paper"]]) == PAPER_DATASETS == list(TABLE_1)
    for name, (rows, attributes, numeric, nominal, distribution) in TABLE_1.items():
        counts = [int(count) for count in distribution.split("/")]
        row = table.loc[name]
        assert row["rows"] == rows == sum(counts)
        assert row["attributes"] == attributes
        assert (row["numeric"], row["nominal"]) == (numeric, nominal)
        assert row["classes"] == len(counts)
        assert row["smallest_class"] == min(counts)
        assert row["imbalance_ratio"] == max(counts) / min(counts)


def test_the_shipped_data_are_small_and_attributed():
    folder = resources.files("isvmde.datasets") / "data"
    files = {
        file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()
    }
    assert sorted(files) == sorted(
        ["LICENSE.md", "catalogue.csv", *(f"{n}.dat" for n in CATALOGUE)]
    )
    assert sum(map(len, files.values())) < 400_000
    licence = files["LICENSE.md"].decode()
    assert "CC BY 4.0" in licence
    for name, info in CATALOGUE.items():
        assert f"| {name}.dat | {info.source} | {info.citation} |" in licence
        assert info.citation in files[f"{name}.dat"].decode()
