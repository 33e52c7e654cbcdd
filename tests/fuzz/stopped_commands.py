"""Commands that are killed, or that meet a full disk.

    python tests/fuzz/stopped_commands.py kill --seed 0
    python tests/fuzz/stopped_commands.py full

Every command runs on real files: first to its end, then killed at random moments, or on
a disk with little space left. Afterwards each file that it writes has to be whole, as
it was before, or absent, and what it reads has to be unchanged. The disk is a tmpfs in
a namespace of its own, which takes Linux and `unshare` of util-linux.
"""

import argparse
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from isvmde.archive import read_parts
from isvmde.model_file import load_model

FREE = (0, 4_096, 20_480, 81_920, 327_680)  # bytes that are left on a full disk
DISK = 64 * 2**20
SECONDS = 1800.0  # a command that takes longer hangs
INPUTS = ("table.csv", "model.skops", "store/results.sqlite", "rows.csv")
Judge = Callable[[Path, Path], bool]


def is_equal(path: Path, whole: Path) -> bool:
    """Whether a file has the bytes that the command writes when nothing stops it."""
    return path.read_bytes() == whole.read_bytes()


def is_model(path: Path, whole: Path) -> bool:
    """Whether a file is a model that predicts."""
    return len(load_model(path).try_out()) == 1


def is_checkpoint(path: Path, whole: Path) -> bool:
    """Whether a file has all parts of a checkpoint."""
    parts, expected = (read_parts(one, "identity.npy") for one in (path, whole))
    return set(parts) == set(expected)


def is_store(path: Path, whole: Path) -> bool:
    """Whether a database is sound and has no row without its numbers."""
    with closing(sqlite3.connect(path)) as connection:
        if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
            return False
        tables = {
            name for (name,) in connection.execute("SELECT name FROM sqlite_master")
        }
        if "rows" not in tables:  # begun and nothing written yet
            return True
        query = "SELECT count(*) FROM rows WHERE status IS NULL OR confusion IS NULL"
        return bool(connection.execute(query).fetchone() == (0,))


JUDGES: dict[str, Judge] = {
    ".skops": is_model,
    ".checkpoint": is_checkpoint,
    ".sqlite": is_store,
}


class Command(NamedTuple):
    """A command and the files or folders it writes, by their final names."""

    name: str
    words: list[str]
    writes: list[str]


COMMANDS = [
    Command("fit", [*("fit", "table.csv", "-o", "new.skops")], ["new.skops"]),
    Command(
        "fit --checkpoint",
        [
            *("fit", "table.csv", "-o", "new.skops", "--method", "i-SVM-DE"),
            *("--iter", "6", "--pop", "6", "--checkpoint", "search.checkpoint"),
        ],
        ["new.skops", "search.checkpoint"],
    ),
    Command(
        "predict",
        ["predict", "model.skops", "table.csv", "--proba", "-o", "out.csv"],
        ["out.csv"],
    ),
    Command("explain", ["explain", "model.skops", "table.csv", "--row", "3"], []),
    Command("inspect", ["inspect", "model.skops"], []),
    Command("datasets", ["datasets"], []),
    Command(
        "compare",
        [
            *("compare", "table.csv", "--methods", "SVM,Cost-SVM", "--out", "compared"),
            *("--repeats", "2"),
        ],
        ["compared"],
    ),
    Command(
        "benchmark",
        [
            *("benchmark", "--out", "bench", "--datasets", "zoo,hayes-roth"),
            *("--methods", "SVM,Cost-SVM"),
        ],
        ["bench"],
    ),
    Command(
        "report",
        [*("report", "store", "--out", "report", "--export", "exported.csv")],
        ["report", "exported.csv"],
    ),
    Command("report of a csv", ["report", "rows.csv", "--out", "report"], ["report"]),
    Command("demo", ["demo", "--out", "demo"], ["demo"]),
]


