"""What predictions are worth, class by class: recall, and probabilities come true."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from isvmde.metrics import ImbalanceReport, imbalance_report
from isvmde.nested import inwards

from .appearance import (
    Display,
    ProbabilityDisplay,
    fold,
    for_legend,
    legend_beside,
    look,
    name_rows,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Predictions = ArrayLike | Mapping[str, ArrayLike]  # of one model, of several by name
_MANY = 6  # more classes than this are drawn as one curve
_CURVE_LEGEND = """class; mean distance from
the diagonal, in points
(large mark: many samples)"""


class RecallDisplay(Display):
    """Plot of each class's recall, a line per class and a mark per model.

    The rarest class stands on top: it is the one that a good mean hides.

    Parameters
    ----------
    recall : DataFrame of shape (n_classes, n_models)
        Recall in [0, 1].
    support : Series of shape (n_classes,)
        Samples of every class.

    Examples
    --------
    >>> from isvmde.plots import RecallDisplay
    >>> y_true = ["ill", "ill", "well", "well", "well", "well"]
    >>> some = ["ill", "well", "well", "well", "well", "well"]
    >>> all_ = ["ill", "ill", "ill", "well", "well", "well"]
    >>> display = RecallDisplay.from_predictions(y_true, {"A": some, "B": all_})
    >>> display.recall
            A     B
    ill   0.5  1.00
    well  1.0  0.75
    """

    def __init__(self, recall: pd.DataFrame, support: pd.Series[float]) -> None:
        order = support.sort_values(kind="stable").index
        self.recall, self.support = recall.loc[order], support.loc[order]
        n_classes, n_models = recall.shape
        self._size = 7.0 + (n_models > 1), 1.4 + (0.2 + 0.11 * n_models) * n_classes

    @classmethod
    def from_predictions(
        cls, y_true: ArrayLike, y_pred: Predictions, **options: Any
    ) -> Self:
        """Compute the recalls from predictions, draw, and return the display.

        Parameters
        ----------
        y_true, y_pred : array-like of shape (n_samples,)
            True and predicted classes; for several models a dict of predictions.
        **options
            As in `plot`.
        """
        given = y_pred if isinstance(y_pred, Mapping) else {"recall": y_pred}
        report = partial(imbalance_report, y_true, labels=np.unique(np.asarray(y_true)))
        reports = {name: report(predicted) for name, predicted in given.items()}
        return cls.from_report(reports, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Any | Mapping[str, Any], X: Any, y: ArrayLike, **options: Any
    ) -> Self:
        """Let fitted models predict, compute their recalls, and draw.

        Parameters
        ----------
        estimator : classifier, or dict of classifiers
            Fitted; several by name.
        X, y : array-like of shape (n_samples, n_features) and (n_samples,)
            Samples to predict, and their true classes.
        **options
            As in `plot`.
        """
        if not isinstance(estimator, Mapping):
            estimator = {type(estimator).__name__: estimator}
        predictions = {name: model.predict(X) for name, model in estimator.items()}
        return cls.from_predictions(y, predictions, **options)

    @classmethod
    def from_report(
        cls, report: ImbalanceReport | Mapping[str, ImbalanceReport], **options: Any
    ) -> Self:
        """Draw the recalls of reports, such as a model's own ``loo_report()``.

        Parameters
        ----------
        report : ImbalanceReport, or dict of such
            From `isvmde.metrics.imbalance_report`, or from ``loo_report()`` of a fitted
            :class:`isvmde.ISVMClassifierCV`.
        **options
            As in `plot`.
        """
        given = report if isinstance(report, Mapping) else {"recall": report}
        tables = {name: report.per_class for name, report in given.items()}
        recall = pd.DataFrame({name: table["recall"] for name, table in tables.items()})
        support = next(iter(tables.values()))["support"]
        return cls(recall.loc[support.index], support).plot(**options)

    def _draw(self, ax: Axes) -> None:
        n_classes, n_models = self.recall.shape
        rows = np.arange(n_classes)
        for row in rows[1::2]:
            ax.axhspan(row - 0.5, row + 0.5, color="0.95", linewidth=0, zorder=0)
        for k, name in enumerate(self.recall):
            # equal recalls are common: each model has its own height within the row
            heights = rows + 0.6 * ((k + 0.5) / n_models - 0.5)
            colour, mark = look(k)
            x = 100 * self.recall[name].to_numpy()
            ax.hlines(heights, 0, x, color=colour, linewidth=1.2, alpha=0.5)
            label = for_legend(name)
            ax.plot(x, heights, mark, label=label, color=colour, ms=7, clip_on=False)
        pairs = zip(self.recall.index, self.support, strict=True)
        name_rows(ax, [f"{label}  ({count:g})" for label, count in pairs], 30)
        ax.set(xlim=(0, 100), xlabel="recall, per cent", ylabel="class (samples)")
        ax.grid(axis="x", alpha=0.3)
        if n_models > 1:
            legend_beside(ax, "model")


class ReliabilityDisplay(ProbabilityDisplay):
    """Plot of how often a class is the true one where a model gives it p per cent.

    A curve on the diagonal keeps its promise; below it, the model claims too much. A
    mark's size is the share of samples in its bin.

    Samples are weighted so that each class has the total weight of the prior that the
    probabilities are meant for; with ``prior="training"`` every sample counts once, as
    in scikit-learn's ``CalibrationDisplay``.

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

    _size = (7.2, 4.8)

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
        """Compare probabilities with what was true, draw, and return the display.

        Parameters
        ----------
        y_true, y_proba : array-like
            True classes, and a row of probabilities each, such as ``model.loo_proba_``.
        labels : array-like of shape (n_classes,)
            The class of every column, ``model.classes_``.
        prior : {"balanced", "training"} or array-like of shape (n_classes,)
            Share of every class in the world that the probabilities are meant for,
            for instance ``model.prior_``. "training": the shares in ``y_true``.
        classes : array-like, optional
            The classes to draw, a curve for each; by default all, but one curve for all
            of them together if there are more than six.
        n_bins : int, default=5
            Number of bins of equal width.
        **options
            As in `plot`.
        """
        proba, names = np.asarray(y_proba, dtype=float), np.asarray(labels)
        hit = np.asarray(y_true)[:, None] == names
        if proba.shape != hit.shape:
            raise ValueError(
                f"y_proba has shape {proba.shape}: it needs a row per sample and a "
                f"column per class, here {hit.shape}."
            )
        counts = hit.sum(axis=0)
        named = {"balanced": np.ones(len(counts)), "training": counts}
        shares = named.get(prior) if isinstance(prior, str) else np.asarray(prior)
        if shares is None or shares.shape != counts.shape:
            raise ValueError(
                "prior must be 'balanced', 'training' or a share per class, "
                f"{len(counts)} in all; got {prior!r}."
            )
        weight = hit @ (shares / np.maximum(counts, 1))  # of every sample
        wanted = names if classes is None else np.asarray(classes)
        columns = {str(label): names == label for label in wanted}
        if classes is None and len(names) > _MANY:
            columns = {"all classes": np.full(len(names), True)}
        curves = {}
        for name, chosen in columns.items():
            if not chosen.any():
                raise ValueError(f"{name} is not one of the classes in labels.")
            curves[name] = _curve(hit[:, chosen], proba[:, chosen], weight, n_bins)
        return cls(curves).plot(**options)

    @classmethod
    def _known_of(cls, estimator: Any) -> dict[str, Any]:
        """Return its classes, and the prior of an `ISVMClassifierCV`."""
        priors = (getattr(model, "prior_", None) for model in inwards(estimator))
        prior = next((prior for prior in priors if prior is not None), "training")
        return super()._known_of(estimator) | {"prior": prior}

    def errors(self) -> pd.Series[float]:
        """Return every curve's mean distance from the diagonal, bins by their share."""
        curves = self.curves.items()
        far = {name: (t["observed"] - t["predicted"]).abs() for name, t in curves}
        return pd.Series({name: t["share"] @ far[name] for name, t in curves})

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 100], [0, 100], ":", color="0.4", label="perfect calibration")
        errors = 100 * self.errors()
        for k, (name, table) in enumerate(self.curves.items()):
            colour, mark = look(k)
            x, y, size = 100 * table[["predicted", "observed", "share"]].to_numpy().T
            ax.plot(x, y, color=colour, linewidth=1.4)
            ax.scatter(x, y, 20 + 2.6 * size, color=colour, marker=mark, alpha=0.85)
            label = fold(f"{name}, off\xa0by\xa0{errors[name]:.0f}")
            ax.plot([], [], mark, color=colour, label=label)
        ax.set(xlim=(-3, 103), ylim=(-3, 103), aspect="equal")
        ax.set_xlabel("predicted probability, per cent")
        ax.set_ylabel("observed frequency, per cent")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        legend_beside(ax, _CURVE_LEGEND)


def _curve(
    hit: np.ndarray, proba: np.ndarray, weight: np.ndarray, n_bins: int
) -> pd.DataFrame:
    """Average what was predicted and what was true, bin by bin; empty bins go."""
    bins = np.minimum((proba * n_bins).astype(int), n_bins - 1).ravel()
    values = {"predicted": proba.ravel(), "observed": hit.ravel(), "share": 1.0}
    weights = np.repeat(weight, proba.shape[1])
    sums = pd.DataFrame(values).mul(weights, axis=0).groupby(bins).sum()
    sums = sums[sums["share"] > 0].reset_index(drop=True)
    means = sums.div(sums["share"], axis=0)
    return means.assign(share=sums["share"] / sums["share"].sum())
