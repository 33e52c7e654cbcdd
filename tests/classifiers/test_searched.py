"""`ISVMDEClassifier`: the search as a classifier."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from xml.etree import ElementTree

import joblib
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, cross_val_score

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.classifiers import progress_line
from isvmde.core.search import evaluation

KINDS = [
    {"fitness": fitness, "search": search}
    for fitness in ("ave", "max")
    for search in ("joint", "pairwise")
]
# What the paper is compared with: the same laws hold.
VARIANTS = [
    {"fitness": "cv"},
    {"fitness": "cv", "search": "pairwise", "cv": 2},
    {"optimizer": "de"},
    {"optimizer": "random", "search": "pairwise", "fitness": "max"},
    {"tied_costs": True, "search": "pairwise"},
    {"margin_range": (1.0, 1.0)},
]
SMALL = {"pop_size": 6, "max_iter": 5, "random_state": 0}


def small(**params):
    return ISVMDEClassifier(**{**SMALL, **params})


def literal_fitness(model, X, y, delta=0.05):
    """fit^a and fit^m of a trained model, as the paper prints them."""
    F = model.pair_decision_function(X)
    losses = {c: [] for c in model.classes_.tolist()}
    for j, (plus, minus) in enumerate(model.pairs_.tolist()):
        N = np.isin(y, [plus, minus]).sum()
        B = np.sqrt((np.log(model.n_support_[j]) + np.log(1 / delta)) / (2 * N))
        losses[plus].append(1 / (1 + np.exp(F[y == plus, j])) + B)
        losses[minus].append(1 / (1 + np.exp(-F[y == minus, j])) + B)
    return {
        "ave": np.mean([np.mean(losses[c]) for c in losses]),
        "max": np.mean([np.max(losses[c], axis=0).mean() for c in losses]),
    }


def same_model(one, other):
    assert one.pair_params_ == other.pair_params_
    assert one.fitness_ == other.fitness_
    assert one.intercept_.tobytes() == other.intercept_.tobytes()
    for name in ("best", "mean", "success_rate", "n_svms"):
        assert_array_equal(one.history_[name], other.history_[name])


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_fitness_is_that_of_the_model_by_the_printed_formulas(three, kind):
    model = small(**kind).fit(three.X, three.y)
    literal = literal_fitness(model, three.X, three.y)[kind["fitness"]]
    assert model.fitness_ == pytest.approx(literal, rel=1e-9)
    other = small(**kind, delta=0.5).fit(three.X, three.y)
    literal = literal_fitness(other, three.X, three.y, 0.5)[kind["fitness"]]
    assert other.fitness_ == pytest.approx(literal, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS + VARIANTS, ids=str)
def test_the_chosen_parameters_give_the_same_decisions(three, kind):
    model = small(**kind).fit(three.X, three.y)
    again = ISVMClassifier(pair_params=model.pair_params_).fit(three.X, three.y)
    new = np.random.default_rng(0).random((50, 3))
    for method in ("pair_decision_function", "decision_function", "predict_proba"):
        ours = getattr(model, method)(new)
        assert ours.tobytes() == getattr(again, method)(new).tobytes()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_weight_of_two_is_the_row_twice_bit_for_bit(three, kind):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(three.y))
    weighted = small(**kind).fit(three.X, three.y, sample_weight=weight)
    order = rng.permutation(weight.sum())
    X, y = np.repeat(three.X, weight, axis=0), np.repeat(three.y, weight)
    repeated = small(**kind).fit(X[order], y[order])
    same_model(weighted, repeated)
    assert weighted.fitness_ == pytest.approx(
        literal_fitness(repeated, X, y)[kind["fitness"]], rel=1e-9
    )


@pytest.mark.parametrize("kind", KINDS + VARIANTS, ids=str)
def test_threads_do_not_change_the_model(three, kind):
    same_model(
        small(**kind, n_jobs=1).fit(three.X, three.y),
        small(**kind, n_jobs=2).fit(three.X, three.y),
    )


@pytest.mark.parametrize("kind", VARIANTS, ids=str)
def test_a_variant_is_the_same_for_weights_and_repeated_rows(three, kind):
    rng = np.random.default_rng(0)
    weight = rng.integers(0, 4, len(three.y))
    weighted = small(**kind).fit(three.X, three.y, sample_weight=weight)
    order = rng.permutation(weight.sum())
    X, y = np.repeat(three.X, weight, axis=0), np.repeat(three.y, weight)
    same_model(weighted, small(**kind).fit(X[order], y[order]))


def test_inner_folds_take_an_svm_each(three):
    model = small(fitness="cv", cv=4).fit(three.X, three.y)
    first = 6 * 3 * 4  # individuals, pairs, folds
    assert model.history_["n_svms"][0] == first
    # a share of errors in each of two classes, over three pairs
    assert 0.0 <= model.fitness_ <= 0.5


def test_inner_folds_can_be_given(three):
    """Those of a splitter, or as lists of rows, which it would make."""
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    lists = list(splitter.split(three.X, three.y))
    same_model(
        small(fitness="cv", cv=splitter).fit(three.X, three.y),
        small(fitness="cv", cv=lists).fit(three.X, three.y),
    )


def test_tied_costs_and_fixed_margins_are_what_is_chosen(three):
    model = small(tied_costs=True, margin_range=(1, 1)).fit(three.X, three.y)
    for chosen in model.pair_params_.values():
        assert chosen["C_pos"] == chosen["C_neg"]
        assert chosen["margin_pos"] == chosen["margin_neg"] == 1.0


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"optimizer": "sa"}, "optimizer='sa' is not known"),
        ({"fitness": "loo"}, "fitness='loo' is not known"),
        ({"tied_costs": "yes"}, "tied_costs='yes' is not known"),
        ({"cv": 1}, "cv=1: use at least 2 inner folds"),
        ({"cv": "3"}, "cv='3': use a number of inner folds, a splitter"),
        (
            {"fitness": "cv", "cv": [([0, 1], [2, 3]), ([2, 3], [3, 1])]},
            "cv puts row 0 into 0 test parts",
        ),
        (
            {"optimizer": "de", "ide_options": {"repair": "clip"}},
            "ide_options are for optimizer='ide'",
        ),
    ],
)
def test_settings_of_variants_are_checked(three, params, message):
    with pytest.raises(ValueError, match=message):
        small(**params).fit(three.X, three.y)


def test_seeds(three):
    same_model(small().fit(three.X, three.y), small().fit(three.X, three.y))
    other = small(random_state=1).fit(three.X, three.y)
    assert other.pair_params_ != small().fit(three.X, three.y).pair_params_
    state = np.random.RandomState(0)
    same_model(
        small(random_state=state).fit(three.X, three.y), small().fit(three.X, three.y)
    )


def test_history_has_a_row_per_generation(three):
    model = small().fit(three.X, three.y)
    assert model.n_iter_ == 5
    assert model.stop_reason_ == "max_iter"
    for name in ("best", "mean", "success_rate", "n_svms", "n_unconverged", "seconds"):
        assert len(model.history_[name]) == 6
    assert model.history_["best"][-1] == model.fitness_
    assert (np.diff(model.history_["best"]) <= 0).all()
    assert (model.history_["mean"] >= model.history_["best"]).all()
    assert (np.diff(model.history_["n_svms"]) >= 0).all()
    assert model.history_["n_svms"].dtype.kind == "i"


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_solves_that_fail_are_counted_and_never_win(three, kind):
    """Degree 5 of values of 1e20 overflows; the linear kernel does not."""
    X = 1e20 * three.X
    with pytest.raises(ValueError, match="exceed the range of floating"):
        small(**kind, kernels=("poly",), degree_range=(5, 5)).fit(X, three.y)
    mixed = small(**kind, kernels=("linear", "poly"), degree_range=(5, 5), pop_size=20)
    mixed.fit(X, three.y)
    assert (mixed.history_["n_unconverged"] < mixed.history_["n_svms"]).all()
    assert np.isfinite(mixed.fitness_)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_margins_above_one_keep_search_and_model_equal(three, kind):
    """Also with a tolerance that decides where the solver ends."""
    model = small(**kind, margin_range=(2.0, 5.0), tol=0.2).fit(three.X, three.y)
    literal = literal_fitness(model, three.X, three.y)[kind["fitness"]]
    assert model.fitness_ == pytest.approx(literal, rel=1e-9)
    again = ISVMClassifier(pair_params=model.pair_params_, tol=0.2)
    again.fit(three.X, three.y)
    assert_array_equal(
        again.pair_decision_function(three.X), model.pair_decision_function(three.X)
    )


def test_a_longer_search_finds_better_fitness(three):
    short = small(max_iter=1).fit(three.X, three.y)
    long = small(max_iter=40, pop_size=20).fit(three.X, three.y)
    assert long.fitness_ < short.fitness_


def test_chosen_parameters_lie_in_their_ranges(three):
    model = small(
        kernels=["poly", "rbf"],
        degree_range=(2, 3),
        cost_range=(0.1, 0.2),
        margin_range=(0.7, 0.8),
        sigma_range=(5, 5),
        C=50,
    ).fit(three.X, three.y)
    for chosen in model.pair_params_.values():
        assert chosen["kernel"] in ("poly", "rbf")
        assert chosen["degree"] in (2, 3)
        assert 0.1 <= chosen["C_pos"] <= 0.2
        assert 0.1 <= chosen["C_neg"] <= 0.2
        assert 0.7 <= chosen["margin_pos"] <= 0.8
        assert (chosen["C"], chosen["sigma"]) == (50, 5)


@pytest.mark.parametrize("share", ["kernel", "all"])
def test_shared_parameters(three, share):
    model = small(share=share).fit(three.X, three.y)
    chosen = list(model.pair_params_.values())
    names = ["kernel", "sigma", "degree"]
    if share == "all":
        names = list(chosen[0])
    assert all(row[name] == chosen[0][name] for row in chosen for name in names)
    literal = literal_fitness(model, three.X, three.y)["ave"]
    assert model.fitness_ == pytest.approx(literal, rel=1e-9)


def test_two_classes_and_string_labels(two):
    y = np.where(two.y == 1, "rare <&>", "common")
    frame = pd.DataFrame(two.X, columns=list("abc"))
    model = small().fit(frame, y)
    assert model.decision_function(frame).ndim == 1
    assert model.pairs_.tolist() == [["rare <&>", "common"]]
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]


def test_patience(three):
    model = small(max_iter=200, patience=3, pop_size=5).fit(three.X, three.y)
    assert model.stop_reason_ == "patience"
    best = model.history_["best"]
    assert best[-1] == best[-4]
    assert all(best[g] < best[g - 3] for g in range(3, len(best) - 1))


def test_time_limit(three):
    began = time.monotonic()
    model = small(max_iter=10**6, time_limit=0.3).fit(three.X, three.y)
    assert time.monotonic() - began < 10
    assert model.stop_reason_ == "time_limit"
    none = small(time_limit=0).fit(three.X, three.y)
    assert (none.n_iter_, none.stop_reason_) == (0, "time_limit")


def test_callback_sees_every_generation_and_may_stop(three):
    seen = []

    def callback(state):
        seen.append(state)
        return state.generation == 2

    model = small(callback=callback).fit(three.X, three.y)
    assert [state.generation for state in seen] == [0, 1, 2]
    assert (model.n_iter_, model.stop_reason_) == (2, "callback")
    assert [state.best_fitness for state in seen] == model.history_["best"].tolist()
    assert seen[-1].n_svms == model.history_["n_svms"][-1]
    assert seen[-1].max_iter == 5


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_interrupt_keeps_the_best_of_the_last_whole_generation(
    three, kind, monkeypatch
):
    """Ctrl-C in the middle of telling the pairs: nothing of that generation stays."""
    from isvmde.core.evolution import Optimizer

    tell, calls = Optimizer.tell, []
    pairs = 3 if kind["search"] == "pairwise" else 1

    def interrupted(self, *args, **kwargs):
        calls.append(None)
        result = tell(self, *args, **kwargs)
        if len(calls) == 3 * pairs + 1:  # in generation 3, after its first tell
            raise KeyboardInterrupt
        return result

    monkeypatch.setattr(Optimizer, "tell", interrupted)
    with pytest.warns(UserWarning, match="interrupted after generation 2 of 5"):
        model = small(**kind, keep_best_on_interrupt=True).fit(three.X, three.y)
    assert (model.n_iter_, model.stop_reason_) == (2, "interrupted")
    assert len(model.history_["best"]) == 3
    literal = literal_fitness(model, three.X, three.y)[kind["fitness"]]
    assert model.fitness_ == pytest.approx(literal, rel=1e-9)


def test_an_interrupt_is_an_interrupt_unless_the_best_is_asked_for(three, tmp_path):
    """What was finished is in the checkpoint all the same."""

    def interrupt(state):
        if state.generation == 2:
            raise KeyboardInterrupt

    file = tmp_path / "search"
    model = small(callback=interrupt, checkpoint=file)
    with pytest.raises(KeyboardInterrupt):
        model.fit(three.X, three.y)
    assert not hasattr(model, "pair_params_")
    seen = []
    resumed = small(callback=seen.append, checkpoint=file).fit(three.X, three.y)
    assert seen[0].generation == 2
    same_model(resumed, small().fit(three.X, three.y))


def test_an_interrupt_before_the_first_generation_is_an_interrupt(three, monkeypatch):
    from isvmde.core.search.evaluation import Evaluator

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Evaluator, "solve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        small(keep_best_on_interrupt=True).fit(three.X, three.y)


def test_ctrl_c(tmp_path):
    """A real signal in a process of its own."""
    script = textwrap.dedent(
        """
        import warnings
        import numpy as np
        from isvmde import ISVMDEClassifier

        rng = np.random.default_rng(0)
        X, y = rng.random((60, 3)), np.arange(60) % 3
        started = []

        def callback(state):
            if state.generation == 3:
                print("running", flush=True)

        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = ISVMDEClassifier(
                max_iter=10**6,
                random_state=0,
                callback=callback,
                n_jobs=2,
                keep_best_on_interrupt=True,
            ).fit(X, y)
        print(model.stop_reason_, model.n_iter_ >= 3, model.predict(X[:1]).shape)
        print(caught[0].message)
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert output.startswith("interrupted True (1,)\n")
    assert "the model is the best found so far" in output


