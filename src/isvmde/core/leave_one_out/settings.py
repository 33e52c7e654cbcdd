"""One set of settings for all pairs: what is averaged must differ."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import qmc

from ..kernels import KERNELS, Kernel, make_kernel
from ..solver import DISTANCE
from ..training_set import TrainingSet
from ..views import RANKS, VALUES, WEIGHTED

_SCALES = (1.0, 1.7, 3.0, 5.0)  # widths of rbf kernels, in units of the data's spread
_COSTS = (10.0, 200.0)


@dataclass(frozen=True)
class Setting:
    """A kernel, what it sees, and the costs of the two classes of a pair."""

    kernel: str
    view: str
    sigma: float | None  # of rbf
    degree: int | None  # of poly and min
    C_pos: float
    C_neg: float

    @cached_property
    def for_solver(self) -> Kernel:
        """The kernel as the solver takes it."""
        return make_kernel(self.kernel, self.sigma or 1.0, self.degree or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return what applies to this kernel, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class SettingSpace:
    """What settings are drawn from."""

    kernels: tuple[str, ...] = KERNELS
    views: tuple[str, ...] = ("values", "ranks", "weighted")
    cost: tuple[float, float] = (0.1, 1000.0)
    sigma: tuple[float, float] = (0.1, 20.0)
    degree: tuple[int, int] = (1, 5)


def draw_settings(n: int, space: SettingSpace, seed: int) -> list[Setting]:
    """Return ``n`` settings from a scrambled Sobol sequence.

    Equal shares go to the smooth kernels (linear, rbf, poly), to the min kernel, and
    to the min kernel on weighted features; inside a share every kernel and every view
    is as likely. Costs and sigma lie on a logarithmic scale.

    Examples
    --------
    >>> drawn = draw_settings(96, SettingSpace(), seed=0)
    >>> sum(setting.kernel == "min" for setting in drawn)
    64
    >>> sorted({setting.view for setting in drawn})
    ['ranks', 'values', 'weighted ranks', 'weighted values']
    """
    shares = _shares(space)
    power = max(int(np.ceil(np.log2(n))), 0)
    points = qmc.Sobol(5, scramble=True, seed=seed).random_base2(power)[:n]
    return [
        _setting(*shares[k % len(shares)], point, space)
        for k, point in enumerate(points)
    ]


def _shares(space: SettingSpace) -> list[tuple[list[str], list[str]]]:
    """Return (kernels, views) of every share of the settings."""
    kernels, views = space.kernels, space.views
    plain = [view for view in (VALUES, RANKS) if view in views]
    weighted = [WEIGHTED[view] for view in plain or [VALUES]]
    smooth = [kernel for kernel in kernels if kernel != "min"]
    shares = []
    if smooth:  # weighing features adds nothing to smooth kernels: only if asked
        shares.append((smooth, plain or weighted))
    if "min" in kernels and plain:
        shares.append((["min"], plain))
    if "min" in kernels and "weighted" in views:
        shares.append((["min"], weighted))
    return shares


def _setting(
    kernels: list[str], views: list[str], point: np.ndarray, space: SettingSpace
) -> Setting:
    """Return the setting of one point of the unit cube."""
    kernel = kernels[int(point[0] * len(kernels))]
    view = views[int(point[1] * len(views))]
    low, high = space.degree
    return Setting(
        kernel,
        view,
        _log_scale(point[2], space.sigma) if kernel == "rbf" else None,
        low + int(point[2] * (high - low + 1)) if kernel in ("poly", "min") else None,
        _log_scale(point[3], space.cost),
        _log_scale(point[4], space.cost),
    )


def _log_scale(u: float, bounds: tuple[float, float]) -> float:
    """Return the number at ``u`` of [0, 1) between the bounds, on a log scale."""
    low, high = bounds
    return float(low * (high / low) ** u)


def with_wide_kernels(
    settings: list[Setting], space: SettingSpace, data: TrainingSet
) -> list[Setting]:
    """Return the settings with rbf kernels of the data's own width as the last ones.

    With many rows the best width is known better than its range: near the spread of
    the rows. Samples of equal classes want equal costs.
    """
    views = [view for view in (VALUES, RANKS) if view in space.views]
    n_new = min(len(settings) // 6, len(views) * len(_SCALES) * len(_COSTS))
    if "rbf" not in space.kernels or n_new == 0:
        return settings
    some = slice(None, None, 1 + len(data.X) // 5_000)
    share = data.weight[some] / data.weight[some].sum()
    spread = {}
    for view in views:
        X = data.views.see(data.X[some], view, DISTANCE)
        mean = np.einsum("i,ij->j", share, X)
        spread[view] = np.sqrt(0.5 * np.einsum("i,ij->", share, (X - mean) ** 2))
    new = [
        Setting(
            "rbf",
            view,
            float(np.clip(scale * spread[view], *space.sigma)),
            None,
            *[float(np.clip(cost, *space.cost))] * 2,
        )
        for scale in _SCALES
        for cost in _COSTS
        for view in views
    ]
    return settings[: len(settings) - n_new] + new[:n_new]
