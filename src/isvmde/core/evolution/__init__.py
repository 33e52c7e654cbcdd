"""Optimisers of real genes in a box, ask and tell. Nothing here knows of SVMs."""

from .ide import IDE
from .optimizer import Optimizer
from .plain import DE, RandomSearch

__all__ = ["DE", "IDE", "OPTIMIZERS", "Optimizer", "RandomSearch"]

OPTIMIZERS: dict[str, type[Optimizer]] = {"ide": IDE, "de": DE, "random": RandomSearch}
