"""What the second, plain implementation was compared on, as a table."""

from __future__ import annotations

import pandas as pd
from results_facts import text_table

from isvmde.bench.content import Table, names


def check_table(checks: pd.DataFrame) -> Table:
    """Return how many cases of every check agree, and the largest difference."""
    lines = {}
    for name, rows in checks.groupby("check", sort=False):
        n, agree = int(rows["cases"].sum()), int(rows["agree"].sum())
        lines[str(name)] = {
            "cases": f"{n:,}",
            "agree": f"{agree:,}",
            "largest difference": f"{rows['largest_difference'].max():.1g}",
        }
    return text_table("checks", "check", lines)


COUNTED_BY_SVC = "SVC's"  # in the name of the check whose counts are LIBSVM's


def counting_sentence(checks: pd.DataFrame) -> str:
    """Say where LIBSVM counts other support vectors, and what that does to fitness."""
    rows = checks[checks["check"].str.contains(COUNTED_BY_SVC)]
    by_set = rows.groupby("dataset", sort=True).agg(
        cases=("cases", "sum"),
        agree=("agree", "sum"),
        largest=("largest_difference", "max"),
    )
    same = [str(name) for name in by_set.index[by_set["agree"] == by_set["cases"]]]
    other = by_set[by_set["agree"] < by_set["cases"]]
    parts = [
        f"{name} ({row.agree:.0f} of {row.cases:.0f} agree, up to {row.largest:.2f} "
        "apart)"
        for name, row in other.iterrows()
    ]
    if not parts:
        return "LIBSVM counts the same support vectors."
    told = (
        "All decisions agree, so what differs in the second row is the count of "
        f"support vectors alone: {names(parts)} have identical rows, or duals with "
        "many solutions of which two solvers find two"
    )
    return told + (f"; on {names(same)} the counts agree." if same else ".")


def sentence(checks: pd.DataFrame) -> str:
    """Say in a sentence how many comparisons agree.

    Without the check in which LIBSVM counts: it is about the counts, not the solver.
    """
    alike = checks[~checks["check"].str.contains(COUNTED_BY_SVC)]
    groups = alike.groupby("check", sort=False)[["cases", "agree"]].sum()
    parts = [
        f"{name}: {int(row.agree):,} of {int(row.cases):,} agree"
        for name, row in groups.iterrows()
    ]
    return "; ".join(parts) + "."
