"""The KEEL reader: what it understands, what it refuses, and that it never crashes."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isvmde.datasets import KeelFormatError, read_keel
from isvmde.datasets.keel import split_fields

HEADER = """@relation fruit
@attribute weight real [0, 100]
@attribute colour {red, blue}
@attribute seeds integer [0, 9]
@attribute kind {apple, plum}
"""
TAIL = "@inputs weight, colour, seeds\n@outputs kind\n"
ROWS = "@data\n80.5, red, 5, apple\n9, blue, 1, plum\n"


def read(text):
    return read_keel(io.StringIO(text))


def assert_is_fruit(bunch):
    assert bunch.data["weight"].tolist() == [80.5, 9.0]
    assert bunch.data["colour"].tolist() == ["red", "blue"]
    assert bunch.data["seeds"].tolist() == [5.0, 1.0]
    assert bunch.target.tolist() == ["apple", "plum"]
    assert bunch.numeric == ["weight", "seeds"]
    assert bunch.nominal == ["colour"]
    assert bunch.target_name == "kind"


def test_a_plain_file(tmp_path):
    path = tmp_path / "fruit.dat"
    path.write_text(HEADER + TAIL + ROWS)
    bunch = read_keel(path)
    assert_is_fruit(bunch)
    assert bunch.name == "fruit"
    assert bunch.data["colour"].cat.categories.tolist() == ["red", "blue"]


@pytest.mark.parametrize(
    "text",
    [
        HEADER + ROWS,  # no @inputs, @outputs
        HEADER + "@inputs weight, colour, seeds\n" + ROWS,
        HEADER + "@output kind\n" + ROWS,
        HEADER + "@INPUTS Weight,COLOUR,seeds\n@Output KIND\n" + ROWS,
        (HEADER + TAIL + ROWS).replace("\n", "\r\n"),
        (HEADER + TAIL + ROWS).replace("\n", "\r"),
        (HEADER + TAIL + ROWS).replace(", ", ","),
        (HEADER + TAIL + ROWS).replace(", ", " ,\t"),
        HEADER + TAIL + ROWS.replace(", ", " "),
        HEADER + TAIL + ROWS.replace(", ", "\t"),
        (HEADER + ROWS).replace(" [0, 9]", "[0,9]").replace("real", "REAL"),
        (HEADER + ROWS).replace(" [0, 9]", "").replace("kind {", "kind{"),
        (HEADER + ROWS).replace("@attribute ", "  @Attribute\t"),
        (HEADER + ROWS).replace("@data", "% note\n\n@DATA\n% another\n") + "\n\n",
        (HEADER + ROWS).replace("red", "'red'").replace("apple", '"apple"'),
        "\ufeff" + HEADER + ROWS,
        (HEADER + ROWS).replace("80.5", "+8.05e1").replace("9, b", "9., b"),
        (HEADER + ROWS).replace("5, apple", "5.0, apple"),
    ],
)
def test_spellings_of_the_same_file(text):
    assert_is_fruit(read(text))
    assert_is_fruit(read_keel(io.BytesIO(text.encode())))


@pytest.mark.parametrize("mark", ["?", "<null>", "<NULL>"])
def test_missing_values(mark):
    bunch = read(HEADER + f"@data\n{mark}, {mark}, 3, plum\n1, red, {mark}, apple\n")
    assert bunch.data.isna().to_numpy().tolist() == [
        [True, True, False],
        [False, False, True],
    ]


def test_attributes_in_neither_list_are_left_out():
    bunch = read(HEADER + "@inputs seeds\n@outputs kind\n" + ROWS)
    assert list(bunch.data) == ["seeds"]


def test_another_target():
    text = HEADER + TAIL + ROWS
    bunch = read_keel(io.StringIO(text), target="colour")
    assert list(bunch.data) == ["weight", "seeds", "kind"]
    assert bunch.target.tolist() == ["red", "blue"]
    seeds = read_keel(io.StringIO(text), target="seeds").target
    assert seeds.dtype == np.int64
    assert seeds.tolist() == [5, 1]
    with pytest.raises(KeelFormatError, match="no attribute 'taste'; it has weight"):
        read_keel(io.StringIO(text), target="taste")


def test_values_with_commas_quotes_and_accents():
    text = """@attribute a {'x, y', "o'clock", 5'more, café}
@attribute b {1, 2}
@data
'x, y', 1
"o'clock",2
5'more, 1
café, 2
"""
    expected = ["x, y", "o'clock", "5'more", "café"]
    assert read(text).data["a"].tolist() == expected
    assert read_keel(io.BytesIO(text.encode("latin-1"))).data["a"].tolist() == expected


def test_values_outside_the_declared_range_are_kept():
    bunch = read(HEADER + "@data\n400, red, 5, apple\n9, blue, 1, plum\n")
    assert bunch.data["weight"].tolist() == [400, 9]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "no @data line"),
        ("a,b\n1,2\n", 1, "starts with @"),
        ("@data\n1,2\n", 1, "before any @attribute"),
        (HEADER, None, "no @data line"),
        (HEADER + "@data\n", None, "no rows"),
        (HEADER + "@data\n% only a note\n", None, "no rows"),
        (HEADER + "@attribute kind {a}\n" + ROWS, 6, "declared twice"),
        *(
            (
                HEADER + f"@attribute {wrong}\n" + ROWS,
                6,
                f"@attribute {wrong!r} is not a name with a type: integer or real,",
            )
            for wrong in (
                *("", "x", "x text", "x string", "x {a, b", "x {}", "x {a,,b}"),
                "x real [0, 1",
            )
        ),
        (HEADER + "@foo\n" + ROWS, 6, "unknown keyword @foo"),
        (HEADER + "@\n" + ROWS, 6, "unknown keyword @"),
        (HEADER + "@inputs taste\n" + ROWS, 6, "names 'taste', no attribute"),
        (HEADER + TAIL + "@outputs kind\n" + ROWS, 8, "second time"),
        (HEADER + "@inputs weight, kind\n@outputs kind\n" + ROWS, None, "both inp"),
        (HEADER + "@outputs weight, kind\n" + ROWS, None, "2 output attributes"),
        (HEADER + "@inputs weight\n" + ROWS, None, "3 output attributes"),
        ("@attribute kind {a}\n@data\na\n", None, "no input attributes"),
        (HEADER + ROWS + "1, red, 2\n", 9, "3 values, but the header declares 4"),
        (HEADER + ROWS + "1, red, 2, plum,\n", 9, "5 values"),
        (HEADER + ROWS + "1, , 2, plum\n", 9, "'colour' is empty"),
        (HEADER + ROWS + "1, green, 2, plum\n", 9, "'green' is not a declared value"),
        (
            HEADER + ROWS + "1, red, 2.5, plum\n",
            9,
            "'2.5' is not an integer value",
        ),
        (
            HEADER + ROWS + "many, red, 2, plum\n",
            9,
            "'many' is not a real value of 'weight'",
        ),
        (HEADER + ROWS + "nan, red, 2, plum\n", 9, "'nan' is not a real value"),
        (HEADER + ROWS + "1e999, red, 2, plum\n", 9, "'1e999' is not a real value"),
        (HEADER + ROWS + "1_0, red, 2, plum\n", 9, "'1_0' is not a real value"),
        (HEADER + ROWS + "1, red, 2, ?\n", 9, "the class 'kind' is missing"),
        ("@attribute a real\n@attribute c integer\n@data\n1,1e300", 4, "too large"),
    ],
)
def test_what_is_wrong_and_where(text, line, message):
    with pytest.raises(KeelFormatError) as caught:
        read(text)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert (f"line {line}: " in str(caught.value)) == (line is not None)


PIECES = [
    "@relation", "@attribute", "@inputs", "@outputs", "@data", "@", "real", "integer",
    "{", "}", "[", "]", ",", "'", '"', "%", "?", "<null>", "\n", "\r", " ", "\t", "a",
    "b", "1", "-2.5", "1e400", "\x00", "\x85", "é", "x real\n", "c {a,b}\n", "1,a\n",
]  # fmt: skip


def assert_reads_or_says_why(content):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            bunch = read_keel(io.BytesIO(content))
        except KeelFormatError:
            return
    assert isinstance(bunch.data, pd.DataFrame)
    assert len(bunch.data) == len(bunch.target) > 0
    assert bunch.data.shape[1] == len(bunch.numeric) + len(bunch.nominal) > 0


@given(st.binary(max_size=200))
def test_any_bytes(content):
    assert_reads_or_says_why(content)


@given(st.lists(st.sampled_from(PIECES), max_size=40))
def test_any_heap_of_pieces(pieces):
    assert_reads_or_says_why("".join(pieces).encode())


@given(
    st.integers(0, 300),
    st.integers(0, 30),
    st.lists(st.sampled_from(PIECES), max_size=3),
)
def test_any_mangled_file(start, length, pieces):
    text = HEADER + TAIL + ROWS
    mangled = text[:start] + "".join(pieces) + text[start + length :]
    assert_reads_or_says_why(mangled.encode())


names = st.text("abcXYZ-_.()0", min_size=1, max_size=6)
words = st.text("abc ,'é.-", min_size=1, max_size=5).map(str.strip).filter(bool)


@given(
    st.dictionaries(names, st.none() | st.sets(words, min_size=1), min_size=1),
    st.sets(names, min_size=1),
    st.data(),
)
def test_what_is_written_is_read(columns, classes, data):
    """A file written from a table gives the table, whatever it holds."""
    rows = data.draw(st.integers(1, 4))
    numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)
    table = {
        name: data.draw(
            st.lists(
                numbers if values is None else st.sampled_from([None, *sorted(values)]),
                min_size=rows,
                max_size=rows,
            )
        )
        for name, values in columns.items()
    }
    labels = data.draw(
        st.lists(st.sampled_from(sorted(classes)), min_size=rows, max_size=rows)
    )

    def quoted(value):
        return (
            "?" if value is None else f'"{value}"' if isinstance(value, str) else value
        )

    lines = [
        f'@attribute "{name}" '
        + ("real" if values is None else f"{{{','.join(map(quoted, sorted(values)))}}}")
        for name, values in columns.items()
    ]
    lines += [f"@attribute the+class {{{', '.join(map(quoted, sorted(classes)))}}}"]
    lines += ["@data"]
    for row in zip(*table.values(), labels, strict=True):
        lines.append(",".join(str(quoted(value)) for value in row))
    bunch = read("\n".join(lines))
    assert bunch.target.tolist() == labels
    assert list(bunch.data) == list(columns)
    for name, values in table.items():
        read_values = bunch.data[name].astype(object).tolist()
        assert [None if pd.isna(value) else value for value in read_values] == values


def test_long_lines_take_no_time():
    """No field of a hundred thousand characters sends the reader into a loop."""
    for filler in (" ", "1", "'", ",", "' ,", '"'):
        assert_reads_or_says_why((HEADER + "@data\n'a" + filler * 100_000).encode())


def test_split_fields():
    assert split_fields("") == []
    assert split_fields("a") == ["a"]
    assert split_fields("a,") == ["a", ""]
    assert split_fields("'a',") == ["a", ""]
    assert split_fields("'a,b' , c'd, 'e") == ["a,b", "c'd", "'e"]
