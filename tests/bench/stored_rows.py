"""A small plan and rows of it, for the tests of plans and of the store."""

import json

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.utils import Bunch

from isvmde.bench.plan import Plan


def make_bunch(n=12):
    data = pd.DataFrame(
        {"x": np.arange(float(n)), "colour": ["red", "blue"] * (n // 2)}
    )
    target = np.array(["a", "b", "b"] * (n // 3))
    return Bunch(data=data, target=target, numeric=["x"], nominal=["colour"])


def dummy(random_state):
    return DummyClassifier()


def make_plan(**settings):
    return Plan({"zoo, wild": make_bunch()}, {"dummy": dummy}, **settings)


def make_row(fold=0, status="done", **columns):
    scores = {"g_mean": 1 / 3, "av_f_beta": 0.1 + 0.2, "cba": 0.5}
    return {
        "dataset": "zoo, wild",
        "method": "dummy",
        "repeat": 0,
        "fold": fold,
        "status": status,
        **(scores if status == "done" else {"error": 'Oops: "no", #7'}),
        "recall": json.dumps({"1": 0.5, "b": None}),
        "confusion": "[[1,0],[0,0]]",
        "fit_seconds": 0.25,
        "predict_seconds": 0.125,
        "seed": 2**31 - 1,
        "config": "00e1",
        "environment": {"isvmde": "0.1.0", "cpu": "x"},
        **columns,
    }
