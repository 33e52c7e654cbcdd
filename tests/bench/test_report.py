import json

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import write_report
from isvmde.bench.content import make_content
from isvmde.bench.markup import latex_table, markdown_table
from isvmde.bench.rows import make_results
from isvmde.bench.tables import (
    METRIC_NAMES,
    missing_cells,
    pooled_table,
    score_table,
    sd_table,
    seconds_table,
)
from isvmde.published import load_scores
from isvmde.stats import friedman_aligned, holm_test

METHODS = ["SVM", "SDC", "i-SVM-DE-MAX", "i-SVM-DE-AVE", "my_own <b>&"]
DATASETS = ["zoo", "glass", "newthyroid", "my & set_1"]


def make_rows(datasets=DATASETS, methods=METHODS, repeats=2, folds=3, seed=0):
    """Return made-up results of a finished run."""
    rng = np.random.default_rng(seed)
    records = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": repeat,
            "fold": fold,
            "status": "done",
            **{metric: rng.uniform() for metric in METRIC_NAMES},
            "recall": json.dumps({"a": 0.5, "b": None}),
            "confusion": json.dumps(rng.integers(1, 9, (2, 2)).tolist()),
            "fit_seconds": rng.uniform(0.1, 9),
            "predict_seconds": 0.1,
            "seed": 1,
            "config": "c",
            "environment": "e",
        }
        for dataset in datasets
        for method in methods
        for repeat in range(repeats)
        for fold in range(folds)
    ]
    return make_results(
        records,
        {
            "settings": {"folds": folds, "seed": seed, "budget": "quick"},
            "planned": {d: dict.fromkeys(methods, repeats) for d in datasets},
            "environments": {"e": {"isvmde": "0.1.0", "cpu": "a <fast> one"}},
        },
    )


def test_a_cell_is_the_mean_over_repeats_of_the_mean_over_folds():
    rows = make_rows()
    cell = rows[(rows["dataset"] == "glass") & (rows["method"] == "SDC")]
    repeats = cell.groupby("repeat")["cba"].mean()
    assert score_table(rows, "cba").loc["glass", "SDC"] == pytest.approx(
        100 * repeats.mean()
    )
    assert sd_table(rows, "cba").loc["glass", "SDC"] == pytest.approx(
        100 * repeats.std(ddof=1)
    )
    assert seconds_table(rows).loc["glass", "SDC"] == pytest.approx(
        cell["fit_seconds"].mean()
    )


def test_tables_keep_the_order_of_the_plan():
    table = score_table(make_rows(), "g_mean")
    assert list(table.index) == DATASETS
    assert list(table.columns) == METHODS


def test_pooled_scores_are_those_of_the_summed_matrix():
    rows = make_rows(["one"], ["SVM"], repeats=1)
    matrix = sum(np.array(json.loads(cell)) for cell in rows["confusion"])
    recall = np.diag(matrix) / matrix.sum(axis=1)
    expected = 100 * np.sqrt(recall.prod())
    assert pooled_table(rows, "g_mean").loc["one", "SVM"] == pytest.approx(expected)


def test_one_repeat_has_no_deviation():
    assert sd_table(make_rows(repeats=1), "cba").isna().all(axis=None)


@pytest.fixture
def incomplete():
    """A run that lacks one fold and one whole method, and failed once."""
    rows = make_rows()
    gone = rows["method"].eq("SDC") & rows["dataset"].eq("zoo")
    gone |= (
        (rows["method"] == "SVM") & (rows["dataset"] == "glass") & (rows.index % 6 == 1)
    )
    kept = rows[~gone].copy()
    last = kept.index[-1]
    kept.loc[last, ["status", "error"]] = ["failed", "ValueError: it <broke>"]
    kept.loc[last, list(METRIC_NAMES)] = np.nan
    return kept


def test_an_incomplete_run_names_what_is_missing(incomplete, tmp_path):
    missing = missing_cells(incomplete)
    assert missing == [
        "SDC on zoo lacks 6 of 6 folds",
        "SVM on glass lacks 1 of 6 folds",
        "my_own <b>& on my & set_1 lacks 1 of 6 folds",
    ]
    report = write_report(incomplete, tmp_path)
    assert report.missing == missing
    for file in report.files[:2]:
        text = file.read_text(encoding="utf-8")
        assert "This run is incomplete" in text
        assert "SDC on zoo lacks 6 of 6 folds" in text
    assert "it &lt;broke&gt;" in report.files[0].read_text(encoding="utf-8")


