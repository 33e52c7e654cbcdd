"""The machines of an average, in one table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..solver import SUPPORT, check_machine_table
from ..views import Views
from .solving import Assignment, Solutions


@dataclass(frozen=True)
class Machines:
    """Trained machines of all pairs, sorted by the kernel they share."""

    rows: np.ndarray  # (R, d) training rows that support some machine
    given: np.ndarray  # (R,) their places among the rows given to fit
    label: np.ndarray  # (R,) their classes
    views: Views  # what kernels see
    kernel_setting: np.ndarray  # (Q,) a setting of every distinct kernel
    kernel_rows: np.ndarray  # (Q, 2) the first of the rows that it needs, and the end
    kernel_start: np.ndarray  # (Q + 1,) its machines are those from [q] to [q + 1]
    setting: np.ndarray  # (K,) of every machine
    pair: np.ndarray  # (K,)
    weight: np.ndarray  # (K,)
    intercept: np.ndarray  # (K,)
    start: np.ndarray  # (K + 1,) its support vectors are those from [k] to [k + 1]
    index: np.ndarray  # (T,) rows of the support vectors
    beta: np.ndarray  # (T,) their multipliers

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any]) -> Self:
        """Return what `to_dict` described."""
        return cls(**{**saved, "views": Views(**saved["views"])})

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays by name, for a file."""
        named = {field.name: getattr(self, field.name) for field in fields(self)}
        return {**named, "views": self.views.to_dict()}

    def with_weights(self, weights: Floats) -> Self:
        """Return the machines of positive weight, weights (settings, pairs) given."""
        changed = replace(self, weight=weights[self.setting, self.pair])
        return changed.some(changed.weight > 0.0)

    def each_setting(self, chosen: Ints, n_pairs: int) -> Self:
        """Return the same with a column of decisions for every setting and pair.

        The columns of ``chosen[k]``, ascending, are k * n_pairs to (k + 1) * n_pairs.
        """
        place = np.searchsorted(chosen, self.setting)
        column = place * n_pairs + self.pair
        return replace(self, pair=column, weight=np.ones(len(column)))

    def renumbered(self, settings: Ints) -> Self:
        """Return the same with setting ``settings[k]`` for k."""
        return replace(
            self,
            setting=settings[self.setting],
            kernel_setting=settings[self.kernel_setting],
        )

    def check(self, n_pairs: int) -> None:
        """Refuse machines that compiled code cannot decide with."""
        check_machine_table(
            n_rows=len(self.rows),
            n_pairs=n_pairs,
            kernel_rows=self.kernel_rows,
            kernel_start=self.kernel_start,
            pair=self.pair,
            weight=self.weight,
            intercept=self.intercept,
            start=self.start,
            index=self.index,
            beta=self.beta,
        )

    def some(self, keep: Bools) -> Self:
        """Return the machines that a mask keeps, among the same rows."""
        n_support = np.diff(self.start)
        is_inside = np.repeat(keep, n_support)
        n_kept = np.concatenate([[0], np.cumsum(keep)])
        n_machines = np.diff(n_kept[self.kernel_start])
        remains = n_machines > 0
        return replace(
            self,
            kernel_setting=self.kernel_setting[remains],
            kernel_rows=self.kernel_rows[remains],
            kernel_start=np.append(0, np.cumsum(n_machines[remains])),
            setting=self.setting[keep],
            pair=self.pair[keep],
            weight=self.weight[keep],
            intercept=self.intercept[keep],
            start=np.append(0, np.cumsum(n_support[keep])),
            index=self.index[is_inside],
            beta=self.beta[is_inside],
        )

    def without_idle_rows(self) -> Self:
        """Return the same with those rows alone that support some machine."""
        supports = np.zeros(len(self.rows), dtype=bool)
        supports[self.index] = True
        supports[0] |= not supports.any()  # no support vector at all: keep the shapes
        used, place = np.flatnonzero(supports), np.cumsum(supports) - 1
        return replace(
            self,
            rows=self.rows[used],
            given=self.given[used],
            label=self.label[used],
            kernel_rows=np.searchsorted(used, self.kernel_rows),
            index=place[self.index],
        )


