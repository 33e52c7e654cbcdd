"""Differential evolution as ask and tell. It knows nothing of SVMs."""

from .ide import IDE

__all__ = ["IDE"]
