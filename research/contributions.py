"""What each idea of the paper is worth: i-SVM-DE-AVE with it, less without it."""

from __future__ import annotations

from typing import NamedTuple

from effects import Effect, effect
from measured import AVE, MAX, METRICS, Measured

from isvmde.bench.content import names


class Idea(NamedTuple):
    """An idea of the paper, and what one would use without it."""

    words: str  # of the abstract, or near them
    name: str
    without: str
    variant: str  # its name in results/ideas.csv
    method: str = AVE  # with all ideas


# In the order of the abstract; the choice of kernels comes last, it is not in it.
IDEAS = (
    Idea(
        "combining cost sensitive technique",
        "A cost for each class",
        "one cost for both",
        "costs tied",
    ),
    Idea(
        "and separation margin modification",
        "Margins",
        "both margins 1",
        "margins 1",
    ),
    Idea(
        "an improved SVM (i-SVM) model",
        "Costs and margins together",
        "one cost, both margins 1",
        "margins 1, costs tied",
    ),
    Idea(
        "one-versus-one (OVO) scheme",
        "One machine per pair of classes",
        "one per class against the rest",
        f"{AVE}, one-vs-rest",
    ),
    Idea(
        "one-versus-one (OVO) scheme",
        "Votes of all pairs",
        "a decision graph (DAG)",
        f"{AVE}, dag",
    ),
    Idea(
        "concatenating the parameters in the binary subproblems",
        "One search for all pairs",
        "a search for every pair",
        "pairwise",
    ),
    Idea(
        "an improved differential evolution (DE) algorithm",
        "The individual-dependent DE",
        "DE/rand/1/bin",
        "usual DE",
    ),
    Idea(
        "an improved differential evolution (DE) algorithm",
        "Evolution",
        "as many random points",
        "random points",
    ),
    Idea(
        "instead of the validation set",
        "The fitness fit^a",
        "the error over inner folds",
        "inner folds",
    ),
    Idea(
        "instead of the validation set",
        "The fitness fit^m",
        "the error over inner folds",
        "inner folds",
        MAX,
    ),
    Idea(
        "",
        "A choice of three kernels",
        "rbf only",
        "rbf only",
    ),
)


FEWEST = 6  # data sets below which a mean and an interval say too little
SMALL = 2.0  # points: an interval within this says that there is little to gain


class Contribution(NamedTuple):
    """An idea and what it is worth; ``effect`` is None where it was not measured."""

    idea: Idea
    effect: Effect | None


def contributions(paper: Measured, variants: Measured | None) -> list[Contribution]:
    """Return every idea with its effect, in the order of the abstract."""
    return [Contribution(idea, _worth(paper, variants, idea)) for idea in IDEAS]


def _worth(paper: Measured, variants: Measured | None, idea: Idea) -> Effect | None:
    """Return the scores with an idea less those without it."""
    if variants is None:
        return None
    found = effect(idea.name, (paper, idea.method), (variants, idea.variant))
    return found if found is not None and found.n_datasets >= FEWEST else None


def plain_decompositions(paper: Measured, variants: Measured) -> list[Effect]:
    """Return the plain SVM, a machine per pair, less its other decompositions."""
    others = {"one per class": "SVM, one-vs-rest", "a decision graph": "SVM, dag"}
    found = (
        effect(name, (paper, "SVM"), (variants, variant))
        for name, variant in others.items()
    )
    return [one for one in found if one is not None]


def verdict(measured: Effect) -> str:
    """Say on which metrics an interval leaves zero out, and on which side."""
    better = [METRICS[m] for m, change in measured.changes.items() if change.sign > 0]
    worse = [METRICS[m] for m, change in measured.changes.items() if change.sign < 0]
    parts = []
    if better:
        parts.append(f"better on {names(better)}")
    if worse:
        parts.append(f"worse on {names(worse)}")
    if parts:
        return ", ".join(parts)
    farthest = max(max(c.high, -c.low) for c in measured.changes.values())
    limit = f", and hardly more than {farthest:.1f} points" if farthest < SMALL else ""
    return f"no difference beyond chance{limit}"


def headline(found: list[Contribution]) -> str:
    """Say in a sentence which ideas help, which hurt, and how many do neither."""
    groups = summary(found)
    n_measured = sum(map(len, groups.values()))
    if not n_measured:
        return "Not measured yet."
    if not groups["helps"] and not groups["hurts"]:
        return f"None of {n_measured} comparisons shows a gain or a loss beyond chance."
    parts = [
        f"a {word} shows for {names(groups[group])}"
        for group, word in (("helps", "gain"), ("hurts", "loss"))
        if groups[group]
    ]
    neither = len(groups["neither"])
    rest = f"; for the other {neither}, nothing beyond chance" if neither else ""
    return f"Of {n_measured} comparisons, {' and '.join(parts)}{rest}."


def summary(found: list[Contribution]) -> dict[str, list[str]]:
    """Return the names of the ideas that help, that hurt, and that do neither."""
    groups: dict[str, list[str]] = {"helps": [], "hurts": [], "neither": []}
    for idea, measured in found:
        if measured is None:
            continue
        signs = {change.sign for change in measured.changes.values()}
        group = "helps" if signs >= {1} and -1 not in signs else "neither"
        group = "hurts" if signs >= {-1} and 1 not in signs else group
        groups[group].append(idea.name[0].lower() + idea.name[1:])
    return groups
