"""``isvmde predict`` decides by priors, costs and thresholds on the model as it is."""

import re

import pandas as pd
import pytest

from isvmde.cli.decisions import read_costs


@pytest.fixture
def model(isvmde, patients, tmp_path):
    path = tmp_path / "model.skops"
    code, _, err = isvmde(
        "fit", patients, "--target", "diagnosis", "-o", path, "--prior", "training"
    )
    assert code == 0, err
    return path


def counts(isvmde, model, patients, *words):
    out = patients.with_name("out.csv")
    code, _, err = isvmde("predict", model, patients, "-o", out, *words)
    assert code == 0, err
    return pd.read_csv(out)["prediction"].value_counts()


def test_costs_make_more_alarms_and_may_add_a_decision(isvmde, model, patients):
    costs = patients.with_name("costs.csv")
    usual = counts(isvmde, model, patients)
    costs.write_text("class,cost\nrare,500\nill,5\nwell,1\n")
    assert counts(isvmde, model, patients, "--costs", costs)["rare"] > usual["rare"]
    costs.write_text(
        "true;ill;rare;well;ask\nill;0;1;1;0,01\nrare;1;0;1;0,01\nwell;1;1;;0,01\n"
    )
    assert counts(isvmde, model, patients, "--costs", costs)["ask"] > 0


def test_thresholds_and_priors_move_decisions(isvmde, model, patients):
    usual = counts(isvmde, model, patients)
    eager = counts(isvmde, model, patients, "--threshold", "rare=0.001")
    assert eager["rare"] > usual["rare"]
    prior = "ill=0.01,rare=0.98,well=0.01"
    assert counts(isvmde, model, patients, "--prior", prior)["rare"] > usual["rare"]
    same = counts(isvmde, model, patients, "--prior", "training")
    assert same.to_dict() == usual.to_dict()


def test_probabilities_are_those_of_the_prior_asked_for(isvmde, model, patients):
    words = "predict", model, patients, "--proba", "--prior"
    balanced, training = (
        pd.read_csv(pd.io.common.StringIO(isvmde(*words, prior)[1]))
        for prior in ("balanced", "training")
    )
    assert (balanced["proba_rare"] >= training["proba_rare"]).all()
    assert (balanced["proba_rare"] > training["proba_rare"]).any()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--prior", "auto"], "is for `isvmde fit`"),
        (["--prior", "ill=0.1"], "class=probability for every class"),
        (["--threshold", "rar=0.1"], "the classes are ill, rare, well"),
        (["--threshold", "rare=2"], "at most 1"),
        (["--threshold", "rare"], "class=probability"),
        (["--costs", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_options_without_a_meaning_are_refused(isvmde, model, patients, words, message):
    code, _, err = isvmde("predict", model, patients, *words)
    assert code == 2
    assert message in err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("class,cost\nrare,500\nill,5\n", "a number for each of the classes"),
        ("class,cost\nrare,500\nill,x\nwell,1\n", "a number for each of the classes"),
        ("true,ill,well\nill,0,1\nrare,1,1\nwell,1,0\n", "no column for the class"),
        ("true,ill,rare,well\nill,0,1,1\nwell,1,1,0\n", "no row for the class 'rare'"),
        (
            "true,ill,rare,well\nill,0,1,1\nrare,,0,1\nwell,1,1,0\n",
            "give a number for it",
        ),
        ("rare\n1\n", "two columns or more"),
        ("", "two columns or more"),
        ("class,cost\nrare\n", "rows of different lengths"),
    ],
)
def test_a_file_of_costs_that_says_too_little_is_refused(
    isvmde, model, patients, text, message
):
    costs = patients.with_name("costs.csv")
    costs.write_text(text)
    code, _, err = isvmde("predict", model, patients, "--costs", costs)
    assert code == 2
    assert "costs.csv" in err
    assert message in err


def test_costs_and_threshold_are_not_given_together(isvmde, model, patients):
    costs = patients.with_name("costs.csv")
    costs.write_text("class,cost\nrare,500\nill,5\nwell,1\n")
    words = "--costs", costs, "--threshold", "rare=0.1"
    code, _, err = isvmde("predict", model, patients, *words)
    assert code == 2
    assert "give only one of them" in err


def test_a_model_without_calibrated_probabilities_says_so(isvmde, patients, tmp_path):
    path = tmp_path / "svm.skops"
    isvmde(
        *("fit", patients, "--target", "diagnosis", "--method", "Cost-SVM", "-o", path)
    )
    code, _, err = isvmde("predict", path, patients, "--threshold", "rare=0.1")
    assert code == 2
    assert "has no calibrated probabilities" in err


def test_what_decisions_cost_is_said_where_the_truth_is_known(isvmde, model, patients):
    costs, out = patients.with_name("costs.csv"), patients.with_name("out.csv")
    costs.write_text("class,cost\nrare,500\nill,5\nwell,1\n")
    _, _, err = isvmde("predict", model, patients, "--costs", costs, "-o", out)
    paid, otherwise = re.search(
        r"cost ([\d.]+) per row; predicting the likeliest class would cost ([\d.]+)",
        err,
    ).groups()
    true = pd.read_csv(patients)["diagnosis"]
    cost = true.map({"rare": 500, "ill": 5, "well": 1})
    assert float(paid) == pytest.approx(
        (cost * (pd.read_csv(out)["prediction"] != true)).mean(), rel=1e-3
    )
    isvmde("predict", model, patients, "-o", out)
    assert float(otherwise) == pytest.approx(
        (cost * (pd.read_csv(out)["prediction"] != true)).mean(), rel=1e-3
    )


