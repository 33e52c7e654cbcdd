"""Dask's scheduler and workers as processes of this machine."""

import os
import socket
import subprocess
import sys
import time

from tests.bench.runs import ROOT

ALLOWED_FAILURES = 1  # Dask's default, 3, takes longer to give a task up
WORKER = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]
N_WORKERS = 2
PATIENCE = 60.0  # seconds until every worker has to be there


def start_dask(*words):
    """Start one of Dask's own commands; it finds the methods of `runs`."""
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path]),
        "DASK_DISTRIBUTED__SCHEDULER__WORKER_SATURATION": "1.0",
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": str(ALLOWED_FAILURES),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        env=env,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def end(process):
    """Kill a process, if it is still there."""
    process.kill()
    process.wait()


class Processes:
    """A scheduler and its workers, of which tests kill some."""

    def __init__(self):
        self.address = ""
        self.scheduler = None
        self.workers = []

    def mend(self):
        """Start what is not there, and wait until the scheduler knows all workers."""
        import distributed  # not everybody has it

        if self.scheduler is None or self.scheduler.poll() is not None:
            self.end()
            self._start_scheduler()
        alive = [worker for worker in self.workers if worker.poll() is None]
        while len(alive) < N_WORKERS:
            alive.append(start_dask("dask_worker", self.address, *WORKER))
        self.workers = alive
        with distributed.Client(
            self.address, timeout=f"{PATIENCE:.0f}s", set_as_default=False
        ) as client:
            self._wait_for_workers(client)

    def end(self):
        """Kill all of them."""
        for worker in self.workers:
            end(worker)
        self.workers = []
        if self.scheduler is not None:
            end(self.scheduler)

    def _start_scheduler(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        where = ["--host", "127.0.0.1", "--port", str(port)]
        self.scheduler = start_dask("dask_scheduler", *where, "--no-dashboard")

    def _wait_for_workers(self, client):
        """Wait for the processes of today: a dead one may still be in the list."""
        wanted = {worker.pid for worker in self.workers}
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            known = client.run(os.getpid, on_error="return").values()
            if set(known) == wanted:
                return
            time.sleep(0.05)
        raise AssertionError(f"no {N_WORKERS} workers within {PATIENCE:.0f} s")