def run(words: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        [sys.executable, "-m", "isvmde", *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )


def write_inputs(folder: Path) -> None:
    """Write everything that the commands read."""
    rng = np.random.default_rng(0)
    y = np.repeat(["well", "ill", "rare"], [400, 60, 12])
    table = pd.DataFrame(rng.normal(size=(len(y), 4)), columns=[*"abcd"])
    table["sex"] = rng.choice(["f", "m"], len(y))
    table["a"] += (y == "ill") + 2.0 * (y == "rare")
    table.assign(kind=y).to_csv(folder / "table.csv", index=False)
    for words in (
        ["fit", "table.csv", "-o", "model.skops"],
        ["benchmark", "--out", "store", "--datasets", "zoo", "--methods", "SVM"],
        ["report", "store", "--out", "earlier", "--export", "rows.csv"],
    ):
        done = run(words, folder)
        if done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}")
    shutil.rmtree(folder / "earlier")


def files_of(folder: Path, writes: list[str]) -> dict[str, bytes]:
    """Return all files under the names that a command writes to."""
    found = {}
    for name in writes:
        path = folder / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and not _is_side_file(file):
                found[str(file.relative_to(folder))] = file.read_bytes()
    return found


def _is_side_file(path: Path) -> bool:
    """Whether a file is not one that anybody takes for a result."""
    is_partial = path.name.startswith(".") and path.name.endswith(".partial")
    return is_partial or path.name == "run.lock" or path.name.endswith("-journal")


class Outcome(NamedTuple):
    """What a stopped command left behind: files by kind, and what is bad."""

    files: Counter[str]  # "whole", "old" or "half"
    bad: list[str]


class Stage:
    """A folder with what a command reads, and what it makes when nothing stops it."""

    def __init__(self, inputs: Path, folder: Path, command: Command) -> None:
        self.command, self.folder, self._inputs = command, folder, inputs
        self.reset({})
        began = time.monotonic()
        done = run(command.words, folder)
        self.seconds = time.monotonic() - began
        if done.returncode:
            raise RuntimeError(f"{command.name}: {done.stderr}")
        self.made = folder.with_name(f"{folder.name}-whole")
        shutil.copytree(folder, self.made, dirs_exist_ok=True)
        self._read = {name: (folder / name).read_bytes() for name in INPUTS}

    def old_files(self) -> dict[str, bytes]:
        """Return what an earlier run of the command made."""
        return files_of(self.made, self.command.writes)

    def reset(self, old: dict[str, bytes]) -> None:
        """Make the folder anew, with files of an earlier run."""
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self._inputs, self.folder)
        for name, content in old.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)

    def judge(self, old: dict[str, bytes]) -> Outcome:
        """Look at what is there."""
        files: Counter[str] = Counter()
        bad = [
            f"{name} was changed"
            for name, content in self._read.items()
            if (self.folder / name).read_bytes() != content
        ]
        found = files_of(self.folder, self.command.writes)
        for name, content in found.items():
            kind = self._kind(name, content, old)
            files[kind] += 1
            if kind == "half":
                bad.append(f"{name} is half there, {len(content)} bytes")
        bad.extend(f"{name} is gone" for name in old if name not in found)
        return Outcome(files, bad)

    def _kind(self, name: str, content: bytes, old: dict[str, bytes]) -> str:
        """Return whether a file is old, whole or half."""
        if old.get(name) == content:
            return "old"
        path, whole = self.folder / name, self.made / name
        judge = JUDGES.get(path.suffix, is_equal)
        try:
            return "whole" if judge(path, whole) else "half"
        except Exception as error:  # whatever half a file leads to
            print(f"{name}: {error}")
            return "half"


