"""The seven SVM methods that i-SVM-DE is compared with, on the one solver.

Each is a choice of margins, costs and kernel matrix: see the classes.
"""

from .cost_svm import CostSVM
from .grid_search import GridSearchSVM
from .nb_svm import NBSVM
from .ovo_svm import OVOSVM
from .pp_svm import PPSVM
from .sdc_svm import SDCSVM
from .static_smote_svm import StaticSMOTESVM
from .wk_smote_svm import WKSMOTESVM

__all__ = [
    "NBSVM",
    "OVOSVM",
    "PPSVM",
    "SDCSVM",
    "WKSMOTESVM",
    "CostSVM",
    "GridSearchSVM",
    "StaticSMOTESVM",
]
