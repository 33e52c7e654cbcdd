"""The paper's data sets, readers for your own, preprocessing and folds."""

from .download import download_dataset
from .fetch import DownloadError
from .folds import KeelKFold, PaperKFold
from .home import get_data_home
from .keel import read_keel
from .keel_syntax import KeelFormatError
from .load import list_datasets, load_dataset
from .preprocess import make_preprocessor
from .tables import TableFormatError, read_table

__all__ = [
    "DownloadError",
    "KeelFormatError",
    "KeelKFold",
    "PaperKFold",
    "TableFormatError",
    "download_dataset",
    "get_data_home",
    "list_datasets",
    "load_dataset",
    "make_preprocessor",
    "read_keel",
    "read_table",
]
