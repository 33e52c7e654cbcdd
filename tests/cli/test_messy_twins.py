"""Messy tables beside clean ones of the same meaning: the same model, the same words.

Every table here is written twice: as people write it, and in plain notation. Both are
trained on and predicted, and the probabilities have to be the same.
"""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest

BAYES = ["--method", "sklearn.naive_bayes:GaussianNB"]  # for speed
N = 90
RNG = np.random.default_rng(3)
KIND = RNG.permutation(np.repeat(["well", "ill", "rare"], [60, 22, 8]))
PLACE = pd.Series(KIND).map({"well": 0, "ill": 1, "rare": 2}).to_numpy()
COUNTS = np.round(np.exp(RNG.normal(6.8, 0.8, N)) * (1 + PLACE))
MONEY = np.round(COUNTS * 1.37, 2)
LEVELS = np.round(RNG.normal(5 + PLACE, 1), 1).clip(0.1)
DAYS = pd.Series(pd.date_range("2021-03-05", periods=N, freq="5D"))
DAYS = DAYS.sample(frac=1, random_state=0).reset_index(drop=True)
EARLY_DAYS = pd.Series(
    pd.to_datetime(
        {"year": 2020, "month": RNG.integers(1, 13, N), "day": RNG.integers(1, 13, N)}
    )
)
SIDES = RNG.choice(["left", "right", "both"], N)


def american(values, decimals):
    """Write numbers as 1,234.50."""
    return [f"{value:,.{decimals}f}" for value in values]


def german(values, decimals):
    """Write numbers as 1.234,50."""
    swap = str.maketrans(",.", ".,")
    return [text.translate(swap) for text in american(values, decimals)]


def with_sign(values, sign):
    """Write whole numbers with this sign between thousands."""
    return [text.replace(",", sign) for text in american(values, 0)]


@dataclass(frozen=True)
class Twins:
    """A column as people write it, and as it is meant.

    Parameters
    ----------
    messy, clean : list or dict
        The cells, or several columns by their names.
    said : str
        What the messages or the table of columns say of it.
    options : list of str
        What a person has to add.
    sep, decimal : str
        Of the messy file.
    """

    messy: object
    clean: object
    said: str = ""
    options: list[str] = field(default_factory=list)
    sep: str = ","
    decimal: str = "."


def put(cells, rows, value):
    """Return cells with some replaced."""
    cells = list(cells)
    for row in rows:
        cells[row] = value
    return cells


