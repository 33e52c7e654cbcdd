"""Mean ranks of methods, with those that cannot be told from the control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy.typing as npt
import pandas as pd

from isvmde.plots.appearance import COLOURS, Display, new_axes
from isvmde.stats import holm_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# The three groups differ in the shape of their marks as well as in colour.
CONTROL, DIFFERENT, ALIKE = COLOURS[:3]
LEGEND = ("control", "no difference shown", "differs from the control")


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

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        The figure it belongs to.

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
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Self:
        """Rank the methods of a table, test them against the control, and draw.

        Parameters
        ----------
        scores : DataFrame of shape (n data sets, k methods)
            Higher is better.
        control, alpha, se, ties
            As in `isvmde.stats.holm_test`.
        ax, title
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
        ).plot(ax, title=title)

    @property
    def alike(self) -> list[Any]:
        """Methods that cannot be told from the control, best rank first."""
        return [
            method
            for method in self.mean_ranks.index
            if method != self.control and not self.rejected[method]
        ]

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> Self:
        """Draw the mean ranks.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.
        title : str, optional
            Heading of the plot.

        Returns
        -------
        RankDisplay
            Itself, with ``ax_`` and ``figure_``.
        """
        height = 1.6 + 0.34 * len(self.mean_ranks)
        ax = ax if ax is not None else new_axes(8, height)
        group = self.mean_ranks[[self.control, *self.alike]]
        ax.axvspan(group.min(), group.max(), color=ALIKE, alpha=0.13, linewidth=0)
        ax.axvline(self.mean_ranks[self.control], color=CONTROL, linewidth=1)
        labelled: set[str] = set()
        for row, (method, rank) in enumerate(self.mean_ranks.items()):
            label, colour, marker, note = self._appearance(method)
            control_rank = self.mean_ranks[self.control]
            ax.plot([control_rank, rank], [row, row], color=colour, linewidth=1.5)
            ax.plot(
                rank,
                row,
                marker,
                color=colour,
                markersize=12 if method == self.control else 8,
                markerfacecolor="white" if marker == "D" else colour,
                markeredgewidth=1.8,
                label=label if label not in labelled else "_",
            )
            labelled.add(label)
            _beside(ax, row, f"{rank:.1f}", note)
        self._dress(ax)
        return self._drawn(ax, title)

    def _appearance(self, method: Any) -> tuple[str, str, str, str]:
        """Choose legend entry, colour, mark and note of a method."""
        if method == self.control:
            return LEGEND[0], CONTROL, "*", "control"
        note = f"p = {self.p_holm[method]:.2g}"
        if self.rejected[method]:
            return LEGEND[2], DIFFERENT, "D", note
        return LEGEND[1], ALIKE, "o", note

    def _dress(self, ax: Axes) -> None:
        """Name the axes and the groups."""
        names = [str(method) for method in self.mean_ranks.index]
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(len(names) - 0.5, -0.5)  # the best on top
        ax.margins(x=0.06)
        ax.set_xlabel("mean aligned rank (smaller is better)")
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        _beside(ax, -0.8, "rank", "Holm")
        height = ax.get_window_extent().height / ax.figure.dpi
        marks = dict(zip(*ax.get_legend_handles_labels()[::-1], strict=True))
        shown = [label for label in LEGEND if label in marks]
        ax.legend(
            [marks[label] for label in shown],
            shown,
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
