"""Mutated model files: `python tests/fuzz/hostile_files.py 10000 --seed 0`.

Files of many pipelines are changed in their description, their arrays, their bytes and
their archive. Each is loaded, used for predictions and inspected by the commands, in a
child process. It may work or be refused in one sentence. A finding is anything else:
a signal, more than ten seconds, a file opened that is not the model, another exception
than `ModelFileError`, a traceback.
"""

import argparse
import json
import random
import select
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from hostile_models import models, table
from hostile_mutations import mutant

from isvmde.cli.training_notes import TrainingNotes
from isvmde.model_file import ModelFileError, SavedModel, save_model

PATIENCE = 120.0  # seconds by the clock of a busy machine; the child counts its own


class Outcome(NamedTuple):
    """What was done to a file of a pipeline, and what came of it."""

    pipeline: str
    how: str
    result: str
    seconds: float

    @property
    def kind(self) -> str:
        """The result without its details."""
        return "finding" if self.result.startswith("!") else self.result


def write_originals(folder: Path, names: list[str] | None = None) -> dict[str, bytes]:
    """Write the files that are to be changed; those that need trust are trusted."""
    found = {}
    classes = {"a": 12, "b": 9, "c": 5}
    notes = TrainingNotes("i-SVM-LOO", "training.csv", 26, [3, 7], classes, 1.5)
    for name, model in models(names).items():
        path = folder / f"{name.replace(' ', '-')}.skops"
        saved = SavedModel(model, notes=notes.to_dict())
        try:
            save_model(saved, path)
            needs_trust = False
        except ModelFileError as error:
            save_model(saved, path, trusted=error.foreign)
            needs_trust = True
        if needs_trust != name.startswith("trusted"):
            raise AssertionError(f"{name}: needs trust is {needs_trust}")
        found[name] = path.read_bytes()
    return found


class Child:
    """A process that opens files, started again after a death."""

    def __init__(self, rows: Path, originals: Path) -> None:
        script = Path(__file__).with_name("opening_files.py")
        self._command = [sys.executable, str(script), str(rows), str(originals)]
        self._process: subprocess.Popen[str] | None = None

    def open(self, path: Path) -> tuple[str, float]:
        """Return what came of a file, and the seconds it took."""
        if self._process is None:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert self._answer(10 * PATIENCE) == "ready\n"
        assert self._process.stdin is not None
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        answer = self._answer(PATIENCE)
        if answer is None:
            self.close()
            return "! hangs", PATIENCE
        if not answer:
            code = self._process.wait()
            self.close()
            return f"! dies with {code}", 0.0
        outcome, seconds = json.loads(answer)
        return outcome, seconds

    def _answer(self, patience: float) -> str | None:
        """Return the next line of the child, None if there is none for too long."""
        assert self._process is not None
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], patience)
        return self._process.stdout.readline() if ready else None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def attack(
    count: int, seed: int, folder: Path, names: list[str] | None = None
) -> Iterator[Outcome]:
    """Yield what came of every changed file; findings stay in the folder."""
    originals, work = folder / "originals", folder / "changed"
    originals.mkdir()
    work.mkdir()
    rows = folder / "rows.csv"
    table()[0].to_csv(rows, index=False)
    files = write_originals(originals, names)
    child = Child(rows, originals)
    try:
        for number in range(count):
            rng = random.Random(f"{seed}/{number}")
            pipeline = list(files)[number % len(files)]
            other = rng.choice(list(files))
            content, how = mutant(files[pipeline], files[other], rng)
            path = work / f"{number}.skops"
            path.write_bytes(content)
            result, seconds = child.open(path)
            outcome = Outcome(pipeline, how, result, seconds)
            if outcome.kind != "finding":
                path.unlink()
            yield outcome
    finally:
        child.close()


def _print_counts(outcomes: list[Outcome]) -> None:
    """Print how many files were refused and loaded, by what was done to them."""
    kinds = ("refused", "loaded", "finding")
    counts: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        for what in set(outcome.how.replace(":", ": ").split(": ")[0].split()):
            counts[what, outcome.kind] += 1
        counts["all", outcome.kind] += 1
    print("| changed | files | refused | loaded | findings |")
    print("|---|---:|---:|---:|---:|")
    for what in sorted({what for what, _ in counts}):
        row = [counts[what, kind] for kind in kinds]
        print(f"| {what} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    slowest = max(outcome.seconds for outcome in outcomes)
    print(f"\n{len({outcome.pipeline for outcome in outcomes})} pipelines; the slowest")
    print(f"file took {slowest:.1f} s")


def main() -> int:
    """Attack, print every finding and a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, help="a new folder, for the findings")
    given = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if given.keep is not None:
            folder = given.keep
            folder.mkdir()
        for number, outcome in enumerate(attack(given.count, given.seed, folder)):
            outcomes.append(outcome)
            if outcome.kind == "finding":
                print(f"file {number}, {outcome.pipeline}, {outcome.how}")
                print(f"{outcome.result}\n", flush=True)
    _print_counts(outcomes)
    return int(any(outcome.kind == "finding" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
