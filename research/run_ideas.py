"""Measure what the ideas of the paper are worth: i-SVM-DE without one of them.

    python research/run_ideas.py contributions --repeats 3
    python research/run_ideas.py seeds numbers --repeats 1

Groups of variants are contributions, decomposition, seeds, numbers and readings; all of
them if none is named.
Keeps every finished fold in results/ideas and writes results/ideas.csv at the end, or
when interrupted; the same command goes on. More groups or repeats may be added later.
"""

from __future__ import annotations

from ideas import GROUPS
from measuring import choose, measure, parse_options

if __name__ == "__main__":
    options = parse_options(__doc__, "ideas", groups=GROUPS)
    variants = {
        name: estimator
        for group in options.groups
        for name, estimator in GROUPS[group].items()
    }
    chosen = choose(options.methods, variants)
    measure({name: variants[name] for name in chosen}, options)
