"""Other people's tables: read them, judge their columns, make numbers of them."""

from .errors import TableError
from .preprocessor import TablePreprocessor
from .reading import read_table, split_target

__all__ = ["TableError", "TablePreprocessor", "read_table", "split_target"]
