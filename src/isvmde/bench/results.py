"""The results of a benchmark: its rows, and what has to be known to read them."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from isvmde.bench.fold import COLUMNS, KEY


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What a benchmark has measured so far.

    Parameters
    ----------
    rows : DataFrame
        A row per data set, method, repeat and fold, in the plan's order. Scores are
        fractions in [0, 1]; a failed fold has NaN and an `error`.
    settings : dict
        What all rows have in common: `folds`, `seed`, `budget`.
    planned : dict of str to dict of str to int
        How many repeats were planned, by data set and method.
    datasets : dict of str to dict
        What a report says of each data set: rows, columns, gaps, sizes of classes.
    environments : dict of str to dict
        Versions and CPU, by the name that the column `environment` has for them.

    Examples
    --------
    >>> import tempfile
    >>> from sklearn.dummy import DummyClassifier
    >>> from isvmde.bench import run_benchmark
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     results = run_benchmark(["zoo"], {"dummy": DummyClassifier()}, store=folder)
    >>> len(results.rows), results.settings["folds"], results.planned
    (5, 5, {'zoo': {'dummy': 1}})
    """

    rows: pd.DataFrame
    settings: dict[str, Any]
    planned: dict[str, dict[str, int]]
    datasets: dict[str, dict[str, Any]]
    environments: dict[str, dict[str, str]]

    @classmethod
    def from_records(
        cls,
        records: Any,
        *,
        settings: dict[str, Any],
        planned: dict[str, dict[str, int]],
        datasets: dict[str, dict[str, Any]],
        environments: dict[str, dict[str, str]],
    ) -> Self:
        """Return results whose rows have the types of the store and the plan's order.

        ``records`` are rows in any order, all that :class:`pandas.DataFrame` takes.
        """
        rows = pd.DataFrame(records, columns=list(COLUMNS)).astype(COLUMNS)
        texts = rows.select_dtypes("object")
        rows[texts.columns] = texts.where(texts.notna(), None)
        results = cls(rows, settings, planned, datasets, environments)
        return replace(results, rows=results._in_order_of_the_plan())

    def _in_order_of_the_plan(self) -> pd.DataFrame:
        """Return the rows by data set, method, repeat and fold."""
        places = {"dataset": self.dataset_names, "method": self.method_names}

        def place(column: "pd.Series[Any]") -> "pd.Series[Any]":
            names = places.get(str(column.name))
            if not names:  # a number, or a plan that says nothing
                return column
            return column.map({name: i for i, name in enumerate(names)})

        return self.rows.sort_values(KEY, key=place, ignore_index=True)

    @property
    def dataset_names(self) -> list[str]:
        """The data sets in the order they were planned."""
        return list(self.planned)

    @property
    def method_names(self) -> list[str]:
        """The methods in the order they were planned."""
        return list(
            dict.fromkeys(m for methods in self.planned.values() for m in methods)
        )

    @property
    def n_folds(self) -> int:
        """Folds of a repeat."""
        return int(self.settings.get("folds", 0))

    @property
    def done(self) -> pd.DataFrame:
        """The rows of finished folds."""
        return self.rows[self.rows["status"] == "done"]

    @property
    def failed(self) -> pd.DataFrame:
        """The rows of failed folds."""
        return self.rows[self.rows["status"] == "failed"]

    @property
    def used_environments(self) -> dict[str, dict[str, str]]:
        """The environments that there are rows of."""
        used = set(self.rows["environment"])
        return {
            name: environment
            for name, environment in self.environments.items()
            if name in used
        }

    def only(
        self,
        *,
        datasets: Iterable[str] | None = None,
        methods: Iterable[str] | None = None,
    ) -> "Results":
        """Return the results of some data sets and methods, as if they were all."""
        of_datasets = self.dataset_names if datasets is None else list(datasets)
        of_methods = self.method_names if methods is None else list(methods)
        planned = {
            dataset: {name: known[name] for name in of_methods if name in known}
            for dataset in of_datasets
            if (known := self.planned.get(dataset))
        }
        kept = self.rows["dataset"].isin(of_datasets)
        kept &= self.rows["method"].isin(of_methods)
        rows = self.rows[kept].reset_index(drop=True)
        return replace(self, rows=rows, planned=planned)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return (
            f"Results({len(self.done)} finished rows and {len(self.failed)} failed: "
            f"{len(self.dataset_names)} data sets, {len(self.method_names)} methods)"
        )
