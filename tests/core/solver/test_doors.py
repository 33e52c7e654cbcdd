"""Nothing that points outside of its arrays reaches compiled code."""

import numpy as np
import pytest

from isvmde.core.solver import check_columns


@pytest.mark.parametrize(
    "shape", [(2, 5, 3), (2, 5, 5), (1, 5, 4), (3, 5, 4), (5, 4), (2, 4)], ids=str
)
def test_new_rows_have_the_views_and_columns_of_training(shape):
    """More columns would be written behind the end of an array."""
    rows = np.zeros((2, 9, 4))
    check_columns(rows, np.zeros((2, 5, 4)))
    check_columns(rows, np.zeros((2, 0, 4)))
    with pytest.raises(ValueError, match="have not the columns of"):
        check_columns(rows, np.zeros(shape))
