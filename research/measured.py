"""What was measured: tables in the paper's order, and what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from isvmde.bench import Results, load_results
from isvmde.bench.content import names
from isvmde.bench.tables import (
    METRIC_NAMES,
    failed_cells,
    pooled_table,
    score_table,
    sd_table,
)
from isvmde.published import load_scores

AVE, MAX, OURS = "i-SVM-DE-AVE", "i-SVM-DE-MAX", "i-SVM-LOO"
METRICS = dict(METRIC_NAMES)
PUBLISHED = {metric: load_scores(metric) for metric in METRICS}
DATASETS = list(PUBLISHED["g_mean"].index)
NINE = list(PUBLISHED["g_mean"].columns)


class Measured:
    """Scores of one file of rows in per cent, data sets x methods."""

    def __init__(
        self, results: Results, expected: Iterable[str], datasets: Iterable[str]
    ) -> None:
        planned = results.planned.values()
        expected = list(expected)
        further = [name for name in results.method_names if name not in expected]
        self.results, self.rows = results, results.rows
        self.datasets, self.methods = list(datasets), expected + further
        self.repeats = max(n for methods in planned for n in methods.values())
        self.folds, self.settings = results.n_folds, results.settings
        self.scores = {m: self._arrange(score_table(results, m)) for m in METRICS}
        self.sds = {m: self._arrange(sd_table(results, m)) for m in METRICS}
        self.pooled = {m: self._arrange(pooled_table(results, m)) for m in METRICS}
        done = results.done
        self.n_done = len(done)
        # The median: a worker's first fit also loads what it needs.
        middle = done.groupby(["dataset", "method"])["fit_seconds"].median()
        self.seconds = self._arrange(middle.unstack())

    def _arrange(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return the table in the order of the data sets, what it lacks as gaps."""
        arranged = table.reindex(index=self.datasets, columns=self.methods)
        return arranged.rename_axis(index="data set", columns=None)

    def whole(self, metric: str, methods: Iterable[str]) -> pd.DataFrame:
        """Return the scores of the methods that were measured, data sets with gaps out.

        A method without any score is left out, so that an unfinished file can be read.
        """
        table = self.scores[metric].reindex(columns=list(methods))
        return table.dropna(axis=1, how="all").dropna()

    def version(self) -> str:
        """Return the version of the package that computed the rows."""
        used = self.results.used_environments.values()
        return ", ".join(sorted({environment["isvmde"] for environment in used}))

    def missing(self) -> list[str]:
        """Name every method that lacks folds, and on which data sets how many."""
        counts = self.results.done.groupby(["dataset", "method"]).size()
        wanted = self.repeats * self.folds
        lines = []
        for method in self.methods:
            have = {name: int(counts.get((name, method), 0)) for name in self.datasets}
            none = [name for name, n in have.items() if n == 0]
            some = {name: wanted - n for name, n in have.items() if 0 < n < wanted}
            gaps = [f"{n} of {wanted} folds of {name}" for name, n in some.items()]
            if len(none) == len(self.datasets):
                gaps.append("everything")
            elif none:
                gaps.append(f"all folds of {names(none)}")
            if gaps:
                lines.append(f"{method}: {'; '.join(gaps)}")
        return lines

    def failed(self) -> list[str]:
        """Name failed folds with their first error."""
        return failed_cells(self.results)

    def run_on(self) -> list[str]:
        """Describe the environments of the rows."""
        known = {"format", "folds", "seed", "budget"}
        further = {k: v for k, v in self.settings.items() if k not in known}
        used = self.results.used_environments.values()
        described = [{**environment, **further} for environment in used]
        return [", ".join(f"{k} {v}" for k, v in one.items()) for one in described]


def only_methods(measured: Measured, methods: Iterable[str]) -> Measured:
    """Return what was measured of some methods, as if there were no others."""
    methods = list(methods)
    results = measured.results.only(methods=methods)
    return Measured(results, methods, measured.datasets)


def load_measured(
    file: Path, expected: Iterable[str] = (), datasets: Iterable[str] | None = DATASETS
) -> Measured | None:
    """Return the rows of a file, None when there is no such file or no finished row.

    ``datasets`` are those of its tables, in their order; None for all that it has.
    """
    if not file.is_file():
        return None
    results = load_results(file)
    if results.done.empty:
        return None
    return Measured(results, expected, datasets or results.dataset_names)