def trained_machines(assignment: Assignment, solutions: Solutions) -> Machines:
    """Return all machines of an assignment, each with weight 1."""
    data, settings = assignment.data, assignment.settings
    at = np.concatenate(assignment.rows)
    n_rows = [len(own) for own in assignment.rows]
    first = np.cumsum([0, *n_rows[:-1]])
    # kernels with one base are neighbours, and so are machines with one kernel
    keys = [(*setting.sight, *setting.for_solver) for setting in settings]
    order = np.array(sorted(range(len(settings)), key=keys.__getitem__))
    cost_plus = np.array([[settings[s].C_pos] for s in order])
    cost_minus = np.array([[settings[s].C_neg] for s in order])
    beta = solutions.beta[order]
    cost_plus = cost_plus * np.repeat(assignment.plus_factor, n_rows)
    box = np.where(beta > 0.0, cost_plus, cost_minus) * data.weight[at]
    largest = np.maximum.reduceat(np.abs(beta), first, axis=1)
    least = SUPPORT * np.minimum(box, np.repeat(largest, n_rows, axis=1))
    supports = np.abs(beta) > least
    n_support = np.add.reduceat(supports, first, axis=1, dtype=int)
    n_pairs = len(assignment.pairs)
    is_new = [k == 0 or keys[s] != keys[order[k - 1]] for k, s in enumerate(order)]
    new = np.flatnonzero(is_new)
    return Machines(
        rows=data.X,
        given=data.first_given,
        label=data.label,
        views=assignment.views,
        kernel_setting=order[new],
        kernel_rows=np.tile([0, len(data.X)], (len(new), 1)),
        kernel_start=np.append(new, len(order)) * n_pairs,
        setting=np.repeat(order, n_pairs),
        pair=np.tile(np.arange(n_pairs), len(order)),
        weight=np.ones(len(order) * n_pairs),
        intercept=solutions.intercept[order].ravel(),
        start=np.append(0, np.cumsum(n_support.ravel())),
        index=at[np.nonzero(supports)[1]],
        beta=beta[supports],
    )


def joined(parts: Sequence[Machines]) -> Machines:
    """Return machines of different settings, trained on different rows, as one."""
    n_rows = np.cumsum([0, *(len(part.rows) for part in parts)])
    n_machines = np.cumsum([0, *(len(part.pair) for part in parts)])
    n_support = np.cumsum([0, *(len(part.index) for part in parts)])

    def shifted(values: list[Ints], by: Ints) -> Ints:
        """Join indices, each part's moved behind those of the parts before."""
        moved = [own + k for own, k in zip(values, by, strict=False)]
        return np.concatenate(moved)

    return Machines(
        rows=np.concatenate([part.rows for part in parts]),
        given=np.concatenate([part.given for part in parts]),
        label=np.concatenate([part.label for part in parts]),
        views=parts[0].views,
        kernel_setting=np.concatenate([part.kernel_setting for part in parts]),
        kernel_rows=shifted([part.kernel_rows for part in parts], n_rows),
        kernel_start=np.append(
            shifted([part.kernel_start[:-1] for part in parts], n_machines),
            n_machines[-1],
        ),
        setting=np.concatenate([part.setting for part in parts]),
        pair=np.concatenate([part.pair for part in parts]),
        weight=np.concatenate([part.weight for part in parts]),
        intercept=np.concatenate([part.intercept for part in parts]),
        start=np.append(
            shifted([part.start[:-1] for part in parts], n_support), n_support[-1]
        ),
        index=shifted([part.index for part in parts], n_rows),
        beta=np.concatenate([part.beta for part in parts]),
    )
