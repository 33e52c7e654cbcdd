"""A folder of messy tables: no traceback, no class lost, no row lost unsaid."""

import gzip
import io
import json

import numpy as np
import pandas as pd
import pytest

from isvmde.metrics import g_mean_score

BAYES = ["--method", "sklearn.naive_bayes:GaussianNB"]  # for speed
SIZES = {"well": 60, "ill": 24, "rare": 4}
NOTE = "seen on ward {}, patient slept badly and ate little, code {}"


def base(sizes=None, seed=0):
    """A clean table: two measurements that tell the classes apart, a category."""
    rng = np.random.default_rng(seed)
    sizes = sizes or SIZES
    kind = rng.permutation(np.repeat(list(sizes), list(sizes.values())))
    place = pd.Series(kind).map({name: i for i, name in enumerate(sizes)})
    return pd.DataFrame(
        {
            "marker": (3.0 * place + rng.normal(0, 0.6, len(kind))).round(2),
            "age": rng.integers(20, 80, len(kind)),
            "sex": rng.choice(["f", "m"], len(kind)),
            "kind": kind,
        }
    )


def csv(table, encoding="utf-8", **options):
    return table.to_csv(index=False, **options).encode(encoding)


def with_column(name, values, at=0):
    table = base()
    table.insert(at, name, values)
    return table


def with_cells(column, cells):
    """Put odd cells into a column, at rows 0, 1, ..."""
    table = base().astype({column: object})
    table.loc[: len(cells) - 1, column] = cells
    return table


def excel(table):
    buffer = io.BytesIO()
    table.to_excel(buffer, index=False)
    return buffer.getvalue()


def parquet(table):
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


N = sum(SIZES.values())
RNG = np.random.default_rng(1)
DAYS = pd.date_range("2021-03-01", periods=N, freq="11D")
HALF_GAPS = base()
HALF_GAPS.loc[RNG.random(N) < 0.7, ["age"]] = np.nan
HALF_GAPS.loc[RNG.random(N) < 0.5, ["sex"]] = None
HALF_GAPS.loc[HALF_GAPS["kind"] == "rare", "age"] = np.nan
WIDE = pd.concat(
    [
        pd.DataFrame(RNG.normal(size=(N, 120))).add_prefix("gene "),
        base()[["marker", "kind"]],
    ],
    axis=1,
)
HOSPITAL = base().assign(
    patient_id=[f"P{i:05}" for i in RNG.permutation(N)],
    admitted=DAYS.strftime("%d.%m.%Y"),
    notes=[NOTE.format(i % 7, i) for i in range(N)],
    clinic="St. Mary",
)[["patient_id", "admitted", "marker", "age", "sex", "notes", "clinic", "kind"]]
HOSPITAL.loc[RNG.random(N) < 0.3, "age"] = np.nan
HOSPITAL["marker"] = HOSPITAL["marker"].astype(str).str.replace(".", ",")
HOSPITAL.loc[3, "marker"] = "haemolytic"
HOSPITAL.loc[[5, 6], "kind"] = None
KEEL = (
    "@relation t\n@attribute kind {ill, rare, well}\n@attribute marker real\n"
    "@attribute age integer\n@inputs marker, age\n@outputs kind\n@data\n"
    + "\n".join(f"{row.kind}, {row.marker}, {row.age}" for row in base().itertuples())
)

