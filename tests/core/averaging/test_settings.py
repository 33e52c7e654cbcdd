"""The settings that all pairs are solved at."""

import tracemalloc

import numpy as np
import pytest

from isvmde.core.averaging.settings import (
    N_PARTS,
    Setting,
    SettingSpace,
    draw_settings,
    with_typical_widths,
    without_narrow_widths,
)
from isvmde.core.solver import DISTANCE
from isvmde.core.views import VIEWS, WEIGHTED, Sight, Views


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


def test_weighted_settings_are_dealt_evenly_among_the_parts():
    """Whether a setting is weighted, and no more, decides whether it has a part."""
    drawn = draw_settings(96, SettingSpace(), 5)
    parts = [setting.part for setting in drawn if setting.view in WEIGHTED.values()]
    plain = [setting for setting in drawn if setting.view not in WEIGHTED.values()]
    assert np.ptp(np.bincount(parts, minlength=N_PARTS)) <= 1
    assert all(setting.part is None for setting in plain)
    assert all("part" not in setting.to_dict() for setting in plain)


def test_a_sight_says_whose_relevance_is_seen():
    setting = Setting("min", "weighted ranks", None, 2, 1.0, 2.0, part=1)
    other = Setting("min", "weighted ranks", None, 3, 5.0, 2.0, part=1)
    elsewhere = Setting("min", "weighted ranks", None, 2, 1.0, 2.0, part=2)
    assert setting.sight == other.sight != elsewhere.sight
    assert Setting(**elsewhere.to_dict()) == elsewhere
    assert Setting("rbf", "ranks", 0.5).sight.part == 0


@pytest.mark.parametrize(("few", "many"), [(5, 8), (16, 33), (48, 96)])
def test_more_settings_begin_with_the_fewer(few, many):
    drawn = draw_settings(many, SettingSpace(), 2)
    assert draw_settings(few, SettingSpace(), 2) == drawn[:few]


# Typical widths


def widened(X, weight=None, *, n=96, space=None):
    """Return drawn settings before and after, and the views."""
    weight = np.ones(len(X)) if weight is None else weight
    space = SettingSpace(sigma=(1e-9, 1e9)) if space is None else space
    drawn, views = draw_settings(n, space, 0), Views.of(X, weight)
    return drawn, with_typical_widths(drawn, space, X, weight, views), views


def rows(n=40, d=5):
    return np.random.default_rng(0).random((n, d)) * [1.0, 2.0, 0.1, 5.0, 0.0][:d]


@pytest.mark.parametrize("n", [1, 5, 6, 12, 96, 200])
def test_typical_widths_stand_in_for_the_last_settings(n):
    drawn, found, _ = widened(rows(), n=n)
    n_new = min(n // 6, 16)
    assert len(found) == n
    assert found[: n - n_new] == drawn[: n - n_new]
    assert all(one.kernel == "rbf" for one in found[n - n_new :])
    assert all(one.C_pos == one.C_neg for one in found[n - n_new :])
    assert len(set(found[n - n_new :])) == n_new


def test_typical_widths_are_those_of_the_rows_spread():
    """Half the mean squared distance of two rows is the spread's square."""
    X = rows()
    _, found, views = widened(X)
    for view in ("values", "ranks"):
        seen = views.see(X, Sight(view, DISTANCE))
        squares = ((seen[:, None] - seen) ** 2).sum(axis=2)
        spread = np.sqrt(0.25 * squares.mean())
        widths = sorted({one.sigma for one in found[-16:] if one.view == view})
        assert widths == pytest.approx(np.array([1.0, 1.7, 3.0, 5.0]) * spread)


def test_a_weight_is_that_many_rows_in_a_spread():
    X, weight = rows(), np.arange(40) % 3 + 1.0
    plain = SettingSpace(kernels=("rbf",), views=("values",), sigma=(1e-9, 1e9))
    _, one, _ = widened(X, weight, space=plain)
    _, other, _ = widened(np.repeat(X, weight.astype(int), axis=0), space=plain)
    assert [s.sigma for s in one] == pytest.approx([s.sigma for s in other])


@pytest.mark.parametrize("scale", [0.0, 1e-12, 1.0, 1e12])
def test_typical_widths_and_costs_stay_within_their_ranges(scale):
    space = SettingSpace(sigma=(0.3, 0.8), cost=(20.0, 50.0))
    _, found, _ = widened(scale * rows(), space=space)
    for one in found[-16:]:
        assert 0.3 <= one.sigma <= 0.8
        assert 20.0 <= one.C_pos <= 50.0


@pytest.mark.parametrize("space", [{"kernels": ("linear", "min")}, {"views": "w"}])
def test_where_no_rbf_kernel_or_plain_view_is_asked_for_none_is_added(space):
    space = SettingSpace(**({"views": ("weighted",)} if "views" in space else space))
    drawn, found, _ = widened(rows(), space=space)
    assert found == drawn


def test_features_too_large_to_be_squared_are_refused_in_words():
    with pytest.raises(ValueError, match="scale the features"):
        widened(1e200 * rows())


def without_narrow(X, *, space=None, n=96):
    space = SettingSpace() if space is None else space
    views = Views.of(X, np.ones(len(X)))
    drawn = draw_settings(n, space, 0)
    return drawn, without_narrow_widths(drawn, space, X, views), views


def test_no_width_is_too_narrow_to_see_a_neighbour():
    X = np.random.default_rng(0).random((80, 30))
    drawn, found, views = without_narrow(X)
    for view in ("values", "ranks"):
        seen = views.see(X, Sight(view, DISTANCE))
        squares = ((seen[:, None] - seen) ** 2).sum(axis=2)
        np.fill_diagonal(squares, np.inf)
        nearest = np.median(squares.min(axis=1))

        def kernels(settings, nearest=nearest, view=view):
            widths = [one.sigma for one in settings if one.view == view and one.sigma]
            return np.exp(-nearest / (2.0 * np.square(widths)))

        assert kernels(drawn).min() < 1e-3
        assert kernels(found).min() >= 0.05


def test_widths_stay_in_order_and_within_their_range():
    drawn, found, _ = without_narrow(np.random.default_rng(0).random((80, 30)))
    for view in ("values", "ranks"):
        before = [one.sigma for one in drawn if one.sigma and one.view == view]
        after = [one.sigma for one in found if one.sigma and one.view == view]
        assert (np.argsort(before) == np.argsort(after)).all()
        assert 0.1 <= min(after) <= max(after) <= 20.0


def test_what_has_no_width_stays_as_it_is():
    drawn, found, _ = without_narrow(np.random.default_rng(0).random((80, 30)))
    for one, other in zip(drawn, found, strict=True):
        assert (one == other) == (one.sigma is None)


def test_dense_rows_keep_their_widths():
    drawn, found, _ = without_narrow(np.random.default_rng(0).random((400, 1)))
    for one, other in zip(drawn, found, strict=True):
        assert one.sigma == pytest.approx(other.sigma)


def test_a_single_width_is_kept():
    space = SettingSpace(sigma=(0.1, 0.1))
    drawn, found, _ = without_narrow(np.eye(7), space=space)
    assert drawn == found


def test_widths_of_a_large_table_take_little_memory():
    X = np.random.default_rng(0).random((40_000, 2))
    drawn, space = draw_settings(8, SettingSpace(), 0), SettingSpace()
    views = Views.of(X, np.ones(len(X))).thinned(1_000)
    tracemalloc.start()
    try:
        without_narrow_widths(drawn, space, X, views)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20e6  # distances between 300 rows and all others would be 96 MB