def test_progress_in_a_file_is_a_few_lines(three, capsys):
    small(max_iter=50, verbose=1).fit(three.X, three.y)
    lines = capsys.readouterr().err.splitlines()
    assert 10 <= len(lines) <= 13
    assert "generation 50/50" in lines[-1]
    assert "0:00 left" in lines[-1]
    assert "SVMs" in lines[-1]
    assert "\r" not in "".join(lines)


def test_silence_by_default(three, capsys):
    small().fit(three.X, three.y)
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("columns", [40, 80, 200])
def test_progress_on_a_terminal_is_one_line(three, monkeypatch, columns):
    """The line is rewritten without leftovers, never wraps and ends with a newline."""
    import pty

    monkeypatch.setenv("COLUMNS", str(columns))
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        small(max_iter=10**5, time_limit=0.5, verbose=1).fit(three.X, three.y)
        monkeypatch.undo()
        written = b""
        while not written.endswith(b"\n"):  # a terminal hands over what it has
            written += os.read(master, 10**6)
    os.close(master)
    text = written.decode().replace("\r\n", "\n")
    assert text.count("\n") == 1
    assert text.endswith("\n")
    shown = text.rstrip("\n").split("\r")[1:]
    assert len(shown) >= 2
    assert {len(line) for line in shown} == {columns - 1}
    assert "generation" in shown[-1]


