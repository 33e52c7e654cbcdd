"""ISVMClassifierCV with groups: rows of one patient do not vouch for each other."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GroupKFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde import ISVMClassifierCV
from isvmde.core.averaging.bags import Budget
from isvmde.exceptions import RepeatedRowsWarning

WHOLE, BAGGED = Budget(), Budget(work=8_000.0)
BUDGETS = pytest.mark.parametrize("budget", [WHOLE, BAGGED], ids=["whole", "bagged"])


def make(budget=WHOLE, **params):
    model = ISVMClassifierCV(**{"n_settings": 16, "random_state": 0, **params})
    model._budget = budget
    return model


def near_identical_visits(n_patients=40, n_visits=3, seed=0, shift=0.0):
    """Patients who come several times; ``shift`` parts the classes of patients."""
    random = np.random.default_rng(seed)
    label = random.permutation(np.arange(n_patients) % 2)
    patient = np.repeat(np.arange(n_patients), n_visits)
    own = random.normal(size=(n_patients, 5)) + shift * label[:, None]
    X = own[patient] + 1e-3 * random.normal(size=(len(patient), 5))
    return X, label[patient], patient


def balanced_accuracy(model, y):
    guess = np.argmax(model.loo_proba_, axis=1)
    return np.mean([np.mean(guess[y == c] == c) for c in np.unique(y)])


@BUDGETS
@pytest.mark.filterwarnings("ignore::isvmde.exceptions.RepeatedRowsWarning")
def test_repeated_patients_with_random_labels_are_reported_near_chance(budget):
    """With their groups. Without, every visit is known from the others.

    The calibration never turns decisions round, so a report is seldom below chance.
    """
    with_groups, without = [], []
    for seed in range(8):
        X, y, patient = near_identical_visits(seed=seed)
        model = make(budget, random_state=seed, prior="balanced")
        with_groups.append(balanced_accuracy(model.fit(X, y, groups=patient), y))
        without.append(balanced_accuracy(model.fit(X, y), y))
    assert 0.45 < np.mean(with_groups) < 0.6
    assert np.mean(without) > 0.9


@BUDGETS
def test_what_patients_tell_is_reported_all_the_same(budget):
    X, y, patient = near_identical_visits(60, shift=1.5)
    model = make(budget).fit(X, y, groups=patient)
    assert balanced_accuracy(model, y) > 0.85


@pytest.mark.filterwarnings("ignore::isvmde.exceptions.RepeatedRowsWarning")
def test_what_is_said_of_a_group_is_near_models_without_it(make_blobs):
    """Nearer than what the model says of it, or would say with its other rows."""
    data = make_blobs([24, 15, 9], spread=0.7)
    random = np.random.default_rng(0)
    X = np.repeat(data.X, 2, axis=0) + 1e-3 * random.normal(size=(96, 3))
    y, group = np.repeat(data.y, 2), np.repeat(np.arange(48), 2)
    model = make().fit(X, y, groups=group)
    alone = make().fit(X, y).loo_proba_
    retrained, own = [], []
    for code in range(0, 48, 3):
        leaving = group == code
        without = make().fit(X[~leaving], y[~leaving], groups=group[~leaving])
        retrained.append(without.predict_proba(X[leaving]))
        own.append(np.flatnonzero(leaving))
    told, rows = np.concatenate(retrained), np.concatenate(own)

    def distance(proba):
        return np.abs(proba[rows] - told).mean()

    assert distance(model.loo_proba_) < 0.08
    assert distance(model.loo_proba_) < 0.8 * distance(model.predict_proba(X))
    assert distance(model.loo_proba_) < 0.8 * distance(alone)
    ours, theirs = model.loo_proba_[rows].ravel(), told.ravel()
    assert np.corrcoef(ours, theirs)[0, 1] > 0.9


def test_every_row_its_own_group_is_no_groups(three):
    """The same decisions, to rounding: groups of one go another way to them."""
    plain = make().fit(three.X, three.y)
    own = make().fit(three.X, three.y, groups=np.arange(len(three.y)))
    assert_allclose(own.loo_proba_, plain.loo_proba_, atol=1e-6)
    X = np.random.default_rng(0).random((20, 3))
    assert_allclose(own.predict_proba(X), plain.predict_proba(X), atol=1e-6)


# What must not matter


def bits(model, X):
    arrays = (model.predict_proba(X), model.weights_, model.margins_)
    return [np.asarray(array).tobytes() for array in arrays]


def grouped_table(n=120):
    """Two classes of one size, a third one, and groups across classes."""
    random = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [n // 5 * 2, n // 5 * 2, n // 5])
    X = random.random((n, 3)) + 0.3 * y[:, None]
    return X, y, random.integers(0, n // 2, n)


@BUDGETS
def test_threads_change_no_bit(budget):
    X, y, group = grouped_table()
    one, two = (make(budget, n_jobs=k).fit(X, y, groups=group) for k in (None, 2))
    assert bits(one, X) == bits(two, X)
    assert_array_equal(one.loo_proba_, two.loo_proba_)


@BUDGETS
def test_the_order_of_rows_changes_no_bit(budget):
    X, y, group = grouped_table()
    order = np.random.default_rng(0).permutation(len(y))
    one = make(budget).fit(X, y, groups=group)
    other = make(budget).fit(X[order], y[order], groups=group[order])
    assert bits(one, X) == bits(other, X)
    assert_array_equal(one.loo_proba_[order], other.loo_proba_)


@BUDGETS
def test_a_weight_is_that_many_rows_of_its_group(budget):
    X, y, group = grouped_table()
    weight = np.arange(len(y)) % 4 + 1
    weight[::7] = 0
    many = np.repeat(np.arange(len(y)), weight)
    weighed = make(budget).fit(X, y, sample_weight=weight, groups=group)
    repeated = make(budget).fit(X[many], y[many], groups=group[many])
    assert bits(weighed, X) == bits(repeated, X)
    assert_array_equal(weighed.loo_proba_[many], repeated.loo_proba_)
    assert_array_equal(weighed.n_support_, repeated.n_support_)


@BUDGETS
def test_what_groups_are_called_does_not_matter(budget):
    X, y, group = grouped_table()
    one = make(budget).fit(X, y, groups=group)
    names = np.random.default_rng(1).permutation(1000)[group]
    for called in (
        names,
        [f"patient {k}" for k in names],
        pd.Series(names).astype(str),
    ):
        other = make(budget).fit(X, y, groups=called)
        assert_allclose(one.loo_proba_, other.loo_proba_, atol=1e-6)
        assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


def test_groups_of_any_type_are_those_of_their_names():
    X, y, group = grouped_table()
    one = make().fit(X, y, groups=group)
    for called in (
        group.tolist(),
        pd.Series(group, index=range(500, 620)),
        group * 1.0,
    ):
        assert bits(make().fit(X, y, groups=called), X) == bits(one, X)
    mixed = [k if k % 2 else f"nr {k}" for k in group.tolist()]  # numbers and text
    other = make().fit(X, y, groups=mixed)
    assert_allclose(one.predict_proba(X), other.predict_proba(X), atol=1e-6)


# Extreme groups


@pytest.mark.parametrize("kind", ["one", "class", "halves", "all but one"])
def test_few_groups_give_finite_numbers(three, kind):
    n = len(three.y)
    group = {
        "one": np.zeros(n, int),
        "class": three.y,
        "halves": np.arange(n) % 2,
        "all but one": np.minimum(np.arange(n), 1),
    }[kind]
    model = make().fit(three.X, three.y, groups=group)
    assert np.isfinite(model.loo_proba_).all()
    assert np.isfinite(model.predict_proba(three.X)).all()
    assert_allclose(model.weights_.sum(axis=0), 1.0)
    if kind in ("one", "class"):  # nothing is left that could know them
        assert balanced_accuracy(model, three.y) <= 0.5


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_smallest_tables(n):
    X = np.random.default_rng(n).random((2 * n, 2))
    y = np.repeat(["a", "b"], n)
    for group in (None, np.zeros(2 * n), np.arange(2 * n) // 2, np.arange(2 * n)):
        model = make().fit(X, y, groups=group)
        assert np.isfinite(model.loo_proba_).all()
        assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


# Bad groups: one sentence each


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda g: g[:-1], r"groups has the shape \(119,\).*120 samples"),
        (lambda g: g[:, None], r"groups has the shape \(120, 1\)"),
        (lambda g: "patient", r"groups has the shape \(\)"),
        (lambda g: np.where(g == 3, np.nan, g), "groups has .* missing values"),
        (lambda g: [None, *g[1:].tolist()], "groups has 1 missing value"),
        (lambda g: pd.Series(g).astype("Int64").where(g > 0), "missing value"),
        (lambda g: np.ma.masked_equal(g, 3), "groups"),
    ],
    ids=["short", "column", "a name", "nan", "none", "NA", "masked"],
)
def test_bad_groups_get_one_sentence(spoil, message):
    X, y, group = grouped_table()
    with pytest.raises(ValueError, match=message) as error:
        make().fit(X, y, groups=spoil(group))
    assert "\n" not in str(error.value)


# Metadata routing


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_groups_are_routed_to_folds_and_to_every_fit(routing):
    """In a cross-validation no fold's model takes visits of one patient for two."""
    X, y, patient = near_identical_visits()
    model = make(prior="balanced").set_fit_request(groups=True)
    pipeline = make_pipeline(MinMaxScaler(), model)
    found = cross_validate(
        pipeline,
        X,
        y,
        cv=GroupKFold(4),
        params={"groups": patient},
        return_estimator=True,
        return_indices=True,
        scoring="balanced_accuracy",
    )
    assert np.isfinite(found["test_score"]).all()
    for fitted, train in zip(
        found["estimator"], found["indices"]["train"], strict=True
    ):
        rows = MinMaxScaler().fit_transform(X[train])
        expected = make(prior="balanced").fit(rows, y[train], groups=patient[train])
        assert_array_equal(fitted[-1].loo_proba_, expected.loo_proba_)


