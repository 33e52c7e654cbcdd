"""Print what the pages say of the claims and of the ideas, from the stored rows.

    python research/print_claims.py

Every claim with its rule and its verdict on the published scores and on ours; where
AVE and MAX stand if one side's scores are the published ones; and what every idea of
the paper is worth, in the order of its abstract.
"""

from __future__ import annotations

import claims
from contributions import contributions, headline, verdict
from counterfactual import counterfactual
from measured import DATASETS, METRICS, NINE, Measured, load_measured, only_methods
from measuring import RESULTS


def print_claims(paper: Measured) -> None:
    """Print every claim and how it is judged."""
    judged = claims.judge(paper)
    for one in judged:
        print(f"{one.claim.text}\n    rule: {one.claim.rule}")
        for whose, found in (("published", one.published), ("ours", one.measured)):
            answer = "yes" if found.holds else "no"
            print(f"    {whose}: {answer} ({found.evidence})")
    holding = [
        sum(getattr(one, whose).holds for one in judged)
        for whose in ("published", "measured")
    ]
    print(
        f"{len(judged)} claims; {holding[0]} hold on the published scores, "
        f"{holding[1]} on ours"
    )


def print_counterfactual(paper: Measured) -> None:
    """Print where the proposed methods stand by whose scores."""
    for one in counterfactual(paper):
        print(
            f"{one.scores}, {one.metric}: AVE number {one.place_ave}, MAX number "
            f"{one.place_max}; AVE is {one.behind_rank:.1f} mean ranks behind "
            f"{one.leader} and {one.behind:.1f} points behind {one.best_average}"
        )


def print_ideas(paper: Measured, ideas: Measured | None) -> None:
    """Print what every idea is worth, with its interval."""
    found = contributions(paper, ideas)
    for idea, worth in found:
        if worth is None:
            told = "not measured on enough data sets yet"
        else:
            changes = (
                f"{name} {worth.changes[m].mean:+.1f} "
                f"[{worth.changes[m].low:+.1f}, {worth.changes[m].high:+.1f}]"
                for m, name in METRICS.items()
            )
            told = f"{', '.join(changes)}; {worth.n_datasets} sets: {verdict(worth)}"
        print(f"{idea.name} rather than {idea.without}: {told}")
    print(headline(found))


def main() -> None:
    """Print all three, or say that there are no rows."""
    paper = load_measured(RESULTS / "paper.csv", NINE)
    if paper is None:
        raise SystemExit("results/paper.csv is missing: run research/run_paper.py")
    paper = only_methods(paper, NINE)
    print_claims(paper)
    print()
    print_counterfactual(paper)
    print()
    print_ideas(paper, load_measured(RESULTS / "ideas.csv", (), DATASETS))


if __name__ == "__main__":
    main()
