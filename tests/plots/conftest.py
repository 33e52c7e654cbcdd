import numpy as np
import pytest

from isvmde import ISVMDEClassifier

pytest.importorskip("matplotlib")

SIZES = (60, 40, 30, 25, 20, 15, 12, 8, 5, 3)
NAMES = [f"a long name {k}" for k in range(10)]


@pytest.fixture(scope="session")
def ten_classes():
    """Two features, ten classes on a circle, from 60 samples down to 3."""
    rng = np.random.default_rng(0)
    angle = np.repeat(np.arange(10) * 2 * np.pi / 10, SIZES)
    X = np.column_stack([np.cos(angle), np.sin(angle)])
    return X + rng.normal(0, 0.15, X.shape), np.repeat(NAMES, SIZES)


@pytest.fixture(scope="session")
def searched(ten_classes):
    """A model of ten classes with all three kernels among its 45 pairs."""
    model = ISVMDEClassifier(
        search="pairwise", pop_size=6, max_iter=3, sigma_range=(0.1, 2), random_state=0
    )
    return model.fit(*ten_classes)
