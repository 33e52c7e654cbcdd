"""Figures. They need matplotlib: ``pip install "isvmde[plots]"``."""

from isvmde.plots.ranks import RankDisplay

__all__ = ["RankDisplay"]
