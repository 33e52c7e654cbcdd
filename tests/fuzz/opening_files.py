"""Opens model files that it is told of, and says what came of each: a child process.

It reads a path and a flag (may the file hold a box?) per line, and answers in a line of
JSON. What Python opens, runs or connects to meanwhile is watched by an audit hook.
"""

import contextlib
import io
import json
import resource
import sys
import time
import traceback
import warnings
from pathlib import Path

from isvmde.cli import run
from isvmde.model_file import ModelFileError, load_model

TOO_SLOW = 10.0  # seconds of computing
MEMORY = 8 * 2**30  # bytes of address space
FOREIGN = {
    *("os.system", "os.exec", "os.fork", "os.posix_spawn", "subprocess.Popen"),
    *("socket.connect", "os.remove", "os.rename", "os.mkdir", "ctypes.dlopen"),
    *("pickle.find_class", "shutil.rmtree", "urllib.Request", "os.chmod"),
}
_OWN_CODE = (".py", ".pyc", ".so", ".typed")
_seen: list[tuple[str, str]] = []
_watching = [False]


def _watch(event: str, arguments: tuple) -> None:
    if _watching[0] and event in FOREIGN:
        _seen.append((event, str(arguments[:1])[:80]))
    elif _watching[0] and event == "open" and not isinstance(arguments[0], int):
        _seen.append((event, str(arguments[0])))


def _foreign(allowed: set[str]) -> list[str]:
    """Return what was done that should not be, but for Python's own imports."""
    return sorted(
        {
            f"{event} {what}"
            for event, what in _seen
            if event != "open" or (what not in allowed and not what.endswith(_OWN_CODE))
        }
    )


def _command(arguments: list[str]) -> str | None:
    """Run a command; return what is bad about how it ended."""
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(arguments)
    except Exception:
        return f"! {arguments[0]}: " + traceback.format_exc()[-1500:]
    said = err.getvalue()
    if code not in (0, 2):
        return f"! {arguments[0]}: exit code {code}"
    if code == 2 and (said.count("\n") != 1 or len(said) > 1200):
        return f"! {arguments[0]} said: {said[:500]}"
    if "Warning" in said or said.count("\n") > 12:
        return f"! {arguments[0]} said: {said[:500]}"
    return None


def _open(path: str, rows: str) -> str:
    """Open a file in every way; return what came of it, a finding with a '!'."""
    commands = [["inspect", path], ["inspect", path, "--json"]]
    outcome = "refused"
    try:
        model = load_model(path)
        outcome = "loaded"
        commands.append(["predict", path, rows, "--proba"])
        commands.append(["explain", path, rows, "--row", "2"])
        del model
    except ModelFileError as error:
        if "\n" in str(error) or len(str(error)) > 1000:
            return f"! long message: {str(error)[:200]}"
    except BaseException:
        return "! load: " + traceback.format_exc()[-1500:]
    if _foreign({path}):
        return f"! load did {_foreign({path})[:3]}"
    for command in commands:
        found = _command(command)
        if found:
            return found
    if _foreign({path, rows}):
        return f"! a command did {_foreign({path, rows})[:3]}"
    return outcome


def main() -> None:
    """Answer until there are no more lines."""
    rows, warm, answers = sys.argv[1], sys.argv[2], sys.stdout
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for path in sorted(Path(warm).glob("*.skops")):  # imports what there is to import
        _open(str(path), rows)
    sys.addaudithook(_watch)
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        path = line.rstrip("\n")
        _seen.clear()
        began = time.process_time()
        _watching[0] = True
        outcome = _open(path, rows)
        _watching[0] = False
        seconds = time.process_time() - began
        if seconds > TOO_SLOW and not outcome.startswith("!"):
            outcome = f"! {seconds:.0f} s"
        answers.write(json.dumps([outcome, seconds]) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
