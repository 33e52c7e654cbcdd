"""Whether probabilities come true, class by class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.plots.appearance import Display, fold, inwards, legend_beside, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 6  # more classes than this are drawn as one curve


class ReliabilityDisplay(Display):
    """Plot of how often a class is the true one where a model gives it p per cent.

    A curve on the diagonal keeps its promise; below it, the model claims too much. A
    mark's size is the share of samples in its bin.

    A model that was fitted for equal priors gives probabilities for a world in which
    all classes are equally frequent. Samples are therefore weighted so that each class
    has the total weight of its prior; with ``prior="training"`` every sample counts
    once, as in scikit-learn's ``CalibrationDisplay``.

    Parameters
    ----------
    curves : dict of DataFrames
        By name of the curve: ``predicted`` (mean probability), ``observed`` (share of
        the class) and ``share`` (of the weight), a row per bin.

    Examples
    --------
    >>> import numpy as np
    >>> from isvmde.plots import ReliabilityDisplay
    >>> y = ["ill", "well", "well", "well", "well"]
    >>> proba = np.array([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9], [0.1, 0.9]])
    >>> display = ReliabilityDisplay.from_predictions(
    ...     y, proba, labels=["ill", "well"], prior="training", n_bins=2
    ... )
    >>> display.curves["ill"]
       predicted  observed  share
    0        0.1       0.0    0.6
    1        0.9       0.5    0.4
    >>> display.errors().round(2).to_dict()
    {'ill': 0.22, 'well': 0.22}
    """

    def __init__(self, curves: Mapping[str, pd.DataFrame]) -> None:
        self.curves = dict(curves)

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_proba: ArrayLike,
        *,
        labels: ArrayLike,
        prior: str | ArrayLike = "balanced",
        classes: ArrayLike | None = None,
        n_bins: int = 5,
        **options: Any,
    ) -> Self:
        """Compare probabilities with what was true, and draw.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,)
            True classes.
        y_proba : array-like of shape (n_samples, n_classes)
            Probabilities, for instance ``model.loo_proba_``.
        labels : array-like of shape (n_classes,)
            The class of every column, ``model.classes_``.
        prior : {"balanced", "training"} or array-like of shape (n_classes,)
            Share of every class in the world that the probabilities are meant for,
            for instance ``model.prior_``. "training": the shares in ``y_true``.
        classes : array-like, optional
            The classes to draw, a curve for each. By default all of up to six; if
            there are more, one curve for all of them together.
        n_bins : int, default=5
            Number of bins of equal width.
        **options
            As in `plot`.

        Returns
        -------
        ReliabilityDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        proba, names = np.asarray(y_proba, dtype=float), np.asarray(labels)
        if proba.ndim != 2 or proba.shape != (len(np.asarray(y_true)), len(names)):
            raise ValueError(
                f"y_proba has shape {proba.shape}: it needs a row per sample and a "
                f"column per class, here {(len(np.asarray(y_true)), len(names))}."
            )
        hit = np.asarray(y_true)[:, None] == names
        weight = _weights(hit, prior)
        curves: dict[str, pd.DataFrame] = {}
        wanted = names if classes is None else np.asarray(classes)
        if classes is None and len(names) > _MANY:
            spread = np.repeat(weight, len(names))
            curves["all classes"] = _curve(hit.ravel(), proba.ravel(), spread, n_bins)
            wanted = names[:0]
        for label in wanted:
            if label not in names:
                raise ValueError(f"{label} is not one of the classes in labels.")
            k = names.tolist().index(label)
            curves[str(label)] = _curve(hit[:, k], proba[:, k], weight, n_bins)
        return cls(curves).plot(**options)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: ArrayLike, **options: Any
    ) -> Self:
        """Let a fitted model give probabilities, compare them with y, and draw.

        Parameters
        ----------
        estimator : classifier with predict_proba
            Fitted. The prior of an :class:`isvmde.ISVMClassifierCV` is taken over;
            for any other model it is that of ``y``.
        X : array-like of shape (n_samples, n_features)
            Samples that the model has not learned from.
        y : array-like of shape (n_samples,)
            True classes.
        **options
            As in `from_predictions`.

        Returns
        -------
        ReliabilityDisplay
            Drawn, with ``ax_`` and ``figure_``.
        """
        priors = (getattr(model, "prior_", None) for model in inwards(estimator))
        prior = next((one for one in priors if one is not None), "training")
        options = {"labels": estimator.classes_, "prior": prior} | options
        return cls.from_predictions(y, estimator.predict_proba(X), **options)

    def errors(self) -> pd.Series[float]:
        """Return the expected calibration error of every curve.

        Returns
        -------
        Series
            Mean distance of a curve from the diagonal, bins weighted by their share.
        """
        return pd.Series(
            {
                name: float((t["share"] * (t["observed"] - t["predicted"]).abs()).sum())
                for name, t in self.curves.items()
            }
        )

    def _size(self) -> tuple[float, float]:
        return 7.2, 4.8

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 100], [0, 100], ":", color="0.4", label="what was promised")
        errors = 100 * self.errors()
        for k, (name, table) in enumerate(self.curves.items()):
            colour, mark = look(k)
            x, y = 100 * table["predicted"], 100 * table["observed"]
            ax.plot(x, y, color=colour, linewidth=1.4)
            ax.scatter(
                x, y, 20 + 260 * table["share"], color=colour, marker=mark, alpha=0.85
            )
            label = fold(
                f"{name}, off\N{NO-BREAK SPACE}by\N{NO-BREAK SPACE}{errors[name]:.0f}"
            )
            ax.plot([], [], mark, color=colour, label=label)
        ax.set_xlabel("probability given to the class, per cent")
        ax.set_ylabel("how often it was the class, per cent")
        ax.set_xlim(-3, 103)
        ax.set_ylim(-3, 103)
        ax.set_aspect("equal")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        legend_beside(
            ax,
            "class; mean distance in\npoints from the promise\n"
            "(large mark: many samples)",
        )


def _weights(hit: np.ndarray, prior: str | ArrayLike) -> np.ndarray:
    """Return a weight per sample: a class has the total weight of its prior."""
    counts = hit.sum(axis=0)
    if isinstance(prior, str):
        if prior not in ("balanced", "training"):
            raise ValueError(
                f"prior={prior!r} is not known: use 'balanced', 'training' or a share "
                "per class."
            )
        wanted = np.ones(len(counts)) if prior == "balanced" else counts.astype(float)
    else:
        wanted = np.asarray(prior, dtype=float)
        if wanted.shape != counts.shape:
            raise ValueError(f"prior needs one share per class, {len(counts)} in all.")
    wanted = np.where(counts > 0, wanted, 0.0)
    per_sample = wanted / np.maximum(counts, 1) / wanted.sum()
    weights: np.ndarray = per_sample[hit.argmax(axis=1)] * hit.any(axis=1)
    return weights


def _curve(
    hit: np.ndarray, proba: np.ndarray, weight: np.ndarray, n_bins: int
) -> pd.DataFrame:
    """Average what was predicted and what was true, bin by bin; empty bins go."""
    bins = np.minimum((proba * n_bins).astype(int), n_bins - 1)
    total = np.bincount(bins, weight, n_bins)
    full = total > 0
    predicted = np.bincount(bins, weight * proba, n_bins)[full] / total[full]
    observed = np.bincount(bins, weight * hit, n_bins)[full] / total[full]
    share = total[full] / total.sum()
    return pd.DataFrame({"predicted": predicted, "observed": observed, "share": share})
