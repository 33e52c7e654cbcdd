import json
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import write_report
from isvmde.bench.report import make_sections
from isvmde.bench.store import make_results
from isvmde.bench.tables import (
    METRIC_NAMES,
    class_sizes,
    compare_methods,
    missing_cells,
    pooled_table,
    recall_table,
    score_table,
    sd_table,
    seconds_table,
    shared_cells,
)
from isvmde.published import load_scores
from isvmde.stats import corrected_resampled_t, friedman_aligned, holm_test

METHODS = ["SVM", "SDC", "i-SVM-DE-MAX", "i-SVM-DE-AVE", "my_own <b>&"]
DATASETS = ["zoo", "glass", "newthyroid", "my & set_1"]


def make_rows(
    datasets=DATASETS, methods=METHODS, repeats=2, folds=3, seed=0, budget="paper"
):
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
            "settings": {"folds": folds, "seed": seed, "budget": budget},
            "planned": {d: dict.fromkeys(methods, repeats) for d in datasets},
            "datasets": {
                dataset: {
                    "rows": 21,
                    "numeric": 3,
                    "nominal": 1,
                    "gaps": 0,
                    "classes": {"a": 14, "b": 7},
                }
                for dataset in datasets
            },
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


def test_the_deviation_of_one_repeat_is_that_of_its_folds():
    rows = make_rows(repeats=1)
    cell = rows[(rows["dataset"] == "glass") & (rows["method"] == "SDC")]
    expected = 100 * cell["cba"].std(ddof=1)
    assert sd_table(rows, "cba").loc["glass", "SDC"] == pytest.approx(expected)


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


def section_of(rows, title):
    return next(s for s in make_sections(rows) if s.title == title)


def tables_of(rows):
    return {t.key: t for section in make_sections(rows) for t in section.all_tables}


def test_tests_leave_out_data_sets_with_gaps_and_say_so(incomplete):
    text = " ".join(section_of(incomplete, "G-mean").paragraphs)
    assert "over the three data sets that every method has; zoo has gaps." in text
    whole = score_table(incomplete, "g_mean").drop(index="zoo")
    assert f"statistic {friedman_aligned(whole).statistic:.3f}" in text


def test_a_method_with_few_data_sets_does_not_cost_the_others_theirs():
    rows = make_rows()
    few = rows["method"].eq("SDC") & rows["dataset"].ne("zoo")
    found = compare_methods(rows[~few], "cba")
    assert found.left_out_methods == ["SDC"]
    assert found.left_out_datasets == []
    assert len(found.scores) == 4
    text = " ".join(section_of(rows[~few], "CBA").paragraphs)
    assert "cover different data sets" in text
    assert "leave out SDC" in text


def test_shared_cells_keep_all_methods_while_half_of_the_data_sets_are_left():
    nan = float("nan")
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, 2, nan, 4], "c": [1, nan, 3, 4]})
    assert shared_cells(table).shape == (2, 3)
    table.loc[0, "c"] = nan
    assert shared_cells(table).shape == (3, 2)
    assert shared_cells(table * nan).size == 0


def test_holm_is_against_the_best_and_adjusted_p_values_are_shown():
    rows = make_rows()
    scores = score_table(rows, "av_f_beta")
    table = tables_of(rows)["av_f_beta_tests"]
    holm = holm_test(scores)
    assert holm.attrs["control"] in table.caption
    adjusted = holm.set_index("method")["p_holm"].to_dict()
    assert table.values["p, adjusted"].to_dict() == pytest.approx(adjusted)
    assert "p" not in table.values.columns  # nothing unadjusted beside a verdict


def test_one_data_set_is_tested_over_its_folds():
    rows = make_rows(["zoo"])
    found = compare_methods(rows, "cba")
    assert (found.kind, found.n_folds) == ("folds", 6)
    a, b = (rows[rows["method"] == m]["cba"] for m in ("SVM", found.control))
    if found.control != "SVM":
        expected = corrected_resampled_t(100 * b, 100 * a, folds=3).statistic
        t = found.tests.set_index("method")["t"]
        assert t["SVM"] == pytest.approx(expected)
    text = " ".join(section_of(rows, "CBA").paragraphs)
    assert "corrected resampled t-test of Nadeau and Bengio" in text