def test_weights_and_groups_are_routed_together(routing):
    X, y, patient = near_identical_visits(24)
    weight = np.arange(len(y)) % 3 + 1.0
    model = make().set_fit_request(groups=True, sample_weight=True)
    model.set_score_request(sample_weight=False)
    found = cross_validate(
        model,
        X,
        y,
        cv=GroupKFold(2),
        params={"groups": patient, "sample_weight": weight},
        return_estimator=True,
        return_indices=True,
    )
    fitted, train = found["estimator"][0], found["indices"]["train"][0]
    expected = make().fit(X[train], y[train], weight[train], patient[train])
    assert_array_equal(fitted.loo_proba_, expected.loo_proba_)


def test_a_request_is_kept_by_clone_and_groups_are_not_taken_unasked(routing):
    model = make().set_fit_request(groups=True)
    request = sklearn.clone(model).get_metadata_routing().fit.requests
    assert request["groups"] is True
    X, y, patient = near_identical_visits(12)
    with pytest.raises(ValueError, match="groups"):
        cross_validate(make(), X, y, cv=3, params={"groups": patient})


def visits(n_visits, noise, seed=0):
    """Return rows of patients who come several times, their classes and patients."""
    random = np.random.default_rng(seed)
    patient = np.repeat(np.arange(50), n_visits)
    X = random.normal(size=(50, 5))[patient]
    X += noise * random.normal(size=X.shape)
    return X, random.integers(0, 2, 50)[patient], patient


@pytest.mark.parametrize(
    ("noise", "words"),
    [(0.0, "100 of 150 rows repeat another row exactly"), (0.01, "nearly the same")],
)
@pytest.mark.filterwarnings("ignore::isvmde.exceptions.DoubtfulModelWarning")
def test_repeated_patients_are_noticed_unless_groups_name_them(noise, words):
    X, y, patient = visits(3, noise)
    model = ISVMClassifierCV(n_settings=4, random_state=0)
    with pytest.warns(RepeatedRowsWarning, match=words):
        model.fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error", RepeatedRowsWarning)
        model.fit(X, y, groups=patient)
        model.fit(X[::3], y[::3], sample_weight=np.full(50, 3.0))
