"""Other people's tables: read them, judge their columns, make numbers of them."""

from .errors import (
    ClassWarning,
    ColumnWarning,
    LeftOutWarning,
    TableError,
    TableWarning,
)
from .labels import split_target
from .preprocessor import TablePreprocessor
from .reading import read_table

__all__ = [
    "ClassWarning",
    "ColumnWarning",
    "LeftOutWarning",
    "TableError",
    "TablePreprocessor",
    "TableWarning",
    "read_table",
    "split_target",
]
