"""Warnings that name the line of the person who called the library."""

import inspect
import warnings
from pathlib import Path

import joblib
import sklearn

_BETWEEN = tuple(
    str(Path(file).parent) for file in (__file__, sklearn.__file__, joblib.__file__)
)


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the first line outside this library, scikit-learn and joblib."""
    frame, level = inspect.currentframe(), 1
    while frame is not None and frame.f_code.co_filename.startswith(_BETWEEN):
        frame, level = frame.f_back, level + 1
    # without such a line it was called from a thread of the library's own
    warnings.warn(message, category, stacklevel=level)
