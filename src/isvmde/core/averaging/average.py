"""From solved bags to one model: weights, margins, and what it says of rows unseen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..training_set import TrainingSet
from ..views import Views
from .bags import Bag, BagPlan, Budget, plan_bags, plan_larger_bags
from .calibration import (
    coupled,
    decisions_by_pair,
    fit_margins,
    losses,
    with_margins,
)
from .dealing import deal, draw_halves
from .judging import (
    TrainedBag,
    decisions_of_judges,
    decisions_of_rows,
    train_bag,
)
from .machines import Machines, joined
from .reliability import Reliability, assess, is_clearly_worse
from .settings import (
    N_PARTS,
    Setting,
    SettingDraw,
    draw_settings,
    with_typical_widths,
    without_narrow_widths,
)
from .solving import Assignment, Solutions, class_ratio
from .weighing import (
    N_BLOCKS,
    N_DRAWS,
    BlockErrors,
    Judges,
    Tuning,
    average_decisions,
    balanced_errors,
    draw_weights,
    errors_of,
    for_parts,
    heaviest,
    list_judges,
    sum_by_block,
    without_smallest,
)

_DOUBTFUL = 0.5 * np.log(2.0)  # mean log loss of pairs, half of what guessing has
_MOST_KNOTS = 1_000  # values of a feature whose ranks are kept
Solve = Callable[[Sequence[Assignment]], list[Solutions]]


class Table(NamedTuple):
    """A training set, what its pairs are solved at, and who learns and judges what."""

    data: TrainingSet
    views: Views
    pairs: Ints
    settings: Sequence[Setting]
    tol: float
    part: Ints  # (n,) whose relevance does not know the row
    block: Ints  # (n,) draws of weights see half of the blocks
    budget: Budget
    plan: BagPlan
    seed: int
    chosen_ratio: Floats | None = None  # (pairs,) where settings were chosen, if any

    def enlarged(self, chosen: Ints) -> "Table":
        """Return the same with some settings, trained on more and judged by others."""
        settings = [self.settings[s] for s in chosen]
        plan = plan_larger_bags(
            self.data, self.pairs, settings, self.plan.judges, self.budget, self.seed
        )
        first_sample = self.data.some_rows(self.plan.bags[0].rows)
        return self._replace(
            settings=settings,
            plan=plan,
            chosen_ratio=class_ratio(first_sample, self.pairs),
        )

    def assignment(self, bag: Bag) -> Assignment:
        """Return what is to be solved of a bag."""
        data = self.data
        if not self.plan.is_whole:
            data = data.some_rows(bag.rows)
        settings = [self.settings[s] for s in bag.settings]
        return Assignment(
            data=data,
            views=self.views,
            pairs=self.pairs,
            settings=settings,
            tol=self.tol,
            chosen_ratio=self.chosen_ratio,
        )

    @property
    def setting_part(self) -> Ints:
        """The part whose rows judge each setting, -1 where all do."""
        parts = [-1 if one.part is None else one.part for one in self.settings]
        return np.array(parts)


@dataclass(frozen=True)
class Average:
    """The averaged machines of all pairs."""

    error: Floats  # (settings, pairs) of rows left out
    violation: Floats  # (settings, pairs) of the optimality conditions
    weights: Floats  # (settings, pairs), zero for machines that were not kept
    machines: Machines  # those that were
    margins: Floats  # (pairs, 2) lambda1 and lambda2
    unseen: Floats  # (n, classes) probabilities of rows left out, equal priors
    reliability: Reliability


def lay_out(
    data: TrainingSet,
    pairs: Ints,
    draw: SettingDraw,
    tol: float,
    budget: Budget,
    seed: int,
) -> Table:
    """Draw settings, and say who learns and who judges what."""
    part = deal(data, N_PARTS, seed)
    views = Views.of(data.X, data.weight).thinned(_MOST_KNOTS)
    settings = draw_settings(draw.number, draw.space, draw.seed)
    if any(setting.part is not None for setting in settings):
        views = views.with_relevance(
            data.X, data.weight, data.class_start, part, N_PARTS
        )
    # in an order that does not depend on the names of classes, nor do sums over rows
    by_rank = data.rows_of(np.argsort(data.class_rank).tolist())
    X, weight = data.X[by_rank], data.weight[by_rank]
    settings = without_narrow_widths(settings, draw.space, X, views)
    settings = with_typical_widths(settings, draw.space, X, weight, views)
    return Table(
        data=data,
        views=views,
        pairs=pairs,
        settings=settings,
        tol=tol,
        part=part,
        block=deal(data, N_BLOCKS, seed + 1),
        budget=budget,
        plan=plan_bags(data, pairs, settings, budget, seed),
        seed=seed,
    )


def make_average(table: Table, solve: Solve, tuning: Tuning, n_threads: int) -> Average:
    """Solve, weigh and calibrate the machines of all pairs."""
    trained = _train(table, solve)
    if not table.plan.only_chooses:
        return _average(table, trained, tuning, n_threads)
    judged = _judge(table, trained.bags, tuning, n_threads)
    weights = _weigh(table, judged, trained.is_solved, tuning).weights
    chosen = heaviest(weights, table.budget.n_chosen)
    again = table.enlarged(chosen)
    best = _average(again, _train(again, solve), tuning, n_threads)
    error, violation = judged.error, trained.violation
    error[chosen], violation[chosen] = best.error, best.violation
    all_weights = np.zeros_like(weights)
    all_weights[chosen] = best.weights
    return replace(
        best,
        error=error,
        violation=violation,
        weights=all_weights,
        machines=best.machines.renumbered(chosen),
    )


class Trained(NamedTuple):
    """All bags of a table, trained."""

    bags: list[TrainedBag]
    violation: Floats  # (settings, pairs)
    is_solved: Bools  # (settings, pairs) whether it was not cut short


def _train(table: Table, solve: Solve) -> Trained:
    """Train all settings on their bags."""
    assignments = [table.assignment(bag) for bag in table.plan.bags]
    solved = solve(assignments)
    bags = [
        train_bag(bag, assignment, solutions, table.data)
        for bag, assignment, solutions in zip(
            table.plan.bags, assignments, solved, strict=True
        )
    ]
    shape = len(table.settings), len(table.pairs)
    violation, is_solved = np.empty(shape), np.empty(shape, dtype=bool)
    for bag in bags:
        violation[bag.settings] = bag.violation
        is_solved[bag.settings] = bag.is_solved
    return Trained(bags, violation, is_solved)


def _average(table: Table, trained: Trained, tuning: Tuning, n_threads: int) -> Average:
    """Weigh and calibrate trained machines."""
    judged = _judge(table, trained.bags, tuning, n_threads)
    weighed = _weigh(table, judged, trained.is_solved, tuning)
    is_linear = np.array([one.kernel == "linear" for one in table.settings])
    fell_back = False
    is_doubtful = weighed.losses.sum() > _DOUBTFUL * len(table.pairs)
    if is_doubtful and is_linear.any() and not is_linear.all():
        usable = trained.is_solved & is_linear[:, None]
        linear = _weigh(table, judged, usable, tuning)
        fell_back = is_clearly_worse(weighed.losses, linear.losses)
        weighed = linear if fell_back else weighed
    unseen = _unseen_probabilities(table, trained.bags, judged, weighed, n_threads)
    judges = table.plan.judges
    machines = joined([bag.machines for bag in trained.bags])
    return Average(
        error=judged.error,
        violation=trained.violation,
        weights=weighed.weights,
        machines=machines.with_weights(weighed.weights).without_idle_rows(),
        margins=weighed.margins,
        unseen=unseen,
        reliability=assess(unseen, table.data, judges, is_linear=fell_back),
    )


class Judged(NamedTuple):
    """What machines say of their judges."""

    judges: Judges
    t: Floats  # (settings, C) tanh f
    sums: BlockErrors
    error: Floats  # (settings, pairs)


def _judge(
    table: Table, bags: Sequence[TrainedBag], tuning: Tuning, n_threads: int
) -> Judged:
    """Ask all machines about rows that they did not see, or were left out of them."""
    data, pairs = table.data, table.pairs
    judges = list_judges(data, pairs, table.plan.judges, table.part, table.block)
    t = decisions_of_judges(bags, judges, data, pairs, table.settings, n_threads)
    error = errors_of(t, judges, tuning.temperature)
    sums = sum_by_block(error, judges, table.setting_part)
    everything = np.ones((1, N_BLOCKS), dtype=bool)
    return Judged(judges, t, sums, balanced_errors(sums, everything)[0])


class Weighed(NamedTuple):
    """Weights, and what follows for the judges, each told by draws without it."""

    weights: Floats  # (settings, pairs)
    decisions: Floats  # (C,) mean decisions m
    margins: Floats  # (pairs, 2)
    losses: Floats  # (C,)


def _weigh(table: Table, judged: Judged, usable: Bools, tuning: Tuning) -> Weighed:
    """Weigh settings, those that are usable in a pair, and calibrate the averages."""
    judges = judged.judges
    drawn = draw_weights(
        judged.sums,
        draw_halves(N_BLOCKS, N_DRAWS, table.seed),
        judged.sums.weight.sum(axis=2).min(axis=1),
        usable,
        tuning,
    )
    without_block = for_parts(
        without_smallest(drawn.without_block, tuning.dropped),
        table.setting_part,
        N_PARTS,
    )
    m = average_decisions(judged.t, judges, without_block)
    decisions = decisions_by_pair(m, judges)
    margins = fit_margins(decisions, tuning.penalty, tuning.common)
    return Weighed(
        weights=without_smallest(drawn.of_all, tuning.dropped),
        decisions=m,
        margins=margins,
        losses=losses(decisions, margins),
    )


def _unseen_probabilities(
    table: Table,
    bags: Sequence[TrainedBag],
    judged: Judged,
    weighed: Weighed,
    n_threads: int,
) -> Floats:
    """Return class probabilities of all rows, each as if it had been left out."""
    data, pairs = table.data, table.pairs
    m = decisions_of_rows(
        bags,
        data,
        pairs,
        table.settings,
        table.part,
        for_parts(weighed.weights, table.setting_part, N_PARTS),
        n_threads,
    )
    m[judged.judges.row, judged.judges.pair] = weighed.decisions
    return coupled(with_margins(m, weighed.margins), pairs, data.n_classes)
