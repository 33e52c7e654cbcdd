"""The paper's fifteen data sets (its Table 1): sizes, origin, attribution."""

from __future__ import annotations

from dataclasses import dataclass, field

KEEL_CITATION = (
    "J. Alcala-Fdez, A. Fernandez, J. Luengo, J. Derrac, S. Garcia, L. Sanchez, "
    "F. Herrera (2011). KEEL data-mining software tool: data set repository, "
    "integration of algorithms and experimental analysis framework. Journal of "
    "Multiple-Valued Logic and Soft Computing 17(2-3), 255-287."
)


@dataclass(frozen=True)
class DatasetInfo:
    """One row of Table 1, and where the data come from."""

    name: str
    abbreviation: str  # the paper's
    n_numeric: int
    n_nominal: int
    class_counts: dict[str, int] = field(repr=False)  # in Table 1's order
    source: str = field(repr=False)
    citation: str = field(repr=False)

    @property
    def n_rows(self) -> int:
        """Samples without missing values."""
        return sum(self.class_counts.values())

    @property
    def imbalance_ratio(self) -> float:
        """Largest class over smallest."""
        return max(self.class_counts.values()) / min(self.class_counts.values())


def _uci(authors: str, year: int, title: str, doi: str) -> str:
    """Return the citation UCI asks for."""
    return (
        f"{authors} ({year}). {title} [Dataset]. UCI Machine Learning Repository. "
        f"https://doi.org/10.24432/{doi}"
    )


_ROWS = [
    DatasetInfo(
        "automobile",
        "Aut",
        15,
        10,
        {"1": 46, "2": 29, "3": 13, "0": 48, "-1": 20, "-2": 3},
        "UCI Automobile, in KEEL's version without missing values",
        _uci("J. Schlimmer", 1985, "Automobile", "C5B01C"),
    ),
    DatasetInfo(
        "balance",
        "Bal",
        4,
        0,
        {"L": 288, "B": 49, "R": 288},
        "UCI Balance Scale, in KEEL's version",
        _uci("R. Siegler", 1976, "Balance Scale", "C5488X"),
    ),
    DatasetInfo(
        "car",
        "Car",
        0,
        6,
        {"acc": 384, "good": 69, "unacc": 1210, "vgood": 65},
        "UCI Car Evaluation, in KEEL's version",
        _uci("M. Bohanec", 1988, "Car Evaluation", "C5JP48"),
    ),
    DatasetInfo(
        "cleveland",
        "Cle",
        5,
        8,
        {"0": 160, "1": 54, "2": 35, "3": 35, "4": 13},
        "UCI Heart Disease (Cleveland), in KEEL's version without missing values",
        _uci(
            "A. Janosi, W. Steinbrunn, M. Pfisterer, R. Detrano",
            1989,
            "Heart Disease",
            "C52P4X",
        ),
    ),
    DatasetInfo(
        "dermatology",
        "Der",
        1,
        33,
        {"1": 111, "2": 60, "3": 71, "4": 48, "5": 48, "6": 20},
        "UCI Dermatology, in KEEL's version without missing values",
        _uci("N. Ilter, H. Guvenir", 1998, "Dermatology", "C5FK5P"),
    ),
    DatasetInfo(
        "ecoli",
        "Eco",
        7,
        0,
        {
            "cp": 143,
            "im": 77,
            "imS": 2,
            "imL": 2,
            "imU": 35,
            "om": 20,
            "omL": 5,
            "pp": 52,
        },
        "UCI Ecoli",
        _uci("K. Nakai", 1996, "Ecoli", "C5388M"),
    ),
    DatasetInfo(
        "flare",
        "Fla",
        0,
        11,
        {"B": 147, "C": 211, "D": 239, "E": 95, "F": 43, "H": 331},
        "UCI Solar Flare, in KEEL's version",
        _uci("G. Bradshaw", 1989, "Solar Flare", "C5530G"),
    ),
    DatasetInfo(
        "glass",
        "Gla",
        9,
        0,
        {"1": 70, "2": 76, "3": 17, "7": 29, "5": 13, "6": 9},
        "UCI Glass Identification",
        _uci("B. German", 1987, "Glass Identification", "C5WW2P"),
    ),
    DatasetInfo(
        "hayes-roth",
        "Hay",
        4,
        0,
        {"1": 65, "2": 64, "3": 31},
        "UCI Hayes-Roth, in KEEL's version (training and test part together)",
        _uci("B. Hayes-Roth, F. Hayes-Roth", 1989, "Hayes-Roth", "C5501T"),
    ),
    DatasetInfo(
        "hcv",
        "Hcv",
        11,
        1,
        {
            "0=Blood Donor": 526,
            "1=Hepatitis": 20,
            "2=Fibrosis": 12,
            "3=Cirrhosis": 24,
            "0s=suspect Blood Donor": 7,
        },
        "UCI HCV data, rows with missing values left out",
        _uci("R. Lichtinghagen, F. Klawonn, G. Hoffmann", 2020, "HCV data", "C5D612"),
    ),
    DatasetInfo(
        "lymphography",
        "Lym",
        3,
        15,
        {"fibrosis": 4, "malign_lymph": 61, "metastases": 81, "normal": 2},
        "UCI Lymphography, in KEEL's version",
        _uci("M. Zwitter, M. Soklic", 1988, "Lymphography", "C54598"),
    ),
    DatasetInfo(
        "newthyroid",
        "New",
        5,
        0,
        {"1": 150, "2": 35, "3": 30},
        "UCI Thyroid Disease (new-thyroid), in KEEL's version",
        _uci("R. Quinlan", 1986, "Thyroid Disease", "C5D010"),
    ),
    DatasetInfo(
        "shuttle",
        "Shu",
        9,
        0,
        {"1": 1706, "2": 2, "3": 6, "4": 338, "5": 123},
        "UCI Statlog (Shuttle), the sample of KEEL's imbalanced collection",
        "Statlog (Shuttle) [Dataset]. UCI Machine Learning Repository. "
        "https://doi.org/10.24432/C5WS31",
    ),
    DatasetInfo(
        "thyroid",
        "Thy",
        6,
        15,
        {"1": 17, "2": 37, "3": 666},
        "UCI Thyroid Disease (ann-thyroid), the sample of KEEL's imbalanced collection",
        _uci("R. Quinlan", 1986, "Thyroid Disease", "C5D010"),
    ),
    DatasetInfo(
        "zoo",
        "Zoo",
        0,
        16,
        {"1": 41, "2": 20, "3": 5, "4": 13, "5": 4, "6": 8, "7": 10},
        "UCI Zoo, in KEEL's version",
        _uci("R. Forsyth", 1990, "Zoo", "C5R59V"),
    ),
]

CATALOGUE: dict[str, DatasetInfo] = {info.name: info for info in _ROWS}


def get_info(name: str) -> DatasetInfo:
    """Return a data set's entry, or raise an error that lists the names."""
    try:
        return CATALOGUE[name]
    except (KeyError, TypeError):
        raise ValueError(
            f"There is no data set {name!r}; choose one of {', '.join(CATALOGUE)}."
        ) from None
