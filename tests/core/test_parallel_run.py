"""One long call in another thread: result, error, deadline, interrupt."""

import subprocess
import sys
import threading
import time

import pytest

from isvmde.core.parallel import Stopped, Threads


def run_in_background(function, deadline=None, *, short=False):
    """Return ``function(stop)``, computed by one thread."""
    with Threads() as threads:
        return threads.run(
            lambda: function(threads.stop), deadline=deadline, short=short
        )


def test_it_is_the_result_or_the_error_of_the_call():
    assert (
        run_in_background(lambda stop: threading.get_ident()) != threading.get_ident()
    )
    with pytest.raises(ZeroDivisionError):
        run_in_background(lambda stop: 1 / 0)


def test_what_is_short_is_computed_by_the_caller():
    here = run_in_background(lambda stop: threading.get_ident(), short=True)
    assert here == threading.get_ident()


def test_the_caller_goes_on_after_the_deadline():
    ended = threading.Event()
    began = time.monotonic()
    with pytest.raises(Stopped):
        run_in_background(lambda stop: ended.wait(30.0), began + 0.2)
    assert 0.2 <= time.monotonic() - began < 10.0
    ended.set()


def test_nothing_begins_after_the_deadline():
    calls = []
    with pytest.raises(Stopped):
        run_in_background(lambda stop: calls.append(None), time.monotonic())
    assert not calls


def test_ctrl_c_is_raised_at_once_and_the_exit_is_orderly():
    """What is left alone is told to give up, and waited for at the end only."""
    script = """
import _thread, threading, time
from isvmde.core.parallel import Threads

def wait(stop):
    while stop[0] == 0:
        time.sleep(0.01)
    time.sleep(0.5)
    print("ended")

threading.Timer(0.3, _thread.interrupt_main).start()
try:
    with Threads() as threads:
        threads.run(lambda: wait(threads.stop))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        timeout=30,
    )
    assert run.stdout.split() == ["interrupted", "ended"]
    assert run.stderr == ""
