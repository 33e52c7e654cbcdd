"""No changed model file does more than work or be refused in a sentence."""

import pytest
from hostile_files import attack

SOME = ["table, averaged", "rare", "voting", "stacking", "trusted SVC", "alone"]


def findings(outcomes):
    """Return what was not refused in a sentence and did not work either."""
    return [outcome for outcome in outcomes if outcome.kind == "finding"]


@pytest.fixture(autouse=True)
def _quiet(monkeypatch):
    monkeypatch.delenv("ISVMDE_TRACEBACK", raising=False)


def test_a_sample_of_the_changed_files(tmp_path):
    """`python tests/fuzz/hostile_files.py` opens ten thousand."""
    outcomes = list(attack(60, seed=11, folder=tmp_path, names=SOME))
    assert not findings(outcomes)
    kinds = [outcome.kind for outcome in outcomes]
    assert kinds.count("loaded") >= 5  # some changes do no harm
    assert kinds.count("refused") >= 20


@pytest.mark.slow
def test_a_larger_sample_of_the_changed_files(tmp_path):
    assert not findings(attack(600, seed=12, folder=tmp_path))
