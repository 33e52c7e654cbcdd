"""Dask's scheduler and workers as processes of this machine."""

import os
import subprocess
import sys

from tests.bench.runs import ROOT

ALLOWED_FAILURES = 1  # Dask's default, 3, takes longer to give a task up
WORKER = ["--nthreads", "1", "--no-nanny", "--no-dashboard"]


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