LEFT, NUMBERS, CATEGORIES, DATE = "left out", "numbers", "categories", "date"
# name: (content, columns to look at, what is said)
TABLES = {
    "clean.csv": (csv(base()), {"marker": NUMBERS, "sex": CATEGORIES}, ""),
    "semicolon.csv": (csv(base(), sep=";"), {"age": NUMBERS}, "separator semicolon"),
    "tab.tsv": (csv(base(), sep="\t"), {"age": NUMBERS}, "separator tab"),
    "bar.txt": (csv(base(), sep="|"), {"age": NUMBERS}, "separator bar"),
    "comma.csv": (
        csv(base(), sep=";", decimal=","),
        {"marker": NUMBERS},
        "decimal comma",
    ),
    "latin1.csv": (
        csv(base().rename(columns={"age": "größe"}), "latin-1"),
        {"größe": NUMBERS},
        "encoding cp1252",
    ),
    "bom.csv": (csv(base(), "utf-8-sig"), {"marker": NUMBERS}, "utf-8-sig"),
    "utf16.csv": (csv(base(), "utf-16"), {"marker": NUMBERS}, "utf-16"),
    "packed.csv.gz": (gzip.compress(csv(base())), {"marker": NUMBERS}, ""),
    "blank-lines.csv": (
        b"\n\n" + csv(base()).replace(b"\n", b"\n\n  \n"),
        {"marker": NUMBERS},
        "",
    ),
    "book.xlsx": (excel(base()), {"marker": NUMBERS}, "Excel, sheet 'Sheet1'"),
    "hospital.xlsx": (
        excel(HOSPITAL.assign(admitted=DAYS)),
        {"admitted": DATE, "patient_id": LEFT, "marker": NUMBERS},
        "2 of 88 rows have no class",
    ),
    "columns.parquet": (parquet(base()), {"sex": CATEGORIES}, "parquet"),
    "keel.dat": (KEEL.encode(), {"marker": NUMBERS}, "column 'kind' as the class"),
    "half-gaps.csv": (csv(HALF_GAPS), {"age": NUMBERS, "sex": CATEGORIES}, ""),
    "rare-all-gaps.csv": (
        csv(base().assign(age=base()["age"].where(base()["kind"] != "rare"))),
        {"age": NUMBERS},
        "",
    ),
    "id-text.csv": (
        csv(with_column("patient_id", [f"P{i}" for i in range(N)])),
        {"patient_id": LEFT},
        "",
    ),
    "id-number.csv": (
        csv(with_column("record_no", RNG.permutation(N) + 7000)),
        {"record_no": LEFT},
        "",
    ),
    "unnamed.csv": (csv(with_column("", range(N))), {"Unnamed: 0": LEFT}, ""),
    "empty-name-inside.csv": (
        csv(with_column("", RNG.normal(size=N), 1)),
        {"Unnamed: 1": NUMBERS},
        "",
    ),
    "dates.csv": (
        csv(with_column("day", DAYS.strftime("%d/%m/%Y"))),
        {"day": DATE},
        "",
    ),
    "free-text.csv": (
        csv(with_column("notes", [NOTE.format(i % 5, i) for i in range(N)])),
        {"notes": LEFT},
        "",
    ),
    "constant.csv": (csv(with_column("clinic", "A")), {"clinic": LEFT}, ""),
    "empty-column.csv": (csv(with_column("x", None)), {"x": LEFT}, ""),
    "marks.csv": (
        csv(with_cells("marker", ["?", "n/d", "-", "NA", "N/A", ""])),
        {"marker": NUMBERS},
        "",
    ),
    "strays.csv": (
        csv(with_cells("marker", ["haemolytic", "<0.1"])),
        {"marker": NUMBERS},
        "'haemolytic'",
    ),
    "twice.csv": (
        csv(base()).replace(b"age", b"marker", 1),
        {"marker": NUMBERS, "marker (2)": NUMBERS},
        "more than one column is named 'marker'",
    ),
    "no-class.csv": (
        csv(with_cells("kind", ["", "?", None])),
        {"marker": NUMBERS},
        "3 of 88 rows have no class",
    ),
    "capitals.csv": (
        csv(with_cells("kind", ["Well", "Well"])),
        {"marker": NUMBERS},
        "differ only in capitals",
    ),
    "one-row-class.csv": (
        csv(base({"well": 40, "ill": 20, "rare": 1})),
        {"marker": NUMBERS},
        "",
    ),
    "two-rows.csv": (b"a,kind\n1,x\n2,x\n3,y\n4,y\n", {"a": NUMBERS}, ""),
    "wide.csv": (csv(WIDE), {"gene 7": NUMBERS, "marker": NUMBERS}, ""),
    "hospital.csv": (
        csv(HOSPITAL, "cp1252", sep=";"),
        {
            "patient_id": LEFT,
            "admitted": DATE,
            "marker": NUMBERS,
            "notes": LEFT,
            "clinic": LEFT,
        },
        "decimal comma",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_from_file_to_predictions(name, tmp_path, isvmde):
    content, columns, said = TABLES[name]
    data, model = tmp_path / name, tmp_path / "m.skops"
    data.write_bytes(content)
    target = [] if name == "keel.dat" else ["--target", "kind"]
    code, out, err = isvmde("fit", data, *target, "-o", model, *BAYES, "--json")
    assert code == 0, err
    assert said in err
    assert "Traceback" not in err
    assert all(len(line) < 300 + len(str(data)) for line in err.splitlines())
    found = json.loads(out)
    taken = {row["column"]: row["taken as"] for row in found["columns"]}
    assert {name: taken[name] for name in columns} == columns
    # every row is trained on, or it was said why not
    left_out = len(found["rows_left_out"])
    assert bool(left_out) == ("rows have no class" in err)
    assert sum(found["classes"].values()) == found["rows"]
    assert [row["class"] for row in found["per_class"]] == list(found["classes"])
    code, out, err = isvmde("predict", model, data)
    assert code == 0, err
    assert len(out.splitlines()) == 1 + found["rows"] + left_out


@pytest.mark.parametrize("name", TABLES)
def test_the_table_of_columns_is_readable(name, tmp_path, isvmde):
    data = tmp_path / name
    data.write_bytes(TABLES[name][0])
    target = [] if name == "keel.dat" else ["--target", "kind"]
    code, out, _ = isvmde("fit", data, *target, "-o", tmp_path / "m", *BAYES)
    assert code == 0
    lines = out.splitlines()
    assert lines[1] == "Columns"
    assert lines[2].split() == ["column", "taken", "as", "gaps", "distinct", "note"]
    assert max(map(len, lines)) < 160
    assert len(lines) < 90


def test_the_rare_class_survives_gaps(tmp_path, isvmde):
    """Seven of ten rows have gaps, with them the whole rare class."""
    data, model = tmp_path / "gaps.csv", tmp_path / "m.skops"
    data.write_bytes(csv(HALF_GAPS))
    assert HALF_GAPS[HALF_GAPS["kind"] == "rare"].isna().any(axis=1).all()
    code, out, _ = isvmde("fit", data, "-o", model, *BAYES, "--json")
    assert code == 0
    assert json.loads(out)["classes"]["rare"] == 4
    _, out, _ = isvmde("predict", model, data)
    predicted = pd.read_csv(io.StringIO(out))["prediction"]
    assert g_mean_score(HALF_GAPS["kind"], predicted) > 0.8


@pytest.fixture
def trained(tmp_path, isvmde):
    data, model = tmp_path / "clean.csv", tmp_path / "m.skops"
    data.write_bytes(csv(base()))
    assert isvmde("fit", data, "-o", model, *BAYES)[0] == 0
    return model


def test_new_rows_in_another_dialect_order_and_with_gaps(trained, tmp_path, isvmde):
    table = base(seed=5)
    plain, other = tmp_path / "plain.csv", tmp_path / "other.csv"
    plain.write_bytes(csv(table))
    shuffled = table[["kind", "sex", "marker", "age"]].assign(junk="x")
    other.write_bytes(csv(shuffled, "utf-16", sep=";", decimal=","))
    assert isvmde("predict", trained, plain)[1] == isvmde("predict", trained, other)[1]
    table.loc[0, "marker"] = None
    plain.write_bytes(csv(table))
    assert len(isvmde("predict", trained, plain)[1].splitlines()) == len(table) + 1


def test_an_unseen_category_is_said(trained, tmp_path, isvmde):
    new = tmp_path / "new.csv"
    new.write_bytes(csv(base().assign(sex="x").drop(columns="kind")))
    code, out, err = isvmde("predict", trained, new)
    assert code == 0
    assert "column 'sex' has values that training did not have: 'x'" in err
    assert len(out.splitlines()) == N + 1


REFUSED = {
    "missing-column.csv": (csv(base().drop(columns="age")), "no column 'age'"),
    "infinity.csv": (csv(base().assign(age=np.inf)), "column 'age' has infinity"),
    "empty.csv": (b"", "the file is empty"),
    "ragged.csv": (csv(base()) + b"1,2,f,ill,9,9\n", "saw 6"),
    "picture.png": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a text file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_at_predict_time(name, trained, tmp_path, isvmde):
    new = tmp_path / name
    new.write_bytes(REFUSED[name][0])
    code, out, err = isvmde("predict", trained, new)
    assert (code, out) == (2, "")
    assert REFUSED[name][1] in err
    assert str(new) in err or name == "missing-column.csv"
    assert err.count("\n") == 1


def test_ten_megabytes(tmp_path, isvmde):
    n = 60_000
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(n, 9))).add_prefix("x")  # 18 characters each
    table.insert(0, "row_id", np.arange(n))
    table["kind"] = np.where(table["x0"] > 2.5, "rare", "usual")
    data, model = tmp_path / "large.csv", tmp_path / "m.skops"
    table.to_csv(data, index=False)
    assert data.stat().st_size > 9e6
    code, out, err = isvmde("fit", data, "-o", model, *BAYES, "--json")
    assert code == 0, err
    assert json.loads(out)["rows"] == n
    assert json.loads(out)["columns"][0]["taken as"] == LEFT
    code, out, _ = isvmde("predict", model, data)
    assert out.count("\n") == n + 1
