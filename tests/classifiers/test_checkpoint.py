"""Checkpoints: a search that was stopped goes on as if nothing had happened."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
import zipfile

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from isvmde import ISVMDEClassifier
from isvmde.classifiers.checkpoint import CheckpointFile, fingerprint
from isvmde.core.search.evaluation import Evaluator

KINDS = [
    {"fitness": "ave", "search": "joint"},
    {"fitness": "max", "search": "joint"},
    {"fitness": "ave", "search": "pairwise"},
    {"fitness": "max", "search": "pairwise"},
    {"fitness": "cv", "optimizer": "de"},
    {"fitness": "cv", "optimizer": "random", "search": "pairwise"},
]
SMALL = {"pop_size": 6, "max_iter": 8, "random_state": 0}


def small(**params):
    return ISVMDEClassifier(**{**SMALL, **params})


def same_model(one, other, X):
    assert one.pair_params_ == other.pair_params_
    assert one.fitness_ == other.fitness_
    ours = one.pair_decision_function(X)
    assert ours.tobytes() == other.pair_decision_function(X).tobytes()
    for name in ("best", "mean", "success_rate", "n_svms"):
        assert_array_equal(one.history_[name], other.history_[name])


def stop_at(generation):
    return lambda state: state.generation >= generation


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_stopped_twice_and_resumed_is_the_unbroken_search(three, tmp_path, kind):
    unbroken = small(**kind).fit(three.X, three.y)
    path = tmp_path / "search"
    for generation in (0, 3):
        stopped = small(**kind, checkpoint=path, callback=stop_at(generation))
        stopped.fit(three.X, three.y)
        assert stopped.n_iter_ == generation
    resumed = small(**kind, checkpoint=path).fit(three.X, three.y)
    same_model(resumed, unbroken, three.X)
    assert (np.diff(resumed.history_["seconds"]) >= 0).all()


def test_inner_folds_of_a_generator_are_kept(three, tmp_path):
    """A generator that has moved on would deal other folds."""
    unbroken = small(fitness="cv", random_state=np.random.RandomState(0))
    unbroken.fit(three.X, three.y)
    random, path = np.random.RandomState(0), tmp_path / "search"
    for callback in (stop_at(3), None):
        model = small(
            fitness="cv", random_state=random, checkpoint=path, callback=callback
        ).fit(three.X, three.y)
    same_model(model, unbroken, three.X)


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[3]], ids=str)
def test_killed_and_resumed_is_the_unbroken_search(three, tmp_path, kind):
    """SIGKILL in mid-search: the process has no chance to tidy up."""
    np.savez(tmp_path / "data.npz", X=three.X, y=three.y)
    script = textwrap.dedent(
        f"""
        import time
        import numpy as np
        from isvmde import ISVMDEClassifier
        from isvmde.classifiers import checkpoint

        data = np.load("data.npz")
        file = checkpoint.CheckpointFile
        file.due = property(lambda self: True)  # every generation
        def callback(state):
            time.sleep(0.02)
            print(state.generation, flush=True)
        model = ISVMDEClassifier(
            **{ {**SMALL, "max_iter": 60, **kind}!r}, checkpoint="search",
            callback=callback, n_jobs=2)
        model.fit(data["X"], data["y"])
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    while process.stdout.readline() != "12\n":
        pass
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    process.stdout.close()

    seen = []
    resumed = small(
        max_iter=60, checkpoint=tmp_path / "search", callback=seen.append, **kind
    ).fit(three.X, three.y)
    assert 10 <= seen[0].generation < 60
    same_model(resumed, small(max_iter=60, **kind).fit(three.X, three.y), three.X)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_an_interrupt_within_a_generation_leaves_a_whole_one(
    three, tmp_path, kind, monkeypatch
):
    from isvmde.core.evolution import Optimizer

    tell, calls = Optimizer.tell, []

    def interrupted(self, *args, **kwargs):
        result = tell(self, *args, **kwargs)
        calls.append(None)
        if len(calls) == 11:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patch:
        patch.setattr(Optimizer, "tell", interrupted)
        patch.setattr(CheckpointFile, "due", property(lambda self: True))
        with pytest.warns(UserWarning, match="interrupted"):
            small(
                **kind,
                max_iter=20,
                checkpoint=tmp_path / "s",
                keep_best_on_interrupt=True,
            ).fit(three.X, three.y)
    resumed = small(**kind, max_iter=20, checkpoint=tmp_path / "s")
    resumed.fit(three.X, three.y)
    same_model(resumed, small(**kind, max_iter=20).fit(three.X, three.y), three.X)