def test_progress_says_when_it_compiles(three, monkeypatch, capsys):
    monkeypatch.setattr(progress_line, "is_cached", lambda: False)
    small(verbose=1).fit(three.X, three.y)
    assert capsys.readouterr().err.startswith("Compiling the solver")


def test_html_shows_what_was_chosen(three):
    names = np.array(["<b>&", "mid", "zz"])
    model = small().fit(three.X, names[three.y])
    page = model._repr_html_()
    assert "Pairs of classes" in page
    assert "&lt;b&gt;&amp;" in page
    assert "<b>&" not in page
    table = ElementTree.fromstring(page[page.index("<details><summary>Pairs") :])
    names = [cell.text for cell in table.iter("th")]
    rows = [[cell.text for cell in row] for row in table.iter("tr")][1:]
    assert len(rows) == 3
    for row, chosen, n in zip(
        rows, model.pair_params_.values(), model.n_support_, strict=True
    ):
        assert row[names.index("kernel")] == chosen["kernel"]
        assert row[names.index("C_pos")] == f"{chosen['C_pos']:.3g}"
        assert row[names.index("support vectors")] == str(n)
    assert "text/html" in model._repr_mimebundle_()
    assert "Pairs of classes" not in small()._repr_html_()


def test_pickle_and_clone(three):
    model = small().fit(three.X, three.y)
    again = pickle.loads(pickle.dumps(model))
    ours = model.decision_function(three.X)
    assert ours.tobytes() == again.decision_function(three.X).tobytes()
    assert not hasattr(clone(model), "pair_params_")


