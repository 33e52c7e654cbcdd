"""Warnings stand at the line that called the library, however deep they arise."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler

from isvmde import ISVMClassifier, ISVMClassifierCV
from isvmde.tables import TablePreprocessor, TableWarning, read_table, split_target

CALLS = {
    "fit": lambda model, X, y: model.fit(X, y),
    "pipeline": lambda model, X, y: make_pipeline(MinMaxScaler(), model).fit(X, y),
    "search": lambda model, X, y: GridSearchCV(model, {}, cv=2).fit(X, y),
}
MODELS = {
    "views": ISVMClassifierCV(
        n_settings=4, kernels=("rbf",), views=("values", "weighted")
    ),
    "range": ISVMClassifierCV(n_settings=4, kernels="linear", sigma_range=(1, 2)),
    "steps": ISVMClassifier(max_iter=1),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_warnings_name_this_file(model, call):
    rng = np.random.default_rng(0)
    X, y = rng.random((30, 3)), np.repeat([0, 1], [20, 10])
    with pytest.warns((UserWarning, ConvergenceWarning)) as caught:
        call(model, X, y)
    assert {warning.filename for warning in caught} == {__file__}


def in_a_pipeline(path):
    table = read_table(path)
    X, y = table.drop(columns="state"), table["state"].fillna("worn")
    return make_pipeline(TablePreprocessor(), ISVMClassifier()).fit(X, y)


TABLE_CALLS = {
    "repeated name": read_table,
    "id and text": in_a_pipeline,
    "no class": lambda path: split_target(read_table(path), "state"),
}


@pytest.mark.parametrize("call", TABLE_CALLS.values(), ids=list(TABLE_CALLS))
def test_warnings_of_tables_name_this_file(call, tmp_path):
    rows = [f"M{i},{i % 7},{i % 5},{'ok' if i % 3 else 'worn'}" for i in range(30)]
    table = tmp_path / "machines.csv"
    rows[2], rows[5] = "M2,much,3,worn", "M5,3,4,"
    table.write_text("\n".join(["machine,load,load,state", *rows]))
    with pytest.warns(TableWarning) as caught:
        call(table)
    assert {warning.filename for warning in caught} == {__file__}
