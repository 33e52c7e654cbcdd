"""Graphs of models on columns of very different size decide as their models do."""

import pytest

pytest.importorskip("skl2onnx")
pytest.importorskip("onnxruntime")

from unequal_columns import compare_all


def test_a_sample_of_graphs_on_unequal_columns():
    """`python tests/fuzz/unequal_columns.py` exports a thousand."""
    kinds = [one.kind for one in compare_all(range(40), seed=3)]
    assert "finding" not in kinds
    assert kinds.count("equal") >= 20
    assert kinds.count("refused") >= 3
