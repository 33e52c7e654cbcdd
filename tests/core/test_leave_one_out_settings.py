"""The settings that all pairs are solved at."""

import numpy as np
import pytest

from isvmde.core.leave_one_out.settings import Setting, SettingSpace, draw_settings
from isvmde.core.views import VIEWS


def test_the_same_seed_draws_the_same_settings():
    space = SettingSpace()
    assert draw_settings(40, space, 3) == draw_settings(40, space, 3)
    assert draw_settings(40, space, 3) != draw_settings(40, space, 4)


@pytest.mark.parametrize("n", [1, 2, 3, 48, 96, 100])
def test_as_many_as_asked_for_and_all_within_their_ranges(n):
    space = SettingSpace(cost=(0.5, 7.0), sigma=(0.2, 0.9), degree=(2, 4))
    drawn = draw_settings(n, space, 0)
    assert len(drawn) == n
    for setting in drawn:
        assert 0.5 <= setting.C_pos <= 7.0
        assert 0.5 <= setting.C_neg <= 7.0
        assert setting.sigma is None or 0.2 <= setting.sigma <= 0.9
        assert setting.degree is None or setting.degree in (2, 3, 4)
        assert (setting.sigma is not None) == (setting.kernel == "rbf")
        assert (setting.degree is not None) == (setting.kernel in ("poly", "min"))


def test_everything_occurs():
    drawn = draw_settings(192, SettingSpace(), 0)
    assert {s.kernel for s in drawn} == {"linear", "rbf", "poly", "min"}
    assert {s.view for s in drawn} == set(VIEWS)
    assert sum(s.kernel == "min" for s in drawn) == 128
    assert {s.degree for s in drawn if s.kernel == "min"} == {1, 2, 3, 4, 5}
    for cost in ("C_pos", "C_neg"):
        logs = np.log10([getattr(s, cost) for s in drawn])
        counts, _ = np.histogram(logs, bins=4, range=(-1, 3))
        assert (abs(counts - 48) < 12).all()  # uniform on a logarithmic scale


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly", "min"])
@pytest.mark.parametrize("view", ["values", "ranks", "weighted"])
def test_one_kernel_in_one_view(kernel, view):
    drawn = draw_settings(8, SettingSpace(kernels=(kernel,), views=(view,)), 0)
    assert {setting.kernel for setting in drawn} == {kernel}
    seen = "weighted values" if view == "weighted" else view
    assert {setting.view for setting in drawn} == {seen}


def test_a_setting_as_a_dictionary_names_what_applies():
    setting = Setting("rbf", "ranks", 0.5, None, 1.0, 2.0)
    expected = {"kernel": "rbf", "view": "ranks", "sigma": 0.5}
    assert setting.to_dict() == {**expected, "C_pos": 1.0, "C_neg": 2.0}
