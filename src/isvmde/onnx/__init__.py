"""Fitted classifiers as ONNX graphs, through skl2onnx.

A graph computes in float64 with standard operators (matrix products, powers,
exponentials, comparisons, look-ups); ONNX's own SVM nodes compute in float32, which is
enough to change labels. It needs ``pip install "isvmde[onnx]"``.
"""

from .export import register_converters, to_onnx

__all__ = ["register_converters", "to_onnx"]
