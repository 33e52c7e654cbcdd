"""What people give as a data set, turned into one form."""

import os
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import Bunch

from isvmde.bench.grouping import take_groups
from isvmde.datasets import load_dataset
from isvmde.datasets.catalogue import CATALOGUE
from isvmde.tables import TablePreprocessor, read_table, split_target
from isvmde.tables.groups import name_groups

# Names of columns while features, classes and groups are one table.
_TARGET = "the classes"
_GROUPS = "the groups"


def name_datasets(datasets: Any, groups: Any = None) -> dict[str, Bunch]:
    """Return what `run_benchmark` may be given: each with `data` and `target`.

    ``groups`` names the column of groups, of all data sets or by data set; what has
    one gets `groups`, a name per row.
    """
    if isinstance(datasets, Mapping) and not isinstance(datasets, Bunch):
        given = [(str(k), k if v is None else v) for k, v in datasets.items()]
    else:
        single = isinstance(datasets, (str, os.PathLike, Bunch, pd.DataFrame))
        if single or not isinstance(datasets, Iterable):
            datasets = [datasets]
        given = [(_name_of(dataset), dataset) for dataset in datasets]
    named: dict[str, Bunch] = {}
    first = dict(reversed(given))
    for name, value in given:
        if name not in named:
            named[name] = _make_dataset(name, value, _column_of_groups(groups, name))
        elif not (isinstance(value, str) and value == name == str(first[name])):
            raise ValueError(
                f"two data sets are called {name!r}: give them as a dict of name to "
                "data set"
            )
    if isinstance(groups, Mapping) and (unknown := set(map(str, groups)) - set(named)):
        raise ValueError(
            f"groups names {', '.join(sorted(unknown))}, which is not a data set of "
            f"this benchmark; it has {', '.join(named)}"
        )
    return named


def _column_of_groups(groups: Any, name: str) -> str | None:
    """Return the column of groups of a data set, None where it has none."""
    if isinstance(groups, Mapping):
        groups = {str(key): column for key, column in groups.items()}.get(name)
    if groups is None or isinstance(groups, str):
        return groups
    raise ValueError(
        f"groups must be the name of a column, or a dict of data set to column, got "
        f"{type(groups).__name__}; groups of arrays are given as Bunch(data=X, "
        "target=y, groups=subjects)"
    )


def _name_of(value: Any) -> str:
    """Return what a data set without a given name is called."""
    if isinstance(value, tuple) and len(value) == 2:
        value = value[0]
    if isinstance(value, (str, os.PathLike)):
        return str(value) if value in CATALOGUE else Path(value).name.split(".")[0]
    if isinstance(value, Bunch) and value.get("name") is not None:
        return str(value.name)
    raise ValueError(
        f"{type(value).__name__} is neither the name nor the file of a data set, so "
        "give it a name: {'my data': (X, y)}"
    )


def _make_dataset(name: str, value: Any, groups: str | None) -> Bunch:
    """Return one data set in the form that folds are made of."""
    pair = isinstance(value, tuple) and len(value) == 2
    data, target = value if pair else (value, None)
    if isinstance(data, (str, os.PathLike)):
        if data in CATALOGUE and not Path(data).is_file():
            return _without_groups(name, load_dataset(str(data)), groups)
        if not Path(data).exists():
            raise ValueError(
                f"there is no file {data}, and no data set of that name; the data sets "
                f"are {', '.join(CATALOGUE)}"
            )
        as_written = [] if groups is None else [groups]
        table = read_table(data, text=as_written)
        return _from_table(_name_of(data), table, target, groups)
    if isinstance(target, str):
        return _from_table(name, _as_frame(data), target, groups)
    if pair:
        return _from_bunch(name, Bunch(data=data, target=target), groups)
    if isinstance(value, Bunch):
        return _from_bunch(name, value, groups)
    raise ValueError(
        f"data set {name}: {type(value).__name__} is not a data set; give a name, a "
        "file, (X, y), (DataFrame, 'target column') or a Bunch"
    )


