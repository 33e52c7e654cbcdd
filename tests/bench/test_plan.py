import subprocess
import sys

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from isvmde.bench.plan import Plan, derive_seed, describe, hash_data
from tests.bench.stored_rows import make_bunch


def logistic(random_state):
    return LogisticRegression(random_state=random_state)


def dummy(random_state):
    return DummyClassifier(random_state=random_state)


def make(**settings):
    return Plan({"one": make_bunch()}, {"log": logistic, "dummy": dummy}, **settings)


def test_a_plan_is_the_product_of_its_parts():
    tasks = make(folds=4, repeats=3).tasks()
    assert len({task.key for task in tasks}) == len(tasks) == 1 * 2 * 3 * 4


def test_methods_share_folds_and_repeats_do_not():
    tasks = make(repeats=3).tasks()
    by_repeat = {task.repeat: set() for task in tasks}
    for task in tasks:
        by_repeat[task.repeat].add(task.fold_seed)
    assert all(len(seeds) == 1 for seeds in by_repeat.values())
    assert len(set.union(*by_repeat.values())) == 3


def test_every_task_has_its_own_method_seed():
    tasks = make(repeats=2).tasks()
    assert len({task.seed for task in tasks}) == len(tasks)


def test_adding_to_a_plan_leaves_the_seeds_of_the_rest():
    small = {task.key: task for task in make().tasks()}
    large = {task.key: task for task in make(repeats=2).tasks()}
    assert all(large[key] == task for key, task in small.items())


def test_seeds_are_the_same_in_another_process():
    code = "from isvmde.bench.plan import derive_seed; print(derive_seed(1, 'zoo', 2))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert int(run.stdout) == derive_seed(1, "zoo", 2)


def test_seeds_separate_their_parts():
    assert derive_seed("ab", "c") != derive_seed("a", "bc")


@pytest.mark.parametrize(
    ("changed", "same"),
    [
        (LogisticRegression(C=2.0), False),
        (LogisticRegression(random_state=7), True),
        (LogisticRegression(verbose=1), True),
        (LogisticRegression(tol=1e-4), True),  # the default, said aloud
        (DummyClassifier(), False),
    ],
)
def test_describe_tells_methods_apart(changed, same):
    assert (describe(LogisticRegression()) == describe(changed)) is same


def test_describe_sees_into_a_grid_search():
    def grid(C, folds):
        return GridSearchCV(
            LogisticRegression(), {"C": np.array(C)}, cv=StratifiedKFold(folds)
        )

    assert describe(grid([1, 2], 3)) == describe(grid([1, 2], 3))
    assert describe(grid([1, 2], 3)) != describe(grid([1, 3], 3))
    assert describe(grid([1, 2], 3)) != describe(grid([1, 2], 4))


def test_the_hash_of_data_sees_values_labels_and_types():
    same, value, label, kind = (make_bunch() for _ in range(4))
    value.data.loc[3, "x"] += 1e-12
    label.target = label.target[::-1]
    kind.numeric, kind.nominal = [], ["x", "colour"]
    hashes = [hash_data(b) for b in (make_bunch(), same, value, label, kind)]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"folds": 1}, "folds must be a whole number of at least 2"),
        ({"repeats": 0}, "repeats must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"budget": "huge"}, "budget must be 'paper' or 'quick'"),
    ],
)
def test_bad_settings(settings, message):
    with pytest.raises(ValueError, match=message):
        Plan({"one": make_bunch()}, {"log": logistic}, **settings)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": np.array(["a"] * 12)}, "data set one: at least 2 classes"),
        ({"target": np.array(["a", "b"])}, "data set one: 12 rows of data, 2 classes"),
        ({"target": np.arange(12)}, "data set one: n_splits=5 would leave a fold"),
    ],
)
def test_data_that_every_fold_would_fail_on(change, message):
    bunch = make_bunch()
    bunch.update(change)
    with pytest.raises(ValueError, match=message):
        Plan({"one": bunch}, {"log": logistic})


def test_nothing_to_do():
    with pytest.raises(ValueError, match="at least one data set"):
        Plan({}, {"log": logistic})


def test_a_method_that_cannot_be_made_is_found_before_any_work():
    def broken(random_state):
        raise KeyError("oops")

    plan = Plan({"one": make_bunch()}, {"mine": broken})
    with pytest.raises(ValueError, match="cannot be called"):
        plan.config_hashes  # noqa: B018
