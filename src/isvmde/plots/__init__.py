"""Figures. They need matplotlib: ``pip install "isvmde[plots]"``."""

from isvmde.plots.confusion import ConfusionDisplay
from isvmde.plots.convergence import ConvergenceDisplay
from isvmde.plots.pair_map import PairMapDisplay
from isvmde.plots.ranks import RankDisplay
from isvmde.plots.recall import RecallDisplay
from isvmde.plots.regions import RegionsDisplay

__all__ = [
    "ConfusionDisplay",
    "ConvergenceDisplay",
    "PairMapDisplay",
    "RankDisplay",
    "RecallDisplay",
    "RegionsDisplay",
]
