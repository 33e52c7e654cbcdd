"""The paper's data sets, a reader of KEEL files, preprocessing and folds."""

from isvmde.model_selection import KeelKFold, PaperKFold

from .keel import read_keel
from .keel_syntax import KeelFormatError
from .load import list_datasets, load_dataset
from .preprocess import make_preprocessor

__all__ = [
    "KeelFormatError",
    "KeelKFold",
    "PaperKFold",
    "list_datasets",
    "load_dataset",
    "make_preprocessor",
    "read_keel",
]