def test_gaps_are_gaps_and_whole_repeats_count(incomplete):
    table = score_table(incomplete, "cba")
    assert np.isnan(table.loc["zoo", "SDC"])
    assert table.isna().to_numpy().sum() == 1
    rows = incomplete[
        (incomplete["dataset"] == "glass")
        & (incomplete["method"] == "SVM")
        & (incomplete["repeat"] == 1)
    ]
    assert table.loc["glass", "SVM"] == pytest.approx(100 * rows["cba"].mean())


def test_tests_leave_out_data_sets_with_gaps_and_say_so(incomplete):
    section = make_content(incomplete).sections[1]
    assert "Left out of ranks and tests, having gaps: zoo." in section.paragraphs
    whole = score_table(incomplete, "g_mean").drop(index="zoo")
    expected = f"statistic {friedman_aligned(whole).statistic:.5f}"
    assert any(expected in text for text in section.paragraphs)


def test_holm_is_against_the_best_and_both_formulas_are_shown():
    rows = make_rows()
    scores = score_table(rows, "av_f_beta")
    tables = {table.key: table for table in make_content(rows).tables}
    table = tables["av_f_beta_holm"]
    assert holm_test(scores).attrs["control"] in table.caption
    paper = holm_test(scores, se="paper").set_index("method")["p"]
    assert table.values["p, paper's formula"].to_dict() == pytest.approx(
        paper.to_dict()
    )


def test_published_scores_stand_beside_ours():
    tables = {table.key: table for table in make_content(make_rows()).tables}
    table = tables["cba_published"]
    assert list(table.values.columns) == METHODS[:4]
    published = load_scores("cba").loc["glass", "SDC"]
    measured = score_table(make_rows(), "cba").loc["glass", "SDC"]
    assert table.values.loc["glass", "SDC"] == pytest.approx(measured - published)
    assert f"({published:.2f}, " in table.texts.loc["glass", "SDC"]


def test_own_data_sets_have_no_published_section():
    content = make_content(make_rows(["mine", "yours"]))
    assert "Measured and published" not in [s.title for s in content.sections]


def test_wilcoxon_compares_max_with_ave():
    with_both = make_content(make_rows()).sections[1].paragraphs
    without = make_content(make_rows(methods=["SVM", "SDC"])).sections[1].paragraphs
    assert any("MAX against AVE" in text for text in with_both)
    assert not any("MAX against AVE" in text for text in without)


@pytest.mark.parametrize(
    ("datasets", "methods"), [(["zoo"], METHODS), (DATASETS, ["SVM"])]
)
def test_small_runs_are_reported_without_tests(tmp_path, datasets, methods):
    report = write_report(make_rows(datasets, methods), tmp_path)
    assert "at least two methods on two data sets" in report.files[1].read_text("utf-8")


def test_the_best_of_each_row_is_marked():
    table = next(t for t in make_content(make_rows()).tables if t.key == "cba")
    best = table.values.loc["zoo"].idxmax()
    line = next(x for x in markdown_table(table).splitlines() if x.startswith("| zoo"))
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    marked = [
        name for name, cell in zip(METHODS, cells[1:], strict=True) if "**" in cell
    ]
    assert marked == [best]


def test_latex_escapes_names_and_counts_its_columns():
    table = next(t for t in make_content(make_rows()).tables if t.key == "cba")
    text = latex_table(table)
    assert r"my \& set\_1" in text
    assert r"\begin{tabular}{lrrrrr}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {len(METHODS)}


def test_names_cannot_break_the_page(tmp_path):
    page = write_report(make_rows(), tmp_path).files[0].read_text(encoding="utf-8")
    assert "my_own <b>" not in page
    assert "my_own &lt;b&gt;&amp;" in page


def test_tables_are_written_as_csv_with_their_numbers(tmp_path):
    write_report(make_rows(), tmp_path)
    table = pd.read_csv(tmp_path / "tables" / "g_mean.csv", index_col=0)
    expected = score_table(make_rows(), "g_mean")
    np.testing.assert_allclose(table.loc[DATASETS], expected, rtol=1e-5)
    assert "average" in table.index


def test_the_same_rows_give_the_same_bytes(tmp_path):
    one = write_report(make_rows(), tmp_path / "one").files
    two = write_report(make_rows(), tmp_path / "two").files
    assert len(one) == len(two) == 2 + 2 * 13 + 5
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


def test_nothing_to_report(tmp_path):
    with pytest.raises(ValueError, match="no finished rows to report yet"):
        write_report(make_rows(datasets=[]), tmp_path)
