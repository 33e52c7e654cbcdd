"""Tables that know the truth: fresh rows come from the generator of the training rows.

Features are scaled by the smallest and the largest value of the training rows. Fresh
rows have classes of equal size, so that their accuracy is a balanced accuracy.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Draw = Callable[[int, np.random.Generator], np.ndarray]  # rows of one class

SHIFT = np.array([1.2, 0.9, 0.7, 0.5, 0.0, 0.0, 0.0, 0.0])
_COLUMNS = len(SHIFT)
_LEVELS = np.array([0.4, 0.3, 0.2, 0.1])  # of a nominal attribute
_FRESH = 5_000  # rows per class
_FRESH_NOISE = 1_200  # rows of all classes
_CHUNK = 4_096
FIRST_QUICK_SEED = 1_000


def list_seeds(count: int, quick: bool) -> range:
    """Return the seeds of tables.

    A quick run, with which one develops, has seeds of its own: those of a whole run
    are for judging alone.
    """
    first = FIRST_QUICK_SEED if quick else 0
    return range(first, first + count)


@dataclass(frozen=True)
class Table:
    """Training rows and fresh rows of one generator."""

    X: np.ndarray  # (n, d)
    y: np.ndarray  # (n,), classes 0, 1, ...
    X_new: np.ndarray
    y_new: np.ndarray
    groups: np.ndarray | None = None  # (n,), rows of one group belong together


def scaled(
    X: np.ndarray,
    y: np.ndarray,
    X_new: np.ndarray,
    y_new: np.ndarray,
    groups: np.ndarray | None = None,
) -> Table:
    """Return a table whose training rows lie in [0, 1]."""
    low = X.min(axis=0)
    width = X.max(axis=0) - low
    width[width == 0.0] = 1.0
    return Table((X - low) / width, y, (X_new - low) / width, y_new, groups)


@dataclass(frozen=True)
class NoiseShape:
    """Sizes and columns of a table whose labels mean nothing."""

    sizes: tuple[int, ...]  # rows of every class
    columns: int
    kind: str = "Gaussian"  # or "binary", "one-hot"

    @property
    def name(self) -> str:
        """Return for example ``100:10 x 50 binary``."""
        return f"{':'.join(map(str, self.sizes))} x {self.columns} {self.kind}"

    @property
    def chance(self) -> float:
        """Return the balanced accuracy of a coin."""
        return 1.0 / len(self.sizes)

    def features(self, rows: int, random: np.random.Generator) -> np.ndarray:
        """Draw rows."""
        if self.kind == "Gaussian":
            return random.normal(size=(rows, self.columns))
        if self.kind == "binary":
            return (random.random((rows, self.columns)) < 0.5).astype(float)
        attributes = self.columns // len(_LEVELS)
        level = random.choice(len(_LEVELS), size=(rows, attributes), p=_LEVELS)
        return np.eye(len(_LEVELS))[level].reshape(rows, -1)


def noise(shape: NoiseShape, seed: int) -> Table:
    """Return a table whose labels mean nothing."""
    random = np.random.default_rng([seed, *shape.sizes, shape.columns])
    y = np.repeat(np.arange(len(shape.sizes)), shape.sizes)
    X = shape.features(len(y), random)
    y_new = np.arange(_FRESH_NOISE) % len(shape.sizes)
    return scaled(X, y, shape.features(_FRESH_NOISE, random), y_new)


def _gaussian(label: int) -> Draw:
    """Return a draw of Gaussian rows; those of class 1 are shifted."""

    def draw(rows: int, random: np.random.Generator) -> np.ndarray:
        return random.normal(size=(rows, _COLUMNS)) + label * SHIFT

    return draw


def _labelled(log_odds: Callable[[np.ndarray], np.ndarray], label: int) -> Draw:
    """Return a draw of rows of one class, given the log odds of class 1."""
    # More rows of a seed begin with those of fewer rows: chunks are of one size.
    sign = 2 * label - 1

    def draw(rows: int, random: np.random.Generator) -> np.ndarray:
        kept: list[np.ndarray] = []
        while sum(map(len, kept)) < rows:
            X = random.normal(size=(_CHUNK, _COLUMNS))
            share = 1.0 / (1.0 + np.exp(-sign * log_odds(X)))
            kept.append(X[random.random(_CHUNK) < share])
        return np.concatenate(kept)[:rows]

    return draw


def _xor(X: np.ndarray) -> np.ndarray:
    return 3.0 * np.sign(X[:, 0] * X[:, 1])


def _ring(X: np.ndarray) -> np.ndarray:
    """Return log odds that are high near the circle of radius 1.2 in two columns."""
    return 3.0 - 10.0 * np.abs(np.hypot(X[:, 0], X[:, 1]) - 1.2)


def _products(X: np.ndarray) -> np.ndarray:
    return 2.5 * (X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3])


# kind -> draws of class 0 (frequent) and class 1 (rare)
RARE: dict[str, tuple[Draw, Draw]] = {
    "shifted Gaussian": (_gaussian(0), _gaussian(1)),
    "XOR of signs": (_labelled(_xor, 0), _labelled(_xor, 1)),
    "ring": (_labelled(_ring, 0), _labelled(_ring, 1)),
    "products": (_labelled(_products, 0), _labelled(_products, 1)),
}


def n_positives(rows: int, share: float) -> int:
    """Return how many rows of the rare class a table has."""
    return round(rows * share)


@lru_cache(maxsize=1)
def _fresh_rows(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return fresh rows, the same for all tables of a kind."""
    parts = [
        draw(_FRESH, np.random.default_rng([977, label]))
        for label, draw in enumerate(RARE[kind])
    ]
    return np.concatenate(parts), np.repeat([0, 1], _FRESH)


