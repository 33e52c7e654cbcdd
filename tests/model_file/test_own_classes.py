"""ISVMClassifierCV in files: the same bits, and nothing that does not fit together."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde import ISVMClassifierCV
from isvmde.model_file import ModelFileError, SavedModel, load_model, save_model


@pytest.fixture(scope="module")
def data(make_blobs):
    return make_blobs([25, 12, 6])


@pytest.fixture(scope="module")
def model(data):
    return ISVMClassifierCV(n_settings=24, random_state=0).fit(data.X, data.y)


def same_bits(one, other, X):
    assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    assert_array_equal(one.pair_decision_function(X), other.pair_decision_function(X))
    assert str(one.loo_report()) == str(other.loo_report())
    for ours, theirs in zip(one.explain(X[:3]), other.explain(X[:3]), strict=True):
        assert str(ours) == str(theirs)


def test_pickle_and_a_deep_copy_keep_every_bit(model, data):
    same_bits(pickle.loads(pickle.dumps(model)), model, data.X)
    same_bits(copy.deepcopy(model), model, data.X)


def test_a_file_keeps_every_bit(data, tmp_path):
    table = pd.DataFrame(data.X, columns=["a", "b", "c"])
    pipeline = make_pipeline(
        MinMaxScaler(), ISVMClassifierCV(n_settings=24, random_state=0)
    ).fit(table, data.y)
    saved = SavedModel(pipeline, "kind", list(table), [])
    again = load_model(save_model(saved, tmp_path / "model.skops")).pipeline
    same_bits(again[-1], pipeline[-1], pipeline[0].transform(table))


def test_a_file_keeps_who_is_plus_of_two_equal_classes(make_blobs, tmp_path):
    data = make_blobs([12, 12, 12])
    for names in ([0, 1, 2], [2, 0, 1]):
        y = np.array(names)[data.y]
        table = pd.DataFrame(data.X, columns=["a", "b", "c"])
        pipeline = make_pipeline(
            MinMaxScaler(), ISVMClassifierCV(n_settings=8, random_state=0)
        ).fit(table, y)
        model = pipeline[-1]
        saved = SavedModel(pipeline, "kind", ["a", "b", "c"], [])
        path = save_model(saved, tmp_path / f"{names[0]}.skops")
        again = load_model(path).pipeline[-1]
        assert_array_equal(again.pairs_, model.pairs_)
        same_bits(again, model, pipeline[0].transform(table))


def changed(name, change):
    """Return a function that changes one array of the machines."""

    def damage(model):
        model._machines[name] = change(np.array(model._machines[name]))

    return damage


def with_first(value):
    def change(array):
        array[0] = value
        return array

    return change


def knots_that_fall(model):
    views = model._machines["views"]
    views["values"][0] = views["values"][0][::-1].copy()


def part_of_a_weighted_setting(value):
    def damage(model):
        chosen = [own for own in model.settings_ if own["view"].startswith("weighted")]
        chosen[0]["part"] = value

    return damage


def with_views(**changed):
    def damage(model):
        views = model._machines["views"]
        for name, change in changed.items():
            views[name] = change(views[name])

    return damage


DAMAGE = {
    "a part that does not exist": part_of_a_weighted_setting(3),
    "a part before the first": part_of_a_weighted_setting(-1),
    "no whole part": part_of_a_weighted_setting(0.5),
    "a part whose relevance is missing": with_views(
        relevance=lambda r: r[:2], rank_relevance=lambda r: r[:2]
    ),
    "parts of values and not of ranks": with_views(rank_relevance=lambda r: r[:2]),
    "relevance of other features": with_views(relevance=lambda r: r[:, 1:].copy()),
    "a rank of no class": lambda m: setattr(m, "class_rank_", m.class_rank_ + 1),
    "a rank below the first": lambda m: setattr(m, "class_rank_", m.class_rank_ - 1),
    "ranks of another model": lambda m: setattr(m, "class_rank_", np.arange(2)),
    "no ranks": lambda m: delattr(m, "class_rank_"),
    "a row that does not exist": changed("index", with_first(10**6)),
    "a row before the first": changed("index", with_first(-1)),
    "a pair that does not exist": changed("pair", with_first(3)),
    "a setting that does not exist": changed("kernel_setting", with_first(24)),
    "a class that does not exist": changed("label", with_first(3)),
    "more support vectors than there are": changed("start", lambda a: a + 1),
    "machines of no kernel": changed("kernel_start", lambda a: a[:-1]),
    "a missing multiplier": changed("beta", lambda a: a[1:]),
    "half precision": changed("rows", lambda a: a.astype(np.float16)),
    "another number of features": changed("rows", lambda a: a[:, 1:].copy()),
    "not a number": changed("beta", with_first(np.nan)),
    "no rows": changed("rows", lambda a: a[:0]),
    "knots that fall": knots_that_fall,
    "no machines": lambda model: setattr(model, "_machines", None),
    "a kernel nobody knows": lambda m: m.settings_[0].update(kernel="magic"),
    "an endless degree": lambda m: m.settings_[0].update(degree=10**12),
    "a setting more": lambda m: m.settings_.append(m.settings_[0]),
    "margins of another model": lambda m: setattr(m, "margins_", np.ones((4, 2))),
    "a missing prior": lambda m: delattr(m, "prior_"),
    "labels of no class": lambda m: setattr(m, "_given_label", m._given_label + 1),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_what_does_not_fit_together_is_refused(model, damage, tmp_path):
    """What is refused in writing is refused in reading: one table judges both."""
    broken = copy.deepcopy(model)
    damage(broken)
    with pytest.raises(ModelFileError, match="not as training leaves it"):
        save_model(broken, tmp_path / "model.skops")
