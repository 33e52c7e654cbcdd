"""Threads: results in order, errors, deadlines, interrupts, flags."""

import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from isvmde.core.parallel import Stopped, Threads


def test_results_are_in_the_order_of_the_items_whoever_is_done_first():
    first_may_end = threading.Event()

    def wait_for_the_others(k):
        if k == 0:
            assert first_may_end.wait(30.0)
        if k == 5:
            first_may_end.set()
        return k * k

    with Threads(2) as threads:
        assert threads.map(wait_for_the_others, range(6)) == [0, 1, 4, 9, 16, 25]


def test_the_caller_only_waits():
    with Threads() as threads:
        assert threads.run(threading.get_ident) != threading.get_ident()


def test_what_is_short_is_computed_by_the_caller_in_place_of_a_single_thread():
    with Threads() as threads:
        assert threads.run(threading.get_ident, short=True) == threading.get_ident()
    with Threads(2) as threads:
        assert threads.run(threading.get_ident, short=True) != threading.get_ident()


@pytest.mark.parametrize("short", [True, False])
def test_the_caller_hears_of_every_item_that_is_done(short):
    heard = []
    with Threads() as threads:
        threads.map(
            str,
            range(4),
            short=short,
            on_result=lambda k: heard.append((k, threading.get_ident())),
        )
    assert heard == [(k, threading.get_ident()) for k in range(4)]


def test_the_first_error_tells_the_others_to_stop():
    seen = []

    def work(k):
        if k == 0:
            raise ZeroDivisionError
        while threads.stop[0] == 0:
            time.sleep(0.001)
        seen.append(k)

    with Threads(2) as threads:
        with pytest.raises(ZeroDivisionError):
            threads.map(work, range(50))
        threads.restart()  # waits for the one that runs
    assert seen in ([], [1])


def test_the_caller_goes_on_after_the_deadline():
    may_end = threading.Event()
    began = time.monotonic()
    with pytest.raises(Stopped), Threads() as threads:
        threads.run(lambda: may_end.wait(30.0), deadline=began + 0.2)
    assert 0.2 <= time.monotonic() - began < 10.0
    may_end.set()


@pytest.mark.parametrize("short", [True, False])
def test_nothing_begins_after_the_deadline(short):
    calls = []
    with Threads() as threads, pytest.raises(Stopped):
        threads.map(calls.append, [1], deadline=time.monotonic(), short=short)
    assert not calls


def test_who_was_stopped_computes_again_only_after_a_restart():
    def give_up():
        while threads.stop[0] == 0:
            time.sleep(0.001)

    with Threads() as threads:
        with pytest.raises(Stopped):
            threads.run(give_up, deadline=time.monotonic() + 0.05)
        with pytest.raises(Stopped):
            threads.run(lambda: 1)
        threads.restart()
        assert threads.run(lambda: 1) == 1


@pytest.mark.parametrize("short", [True, False])
def test_what_was_cut_off_by_a_shared_flag_is_not_a_result(short):
    stop = np.zeros(1, np.int64)

    def somebody_else_stops():
        stop[0] = 1

    with Threads(stop=stop) as threads:
        with pytest.raises(Stopped):
            threads.run(somebody_else_stops, short=short)
        threads.restart()
    assert stop[0] == 1  # it is theirs


def test_ctrl_c_is_raised_at_once_and_the_exit_is_orderly():
    """What is left alone is told to give up, and waited for at the end only."""
    script = r"""
import _thread, sys, threading, time
from isvmde.core.parallel import Threads

threads = Threads(2)

def work(k):
    while threads.stop[0] == 0:
        time.sleep(0.01)
    time.sleep(0.5)
    sys.stdout.write("ended\n")

threading.Timer(0.3, _thread.interrupt_main).start()
try:
    with threads:
        threads.map(work, range(9))
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
    assert run.stdout.split() == ["interrupted", "ended", "ended"]
    assert run.stderr == ""