def rare(kind: str, rows: int, share: float, seed: int) -> Table:
    """Return a table of two classes, of which class 1 is rare.

    A larger table of the same kind, share and seed begins with the rows of a smaller
    one: what differs between them is due to their size.
    """
    positives = n_positives(rows, share)
    sizes = rows - positives, positives
    X = np.concatenate(
        [
            draw(size, np.random.default_rng([seed, label, round(1e4 * share)]))
            for label, (draw, size) in enumerate(zip(RARE[kind], sizes, strict=True))
        ]
    )
    X_new, y_new = _fresh_rows(kind)
    return scaled(X, np.repeat([0, 1], sizes), X_new, y_new)


@dataclass(frozen=True)
class Visits:
    """Patients of two classes who come several times."""

    name: str
    patients: tuple[int, int]  # of every class
    visits: tuple[int, int]  # of a patient: at least, at most
    spread: float  # of the visits of a patient; 0 repeats rows exactly
    shift: float  # between the classes' patients, in the first four columns
    columns: int = 20
    binary: bool = False  # features are 0 or 1: patients have equal rows


VISITS = (
    Visits("random labels, three visits", (60, 60), (3, 3), 0.01, 0.0),
    Visits("random labels, 30 of 120 rare", (90, 30), (3, 3), 0.01, 0.0),
    Visits("random labels, exact repeats", (60, 60), (3, 3), 0.0, 0.0),
    Visits("signal, three visits", (60, 60), (3, 3), 0.01, 0.8),
    Visits("signal, 30 of 180 rare, 1 to 6 visits", (150, 30), (1, 6), 0.5, 0.8),
    Visits("signal, rows equal across groups", (80, 40), (2, 2), 0.0, 0.8, 6, True),
    Visits(
        "random labels, rows equal across groups", (80, 40), (2, 2), 0.0, 0.0, 6, True
    ),
)


def visits(kind: Visits, seed: int) -> Table:
    """Return visits of patients with their groups, and one visit of fresh patients."""
    random = np.random.default_rng([seed, zlib.crc32(kind.name.encode())])
    shift = np.where(np.arange(kind.columns) < 4, kind.shift, 0.0)

    def patients(label: np.ndarray) -> np.ndarray:
        X = random.normal(size=(len(label), kind.columns)) + label[:, None] * shift
        if kind.binary:
            return (X - 0.5 * shift > 0.0).astype(float)
        return X

    def at_a_visit(X: np.ndarray) -> np.ndarray:
        return X + kind.spread * random.normal(size=X.shape)

    label = np.repeat([0, 1], kind.patients)
    fewest, most = kind.visits
    count = random.integers(fewest, most, endpoint=True, size=len(label))
    groups = np.repeat(np.arange(len(label)), count)
    X = at_a_visit(patients(label)[groups])
    y_new = np.repeat([0, 1], _FRESH // 5)
    return scaled(X, label[groups], at_a_visit(patients(y_new)), y_new, groups)
