"""The paper's data sets, a reader of KEEL files, preprocessing and folds."""

from isvmde.model_selection import DOBSCVKFold, KeelKFold, PaperKFold

from .catalogue import list_datasets, load_dataset, make_preprocessor
from .keel import KeelFormatError, read_keel

__all__ = [
    "DOBSCVKFold",
    "KeelFormatError",
    "KeelKFold",
    "PaperKFold",
    "list_datasets",
    "load_dataset",
    "make_preprocessor",
    "read_keel",
]