TWINS = {
    "thousands by points beside decimal commas": Twins(
        german(COUNTS, 0), COUNTS, "thousands point", sep=";", decimal=","
    ),
    "thousands by commas": Twins(american(COUNTS, 0), COUNTS, "thousands comma"),
    "thousands and fractions": Twins(american(MONEY, 2), MONEY, "thousands comma"),
    "the German way": Twins(german(MONEY, 2), MONEY, "thousands point", sep=";"),
    "thousands by blanks": Twins(with_sign(COUNTS, " "), COUNTS),
    "thousands by narrow blanks": Twins(with_sign(COUNTS, "\u202f"), COUNTS),
    "thousands by apostrophes": Twins(with_sign(COUNTS, "'"), COUNTS),
    "thousands in all cells, as the option says": Twins(
        american(COUNTS % 9000 + 1000, 0),
        COUNTS % 9000 + 1000,
        options=["--thousands", ","],
    ),
    "three decimals, as the option says": Twins(
        [f"{value:.3f}".replace(".", ",") for value in LEVELS],
        LEVELS,
        "decimal comma",
        ["--thousands", "none"],
        sep=";",
        decimal=",",
    ),
    "dollars": Twins(["$" + text for text in american(MONEY, 2)], MONEY, "unit '$'"),
    "euros behind": Twins(
        [f"{text} €" for text in german(MONEY, 2)], MONEY, "unit '€'", sep=";"
    ),
    "milligrams": Twins([f"{value} mg" for value in LEVELS], LEVELS, "unit 'mg'"),
    "degrees": Twins([f"{value} °C" for value in LEVELS], LEVELS, "unit '°C'"),
    "per cent": Twins([f"{value}%" for value in LEVELS], LEVELS, "unit '%'"),
    "a unit that some cells lack": Twins(
        put([f"{v} mg" for v in LEVELS], [4, 5], "3.5"),
        put(LEVELS, [4, 5], 3.5),
        "2 cells have no unit and are read as 'mg'",
    ),
    "blood pressure": Twins(
        [f"{a}/{b}" for a, b in zip(100 + 9 * PLACE, 60 + PLACE, strict=True)],
        {"above": 100 + 9 * PLACE, "below": 60 + PLACE},
        'two numbers, before and after "/"',
    ),
    "a limit of detection": Twins(
        put(LEVELS, [1, 8, 30], "<0.5"), put(LEVELS, [1, 8, 30], 0.5), "'<0.5' is read"
    ),
    "flags of a laboratory": Twins(
        put(LEVELS, [2, 3, 9], "9.1 H"), put(LEVELS, [2, 3, 9], 9.1), "'9.1 H' is read"
    ),
    "losses in brackets": Twins(
        [f"({v})" if i % 3 == 0 else str(v) for i, v in enumerate(LEVELS)],
        [-v if i % 3 == 0 else v for i, v in enumerate(LEVELS)],
        "is read as -",
    ),
    "a minus as printers set it": Twins(
        [f"\u2212{v}" if i % 3 == 0 else str(v) for i, v in enumerate(LEVELS)],
        [-v if i % 3 == 0 else v for i, v in enumerate(LEVELS)],
    ),
    "two formats of dates": Twins(
        DAYS.dt.strftime("%d/%m/%Y").where(
            DAYS.index % 3 > 0, DAYS.dt.strftime("%Y-%m-%d")
        ),
        DAYS.dt.strftime("%Y-%m-%d"),
        "day/month/year or year-month-day",
    ),
    "American dates in doubt": Twins(
        EARLY_DAYS.dt.strftime("%m/%d/%Y"),
        EARLY_DAYS.dt.strftime("%Y-%m-%d"),
        "month/day/year",
        ["--dates", "month-first"],
    ),
    "dates without signs": Twins(
        DAYS.dt.strftime("%Y%m%d"), DAYS.dt.strftime("%Y-%m-%d"), "date"
    ),
    "a number for a gap": Twins(
        put(LEVELS, [5, 6, 7], -999),
        put(LEVELS, [5, 6, 7], ""),
        "'-999' in 3 rows counts as missing",
        ["--missing", "-999"],
    ),
    "spellings": Twins(
        [side.upper() if i % 3 else f"{side} " for i, side in enumerate(SIDES)],
        SIDES,
        "spellings are joined",
    ),
    "yes and no": Twins(
        ["Y" if i % 2 else "yes" for i in PLACE],
        ["yes"] * N,
        "the same value in every row",
    ),
    "codes with zeros": Twins(
        np.where(PLACE > 0, "007", "012"), np.where(PLACE > 0, "a", "b"), "categories"
    ),
}


def write(path, column, sep=",", decimal="."):
    """Write a table with this column, or these, beside a measurement."""
    columns = column if isinstance(column, dict) else {"x": list(column)}
    marker = [str(value).replace(".", decimal) for value in LEVELS[::-1].round(1)]
    table = pd.DataFrame({**columns, "marker": marker, "kind": KIND})
    path.write_text(table.to_csv(index=False, sep=sep), encoding="utf-8")


@pytest.mark.parametrize("name", TWINS)
def test_a_messy_table_means_what_its_clean_twin_says(name, tmp_path, isvmde):
    twins = TWINS[name]
    messy, clean = tmp_path / "messy.csv", tmp_path / "clean.csv"
    write(messy, twins.messy, twins.sep, twins.decimal)
    write(clean, twins.clean)
    predictions = []
    for data, options in ((messy, twins.options), (clean, [])):
        model = data.with_suffix(".skops")
        code, out, err = isvmde("fit", data, "-o", model, *options, *BAYES)
        assert code == 0, err
        if data == messy:
            assert twins.said in err + out
        reading = options if options[:1] == ["--thousands"] else []
        code, out, err = isvmde("predict", model, data, "--proba", *reading)
        assert code == 0, err
        predictions.append(out)
    assert predictions[0] == predictions[1]


IN_DOUBT = {
    "days may be months": (EARLY_DAYS.dt.strftime("%d/%m/%Y"), "--dates month-first"),
    "a number may be a gap": (put(LEVELS, [5, 6], -999), "--missing -999"),
    "units differ": (
        [
            f"{v} {'mg' if place else 'g'}"
            for v, place in zip(LEVELS, PLACE, strict=True)
        ],
        "several units",
    ),
}


@pytest.mark.parametrize("name", IN_DOUBT)
def test_what_only_a_person_knows_is_asked(name, tmp_path, isvmde):
    cells, advice = IN_DOUBT[name]
    data = tmp_path / "t.csv"
    write(data, cells)
    code, out, err = isvmde("fit", data, "-o", tmp_path / "m", *BAYES)
    assert code == 0, err
    assert advice in err + out


