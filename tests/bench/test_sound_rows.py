"""Rows that contradict themselves are not reported."""

import contextlib
import json
import sqlite3

import numpy as np
import pytest

from isvmde.bench import StoreError, load_results, run_benchmark
from isvmde.bench.report import make_report
from isvmde.bench.sound_rows import check_rows
from isvmde.classifiers.given import ISVMClassifier
from isvmde.metrics import PAPER_METRICS, scores_of_counts


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    run_benchmark(["zoo"], {"svm": ISVMClassifier()}, store=folder)
    return folder


def test_rows_of_a_run_are_sound(store):
    check_rows(load_results(store).rows)


@pytest.mark.parametrize("seed", range(20))
def test_scores_follow_from_counts(seed):
    """Also where a class has no sample, is never predicted, or neither."""
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 4, (4, 4)) * (rng.random((4, 1)) < 0.7)
    matrix[0, 0] += 1
    true, predicted = np.indices(matrix.shape).reshape(2, -1)
    samples = [np.repeat(labels, matrix.ravel()) for labels in (true, predicted)]
    expected = {m.key: m.score(*samples) for m in PAPER_METRICS.values()}
    assert scores_of_counts(matrix) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("g_mean", 999.0, "its g_mean is 999, and its confusion matrix says"),
        ("cba", 0.123, "its cba is 0.123"),
        ("confusion", json.dumps([[1, 2], [3]]), "has no confusion matrix"),
        ("confusion", json.dumps([[-1]]), "has no confusion matrix"),
        ("confusion", None, "has no confusion matrix"),
    ],
)
def test_a_row_that_was_changed_is_named(store, tmp_path, column, value, said):
    changed = tmp_path / "changed"
    changed.mkdir()
    content = (store / "results.sqlite").read_bytes()
    (changed / "results.sqlite").write_bytes(content)
    with contextlib.closing(sqlite3.connect(changed / "results.sqlite")) as file, file:
        file.execute(f"UPDATE rows SET {column} = ? WHERE fold = 2", [value])
    with pytest.raises(StoreError, match="zoo, svm, repeat 0, fold 2") as caught:
        make_report(changed)
    assert said in str(caught.value)
