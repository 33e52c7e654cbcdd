"""Calls in another thread: results, errors, deadlines, interrupts."""

import subprocess
import sys
import threading
import time

import pytest

from isvmde.core.background import run_in_background
from isvmde.core.solver import Stopped


def test_it_is_the_result_or_the_error_of_the_call():
    assert run_in_background(lambda: threading.get_ident()) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda: 1 / 0)


def test_the_caller_goes_on_after_the_deadline():
    ended = threading.Event()
    began = time.monotonic()
    with pytest.raises(Stopped):
        run_in_background(lambda: ended.wait(30.0), began + 0.2)
    assert 0.2 <= time.monotonic() - began < 10.0
    ended.set()


def test_nothing_begins_after_the_deadline():
    calls = []
    with pytest.raises(Stopped):
        run_in_background(lambda: calls.append(None), time.monotonic())
    assert not calls


def test_python_waits_for_what_was_left_alone_unless_it_is_a_daemon():
    """Ctrl-C during the call: the exception at once, an orderly exit afterwards."""
    script = """
import _thread, sys, threading, time
from isvmde.core.background import run_in_background

threading.Timer(0.3, _thread.interrupt_main).start()
try:
    run_in_background(
        lambda: (time.sleep(1.5), print("ended")), daemon=sys.argv[1] == "daemon"
    )
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    for kind, expected in (("daemon", []), ("thread", ["ended"])):
        run = subprocess.run(
            [sys.executable, "-c", script, kind],
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.split() == ["interrupted", *expected]
        assert run.stderr == ""
