"""Curves over all thresholds: what is found, and how many false alarms that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)

from .appearance import ProbabilityDisplay, fold, legend_beside, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 6  # curves; of more classes the rarest are drawn


class Curve(NamedTuple):
    """The curve of one class against all others."""

    points: pd.DataFrame  # one row per threshold: x, y
    area: float
    decided: tuple[float, float]  # x and y where the likeliest class is predicted


class _ClassCurves(ProbabilityDisplay):
    """What the curves of a class against all others share."""

    _size = (7.2, 4.8)
    _legend: ClassVar[str]

    def __init__(self, curves: dict[str, Curve]) -> None:
        self.curves = curves

    @classmethod
    def _curve(cls, hit: np.ndarray, score: np.ndarray, decided: np.ndarray) -> Curve:
        """Return the curve of one class."""
        raise NotImplementedError

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike,
        classes: ArrayLike | None = None,
        **options: Any,
    ) -> Self:
        """Compute the curves from probabilities, draw, and return the display.

        Parameters
        ----------
        y_true, y_proba : array-like
            True classes, and a row of probabilities each, such as ``model.loo_proba_``.
        labels : array-like of shape (n_classes,)
            The class of every column, ``model.classes_``.
        classes : array-like, optional
            The classes to draw, a curve for each; by default all, but of more than six
            the six rarest. Of two classes only the rarer one is drawn.
        **options
            As in `plot`.
        """
        true, proba, names = check_proba(y_true, y_proba, labels)
        counts = (true[:, None] == names).sum(axis=0)
        if classes is None:
            present = names[counts > 0][np.argsort(counts[counts > 0], kind="stable")]
            chosen = present[: 1 if len(names) == 2 else _MOST]
        else:
            chosen = np.asarray(classes)
        likeliest = names[np.argmax(proba, axis=1)]
        curves = {}
        for label in chosen.tolist():
            column = np.flatnonzero(names == label)
            hit = true == label
            if len(column) == 0 or not hit.any() or hit.all():
                raise ValueError(
                    f"a curve of {label!r} needs rows of this class and of others."
                )
            score, decided = proba[:, column[0]], likeliest == label
            curves[str(label)] = cls._curve(hit, score, decided)
        return cls(curves).plot(**options)

    def areas(self) -> pd.Series[float]:
        """Return the area under every curve."""
        return pd.Series({name: curve.area for name, curve in self.curves.items()})

    def _draw(self, ax: Axes) -> None:
        for k, (name, curve) in enumerate(self.curves.items()):
            colour, mark = look(k)
            x, y = 100 * curve.points.to_numpy().T
            ax.plot(x, y, color=colour, linewidth=1.6, drawstyle=self._steps)
            x_decided, y_decided = 100 * curve.decided[0], 100 * curve.decided[1]
            ax.plot(
                x_decided,
                y_decided,
                mark,
                color=colour,
                markersize=8,
                clip_on=False,
                label=fold(f"{name}, {100 * curve.area:.0f}"),
            )
        ax.set(xlim=(0, 100), ylim=(0, 102))
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        legend_beside(ax, self._legend)

    _steps: ClassVar[str] = "default"


class RocDisplay(_ClassCurves):
    """Plot of what is found of a class against false alarms, over all thresholds.

    One curve per class, against all other classes together. The mark is where the
    model decides by itself, for the likeliest class.

    Parameters
    ----------
    curves : dict of Curve
        By class: ``points`` (false alarms, found), ``area`` and ``decided``.

    Examples
    --------
    >>> from isvmde.plots import RocDisplay
    >>> y = ["ill", "ill", "well", "well", "well"]
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]]
    >>> display = RocDisplay.from_predictions(y, proba, labels=["ill", "well"])
    >>> display.areas().round(3).to_dict()
    {'ill': 0.833}
    """

    _legend = "class, area in per cent\n(mark: as predicted)"

    @classmethod
    def _curve(cls, hit: np.ndarray, score: np.ndarray, decided: np.ndarray) -> Curve:
        false, found, _ = roc_curve(hit, score, drop_intermediate=False)
        points = pd.DataFrame({"false alarms": false, "found": found})
        here = float(decided[~hit].mean()), float(decided[hit].mean())
        return Curve(points, float(roc_auc_score(hit, score)), here)

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 100], [0, 100], ":", color="0.4")
        super()._draw(ax)
        ax.set_xlabel("false alarms, per cent of all other rows")
        ax.set_ylabel("found, per cent of the class (recall)")


class PrecisionRecallDisplay(_ClassCurves):
    """Plot of how many alarms are right against what is found, over all thresholds.

    One curve per class, against all other classes together. Precision depends on how
    frequent the class is: it is that of the rows given. The mark is where the model
    decides by itself, for the likeliest class.

    Parameters
    ----------
    curves : dict of Curve
        By class: ``points`` (found, right), ``area`` (the average precision) and
        ``decided``.

    Examples
    --------
    >>> from isvmde.plots import PrecisionRecallDisplay
    >>> y = ["ill", "ill", "well", "well", "well"]
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]]
    >>> display = PrecisionRecallDisplay.from_predictions(
    ...     y, proba, labels=["ill", "well"]
    ... )
    >>> display.areas().round(3).to_dict()
    {'ill': 0.833}
    """

    _legend = "class, mean precision\nin per cent\n(mark: as predicted)"
    _steps = "steps-post"

    @classmethod
    def _curve(cls, hit: np.ndarray, score: np.ndarray, decided: np.ndarray) -> Curve:
        right, found, _ = precision_recall_curve(hit, score)
        points = pd.DataFrame({"found": found[::-1], "right": right[::-1]})
        precision = hit[decided].mean() if decided.any() else 1.0
        here = float(decided[hit].mean()), float(precision)
        return Curve(points, float(average_precision_score(hit, score)), here)

    def _draw(self, ax: Axes) -> None:
        super()._draw(ax)
        ax.set_xlabel("found, per cent of the class (recall)")
        ax.set_ylabel("right, per cent of the alarms (precision)")


class ThresholdDisplay(ProbabilityDisplay):
    """Plot of false alarms and missed cases of one class over its threshold.

    The class is decided where its probability reaches the threshold, as with
    ``decide(X, threshold={label: p})``.

    Parameters
    ----------
    errors : DataFrame
        By threshold: ``false alarms`` and ``missed``, in rows.
    label : label
        The class.
    cost_ratio : float, optional
        What a missed case costs, a false alarm costing 1: the threshold of least
        expected cost, 1 / (1 + cost_ratio), is marked.

    Examples
    --------
    >>> from isvmde.plots import ThresholdDisplay
    >>> y = ["ill", "ill", "well", "well", "well"]
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.2, 0.8], [0.1, 0.9]]
    >>> display = ThresholdDisplay.from_predictions(
    ...     y, proba, labels=["ill", "well"], label="ill", cost_ratio=4
    ... )
    >>> display.at(0.2).to_dict()
    {'false alarms': 2, 'missed': 0}
    """

    _size = (7.2, 4.4)

    def __init__(
        self, errors: pd.DataFrame, label: Any, cost_ratio: float | None = None
    ) -> None:
        if cost_ratio is not None and not 0 < cost_ratio < np.inf:
            raise ValueError(f"cost_ratio={cost_ratio!r}: use a positive number.")
        self.errors, self.label, self.cost_ratio = errors, label, cost_ratio

    @staticmethod
    def count(hit: np.ndarray, score: np.ndarray) -> pd.DataFrame:
        """Count both errors at every probability that occurs.

        Parameters
        ----------
        hit, score : ndarrays of shape (n_samples,)
            Whether a sample is of the class, and the probability of the class.
        """
        threshold = np.unique(score)
        others_below = np.searchsorted(np.sort(score[~hit]), threshold)
        missed = np.searchsorted(np.sort(score[hit]), threshold)
        false_alarms = (~hit).sum() - others_below
        # above every probability nothing is decided for the class
        counts = {
            "false alarms": np.append(false_alarms, 0),
            "missed": np.append(missed, hit.sum()),
        }
        index = pd.Index(np.append(threshold, np.inf), name="threshold")
        return pd.DataFrame(counts, index=index)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike,
        label: Any,
        cost_ratio: float | None = None,
        **options: Any,
    ) -> Self:
        """Count both errors at every threshold, draw, and return the display.

        Parameters
        ----------
        y_true, y_proba : array-like
            True classes, and a row of probabilities each, such as ``model.loo_proba_``.
        labels : array-like of shape (n_classes,)
            The class of every column, ``model.classes_``.
        label : label
            The class that raises the alarm.
        cost_ratio : float, optional
            What a missed case costs, a false alarm costing 1.
        **options
            As in `plot`.
        """
        true, proba, names = check_proba(y_true, y_proba, labels)
        column = np.flatnonzero(names == label)
        if len(column) == 0:
            raise ValueError(
                f"label={label!r} is not a class; the classes are {names.tolist()}."
            )
        score, hit = proba[:, column[0]], true == label
        errors = cls.count(hit, score)
        return cls(errors, label, cost_ratio).plot(**options)

    def at(self, threshold: float) -> pd.Series[int]:
        """Return the false alarms and the missed cases at a threshold."""
        place = np.searchsorted(self.errors.index.to_numpy(), threshold)
        return self.errors.iloc[place]

    def _draw(self, ax: Axes) -> None:
        x = 100 * np.minimum(self.errors.index.to_numpy(), 1.0)
        for k, name in enumerate(self.errors):
            colour, _ = look(1 - k)
            style = "--" if k else "-"
            y = self.errors[name].to_numpy()
            ax.step(x, y, style, where="pre", color=colour, linewidth=1.8, label=name)
        title = fold(f"{self.label}, in rows", 24)
        if self.cost_ratio is not None:
            best = 1 / (1 + self.cost_ratio)
            ax.axvline(100 * best, color="0.35", linewidth=1, linestyle=":")
            counts = self.at(best)
            title += (
                f"\n\nA miss costs {self.cost_ratio:g} alarms:\nfrom "
                f"{100 * best:.2g} % on (dotted),\n{counts['false alarms']} false "
                f"alarms,\n{counts['missed']} missed"
            )
        ax.set_yscale("symlog", linthresh=1)
        ax.set(xlim=(0, 100), xlabel=f"threshold of {self.label}, per cent")
        ax.set_ylim(bottom=0)
        ax.set_ylabel("rows")
        ax.yaxis.set_major_formatter("{x:,.0f}")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        legend_beside(ax, title)


def check_proba(
    y_true: ArrayLike, y_proba: ArrayLike, labels: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return true classes, probabilities and the classes of their columns, checked."""
    true, proba = np.asarray(y_true), np.asarray(y_proba, dtype=float)
    names = np.asarray(labels)
    if proba.shape != (len(true), len(names)):
        raise ValueError(
            f"y_proba has shape {proba.shape}: it needs a row per sample and a column "
            f"per class, here {(len(true), len(names))}."
        )
    return true, proba, names
