"""How a benchmark's rows become folds."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from isvmde.bench import load_results, run_benchmark
from isvmde.bench.dealing import NAMES, choose_dealing
from isvmde.bench.plan import Plan
from isvmde.cli.options import DEALINGS
from isvmde.datasets import load_dataset

SPLITTER = StratifiedKFold(3, shuffle=True)


@pytest.mark.parametrize("folds", [3, *NAMES, SPLITTER], ids=str)
def test_every_dealing_tests_every_row_once(folds):
    bunch = load_dataset("zoo")
    dealing = pickle.loads(pickle.dumps(choose_dealing(folds)))
    parts = dealing.folds("zoo", bunch, seed=1)
    assert len(parts) == dealing.n_folds
    tested = np.sort(np.concatenate([part.test for part in parts]))
    assert tested.tolist() == list(range(len(bunch.target)))
    again = dealing.folds("zoo", bunch, seed=1)
    for one, other in zip(parts, again, strict=True):
        assert one.test.tolist() == other.test.tolist()


@pytest.mark.parametrize("folds", [3, "stratified", "dob-scv", SPLITTER], ids=str)
def test_another_seed_deals_otherwise(folds):
    bunch = load_dataset("zoo")
    one, other = (choose_dealing(folds).folds("zoo", bunch, seed=s) for s in (1, 2))
    assert one[0].test.tolist() != other[0].test.tolist()


@pytest.mark.parametrize("folds", [1, "bootstrap", 2.5, None])
def test_other_dealings_are_refused(folds):
    with pytest.raises(ValueError, match="folds must be"):
        choose_dealing(folds)


def test_keel_has_no_folds_of_other_data():
    with pytest.raises(ValueError, match="data set hcv: KEEL has no partition"):
        Plan(["hcv"], ["SVM"], folds="keel")


def test_the_command_line_knows_the_names():
    assert DEALINGS == NAMES


@pytest.mark.parametrize(("first", "second"), [("dob-scv", 5), (5, "dob-scv")])
def test_folds_dealt_otherwise_are_not_mixed(tmp_path, first, second):
    methods = {"one": LogisticRegression(max_iter=500)}
    run_benchmark(["zoo"], methods, store=tmp_path, folds=first)
    settings = load_results(tmp_path).settings
    assert settings["folds"] == 5
    assert settings.get("dealing", 5) == first
    methods = {"other": LogisticRegression(max_iter=500)}
    with pytest.raises(ValueError, match="holds results with dealing"):
        run_benchmark(["zoo"], methods, store=tmp_path, folds=second)
