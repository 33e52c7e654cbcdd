"""Mutated files and argument lists: the command line answers each in a sentence.

    python tests/fuzz/hostile_commands.py 2000 --seed 0

Prints a count of how the commands ended, and every one that ended badly: with a
traceback, with an exit code other than 0, 2 and 130, or with a message too long.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

import pandas as pd

from isvmde.__main__ import main as isvmde

BAYES = ["--method", "sklearn.naive_bayes:GaussianNB"]
SECONDS = 60.0  # a command that takes longer hangs
LONGEST = 3 * 160  # signs of a message: three lines of a wide terminal

CELLS = [
    *("", "?", "inf", "-inf", "1e400", "nan", "NaN", "1e308", "-1e308", "1e-320"),
    *("1,5", "1.234.567,8", "12%", "<5", "2020-13-45", "31.02.2020", "TRUE", "None"),
    *('"', "'", '""', "a;b", "a,b", "a\nb", "a\tb", "=1+1", "#REF!", "\x00", "0x1F"),
    *("ß", "日本", "💥", "x" * 40_000, "9" * 400, "-", "--help", "[]", "{}", "\\"),
]
NAMES = ["", " ", "age", "kind", "Unnamed: 0", "a,b", "x" * 3000, '"', "é", "\n", "0"]
WORDS = [
    *("", "-", "--", "0", "-1", "1", "3", "1e9", "nan", "inf", "kind", "age"),
    *("marker,age", "nowhere.csv", ".", "/", "/dev/null", "x" * 3000, "\x00", "é💥"),
    *("glass", "a=1,b=2", "balanced", "training", "g_mean", "SVM", "i-SVM-LOO"),
    *("i-SVM-DE", "os:getcwd", ":", "utf-8", "utf-16", "latin-1", "klingon", "tab"),
    *(";", ",", ".", "Sheet1", "ave", "max"),
]
OPTIONS = [
    *("--target", "-o", "--method", "--prior", "--scoring", "--drop", "--features"),
    *("--numeric", "--nominal", "--sep", "--decimal", "--encoding", "--sheet", "--pop"),
    *("--iter", "--fitness", "--search", "--time-limit", "--checkpoint", "--seed"),
    *("--jobs", "--json", "--proba", "--keep", "--row", "--top", "--trust", "--help"),
]
COMMANDS = ["fit", "predict", "explain", "inspect", "datasets", "report", "frobnicate"]


def make_table(rng: random.Random) -> pd.DataFrame:
    """Return a small table with the columns people have."""
    n = rng.choice([4, 15, 40, 40])
    kind = [rng.choice(["well", "ill", "rare"]) for _ in range(n)]
    return pd.DataFrame(
        {
            "patient_id": [f"P{i:03}" for i in range(n)],
            "marker": [round(rng.gauss(len(k), 1), 2) for k in kind],
            "age": [rng.randrange(20, 80) for _ in range(n)],
            "sex": [rng.choice("fm") for _ in range(n)],
            "day": [f"{rng.randrange(1, 29):02}.03.202{i % 4}" for i in range(n)],
            "kind": kind,
        }
    )


def mutate_table(table: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    """Return a table with odd cells, names, rows or columns."""
    table = table.astype(object)
    for _ in range(rng.choice([0, 1, 1, 2, 3])):
        row, column = rng.randrange(len(table)), rng.randrange(table.shape[1])
        how = rng.randrange(7)
        if how <= 2:
            table.iloc[row, column] = rng.choice(CELLS)
        elif how == 3:
            names = list(table.columns)
            names[column] = rng.choice(NAMES)
            table.columns = names
        elif how == 4:
            table.isetitem(column, rng.choice(CELLS))
        elif how == 5 and table.shape[1] > 1:
            keep = [i for i in range(table.shape[1]) if i != column]
            table = table.iloc[:, keep]
        elif how == 6:
            table = table.iloc[: max(1, row)]
    return table


def write_table(table: pd.DataFrame, rng: random.Random) -> tuple[str, bytes]:
    """Return a file's name and content in some format."""
    kind = rng.choice(["csv", "csv", "csv", "csv", "txt", "xlsx", "parquet", "csv.gz"])
    if kind == "xlsx":
        buffer = io.BytesIO()
        # signs that Excel does not allow, and cells too long for it
        with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
            table.to_excel(buffer, index=False)
        return "data.xlsx", buffer.getvalue()
    if kind == "parquet":
        buffer = io.BytesIO()
        with contextlib.suppress(Exception):  # columns of mixed types
            table.to_parquet(buffer)
        return "data.parquet", buffer.getvalue()
    text = table.to_csv(
        index=rng.random() < 0.1,
        header=rng.random() < 0.95,
        sep=rng.choice(",,;\t|"),
        decimal=rng.choice("..,"),
    )
    content = text.encode(rng.choice(["utf-8", "utf-8-sig", "utf-16"]), "replace")
    if rng.random() < 0.2:
        content = text.encode("cp1252", "replace")
    return f"data.{kind}", gzip.compress(content) if kind == "csv.gz" else content


