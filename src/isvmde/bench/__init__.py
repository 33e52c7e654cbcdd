"""The benchmark: data sets x methods x repeats x folds, kept safe and reported."""

from isvmde.bench.rows import export_rows
from isvmde.bench.runner import Progress, run_benchmark
from isvmde.bench.store import StoreError, load_results

__all__ = ["Progress", "StoreError", "export_rows", "load_results", "run_benchmark"]
