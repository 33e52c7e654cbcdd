"""Multi-class imbalanced classification with i-SVM-DE."""

__version__ = "0.1.0"
