"""Figures. They need matplotlib: ``pip install "isvmde[plots]"``.

``from_estimator``, ``from_predictions`` and their like draw at once and return the
display, whose ``ax_`` and ``figure_`` can be changed or saved; ``plot`` draws it again.
Confusion matrices and regions of two features are in scikit-learn's own displays.
"""

from .appearance import Display
from .averages import ExplanationDisplay, ModelWeightsDisplay
from .curves import PrecisionRecallDisplay, RocDisplay, ThresholdDisplay
from .importances import ImportanceDisplay
from .predictions import RecallDisplay, ReliabilityDisplay
from .ranks import RankDisplay
from .searches import ConvergenceDisplay, PairMapDisplay

__all__ = [
    "ConvergenceDisplay",
    "Display",
    "ExplanationDisplay",
    "ImportanceDisplay",
    "ModelWeightsDisplay",
    "PairMapDisplay",
    "PrecisionRecallDisplay",
    "RankDisplay",
    "RecallDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "ThresholdDisplay",
]
