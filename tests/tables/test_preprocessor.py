"""Columns as people have them become numbers, and the table of columns says how."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from isvmde.tables import (
    ColumnWarning,
    LeftOutWarning,
    TableError,
    TablePreprocessor,
)

N = 60
RNG = np.random.default_rng(0)
TEXT = "The patient came with {} and left after {} days in good health"


def frame(**columns):
    return pd.DataFrame(columns)


def judged(values, name="x", **options):
    """Return what a column is taken as, and the note."""
    table = pd.DataFrame({name: values, "other": np.arange(len(values)) % 7 / 7})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeftOutWarning)
        row = TablePreprocessor(**options).fit(table).columns_.loc[name]
    return row["taken as"], row["note"]


COLUMNS = {
    "numbers": {
        "x": RNG.normal(size=N),
        "count": RNG.integers(0, 5, N),
        "cells": RNG.permutation(np.arange(100, 160) * 1000),  # all different, no id
        "text": [f"{v:.2f}" for v in RNG.normal(size=N)],
        "comma": [f"{v:.2f}".replace(".", ",") for v in RNG.normal(size=N)],
        "limits": ["<5", *[str(v) for v in RNG.integers(5, 50, N - 1)]],
        "per cent": [f"{v} %" for v in RNG.integers(5, 50, N)],
        "hours": pd.to_timedelta(RNG.integers(5, 50, N), "h"),
        "width": RNG.permutation(N) + 100,
    },
    "categories": {
        "sex": RNG.choice(["f", "m"], N),
        "smoker": RNG.choice([True, False], N),
        "blood": pd.Categorical(RNG.choice(["A", "B", "0"], N)),
        "town": RNG.choice([f"town {i}" for i in range(15)], N),
        "flag": [("yes" if i % 3 == 0 else None) for i in range(N)],
    },
    "date": {
        "iso": pd.date_range("2020-01-01", periods=N, freq="31D").strftime("%Y-%m-%d"),
        "dots": pd.date_range("2020-01-01", periods=N).strftime("%d.%m.%Y"),
        "slashes": pd.date_range("2020-01-01", periods=N).strftime("%m/%d/%Y"),
        "time": pd.date_range("2020-01-01", periods=N, freq="h").strftime(
            "%d.%m.%Y %H:%M"
        ),
        "typed": pd.date_range("2020-01-01", periods=N),
        "zoned": pd.date_range("2020-01-01", periods=N, tz="Europe/Berlin"),
        "month": pd.date_range("2020-01-01", periods=N).strftime("%d %b %Y"),
    },
    "left out": {
        "patient_id": [f"P{i:04}" for i in RNG.permutation(N)],
        "recordNo": RNG.permutation(N) + 5000,
        "Unnamed: 0": np.arange(N),
        "rows": np.arange(1, N + 1),
        "uuid": [f"{v:032x}" for v in RNG.integers(0, 2**60, N)],
        "note": [TEXT.format(i % 40, i) for i in range(N)],
        "surname": [f"name{i % 45}" for i in range(N)],
        "constant": ["same"] * N,
        "one": np.ones(N),
        "empty": [None] * N,
        "marks": ["?", "n/d"] * (N // 2),
        "impedance": RNG.normal(size=N) + 1j,
    },
}
CASES = [
    pytest.param(name, values, kind, id=name)
    for kind, columns in COLUMNS.items()
    for name, values in columns.items()
]


@pytest.mark.parametrize(("name", "values", "kind"), CASES)
def test_what_a_column_is_taken_as(name, values, kind):
    taken_as, note = judged(values, name)
    assert taken_as == kind, note
    told = name in ("flag", "limits", "per cent")
    assert bool(note) == (kind in ("left out", "date") or told)


@pytest.mark.filterwarnings("ignore::isvmde.tables.LeftOutWarning")
@pytest.mark.parametrize(("name", "values", "kind"), CASES)
def test_what_comes_out_is_finite_and_named(name, values, kind):
    table = pd.DataFrame({name: values, "other": np.arange(N) % 7})
    preprocessor = TablePreprocessor().set_output(transform="pandas")
    out = preprocessor.fit_transform(table)
    assert np.isfinite(out.to_numpy()).all()
    assert out.to_numpy().min() >= 0
    assert out.to_numpy().max() <= 1
    assert list(out.columns) == list(preprocessor.get_feature_names_out())
    assert (len(out.columns) > 1) == (kind != "left out")
    pd.testing.assert_frame_equal(out, preprocessor.transform(table))


def test_a_person_may_decide_otherwise():
    ids = COLUMNS["left out"]["patient_id"]
    numbers = COLUMNS["left out"]["recordNo"]
    assert judged(ids, nominal=["x"])[0] == "categories"
    assert judged(ids, features=["x"])[0] == "categories"
    assert judged(numbers, "id", numeric=["id"])[0] == "numbers"
    assert judged(numbers, "id", features=["id"])[0] == "numbers"
    assert judged([1, 2, 3] * 20, nominal=["x"])[0] == "categories"
    assert judged([1, 2, 3] * 20, drop=["x"]) == ("left out", "dropped as asked")
    assert judged([1, 2, 3] * 20, features=["other"]) == ("left out", "not asked for")
    with pytest.raises(TableError, match="no column 'ohter'; did you mean 'other'"):
        judged(numbers, drop=["ohter"])
    with pytest.raises(TableError, match="'x' has no numbers, and numbers are exp"):
        judged(["a", "b"] * 9, numeric=["x"])


def test_a_few_stray_texts_among_numbers_are_gaps_and_named():
    values = [
        *(f"{i}.5" for i in range(95)),
        "haemolytic",
        "haemolytic",
        "late",
        "?",
        "n/d",
    ]
    table = frame(x=values)
    with pytest.warns(UserWarning, match=r"'haemolytic', 'late'"):
        preprocessor = TablePreprocessor().fit(table)
    assert preprocessor.columns_.loc["x", "gaps"] == 5
    assert preprocessor.transform(table)[-1, 0] == 0.5


def test_a_repeated_mark_far_from_all_numbers_is_pointed_out():
    sodium = RNG.normal(140, 3, N).round()
    for mark, is_one in ((-999, True), (9999, True), (150, False), (-500, False)):
        sodium[[3, 8, 20]] = mark
        table = frame(sodium=sodium, other=np.arange(N) % 7 / 7)
        if is_one:
            message = f"column 'sodium' is taken as numbers; {mark} in 3 rows is far"
            with pytest.warns(UserWarning, match=message):
                fitted = TablePreprocessor().fit(table)
            assert fitted.columns_.loc["sodium", "gaps"] == 0  # nothing is changed
        else:
            assert TablePreprocessor().fit(table).columns_.loc["sodium", "note"] == ""
    sodium[[3, 8, 20]] = [-99, 140, 141]  # once may be an outlier
    TablePreprocessor().fit(frame(sodium=sodium, other=np.arange(N) % 7 / 7))


@pytest.mark.parametrize(
    "values", [[1, -999, 3, 5], [1.0, -999.0, 3, 5], ["1", "-999.0", "3", "5"]]
)
def test_values_that_stand_for_a_gap(values):
    found = TablePreprocessor(missing=["-999"]).fit(pd.DataFrame({"x": values}))
    assert found.columns_.loc["x", "gaps"] == 1
    assert "in 1 row counts as missing" in found.columns_.loc["x", "note"]
    new = pd.DataFrame({"x": [3, -999]})
    assert found.transform(new).ravel().tolist() == [0.5, 0.5]


def test_gaps_are_filled_with_median_and_most_frequent():
    table = frame(x=[0.0, 1.0, 1.0, 4.0, None], c=["a", "b", "b", None, "b"])
    out = TablePreprocessor().fit_transform(table)
    assert out[4].tolist() == [0.25, 0.0, 1.0]
    assert out[3].tolist() == [1.0, 0.0, 1.0]


def test_frequent_gaps_are_told_where_they_tell_something():
    x = RNG.normal(size=100)
    c = RNG.choice(["a", "b"], 100).astype(object)
    y = np.repeat([0, 1], 50)
    x[:20] = np.nan
    c[:20] = None
    told = TablePreprocessor().fit(frame(x=x, c=c), y)
    assert "x is missing" in told.get_feature_names_out()
    assert "c_(gap)" in told.get_feature_names_out()
    assert told.transform(frame(x=[np.nan], c=[None]))[0, 1:].tolist() == [1, 1, 0, 0]
    even = RNG.permutation(y)
    names = TablePreprocessor().fit(frame(x=x, c=c), even).get_feature_names_out()
    assert list(names) == ["x", "c_a", "c_b"]
    # without classes the frequency alone decides
    assert len(TablePreprocessor().fit(frame(x=x, c=c)).get_feature_names_out()) == 5


def test_dates_are_days_and_places_on_circles():
    days = pd.Series(pd.to_datetime(["2020-01-01", "2021-07-01", "2022-01-01"]))
    preprocessor = TablePreprocessor().fit(frame(day=days))
    assert list(preprocessor.get_feature_names_out()) == [
        "day days",
        "day year cosine",
        "day year sine",
    ]
    first, middle, last = preprocessor.transform(frame(day=days))
    assert first[1] == pytest.approx(last[1], abs=1e-3)  # new year again
    assert (first[0], last[0]) == (0, 1)
    assert middle[1] < 0.01
    half_day = frame(day=pd.to_datetime(["2020-01-01 00:00", "2020-01-01 12:00"]))
    names = TablePreprocessor().fit(half_day).get_feature_names_out()
    assert list(names) == ["day days", "day day cosine", "day day sine"]


def test_day_and_month_are_told_apart_by_the_whole_column():
    days = pd.date_range("2020-01-01", periods=40)
    first = TablePreprocessor().fit_transform(frame(d=days.strftime("%d/%m/%Y")))
    second = TablePreprocessor().fit_transform(frame(d=days.strftime("%m/%d/%Y")))
    np.testing.assert_allclose(first, second)


def test_the_order_of_day_and_month_is_taken_from_columns_that_prove_it():
    days = pd.Series(pd.date_range("2020-01-01", periods=12, freq="MS"))
    in_doubt = frame(start=days.dt.strftime("%m/%d/%Y"))
    with pytest.warns(ColumnWarning, match="'02/01/2020' is read as 02 January 2020"):
        TablePreprocessor().fit(in_doubt)
    proof = (days + pd.Timedelta(days=20)).dt.strftime("%m/%d/%Y")
    found = TablePreprocessor().fit(in_doubt.assign(end=proof))
    assert found.columns_.loc["start", "note"] == "days; month/day/year"
    steps = np.diff(found.transform(in_doubt.assign(end=proof))[:, 0])
    assert steps == pytest.approx(30.5 / 335, rel=0.1)


def test_numbers_that_are_dates():
    days = pd.Series(pd.date_range("2020-01-30", periods=20))
    compact = days.dt.strftime("%Y%m%d").astype(int)
    found = TablePreprocessor().fit(
        frame(day=compact, gap=compact.mask(days.index < 2))
    )
    assert found.columns_["taken as"].tolist() == ["date", "date"]
    assert (
        np.ptp(np.diff(found.transform(frame(day=compact, gap=compact))[:, 0])) < 1e-9
    )
    as_numbers = TablePreprocessor(numeric=["day"]).fit(frame(day=compact))
    assert as_numbers.columns_.loc["day", "taken as"] == "numbers"


def test_a_single_name_is_a_name_and_not_letters():
    table = frame(age=[str(1 + i % 7) for i in range(30)])
    one = TablePreprocessor(nominal="age", missing="NA").fit(table)
    several = TablePreprocessor(nominal=["age"], missing=["NA"]).fit(table)
    pd.testing.assert_frame_equal(one.columns_, several.columns_)


@pytest.mark.parametrize(
    ("cells", "numbers", "said"),
    [
        (["5.2", "7.9 H", "3.1 L", "4"], [5.2, 7.9, 3.1, 4], "'3.1 L' is read as 3.1"),
        (["5.2", "7.9*", "3.1", "4"], [5.2, 7.9, 3.1, 4], "'7.9*' is read as 7.9"),
        (["5.2", "7.9 (H)", "3.1", "4"], [5.2, 7.9, 3.1, 4], "read as 7.9"),
        (["1.5", "(2.50)", "3", "4"], [1.5, -2.5, 3, 4], "'(2.50)' is read as -2.5"),
        (["1.50", "2.50-", "3.00"], [1.5, -2.5, 3], "'2.50-' is read as -2.5"),
    ],
)
def test_flags_and_negative_numbers_as_people_write_them(cells, numbers, said):
    table = frame(x=cells)
    with pytest.warns(ColumnWarning, match=re.escape(said)):
        found = TablePreprocessor().fit(table)
    low, high = min(numbers), max(numbers)
    expected = (np.array(numbers) - low) / (high - low)
    np.testing.assert_allclose(found.transform(table).ravel(), expected)


def test_grades_with_a_minus_behind_are_not_numbers():
    found = TablePreprocessor().fit(frame(grade=["1", "2-", "3+", "2", "1-", "3"]))
    assert found.columns_.loc["grade", "taken as"] == "categories"


@pytest.mark.parametrize("name", ["patient", "Patient No", "subject_id", "case number"])
@pytest.mark.parametrize("form", ["{}", "P{:03d}"])
def test_ids_of_repeated_subjects_are_pointed_out(name, form):
    values = [form.format(i) for i in np.tile(np.arange(20), 3)]
    with pytest.warns(
        ColumnWarning, match="id of subjects with several rows.*--groups"
    ):
        TablePreprocessor().fit(pd.DataFrame({name: values, "x": np.arange(60) % 7}))


def test_new_rows():
    table = frame(x=[1.0, 2.0, 3.0], c=["a", "b", "a"], id=["r", "s", "t"])
    preprocessor = TablePreprocessor(drop=["id"]).fit(table)
    # columns by name, in any order, others ignored; a new category is none of these
    new = frame(c=["z", None], junk=["j", "k"], x=["5", "old"])
    assert preprocessor.transform(new).tolist() == [[2, 0, 0], [0.5, 1, 0]]
    assert preprocessor.remarks(new) == [
        "column 'x' has cells that are not numbers and count as missing: 'old'",
        "column 'c' has values that training did not have: 'z'",
    ]
    with pytest.raises(TableError, match="no column 'x', which the model needs"):
        preprocessor.transform(frame(c=["a"]))
    with pytest.raises(TableError, match="'x' has no numbers, and numbers are exp"):
        preprocessor.transform(frame(x=["old"], c=["a"]))


def test_rare_categories_share_a_column():
    values = ["a"] * 30 + ["b"] * 30 + [f"town {i % 9}" for i in range(40)]
    preprocessor = TablePreprocessor(max_categories=3).fit(frame(c=values))
    assert list(preprocessor.get_feature_names_out()) == [
        "c_a",
        "c_b",
        "c_infrequent_sklearn",
    ]
    assert preprocessor.transform(frame(c=["new"])).tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("bad", [np.inf, -np.inf, 1e300])
def test_infinity_names_column_and_row(bad):
    with pytest.raises(TableError, match=r"column 'x' has .* in row 3"):
        TablePreprocessor().fit(frame(x=[1, 2, bad], c=["a", "b", "a"]))
    preprocessor = TablePreprocessor().fit(frame(x=[1, 2, 4]))
    with pytest.raises(TableError, match=r"column 'x' has .* in row 2"):
        preprocessor.transform(frame(x=[1.0, bad]))
    TablePreprocessor(drop=["x"]).fit(frame(x=[1, 2, bad], c=["a", "b", "a"]))


def test_other_refusals():
    with pytest.raises(TableError, match="no column is left to learn from"):
        TablePreprocessor().fit(frame(x=[1, 1, 1]))
    with pytest.raises(TableError, match="no rows"):
        TablePreprocessor().fit(frame(x=[]))
    twice = pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"])
    with pytest.raises(TableError, match="more than one column is named 'a'"):
        TablePreprocessor().fit(twice)


def test_it_is_a_transformer_of_scikit_learn():
    table = frame(x=RNG.normal(size=30), c=RNG.choice(["a", "b"], 30))
    preprocessor = TablePreprocessor(nominal=["c"], max_categories=5)
    again = clone(preprocessor)
    assert again.get_params() == preprocessor.get_params()
    assert not hasattr(again, "plan_")
    pipeline = make_pipeline(again, DummyClassifier())
    assert len(cross_val_predict(pipeline, table, np.arange(30) % 2)) == 30
    assert "TablePreprocessor" in repr(preprocessor)
    array = RNG.normal(size=(9, 2))
    assert TablePreprocessor().fit(array).feature_names_in_.tolist() == ["x0", "x1"]


def test_frames_of_polars():
    polars = pytest.importorskip("polars")
    table = frame(x=[1.0, 2.0, 4.0], c=["a", "b", "a"])
    expected = TablePreprocessor().fit_transform(table)
    given = polars.DataFrame(table.to_dict("list"))
    np.testing.assert_array_equal(TablePreprocessor().fit_transform(given), expected)


def test_only_the_training_part_is_looked_at():
    train = frame(x=[0.0, 1.0, 2.0], c=["a", "b", "a"])
    test = frame(x=[10.0, np.nan], c=["z", "b"])
    fitted = TablePreprocessor().fit(train)
    before = fitted.transform(train)
    fitted.transform(test)
    np.testing.assert_array_equal(fitted.transform(train), before)


cells = st.one_of(
    st.none(), st.floats(-1e9, 1e9), st.integers(-9, 9), st.text(max_size=6), st.dates()
)


@given(st.lists(st.tuples(cells, cells), min_size=3, max_size=30))
def test_any_cells_make_finite_numbers_or_are_refused(rows):
    table = pd.DataFrame(rows, columns=["a", "b"])
    try:
        preprocessor = TablePreprocessor().fit(table)
    except (TableError, UserWarning):  # nothing to learn from, or stray texts
        return
    assert np.isfinite(preprocessor.transform(table)).all()
    assert len(preprocessor.columns_) == 2
