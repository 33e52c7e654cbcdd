"""Decisions from class probabilities: costs, other class frequencies, thresholds.

A classifier with calibrated probabilities has not decided yet. What to do about a row
follows from its probabilities, from how frequent the classes are where the model is
used, and from what every mistake costs. None of this needs another fit.
"""

from .costs import CostMatrix, expected_costs
from .deciding import apply_threshold, decide
from .priors import move_prior

__all__ = ["CostMatrix", "apply_threshold", "decide", "expected_costs", "move_prior"]
