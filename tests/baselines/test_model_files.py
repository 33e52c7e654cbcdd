"""Every baseline can be saved, and decides the same when it is loaded."""

import numpy as np
import pytest

from isvmde.model_file import load_model, save_model

from .every_baseline import make_baselines


@pytest.mark.parametrize("baseline", make_baselines(C=10.0), ids=repr)
def test_a_loaded_baseline_decides_the_same(
    baseline, three_classes, new_rows, tmp_path
):
    model = baseline.fit(*three_classes)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops").pipeline
    np.testing.assert_array_equal(
        loaded.decision_function(new_rows), model.decision_function(new_rows)
    )