def test_a_finished_search_returns_at_once(three, tmp_path, monkeypatch):
    done = small(checkpoint=tmp_path / "s").fit(three.X, three.y)

    def no_solving(*_):
        raise AssertionError("a finished search solves nothing")

    monkeypatch.setattr(Evaluator, "solve", no_solving)
    again = small(checkpoint=tmp_path / "s").fit(three.X, three.y)
    same_model(again, done, three.X)
    assert again.stop_reason_ == "max_iter"


def test_a_search_out_of_patience_stays_so(three, tmp_path):
    params = {"max_iter": 300, "patience": 3, "pop_size": 5}
    done = small(checkpoint=tmp_path / "s", **params).fit(three.X, three.y)
    again = small(checkpoint=tmp_path / "s", **params).fit(three.X, three.y)
    same_model(again, done, three.X)
    assert again.stop_reason_ == done.stop_reason_ == "patience"


@pytest.mark.parametrize(
    "change",
    [
        {"n_jobs": 2},
        {"verbose": 1},
        {"time_limit": 1e6},
        {"callback": print},
        {"keep_best_on_interrupt": True},
    ],
    ids=str,
)
def test_what_does_not_change_the_search_may_change(three, tmp_path, change, capsys):
    small(checkpoint=tmp_path / "s", callback=stop_at(2)).fit(three.X, three.y)
    resumed = small(checkpoint=tmp_path / "s", **change).fit(three.X, three.y)
    same_model(resumed, small().fit(three.X, three.y), three.X)
    capsys.readouterr()


@pytest.mark.parametrize(
    "change",
    [
        {"max_iter": 9},
        {"pop_size": 7},
        {"random_state": 1},
        {"fitness": "max"},
        {"search": "pairwise"},
        {"share": "all"},
        {"delta": 0.1},
        {"C": 999.0},
        {"tol": 1e-4},
        {"kernels": ("rbf",)},
        {"ide_options": {"repair": "clip"}},
    ],
    ids=str,
)
def test_other_parameters_are_refused(three, tmp_path, change):
    small(checkpoint=tmp_path / "s", callback=stop_at(1)).fit(three.X, three.y)
    with pytest.raises(ValueError, match="other data or with other parameters"):
        small(checkpoint=tmp_path / "s", **change).fit(three.X, three.y)


def test_other_data_are_refused_the_same_in_other_order_are_not(three, tmp_path):
    small(checkpoint=tmp_path / "s", callback=stop_at(1)).fit(three.X, three.y)
    before = (tmp_path / "s").read_bytes()
    for X, y, weight in (
        (three.X + 1e-9, three.y, None),
        (three.X, np.where(three.y == 2, 1, three.y), None),
        (three.X, three.y + 1, None),
        (three.X, three.y, np.full(len(three.y), 2.0)),
    ):
        with pytest.raises(ValueError, match="other data or with other parameters"):
            small(checkpoint=tmp_path / "s").fit(X, y, sample_weight=weight)
    assert (tmp_path / "s").read_bytes() == before
    resumed = small(checkpoint=tmp_path / "s").fit(three.X[::-1], three.y[::-1])
    same_model(resumed, small().fit(three.X, three.y), three.X)


def test_long_arrays_count_in_full(three):
    """NumPy abbreviates arrays of more than 1,000 numbers when it prints them."""
    one = np.zeros((40, 50))
    other = one.copy()
    other[20, 25] = 1.0
    settings = [{"ide_options": {"initial": array}} for array in (one, other)]
    assert fingerprint([], settings[0]) != fingerprint([], settings[1])
    assert fingerprint([], {"n": np.int64(3)}) == fingerprint([], {"n": 3})


