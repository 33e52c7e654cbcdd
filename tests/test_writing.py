"""Files are whole, old or absent."""

import os
import stat
import subprocess
import sys
import textwrap

import pytest

from isvmde.writing import replacing, write_file


def test_a_file_is_written_and_nothing_is_left_beside_it(tmp_path):
    write_file(tmp_path / "a.txt", "é")
    write_file(tmp_path / "a.txt", b"new")
    assert (tmp_path / "a.txt").read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, OSError])
def test_an_interrupted_file_is_the_old_one(tmp_path, error):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write_half():
        with replacing(path) as partial:
            partial.write_text("ne")
            raise error("half way")

    with pytest.raises(error):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_the_old_file_and_is_one_sentence(tmp_path):
    """A limit on file sizes stands in for the disk's end."""
    pytest.importorskip("resource", reason="no file size limits on this system")
    path = tmp_path / "a.txt"
    path.write_text("old")
    code = f"""
        import resource
        from isvmde.writing import write_file
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        try:
            write_file({str(path)!r}, "a" * 20_000)
        except OSError as error:
            print(error)
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True
    )
    assert run.stdout == (
        f"{path} could not be written (File too large); what was there before is "
        "unchanged\n"
    )
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_stays_and_its_file_changes(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "folder" / "a.txt")
    write_file(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "a.txt").read_text() == "new"


@pytest.mark.skipif(os.name == "nt", reason="modes are not those of Windows")
def test_a_private_file_stays_private(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o600)
    write_file(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices as files")
def test_a_device_is_written_to_and_not_replaced():
    write_file("/dev/null", "new")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
