"""Fit every classifier on extreme tables: `python tests/fuzz/hostile_tables.py`.

Arguments: number of cases [700], seed [0]. A case is a classifier on a table, fitted
three times: twice with one thread, once with two. It may refuse the table with a
ValueError of one sentence, or return finite numbers, the same bits each time, with no
warning but that of convergence. Anything else, and more than ten seconds for a fit, is
a finding. The fits run in a process of their own, so that a crash or a hang is one too.
"""

from __future__ import annotations

import multiprocessing
import re
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from isvmde import ISVMClassifier, ISVMClassifierCV, ISVMDEClassifier
from isvmde.baselines import (
    NBSVM,
    OVOSVM,
    PPSVM,
    SDCSVM,
    WKSMOTESVM,
    CostSVM,
    StaticSMOTESVM,
)

FIT_SECONDS = 10.0
FITS = 3
Rng = np.random.Generator
SIZES = [1e-308, 1e-160, 1e-60, 1e-20, 1e-5, 1.0, 1e3, 1e8, 1e20, 1e45, 1e154, 1e300]
COSTS = [1e-300, 1e-6, 1.0, 1e3, 1e9, 1e100, 1e303]


def _kernel(rng: Rng) -> dict[str, Any]:
    """Return a kernel, now and then with a strange parameter."""
    return {
        "kernel": str(rng.choice(["linear", "rbf", "poly"])),
        "sigma": float(rng.choice([1e-300, 1e-3, 0.3, 1.0, 100.0, 1e300])),
        "degree": int(rng.choice([1, 2, 3, 5, 40])),
        "C": float(rng.choice(COSTS, p=[0.05, 0.1, 0.3, 0.3, 0.1, 0.1, 0.05])),
    }


def _given(rng: Rng) -> Any:
    parameters = _kernel(rng)
    parameters["kernel"] = str(rng.choice(["linear", "rbf", "poly", "min"]))
    margins = {
        name: float(rng.choice([0.0, 1e-7, 0.5, 1.0, 1e6, 1e300]))
        for name in ("margin_pos", "margin_neg")
    }
    return ISVMClassifier(
        **parameters,
        **(margins if rng.random() < 0.5 else {}),
        ranks=bool(rng.random() < 0.2),
        class_weight="balanced" if rng.random() < 0.3 else None,
    )


def _searched(rng: Rng) -> Any:
    return ISVMDEClassifier(
        pop_size=5,
        max_iter=1,
        fitness=str(rng.choice(["ave", "max"])),
        search=str(rng.choice(["joint", "pairwise"])),
        C=float(rng.choice([1.0, 1e3, 1e9, 1e303])),
        random_state=int(rng.integers(1000)),
    )


def _averaged(rng: Rng) -> Any:
    chosen = [{"prior": "balanced"}, {"prior": "training"}, {"scoring": "g_mean"}]
    return ISVMClassifierCV(
        n_settings=6,
        **chosen[int(rng.integers(3))],
        random_state=int(rng.integers(1000)),
    )


def _baseline(kind: type) -> Callable[[Rng], Any]:
    def make(rng: Rng) -> Any:
        drawn = "random_state" in kind().get_params()
        return kind(**_kernel(rng), **({"random_state": 0} if drawn else {}))

    return make


MAKERS: dict[str, Callable[[Rng], Any]] = {
    "ISVMClassifier": _given,
    "ISVMDEClassifier": _searched,
    "ISVMClassifierCV": _averaged,
    **{
        kind.__name__: _baseline(kind)
        for kind in (OVOSVM, StaticSMOTESVM, CostSVM, SDCSVM, WKSMOTESVM, PPSVM, NBSVM)
    },
}


def _usual(rng: Rng) -> tuple[Any, np.ndarray]:
    """Return three overlapping classes of different sizes."""
    y = np.repeat([0, 1, 2], rng.integers(2, 15, size=3))
    return rng.normal(size=(len(y), int(rng.integers(1, 5)))) + y[:, None], y


