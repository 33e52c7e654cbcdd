"""One set of settings for all pairs: what is averaged must differ."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from scipy.stats import qmc

from ..arrays import Floats
from ..kernels import KERNELS, PARAMETER, Kernel, make_kernel, starts_at_zero
from ..limits import check_values
from ..solver import DISTANCE
from ..views import RANKS, VALUES, WEIGHTED, Sight, Views

_SCALES = (1.0, 1.7, 3.0, 5.0)  # typical widths, in units of the rows' spread
_COSTS = (10.0, 200.0)
_LEAST_SEEN = 0.6  # kernel between nearest neighbours, where it is 1 for equal rows
_ROWS_ASKED, _ROWS_COMPARED = 300, 2_000
N_PARTS = 3  # relevance is learned from two thirds of the rows and judged by the others


@dataclass(frozen=True)
class Setting:
    """A kernel, what it sees, and the costs of the two classes of a pair."""

    kernel: str
    view: str
    sigma: float | None = None  # of rbf
    degree: int | None = None  # of poly and min
    C_pos: float = 1.0
    C_neg: float = 1.0
    part: int | None = None  # of weighted views: the rows that relevance does not know

    @cached_property
    def for_solver(self) -> Kernel:
        """The kernel as the solver takes it."""
        return make_kernel(self.kernel, self.sigma or 1.0, self.degree or 1)

    @cached_property
    def sight(self) -> Sight:
        """What the kernel sees of the features."""
        return Sight(self.view, self.for_solver.base, self.part or 0)

    def to_dict(self) -> dict[str, Any]:
        """Return what applies to this kernel, by name."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: v for name, v in named.items() if v is not None}


@dataclass(frozen=True)
class SettingSpace:
    """What settings are drawn from."""

    kernels: tuple[str, ...] = KERNELS
    views: tuple[str, ...] = ("values", "ranks", "weighted")
    cost: tuple[float, float] = (0.1, 1000.0)
    sigma: tuple[float, float] = (0.1, 20.0)
    degree: tuple[int, int] = (1, 5)

    @property
    def plain_views(self) -> list[str]:
        """The views that are not weighted."""
        return [view for view in (VALUES, RANKS) if view in self.views]

    @property
    def shares(self) -> list[tuple[list[str], list[str]]]:
        """(kernels, views) of every share of the settings."""
        plain = self.plain_views
        weighted = [WEIGHTED[view] for view in plain or [VALUES]]
        smooth = [kernel for kernel in self.kernels if not starts_at_zero(kernel)]
        steps = [kernel for kernel in self.kernels if starts_at_zero(kernel)]
        shares = [
            (smooth, plain or weighted),  # weighing adds nothing here: only if asked
            (steps, plain),
            (steps, weighted if "weighted" in self.views else []),
        ]
        return [(kernels, views) for kernels, views in shares if kernels and views]


class SettingDraw(NamedTuple):
    """How many settings are drawn, from what, and with which seed."""

    number: int
    space: SettingSpace
    seed: int


def draw_settings(n: int, space: SettingSpace, seed: int) -> list[Setting]:
    """Return ``n`` settings from a scrambled Sobol sequence, equally many per share."""
    (low, high), shares, settings = space.degree, space.shares, []
    points = qmc.Sobol(5, seed=seed).random_base2(int(np.ceil(np.log2(n))))
    n_weighted = 0
    for k, u in enumerate(points[:n]):
        kernels, views = shares[k % len(shares)]
        kernel = kernels[int(u[0] * len(kernels))]
        view = views[int(u[1] * len(views))]
        sigma = degree = part = None
        if PARAMETER[kernel] == "sigma":
            sigma = _log_scale(u[2], space.sigma)
        elif PARAMETER[kernel] == "degree":
            degree = low + int(u[2] * (high - low + 1))
        if view in WEIGHTED.values():
            part = n_weighted % N_PARTS
            n_weighted += 1
        setting = Setting(
            kernel=kernel,
            view=view,
            sigma=sigma,
            degree=degree,
            C_pos=_log_scale(u[3], space.cost),
            C_neg=_log_scale(u[4], space.cost),
            part=part,
        )
        settings.append(setting)
    return settings


def without_narrow_widths(
    settings: Sequence[Setting], space: SettingSpace, X: Floats, views: Views
) -> list[Setting]:
    """Return the settings with rbf kernels that are no narrower than rows are apart.

    A narrower kernel comes near the identity: it remembers rows and learns little, and
    costs more than any other, as nearly all rows support it. Widths are spread again
    between the narrowest useful one and the upper bound.
    """
    drawn_views = {one.view for one in settings if one.sigma is not None}
    some = X[:: -(-len(X) // _ROWS_COMPARED)]  # machines see no more of a large table
    narrowest = {}
    for view in sorted(drawn_views):
        seen = views.see(some, Sight(view, DISTANCE))
        check_values(seen)
        narrowest[view] = _narrowest_width(seen)
    result = []
    for one in settings:
        sigma = one.sigma
        if sigma is not None:
            sigma = _from_narrowest(sigma, space.sigma, narrowest[one.view])
        result.append(replace(one, sigma=sigma))
    return result


def _narrowest_width(X: Floats) -> float:
    """Return the width at which rows see their nearest neighbours well enough.

    The kernel between nearest neighbours is _LEAST_SEEN there, in the median of rows.
    """
    asked = X[:: -(-len(X) // _ROWS_ASKED)]
    distances = cdist(asked, X, "sqeuclidean")
    nearest = np.partition(distances, 1, axis=1)[:, 1]  # the row itself is at 0
    return float(np.sqrt(np.median(nearest) / (-2.0 * np.log(_LEAST_SEEN))))


def _from_narrowest(
    sigma: float, bounds: tuple[float, float], narrowest: float
) -> float:
    """Return where a width between bounds is if the lower one is the narrowest."""
    low, high = bounds
    if low == high:
        return sigma
    lowest = float(np.clip(narrowest, low, high))
    share = np.log(sigma / low) / np.log(high / low)
    return float(lowest * (high / lowest) ** share)


def with_typical_widths(
    settings: Sequence[Setting],
    space: SettingSpace,
    X: Floats,
    weight: Floats,
    views: Views,
) -> list[Setting]:
    """Return the settings with rbf kernels of the rows' own spread as the last ones.

    Widths are drawn without looking at the data; near its spread they are often best.
    """
    plain = space.plain_views
    n_new = min(len(settings) // 6, len(plain) * len(_SCALES) * len(_COSTS))
    if "rbf" not in space.kernels or n_new == 0:
        return list(settings)
    spread = {}
    for view in plain:
        seen = views.see(X, Sight(view, DISTANCE))
        check_values(seen)
        spread[view] = _spread(seen, weight)
    new = []
    for scale, cost, view in product(_SCALES, np.clip(_COSTS, *space.cost), plain):
        sigma = float(np.clip(scale * spread[view], *space.sigma))
        new.append(Setting("rbf", view, sigma, None, float(cost), float(cost)))
    return [*settings[: len(settings) - n_new], *new[:n_new]]


def _spread(X: Floats, weight: Floats) -> float:
    """Return the root of half the summed variance of the features."""
    share = weight / weight.sum()
    # not through BLAS, whose last digits depend on its threads
    mean = np.einsum("i,ij->j", share, X)
    return float(np.sqrt(0.5 * np.einsum("i,ij->", share, (X - mean) ** 2)))


def _log_scale(u: float, bounds: tuple[float, float]) -> float:
    """Return the number at ``u`` of [0, 1) between the bounds, on a log scale."""
    low, high = bounds
    return float(low * (high / low) ** u)
