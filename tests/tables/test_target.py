"""The classes of a table: no class and no row is lost in silence."""

import numpy as np
import pandas as pd
import pytest

from isvmde.tables import TableError, split_target


def table(y, **columns):
    return pd.DataFrame({"x": np.arange(len(y)) / 3, **columns, "y": y})


@pytest.mark.parametrize(
    ("values", "classes"),
    [
        (["a", "b ", " a"], ["a", "b", "a"]),
        ([3, 1, 3], [3, 1, 3]),
        ([3.0, 1.0, 3.0], [3, 1, 3]),
        ([0.5, 1.5, 0.5], ["0.5", "1.5", "0.5"]),
        ([True, False, True], ["True", "False", "True"]),
        (pd.Categorical(["a", "b", "a"]), ["a", "b", "a"]),
        ([1, "b", 1.0], ["1", "b", "1"]),
    ],
)
def test_classes_are_whole_numbers_or_text(values, classes):
    X, y = split_target(table(values), "y")
    assert y.tolist() == classes
    assert y.dtype.kind in "iU"
    assert list(X) == ["x"]


def test_the_target_is_the_last_column_unless_told():
    given = table(["a", "b"], z=["c", "d"])
    assert split_target(given)[1].tolist() == ["a", "b"]
    given.attrs["target"] = "z"  # as a KEEL file declares it
    assert split_target(given)[1].tolist() == ["c", "d"]
    assert split_target(given, "Y ")[1].tolist() == ["a", "b"]


@pytest.mark.parametrize("values", [["a", None, "b", "?"], [1.0, np.nan, 2.0, np.nan]])
def test_rows_without_a_class_are_counted(values):
    with pytest.warns(UserWarning, match="2 of 4 rows have no class in column 'y'"):
        X, y = split_target(table(values))
    assert X.index.tolist() == [0, 2]  # rows of the file
    assert len(set(y)) == 2


def test_marks_are_named_with_their_counts_and_may_be_classes():
    given = table(["NA", "-", "-", "ill", "well", None])
    with pytest.warns(UserWarning, match="'-' 2, 'NA' 1, empty 1.*add --keep-marks"):
        _, y = split_target(given)
    assert y.tolist() == ["ill", "well"]
    with pytest.warns(
        UserWarning, match=r"1 of 6 rows .* \(empty 1\) and are left out$"
    ):
        _, y = split_target(given, keep_marks=True)
    assert y.tolist() == ["NA", "-", "-", "ill", "well"]


def test_other_marks_of_a_missing_class():
    given = table([1, 2, 1, -9, 2])
    with pytest.warns(UserWarning, match=r"1 of 5 rows .*'-9' 1"):
        _, y = split_target(given, missing=["-9"])
    assert y.tolist() == [1, 2, 1, 2]


def test_labels_that_are_one_number_stay_two_classes():
    with pytest.warns(UserWarning, match="are the same number.*'1', '01'"):
        _, y = split_target(table(["01", "1", "2", "1"]))
    assert y.tolist() == ["01", "1", "2", "1"]


def test_spellings_of_a_class_are_merged_when_asked():
    given = table(["Ill", "ill ", "well", "ILL", "Ill"])
    with pytest.warns(UserWarning, match="merged: 'ill' as 'Ill', 'ILL' as 'Ill'"):
        _, y = split_target(given, merge_labels=True)
    assert y.tolist() == ["Ill", "Ill", "well", "Ill", "Ill"]


def test_classes_that_look_alike_are_pointed_out_and_merged():
    """An accent may be a sign of its own; a blank may have no width."""
    given = table(["h\u00e9patite", "he\u0301patite", "well", "well\u200b"])
    with pytest.warns(UserWarning, match="invisible signs") as caught:
        _, y = split_target(given)
    assert len(set(y)) == 4
    assert len(caught) == 2
    with pytest.warns(UserWarning, match="are merged"):
        _, y = split_target(given, merge_labels=True)
    assert len(set(y)) == 2


def test_long_numbers_are_compared_digit_by_digit():
    long = 12345678901234567890
    _, y = split_target(table([str(long), str(long + 1)] * 2))  # without a warning
    assert len(set(y)) == 2


def test_capitals_are_pointed_out():
    with pytest.warns(UserWarning, match="differ only in capitals, blanks.*'Ill'"):
        _, y = split_target(table(["ill", "ill", "Ill", "well"]))
    assert len(set(y)) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (table(["a", "a"]), "holds only one class, 'a'"),
        (table([None, "?"]), r"no class \('\?' 1, empty 1\); if .* add --keep-marks"),
        (table(np.arange(50) % 50), "50 different numbers in 50 rows"),
        (table(np.tile(np.arange(50), 4)), "50 different numbers in 200 rows"),
        (table(np.linspace(0, 1, 210)), "look like measurements"),
        (table([f"{i}.5" for i in range(30)]), "look like measurements"),
        (table([f"name {i}" for i in range(60)]), "look like names"),
        (table(["a", "b"], **{"y (2)": [1, 2]}), "more than one column is named 'y'"),
        (pd.DataFrame({"y": ["a", "b"]}), "no column besides 'y'"),
    ],
)
def test_columns_that_hold_no_classes(given, message):
    with pytest.raises(TableError, match=message):
        split_target(given, "y")


def test_many_classes_with_many_rows_are_classes():
    assert len(set(split_target(table(np.tile(np.arange(26), 30)))[1])) == 26


def test_a_name_that_is_not_there():
    given = table(["a", "b"], diagnosis=[1, 2])
    with pytest.raises(TableError, match="no column 'diagnose'; did you mean 'diagno"):
        split_target(given, "diagnose")
    with pytest.raises(TableError, match="it has 'x', 'diagnosis', 'y'"):
        split_target(given, "zzzz")
    with pytest.raises(TableError) as refusal:
        split_target(given, "z" * 3000)
    assert len(str(refusal.value)) < 200
