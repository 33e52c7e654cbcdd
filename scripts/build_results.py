"""Build docs/results.md, docs/beyond.md and their figures.

    python scripts/build_results.py

Everything follows from the files in results/; the prose is in scripts/templates. The
same files give the same bytes, with the same version of matplotlib.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import beyond_facts
import fold_by_fold
import matplotlib
import pandas as pd
import results_facts
from measured import AVE, METRICS, NINE, OURS, load_measured
from results_figures import draw_curves, draw_loo_report, draw_rank_comparison
from run_others import TUNED

from isvmde.bench.content import Figure, environment_for
from isvmde.bench.figures import draw_ranks, to_bytes
from isvmde.competitors import COMPETITORS

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("results.md", "beyond.md")


def build(results: Path, docs: Path) -> list[Path]:
    """Write the pages and their figures; return what was written."""
    facts, figures = gather(results)
    environment = environment_for(ROOT / "scripts" / "templates")
    images = docs / "img"
    images.mkdir(parents=True, exist_ok=True)
    made: dict[Path, bytes] = {}
    for page in PAGES:
        text = environment.get_template(page).render(**facts)
        made[docs / page] = text.encode()
    for figure in figures.values():
        made[images / f"{figure.key}.svg"] = to_bytes(figure.draw(), "svg")
    for path, content in made.items():
        path.write_bytes(content)
    for stale in set(images.glob("results-*.svg")) - set(made):
        stale.unlink()
    return list(made)


def gather(results: Path) -> tuple[dict[str, Any], dict[str, Figure]]:
    """Return what the templates are filled with, and figures not yet drawn."""
    paper = load_measured(results / "paper.csv", NINE)
    competitors = load_measured(results / "competitors.csv", COMPETITORS)
    others = load_measured(results / "others.csv", [OURS, *TUNED, *COMPETITORS], None)
    files = {
        name: fold_by_fold.load(results / f"{name}.csv")
        for name in ("curves", "ablation", "robustness", "calibration")
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
    if facts["tested"]:
        facts["rank_figure"] = add("ranks", partial(draw_rank_comparison, paper))
        facts["holm_figures"] = {
            name: add(
                f"ranks-{metric}",
                partial(draw_ranks, paper.whole(metric, paper.methods), name),
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
