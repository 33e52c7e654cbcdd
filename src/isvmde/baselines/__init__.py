"""The seven methods i-SVM-DE is compared with: other margins, costs, kernel values."""

from .grid_search import GridSearchSVM
from .margin_svms import NBSVM, PPSVM
from .ovo_svm import OVOSVM, CostSVM
from .smote import SDCSVM, WKSMOTESVM, StaticSMOTESVM

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
