"""Mean ranks of methods, with those that cannot be told from the control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd

from isvmde.stats import holm_test

from .appearance import COLOURS, Display, name_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RankDisplay(Display):
    """Plot of mean ranks in the manner of a critical-difference diagram.

    One line per method, the best on top. The shaded band covers the control and
    all methods that Holm's test cannot tell from it.

    Parameters
    ----------
    tests : DataFrame
        What `isvmde.stats.holm_test` returns: ``method``, ``p_holm`` and ``rejected``;
        in ``attrs`` the ``mean_ranks``, the ``control`` and ``alpha``.

    Examples
    --------
    >>> from isvmde.plots import RankDisplay
    >>> from isvmde.published import load_scores
    >>> display = RankDisplay.from_scores(load_scores("g_mean"))
    >>> display.control, display.alike
    ('SDC', ['Cost-SVM', 'i-SVM-DE-MAX', 'i-SVM-DE-AVE', 'Static-SMOTE',
    'WK-SMOTE', 'SVM'])
    """

    def __init__(self, tests: pd.DataFrame) -> None:
        self.control, self.alpha = tests.attrs["control"], tests.attrs["alpha"]
        ranks = pd.Series(tests.attrs["mean_ranks"])
        self.mean_ranks = ranks.sort_values(kind="stable")
        others = self.mean_ranks.index.drop(self.control)
        self.tests = tests.set_index("method").loc[others]
        self._size = 8.0, 1.6 + 0.34 * len(ranks)

    @classmethod
    def from_scores(
        cls, scores: Any, *, ax: Any = None, title: str | None = None, **options: Any
    ) -> Self:
        """Rank and test the methods of a table, draw, and return the display.

        Parameters
        ----------
        scores : DataFrame of shape (n data sets, k methods)
            Higher is better.
        ax, title
            As in `plot`.
        **options
            As in `isvmde.stats.holm_test`.
        """
        return cls(holm_test(scores, **options)).plot(ax, title=title)

    @property
    def alike(self) -> list[Any]:
        """Methods that cannot be told from the control, best rank first."""
        return self.tests.index[~self.tests["rejected"]].tolist()

    def _draw(self, ax: Axes) -> None:
        ranks, best = self.mean_ranks, self.mean_ranks[self.control]
        reach = ranks[[self.control, *self.alike]]
        ax.axvspan(reach.min(), reach.max(), color=COLOURS[2], alpha=0.13, linewidth=0)
        ax.axvline(best, color=COLOURS[0], linewidth=1)
        # the three groups differ in the shape of their marks as well as in colour
        differ = self.tests.index[self.tests["rejected"]].tolist()
        blue, red, green = COLOURS[:3]
        for label, methods, colour, mark, size, face in (
            ("control", [self.control], blue, "*", 12, blue),
            ("no difference shown", self.alike, green, "o", 8, green),
            ("differs from the control", differ, red, "D", 8, "white"),
        ):
            rows = np.flatnonzero(ranks.index.isin(methods))
            x = ranks.iloc[rows]
            ax.hlines(rows, best, x, color=colour, linewidth=1.5)
            ax.plot(
                x,
                rows,
                mark,
                color=colour,
                markersize=size,
                markerfacecolor=face,
                markeredgewidth=1.8,
                label=label if methods else "_",
            )
        # Beside the axes no mark or line can run through the texts.
        notes = self.tests["p_holm"].map("p = {:.2g}".format)
        notes = notes.reindex(ranks.index, fill_value="control")
        texts = ranks.map("{:\N{FIGURE SPACE}>5.1f}   ".format) + notes
        beside = ax.secondary_yaxis("right")
        beside.set_yticks(range(len(ranks)), texts)
        beside.tick_params(length=0)
        beside.spines["right"].set_visible(False)
        name_rows(ax, ranks.index)
        ax.margins(x=0.06)
        ax.set_xlabel("mean aligned rank (smaller is better)")
        inches = ax.get_window_extent().height / ax.figure.dpi
        at = 0.5, -0.55 / inches  # however tall the axes are
        key = ax.legend(loc="upper center", bbox_to_anchor=at, ncols=3, frameon=False)
        key.set_title(f"Holm's test, level {self.alpha:g}")
