"""One thread: ISVMClassifierCV on tables of 1,000 to 20,000 rows, and on many classes.

Mid-size tables: a fit beside `GridSearchCV(SVC(class_weight="balanced"))` over 20
settings and three folds, as in `averaged_speed`. Many classes: beside a single SVC.
Scores are those of held-out rows. Seconds are CPU time, fits in turns.

    python -m benchmarks.middle_speed [tables]

prints the tables; without names it writes them to benchmarks/RESULTS.md, too.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import minmax_scale
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from isvmde import ISVMClassifierCV
from isvmde.metrics import av_f_beta_score, cba_score, g_mean_score

from . import given_speed, large_tables
from .averaged_speed import GRID, geometric_mean, seconds_in_turns
from .real_tables import MANY_CLASSES, MIDDLE, load_table

TITLE = "# Mid-size tables and many classes"
_HELD_OUT = 0.3
_SCORES = (g_mean_score, av_f_beta_score, cba_score)
_ONE_SVC = 10_000  # rows from which on the peer is a single SVC, not a grid of them

Table = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class MiddleRow:
    """What was measured on one table; seconds, scores in per cent."""

    name: str
    rows: int
    columns: int
    classes: int
    fit: float
    peer: float
    scores: tuple[float, ...]
    peer_scores: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """How many times as long the peer takes."""
        return self.peer / self.fit


def made_up(rows: int, classes: int) -> Table:
    """Return a table of twenty features with classes of unequal size."""
    X, y = make_classification(
        round(rows / (1.0 - _HELD_OUT)),
        20,
        n_informative=10,
        n_classes=classes,
        weights=np.geomspace(4.0, 1.0, classes) / np.geomspace(4.0, 1.0, classes).sum(),
        flip_y=0.02,
        random_state=rows + classes,
    )
    return minmax_scale(X), y


def digits() -> Table:
    """Return scikit-learn's images of digits."""
    X, y = load_digits(return_X_y=True)
    return minmax_scale(X), y


def unequal_classes() -> Table:
    """Return the ten classes of `large_tables`, down to 0.5 %."""
    X, y, _, _ = large_tables.make_table(
        "10 classes (down to 0.5 %)", 17_000, seed=41, held_out=10
    )
    return X, y


def tables() -> dict[str, Callable[[], Table]]:
    """Return what makes each table, by name."""
    made: dict[str, Callable[[], Table]] = {
        "1,000 rows, 3 classes": lambda: made_up(1_000, 3),
        "2,000 rows, 3 classes": lambda: made_up(2_000, 3),
        "3,000 rows, 2 classes": lambda: made_up(3_000, 2),
        "2,000 rows, 8 classes": lambda: made_up(2_000, 8),
        "digits": digits,
    }
    for name in MIDDLE:
        made[name] = lambda name=name: load_table(name)
    for name in MANY_CLASSES:
        made[name] = lambda name=name: load_table(name)
    made["10 unequal classes"] = unequal_classes
    return made


def measure(name: str, make: Callable[[], Table]) -> MiddleRow:
    """Time a fit beside its peer's, and score both on held-out rows."""
    X, y = make()
    X, X_new, y, y_new = train_test_split(
        X, y, test_size=_HELD_OUT, stratify=y, random_state=0
    )
    ours = ISVMClassifierCV(random_state=0)
    svc = SVC(class_weight="balanced")
    peer = svc
    if len(X) < _ONE_SVC:
        peer = GridSearchCV(svc, GRID, cv=3, scoring="balanced_accuracy")
    runs = 3 if len(X) <= 1_000 else 1
    fit, peers = seconds_in_turns(runs, lambda: ours.fit(X, y), lambda: peer.fit(X, y))
    return MiddleRow(
        name=name,
        rows=len(X),
        columns=X.shape[1],
        classes=len(np.unique(y)),
        fit=fit,
        peer=peers,
        scores=_scores(ours, X_new, y_new),
        peer_scores=_scores(peer, X_new, y_new),
    )


def _scores(model: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """Return G-mean, AvF and CBA in per cent."""
    guess = model.predict(X)
    return tuple(100.0 * float(score(y, guess)) for score in _SCORES)


def markdown(measured: list[MiddleRow]) -> str:
    """Return a table for each peer."""
    grids = [row for row in measured if row.rows < _ONE_SVC]
    alone = [row for row in measured if row.rows >= _ONE_SVC]
    lines: list[str] = []
    if grids:
        mean = geometric_mean([row.ratio for row in grids])
        lowest = min(grids, key=lambda row: row.ratio)
        lines += _table(grids, "grid of 20, s", "times faster", lambda row: row.ratio)
        lines += [
            "",
            f"Geometric mean: **{mean:.1f}** times faster than the grid search; lowest "
            f"{lowest.ratio:.1f} ({lowest.name}).",
            "",
        ]
    if alone:
        longest = max(alone, key=lambda row: 1.0 / row.ratio)
        lines += _table(alone, "one SVC, s", "SVC fits", lambda row: 1.0 / row.ratio)
        lines += [
            "",
            f"A fit takes as long as **{1.0 / longest.ratio:.1f}** fits of one SVC at "
            f"most ({longest.name}).",
        ]
    return "\n".join(lines).rstrip()


def _table(
    measured: list[MiddleRow],
    peer: str,
    ratio: str,
    of: Callable[[MiddleRow], float],
) -> list[str]:
    """Return the lines of one table."""
    lines = [
        f"| table | rows | columns | classes | fit, s | {peer} | {ratio} "
        "| G-mean / AvF / CBA | theirs |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in measured:
        scores = " / ".join(f"{score:.1f}" for score in row.scores)
        theirs = " / ".join(f"{score:.1f}" for score in row.peer_scores)
        lines.append(
            f"| {row.name} | {row.rows:,} | {row.columns} | {row.classes} "
            f"| {row.fit:.2f} | {row.peer:.2f} | {of(row):.1f} | {scores} | {theirs} |"
        )
    return lines


def main(names: list[str]) -> None:
    """Measure, print as it goes, write the section of the report."""
    made = tables()
    unknown = [name for name in names if name not in made]
    if unknown:
        sys.exit(f"no table is called {unknown[0]!r}; there are: {', '.join(made)}")
    X, y = made_up(300, 3)
    ISVMClassifierCV(n_settings=8, random_state=0).fit(X, y).predict(X)  # compiles
    measured = []
    for name in names or made:
        with threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what one of the models says of a table
            measured.append(measure(name, made[name]))
        row = measured[-1]
        print(f"{name:22s} ours {row.fit:7.2f} s   peer {row.peer:7.2f} s", flush=True)
    report = (
        f"{TITLE}\n\nWritten by `python -m benchmarks.middle_speed`. One thread, CPU "
        "time, scores on held-out rows. The peer is `GridSearchCV(SVC(class_weight="
        '"balanced"))` over 20 settings and three folds, or a single such SVC for '
        f"{_ONE_SVC:,} rows and more.\n\n" + markdown(measured)
    )
    print("\n" + report)
    if not names:
        path = large_tables.PATH
        text = path.read_text(encoding="utf-8")
        before, title, after = text.partition(given_speed.TITLE)
        before = before.partition(TITLE)[0].rstrip()
        path.write_text(f"{before}\n\n{report}\n\n{title}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
