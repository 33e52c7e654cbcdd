"""The program that measures how costs grow: tables, exponents, the page."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import growth


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_that_of_a_power(power):
    values = np.array([5.0, 20.0, 100.0, 2_000.0])
    assert growth.exponent(values, 0.3 * values**power) == pytest.approx(power)


@pytest.mark.parametrize(
    "size", [growth.Size(rows=300), growth.Size(classes=20), growth.Size(columns=2)]
)
def test_tables_have_their_size(size):
    X, y, X_new = growth.make_table(size)
    assert X.shape == (size.rows, size.columns)
    assert X_new.shape == (growth.PREDICTED, size.columns)
    assert len(np.unique(y)) == size.classes


def test_a_process_of_its_own_measures_one_table():
    found = growth.measure(growth.Size(rows=60, columns=3))
    assert set(found) == {"fit", "predict", "memory"}
    assert 0.0 < found["fit"] < 60.0


def test_the_page_gets_its_part_and_keeps_the_rest(tmp_path, monkeypatch):
    page = tmp_path / "speed.md"
    page.write_text("before\n" + "\nold\n".join(growth.MARKS) + "\nafter\n")
    for name, path in (("PAGE", page), ("TABLE", "t.csv"), ("FIGURE", "f.svg")):
        monkeypatch.setattr(growth, name, tmp_path / path)
    rows = [
        {"direction": d.name, "value": v, "fit": v**2, "predict": v, "memory": 3.0}
        for d in growth.DIRECTIONS
        for v in d.values
    ]
    growth.write(pd.DataFrame(rows))
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "| rows, 500 to 4,000 | 2.0 | 1.0 | 0.0 |" in text
    assert "| columns, 5 to 2,000 | 2.0 | 1.0 | 0.0 |" in text
    assert (tmp_path / "f.svg").read_bytes().startswith(b"<?xml")
    assert len(pd.read_csv(tmp_path / "t.csv")) == len(rows)
