"""Multi-class imbalanced classification with support vector machines.

`ISVMClassifierCV` averages many machines per pair of classes, weighed and calibrated
by leave-one-out: the one to begin with. `ISVMDEClassifier` is the paper's, which
searches costs, margins and kernels of every pair by differential evolution;
`ISVMClassifier` takes them as given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isvmde.classifiers.averaged import ISVMClassifierCV
    from isvmde.classifiers.given import ISVMClassifier
    from isvmde.classifiers.searched import ISVMDEClassifier

__version__ = "0.2.0"

__all__ = ["ISVMClassifier", "ISVMClassifierCV", "ISVMDEClassifier", "__version__"]

_HOMES = {
    "ISVMClassifier": "isvmde.classifiers.given",
    "ISVMClassifierCV": "isvmde.classifiers.averaged",
    "ISVMDEClassifier": "isvmde.classifiers.searched",
}


def __getattr__(name: str) -> Any:
    """Import a classifier when it is first asked for (scikit-learn takes a second)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isvmde' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
