"""The importance of columns, as a loss on rows that the model has not seen."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from isvmde.importance import balanced_log_loss, column_importance
from isvmde.tables import TablePreprocessor


@pytest.fixture
def fitted():
    """A pipeline on a table of text and numbers, and rows it has not seen."""
    rng = np.random.default_rng(0)
    n = 400
    y = rng.choice(["a", "b"], n, p=[0.8, 0.2])
    b = y == "b"
    table = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "letter": np.where(rng.random(n) < 0.2 + 0.6 * b, "x", "z"),
            "number": rng.normal(3.0 * b, 1.0),
        }
    )
    model = make_pipeline(TablePreprocessor(), LogisticRegression())
    return model.fit(table[:200], y[:200]), table[200:], y[200:]


@pytest.mark.parametrize("scoring", ["log_loss", "balanced_accuracy"])
def test_columns_of_the_table_not_its_codes_come_in_order(fitted, scoring):
    table = column_importance(*fitted, scoring=scoring)
    assert table.index[0] == "number"
    assert set(table.index) == {"noise", "letter", "number"}
    assert table.loc["noise", "importance"] == pytest.approx(0.0, abs=0.02)


def test_the_same_state_gives_the_same_numbers(fitted):
    first, again = (column_importance(*fitted, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)


def test_every_class_counts_the_same():
    proba = np.array([[0.9, 0.1]] * 98 + [[0.9, 0.1]] * 2)
    y = np.array(["a"] * 98 + ["b"] * 2)
    loss = balanced_log_loss(y, proba, ["a", "b"])
    assert loss == pytest.approx(-(np.log(0.9) + np.log(0.1)) / 2)


def test_what_cannot_be_measured_is_refused(fitted):
    model, X, y = fitted
    with pytest.raises(ValueError, match="does not know"):
        column_importance(model, X, np.where(y == "b", "c", y))
    with pytest.raises(ValueError, match="use one of"):
        column_importance(model, X, y, scoring="auc")
