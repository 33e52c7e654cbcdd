"""Rows of one subject are never on both sides of a fold."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Bunch

from isvmde.bench import StoreError, load_results, run_benchmark
from isvmde.bench.dealing import choose_dealing
from isvmde.bench.grouping import deal_groups, group_parameters
from isvmde.bench.plan import Plan


def visits(n_subjects=30, n_visits=3, seed=0):
    """Return a table of subjects with random classes, whose visits are alike."""
    rng = np.random.default_rng(seed)
    subject = np.repeat(np.arange(n_subjects), n_visits)
    table = pd.DataFrame(rng.normal(size=(n_subjects, 4)), columns=list("abcd"))
    table = table.loc[subject].reset_index(drop=True)
    table += rng.normal(scale=0.01, size=table.shape)
    table["patient"] = [f"P{number:02}" for number in subject]
    table["kind"] = np.where(subject % 3 == 0, "ill", "well")
    return table


class Neighbour:
    """Answers with the class of the nearest training row."""

    def fit(self, X, y):
        self.X, self.y = np.asarray(X), np.asarray(y)

    def predict(self, X):
        gaps = ((np.asarray(X)[:, None] - self.X) ** 2).sum(axis=2)
        return self.y[gaps.argmin(axis=1)]


class Grouped(LogisticRegression):
    """Insists on groups that match its rows."""

    def fit(self, X, y, groups=None):
        assert groups is not None
        assert len(groups) == len(X)
        assert len(np.unique(groups)) < len(groups)
        return super().fit(X, y)


@given(
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 2)), min_size=12),
    st.integers(2, 5),
    st.integers(0, 99),
)
def test_no_group_is_on_both_sides(rows, n_folds, seed):
    groups = np.array([f"g{group}" for group, _ in rows] + [f"g{k}" for k in range(5)])
    target = np.array([kind for _, kind in rows] + [0, 1, 2, 0, 1])
    target[:n_folds] = 0  # so that every fold can have one of them
    bunch = Bunch(data=target, groups=groups, target=target)
    splits = choose_dealing(n_folds).folds("any", bunch, seed)
    tested = np.concatenate([test for _, test in splits])
    assert np.sort(tested).tolist() == list(range(len(groups)))
    for train, test in splits:
        assert not set(groups[train]) & set(groups[test])


def test_every_fold_has_the_classes_in_their_shares():
    table = visits(60)
    bunch = Bunch(groups=table["patient"].to_numpy(), target=table["kind"].to_numpy())
    for seed in range(5):
        for _, test in deal_groups(5, bunch, seed):
            assert (table["kind"][test] == "ill").sum() == 12  # of 60


def test_another_seed_deals_otherwise():
    table = visits(60)
    bunch = Bunch(groups=table["patient"].to_numpy(), target=table["kind"].to_numpy())
    one, other = (next(deal_groups(5, bunch, seed))[1] for seed in (1, 2))
    assert one.tolist() != other.tolist()


def test_repeated_rows_no_longer_flatter(tmp_path):
    table = visits()
    data = {"visits": (table.drop(columns="patient"), "kind")}
    flattered = run_benchmark(data, {"nn": Neighbour}, store=tmp_path / "rows").rows
    data = {"visits": (table, "kind")}
    honest = run_benchmark(
        data, {"nn": Neighbour}, store=tmp_path / "groups", groups="patient"
    ).rows
    assert flattered["g_mean"].mean() > 0.95
    assert honest["g_mean"].mean() < 0.75


def test_the_column_of_groups_is_not_a_feature():
    plan = Plan({"visits": (visits(), "kind")}, {"nn": Neighbour}, groups="patient")
    bunch = plan.datasets["visits"]
    assert list(bunch.data) == list("abcd")
    assert bunch.groups.tolist() == visits()["patient"].tolist()


@pytest.mark.parametrize(
    "data",
    [
        (visits(), "kind"),
        Bunch(
            data=visits()[list("abcd")].to_numpy(),
            target=visits()["kind"].to_numpy(),
            groups=visits()["patient"].to_numpy(),
        ),
        Bunch(
            data=visits()[list("abcd")],
            target=visits()["kind"],
            groups=visits()["patient"],
            numeric=list("abcd"),
            nominal=[],
        ),
        Bunch(
            data=visits()[["a", "b", "patient"]],
            target=visits()["kind"],
            numeric=["a", "b"],
            nominal=["patient"],
        ),
    ],
    ids=["frame", "arrays", "declared", "declared column"],
)
def test_methods_that_take_groups_get_them(data, tmp_path):
    has_own = isinstance(data, Bunch) and "groups" in data
    methods = {
        "alone": Grouped(),
        "in a pipeline": make_pipeline(StandardScaler(), Grouped()),
        "without": LogisticRegression(),
    }
    groups = None if has_own else {"visits": "patient"}
    rows = run_benchmark({"visits": data}, methods, store=tmp_path, groups=groups).rows
    assert rows["error"].isna().all(), rows["error"].tolist()
    described = load_results(tmp_path).datasets["visits"]
    assert described["groups"] == 30


def test_a_file_and_a_built_in_data_set_have_columns_of_groups(tmp_path):
    path = tmp_path / "visits.csv"
    table = visits()
    table["patient"] = np.repeat([f"{k:03}" for k in range(30)], 3)  # not a number
    table.to_csv(path, index=False)
    with pytest.warns(UserWarning, match="data set zoo: one group has all rows"):
        plan = Plan(
            [(str(path), "kind"), "zoo"],
            {"nn": Neighbour},
            groups={"visits": "patient", "zoo": "legs"},
        )
    assert plan.datasets["visits"].groups[3] == "001"
    assert "legs" not in plan.datasets["zoo"].data
    assert "legs" not in plan.datasets["zoo"].numeric + plan.datasets["zoo"].nominal


def test_another_column_of_groups_is_another_configuration(tmp_path):
    table = visits().assign(ward=np.repeat(np.arange(10), 9))
    data, methods = {"visits": (table, "kind")}, {"nn": Neighbour}
    rows = run_benchmark(data, methods, store=tmp_path, groups="patient").rows
    again = run_benchmark(data, methods, store=tmp_path, groups="patient").rows
    pd.testing.assert_frame_equal(rows, again)
    for groups in (None, "ward"):
        with pytest.raises(StoreError, match="from other data"):
            run_benchmark(data, methods, store=tmp_path, groups=groups)


@pytest.mark.parametrize(
    ("change", "groups", "folds", "message"),
    [
        ({"patient": "P1"}, "patient", 5, "all rows are in one group"),
        (
            {"patient": list("ABC") * 30},
            "patient",
            5,
            "3 groups, which cannot fill",
        ),
        ({}, "pateint", 5, "there is no column 'pateint'; did you mean 'patient'"),
        ({}, {"visit": "patient"}, 5, "groups names visit, which is not a data set"),
        ({}, ["patient"], 5, "groups must be the name of a column"),
        ({}, "patient", "dob-scv", "'dob-scv' cannot keep groups together"),
        (
            {},
            "patient",
            StratifiedKFold(5, shuffle=True),
            "in both its training and its test part",
        ),
        ({}, "patient", LeaveOneGroupOut(), "as many folds as its data has groups"),
    ],
)
def test_groups_that_cannot_be_dealt(change, groups, folds, message):
    data = {"visits": (visits().assign(**change), "kind")}
    with pytest.raises(ValueError, match=message):
        Plan(data, {"nn": Neighbour}, groups=groups, folds=folds)


def test_a_splitter_with_groups_gets_them():
    data = {"visits": (visits(), "kind")}
    plan = Plan(data, {"nn": Neighbour}, groups="patient", folds=GroupKFold(3))
    bunch = plan.datasets["visits"]
    folds = choose_dealing(GroupKFold(3)).folds("visits", bunch, seed=0)
    for train, test in folds:
        assert not set(bunch.groups[train]) & set(bunch.groups[test])


def test_a_class_of_one_subject_gets_a_warning():
    table = visits()
    table.loc[table["patient"] == "P00", "kind"] = "rare"
    with pytest.warns(UserWarning, match="visits: one group has all rows of"):
        Plan({"visits": (table, "kind")}, {"nn": Neighbour}, groups="patient")


def test_rows_without_a_group_stand_alone():
    table = visits()
    table.loc[[4, 50], "patient"] = None
    table.loc[7, "patient"] = "row 4"  # the name row 4 would get
    with pytest.warns(UserWarning, match="2 rows have no group in column 'patient'"):
        plan = Plan({"visits": (table, "kind")}, {"nn": Neighbour}, groups="patient")
    assert len(np.unique(plan.datasets["visits"].groups)) == 30 + 3


def test_a_length_that_does_not_fit_is_refused():
    bunch = Bunch(data=np.ones((4, 2)), target=[0, 1, 0, 1], groups=["a", "b"])
    with pytest.raises(ValueError, match="4 rows of data, 2 groups"):
        Plan({"short": bunch}, {"nn": Neighbour})


def test_models_without_the_parameter_get_nothing():
    groups = np.array(["a", "b"])
    assert group_parameters(Neighbour(), groups) == {}
    assert list(group_parameters(Grouped(), groups)) == ["groups"]
