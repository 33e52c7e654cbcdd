"""After a fit on a rare class, what the default decisions mean is said in a line."""

import re

import numpy as np
import pandas as pd
import pytest

from isvmde import ISVMClassifierCV
from isvmde.cli.alarms import alarm_remark


@pytest.fixture(scope="module")
def overlapping():
    """Two overlapping classes, one of them with 3 % of the rows."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(600) < 18, "fraud", "usual")
    X = rng.normal(size=(600, 2)) + 1.2 * (y == "fraud")[:, None]
    return X, y


def test_alarms_and_hits_are_those_of_leave_one_out(overlapping):
    X, y = overlapping
    model = ISVMClassifierCV(n_settings=8, prior="balanced", random_state=0).fit(X, y)
    said = alarm_remark(model, y)
    counts = [int(n) for n in re.findall(r"\d+", said)]
    alarm = model.classes_[model.loo_proba_.argmax(axis=1)] == "fraud"
    assert counts[:3] == [alarm.sum(), (alarm & (y == "fraud")).sum(), 18]
    same = ISVMClassifierCV(n_settings=8, prior="training", random_state=0).fit(X, y)
    alarm = same.classes_[same.loo_proba_.argmax(axis=1)] == "fraud"
    assert counts[3:] == [alarm.sum(), (alarm & (y == "fraud")).sum()]
    assert "--prior training" in said


def test_nothing_is_said_where_alarms_are_right():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(200) < 20, "fraud", "usual")
    X = rng.normal(size=(200, 2)) + 6.0 * (y == "fraud")[:, None]
    model = ISVMClassifierCV(n_settings=8, random_state=0).fit(X, y)
    assert alarm_remark(model, y) is None


def test_the_command_line_says_it_and_fewer_alarms_follow(
    isvmde, overlapping, tmp_path
):
    X, y = overlapping
    data, model, out = (tmp_path / name for name in ("a.csv", "m.skops", "o.csv"))
    pd.DataFrame(X.round(3), columns=["a", "b"]).assign(kind=y).to_csv(
        data, index=False
    )
    words = "fit", data, "--target", "kind", "--prior", "balanced", "-o", model
    code, _, err = isvmde(*words)
    assert code == 0
    assert "alarms for class" in err
    alarms = {}
    for prior in ("balanced", "training"):
        isvmde("predict", model, data, "-o", out, "--prior", prior)
        alarms[prior] = (pd.read_csv(out)["prediction"] == "fraud").sum()
        out.unlink()
    assert alarms["training"] < alarms["balanced"]
