"""``isvmde inspect --columns`` names the columns that a model needs."""

import json

import numpy as np
import pandas as pd
import pytest


def write_table(path, seed, n=120):
    rng = np.random.default_rng(seed)
    kind = rng.choice(["well", "ill"], n, p=[0.7, 0.3])
    ill = kind == "ill"
    table = pd.DataFrame(
        {
            "marker": (rng.normal(2.0 * ill, 1.0)).round(2),
            "noise": rng.normal(size=n).round(2),
            "sex": np.where(rng.random(n) < 0.3 + 0.4 * ill, "f", "m"),
            "kind": kind,
        }
    )
    table.to_csv(path, index=False)
    return path


@pytest.fixture
def model(isvmde, tmp_path):
    path = tmp_path / "model.skops"
    data = write_table(tmp_path / "data.csv", 0)
    code, _, err = isvmde("fit", data, "--target", "kind", "-o", path)
    assert code == 0, err
    return path


@pytest.mark.parametrize("score", ["log-loss", "balanced-accuracy"])
def test_the_column_that_decides_comes_first(isvmde, model, tmp_path, score):
    later = write_table(tmp_path / "later.csv", 1)
    words = "inspect", model, "--columns", later, "--score", score
    code, out, err = isvmde(*words, "--json")
    assert (code, err) == (0, "")
    table = pd.DataFrame(json.loads(out)["importance"]).set_index("column")
    assert table.index[0] == "marker"
    assert abs(table["importance"]["noise"]) < table["importance"]["marker"] / 3
    assert table["relevance"].max() == 1.0
    assert table["relevance"].idxmax() == "marker"
    _, shown, _ = isvmde(*words)
    assert shown.index("marker") < shown.index("noise")


def test_rows_of_training_and_strange_classes_are_pointed_out(isvmde, model, tmp_path):
    _, _, err = isvmde("inspect", model, "--columns", tmp_path / "data.csv")
    assert "these seem to be the rows the model was trained on" in err
    later = write_table(tmp_path / "later.csv", 1)
    text = later.read_text().replace(",ill", ",sick", 2)
    later.write_text(text)
    _, _, err = isvmde("inspect", model, "--columns", later)
    assert "'sick'; 2 rows with them are not scored" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace("kind", "other"), "has no column 'kind'"),
        (lambda text: text.replace("well", "a").replace("ill", "b"), "none of the"),
    ],
)
def test_rows_without_their_class_are_refused(isvmde, model, tmp_path, change, message):
    later = write_table(tmp_path / "later.csv", 1)
    later.write_text(change(later.read_text()))
    code, _, err = isvmde("inspect", model, "--columns", later)
    assert code == 2
    assert message in err
