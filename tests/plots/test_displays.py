"""What the figures show is what the models and the metrics say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import recall_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import SVC

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.metrics import imbalance_report
from isvmde.plots import (
    ConvergenceDisplay,
    ExplanationDisplay,
    ModelWeightsDisplay,
    PairMapDisplay,
    RecallDisplay,
    ReliabilityDisplay,
)

Y_TRUE = ["b", "b", "b", "b", "a", "a", "c"]
Y_PRED = ["b", "b", "b", "a", "a", "c", "c"]
PLOTTED = {
    "convergence": lambda model, X, y, **to: ConvergenceDisplay.from_estimator(
        model, **to
    ),
    "pair map": lambda model, X, y, **to: PairMapDisplay.from_estimator(model, **to),
    "recall": RecallDisplay.from_estimator,
    "reliability": ReliabilityDisplay.from_estimator,
}


def labels_of(axis):
    return [tick.get_text() for tick in axis.get_ticklabels()]


@pytest.mark.parametrize("kind", PLOTTED)
def test_every_display_draws_ten_classes_on_given_axes(kind, searched, ten_classes):
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(layout="constrained")
    display = PLOTTED[kind](searched, *ten_classes, ax=ax, title="a title")
    assert plt.get_fignums() == [figure.number]  # no other figure was opened
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert ax.get_title(loc="left").rstrip() == "a title"
    figure.canvas.draw()


@pytest.mark.parametrize("kind", PLOTTED)
def test_a_display_is_drawn_at_once_and_can_be_drawn_again(kind, searched, ten_classes):
    import matplotlib.pyplot as plt

    display = PLOTTED[kind](searched, *ten_classes)
    first = display.figure_
    assert plt.get_fignums() == [first.number]  # what a notebook shows
    assert display.plot() is display
    assert display.figure_ is not first


@pytest.mark.parametrize("kind", ["pair map", "recall"])
def test_labels_of_ten_classes_do_not_overlap(kind, searched, ten_classes):
    display = PLOTTED[kind](searched, *ten_classes)
    display.figure_.canvas.draw()
    boxes = [
        label.get_window_extent() for label in display.ax_.get_yticklabels(minor=False)
    ]
    assert len(boxes) == 10
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


def test_convergence_draws_the_history(searched):
    display = ConvergenceDisplay.from_estimator(searched)
    best, mean = display.ax_.lines
    np.testing.assert_array_equal(best.get_ydata(), searched.history_["best"])
    np.testing.assert_array_equal(mean.get_ydata(), searched.history_["mean"])
    above = display.ax_.child_axes[0]
    assert labels_of(above.xaxis)[-1] == f"{searched.history_['n_svms'][-1]:,}"


def test_convergence_over_svms_lets_searches_share_axes(searched):
    display = ConvergenceDisplay.from_estimator(searched, x="n_svms", label="one")
    ax = display.ax_
    ConvergenceDisplay.from_estimator(searched, ax=ax, x="n_svms", label="two")
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["one, best", "one, mean", "two, best", "two, mean"]
    assert ax.get_xlabel() == "SVMs solved"
    colours = [line.get_color() for line in ax.lines]
    assert colours[0] == colours[1] != colours[2] == colours[3]
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), searched.history_["n_svms"])


def test_convergence_refuses_an_unknown_axis(searched):
    with pytest.raises(ValueError, match="x='minutes' is not known: use one of"):
        ConvergenceDisplay.from_estimator(searched, x="minutes")


def test_pair_map_writes_every_choice(searched):
    display = PairMapDisplay.from_estimator(searched)
    written = {
        tuple(np.round(text.get_position()).astype(int)): text.get_text()
        for text in display.ax_.texts[:100]
    }
    assert len(written) == 100
    classes = searched.classes_.tolist()
    counts = dict(zip(searched.pair_params_, searched.n_support_, strict=True))
    for (plus, minus), chosen in searched.pair_params_.items():
        low, high = sorted((classes.index(plus), classes.index(minus)))
        assert written[low, high].startswith(chosen["kernel"])
        assert written[high, low].startswith(f"{counts[plus, minus]} SV\n×")
    assert written[0, 0] == "n = 60"


def test_pair_map_gives_the_kernels_parameter():
    params = {
        ("a", "b"): {"kernel": "rbf", "sigma": 2.5, "C_pos": 1.0, "C_neg": 0.5},
        ("a", "c"): {"kernel": "poly", "degree": 4, "C_pos": 1.0, "C_neg": 0.0},
        ("c", "b"): {"kernel": "linear", "C_pos": 20.0, "C_neg": 1.0},
    }
    sizes = {"a": 10, "b": 90, "c": 20}
    display = PairMapDisplay(params, [3, 4, 5], sizes).plot()
    texts = [text.get_text() for text in display.ax_.texts]
    assert {"rbf\nσ 2.5", "poly\nd 4", "linear"} <= set(texts)
    assert {"3 SV\n×2", "4 SV\n×∞", "5 SV\n×20"} <= set(texts)
    on_ranks = {pair: {**chosen, "ranks": True} for pair, chosen in params.items()}
    display = PairMapDisplay(on_ranks, [3, 4, 5], sizes).plot()
    texts = [text.get_text() for text in display.ax_.texts]
    assert {"rbf\non ranks\nσ 2.5", "linear\non ranks"} <= set(texts)


def test_pair_map_has_classes_against_the_rest_on_its_diagonal():
    X, y = load_iris(return_X_y=True)
    model = ISVMClassifier(decomposition="one-vs-rest", C_pos=3.0).fit(X, y)
    display = PairMapDisplay.from_estimator(model)
    written = [text.get_text() for text in display.ax_.texts]
    assert written == [f"n = 50\nrbf\nσ 1\n{count} SV ×3" for count in model.n_support_]


def test_recall_is_scikit_learns_and_the_rarest_class_is_on_top():
    display = RecallDisplay.from_predictions(Y_TRUE, {"A": Y_PRED, "B": Y_TRUE})
    assert list(display.recall.index) == ["c", "a", "b"]
    expected = recall_score(Y_TRUE, Y_PRED, labels=["c", "a", "b"], average=None)
    np.testing.assert_allclose(display.recall["A"], expected)
    ax = display.ax_
    assert labels_of(ax.yaxis) == ["c  (1)", "a  (2)", "b  (4)"]
    np.testing.assert_allclose(ax.lines[0].get_xdata(), 100 * expected)
    assert len({line.get_marker() for line in ax.lines}) == 2
    assert ax.get_ylim()[0] > ax.get_ylim()[1]


def test_recall_of_one_model_needs_no_legend(searched, ten_classes):
    display = RecallDisplay.from_estimator(searched, *ten_classes)
    assert list(display.recall) == ["ISVMDEClassifier"]
    assert display.ax_.get_legend() is None
    assert list(RecallDisplay.from_predictions(Y_TRUE, Y_PRED).recall) == ["recall"]


def test_displays_of_a_report_are_those_of_its_predictions():
    report = imbalance_report(Y_TRUE, Y_PRED)
    recall = RecallDisplay.from_report({"A": report, "B": report})
    expected = RecallDisplay.from_predictions(Y_TRUE, {"A": Y_PRED, "B": Y_PRED})
    pd.testing.assert_frame_equal(recall.recall, expected.recall)


def test_twenty_classes_keep_their_own_look_and_long_names_are_folded():
    from isvmde.plots.appearance import fold, look, shorten

    assert len({look(k) for k in range(100)}) == 100
    long = "an extraordinarily long name of a rare class"
    assert max(map(len, fold(long).split("\n"))) <= 24
    assert fold(long).replace("\n", " ") == long
    assert shorten(long) == "an extraordinarily long…"
    assert fold("") == ""


def test_the_model_is_found_in_pipelines_and_grid_searches(ten_classes):
    X, y = ten_classes
    search = ISVMDEClassifier(pop_size=5, max_iter=1, random_state=0)
    pipeline = make_pipeline(MinMaxScaler(), search)
    grid = GridSearchCV(pipeline, {"isvmdeclassifier__C": [10.0]}, cv=2)
    fine = y != "a long name 9"
    grid.fit(X[fine], y[fine])
    assert len(ConvergenceDisplay.from_estimator(grid).history["best"]) == 2
    assert len(PairMapDisplay.from_estimator(grid).pair_params) == 36


@pytest.mark.parametrize("model", [ISVMDEClassifier(), SVC()])
def test_a_model_without_a_search_is_refused_in_words(model):
    with pytest.raises(NotFittedError, match="has no history_: fit it first, or give"):
        ConvergenceDisplay.from_estimator(model)


@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_with_dollars_are_not_mathematics(make_blobs):
    """One that is not even valid mathematics ended every drawing."""
    data = make_blobs([12, 9, 6])
    y = np.array(["$^$", "#$1#$", "_a\\$b$"])[data.y]
    given = ISVMClassifier().fit(data.X, y)
    averaged = ISVMClassifierCV(n_settings=6, random_state=0).fit(data.X, y)
    proba = averaged.loo_proba_
    displays = [
        PairMapDisplay.from_estimator(given),
        RecallDisplay.from_estimator({"$^$": given, "_b": averaged}, data.X, y),
        ReliabilityDisplay.from_predictions(y, proba, labels=averaged.classes_),
        ModelWeightsDisplay.from_estimator(averaged),
        ExplanationDisplay.from_estimator(averaged, data.X),
    ]
    for display in displays:
        display.figure_.canvas.draw()
    assert "_b" in [text.get_text().strip() for text in legend_of(displays[1])]


def legend_of(display):
    return display.ax_.get_legend().get_texts()
