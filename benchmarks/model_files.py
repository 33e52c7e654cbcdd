"""How large a saved model is and how fast it loads: `ISVMClassifierCV` as a file.

python benchmarks/model_files.py [data set ...]
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

from isvmde import ISVMClassifierCV
from isvmde.datasets import load_dataset, make_preprocessor
from isvmde.model_file import SavedModel, load_model, save_model
from isvmde.onnx import to_onnx


def seconds(function, repeats=5):
    """Return the shortest time of several calls."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return min(times)


def measure(name, folder):
    """Return sizes and times of one data set's model; fail if it changed a bit."""
    import onnxruntime

    bunch = load_dataset(name)
    pipeline = make_pipeline(make_preprocessor(bunch), ISVMClassifierCV(random_state=0))
    pipeline.fit(bunch.data, bunch.target)
    saved = SavedModel(pipeline, "class", bunch.numeric, bunch.nominal)
    path = save_model(saved, folder / f"{name}.skops")
    again = load_model(path).pipeline
    expected = pipeline.predict_proba(bunch.data)
    assert again.predict_proba(bunch.data).tobytes() == expected.tobytes()
    content = to_onnx(pipeline[-1]).SerializeToString()
    session = onnxruntime.InferenceSession(content)
    X = np.asarray(pipeline[0].transform(bunch.data), dtype=float)
    _, proba = session.run(None, {"X": X})
    return {
        "data set": name,
        "rows": len(X),
        "machines": int((pipeline[-1].weights_ > 0).sum()),
        "skops kB": Path(path).stat().st_size / 1e3,
        "save s": seconds(lambda: save_model(saved, path), 3),
        "load s": seconds(lambda: load_model(path)),
        "onnx kB": len(content) / 1e3,
        "onnx load s": seconds(lambda: onnxruntime.InferenceSession(content)),
        "largest difference of onnx": float(np.abs(proba - expected).max()),
    }


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        names = sys.argv[1:] or ["glass", "car"]
        table = pd.DataFrame([measure(name, Path(temporary)) for name in names])
    print(table.set_index("data set").T.to_string(float_format="{:.3g}".format))