def test_further_decisions_are_counted_and_not_scored(isvmde, model, patients):
    """Asking a doctor is neither right nor wrong, so it has no recall."""
    costs = patients.with_name("costs.csv")
    costs.write_text(
        "true,ill,rare,well,ask\nill,0,1,1,.1\nrare,1,0,1,.1\nwell,1,1,0,.1\n"
    )
    out = patients.with_name("out.csv")
    _, _, err = isvmde("predict", model, patients, "--costs", costs, "-o", out)
    assert "G-mean" not in err
    head, *lines = err.partition("decisions across:\n\n")[2].splitlines()[:4]
    shown = {line.split()[0]: list(map(int, line.split()[1:])) for line in lines}
    true, decided = pd.read_csv(patients)["diagnosis"], pd.read_csv(out)["prediction"]
    for label, row in shown.items():
        counted = decided[true == label].value_counts()
        assert row == [counted.get(name, 0) for name in head.split()]
    assert sum(map(sum, shown.values())) == len(true)


def test_the_file_of_costs_is_not_written_over(isvmde, model, patients):
    costs = patients.with_name("costs.csv")
    costs.write_text("class,cost\nrare,500\nill,5\nwell,1\n")
    code, _, _ = isvmde("predict", model, patients, "--costs", costs, "-o", costs)
    assert code == 2
    assert costs.read_text().startswith("class,cost")


@pytest.mark.parametrize(
    ("separator", "dear"),
    [(",", "1200.50"), (",", '"1,200.50"'), (";", "1200,50"), (";", "1.200,50")],
)
def test_costs_are_read_in_any_notation(separator, dear, isvmde, model, patients):
    rows = ["class,rare,ill,well", f"rare,0,{dear},{dear}", "ill,1,0,1", "well,1,1,0"]
    text = "\n".join(
        row if dear in row else row.replace(",", separator) for row in rows
    ).replace(f"rare,0,{dear},{dear}", separator.join(["rare", "0", dear, dear]))
    path = patients.with_name("costs.csv")
    path.write_text(text)
    costs = read_costs(path, {"rare": "rare", "ill": "ill", "well": "well"})
    assert pd.to_numeric(costs.loc["rare"]).tolist() == [0, 1200.5, 1200.5]
    code, _, err = isvmde("predict", model, patients, "--costs", path)
    assert code == 0, err


@pytest.mark.parametrize("dear", ["1.000", "1,000"])
def test_costs_that_may_be_a_thousand_or_one_are_refused(dear, isvmde, model, patients):
    costs = patients.with_name("costs.csv")
    costs.write_text(f"class;cost\nrare;{dear}\nill;5\nwell;1\n")
    code, _, err = isvmde("predict", model, patients, "--costs", costs)
    assert code == 2
    assert f"'{dear}' may be 1000, or a fraction; write it without" in err


@pytest.mark.parametrize(
    ("option", "share", "per_cent"),
    [
        ("--threshold", "rare=0.2", "rare=20%"),
        ("--prior", "rare=.01,ill=.09,well=.9", "rare=1%,ill=9 %,well=90%"),
    ],
)
def test_shares_may_be_in_per_cent(option, share, per_cent, isvmde, model, patients):
    plain = counts(isvmde, model, patients, option, share)
    pd.testing.assert_series_equal(
        counts(isvmde, model, patients, option, per_cent), plain
    )


def test_what_is_wrong_ends_before_where_to_read_on(isvmde, model, patients):
    _, _, err = isvmde("predict", model, patients, "--threshold", "rare")
    assert "the classes are ill, rare, well. See `isvmde predict --help`." in err


def test_merged_classes_are_found_again_by_every_command(isvmde, patients):
    table = pd.read_csv(patients)
    name = table.columns[-1]
    table[name] = table[name].where(table.index % 3 > 0, table[name].str.upper() + " ")
    data, model = patients.with_name("merged.csv"), patients.with_name("merged.skops")
    table.to_csv(data, index=False)
    assert isvmde("fit", data, "-o", model, "--merge-labels")[0] == 0
    _, _, err = isvmde("inspect", model, "--columns", data)
    assert "seem to be the rows the model was trained on" in err
    assert "does not know" not in err
    _, out, err = isvmde("explain", model, data, "--row", "1")
    assert "--training" not in err
    assert "this row" in out


def test_rows_without_a_class_are_counted(isvmde, model, patients):
    table = pd.read_csv(patients).astype({"diagnosis": object})
    table.loc[:1, "diagnosis"] = ["", "odd"]
    data = patients.with_name("gaps.csv")
    table.to_csv(data, index=False)
    _, _, err = isvmde("predict", model, data)
    assert "does not know: 'odd'; 1 row with them is not scored" in err
    assert "column 'diagnosis' holds no class in 1 row" in err
