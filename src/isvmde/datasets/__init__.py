"""The paper's data sets, readers for your own, preprocessing and folds."""

from .folds import PaperKFold
from .home import get_data_home
from .keel import KeelFormatError, read_keel
from .load import load_dataset
from .preprocess import make_preprocessor

__all__ = [
    "KeelFormatError",
    "PaperKFold",
    "get_data_home",
    "load_dataset",
    "make_preprocessor",
    "read_keel",
]