@pytest.mark.parametrize("sep", [",", ";"])
def test_thousands_that_may_be_fractions_are_asked_for(sep, tmp_path, isvmde):
    """No other column has a fraction that could tell."""
    data = tmp_path / "t.csv"
    cells = american(COUNTS % 9000 + 1000, 0)
    table = pd.DataFrame({"x": cells, "age": COUNTS % 80, "kind": KIND})
    table.astype({"age": int}).to_csv(data, index=False, sep=sep)
    code, _, err = isvmde("fit", data, "-o", tmp_path / "m", *BAYES)
    assert code == 0, err
    assert "; if it means " in err


def test_classes_lose_nothing_unnamed(tmp_path, isvmde):
    table = pd.DataFrame({"marker": LEVELS + 3 * PLACE, "kind": KIND})
    data, model = tmp_path / "t.csv", tmp_path / "m.skops"
    marks = {"well": "-", "ill": "ND", "rare": "x"}
    table.assign(kind=table["kind"].map(marks)).to_csv(data, index=False)
    code, _, err = isvmde("fit", data, "-o", model, *BAYES)
    assert code == 2
    assert "only one class, 'x'" in err
    code, out, _ = isvmde("fit", data, "-o", model, "--keep-marks", *BAYES)
    assert code == 0
    assert "- (60), ND (22), x (8)" in out
    code, _, err = isvmde("predict", model, data)
    assert code == 0
    assert "(90 rows)" in err


def test_classes_of_new_rows_are_found_or_named(tmp_path, isvmde):
    table = pd.DataFrame({"marker": LEVELS + 3 * PLACE, "kind": KIND})
    data, model = tmp_path / "t.csv", tmp_path / "m.skops"
    spelled = table.assign(kind=table["kind"].where(table.index % 4 > 0, "Well "))
    spelled.to_csv(data, index=False)
    code, out, err = isvmde("fit", data, "-o", model, "--merge-labels", *BAYES)
    assert code == 0
    assert "3 classes" in out
    assert "merged: 'Well' as 'well'" in err
    new = table.assign(kind=put(table["kind"], [0, 1], "odd"))
    new.loc[5, "kind"] = "WELL"
    new.to_csv(data, index=False)
    code, _, err = isvmde("predict", model, data)
    assert code == 0
    assert "does not know: 'odd'; 2 rows" in err
    assert "matched to the model's spelling: 'WELL' as 'well'" in err


def test_kept_ids_are_the_text_they_were(tmp_path, isvmde):
    ids = {
        "zeros": [f"{i:07d}" for i in RNG.permutation(N)],
        "floats": [f"{100_000 + i}.0" for i in RNG.permutation(N)],
        "long": [str(7_000_000_000_000_000_001 + i) for i in range(N)],
        "amounts": american(MONEY, 2),
    }
    data, model = tmp_path / "t.csv", tmp_path / "m.skops"
    write(data, {**ids, "y": LEVELS})
    assert isvmde("fit", data, "-o", model, *BAYES)[0] == 0
    out_file = tmp_path / "out.csv"
    code, _, err = isvmde(
        "predict", model, data, "--keep", ",".join(ids), "-o", out_file
    )
    assert code == 0, err
    found = pd.read_csv(out_file, dtype=str)
    for name, cells in ids.items():
        assert found[name].tolist() == cells


def test_a_word_in_a_name_makes_no_id(tmp_path, isvmde):
    data = tmp_path / "t.csv"
    drawn = RNG.permutation(40 * N)[:N]
    names = ["platelet number", "CD4 cell no", "rank", "case_id"]
    write(data, {**{name: drawn + i for i, name in enumerate(names)}, "y": LEVELS})
    code, out, err = isvmde("fit", data, "-o", tmp_path / "m", *BAYES)
    assert code == 0
    assert "'platelet number' is taken as numbers; its name sounds like an id" in err
    assert "Left out: case_id." in out


def test_the_sheet_that_has_the_column_is_named(tmp_path, isvmde):
    data = tmp_path / "t.xlsx"
    with pd.ExcelWriter(data) as book:
        pd.DataFrame({"who": ["me"], "when": ["now"]}).to_excel(
            book, sheet_name="about"
        )
        table = pd.DataFrame({"marker": LEVELS, "kind": KIND})
        table.to_excel(book, sheet_name="2024", index=False)
    words = ["fit", data, "--target", "kind", "-o", tmp_path / "m", *BAYES]
    code, _, err = isvmde(*words)
    assert code == 2
    assert "it is in '2024': add --sheet '2024'" in err
    assert isvmde(*words, "--sheet", "2024")[0] == 0