def test_read_only_memory_map(three, tmp_path):
    np.save(tmp_path / "X.npy", three.X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    same_model(small().fit(mapped, three.y), small().fit(three.X, three.y))


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_under_joblib(three, backend):
    serial = cross_val_score(small(), three.X, three.y, cv=3)
    with joblib.parallel_backend(backend):
        parallel = cross_val_score(small(n_jobs=2), three.X, three.y, cv=3, n_jobs=2)
    assert_array_equal(parallel, serial)


def _fit_in_child(X, y, queue):
    model = small(n_jobs=2).fit(X, y)
    queue.put((model.fitness_, model.decision_function(X)))


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="needs fork"
)
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_in_a_forked_child(three):
    """The parent has used the solver with two threads before."""
    model = small(n_jobs=2).fit(three.X, three.y)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(three.X, three.y, queue))
    child.start()
    fitness, decisions = queue.get(timeout=60)
    child.join(timeout=60)
    assert child.exitcode == 0
    assert fitness == model.fitness_
    assert decisions.tobytes() == model.decision_function(three.X).tobytes()


@pytest.mark.parametrize("kind", KINDS[:2], ids=str)
def test_large_tables_are_searched_too(three, monkeypatch, kind):
    """Without matrices of distances: a finite fitness that the model has."""
    monkeypatch.setattr(evaluation, "_KEPT_ROWS", 20)
    params = {
        "kernels": ("linear", "rbf"),
        "sigma_range": (0.2, 2.0),
        "C": 10.0,
        "tol": 1e-5,
    }
    model = small(**kind, **params).fit(three.X, three.y)
    literal = literal_fitness(model, three.X, three.y)[kind["fitness"]]
    assert_allclose(model.fitness_, literal, atol=1e-3)


