"""The page of results: it follows from the rows, and the rows from the software."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isvmde.bench import Results, export_rows, load_results, run_benchmark
from isvmde.bench.fold import environment
from isvmde.bench.tables import score_table, sd_table
from isvmde.competitors import COMPETITORS
from isvmde.published import METRICS, load_scores

pytest.importorskip("matplotlib")

ROOT = Path(__file__).resolve().parents[2]
SCORES = {metric: load_scores(metric) for metric in METRICS}
DATASETS, METHODS = list(SCORES["cba"].index), list(SCORES["cba"].columns)
SMALL = ["hayes-roth", "newthyroid"]
OURS = "i-SVM-LOO"
EXPERIMENTS = ("checks", "ideas", "selection")  # that the page says it lacks


@pytest.fixture(autouse=True)
def _research_on_path(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "research"))


@pytest.fixture
def build():
    from build_results import build

    return build


def results_of(scores, *, repeats=2, folds=2, left_out=(), confusion="[[1,0],[0,1]]"):
    """Return results whose means are `scores` (in per cent)."""
    datasets, methods = scores["cba"].index, scores["cba"].columns
    records = [
        {
            "dataset": dataset,
            "method": method,
            "repeat": repeat,
            "fold": fold,
            "status": "done",
            **{metric: scores[metric].loc[dataset, method] / 100 for metric in METRICS},
            "confusion": confusion,
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
    return Results.from_records(
        records,
        settings={"format": 1, "folds": folds, "seed": 0, "budget": "paper"},
        planned={d: dict.fromkeys(methods, repeats) for d in datasets},
        datasets={},
        environments={"abc": environment()},
    )


def competitor_scores(raised=()):
    """Return scores of the competitors: SVM's, some raised above everything."""
    scores = {}
    for metric in METRICS:
        columns = dict.fromkeys(COMPETITORS, SCORES[metric]["SVM"] - 1)
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


def write_folds(folder, name, table, repeats=3):
    notes = {
        "settings": {"folds": 5, "seed": 0, "repeats": repeats},
        "environments": [environment()],
    }
    with (folder / f"{name}.csv").open("w") as file:
        file.write("# isvmde folds " + json.dumps(notes) + "\n")
        table.to_csv(file, index=False)


def write_complete(folder):
    """Write results in which everything was measured as published."""
    export_rows(results_of(with_ours(1.0)), folder / "paper.csv")
    theirs = competitor_scores([("glass", "random forest"), ("zoo", "CatBoost")])
    export_rows(results_of(theirs), folder / "competitors.csv")
    write_folds(folder, "curves", curve_table())
    return folder


@pytest.fixture
def complete(tmp_path):
    """A folder of such results, to be changed."""
    return write_complete(tmp_path)


@pytest.fixture(scope="module")
def complete_made(tmp_path_factory):
    """What follows from such results: making it takes seconds."""
    return made_of(write_complete(tmp_path_factory.mktemp("complete")))


@pytest.fixture
def complete_pages(complete_made):
    pages, _ = complete_made
    return pages


def with_ours(points, below=()):
    """Return the published scores with a tenth method this far above SDC."""
    scores = {m: t.assign(**{OURS: t["SDC"] + points}) for m, t in SCORES.items()}
    for metric, dataset, score in below:
        scores[metric].loc[dataset, OURS] = score
    return scores


def pages_and_figures(folder):
    """Return the pages as text, and figures that are not drawn."""
    from build_results import PAGES, ROOT, gather, render

    from isvmde.bench.content import environment_for

    facts, figures = gather(folder)
    environment = environment_for(ROOT / "research" / "templates")
    return {page: render(environment, page, facts) for page in PAGES}, figures


def pages_of(folder):
    pages, _ = pages_and_figures(folder)
    return pages


def made_of(folder):
    """Return the pages as text, and the bytes of one figure."""
    from isvmde.bench.figures import to_bytes

    pages, figures = pages_and_figures(folder)
    return pages, to_bytes(figures["ranks"].draw(), "svg")


def text_of(pages):
    return " ".join(pages["results.md"].split())


def test_published_scores_measured_again_confirm_every_statement(complete_pages):
    page = text_of(complete_pages)
    assert "incomplete" not in page.lower()
    judged = claims_of(page)
    assert judged
    assert all(published == ours for published, ours in judged.values())
    # Not a cell differs from the published one.
    table = page[page.index("Table 3 of the paper") : page.index("## Ranks")]
    assert set(re.findall(r"\(([+-]\d+\.\d\d)\)", table)) == {"+0.00"}


