import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import write_report
from isvmde.bench.content import Column, printed
from isvmde.bench.report import make_sections
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
from tests.bench.made_up_results import (
    DATASETS,
    METHODS,
    make_results,
    with_rows,
)


def test_a_cell_is_the_mean_over_repeats_of_the_mean_over_folds():
    results = make_results()
    rows = results.rows
    cell = rows[(rows["dataset"] == "glass") & (rows["method"] == "SDC")]
    repeats = cell.groupby("repeat")["cba"].mean()
    assert score_table(results, "cba").loc["glass", "SDC"] == pytest.approx(
        100 * repeats.mean()
    )
    assert sd_table(results, "cba").loc["glass", "SDC"] == pytest.approx(
        100 * repeats.std(ddof=1)
    )
    assert seconds_table(results).loc["glass", "SDC"] == pytest.approx(
        cell["fit_seconds"].mean()
    )


def test_tables_keep_the_order_of_the_plan():
    table = score_table(make_results(), "g_mean")
    assert list(table.index) == DATASETS
    assert list(table.columns) == METHODS


def test_pooled_scores_are_those_of_the_summed_matrix():
    results = make_results(["one"], ["SVM"], repeats=1)
    rows = results.rows
    matrix = sum(np.array(json.loads(cell)) for cell in rows["confusion"])
    recall = np.diag(matrix) / matrix.sum(axis=1)
    expected = 100 * np.sqrt(recall.prod())
    assert pooled_table(results, "g_mean").loc["one", "SVM"] == pytest.approx(expected)


def test_the_deviation_of_one_repeat_is_that_of_its_folds():
    results = make_results(repeats=1)
    rows = results.rows
    cell = rows[(rows["dataset"] == "glass") & (rows["method"] == "SDC")]
    expected = 100 * cell["cba"].std(ddof=1)
    assert sd_table(results, "cba").loc["glass", "SDC"] == pytest.approx(expected)


@pytest.fixture
def incomplete():
    """A run that lacks one fold and one whole method, and failed once."""
    results = make_results()
    rows = results.rows
    gone = rows["method"].eq("SDC") & rows["dataset"].eq("zoo")
    gone |= (
        (rows["method"] == "SVM") & (rows["dataset"] == "glass") & (rows.index % 6 == 1)
    )
    kept = rows[~gone].copy()
    last = kept.index[-1]
    kept.loc[last, ["status", "error"]] = ["failed", "ValueError: it <broke>"]
    kept.loc[last, list(METRIC_NAMES)] = np.nan
    return with_rows(results, kept)


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
    rows = incomplete.rows
    rows = rows[
        (rows["dataset"] == "glass") & (rows["method"] == "SVM") & (rows["repeat"] == 1)
    ]
    assert table.loc["glass", "SVM"] == pytest.approx(100 * rows["cba"].mean())


def section_of(results, title):
    return next(s for s in make_sections(results) if s.title == title)


def tables_of(results):
    return {t.key: t for section in make_sections(results) for t in section.all_tables}


def test_tests_leave_out_data_sets_with_gaps_and_say_so(incomplete):
    text = " ".join(section_of(incomplete, "G-mean").paragraphs)
    assert "over the three data sets that every method has; zoo has gaps." in text
    whole = score_table(incomplete, "g_mean").drop(index="zoo")
    assert f"statistic {friedman_aligned(whole).statistic:.3f}" in text


def test_a_method_with_few_data_sets_does_not_cost_the_others_theirs():
    results = make_results()
    rows = results.rows
    few = rows["method"].eq("SDC") & rows["dataset"].ne("zoo")
    found = compare_methods(with_rows(results, rows[~few]), "cba")
    assert found.left_out_methods == ["SDC"]
    assert found.left_out_datasets == []
    assert len(found.scores) == 4
    text = " ".join(section_of(with_rows(results, rows[~few]), "CBA").paragraphs)
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
    results = make_results()
    scores = score_table(results, "av_f_beta")
    table = tables_of(results)["av_f_beta_tests"]
    holm = holm_test(scores)
    assert holm.attrs["control"] in table.caption
    adjusted = holm.set_index("method")["p_holm"].to_dict()
    assert table.values["p, adjusted"].to_dict() == pytest.approx(adjusted)
    assert "p" not in table.values.columns  # nothing unadjusted beside a verdict


