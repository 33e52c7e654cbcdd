import subprocess
import sys

import pandas as pd
import pytest

from isvmde.plots import RankDisplay
from isvmde.published import load_scores

plt = pytest.importorskip("matplotlib.pyplot")


def marks(display):
    """Where each method is drawn and with which mark, from the axes themselves."""
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    return {
        names[int(row)]: (line.get_marker(), rank)
        for line in display.ax_.lines
        if line.get_marker() in "*oD"
        for rank, row in line.get_xydata()
    }


def test_plot_marks_control_and_group():
    display = RankDisplay.from_scores(load_scores("g_mean"), title="G-mean")
    drawn = marks(display)
    assert list(drawn)[:2] == ["SDC", "Cost-SVM"]  # the best on top
    assert {m for m, (mark, _) in drawn.items() if mark == "*"} == {"SDC"}
    assert {m for m, (mark, _) in drawn.items() if mark == "D"} == {"NBSVM", "PPSVM"}
    assert {m for m, (mark, _) in drawn.items() if mark == "o"} == set(display.alike)
    ranks = {method: x for method, (_, x) in drawn.items()}
    assert ranks == pytest.approx(display.mean_ranks.to_dict())
    band = (
        display.ax_.patches[0]
        .get_extents()
        .transformed(display.ax_.transData.inverted())
    )
    assert (band.x0, band.x1) == pytest.approx((ranks["SDC"], ranks["SVM"]))


def test_plot_takes_axes_and_other_tests():
    _, ax = plt.subplots()
    scores = load_scores("cba")
    display = RankDisplay.from_scores(scores, control="SVM", se="paper", ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    texts = [label.get_text() for label in ax.child_axes[0].get_yticklabels()]
    assert [text.strip()[:5] for text in texts if "control" in text] == ["54.5 "]
    assert texts[-1].startswith("113.8   p = ")
    display.figure_.canvas.draw()


def test_ranks_of_any_test_can_be_drawn():
    tests = pd.DataFrame({"method": ["A"], "p_holm": [0.3], "rejected": [False]})
    ranks = {"A": 2.5, "B": 1.0}
    tests.attrs = {"control": "B", "alpha": 0.05, "mean_ranks": ranks}
    display = RankDisplay(tests)
    assert marks(display.plot()) == {"B": ("*", 1.0), "A": ("o", 2.5)}
    assert display.alike == ["A"]


def test_matplotlib_is_loaded_for_drawing_only():
    code = (
        "import sys, isvmde.plots, isvmde.stats; sys.exit('matplotlib' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
