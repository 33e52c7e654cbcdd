"""Which columns of a table a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.importance import column_importance

from .appearance import COLOURS, Display, name_rows, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 20  # columns


class ImportanceDisplay(Display):
    """Plot of what a model loses when one column is shuffled, the largest loss first.

    A bar is the mean over several shuffles, the thin line one standard deviation to
    either side. At most twenty columns are drawn.

    Parameters
    ----------
    importance : DataFrame
        ``importance`` and ``sd`` by column, from
        :func:`isvmde.importance.column_importance`.
    unit : str, default="loss when shuffled"
        What stands below the bars.

    Examples
    --------
    >>> import pandas as pd
    >>> from isvmde.plots import ImportanceDisplay
    >>> table = pd.DataFrame(
    ...     {"importance": [0.4, 0.0], "sd": [0.1, 0.01]}, ["glucose", "ward"]
    ... )
    >>> ImportanceDisplay(table).plot().ax_.get_xlabel()
    'loss when shuffled'
    """

    def __init__(
        self, importance: pd.DataFrame, unit: str = "loss when shuffled"
    ) -> None:
        self.importance, self.unit = importance, unit
        self._size = 6.5, 1.2 + 0.28 * min(len(importance), _MOST)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        scoring: str = "log_loss",
        n_repeats: int = 5,
        random_state: Any = 0,
        **options: Any,
    ) -> Self:
        """Measure the importance of the columns on unseen rows, and draw.

        Parameters
        ----------
        estimator : classifier
            Fitted; of a pipeline, the columns are those of the table it takes.
        X, y : DataFrame of shape (n_samples, n_columns), array-like of shape \
(n_samples,)
            Rows that the model has not seen, and their true classes.
        scoring, n_repeats, random_state
            As in :func:`isvmde.importance.column_importance`.
        **options
            As in `plot`.
        """
        importance = column_importance(
            estimator,
            X,
            y,
            scoring=scoring,
            n_repeats=n_repeats,
            random_state=random_state,
        )
        unit = f"loss of {scoring.replace('_', ' ')} when shuffled"
        if scoring == "log_loss":
            unit = "increase of log loss when shuffled"
        return cls(importance, unit).plot(**options)

    def _draw(self, ax: Axes) -> None:
        shown = self.importance.head(_MOST)
        values, sd = shown["importance"].to_numpy(), shown["sd"].to_numpy()
        rows = np.arange(len(shown))
        ax.barh(rows, values, color=COLOURS[0], height=0.65)
        ax.errorbar(values, rows, xerr=sd, fmt="none", ecolor="0.3", linewidth=1)
        ax.axvline(0, color="0.3", linewidth=1)
        name_rows(ax, [shorten(name, 32) for name in shown.index])
        ax.set_xlabel(self.unit)
        ax.grid(axis="x", alpha=0.3)
