"""The page of results: it follows from the rows, and the rows from the software."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from isvmde.bench import export_rows, load_results, run_benchmark
from isvmde.bench.environment import environment
from isvmde.bench.rows import make_results
from isvmde.bench.tables import score_table, sd_table
from isvmde.published import METRICS, load_scores

pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parents[1]
SCORES = {metric: load_scores(metric) for metric in METRICS}
DATASETS, METHODS = list(SCORES["cba"].index), list(SCORES["cba"].columns)
SMALL = ["hayes-roth", "newthyroid"]


@pytest.fixture(autouse=True)
def _scripts_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))


@pytest.fixture
def build():
    from results_page.page import build

    return build


def rows_of(scores, *, repeats=2, folds=2, left_out=()):
    """Return rows whose means are `scores` (in per cent)."""
    datasets, methods = scores["cba"].index, scores["cba"].columns
    records = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": repeat,
            "fold": fold,
            "status": "done",
            **{metric: scores[metric].loc[dataset, method] / 100 for metric in METRICS},
            "fit_seconds": 1.5,
            "predict_seconds": 0.1,
            "seed": 1,
            "environment": "abc",
        }
        for dataset in datasets
        for method in methods
        for repeat in range(repeats)
        for fold in range(folds)
        if (dataset, method, repeat, fold) not in left_out
    ]
    notes = {
        "settings": {"format": 1, "folds": folds, "seed": 0, "budget": "paper"},
        "planned": {d: dict.fromkeys(methods, repeats) for d in datasets},
        "environments": {"abc": environment()},
    }
    return make_results(records, notes)


def company_scores(raised=()):
    """Return scores of the company: SVM's, some data sets raised above everything."""
    from company import COMPANY

    scores = {}
    for metric in METRICS:
        columns = dict.fromkeys(COMPANY, SCORES[metric]["SVM"] - 1)
        scores[metric] = pd.DataFrame(columns)
        for dataset, name in raised:
            scores[metric].loc[dataset, name] = SCORES[metric].loc[dataset].max() + 0.5
    return scores


def curve_table():
    """Return curves whose fitness falls while the test scores stand still."""
    ends = {"joint": 200, "pairwise": 50, "random": 200}
    return pd.DataFrame(
        [
            {
                "dataset": dataset,
                "fitness": fitness,
                "search": search,
                "generation": generation,
                "best_fitness": 0.5 / (1 + generation),
                **dict.fromkeys(METRICS, 0.8),
                "n_svms": 40 * (generation + 1),
                **{f"{metric}_sd": 0.01 for metric in METRICS},
                "n_folds": 15,
            }
            for dataset in ("glass", "zoo", "newthyroid", "hayes-roth", "ecoli")
            for fitness in ("ave", "max")
            for search, end in ends.items()
            for generation in (0, 5, 10, 20, 50, 100, 200)
            if generation <= end
        ]
    )


def write_curves(folder):
    notes = {
        "settings": {
            "folds": 5,
            "seed": 0,
            "pop_size": 40,
            "max_iter": 200,
            "repeats": 3,
        },
        "environments": [environment()],
    }
    with (folder / "curves.csv").open("w") as file:
        file.write("# isvmde curves " + json.dumps(notes) + "\n")
        curve_table().to_csv(file, index=False)


@pytest.fixture
def complete(tmp_path):
    """A folder of results in which everything was measured as published."""
    export_rows(rows_of(SCORES), tmp_path / "paper.csv")
    company = company_scores([("glass", "random forest"), ("zoo", "balanced SVC")])
    export_rows(rows_of(company), tmp_path / "company.csv")
    write_curves(tmp_path)
    return tmp_path


def text_of(folder):
    """Return the page; figures are not drawn."""
    from results_page.page import make_page

    return make_page(folder).text


def test_published_scores_measured_again_confirm_every_finding(complete):
    page = text_of(complete)
    assert "incomplete" not in page.lower()
    assert "Missing" not in page
    assert "and 0 do not." in page
    assert "**no**" not in page
    assert "(+0.00)" in page
    # Not a cell differs from the published one.
    assert set(re.findall(r"\(([+-]\d+\.\d\d)\)", page)) == {"+0.00"}


