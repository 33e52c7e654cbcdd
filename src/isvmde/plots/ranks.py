"""Mean ranks of methods, with those that cannot be told from the control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from isvmde.plots.appearance import COLOURS, Display, name_rows
from isvmde.stats import holm_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class RankDisplay(Display):
    """Plot of mean ranks in the manner of a critical-difference diagram.

    One line per method, the best on top. The shaded band covers the control and
    all methods that Holm's test cannot tell from it.

    Parameters
    ----------
    mean_ranks : Series
        Mean rank of every method; smaller is better.
    p_holm : Series
        Adjusted p-value of every method but the control.
    rejected : Series
        Whether a method differs from the control.
    control : hashable
        Name of the control.
    alpha : float
        Level of the test.

    Examples
    --------
    >>> from isvmde.plots import RankDisplay
    >>> from isvmde.published import load_scores
    >>> display = RankDisplay.from_scores(load_scores("g_mean"))
    >>> display.control, display.alike
    ('SDC', ['Cost-SVM', 'i-SVM-DE-MAX', 'i-SVM-DE-AVE', 'Static-SMOTE',
    'WK-SMOTE', 'SVM'])
    """

    def __init__(
        self,
        mean_ranks: pd.Series[float],
        *,
        p_holm: pd.Series[float],
        rejected: pd.Series[bool],
        control: Any,
        alpha: float = 0.05,
    ) -> None:
        self.mean_ranks = mean_ranks.sort_values(kind="stable")
        self.p_holm = p_holm
        self.rejected = rejected
        self.control = control
        self.alpha = alpha

    @classmethod
    def from_scores(
        cls,
        scores: pd.DataFrame | npt.ArrayLike,
        *,
        control: Any | None = None,
        alpha: float = 0.05,
        se: str = "corrected",
        ties: str = "float",
        **options: Any,
    ) -> Self:
        """Rank the methods of a table, test them against the control, and draw.

        Parameters
        ----------
        scores : DataFrame of shape (n data sets, k methods)
            Higher is better.
        control, alpha, se, ties
            As in `isvmde.stats.holm_test`.
        **options
            As in `plot`.

        Returns
        -------
        RankDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        table = holm_test(scores, control=control, alpha=alpha, se=se, ties=ties)
        by_method = table.set_index("method")
        return cls(
            pd.Series(table.attrs["mean_ranks"]),
            p_holm=by_method["p_holm"],
            rejected=by_method["rejected"],
            control=table.attrs["control"],
            alpha=alpha,
        ).plot(**options)

    @property
    def alike(self) -> list[Any]:
        """Methods that cannot be told from the control, best rank first."""
        return [
            method
            for method in self.mean_ranks.index
            if method != self.control and not self.rejected[method]
        ]

    def _size(self) -> tuple[float, float]:
        return 8.0, 1.6 + 0.34 * len(self.mean_ranks)

    def _draw(self, ax: Axes) -> None:
        ranks, best = self.mean_ranks, self.mean_ranks[self.control]
        others = [m for m in ranks.index if m not in (self.control, *self.alike)]
        # the three groups differ in the shape of their marks as well as in colour
        groups: tuple[tuple[str, list[Any], str, str], ...] = (
            ("control", [self.control], COLOURS[0], "*"),
            ("no difference shown", self.alike, COLOURS[2], "o"),
            ("differs from the control", others, COLOURS[1], "D"),
        )
        reach = ranks[[self.control, *self.alike]]
        ax.axvspan(reach.min(), reach.max(), color=COLOURS[2], alpha=0.13, linewidth=0)
        ax.axvline(best, color=COLOURS[0], linewidth=1)
        for label, methods, colour, mark in groups:
            rows = np.flatnonzero(ranks.index.isin(methods))
            ax.hlines(rows, best, ranks.iloc[rows], color=colour, linewidth=1.5)
            ax.plot(
                ranks.iloc[rows],
                rows,
                mark,
                color=colour,
                markersize=12 if mark == "*" else 8,
                markerfacecolor="white" if mark == "D" else colour,
                markeredgewidth=1.8,
                label=label if methods else "_",
            )
        _beside(ax, -0.8, "rank", "Holm")
        for row, method in enumerate(ranks.index):
            control = method == self.control
            note = "control" if control else f"p = {self.p_holm[method]:.2g}"
            _beside(ax, row, f"{ranks[method]:.1f}", note)
        self._dress(ax)

    def _dress(self, ax: Axes) -> None:
        """Name the axes and the groups."""
        name_rows(ax, self.mean_ranks.index, 40)
        ax.set_ylim(len(self.mean_ranks) - 0.5, -0.5)  # the best on top
        ax.margins(x=0.06)
        ax.set_xlabel("mean aligned rank (smaller is better)")
        ax.spines[["top", "right", "left"]].set_visible(False)
        height = ax.get_window_extent().height / ax.figure.dpi
        ax.legend(
            loc="upper center",
            bbox_to_anchor=(0.5, -0.55 / height),  # inches below, however tall
            ncols=3,
            frameon=False,
            title=f"Holm's test, level {self.alpha:g}",
        )


def _beside(ax: Axes, row: float, rank: str, note: str) -> None:
    """Write beside the axes, where no mark or line can run through the text."""
    for x, text, side in ((1.09, rank, "right"), (1.11, note, "left")):
        ax.annotate(
            text,
            (x, row),
            xycoords=("axes fraction", "data"),
            ha=side,
            va="center",
            annotation_clip=False,
        )
