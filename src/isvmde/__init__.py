"""Multi-class imbalanced classification with support vector machines.

`ISVMClassifierCV` averages many machines per pair of classes, weighed and calibrated
by leave-one-out: the one to begin with. `ISVMDEClassifier` is the paper's, which
searches costs, margins and kernels of every pair by differential evolution;
`ISVMClassifier` takes them as given. `warm_up` compiles the solver before it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isvmde.classifiers.averaged import ISVMClassifierCV
    from isvmde.classifiers.given import ISVMClassifier
    from isvmde.classifiers.searched import ISVMDEClassifier
    from isvmde.classifiers.warm_up import warm_up

__version__ = "0.2.0"

__all__ = [
    "ISVMClassifier",
    "ISVMClassifierCV",
    "ISVMDEClassifier",
    "__version__",
    "warm_up",
]

_HOMES = {
    "ISVMClassifier": "isvmde.classifiers.given",
    "ISVMClassifierCV": "isvmde.classifiers.averaged",
    "ISVMDEClassifier": "isvmde.classifiers.searched",
    "warm_up": "isvmde.classifiers.warm_up",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first asked for (scikit-learn takes a second)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isvmde' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
