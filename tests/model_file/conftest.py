"""Model files to change, and what changes them."""

import json
import zipfile

import pytest

from isvmde.model_file import ModelFileError, load_model


@pytest.fixture
def rewrite():
    """Return a function that lets another change the parts of a model file."""

    def rewritten(path, change, compression=zipfile.ZIP_STORED):
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        change(parts)
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, content in parts.items():
                archive.writestr(name, content)

    return rewritten


@pytest.fixture
def redescribe(rewrite):
    """Return a function that lets another change the description in a model file."""

    def redescribed(path, change):
        def change_description(parts):
            description = json.loads(parts["isvmde.json"])
            change(description)
            parts["isvmde.json"] = json.dumps(description).encode()

        rewrite(path, change_description)

    return redescribed


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.skops"


@pytest.fixture
def refused(path):
    """Return a function that says why the file is refused."""

    def reason():
        with pytest.raises(ModelFileError) as error:
            load_model(path)
        assert "\n" not in str(error.value)
        return str(error.value)

    return reason
