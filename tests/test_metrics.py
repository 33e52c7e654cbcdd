from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from imblearn.metrics import geometric_mean_score
from sklearn.dummy import DummyClassifier
from sklearn.metrics import fbeta_score, recall_score
from sklearn.model_selection import cross_val_score

from isvmde.metrics import (
    av_f_beta_score,
    av_f_beta_scorer,
    cba_score,
    cba_scorer,
    g_mean_score,
    g_mean_scorer,
    imbalance_report,
)

SCORES = [g_mean_score, av_f_beta_score, cba_score]


def labels_from_matrix(mat):
    """Samples (y_true, y_pred) whose confusion matrix is mat."""
    true, pred = np.indices(np.shape(mat)).reshape(2, -1)
    return np.repeat(true, np.ravel(mat)), np.repeat(pred, np.ravel(mat))


@st.composite
def predictions(draw):
    """Up to 40 samples of up to 5 classes, as (y_true, y_pred)."""
    size = draw(st.integers(1, 40))
    column = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    return np.array(draw(column)), np.array(draw(column))


# A matrix worked by hand, rows true: recalls 8/10, 3/5, 1/2; precisions 8/9, 3/6,
# 1/2; row sums 10, 5, 2; column sums 9, 6, 2.
MATRIX = [[8, 2, 0], [1, 3, 1], [0, 1, 1]]


def test_scores_of_a_matrix_worked_by_hand():
    y_true, y_pred = labels_from_matrix(MATRIX)
    assert g_mean_score(y_true, y_pred) == pytest.approx(0.24 ** (1 / 3))
    assert av_f_beta_score(y_true, y_pred) == pytest.approx(
        (16 / 19 + 6 / 11 + 2 / 4) / 3
    )
    assert cba_score(y_true, y_pred) == pytest.approx((8 / 10 + 3 / 6 + 1 / 2) / 3)


def test_beta_weighs_recall_as_in_the_formula():
    y_true, y_pred = labels_from_matrix(MATRIX)
    recall, precision = np.array([0.8, 0.6, 0.5]), np.array([8 / 9, 0.5, 0.5])
    f_2 = 5 * precision * recall / (4 * precision + recall)
    assert av_f_beta_score(y_true, y_pred, beta=2) == pytest.approx(f_2.mean())


def test_a_class_that_is_never_recognised_makes_g_mean_zero():
    y_true, y_pred = labels_from_matrix([[5, 0, 0], [0, 5, 0], [1, 1, 0]])
    assert g_mean_score(y_true, y_pred) == 0
    assert av_f_beta_score(y_true, y_pred) == pytest.approx(20 / 33)  # 10/11 twice, 0


def test_a_class_predicted_but_absent_counts_for_avf_and_cba_only():
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "c", "b", "b"]
    assert g_mean_score(y_true, y_pred) == pytest.approx(np.sqrt(0.5 * 1))
    assert av_f_beta_score(y_true, y_pred) == pytest.approx((2 / 3 + 1 + 0) / 3)
    assert cba_score(y_true, y_pred) == pytest.approx((0.5 + 1 + 0) / 3)


@pytest.mark.parametrize("score", SCORES)
def test_a_class_absent_from_the_fold_is_skipped(score):
    y_true, y_pred = ["a", "a", "b", "b"], ["a", "b", "b", "b"]
    expected = score(y_true, y_pred)
    assert score(y_true, y_pred, labels=["a", "b", "not here"]) == expected


def test_labels_choose_classes_but_errors_on_others_still_count():
    y_true, y_pred = labels_from_matrix(MATRIX)
    assert g_mean_score(y_true, y_pred, labels=[0, 2]) == pytest.approx(np.sqrt(0.4))
    assert cba_score(y_true, y_pred, labels=[1]) == pytest.approx(3 / 6)


@given(predictions())
def test_avf_is_scikit_learns_macro_f(y):
    for beta in (1.0, 2.5):
        reference = fbeta_score(*y, beta=beta, average="macro", zero_division=0)
        assert av_f_beta_score(*y, beta=beta) == pytest.approx(reference)


@given(predictions())
def test_g_mean_is_imbalanced_learns_where_every_prediction_is_a_true_class(y):
    y_true, y_pred = y
    y_pred = np.where(np.isin(y_pred, y_true), y_pred, y_true[0])
    reference = geometric_mean_score(y_true, y_pred, average="multiclass")
    assert g_mean_score(y_true, y_pred) == pytest.approx(reference)


@given(predictions())
def test_g_mean_ignores_predicted_only_classes_unlike_imbalanced_learn(y):
    recalls = recall_score(*y, labels=np.unique(y[0]), average=None)
    assert g_mean_score(*y) == pytest.approx(np.prod(recalls) ** (1 / len(recalls)))


@given(predictions(), st.data())
def test_a_weight_is_a_number_of_repetitions(y, data):
    size = len(y[0])
    weight = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    if not any(weight):
        weight[0] = 1
    repeated = [np.repeat(column, weight) for column in y]
    for score in SCORES:
        weighted = score(*y, sample_weight=weight)
        assert weighted == pytest.approx(score(*repeated))


@given(predictions(), st.permutations(range(5)))
def test_names_of_classes_do_not_matter(y, names):
    renamed = [np.array([f"class {names[label]}" for label in column]) for column in y]
    for score in SCORES:
        assert score(*renamed) == pytest.approx(score(*y))


@given(predictions())
def test_scores_keep_their_order_and_range(y):
    # CBA takes the smaller of recall and precision, AvF their harmonic mean.
    assert 0 <= cba_score(*y) <= av_f_beta_score(*y) + 1e-12 <= 1 + 2e-12
    assert 0 <= g_mean_score(*y) <= 1
    for score in SCORES:
        assert score(y[0], y[0]) == 1


