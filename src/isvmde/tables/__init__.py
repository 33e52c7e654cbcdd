"""Other people's tables: reading them, judging their columns, making numbers of them.

:func:`read_table` reads a file as people have it, :class:`TablePreprocessor` turns its
columns into the numbers a classifier needs, and :func:`split_target` takes the classes
out of it.
"""

from .errors import TableError
from .preprocessor import TablePreprocessor
from .reading import read_table
from .target import split_target

__all__ = ["TableError", "TablePreprocessor", "read_table", "split_target"]
