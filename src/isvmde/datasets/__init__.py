"""The paper's data sets, a reader of KEEL files, preprocessing and folds."""

from isvmde.model_selection import KeelKFold, PaperKFold

from .catalogue import list_datasets, load_dataset, make_preprocessor
from .keel import KeelFormatError, read_keel

__all__ = [
    "KeelFormatError",
    "KeelKFold",
    "PaperKFold",
    "list_datasets",
    "load_dataset",
    "make_preprocessor",
    "read_keel",
]
