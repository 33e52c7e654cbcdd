"""Build docs/results.md, docs/paper.md, docs/beyond.md and their figures.

    python research/build_results.py

Everything follows from the files in results/; the prose is in research/templates. The
same files give the same bytes, with the same version of matplotlib.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import beyond_facts
import claims
import contributions
import counterfactual
import dealing
import fold_by_fold
import implementation
import margins
import matplotlib
import pandas as pd
import provenance
import results_facts
import sensitivity
import shortfall
from measured import (
    AVE,
    DATASETS,
    MAX,
    METRICS,
    NINE,
    OURS,
    Measured,
    load_measured,
    only_methods,
)
from readings import Measurements, readings_table
from results_figures import (
    draw_curves,
    draw_ideas,
    draw_loo_report,
    draw_rank_comparison,
)
from run_folds import DEALINGS
from run_others import TUNED

from isvmde.bench.content import Figure, environment_for
from isvmde.bench.figures import draw_ranks, to_bytes
from isvmde.competitors import COMPETITORS

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("results.md", "paper.md", "beyond.md")
# The pages on the paper: the tenth method takes no part in them.
OF_THE_PAPER = ("results.md", "paper.md")


def build(results: Path, docs: Path) -> list[Path]:
    """Write the pages and their figures; return what was written."""
    facts, figures = gather(results)
    environment = environment_for(ROOT / "research" / "templates")
    images = docs / "img"
    images.mkdir(parents=True, exist_ok=True)
    made: dict[Path, bytes] = {}
    for page in PAGES:
        made[docs / page] = render(environment, page, facts).encode()
    for figure in figures.values():
        made[images / f"{figure.key}.svg"] = to_bytes(figure.draw(), "svg")
    for path, content in made.items():
        path.write_bytes(content)
    for stale in set(images.glob("results-*.svg")) - set(made):
        stale.unlink()
    return list(made)


def render(environment: Any, page: str, facts: dict[str, Any]) -> str:
    """Return a page, its template filled with the facts."""
    if page in OF_THE_PAPER:
        facts = {**facts, **facts["of_the_paper"]}
    return str(environment.get_template(page).render(**facts))


def gather_paper(results: Path, files: dict[str, Any]) -> dict[str, Any]:
    """Return what the pages on the paper are filled with besides."""
    paper = load_measured(results / "paper.csv", NINE)
    paper = None if paper is None else only_methods(paper, NINE)
    sources = provenance.describe(results)
    provenance.check_versions(sources)
    facts: dict[str, Any] = {
        "paper": paper,
        "claims": claims,
        "contributions": contributions,
        "counterfactual": counterfactual,
        "shortfall": shortfall,
        "implementation": implementation,
        "sensitivity": sensitivity,
        "provenance": sources,
        "checks": files["checks"],
    }
    if paper is None:
        return facts
    ideas, coding, company = (
        load_measured(results / f"{name}.csv", (), DATASETS)
        for name in ("ideas", "coding", "company")
    )
    dealings = load_dealings(results, paper)
    selection, counting = files["selection"], files["counting"]
    counted = sensitivity.counting_facts(counting)
    noise = [sensitivity.seed_noise(paper, ideas, method) for method in (AVE, MAX)]
    has_selection = selection is not None and len(selection)
    return facts | {
        "ideas": ideas,
        "worth": contributions.contributions(paper, ideas),
        "fold_places": dealing.fold_places(dealings),
        "fold_averages": dealing.fold_averages(dealings),
        "fold_sentence": dealing.fold_sentence(dealings),
        "fold_sets": dealing.shared_sets(dealings),
        "keel_fit": dealing.fit_to_published(dealings, dealing.KEEL),
        "fold_cells": dealing.decided_by_folds(dealings),
        "selection": selection,
        "selection_table": (
            sensitivity.selection_table(paper, selection) if has_selection else None
        ),
        "coding_gaps": shortfall.coding_gaps(paper, coding),
        "margins": margins.margin_facts(files["margins"]),
        "coded": shortfall.coded_standings(paper, coding),
        "tried": shortfall.tried(paper, ideas, coding, dealings),
        "counted": counted,
        "most_merged": sensitivity.most_merged(counting) if counted else None,
        "seeds": [one for one in noise if one is not None],
        "company": company,
        "company_averages": (
            sensitivity.company_averages(paper, company) if company else None
        ),
        "readings_table": readings_table(
            Measurements(paper, ideas, coding, dealings, counted)
        ),
    }


def load_dealings(results: Path, paper: Measured) -> dict[str, Measured]:
    """Return what was measured with every way to deal folds, ours first."""
    found = {dealing.DEALT: paper}
    for name in DEALINGS:
        measured = load_measured(results / f"folds-{name}.csv")
        if measured is not None:
            found[name] = measured
    return found


def gather(results: Path) -> tuple[dict[str, Any], dict[str, Figure]]:
    """Return what the templates are filled with, and figures not yet drawn."""
    paper = load_measured(results / "paper.csv", NINE)
    competitors = load_measured(results / "competitors.csv", COMPETITORS)
    others = load_measured(results / "others.csv", [OURS, *TUNED, *COMPETITORS], None)
    files = {
        name: fold_by_fold.load(results / f"{name}.csv")
        for name in (
            *("curves", "ablation", "robustness", "calibration"),
            *("selection", "counting", "checks", "margins"),
        )
    }
    loo_file = results / "loo_report.csv"
    figures: dict[str, Figure] = {}

    def add(key: str, draw: Any) -> str:
        figures[key] = Figure(f"results-{key}", "", draw)
        return f"img/results-{key}.svg"

    facts: dict[str, Any] = {
        "matplotlib": matplotlib.__version__,
        "paper": paper,
        "competitors": competitors,
        "others": others,
        "metrics": METRICS,
        "tested": paper is not None and results_facts.testable(paper),
        "ours": OURS,
        "ave": AVE,
        "nine": NINE,
        "facts": results_facts,
        "beyond": beyond_facts,
        "loo": pd.read_csv(loo_file) if loo_file.is_file() else None,
        **files,
    }
    facts["of_the_paper"] = gather_paper(results, files)
    worth = facts["of_the_paper"].get("worth", [])
    if any(one.effect for one in worth):
        facts["ideas_figure"] = add("ideas", partial(draw_ideas, worth))
    if facts["tested"]:
        facts["rank_figure"] = add("ranks", partial(draw_rank_comparison, paper))
        facts["holm_figures"] = {
            name: add(
                f"ranks-{metric}",
                partial(draw_ranks, paper.whole(metric, NINE), name),
            )
            for metric, name in METRICS.items()
        }
    if files["curves"] is not None:
        facts["curve_figure"] = add("curves", partial(draw_curves, files["curves"]))
    if paper is not None and facts["loo"] is not None:
        pairs = beyond_facts.loo_pairs(facts["loo"], paper)
        facts["loo_pairs"] = pairs
        if len(pairs):
            facts["loo_figure"] = add("loo-report", partial(draw_loo_report, pairs))
    return facts, figures


def main() -> None:
    """Build from the given folder into the given folder."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=ROOT / "results")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs")
    options = parser.parse_args()
    for path in build(options.results, options.docs):
        print(path)


if __name__ == "__main__":
    main()