def _from_bunch(name: str, bunch: Bunch, groups: str | None) -> Bunch:
    """Return features and classes given apart, with the names that come with them."""
    data, labels = bunch.data, np.asarray(bunch.target).ravel()
    if len(labels) != len(data):
        raise ValueError(
            f"data set {name}: {len(data)} rows of data, {len(labels)} classes"
        )
    own_groups = bunch.get("groups")
    if own_groups is not None and len(own_groups) != len(data):
        raise ValueError(
            f"data set {name}: {len(data)} rows of data, {len(own_groups)} groups"
        )
    if "preprocessor" in bunch and isinstance(data, pd.DataFrame):
        # Somebody has judged the classes and the columns already.
        bunch = _without_groups(name, bunch, groups)
        bunch.update(data=bunch.data.reset_index(drop=True), target=labels)
        return bunch
    if {"numeric", "nominal"} <= set(bunch) and isinstance(data, pd.DataFrame):
        bunch = _without_groups(name, bunch, groups)
        judge = TablePreprocessor(
            numeric=list(bunch.numeric), nominal=list(bunch.nominal)
        )
        if bunch.data.isna().any(axis=None):
            bunch.preprocessor = judge
        return bunch
    names = bunch.get("target_names")
    if names is not None and labels.dtype.kind in "iu" and len(names) > labels.max():
        labels = np.asarray(names)[labels]
    table = _as_frame(data, bunch.get("feature_names")).reset_index(drop=True)
    if table.columns.has_duplicates:
        raise ValueError(f"data set {name}: two columns have the same name")
    # A column of an array is a measurement; one of a table may be an id.
    numeric = [] if hasattr(data, "columns") else list(table.columns)
    table[_TARGET] = labels
    if groups is None and own_groups is not None:
        groups = _GROUPS
        table[_GROUPS] = np.asarray(own_groups)
    return _from_table(name, table, _TARGET, groups, numeric)


def _from_table(
    name: str,
    table: pd.DataFrame,
    target: str | None,
    groups: str | None,
    numeric: Iterable[str] = (),
) -> Bunch:
    """Return a data set whose columns are judged within every fold."""
    source = str(table.attrs.setdefault("source", f"data set {name}"))
    X, y = split_target(table, target)
    bunch = Bunch(target=y, name=name)
    if groups is not None:
        bunch.groups, X = take_groups(X, groups, source)
    numeric = [column for column in numeric if column in X]
    bunch.data = X.reset_index(drop=True)
    bunch.preprocessor = TablePreprocessor(numeric=numeric)
    return bunch


def _without_groups(name: str, bunch: Bunch, groups: str | None) -> Bunch:
    """Return a data set with declared columns, its groups taken out of the features."""
    bunch = Bunch(**bunch)
    if groups is not None:
        bunch.groups, bunch.data = take_groups(bunch.data, groups, f"data set {name}")
        for kind in ("numeric", "nominal"):
            if kind in bunch:
                bunch[kind] = [column for column in bunch[kind] if column in bunch.data]
    elif bunch.get("groups") is not None:
        bunch.groups = name_groups(pd.Series(bunch.groups, name="groups"))
    else:
        bunch.pop("groups", None)
    return bunch


def _as_frame(data: Any, columns: Any = None) -> pd.DataFrame:
    """Return features as a DataFrame, polars' and pyarrow's included."""
    if hasattr(data, "to_pandas"):
        data = data.to_pandas()
    if not isinstance(data, pd.DataFrame):
        array = np.asarray(data)
        if array.ndim != 2:
            raise ValueError(
                "features need rows and columns, got an array of "
                f"{array.ndim} dimensions"
            )
        unnamed = [f"x{i}" for i in range(array.shape[1])]
        data = pd.DataFrame(array, columns=unnamed if columns is None else columns)
    table: pd.DataFrame = data
    return table.rename(columns=str)


def describe_dataset(bunch: Bunch) -> dict[str, Any]:
    """Return what a report says of a data set; classes in the order of scores."""
    classes, counts = np.unique(np.asarray(bunch.target), return_counts=True)
    if "preprocessor" in bunch:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # every fold keeps its own
            fitted = clone(bunch.preprocessor).fit(bunch.data, bunch.target)
        kinds = fitted.columns_["taken as"]
        numeric = int(kinds.isin(["numbers", "date"]).sum())
        nominal = int((kinds == "categories").sum())
    else:
        numeric, nominal = len(bunch.numeric), len(bunch.nominal)
    described = {
        "rows": len(bunch.target),
        "numeric": numeric,
        "nominal": nominal,
        "gaps": int(bunch.data.isna().to_numpy().sum()),
        "classes": dict(zip(map(str, classes), counts.tolist(), strict=True)),
    }
    if "groups" in bunch:
        described["groups"] = len(np.unique(np.asarray(bunch.groups)))
    return described