def test_g_mean_of_many_classes_does_not_underflow():
    classes = np.arange(2000)
    y_true = np.repeat(classes, 2)
    y_pred = y_true.copy()
    y_pred[1::2] = (y_pred[1::2] + 1) % 2000
    assert g_mean_score(y_true, y_pred) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("scorer", "expected"),
    # One class of three is predicted throughout: recall 1, precision 1/3, F 1/2.
    [(g_mean_scorer, 0), (av_f_beta_scorer, 1 / 6), (cba_scorer, 1 / 9)],
    ids=["g_mean", "av_f_beta", "cba"],
)
def test_scorers_serve_cross_validation(scorer, expected):
    X, y = np.zeros((30, 1)), np.repeat([0, 1, 2], 10)
    scores = cross_val_score(DummyClassifier(), X, y, scoring=scorer, cv=5)
    np.testing.assert_allclose(scores, expected)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([], []), {}, "nothing to score"),
        (([0, 1], [0]), {}, "inconsistent numbers of samples"),
        (([0, 1], [0, 1]), {"sample_weight": [0, 0]}, "nothing to score"),
        (([0, 1], [0, 1]), {"sample_weight": [1, -1]}, "one number >= 0 per sample"),
        ((["a", None], ["a", "a"]), {}, "A class label is missing"),
        (([0, 1], [0, 1]), {"labels": [7]}, "None of the classes in labels"),
        (([0, 1], [0, 1]), {"labels": [1, 1]}, "names a class twice"),
    ],
)
@pytest.mark.parametrize("score", SCORES)
def test_bad_input_is_named(score, arguments, options, message):
    with pytest.raises(ValueError, match=message):
        score(*arguments, **options)


def test_a_bad_beta_is_named():
    with pytest.raises(ValueError, match="beta must be a positive number"):
        av_f_beta_score([0, 1], [0, 1], beta=0)


def test_report_holds_the_numbers_per_class():
    report = imbalance_report(*labels_from_matrix(MATRIX))
    pd.testing.assert_frame_equal(
        report.per_class,
        pd.DataFrame(
            {
                "support": [10, 5, 2],
                "recall": [0.8, 0.6, 0.5],
                "precision": [8 / 9, 0.5, 0.5],
                "f_beta": [16 / 19, 6 / 11, 0.5],
            }
        ),
    )
    np.testing.assert_array_equal(report.confusion_matrix, MATRIX)
    y = labels_from_matrix(MATRIX)
    assert report.scores.tolist() == [score(*y) for score in SCORES]
    assert report.to_frame().loc[1, ["predicted 0", "predicted 1"]].tolist() == [1, 3]


def test_report_reads_well_with_an_absent_class():
    text = str(imbalance_report(["ill", "well", "well"], ["ill", "well", "odd"]))
    rows = {line.split()[0]: line.split()[1:] for line in text.splitlines() if line}
    assert "odd        0      -     0.000  0.000" in text
    assert rows["G-mean"] == ["0.707", "AvF", "0.556", "CBA", "0.500"]


def test_report_orders_and_chooses_classes_as_labels_say():
    report = imbalance_report(*labels_from_matrix(MATRIX), labels=[2, 0])
    assert report.per_class.index.tolist() == [2, 0]
    np.testing.assert_array_equal(report.confusion_matrix, [[1, 0], [0, 8]])


def test_counts_are_whole_numbers_and_fractions_only_where_weights_are():
    million = imbalance_report([0, 1], [0, 1], sample_weight=[1_234_567, 1.0])
    assert million.confusion_matrix.to_numpy().dtype.kind == "i"
    assert "1234567" in str(million)
    assert "1234567" in million._repr_html_()
    half = imbalance_report([0, 1], [0, 1], sample_weight=[0.5, 1])
    assert half.per_class["support"].tolist() == [0.5, 1]
    assert half.to_frame()["predicted 0"].tolist() == [0.5, 0]


def test_long_class_names_keep_the_matrix_readable():
    names = ["0=Blood Donor", "0s=suspect Blood Donor", "1=Hepatitis", "2=Fibrosis"]
    names += ["a diagnosis whose name goes on and on and on and on and on"]
    text = str(imbalance_report(names, names))
    assert max(map(len, text.splitlines())) < 80
    assert "[2] 0s=suspect Blood Donor" in text
    assert text.splitlines()[-6].split() == ["[1]", "[2]", "[3]", "[4]", "[5]"]


def test_a_notebook_shows_one_table():
    report = imbalance_report(["<b>", "well", "well"], ["well", "well", "odd"], beta=2)
    html = report._repr_html_()
    page = ElementTree.fromstring(f"<div>{html}</div>")
    rows = [[cell.text for cell in row] for row in page.find("table").iter("tr")]
    assert rows[0] == [None, "class by class", "predicted as"]
    assert rows[1][1:] == ["support", "recall", "precision", "F", "<b>", "odd", "well"]
    assert rows[2] == ["<b>", "1", "0.000", "-", "0.000", "0", "0", "1"]
    assert rows[3] == ["odd", "0", "-", "0.000", "0.000", "0", "0", "0"]
    assert rows[4] == ["well", "2", "0.500", "0.500", "0.500", "0", "1", "1"]
    assert "<b>" not in html
    assert "AvF (beta 2) 0.167" in html
    assert repr(report) == str(report)


def test_truth_values_are_classes_too():
    report = imbalance_report([True, False, True], [True, True, True], labels=[True])
    assert report.per_class.loc[True, "recall"] == 1
    assert report.scores["g_mean"] == 1