def test_one_data_set_is_tested_over_its_folds():
    results = make_results(["zoo"])
    rows = results.rows
    found = compare_methods(results, "cba")
    assert found.over_datasets is None
    assert found.over_folds.n_folds == 6
    control = found.over_folds.control
    a, b = (rows[rows["method"] == m]["cba"] for m in ("SVM", control))
    if control != "SVM":
        expected = corrected_resampled_t(100 * b, 100 * a, folds=3).statistic
        t = found.over_folds.tests.set_index("method")["t"]
        assert t["SVM"] == pytest.approx(expected)
    text = " ".join(section_of(results, "CBA").paragraphs)
    assert "corrected resampled t-test of Nadeau and Bengio" in text


def test_the_summary_names_the_leader_and_its_lead():
    results = make_results()
    rows = results.rows
    rows.loc[rows["method"] == "SDC", list(METRIC_NAMES)] = 0.99
    rows.loc[rows["method"] == "SVM", list(METRIC_NAMES)] = 0.97
    (opening, g_mean, *_) = make_sections(results)[0].paragraphs
    assert opening.startswith("Five methods on four data sets, all on the same folds.")
    assert "SDC leads with 99.0 per cent on average over four data sets" in g_mean
    assert "2.0 points ahead of SVM, and is the best on four of them" in g_mean


def test_nobody_leads_where_every_method_misses_a_class():
    results = make_results()
    rows = results.rows
    rows["g_mean"] = 0.0
    (opening, g_mean, *_) = make_sections(results)[0].paragraphs
    assert "G-mean: no method leads." in g_mean
    assert "G-mean" not in opening


def test_recall_comes_from_the_confusion_matrices_of_all_folds():
    results = make_results(["one"], ["SVM"], repeats=2)
    rows = results.rows
    assert class_sizes(results, "one").to_dict() == {"a": 14, "b": 7}
    both = sum(np.array(json.loads(cell)) for cell in rows["confusion"])
    recall = recall_table(results, "one").loc["SVM"]
    assert recall["a"] == pytest.approx(100 * both[0, 0] / both[0].sum())
    assert {"recall-one", "confusion-one-SVM"} <= set(tables_of(results))


def test_published_scores_stand_beside_ours():
    table = tables_of(make_results())["cba_published"]
    assert list(table.values.columns) == METHODS[:4]
    published = load_scores("cba").loc["glass", "SDC"]
    measured = score_table(make_results(), "cba").loc["glass", "SDC"]
    assert table.values.loc["glass", "SDC"] == pytest.approx(measured - published)
    assert f"({published:.1f}, " in table.texts.loc["glass", "SDC"]


def test_a_quick_run_does_not_stand_beside_published_scores():
    sections = make_sections(make_results(budget="quick"))
    assert "Measured and published" not in [s.title for s in sections]
    assert "The budget was" in sections[0].paragraphs[0]


def test_own_data_sets_have_no_published_section():
    sections = make_sections(make_results(["mine", "yours"]))
    assert "Measured and published" not in [s.title for s in sections]


def test_wilcoxon_compares_max_with_ave():
    assert compare_methods(make_results(), "cba").over_datasets.wilcoxon is not None
    two = compare_methods(make_results(methods=["SVM", "SDC"]), "cba")
    assert two.over_datasets.wilcoxon is None


def test_a_run_without_a_whole_repeat_is_reported(tmp_path):
    results = make_results(["zoo"])
    rows = results.rows
    report = write_report(with_rows(results, rows[rows["fold"] == 0]), tmp_path)
    text = report.files[1].read_text("utf-8")
    assert "no method has a finished repeat yet" in text


def test_one_method_is_reported_without_tests(tmp_path):
    report = write_report(make_results(["zoo"], ["SVM"]), tmp_path)
    text = report.files[1].read_text("utf-8")
    assert "There is no second method to compare it with." in text


def test_the_best_of_each_row_is_marked():
    table = tables_of(make_results())["cba"]
    best = table.values.loc["zoo"].idxmax()
    line = next(x for x in table.to_markdown().splitlines() if x.startswith("| zoo"))
    cells = [cell.strip() for cell in line.strip("|").split(" | ")]
    marked = [
        name for name, cell in zip(METHODS, cells[1:], strict=True) if "**" in cell
    ]
    assert marked == [best]


