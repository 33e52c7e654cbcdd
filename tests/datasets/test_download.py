"""Downloading over HTTP on loopback: broken off, mangled, foreign, and right."""

import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from isvmde.datasets import DownloadError, download_dataset, load_dataset
from isvmde.datasets.fetch import download_file

FILES = {"shuttle": "shuttle.dat", "thyroid": "thyroid.dat", "hcv": "hcvdat0.csv"}
CONTENT = bytes(range(256)) * 1000  # 256 kB, several chunks


class Server(ThreadingHTTPServer):
    """Serves `files`; `cut` bytes are sent before the connection is dropped."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.files = {}
        self.cuts = []  # per request, None for a whole answer
        self.ranges = True
        self.lengths = True
        self.delay = threading.Event()
        self.seen = []  # the Range header of every request

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request, client_address):
        """Clients that go away are part of the tests."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.seen.append(wanted)
        body = server.files.get(self.path.lstrip("/"))
        if body is None:
            return self.send_error(404)
        if body == "silence":
            server.delay.wait(5)
            return None
        start = int(wanted[len("bytes=") : -1]) if wanted and server.ranges else 0
        if start >= len(body):
            return self.send_error(416)
        self.send_response(206 if start else 200)
        if start:
            size = len(body)
            self.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
        if server.lengths:
            self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        cut = server.cuts.pop(0) if server.cuts else None
        self.wfile.write(body[start:] if cut is None else body[start : start + cut])
        return None

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.delay.set()
        server.shutdown()
        thread.join()


def is_content(content):
    if content != CONTENT:
        raise ValueError("other bytes")


def fetch(server, home, name="file.bin", **options):
    download_file(
        [f"{server.url}/{name}"],
        home / "file.bin",
        check=is_content,
        page="https://example.org",
        **options,
    )


def test_a_whole_file_with_progress(server, home, contents):
    server.files["file.bin"] = CONTENT
    seen = []
    fetch(server, home, progress=lambda *numbers: seen.append(numbers))
    assert contents(home) == {"file.bin": CONTENT}
    assert seen[-1] == (len(CONTENT), len(CONTENT))
    assert [n for n, _ in seen] == sorted(n for n, _ in seen)
    assert len(seen) > 2


def test_a_broken_download_goes_on_by_itself(server, home, contents):
    server.files["file.bin"] = CONTENT
    server.cuts = [100_000, 50_000]
    fetch(server, home)
    assert contents(home) == {"file.bin": CONTENT}
    assert server.seen == [None, "bytes=100000-", "bytes=150000-"]


@pytest.mark.parametrize("ranges", [True, False])
def test_a_given_up_download_is_resumed_or_begun_again(server, home, contents, ranges):
    server.files["file.bin"] = CONTENT
    server.ranges = ranges
    server.cuts = [1000, 1000, 1000]
    with pytest.raises(DownloadError, match=r"after \d+ bytes.*https://example.org"):
        fetch(server, home)
    assert not (home / "file.bin").exists()  # never a half file under the right name
    part = home / ".file.bin.part"
    assert part.read_bytes() == CONTENT[: 3000 if ranges else 1000]
    fetch(server, home)
    assert contents(home) == {"file.bin": CONTENT}


@pytest.mark.parametrize(
    "part",
    [
        b"another version" * 10,  # a beginning that does not fit
        CONTENT + b"more",  # longer than the file
        CONTENT,  # complete, but the program was killed before the check
        b"",
    ],
)
def test_whatever_a_former_download_left(server, home, contents, part):
    server.files["file.bin"] = CONTENT
    (home / ".file.bin.part").write_bytes(part)
    fetch(server, home)
    assert contents(home) == {"file.bin": CONTENT}


def test_a_server_that_tells_no_length(server, home, contents):
    server.files["file.bin"] = CONTENT
    server.lengths = False
    server.cuts = [1000]  # looks like a complete short file
    with pytest.raises(DownloadError, match="unexpected contents, other bytes"):
        fetch(server, home)
    assert contents(home) == {}
    fetch(server, home)
    assert contents(home) == {"file.bin": CONTENT}


