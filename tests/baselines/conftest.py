import numpy as np
import pytest


@pytest.fixture
def three_classes():
    """Overlapping classes of 40, 20 and 9 samples in three dimensions."""
    rng = np.random.default_rng(0)
    sizes = [40, 20, 9]
    centres = np.array([[0.0, 0.0, 0.0], [1.5, 0.0, 0.5], [0.0, 1.5, -0.5]])
    X = rng.normal(np.repeat(centres, sizes, axis=0), 1.0)
    return X, np.repeat(["big", "middle", "small"], sizes)


@pytest.fixture
def new_rows():
    return np.random.default_rng(1).normal(0.5, 1.5, (30, 3))
