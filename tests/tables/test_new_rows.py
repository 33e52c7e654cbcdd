"""New rows, often a single one, are read as the training table was."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from isvmde.tables import TableError, read_table
from isvmde.tables.notation import DecimalSigns

SEPARATORS = {".": ",", ",": ";"}


def written(table, decimal):
    """Return columns of numbers as text with 3 decimals, or with grouped thousands."""
    swap = str.maketrans(",.", ".,") if decimal == "," else {}
    texts = table.apply(
        lambda column: [
            (f"{x:,.0f}" if column.name == "steps" else f"{x:.3f}").translate(swap)
            for x in column
        ]
    )
    return texts.assign(sensor=[f"{x:.3f}" for x in table["sensor"]])


def file_of(texts, decimal):
    sep = SEPARATORS[decimal]
    return io.BytesIO(texts.to_csv(index=False, sep=sep).encode())


@pytest.fixture
def table():
    rng = np.random.default_rng(5)
    return pd.DataFrame(
        {
            "steps": np.round(np.exp(rng.normal(8.5, 1, 40))) + 1000,
            "level": rng.uniform(0, 4, 40).round(3),
            "share": rng.uniform(0, 2, 40).round(3),
            "sensor": rng.uniform(0, 9, 40).round(3),  # a device writes points
        }
    )


@pytest.mark.parametrize("decimal", [".", ","])
def test_every_row_alone_is_read_as_in_the_table(table, decimal):
    texts = written(table, decimal)
    training = read_table(file_of(texts, decimal))
    pd.testing.assert_frame_equal(training, table, check_dtype=False)
    signs = json.loads(json.dumps(training.attrs["decimal_signs"]))
    for row in range(len(table)):
        alone = read_table(
            file_of(texts.iloc[[row]], decimal), decimal_signs=signs
        )  # warnings are errors: nothing is in doubt
        assert alone.iloc[0].tolist() == table.iloc[row].tolist()


def test_new_rows_may_come_from_another_country(table):
    signs = read_table(file_of(written(table, "."), ".")).attrs["decimal_signs"]
    other = read_table(file_of(written(table, ","), ","), decimal_signs=signs)
    pd.testing.assert_frame_equal(other, table, check_dtype=False)


def test_a_column_in_doubt_is_read_in_the_same_way():
    """In doubt, the cells of the training table decided."""
    grouped = b"steps;n\n" + b"7,591;1\n330;2\n1,200;3\n4,100;4\n5,900;5\n2,300;6\n"
    with pytest.warns(UserWarning, match="'7,591' is read as 7591; if it means 7.591"):
        training = read_table(io.BytesIO(grouped))
    signs = training.attrs["decimal_signs"]
    alone = read_table(io.BytesIO(b"steps;n\n7,591;1\n"), decimal_signs=signs)
    assert alone["steps"].tolist() == [7591]


@pytest.mark.parametrize(
    "record",
    [{}, {"of_file": ";", "of_columns": {}}, {"of_file": ".", "of_columns": 3}],
)
def test_records_that_are_not_of_signs(record):
    with pytest.raises(ValueError, match="does not hold decimal signs"):
        DecimalSigns.from_record(record)


def test_attributes_can_be_written_to_parquet(table, tmp_path):
    read = read_table(file_of(written(table, ","), ","))
    read.to_parquet(tmp_path / "t.parquet")


def test_a_wrong_record_is_refused_with_one_sentence():
    with pytest.raises((TableError, ValueError), match="decimal signs"):
        read_table(io.BytesIO(b"a;b\n1;2\n"), decimal_signs={"of_file": 3})