def test_each_column_is_printed_in_its_own_format():
    values = pd.DataFrame({"rows": [21.0, np.nan], "p": [0.123, 1.0]}, index=["a", "b"])
    texts = printed(values, [Column("rows", "{:.0f}"), Column("p", "{:.2g}")])
    assert texts.to_dict("list") == {"rows": ["21", "–"], "p": ["0.12", "1"]}
    with pytest.raises(ValueError, match="columns"):
        printed(values, [Column("p"), Column("rows")])


def test_groups_of_rows_are_described():
    results = make_results(datasets=["zoo", "glass"])
    results.datasets["glass"]["groups"] = 7
    described = make_sections(results)[1].tables[0]
    assert described.texts["groups"].to_dict() == {"zoo": "–", "glass": "7"}
    assert "groups" in described.header


def test_latex_escapes_names_and_counts_its_columns():
    table = tables_of(make_results())["cba"]
    text = table.to_latex()
    assert r"my \& set\_1" in text
    assert r"\begin{tabular}{lrrrrr}" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert {line.replace(r"\&", "").count("&") for line in rows} == {len(METHODS)}


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """The report of the made-up results: drawing its figures takes seconds."""
    return write_report(make_results(), tmp_path_factory.mktemp("usual"))


def test_names_cannot_break_the_page(usual):
    page = usual.files[0].read_text(encoding="utf-8")
    assert "my_own <b>" not in page
    assert "my_own &lt;b&gt;&amp;" in page


def test_data_sets_that_differ_in_a_sign_alone_have_files_of_their_own(tmp_path):
    datasets = ["x y", "x-y", "X_Y", "x/y"]
    report = write_report(make_results(datasets, methods=["SVM", "SDC"]), tmp_path)
    names = [path.name for path in report.files]
    assert len({name.casefold() for name in names}) == len(names)
    tables = [path for path in report.files if path.name.startswith("recall-")]
    assert len([path for path in tables if path.suffix == ".csv"]) == len(datasets)
    page = report.files[0].read_text(encoding="utf-8")
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(set(ids)) == len(ids)


AWKWARD = [
    "$^$",
    "#$1#$",
    "<script>alert(1)</script>",
    "[a](http://b)",
    "\x1b[31m",
    "_x",
]


@pytest.mark.parametrize("n_datasets", [1, 4])
def test_names_are_shown_and_not_obeyed(tmp_path, n_datasets):
    """Not as mathematics in a figure, nor as HTML or links in Markdown."""
    results = make_results(
        datasets=AWKWARD[:n_datasets], methods=AWKWARD, classes=("$^$", "<b>$\x1b")
    )
    written = write_report(results, tmp_path)
    text = written.files[1].read_text(encoding="utf-8")
    assert written.files[1].name == "report.md"
    assert "<script" not in text
    assert "<b" not in text
    assert "&lt;script>alert(1)&lt;/script>" in text
    assert r"\[a\](http://b)" in text
    page = written.files[0].read_text(encoding="utf-8")
    assert page.count("<script>") == 1  # the page's own
    for path in written.files:
        if path.suffix in (".md", ".tex"):  # browsers show no control characters
            assert "\x1b" not in path.read_text(encoding="utf-8"), path


def test_tables_are_written_as_csv_with_their_numbers(usual):
    (file,) = (path for path in usual.files if path.name == "g_mean.csv")
    table = pd.read_csv(file, index_col=0)
    expected = score_table(make_results(), "g_mean")
    np.testing.assert_allclose(table.loc[DATASETS], expected, rtol=1e-5)
    assert "average" in table.index


def test_the_same_rows_give_the_same_bytes(usual, tmp_path):
    one = usual.files
    two = write_report(make_results(), tmp_path).files
    assert [path.name for path in one] == [path.name for path in two]
    assert {path.suffix for path in one} >= {".svg", ".pdf", ".tex", ".csv"}
    for a, b in zip(one, two, strict=True):
        assert a.read_bytes() == b.read_bytes(), a.name


def test_nothing_to_report(tmp_path):
    with pytest.raises(ValueError, match="no finished rows to report yet"):
        write_report(make_results(datasets=[]), tmp_path)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="LaTeX is not installed")
def test_the_latex_tables_compile(tmp_path):
    write_report(make_results(), tmp_path)
    run = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path / "tables",
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-2000:]
    assert (tmp_path / "tables" / "all.pdf").stat().st_size > 10_000
