"""Genes and what they mean."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from isvmde.core.dual import to_c_svc
from isvmde.core.search.genome import (
    DEGREE,
    KERNEL,
    KEY_KERNEL,
    N_GENES,
    SIGMA,
    Encoding,
    Ranges,
)

PAPER = Encoding(Ranges(), 1)
WIDE = Encoding(Ranges(C=3e4, cost=(0.0, 7.0), margin=(0.0, 5.0)), 1)


def genes(**changes):
    """Return the genes of one pair, in the order of the paper."""
    values = {
        "C_pos": 0.5,
        "C_neg": 0.25,
        "margin_pos": 1.0,
        "margin_neg": 0.5,
        "kernel": 1.5,
        "sigma": 2.0,
        "degree": 3.5,
    }
    return np.array([*{**values, **changes}.values()])


def test_defaults_are_the_ranges_of_table_2():
    assert PAPER.lower.tolist() == [0, 0, 0, 0, 0, 0, 1]
    assert PAPER.upper.tolist() == [1, 1, 1, 1, 3, 100, 6]


def test_genomes_are_seven_genes_per_pair_concatenated():
    encoding = Encoding(Ranges(), 3)
    assert len(encoding.lower) == 3 * N_GENES
    genome = np.arange(21.0)
    assert_array_equal(encoding.genes(genome)[1], np.arange(7.0, 14.0))
    assert encoding.genes(np.zeros((5, 21))).shape == (5, 3, 7)


def test_kernel_and_degree_are_rounded_down_in_equal_shares():
    grid = (np.arange(3000) + 0.5) / 3000
    population = np.tile(genes(), (3000, 1))
    population[:, KERNEL], population[:, DEGREE] = 3 * grid, 1 + 5 * grid
    decoded = PAPER.decode(population).genes
    assert np.bincount(decoded[:, KERNEL].astype(int)).tolist() == [1000] * 3
    assert np.bincount(decoded[:, DEGREE].astype(int)).tolist() == [0] + [600] * 5


def test_an_upper_bound_met_exactly_is_the_last_value():
    chosen = PAPER.settings(PAPER.upper[None])[0]
    assert (chosen.kernel, chosen.degree, chosen.sigma) == ("poly", 5, 100.0)


def test_kernels_can_be_restricted_and_reordered():
    encoding = Encoding(Ranges(kernels=("poly", "linear")), 1)
    assert encoding.upper[KERNEL] == 2
    names = [encoding.settings(genes(kernel=k)[None])[0].kernel for k in (0.3, 1.9, 2)]
    assert names == ["poly", "linear", "linear"]


def test_settings_are_readable_and_in_the_units_of_the_classifier():
    chosen = PAPER.settings(genes()[None])[0]
    assert chosen.to_dict() == {
        "C": 1000.0,
        "C_pos": 0.5,
        "C_neg": 0.25,
        "margin_pos": 1.0,
        "margin_neg": 0.5,
        "kernel": "rbf",
        "sigma": 2.0,
        "degree": 3,
        "ranks": False,
    }


@given(st.sampled_from([PAPER, WIDE]), st.data())
def test_key_scale_and_shift_have_the_bits_of_the_trained_pair(encoding, data):
    """Any genes in any ranges: `to_c_svc` of the settings that they decode to."""
    bounds = zip(encoding.lower.tolist(), encoding.upper.tolist(), strict=True)
    row = np.array([[data.draw(st.floats(*ends)) for ends in bounds]])
    decoded, settings = encoding.decode(row), encoding.settings(row)[0]
    assert bool(decoded.valid[0]) == settings.defines_svm
    assert tuple(decoded.key[0, :2]) == settings.for_solver[1:]
    if not settings.defines_svm:
        return
    standard = to_c_svc(
        settings.C * settings.C_pos,
        settings.C * settings.C_neg,
        settings.margin_pos,
        settings.margin_neg,
    )
    assert tuple(decoded.key[0, 2:]) == (standard.U_pos, standard.U_neg)
    assert (decoded.scale[0], decoded.shift[0]) == (standard.scale, standard.shift)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # sigma and degree do not matter for a linear kernel
        (genes(kernel=0.5, sigma=1, degree=2), genes(kernel=0.2, sigma=9, degree=5)),
        (genes(kernel=1.5, degree=2), genes(kernel=1.2, degree=5)),
        (genes(kernel=2.5, sigma=1), genes(kernel=2.2, sigma=9)),
        # (1 + x'z) has the solution of x'z
        (genes(kernel=2.5, degree=1.2), genes(kernel=0.5)),
        # margins with the same sum
        (
            genes(margin_pos=0.75, margin_neg=0.25),
            genes(margin_pos=0.5, margin_neg=0.5),
        ),
        # costs and margins scaled together
        (
            genes(C_pos=0.5, C_neg=0.25, margin_pos=0.5, margin_neg=0.5),
            genes(C_pos=1.0, C_neg=0.5, margin_pos=1.0, margin_neg=1.0),
        ),
    ],
)
def test_genes_with_the_same_solution_have_the_same_key(one, other):
    assert_array_equal(PAPER.decode(one[None]).key, PAPER.decode(other[None]).key)


@pytest.mark.parametrize(
    "change",
    [
        {"C_pos": 0.4},
        {"C_neg": 0.4},
        {"margin_pos": 0.4},
        {"kernel": 0.5},
        {"kernel": 2.5},
        {"sigma": 3.0},
    ],
)
def test_other_solutions_have_other_keys(change):
    assert (
        PAPER.decode(genes()[None]).key != PAPER.decode(genes(**change)[None]).key
    ).any()


@pytest.mark.parametrize(
    "change",
    [
        {"C_pos": 0.0},
        {"C_neg": 0.0},
        {"C_pos": 1e-10},
        {"margin_pos": 0.0, "margin_neg": 0.0},
    ],
)
def test_no_cost_or_no_margin_defines_no_svm(change):
    decoded = PAPER.decode(genes(**change)[None])
    assert not decoded.valid[0]
    assert np.isfinite(decoded.key).all()
    settings = PAPER.settings(genes(**change)[None])[0]
    assert not settings.defines_svm


def test_sigma_zero_is_a_kernel():
    decoded = PAPER.decode(genes(sigma=0.0)[None])
    assert decoded.valid[0]
    assert np.isfinite(decoded.key).all()
    assert PAPER.settings(genes(sigma=0.0)[None])[0].sigma > 0


def test_one_kernel_for_all_pairs():
    encoding = Encoding(Ranges(), 4, "kernel")
    assert len(encoding.lower) == 3 + 4 * 4
    population = np.random.default_rng(0).uniform(
        encoding.lower, encoding.upper, (6, 19)
    )
    spread = encoding.genes(population)
    for k in (KERNEL, SIGMA, DEGREE):
        assert (spread[:, :, k] == spread[:, :1, k]).all()
    assert_array_equal(spread[:, 2, :4], population[:, 3 + 8 : 3 + 12])
    codes = encoding.decode(spread).key[..., KEY_KERNEL]
    assert (codes == codes[:, :1]).all()


def test_all_pairs_the_same():
    encoding = Encoding(Ranges(), 4, "all")
    assert len(encoding.lower) == N_GENES
    spread = encoding.genes(genes())
    assert_array_equal(spread, np.tile(genes(), (4, 1)))