def _scaled(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    return X * float(rng.choice(SIZES)), y


def _columns_of_any_size(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    with np.errstate(over="ignore"):
        return np.clip(X * rng.choice(SIZES, size=X.shape[1]), -1.7e308, 1.7e308), y


def _cells_of_any_size(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    largest = float(rng.choice([0.0, 3.0, 20.0, 58.0, 308.0]))
    return np.sign(X) * 10.0 ** rng.uniform(-320, largest, size=X.shape), y


def _denormal(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    return np.abs(X) * 5e-324 * rng.integers(1, 50, size=X.shape), y


def _constant(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    return np.full_like(X, float(rng.choice([0.0, 1.0, -1e-300, 1e60]))), y


def _conflicting(rng: Rng) -> tuple[Any, np.ndarray]:
    X, _ = _usual(rng)
    return np.repeat(X[:4], 6, axis=0), rng.permutation(np.arange(24) % 3)


def _one_per_class(rng: Rng) -> tuple[Any, np.ndarray]:
    n = int(rng.integers(2, 6))
    return rng.normal(size=(n, 2)), np.arange(n)


def _many_classes(rng: Rng) -> tuple[Any, np.ndarray]:
    y = np.repeat(np.arange(40), rng.integers(1, 4, size=40))
    return rng.normal(size=(len(y), 2)) + y[:, None] % 7, y


def _many_columns(rng: Rng) -> tuple[Any, np.ndarray]:
    y = np.repeat([0, 1, 2], [12, 6, 3])
    return rng.normal(size=(21, 2000)) + 0.1 * y[:, None], y


def _any_type(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    kind = str(rng.choice(["f2", "f4", "i1", "u1", "i8", "u8", "?", "O", "g"]))
    with np.errstate(invalid="ignore"):
        X = np.abs(3 * X).astype(kind)
    names = [
        np.array(["a", "b", "c"]),
        np.array([True, False, True]),
        np.array([-1e6, 0.0, 7.0]),
        np.array([2**62, -1, 0]),
        np.array(["ä", "", "x" * 200], dtype=object),
    ]
    labels = names[int(rng.integers(len(names)))][y]
    return (X.tolist() if rng.random() < 0.2 else X), labels


def _nearly_equal(rng: Rng) -> tuple[Any, np.ndarray]:
    X, y = _usual(rng)
    return 1.0 + X * float(rng.choice([1e-16, 1e-15, 1e-12])), y


TABLES: dict[str, Callable[[Rng], tuple[Any, np.ndarray]]] = {
    "usual": _usual,
    "scaled by 1e-308 to 1e300": _scaled,
    "columns of any size": _columns_of_any_size,
    "cells of any size": _cells_of_any_size,
    "denormal numbers": _denormal,
    "constant": _constant,
    "nearly equal rows": _nearly_equal,
    "equal rows of other classes": _conflicting,
    "one sample per class": _one_per_class,
    "40 classes": _many_classes,
    "2,000 columns": _many_columns,
    "every type": _any_type,
}


def _weights(n: int, rng: Rng) -> np.ndarray | None:
    """Return no weights, sensible ones, or strange ones."""
    kind = int(rng.integers(12))
    if kind == 0:
        return rng.integers(0, 4, size=n).astype(float)
    if kind == 1:
        return rng.random(n) + 0.01
    if kind == 2:
        return np.full(
            n, float(rng.choice([5e-324, 1e-300, 1e-9, 1e9, 1e298, 1.7e308]))
        )
    if kind == 3:
        reach = float(rng.choice([5.0, 7.0, 300.0]))
        return 10.0 ** rng.uniform(-reach, reach, size=n)
    return None


def _far_away(X: np.ndarray, rng: Rng) -> np.ndarray:
    """Return new rows: those given, none like them, and some far from all."""
    rows = np.asarray(X, dtype=float)
    size = 10.0 ** rng.uniform(-300, 308, size=(8, rows.shape[1]))
    signs = rng.choice([-1.0, 0.0, 1.0], size=size.shape)
    return np.vstack([rows, np.zeros_like(rows[:1]), signs * size])


def fit_once(case: int, seed: int, n_jobs: int) -> tuple[str, bytes]:
    """Return (outcome, the bits of what came out) of one fit."""
    name, table, rng = describe(case, seed)
    X, y = TABLES[table](rng)
    model = MAKERS[name](rng)
    weight = _weights(len(y), rng)
    new = _far_away(X, rng)
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(X, y, sample_weight=weight)
        except ValueError as error:
            text = str(error)
            if "\n" in text or len(text) > 400 or "could not" in text:
                return f"! unclear: {text[:300]}", b""
            # which pair is refused first depends on the threads
            return f"refused: {re.sub('[-+.0-9e]+', '#', text)}", b""
        returned = {
            "predict_proba": model.predict_proba(new),
            "decision_function": model.decision_function(new),
            "pair_decision_function": model.pair_decision_function(new),
        }
        labels = model.predict(new)
    for warning in caught:
        # scikit-learn asks whether as many classes as samples are meant
        meant = "number of unique classes" in str(warning.message)
        if not meant and not issubclass(warning.category, ConvergenceWarning):
            return f"! {warning.category.__name__}: {warning.message}", b""
    for attribute in (
        "fitness_",
        "kkt_violation_",
        "n_support_",
        "intercept_",
        "loo_proba_",
        "margins_",
        "weights_",
        "loo_error_",
        "prior_",
        "class_count_",
    ):
        if hasattr(model, attribute):
            returned[attribute] = np.asarray(getattr(model, attribute), float)
    for what, values in returned.items():
        if not np.isfinite(values).all():
            return f"! {what} is not finite", b""
    if not np.isin(labels, np.unique(y)).all():
        return "! a label that was never given", b""
    sums = returned["predict_proba"].sum(axis=1)
    if not np.allclose(sums, 1.0, atol=1e-9):
        return "! probabilities do not sum to 1", b""
    bits = b"".join(np.ascontiguousarray(v).tobytes() for v in returned.values())
    slow = any(issubclass(w.category, ConvergenceWarning) for w in caught)
    return ("fitted with a warning" if slow else "fitted"), bits


def describe(case: int, seed: int) -> tuple[str, str, Rng]:
    """Return classifier, table and generator of a case."""
    names, tables = list(MAKERS), list(TABLES)
    name = names[case % len(names)]
    table = tables[(case // len(names) + case) % len(tables)]
    return name, table, np.random.default_rng([seed, case])


def run_case(case: int, seed: int) -> str:
    """Fit a case three times and judge it."""
    try:
        began = time.process_time()  # the clock of a busy machine says nothing
        results = [fit_once(case, seed, jobs) for jobs in (1, 1, 2)]
        slow = (time.process_time() - began) / FITS
    except Exception:
        return "! " + traceback.format_exc()[-900:]
    outcomes = {outcome for outcome, _ in results}
    finding = next((o for o in outcomes if o.startswith("!")), "")
    if finding:
        return finding
    if len({bits for _, bits in results}) > 1 or len(outcomes) > 1:
        return f"! not the same each time: {sorted(outcomes)}"
    return results[0][0] if slow < FIT_SECONDS else f"! {slow:.0f} s"


def _serve(connection: Any) -> None:
    """Run the cases that come in."""
    while True:
        connection.send(run_case(*connection.recv()))


def attack(cases: Any, seed: int) -> Iterator[tuple[int, str]]:
    """Yield (case, outcome); a crash or a hang ends a process, not the run."""
    context = multiprocessing.get_context("spawn")
    process, here = None, None
    try:
        for case in cases:
            if process is None:
                here, there = context.Pipe()
                process = context.Process(target=_serve, args=(there,))
                process.start()
                there.close()
                patience = 300.0  # with the imports and, once, the compilation
            here.send((case, seed))
            try:
                outcome = here.recv() if here.poll(patience) else "! hangs"
            except EOFError:
                outcome = "! crashes"
            if outcome in ("! hangs", "! crashes"):
                process.kill()
                process.join()
                process = None
            patience = 4.0 * FITS * FIT_SECONDS
            yield case, outcome
    finally:
        if process is not None:
            process.kill()
            process.join()


def markdown(counts: Counter[tuple[str, str]]) -> str:
    """Return the table of what was tried and what came of it."""
    kinds = ["fitted", "fitted with a warning", "refused", "finding"]
    lines = [
        "| | cases | " + " | ".join(kinds) + " |",
        "|---|" + "---:|" * (len(kinds) + 1),
    ]
    for what in [*MAKERS, *TABLES]:
        row = [counts[what, kind] for kind in kinds]
        lines.append(f"| {what} | {sum(row)} | " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Attack, print every finding and a table."""
    n, seed = ([int(a) for a in arguments] + [700, 0][len(arguments) :])[:2]
    counts: Counter[tuple[str, str]] = Counter()
    for case, outcome in attack(range(n), seed):
        name, table, _ = describe(case, seed)
        kind = "finding" if outcome.startswith("!") else outcome.split(":")[0]
        if kind == "finding":
            print(f"case {case}: {name}, {table}\n{outcome}\n", flush=True)
        counts[name, kind] += 1
        counts[table, kind] += 1
    print(f"{n} cases, {FITS * n} fits, seed {seed}\n\n{markdown(counts)}")
    return int(any(kind == "finding" for _, kind in counts))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
