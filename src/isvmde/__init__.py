"""Multi-class imbalanced classification with support vector machines.

`ISVMDEClassifier` searches costs, margins and kernels of every pair of classes by
differential evolution; `ISVMClassifier` takes them as given.
"""

from isvmde.classifier import ISVMClassifier
from isvmde.search_classifier import ISVMDEClassifier

__version__ = "0.1.0"

__all__ = ["ISVMClassifier", "ISVMDEClassifier", "__version__"]