def claims_of(page):
    """Return {claim: (holds on the published scores, holds on ours)}."""
    answer = r"(yes|\*\*no\*\*)"
    found = re.findall(rf"\| ([^|]+?) \| [^|]+? \| {answer} \| {answer} \|", page)
    return {text: (theirs, ours) for text, theirs, ours in found}


def test_holm_with_the_papers_error_rejects_what_the_paper_does(complete_pages):
    page = text_of(complete_pages)
    five = "NBSVM, PPSVM, SVM, WK-SMOTE and Static-SMOTE"
    assert f"The paper reports it to be better than {five}." in page
    assert f"better than NBSVM and PPSVM of these (corrected error), or {five}" in page


def test_a_statement_that_the_scores_contradict_is_said_not_to_hold(complete):
    scores = {metric: table.copy() for metric, table in SCORES.items()}
    scores["cba"]["i-SVM-DE-AVE"] -= 30
    export_rows(results_of(scores), complete / "paper.csv")
    judged = claims_of(text_of(pages_of(complete)))
    contradicted = [text for text, (_, ours) in judged.items() if ours != "yes"]
    assert "i-SVM-DE-AVE has the best rank on CBA" in contradicted
    assert "i-SVM-DE-MAX and i-SVM-DE-AVE do not differ on CBA" in contradicted
    assert "SDC has the best rank on G-mean" not in contradicted


def test_competitors_are_compared_on_all_data_sets(complete_pages):
    page = text_of(complete_pages)
    line = re.search(r"- random forest: (\S+) points, higher on (\d+) of 15", page)
    assert int(line[2]) >= 1
    assert "| CatBoost " in page


def test_what_is_missing_is_named(complete):
    gone = {("zoo", "SDC", repeat, fold) for repeat in (0, 1) for fold in (0, 1)}
    gone.add(("glass", "SDC", 1, 0))
    export_rows(results_of(SCORES, left_out=gone), complete / "paper.csv")
    (complete / "curves.csv").unlink()
    page = text_of(pages_of(complete))
    assert "SDC: 1 of 4 folds of glass; all folds of zoo" in page
    assert "average of 14" in page
    assert "- fitness against test score: all of it" in page
    assert "results/curves.csv is missing" in page


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        ([], {"paper"}),
        (["paper.csv"], {"competitors", "curves", *EXPERIMENTS}),
        (["competitors.csv"], {"paper"}),
    ],
)
def test_any_part_may_be_missing(complete, kept, said):
    for file in complete.glob("*.csv"):
        if file.name not in kept:
            file.unlink()
    pages = pages_of(complete)
    missing = re.findall(r"results/(\w+)\.csv is missing", pages["results.md"])
    assert set(missing) == said
    ours_is_missing = f"results/paper.csv has no rows of {OURS}" in pages["beyond.md"]
    assert ours_is_missing == ("paper.csv" not in kept)


def test_the_tenth_method_is_compared_and_its_losses_are_listed(complete):
    lost = [("cba", "glass", 20.0)]
    export_rows(results_of(with_ours(40.0, lost)), complete / "paper.csv")
    page = " ".join(pages_of(complete)["beyond.md"].split())
    assert "- **G-mean**" in page
    behind = SCORES["cba"].loc["glass"].max() + 0.5 - 20.0  # the raised forest
    assert f"| glass, CBA | 20.0 | {behind + 20:.1f} | random forest" in page
    assert "results/ablation.csv is missing" in page


def other_tables():
    """Return rows of three tables that are not the paper's."""
    index = ["one", "two", "three, thinned"]
    table = {OURS: [60.0, 70.0, 80.0], "CatBoost": [61.0, 60.0, 60.0]}
    return results_of({metric: pd.DataFrame(table, index=index) for metric in METRICS})


def test_tables_of_no_choice_have_their_own_averages(complete, complete_pages):
    assert "results/others.csv is missing" in complete_pages["beyond.md"]
    export_rows(other_tables(), complete / "others.csv")
    page = " ".join(pages_of(complete)["beyond.md"].split())
    assert "here are 3 other tables" in page
    assert "| i-SVM-LOO | **65.0** |" in page
    assert "+9.7 points against CatBoost, better on 2 of 3 data sets" in page