def test_holm_with_the_papers_error_rejects_what_the_paper_does(complete):
    page = text_of(complete)
    (sentence,) = (
        line for line in page.splitlines() if line.startswith("G-mean, Holm against")
    )
    five = "NBSVM, PPSVM, SVM, WK-SMOTE and Static-SMOTE"
    assert f"better than {five};" in sentence
    assert f"for {five} with the paper's (5)." in sentence
    assert "for NBSVM and PPSVM with the corrected standard error (2 of 5)" in sentence


def test_a_finding_that_the_scores_contradict_is_said_not_to_hold(complete):
    scores = {metric: table.copy() for metric, table in SCORES.items()}
    scores["cba"]["i-SVM-DE-AVE"] -= 30
    export_rows(rows_of(scores), complete / "paper.csv")
    page = text_of(complete)
    found = re.findall(r"^\| (\S.*?) +\| \*\*no\*\*", page, flags=re.MULTILINE)
    assert "i-SVM-DE-AVE has the best rank on CBA" in found
    assert "MAX and AVE do not differ on CBA (Wilcoxon)" in found
    assert "SDC has the best rank on G-mean" not in found


def test_company_that_wins_is_named_with_its_data_sets(complete):
    page = text_of(complete)
    won = "G-mean on glass (1); AvF on glass (1); CBA on glass (1)."
    assert f"- random forest: {won}" in page
    assert "- gradient boosting: G-mean on none; AvF on none; CBA on none." in page


def test_curves_that_stand_still_are_not_called_a_gain(complete):
    page = text_of(complete)
    assert page.count("by less than the standard deviation over repeats") == 2
    assert "helps" not in page


def test_what_is_missing_is_named(complete):
    gone = {("zoo", "SDC", repeat, fold) for repeat in (0, 1) for fold in (0, 1)}
    gone.add(("glass", "SDC", 1, 0))
    export_rows(rows_of(SCORES, left_out=gone), complete / "paper.csv")
    (complete / "curves.csv").unlink()
    page = text_of(complete)
    assert "SDC: 1 of 4 folds of glass; all folds of zoo" in page
    assert "preliminary: 14 of 15 data sets" in page
    assert "- fitness against test score: all of it" in page
    assert "results/curves.csv is missing" in page


@pytest.mark.parametrize("kept", [[], ["paper.csv"], ["company.csv"]])
def test_any_part_may_be_missing(complete, kept):
    for file in complete.glob("*.csv"):
        if file.name not in kept:
            file.unlink()
    assert text_of(complete).startswith("<!-- Generated by")


def test_a_method_that_is_not_in_the_paper_is_shown_beside_the_nine(complete):
    scores = {m: t.assign(**{"i-SVM-DE-LOO": t["SDC"] + 1}) for m, t in SCORES.items()}
    export_rows(rows_of(scores), complete / "paper.csv")
    page = text_of(complete)
    assert "and 0 do not." in page  # the findings are about the nine
    assert "i-SVM-DE-LOO, not in the paper, against i-SVM-DE-AVE" in page
    from results_page.page import make_page

    short = make_page(complete).short
    mean = SCORES["g_mean"]["SDC"].mean() + 1
    assert f"| i-SVM-DE-LOO | {mean:.2f} |" in short


def test_the_same_rows_give_the_same_bytes(complete):
    from results_page.page import make_page

    from isvmde.bench.figures import to_svg

    one, two = make_page(complete), make_page(complete)
    assert (one.text, one.short) == (two.text, two.short)
    drawn = [to_svg(page.figures[0].draw()) for page in (one, two)]
    assert drawn[0] == drawn[1]


def test_every_image_of_the_page_is_written(complete, build):
    written = {path.name for path in build(complete, complete / "docs")}
    assert "results-curves.svg" in written
    page = (complete / "docs" / "results.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(img/(.*?)\)", page))
    assert linked | {"results.md", "_results_short.md"} == written


