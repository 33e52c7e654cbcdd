import numpy as np
import pandas as pd
import pytest

from isvmde.__main__ import main


@pytest.fixture
def isvmde(capsys):
    """Run the command line in this process: isvmde("fit", ...) -> code, out, err."""

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def write_patients(path):
    """Write a small table of a user's own: numbers, text, a code, missing values."""
    rng = np.random.default_rng(0)
    diagnosis = np.repeat(["well", "ill", "rare"], [30, 12, 6])
    shift = pd.Series(diagnosis).map({"well": 0.0, "ill": 2.0, "rare": 4.0})
    table = pd.DataFrame(
        {
            "marker": rng.normal(shift, 0.7).round(3),
            "age": rng.integers(20, 80, len(diagnosis)),
            "sex": rng.choice(["f", "m"], len(diagnosis)),
            "ward": rng.integers(1, 4, len(diagnosis)),
            "diagnosis": diagnosis,
        }
    )
    table.loc[[3, 40], "marker"] = np.nan
    table.loc[7, "sex"] = None
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def patients(tmp_path):
    """Return the path of such a table."""
    return write_patients(tmp_path / "patients.csv")