def test_foreign_contents_leave_nothing(server, home, contents):
    server.files["file.bin"] = b"<html>Please log in</html>"
    with pytest.raises(DownloadError, match="unexpected contents"):
        fetch(server, home)
    assert contents(home) == {}


def test_a_missing_file_and_a_dead_server_leave_nothing(server, tmp_path):
    with pytest.raises(DownloadError, match="404"):
        fetch(server, tmp_path / "new" / "home")
    with pytest.raises(DownloadError, match=r"could not be downloaded"):
        download_file(
            ["http://127.0.0.1:9/file.bin", "file:///etc/hostname"],
            tmp_path / "new" / "home" / "file.bin",
            check=is_content,
            page="https://example.org",
        )
    assert not (tmp_path / "new").exists()


def test_a_silent_server_is_given_up(server, home):
    server.files["file.bin"] = "silence"
    with pytest.raises(DownloadError, match="timed out"):
        fetch(server, home, timeout=0.05)


def test_the_next_address_is_tried(server, home, contents):
    server.files["b/file.bin"] = CONTENT
    download_file(
        [f"{server.url}/a/file.bin", f"{server.url}/b/file.bin"],
        home / "file.bin",
        check=is_content,
        page="https://example.org",
    )
    assert contents(home) == {"file.bin": CONTENT}


def zipped(name, content):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "not this one")
        archive.writestr(name, content)
    return buffer.getvalue()


def test_archives(server, home, contents):
    whole = zipped("folder/FILE.bin", CONTENT)
    server.files["file.zip"] = whole
    fetch(server, home, "file.zip")
    assert contents(home) == {"file.bin": CONTENT}
    (home / "file.bin").unlink()
    for bad, message in [
        (zipped("other.bin", CONTENT), "no file.bin in the archive"),
        (whole[:-30], "damaged archive"),
        (whole[:200] + b"\0" * 50 + whole[250:], "unexpected contents"),
        (zipped("file.bin", b"other"), "other bytes"),
    ]:
        server.files["file.zip"] = bad
        with pytest.raises(DownloadError, match=message):
            fetch(server, home, "file.zip")
        assert contents(home) == {}


@pytest.mark.parametrize("name", FILES)
def test_the_three_data_sets(server, home, contents, originals, monkeypatch, name):
    filename = FILES[name]
    content = (originals / filename).read_bytes()
    server.files[f"data/{filename}"] = content
    monkeypatch.setenv("ISVMDE_MIRROR", f"{server.url}/data/")
    server.cuts = [20_000]
    bunch = load_dataset(name, data_home=home, download=True)
    assert len(bunch.data) == len(bunch.target)
    assert contents(home) == {filename: content}
    requests = len(server.seen)
    assert download_dataset(name, data_home=home) == home / filename
    load_dataset(name, data_home=home, download=True)
    assert len(server.seen) == requests  # it is here: no further request


@pytest.mark.parametrize("name", FILES)
def test_a_mirror_with_mangled_data(
    server, home, contents, originals, monkeypatch, name
):
    content = (originals / FILES[name]).read_bytes()
    monkeypatch.setenv("ISVMDE_MIRROR", server.url)
    for bad in (content[: len(content) // 2], content.replace(b"1", b"2", 1000), b"x"):
        server.files[FILES[name]] = bad
        with pytest.raises(DownloadError, match="unexpected contents"):
            load_dataset(name, data_home=home, download=True)
        assert contents(home) == {}


def test_progress_of_a_data_set(server, home, originals, monkeypatch):
    server.files["thyroid.dat"] = (originals / "thyroid.dat").read_bytes()
    monkeypatch.setenv("ISVMDE_MIRROR", server.url)
    seen = []
    download_dataset(
        "thyroid", data_home=home, progress=lambda *state: seen.append(state)
    )
    assert seen[-1] == ("thyroid", 66127, 66127)
