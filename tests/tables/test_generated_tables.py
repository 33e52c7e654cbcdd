"""Two hundred tables whose meaning is known: read as they are, or it is said."""

import pytest

from .judged_reading import read_and_judge, summary

_TABLES, _AT_ONCE = 200, 50
_FIRST = 40_000


@pytest.mark.parametrize(
    "first",
    [
        pytest.param(first, marks=[pytest.mark.slow] if first > _FIRST else [])
        for first in range(_FIRST, _FIRST + _TABLES, _AT_ONCE)
    ],
)
def test_columns_are_read_as_they_are(first, tmp_path):
    verdicts = {
        seed: read_and_judge(seed, tmp_path) for seed in range(first, first + _AT_ONCE)
    }
    columns = [column for table in verdicts.values() for column in table.columns]
    right = [column for column in columns if not column.problem]
    unsaid = [column for column in columns if column.wrong_number and not column.said]
    assert len(right) >= 0.98 * len(columns), summary(verdicts)
    assert not unsaid, summary(verdicts)
    assert not any(table.lost for table in verdicts.values()), summary(verdicts)
