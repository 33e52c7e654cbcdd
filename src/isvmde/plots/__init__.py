"""Figures. They need matplotlib: ``pip install "isvmde[plots]"``.

``from_estimator``, ``from_predictions`` and their like draw at once and return the
display, whose ``ax_`` and ``figure_`` can be changed or saved; ``plot`` draws it again.
For confusion matrices and regions of two features take scikit-learn's own displays,
``ConfusionMatrixDisplay`` and ``DecisionBoundaryDisplay``.
"""

from isvmde.plots.appearance import Display
from isvmde.plots.convergence import ConvergenceDisplay
from isvmde.plots.explanation import ExplanationDisplay
from isvmde.plots.model_weights import ModelWeightsDisplay
from isvmde.plots.pair_map import PairMapDisplay
from isvmde.plots.ranks import RankDisplay
from isvmde.plots.recall import RecallDisplay
from isvmde.plots.reliability import ReliabilityDisplay

__all__ = [
    "ConvergenceDisplay",
    "Display",
    "ExplanationDisplay",
    "ModelWeightsDisplay",
    "PairMapDisplay",
    "RankDisplay",
    "RecallDisplay",
    "ReliabilityDisplay",
]