def test_curves_end_at_the_model_of_the_benchmark():
    from curves import FITNESS, FoldOfData, curve_rows

    from isvmde import ISVMDEClassifier
    from isvmde.bench.fold import SCORES as score_functions
    from isvmde.bench.plan import derive_seed

    rows = pd.DataFrame(curve_rows("hayes-roth", 1, 2, pop_size=6, max_iter=5))
    part = FoldOfData("hayes-roth", 1, 2, 5, 0)
    for fitness, method in FITNESS.items():
        model = ISVMDEClassifier(
            fitness=fitness,
            pop_size=6,
            max_iter=5,
            random_state=derive_seed(0, "hayes-roth", method, 1, 2),
        ).fit(part.X, part.y)
        end = rows[(rows.search == "joint") & (rows.fitness == fitness)].iloc[-1]
        assert end.best_fitness == model.fitness_
        predicted = model.predict(part.X_test)
        for name, score in score_functions.items():
            assert end[name] == score(part.y_test, predicted)
    counts = rows.pivot_table("n_svms", ["fitness", "generation"], "search")
    # Random search gets at least the joint search's SVMs, and no whole batch more.
    n_pairs = 3
    assert (counts["random"] >= counts["joint"]).all()
    assert (counts["random"] < counts["joint"] + 6 * n_pairs).all()


def test_company_runs_on_a_class_of_two_samples(tmp_path):
    pytest.importorskip("imblearn")
    from company import COMPANY

    data = np.random.default_rng(0).normal(size=(40, 3))
    target = np.array(["1"] * 25 + ["2"] * 13 + ["3"] * 2)
    data[target == "2"] += 3
    columns = ["a", "b", "c"]
    bunch = Bunch(
        data=pd.DataFrame(data, columns=columns),
        target=target,
        numeric=columns,
        nominal=[],
    )
    rows = run_benchmark({"own": bunch}, COMPANY, store=tmp_path, folds=2)
    assert rows["error"].isna().all()
    assert len(rows) == 2 * len(COMPANY)
    assert rows["av_f_beta"].mean() > 0.4


# What is committed


@pytest.fixture
def committed():
    file = ROOT / "results" / "paper.csv"
    if not file.is_file():
        pytest.skip("results/paper.csv is not there: run scripts/run_paper.py")
    return load_results(file)


def test_the_committed_page_follows_from_the_committed_rows(committed, tmp_path, build):
    import matplotlib

    written = {path.relative_to(tmp_path) for path in build(ROOT / "results", tmp_path)}
    folders = (ROOT / "docs", tmp_path)
    old, new = ((folder / "results.md").read_text() for folder in folders)
    assert new.splitlines()[1:] == old.splitlines()[1:]  # 0 names matplotlib
    short = Path("_results_short.md")
    assert (tmp_path / short).read_bytes() == (ROOT / "docs" / short).read_bytes()
    drawn_by = re.search(r"matplotlib (\S+)\. Do not", old)[1]
    if drawn_by != matplotlib.__version__:
        pytest.skip(f"the figures were drawn by matplotlib {drawn_by}")
    for path in written:
        assert (tmp_path / path).read_bytes() == (ROOT / "docs" / path).read_bytes()


@pytest.mark.parametrize(
    "method", ["SVM", pytest.param("i-SVM-DE-AVE", marks=pytest.mark.slow)]
)
def test_the_software_gives_the_committed_scores_again(committed, tmp_path, method):
    known = committed[(committed["method"] == method) & (committed["repeat"] == 0)]
    known = known[known["dataset"].isin(SMALL) & (known["status"] == "done")]
    settings = committed.attrs["settings"]
    options = {name: settings[name] for name in ("folds", "seed", "budget")}
    again = run_benchmark(SMALL, [method], store=tmp_path, **options)
    (used,) = set(known["environment"])
    if committed.attrs["environments"][used] == environment():
        key = ["dataset", "fold"]
        columns = [*METRICS, "confusion"]
        pd.testing.assert_frame_equal(
            again.set_index(key)[columns].sort_index(),
            known.set_index(key)[columns].sort_index(),
            check_exact=True,
        )
        return
    for metric in METRICS:
        measured = score_table(again, metric).loc[SMALL, method]
        mean = score_table(committed, metric).loc[SMALL, method]
        sd = sd_table(committed, metric).loc[SMALL, method]
        assert ((measured - mean).abs() <= 2 * sd + 1e-9).all()
