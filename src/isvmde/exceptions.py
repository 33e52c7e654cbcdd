"""Warnings of this library that a program may want to catch by name."""


class DoubtfulModelWarning(UserWarning):
    """A model was fitted, but what it says should not be believed without a look.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", DoubtfulModelWarning)  # refuse such models
    >>> warnings.resetwarnings()
    """
