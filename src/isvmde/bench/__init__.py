"""The benchmark: data sets x methods x repeats x folds, kept safe and reported."""

from isvmde.bench.report import WrittenReport, write_report
from isvmde.bench.results import Results
from isvmde.bench.runner import Progress, run_benchmark
from isvmde.bench.store import StoreError, export_rows, load_results

__all__ = [
    "Progress",
    "Results",
    "StoreError",
    "WrittenReport",
    "export_rows",
    "load_results",
    "run_benchmark",
    "write_report",
]