def test_a_thinned_table_has_fewer_and_fewer_samples_per_class():
    from run_others import LEAST, MOST, thin

    y = np.repeat(["a", "b", "c", "d"], 1000)
    X, kept = thin(pd.DataFrame({"x": np.arange(4000.0)}), y)
    sizes = sorted(np.unique(kept, return_counts=True)[1])
    assert sizes == [108, 180, 300, MOST]
    assert (y[X["x"].to_numpy(int)] == kept).all()
    _, kept = thin(X[:12], np.repeat(["a", "b"], [11, 1]))
    assert len(kept) in (LEAST + 1, 12)  # a class is never thinned below its least


def variants(names, gaps):
    """Return fold rows whose variants differ from the first by gaps, in points."""
    return pd.DataFrame(
        [
            {
                "dataset": dataset,
                "repeat": repeat,
                "fold": fold,
                "variant": name,
                **dict.fromkeys(METRICS, 0.7 + (gap + 0.1 * repeat * gap) / 100),
            }
            for dataset in ("zoo", "glass")
            for repeat in (0, 1)
            for fold in (0, 1)
            for name, gap in zip(names, gaps, strict=True)
        ]
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Build the pages of results of all kinds: their folder, and what was written."""
    from build_results import build

    folder = write_complete(tmp_path_factory.mktemp("built"))
    table = variants(["all steps", "without ranks"], [0.0, -2.0])
    write_folds(folder, "ablation", table)
    write_folds(folder, "robustness", variants(["as it is", "tau halved"], [0, 0.4]))
    losses = [
        {"dataset": "zoo", "repeat": 0, "fold": 0, "method": method, **row}
        for method, factor in (("i-SVM-LOO", 1.0), ("gradient boosting", 2.0))
        for row in (
            {"class": "a", "n": 10, "log_loss": factor * 5.0, "brier": factor},
            {"class": "b", "n": 2, "log_loss": factor * 3.0, "brier": factor},
        )
    ]
    write_folds(folder, "calibration", pd.DataFrame(losses))
    loo = [{"dataset": "zoo", **dict.fromkeys(METRICS, 0.9)}]
    pd.DataFrame(loo).to_csv(folder / "loo_report.csv", index=False)
    export_rows(
        results_of(with_ours(1.0), confusion="[[9,1],[0,5]]"), folder / "paper.csv"
    )
    export_rows(other_tables(), folder / "others.csv")
    written = build(folder, folder / "docs")
    return folder / "docs", {path.name for path in written}


def test_the_page_on_the_tenth_method_has_its_tables(built):
    docs, written = built
    page = (docs / "beyond.md").read_text(encoding="utf-8")
    lines = [" ".join(line.split()) for line in page.splitlines()]
    change = " | ".join(["-2.1 ± 0.1"] * 3)
    assert f"| without ranks | 67.9 | 67.9 | 67.9 | {change} |" in lines
    assert "by more than 0.4 points" in " ".join(page.split())
    # Every class weighs alike: (5/10 + 3/2) / 2 = 1.
    assert any(line.startswith("| i-SVM-LOO | 1.000 | 1 of 1 |") for line in lines)
    assert "results-loo-report.svg" in written
    assert "Not measured yet" not in page


def test_the_same_rows_give_the_same_bytes(complete, complete_made):
    assert made_of(complete) == complete_made


def test_every_image_of_the_pages_is_written(built):
    docs, written = built
    assert "results-curves.svg" in written
    linked = set()
    pages = {"results.md", "paper.md", "beyond.md"}
    for name in pages:
        page = (docs / name).read_text(encoding="utf-8")
        linked |= set(re.findall(r"\]\(img/(.*?)\)", page))
    assert linked | pages == written


def test_curves_end_at_the_model_of_the_benchmark():
    from curves import FITNESS, FoldOfData, curve_rows

    from isvmde import ISVMDEClassifier
    from isvmde.metrics import PAPER_METRICS

    part = FoldOfData("hayes-roth", 1, 2)
    rows = pd.DataFrame(curve_rows(part, pop_size=6, max_iter=5))
    for fitness, method in FITNESS.items():
        model = ISVMDEClassifier(
            fitness=fitness,
            pop_size=6,
            max_iter=5,
            random_state=part.method_seed(method),
        ).fit(part.X, part.y)
        end = rows[(rows.search == "joint") & (rows.fitness == fitness)].iloc[-1]
        assert end.best_fitness == model.fitness_
        predicted = model.predict(part.X_test)
        for name, metric in PAPER_METRICS.items():
            assert end[name] == metric.score(part.y_test, predicted)
    counts = rows.pivot_table("n_svms", ["fitness", "generation"], "search")
    # Random search gets at least the joint search's SVMs, and no whole batch more.
    n_pairs = 3
    assert (counts["random"] >= counts["joint"]).all()
    assert (counts["random"] < counts["joint"] + 6 * n_pairs).all()


def test_variants_share_what_they_can_and_the_whole_is_the_benchmarks(tmp_path):
    from fold_by_fold import Fold
    from variants import ABLATION, scores_of

    import isvmde.classifiers.spreading as spreading

    names = ["all steps", "the best setting only", "votes instead of coupling"]
    solve, calls = spreading.Solver.solve, []

    def counting(solver, assignments):
        calls.append(1)
        return solve(solver, assignments)

    spreading.Solver.solve = counting
    try:
        rows = scores_of({name: ABLATION[name] for name in names})(Fold("zoo", 0, 1))
    finally:
        spreading.Solver.solve = solve
    assert len(calls) == 1
    known = run_benchmark(["zoo"], [OURS], store=tmp_path).rows.set_index("fold")
    for metric in METRICS:
        assert rows[0][metric] == known.loc[1, metric]


def test_losses_of_a_certain_and_a_clueless_model():
    from types import SimpleNamespace

    from run_calibration import losses

    fold = SimpleNamespace(X_test=np.zeros((3, 1)), y_test=np.array(["a", "a", "b"]))

    class Fixed:
        classes_ = np.array(["a", "b"])

        def __init__(self, proba):
            self.proba = proba

        def predict_proba(self, X):
            return np.tile(self.proba, (len(X), 1))

    a, b = losses(Fixed([0.5, 0.5]), fold)
    assert (a["n"], b["n"]) == (2, 1)
    assert a["log_loss"] == pytest.approx(2 * np.log(2))
    assert b["brier"] == pytest.approx(0.5)
    a, b = losses(Fixed([1.0, 0.0]), fold)
    assert a["log_loss"] == pytest.approx(0.0, abs=3e-3)
    assert b["log_loss"] == pytest.approx(-np.log(0.001), abs=1e-2)


# What is committed


@pytest.fixture
def committed():
    file = ROOT / "results" / "paper.csv"
    if not file.is_file():
        pytest.skip("results/paper.csv is not there: run research/run_paper.py")
    return load_results(file)


def test_the_committed_page_follows_from_the_committed_rows(committed, tmp_path, build):
    import matplotlib

    written = {path.relative_to(tmp_path) for path in build(ROOT / "results", tmp_path)}
    folders = (ROOT / "docs", tmp_path)
    for page in ("beyond.md", "paper.md", "results.md"):
        old, new = ((folder / page).read_text() for folder in folders)
        assert new.splitlines()[1:] == old.splitlines()[1:]  # 0 names matplotlib
    drawn_by = re.search(r"matplotlib (\S+)\. Do not", old)[1]
    if drawn_by != matplotlib.__version__:
        pytest.skip(f"the figures were drawn by matplotlib {drawn_by}")
    for path in written:
        assert (tmp_path / path).read_bytes() == (ROOT / "docs" / path).read_bytes()


@pytest.mark.parametrize(
    "method", ["SVM", pytest.param("i-SVM-DE-AVE", marks=pytest.mark.slow)]
)
def test_the_software_gives_the_committed_scores_again(committed, tmp_path, method):
    rows = committed.rows
    known = rows[(rows["method"] == method) & (rows["repeat"] == 0)]
    known = known[known["dataset"].isin(SMALL) & (known["status"] == "done")]
    settings = committed.settings
    options = {name: settings[name] for name in ("folds", "seed", "budget")}
    again = run_benchmark(SMALL, [method], store=tmp_path, **options)
    (used,) = set(known["environment"])
    if committed.environments[used] == environment():
        key = ["dataset", "fold"]
        columns = [*METRICS, "confusion"]
        pd.testing.assert_frame_equal(
            again.rows.set_index(key)[columns].sort_index(),
            known.set_index(key)[columns].sort_index(),
            check_exact=True,
        )
        return
    for metric in METRICS:
        measured = score_table(again, metric).loc[SMALL, method]
        mean = score_table(committed, metric).loc[SMALL, method]
        sd = sd_table(committed, metric).loc[SMALL, method]
        assert ((measured - mean).abs() <= 2 * sd + 1e-9).all()
