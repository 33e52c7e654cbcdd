"""A cluster of this machine's processes."""

import socket

import pytest

from tests.bench.dask_processes import WORKER, start_dask


@pytest.fixture
def cluster():
    """Start a scheduler and two workers; give the address and the processes."""
    distributed = pytest.importorskip("distributed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    scheduler = start_dask(
        "dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
    )
    workers = [start_dask("dask_worker", address, *WORKER) for _ in range(2)]
    try:
        with distributed.Client(address, timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address, workers, scheduler
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()
