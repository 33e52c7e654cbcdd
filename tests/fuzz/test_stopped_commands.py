"""A command that is killed leaves whole files, old ones or none."""

import os

import pytest
from stopped_commands import stop_all

pytestmark = pytest.mark.skipif(os.name == "nt", reason="no SIGKILL on Windows")


@pytest.mark.slow
def test_a_sample_of_killed_commands(tmp_path, monkeypatch):
    """`python tests/fuzz/stopped_commands.py` kills each of them ten times."""
    monkeypatch.delenv("ISVMDE_TRACEBACK", raising=False)
    assert not stop_all(tmp_path, "kill", names=["predict", "fit"], times=4, seed=1)