BAD = [
    ({"fitness": "best"}, "fitness='best' is not known"),
    ({"search": "random"}, "search='random' is not known"),
    ({"share": "some"}, "share='some' is not known"),
    ({"share": "all", "search": "pairwise"}, "use search='joint', or share=None"),
    ({"keep_best_on_interrupt": "yes"}, "keep_best_on_interrupt='yes' is not known"),
    ({"C": 0.0}, "C == 0"),
    ({"C": -1.0}, "C == -1"),
    ({"C": 1e303}, "use a smaller C or cost_range"),
    ({"C": np.nan}, "C=nan: use a finite number"),
    ({"cost_range": (0.0, 1e306)}, "cost_range="),
    ({"sigma_range": (0.0, 1e300)}, "sigma_range="),
    ({"kernels": ()}, "use one or more of"),
    ({"kernels": ("rbf", "sigmoid")}, "use one or more of"),
    ({"sigma_range": (2.0, 1.0)}, "sigma_range="),
    ({"sigma_range": (-1.0, 1.0)}, "sigma_range="),
    ({"sigma_range": 3.0}, "sigma_range=3.0: use two numbers"),
    ({"cost_range": None}, "cost_range=None: use two numbers"),
    ({"share": np.array([True, False])}, "share=array"),
    ({"fitness": ["ave"]}, r"fitness=\['ave'\] is not known"),
    ({"degree_range": (0, 3)}, "degree_range="),
    ({"degree_range": (1.5, 3)}, "use two whole numbers"),
    ({"degree_range": (1, 10**9)}, "use two whole numbers up to 100"),
    ({"cost_range": (0.0, 0.0)}, "cost_range="),
    ({"cost_range": (0.0, np.nan)}, "cost_range="),
    ({"margin_range": (0.0, np.inf)}, "margin_range="),
    ({"margin_range": "ab"}, "margin_range="),
    ({"delta": 0.0}, "delta == 0"),
    ({"delta": 1.5}, "delta == 1.5"),
    ({"pop_size": 4}, "pop_size == 4"),
    ({"max_iter": 0}, "max_iter == 0"),
    ({"tol": -1.0}, "tol == -1"),
    ({"patience": 0}, "patience == 0"),
    ({"time_limit": -1.0}, "time_limit == -1"),
    ({"n_jobs": 0}, "n_jobs"),
    ({"ide_options": {"speed": 3}}, "unknown name 'speed'"),
    ({"ide_options": {"pop_size": 3}}, "unknown name 'pop_size'"),
    ({"ide_options": {"repair": "mirror"}}, "repair is 'mirror'"),
    ({"checkpoint": "/no/such/folder/file"}, "folder '/no/such/folder' does not exist"),
]


