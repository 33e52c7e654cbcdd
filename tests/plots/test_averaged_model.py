"""The two displays of an averaged model: its weights, one of its explanations."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.svm import SVC

from isvmde.plots import ExplanationDisplay, ModelWeightsDisplay

KINDS = [
    ("rbf", "values"),
    ("min", "ranks"),
    ("min", "weighted ranks"),
    ("rbf", "values"),
]
SETTINGS = [{"kernel": kernel, "view": view} for kernel, view in KINDS]


def averaged(weights, settings, pairs, margins):
    """What the display asks of a fitted `ISVMClassifierCV`."""
    return SimpleNamespace(
        weights_=np.asarray(weights),
        settings_=settings,
        pairs_=np.asarray(pairs),
        margins_=np.asarray(margins),
    )


def explanation(n=12):
    """What `explain` gives: contributions sorted by size, some of them negative."""
    size = np.linspace(2, 0.1, n)
    support = pd.DataFrame(
        {
            "row": range(100, 100 + n),
            "class": ["rare", "common"] * (n // 2),
            "contribution": size,
        }
    )
    support.loc[support["class"] == "common", "contribution"] *= -1
    return SimpleNamespace(
        predicted="rare",
        proba={"common": 0.2, "rare": 0.7, "other": 0.1},
        support=support,
    )


def test_weights_are_added_up_by_kernel_and_view():
    weights = np.array([[0.1, 0.4], [0.2, 0.3], [0.3, 0.2], [0.4, 0.1]])
    pairs, margins = [["a", "b"], ["c", "b"]], [[1.0, 0.5], [0.7, 0.9]]
    model = averaged(weights, SETTINGS, pairs, margins)
    display = ModelWeightsDisplay.from_estimator(model)
    assert list(display.shares) == [KINDS[0], KINDS[1], KINDS[2]]
    np.testing.assert_allclose(display.shares, [[0.5, 0.2, 0.3], [0.5, 0.3, 0.2]])
    bars, margins = display.ax_
    names = [label.get_text() for label in bars.get_yticklabels()]
    assert names == ["mean of all", "a : b", "c : b"]
    widths = [[bar.get_width() for bar in group] for group in bars.containers]
    np.testing.assert_allclose(np.sum(widths, axis=0), 100)
    np.testing.assert_allclose(np.array(widths)[:, 0], [50, 25, 25])  # the mean's row
    np.testing.assert_allclose(margins.lines[0].get_xdata(), [1.0, 0.7])
    np.testing.assert_allclose(margins.lines[1].get_xdata(), [0.5, 0.9])


def test_a_kernel_without_a_tint_of_its_own_is_drawn_in_another():
    settings = [{"kernel": name, "view": "values"} for name in ("new", "rbf", "newer")]
    weights = [[0.5], [0.2], [0.3]]
    display = ModelWeightsDisplay.from_estimator(
        averaged(weights, settings, [["a", "b"]], [[1, 1]])
    )
    assert list(display.shares) == [
        (name, "values") for name in ("rbf", "new", "newer")
    ]
    bars = [group.patches[0] for group in display.ax_[0].containers]
    assert len({bar.get_facecolor() for bar in bars}) == 3


def test_a_view_that_the_display_does_not_know_is_not_left_out_in_silence():
    settings = [{"kernel": "rbf", "view": "colours"}]
    with pytest.raises(ValueError, match="no hatching for the view 'colours'"):
        ModelWeightsDisplay.from_estimator(
            averaged([[1.0]], settings, [["a", "b"]], [[1, 1]])
        )


def test_the_pairs_of_twenty_classes_are_drawn_class_by_class():
    pairs = [(a, b) for a in range(20) for b in range(a)]
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(4), len(pairs)).T
    margins = np.column_stack(
        [[float(a) for a, _ in pairs], [float(b) for _, b in pairs]]
    )
    model = averaged(weights, SETTINGS, pairs, margins)
    display = ModelWeightsDisplay.from_estimator(model)
    assert len(display.shares) == 20
    np.testing.assert_allclose(display.shares.sum(axis=1), 1)
    for label in range(20):  # each class's margin was set to its own number
        assert display.margins.loc[label, "of the class"] == label
        others = [k for k in range(20) if k != label]
        assert display.margins.loc[label, "of the others"] == pytest.approx(
            np.mean(others)
        )
    display.figure_.canvas.draw()


def test_an_explanation_shows_classes_by_probability_and_samples_by_size():
    display = ExplanationDisplay(explanation()).plot()
    classes, samples = display.ax_
    names = [label.get_text() for label in classes.get_yticklabels()]
    assert names == ["rare", "common", "other"]
    assert [bar.get_width() for bar in classes.patches] == pytest.approx([70, 20, 10])
    rows = [label.get_text() for label in samples.get_yticklabels()]
    assert rows[:2] == ["rare  (row 100)", "common  (row 101)"]
    widths = [bar.get_width() for bar in samples.patches]
    np.testing.assert_allclose(widths, explanation().support["contribution"][:10])
    hatched = [bar.get_hatch() is not None for bar in samples.patches]
    assert hatched == [False, True] * 5  # ten of the twelve
    assert classes.get_title(loc="left") == "Predicted: rare"


def test_both_draw_on_two_given_axes_and_refuse_one():
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2)
    display = ExplanationDisplay(explanation()).plot(axes, title="why")
    assert display.figure_ is figure
    assert axes[0].get_title(loc="left") == "why"
    with pytest.raises(ValueError, match="ax must be 2 Axes; got 1"):
        display.plot(axes[0])
    with pytest.raises(ValueError, match="ax must be 2 Axes; got 1"):
        ModelWeightsDisplay.from_estimator(
            averaged(np.ones((4, 1)), SETTINGS, [["a", "b"]], [[1, 1]]), ax=axes[0]
        )


def test_other_models_are_refused_in_words():
    with pytest.raises(NotFittedError, match="has no weights_: fit it first, or give"):
        ModelWeightsDisplay.from_estimator(SVC())
    with pytest.raises(NotFittedError, match="give an ISVMClassifierCV"):
        ExplanationDisplay.from_estimator(SVC(), np.zeros((2, 2)))
