"""Warnings of this library that a program may want to catch by name."""


class DoubtfulModelWarning(UserWarning):
    """A model was fitted, but what it says should not be believed without a look.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", DoubtfulModelWarning)  # refuse such models
    >>> warnings.resetwarnings()
    """


class RepeatedRowsWarning(UserWarning):
    """Many training rows repeat others, so that what is said of rows left out flatters.

    Rows of one subject vouch for each other, unless `fit` is told by ``groups`` whose
    they are.

    Examples
    --------
    >>> import warnings
    >>> warnings.simplefilter("error", RepeatedRowsWarning)  # refuse such tables
    >>> warnings.resetwarnings()
    """
