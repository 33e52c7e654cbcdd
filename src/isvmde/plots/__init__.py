"""Figures. They need matplotlib: ``pip install "isvmde[plots]"``.

``from_estimator``, ``from_predictions`` and their like draw at once and return the
display, whose ``ax_`` and ``figure_`` can be changed or saved; ``plot`` draws it again.
"""

from isvmde.plots.confusion import ConfusionDisplay
from isvmde.plots.convergence import ConvergenceDisplay
from isvmde.plots.explanation import ExplanationDisplay
from isvmde.plots.model_weights import ModelWeightsDisplay
from isvmde.plots.pair_map import PairMapDisplay
from isvmde.plots.ranks import RankDisplay
from isvmde.plots.recall import RecallDisplay
from isvmde.plots.regions import RegionsDisplay
from isvmde.plots.reliability import ReliabilityDisplay

__all__ = [
    "ConfusionDisplay",
    "ConvergenceDisplay",
    "ExplanationDisplay",
    "ModelWeightsDisplay",
    "PairMapDisplay",
    "RankDisplay",
    "RecallDisplay",
    "RegionsDisplay",
    "ReliabilityDisplay",
]
