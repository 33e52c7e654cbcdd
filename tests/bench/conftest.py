"""A cluster of this machine's processes."""

import pytest

from tests.bench.dask_processes import Processes


@pytest.fixture(scope="module")
def processes():
    """Return the processes of a cluster, which are killed in the end."""
    found = Processes()
    try:
        yield found
    finally:
        found.end()


@pytest.fixture
def cluster(processes):
    """Give a scheduler's address, its two workers and itself.

    Only what an earlier test has killed is started again: every process imports much.
    """
    pytest.importorskip("distributed")
    processes.mend()
    return processes.address, processes.workers, processes.scheduler
