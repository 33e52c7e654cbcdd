"""Every classifier on extreme tables: a sample of what the driver does."""

import pytest
from hostile_tables import MAKERS, TABLES, run_case


@pytest.mark.parametrize("first", range(len(MAKERS)), ids=list(MAKERS))
def test_a_sample_of_the_hostile_tables(first):
    """`python tests/fuzz/hostile_tables.py` does this two thousand times."""
    for turn in range(0, len(TABLES), 4):
        case = first + turn * len(MAKERS)
        assert not run_case(case, seed=3).startswith("!")
