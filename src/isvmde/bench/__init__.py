"""The benchmark: data sets x methods x repeats x folds, kept safe and reported."""

from isvmde.bench.progress import Progress
from isvmde.bench.report import WrittenReport, write_report
from isvmde.bench.results import export_rows, load_results
from isvmde.bench.runner import run_benchmark
from isvmde.bench.store import StoreError

__all__ = [
    "Progress",
    "StoreError",
    "WrittenReport",
    "export_rows",
    "load_results",
    "run_benchmark",
    "write_report",
]
