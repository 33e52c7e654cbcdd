"""All data sets are those of the paper's Table 1."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from isvmde.datasets import load_dataset

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
