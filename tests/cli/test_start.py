"""Starting is quick, help is readable, and Ctrl-C at any moment is quiet."""

import os
import signal
import subprocess
import sys
import time

import click
import pytest

from isvmde.cli import COMMANDS, app


def seconds(code):
    """Return the CPU seconds of a new process, the best of five."""
    measured = "\nimport time; sys.stderr.write(str(time.process_time()))"
    runs = [
        subprocess.run(
            [sys.executable, "-c", f"import sys\n{code}{measured}"],
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        for _ in range(5)
    ]
    return min(map(float, runs))


HELP = "from isvmde.__main__ import main\nmain(['--help'])"


def test_help_is_there_within_half_a_second():
    assert seconds(HELP) < seconds("import click") + 0.5


def test_help_imports_nothing_heavy():
    heavy = ("numpy", "pandas", "sklearn", "scipy", "numba", "matplotlib", "dask")
    code = f"{HELP}\nsys.stderr.write(repr(set({heavy}) & set(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}"], capture_output=True, text=True
    )
    assert run.stderr == "set()"


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"]])
def test_the_help_has_a_line_per_command(isvmde, words):
    code, out, err = isvmde(*words)
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    for name in COMMANDS:
        assert [line[0] for line in lines if line].count(name) == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help(isvmde, name):
    code, out, _ = isvmde(name, "--help")
    assert code == 0
    assert out.startswith(f"Usage: isvmde {name}")
    assert app.get_command(click.Context(app), name).name == name


RUN = """
import sys
from isvmde.__main__ import main
print("ready", flush=True)
sys.exit(main(["fit", "shuttle", "-o", "m.skops"]))
"""


@pytest.mark.parametrize("delay", [0.1, 0.4, 0.8, 1.5])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_modules_are_imported(number, delay, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", RUN],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=tmp_path,
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    os.kill(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "isvmde: interrupted"
    assert "Traceback" not in err