def test_damaged_files_are_refused(three, tmp_path):
    path = tmp_path / "s"
    small(checkpoint=path, callback=stop_at(1)).fit(three.X, three.y)
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    identity = fingerprint([], {})
    damages = [whole[:n] for n in (0, 1, 100, len(whole) // 2, len(whole) - 1)]
    for _ in range(60):
        place = int(rng.integers(len(whole)))
        flipped = bytes([whole[place] ^ 0xFF])
        damages.append(whole[:place] + flipped + whole[place + 1 :])
    for damaged in damages:
        path.write_bytes(damaged)
        with pytest.raises(ValueError, match="remove it or choose another path"):
            CheckpointFile(path, identity).load()


TAMPERINGS = {
    "zeros": lambda a: np.zeros(7),
    "no number": lambda a: a.ravel()[:0],
    "text": lambda a: np.full(a.shape, "x"),
    "nan": lambda a: np.full(a.shape, np.nan),
}


@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=str)
def test_arrays_that_were_tampered_with_are_refused_as_damaged(three, tmp_path, kind):
    path = tmp_path / "s"
    small(**kind, checkpoint=path, callback=stop_at(1)).fit(three.X, three.y)
    with np.load(path) as archive:
        whole = {name: archive[name] for name in archive.files}
    own = {name: whole.pop(name) for name in ("identity", "digest")}
    for name, array in whole.items():
        for change in TAMPERINGS.values():
            with path.open("wb") as file:
                np.savez(file, **{**whole, name: change(array)}, **own)
            with pytest.raises(ValueError, match="damaged; remove it or choose"):
                small(**kind, checkpoint=path).fit(three.X, three.y)


FORGERIES = {
    "a generation long ago": ("generation", lambda a: a - 10**9),
    "a generation after the end": ("generation", lambda a: a + 10**9),
    "generations of fractions": ("generation", lambda a: a + 0.5),
    "fewer individuals": ("population", lambda a: a[:, :-1]),
    "fewer genes": ("population", lambda a: a[:, :, :-1]),
    "genes outside their ranges": ("population", lambda a: a + 1e9),
    "genes that are not numbers": ("population", lambda a: a * np.nan),
    "fitness of fewer": ("fitness", lambda a: a[:, 1:]),
    "fitness that is not a number": ("fitness", lambda a: a * np.nan),
    "an empty history": ("history", lambda a: a[:, :0]),
    "a history of others": ("history", lambda a: a[1:]),
    "an endless count": ("history", lambda a: a * np.inf),
    "another generator": ("rng", lambda a: np.full(a.shape, "{}")),
    "no stage": ("late_stage", lambda a: a + 0.5),
    "stalled for ever": ("stalled", lambda a: a - 5),
}


@pytest.mark.parametrize("forgery", FORGERIES)
@pytest.mark.parametrize("kind", [KINDS[0], KINDS[2]], ids=str)
def test_a_forged_state_with_its_hash_is_refused(three, tmp_path, kind, forgery):
    """It would end in an IndexError, or never."""
    name, change = FORGERIES[forgery]
    path = tmp_path / "s"
    small(**kind, checkpoint=path, callback=stop_at(1)).fit(three.X, three.y)
    with np.load(path) as archive:
        state = {name: archive[name] for name in archive.files}
    identity = str(state.pop("identity"))
    del state["digest"]
    with np.errstate(invalid="ignore"):
        state[name] = change(state[name])
    CheckpointFile(path, identity).save(state)
    with pytest.raises(ValueError, match="damaged; remove it or choose"):
        small(**kind, checkpoint=path).fit(three.X, three.y)


@pytest.mark.parametrize("kind", ["text", "pickle", "npy", "npz", "zip", "folder"])
def test_foreign_files_are_refused_and_kept(three, tmp_path, kind):
    path = tmp_path / "s"
    if kind == "text":
        path.write_text("hello")
    elif kind == "pickle":
        path.write_bytes(pickle.dumps({"identity": 1}))
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    elif kind == "npz":
        with path.open("wb") as file:
            np.savez(file, a=np.arange(3))
    elif kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("a.txt", "b")
    else:
        path.mkdir()
    with pytest.raises(ValueError, match="not a checkpoint of this version"):
        small(checkpoint=path).fit(three.X, three.y)
    assert path.exists()


def test_no_pickle_in_it(three, tmp_path):
    """Every member is a plain array: object arrays would need pickle."""
    small(checkpoint=tmp_path / "s").fit(three.X, three.y)
    with np.load(tmp_path / "s", allow_pickle=False) as archive:
        kinds = {archive[name].dtype.kind for name in archive.files}
    assert kinds <= set("fiubU")


@pytest.mark.parametrize("name", ["search", "search.ckpt", "a.npz", ".hidden"])
def test_the_path_is_used_as_given(three, tmp_path, name):
    small(checkpoint=str(tmp_path / name)).fit(three.X, three.y)
    assert os.listdir(tmp_path) == [name]


def test_a_relative_path(three, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    small(checkpoint="here").fit(three.X, three.y)
    assert os.listdir(tmp_path) == ["here"]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    file = CheckpointFile(tmp_path / "s", "id")
    file.save({"a": np.arange(3)})

    def full_disk(*_):
        raise OSError("disk full")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="disk full"):
            file.save({"a": np.arange(4)})
    assert CheckpointFile(tmp_path / "s", "id").load()["a"].tolist() == [0, 1, 2]
    assert os.listdir(tmp_path) == ["s"]


def test_writes_are_some_seconds_apart(tmp_path, monkeypatch):
    monkeypatch.setattr(CheckpointFile, "every", 0.2)
    file = CheckpointFile(tmp_path / "s", "id")
    assert file.due
    file.save({})
    assert not file.due
    time.sleep(0.25)
    assert file.due


def test_no_file_is_a_fresh_start(tmp_path):
    assert CheckpointFile(tmp_path / "s", "id").load() is None