def test_the_summary_names_the_leader_and_its_lead():
    rows = make_rows()
    rows.loc[rows["method"] == "SDC", list(METRIC_NAMES)] = 0.99
    rows.loc[rows["method"] == "SVM", list(METRIC_NAMES)] = 0.97
    (opening, g_mean, *_) = make_sections(rows)[0].paragraphs
    assert opening.startswith("Five methods on four data sets, all on the same folds.")
    assert "SDC leads with 99.0 per cent on average over four data sets" in g_mean
    assert "2.0 points before SVM, and is the best on four of them" in g_mean


def test_recall_comes_from_the_confusion_matrices_of_all_folds():
    rows = make_rows(["one"], ["SVM"], repeats=2)
    assert class_sizes(rows, "one").to_dict() == {"a": 14, "b": 7}
    both = sum(np.array(json.loads(cell)) for cell in rows["confusion"])
    recall = recall_table(rows, "one").loc["SVM"]
    assert recall["a"] == pytest.approx(100 * both[0, 0] / both[0].sum())
    assert {"recall-one", "confusion-one-SVM"} <= set(tables_of(rows))


def test_published_scores_stand_beside_ours():
    table = tables_of(make_rows())["cba_published"]
    assert list(table.values.columns) == METHODS[:4]
    published = load_scores("cba").loc["glass", "SDC"]
    measured = score_table(make_rows(), "cba").loc["glass", "SDC"]
    assert table.values.loc["glass", "SDC"] == pytest.approx(measured - published)
    assert f"({published:.1f}, " in table.texts.loc["glass", "SDC"]


def test_a_quick_run_does_not_stand_beside_published_scores():
    sections = make_sections(make_rows(budget="quick"))
    assert "Measured and published" not in [s.title for s in sections]
    assert "The budget was" in sections[0].paragraphs[0]


def test_own_data_sets_have_no_published_section():
    sections = make_sections(make_rows(["mine", "yours"]))
    assert "Measured and published" not in [s.title for s in sections]


def test_wilcoxon_compares_max_with_ave():
    assert compare_methods(make_rows(), "cba").wilcoxon is not None
    assert compare_methods(make_rows(methods=["SVM", "SDC"]), "cba").wilcoxon is None


def test_a_run_without_a_whole_repeat_is_reported(tmp_path):
    rows = make_rows()
    report = write_report(rows[rows["fold"] == 0], tmp_path)
    text = report.files[1].read_text("utf-8")
    assert "no method has a finished repeat yet" in text


def test_one_method_is_reported_without_tests(tmp_path):
    report = write_report(make_rows(DATASETS, ["SVM"]), tmp_path)
    text = report.files[1].read_text("utf-8")
    assert "There is no second method to compare it with." in text


def test_the_best_of_each_row_is_marked():
    table = tables_of(make_rows())["cba"]
    best = table.values.loc["zoo"].idxmax()
    line = next(x for x in table.to_markdown().splitlines() if x.startswith("| zoo"))
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    marked = [
        name for name, cell in zip(METHODS, cells[1:], strict=True) if "**" in cell
    ]
    assert marked == [best]


def test_latex_escapes_names_and_counts_its_columns():
    table = tables_of(make_rows())["cba"]
    text = table.to_latex()
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
    assert [path.name for path in one] == [path.name for path in two]
    assert {path.suffix for path in one} >= {".svg", ".pdf", ".tex", ".csv"}
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


def test_nothing_to_report(tmp_path):
    with pytest.raises(ValueError, match="no finished rows to report yet"):
        write_report(make_rows(datasets=[]), tmp_path)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_the_latex_tables_compile(tmp_path):
    write_report(make_rows(), tmp_path)
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path / "tables",
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "tables" / "all.pdf").stat().st_size > 10_000
