"""Fetch one file over HTTP: with a timeout, resumable, atomic, checked."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import urlsplit

CHUNK = 1 << 16
# The files are below 100 kB; an answer beyond this is not one of them.
MAX_BYTES = 64 << 20
ATTEMPTS = 3  # per address, each going on where the last one broke off

Progress = Callable[[int, int | None], None]


class DownloadError(OSError):
    """A download that did not succeed; the message says why and what to do.

    Examples
    --------
    >>> issubclass(DownloadError, OSError)
    True
    """


class _BrokenOffError(Exception):
    """The connection ended before the file did."""


def download_file(
    urls: Sequence[str],
    path: Path,
    *,
    check: Callable[[bytes], object],
    page: str,
    timeout: float = 30.0,
    progress: Progress | None = None,
) -> None:
    """Fetch a file from the first address that has it.

    An address that ends in .zip gives an archive with the file inside. `check` gets
    the contents and raises ValueError when they are wrong; only after it returned does
    the file get its name. What a broken download has brought so far is
    kept beside it as ``.NAME.part`` for the next attempt.
    """
    created = _make_folder(path.parent)
    problems = []
    try:
        for url in urls:
            try:
                return _fetch_checked(url, path, check, timeout, progress)
            except DownloadError as problem:
                problems.append(str(problem))
    finally:
        for folder in created:  # the innermost first; fails when it holds something
            with contextlib.suppress(OSError):
                folder.rmdir()
    raise DownloadError(
        f"{path.name} could not be downloaded ({'; '.join(problems)}): try again, or "
        f"get it from {page} and put it into {path.parent}."
    )


def _make_folder(folder: Path) -> list[Path]:
    """Make a folder with its parents; return those that were not there."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing


def _fetch_checked(
    url: str,
    path: Path,
    check: Callable[[bytes], object],
    timeout: float,
    progress: Progress | None,
) -> None:
    """Fetch from one address, check, and put the file in place."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise DownloadError(f"{url} is not an http address")
    zipped = urlsplit(url).path.endswith(".zip")
    part = path.with_name(f".{path.name}{'.zip' if zipped else ''}.part")
    while True:
        resumed = part.exists() and part.stat().st_size > 0
        _fetch_whole(url, part, timeout, progress)
        try:
            _put_in_place(part, path, check, zipped=zipped)
            return
        except ValueError as problem:
            part.unlink(missing_ok=True)
            if resumed:  # the beginning may have been of another version
                continue
            raise DownloadError(f"{url}: unexpected contents, {problem}") from problem


def _fetch_whole(
    url: str, part: Path, timeout: float, progress: Progress | None
) -> None:
    """Bring a partial file to its full length, in several attempts."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _fetch_rest(url, part, timeout, progress)
        except urllib.error.HTTPError as problem:
            problem.close()
            if problem.code == 416 and part.exists():  # longer than the file itself
                part.unlink()
                continue
            raise DownloadError(f"{url}: {problem.code} {problem.reason}") from None
        except (_BrokenOffError, http.client.HTTPException, OSError) as problem:
            if isinstance(problem, DownloadError):
                raise
            if attempt == ATTEMPTS:
                size = part.stat().st_size if part.exists() else 0
                reason = getattr(problem, "reason", None) or problem
                raise DownloadError(
                    f"{url}: {reason or type(problem).__name__} after {size} bytes"
                ) from problem
    raise DownloadError(f"{url}: the server refuses every part of the file")


def _fetch_rest(
    url: str, part: Path, timeout: float, progress: Progress | None
) -> None:
    """Ask for what is missing from a partial file and append it."""
    have = part.stat().st_size if part.exists() else 0
    headers = {"User-Agent": "isvmde", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=timeout) as response:
        length = response.headers.get("Content-Length")
        left = int(length) if length and length.isdecimal() else None
        if have and not _continues(response, have):
            have = 0  # the whole file comes, or not the part that was asked for
            if response.status == 206:
                part.unlink()
                raise _BrokenOffError("the server sent another part")
        total = None if left is None else have + left
        if (total or 0) > MAX_BYTES:
            raise DownloadError(f"{url}: {total} bytes are too many to be the file")
        with part.open("ab" if have else "wb") as file:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                have += len(chunk)
                if have > MAX_BYTES:
                    file.truncate(0)
                    raise DownloadError(f"{url}: the answer does not end")
                if progress is not None:
                    progress(have, total)
    if total is not None and have < total:
        raise _BrokenOffError("the connection broke off")


def _continues(response: http.client.HTTPResponse, have: int) -> bool:
    """Say whether an answer starts at the byte that was asked for."""
    content_range = response.headers.get("Content-Range", "")
    match = re.match(r"bytes (\d+)-", content_range)
    return response.status == 206 and match is not None and int(match[1]) == have


def _put_in_place(
    part: Path, path: Path, check: Callable[[bytes], object], *, zipped: bool
) -> None:
    """Check what was fetched and give it its name, all or nothing."""
    content = _unzip(part, path.name) if zipped else part.read_bytes()
    check(content)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(0o644)  # mkstemp's is for the owner alone
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    part.unlink(missing_ok=True)


def _unzip(archive: Path, wanted: str) -> bytes:
    """Return the wanted file of an archive."""
    try:
        with zipfile.ZipFile(archive) as file:
            for member in file.infolist():
                if PurePosixPath(member.filename).name.lower() == wanted.lower():
                    if member.file_size > MAX_BYTES:
                        raise ValueError(f"{wanted} in the archive is too large")
                    return file.read(member)
    # zlib.error, NotImplementedError, RuntimeError (encrypted), struct.error ...
    except Exception as problem:
        raise ValueError(f"a damaged archive: {problem}") from problem
    raise ValueError(f"no {wanted} in the archive")