@pytest.mark.parametrize(("params", "message"), BAD, ids=str)
def test_bad_parameters_get_one_sentence(three, params, message):
    with pytest.raises(ValueError, match=message):
        small(**params).fit(three.X, three.y)


@pytest.mark.parametrize(
    ("params", "unused"),
    [
        ({"kernels": ("linear", "poly"), "sigma_range": [0.1, 2]}, "sigma_range"),
        ({"kernels": "rbf", "degree_range": (2, 3)}, "degree_range"),
    ],
    ids=str,
)
@pytest.mark.parametrize("model", [small(), ISVMClassifierCV(n_settings=4)], ids=str)
def test_a_range_that_no_kernel_has_a_use_for_is_told_of(three, model, params, unused):
    with pytest.warns(UserWarning, match=f"{unused}=.* has no effect") as told:
        clone(model).set_params(**params).fit(three.X, three.y)
    assert [w.filename for w in told] == [__file__]


@pytest.mark.parametrize(
    "params", [{"C": "1"}, {"pop_size": 7.5}, {"tol": None}], ids=str
)
def test_wrong_types_are_type_errors(three, params):
    with pytest.raises(TypeError, match="must be an instance of"):
        small(**params).fit(three.X, three.y)


def test_one_class_and_holes_are_refused(three):
    with pytest.raises(ValueError, match="one class"):
        small().fit(three.X, np.ones(len(three.y)))
    X = three.X.copy()
    X[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        small().fit(X, three.y)