def mutate_bytes(content: bytes, rng: random.Random) -> bytes:
    """Return content with a part cut off, turned over, put in or taken twice."""
    how = rng.randrange(18)
    if how > 4 or not content:
        return content
    place = rng.randrange(len(content))
    end = min(len(content), place + rng.randrange(1, 200))
    junk = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 30)))
    return [
        content[:place],
        content[:place] + junk + content[end:],
        content[:place] + junk + content[place:],
        content[:end] + content[place:],
        b"\n" * rng.randrange(5) + content.replace(b"\n", b"\r"),
    ][how]


def make_words(data: str, rng: random.Random) -> list[str]:
    """Return the arguments of a command, mutated in one case of three."""
    command = rng.choice(["fit", "fit", "fit", "predict", "predict", "explain"])
    words = {
        "fit": ["fit", data, "--target", "kind", "-o", "m.skops", *BAYES],
        "predict": ["predict", "model.skops", data],
        "explain": ["explain", "cv.skops", data, "--row", "1"],
    }[command]
    if rng.random() < 0.1:
        words[words.index(data)] = "-"
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        how = rng.randrange(5)
        place = rng.randrange(1, len(words) + 1)
        if how == 0:
            words[place:place] = [rng.choice(OPTIONS), rng.choice(WORDS)]
        elif how == 1:
            words.insert(place, rng.choice(WORDS))
        elif how == 2:
            words.insert(place, rng.choice(OPTIONS))
        elif how == 3 and len(words) > 1:
            del words[min(place, len(words) - 1)]
        elif how == 4:
            words[0] = rng.choice(COMMANDS)
    # trained slowly, on a table that is not the one under test
    if "i-SVM-DE" in words and "--iter" not in words:
        words += ["--iter", "1", "--pop", "5"]
    return words


def run(words: list[str], given: bytes) -> tuple[object, str, str]:
    """Run a command in this process; return how it ended and what it printed."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given))
    code: object
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = isvmde(words)
    except BaseException:
        code = traceback.format_exc()
    finally:
        sys.stdin = before
    return code, out.getvalue(), err.getvalue()


def complaint(code: object, out: str, err: str, seconds: float) -> str | None:
    """Return what is bad about the end of a command, or None."""
    if code not in (0, 2, 130):
        return f"ended with {code}"
    if "Traceback" in err or "Traceback" in out:
        return "a traceback was printed"
    lines = err.splitlines()
    if any(len(line) > LONGEST for line in lines):
        return f"a message of {max(map(len, lines))} signs"
    # a command that did its work may report below its message
    said = lines[:1] if code == 0 else lines
    if any(not line.startswith("isvmde: ") for line in said):
        return "a message of more than one line, or of another library"
    if code == 2 and not err:
        return "refused without a word"
    return f"took {seconds:.0f} s" if seconds > SECONDS else None


def prepare() -> None:
    """Train the models that the commands use, in the current folder."""
    table = make_table(random.Random(1))
    table = pd.concat([table, make_table(random.Random(2))], ignore_index=True)
    table.to_csv("training.csv", index=False)
    for name, method in (("model", BAYES), ("cv", [])):
        code, _, err = run(["fit", "training.csv", "-o", f"{name}.skops", *method], b"")
        assert code == 0, err


def drive(count: int, seed: int) -> tuple[Counter[object], list[str]]:
    """Run mutated commands in a folder of their own; return ends and complaints."""
    ends: Counter[object] = Counter()
    bad = []
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            prepare()
            for number in range(count):
                rng = random.Random(f"{seed}/{number}")
                table = mutate_table(make_table(rng), rng)
                name, content = write_table(table, rng)
                content = mutate_bytes(content, rng)
                Path(name).write_bytes(content)
                words = make_words(name, rng)
                started = time.monotonic()
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    code, out, err = run(words, content)
                ends[code if isinstance(code, int) else "error"] += 1
                found = complaint(code, out, err, time.monotonic() - started)
                if found:
                    shown = [word[:40] for word in words]
                    bad.append(f"{seed}/{number} {shown}: {found}\n{err[-600:]}")
        finally:
            os.chdir(before)
    return ends, bad


def main() -> int:
    """Run the driver from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", type=int, nargs="?", default=2000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    ends, bad = drive(arguments.count, arguments.seed)
    print(dict(ends))
    print(*bad, sep="\n\n")
    return min(len(bad), 1)


if __name__ == "__main__":
    sys.exit(main())