def kill_at(stage: Stage, seconds: float) -> bool:
    """Start a command and kill it; return whether it was still running."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "isvmde", *stage.command.words],
        cwd=stage.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True
    stage.seconds = min(stage.seconds, time.monotonic() - began)  # faster than known
    return False


def kill_often(stage: Stage, times: int, rng: random.Random) -> Outcome:
    """Kill a command at random moments, with and without files of an earlier run."""
    files: Counter[str] = Counter()
    bad = []
    for number in range(3 * times):  # on a busy machine some are done before
        old = stage.old_files() if number % 2 else {}
        stage.reset(old)
        # half of the moments lie where the files are written
        share = rng.random() if number % 4 < 2 else rng.uniform(0.7, 1.0)
        if not kill_at(stage, share * stage.seconds):
            continue
        files["killed"] += 1
        outcome = stage.judge(old)
        files += outcome.files
        bad.extend(f"killed after {share:.2f}: {one}" for one in outcome.bad)
        if files["killed"] == times:
            break
    return Outcome(files, bad)


def fill_disk(folder: Path, free: int) -> Path:
    """Leave little space on the disk of a folder; return what takes the rest."""
    ballast = folder / "ballast"
    space = os.statvfs(folder)
    size = max(0, space.f_bavail * space.f_frsize - free)
    with open(ballast, "wb") as file:
        os.posix_fallocate(file.fileno(), 0, size)
    return ballast


def fill_often(stage: Stage, disk: Path) -> Outcome:
    """Run a command on a disk that is full, or nearly."""
    files: Counter[str] = Counter()
    bad = []
    for number, free in enumerate(FREE):
        old = stage.old_files() if number % 2 else {}
        stage.reset(old)
        ballast = fill_disk(disk, free)
        done = run(stage.command.words, stage.folder)
        ballast.unlink()
        files["refused" if done.returncode else "done"] += 1
        outcome = stage.judge(old)
        files += outcome.files
        found = outcome.bad
        if done.returncode not in (0, 2) or "Traceback" in done.stderr:
            found = [*found, f"exit code {done.returncode}: {done.stderr[-1500:]}"]
        left = [str(path) for path in stage.folder.rglob("*.partial")]
        bad.extend(f"{free} bytes free: {one}" for one in [*found, *left])
    return Outcome(files, bad)


def _print_row(name: str, how: str, outcome: Outcome) -> None:
    """Print a line of the table, and what is bad."""
    count = outcome.files
    runs = (
        f"{count['killed']} killed" if how == "kill" else f"{count['refused']} refused"
    )
    kinds = " | ".join(str(count[kind]) for kind in ("whole", "old", "half"))
    changed = sum(one.endswith("was changed") for one in outcome.bad)
    print(f"| {name} | {runs} | {kinds} | {changed} |", flush=True)
    for one in outcome.bad:
        print(f"\n{name}: {one}\n", flush=True)


def stop_all(
    folder: Path, how: str, *, names: list[str], times: int, seed: int
) -> list[str]:
    """Stop all commands; print a table and return what is bad."""
    inputs = folder / "inputs"
    inputs.mkdir()
    write_inputs(inputs)
    print(f"| {how} | commands | whole | old | half | inputs changed |")
    print("|---|---|---:|---:|---:|---:|", flush=True)
    bad = []
    chosen = [one for one in COMMANDS if not names or one.name in names]
    for number, command in enumerate(chosen):
        stage = Stage(inputs, folder / f"work{number}", command)
        if how == "kill":
            rng = random.Random(f"{seed}/{command.name}")
            outcome = kill_often(stage, times, rng)
        else:
            outcome = fill_often(stage, folder)
        shutil.rmtree(stage.folder)
        shutil.rmtree(stage.made)
        _print_row(command.name, how, outcome)
        bad.extend(outcome.bad)
    return bad


def start_on_small_disk() -> int:
    """Run this program again where a folder is a disk of its own."""
    with tempfile.TemporaryDirectory() as folder:
        mount = f"mount -t tmpfs -o size={DISK} none {folder} && exec "
        words = [sys.executable, *sys.argv, "--disk", folder]
        command = mount + " ".join(f"'{word}'" for word in words)
        return subprocess.call(["unshare", "-Urm", "sh", "-c", command])


def main() -> int:
    """Stop all commands from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("how", choices=["kill", "full"], nargs="?", default="kill")
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--commands", nargs="*", default=[])
    parser.add_argument("--disk", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.how == "full" and given.disk is None:
        return start_on_small_disk()
    with tempfile.TemporaryDirectory(dir=given.disk) as temporary:
        bad = stop_all(
            Path(temporary),
            given.how,
            names=given.commands,
            times=given.times,
            seed=given.seed,
        )
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
