"""Tables that know the truth, and what is said of them."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from benchmarks.honesty import __main__ as command
from benchmarks.honesty import (
    groups,
    measures,
    noise,
    rare,
    rare_report,
    running,
    tables,
    verdicts,
)


@pytest.mark.parametrize("kind", tables.RARE)
def test_a_larger_table_begins_with_the_rows_of_a_smaller_one(kind):
    small = tables.rare(kind, 1_000, 0.05, seed=3)
    large = tables.rare(kind, 3_000, 0.05, seed=3)
    for label in (0, 1):
        few, many = small.X[small.y == label], large.X[large.y == label]
        # the scale differs: a line through two rows finds it
        slope = (many[1] - many[0]) / (few[1] - few[0])
        np.testing.assert_allclose(
            many[: len(few)], many[0] + slope * (few - few[0]), atol=1e-9
        )


@pytest.mark.parametrize("kind", rare.INTERACTIONS)
def test_no_linear_machine_is_right_about_interactions(kind):
    table = tables.rare(kind, 4_000, 0.5, seed=0)
    linear = measures.balanced_logistic_regression().fit(table.X, table.y)
    boosting = measures.balanced_boosting().fit(table.X, table.y)
    by_line = measures.auc(table.y_new, linear.predict_proba(table.X_new))
    by_trees = measures.auc(table.y_new, boosting.predict_proba(table.X_new))
    assert by_line < 0.56 < 0.75 < by_trees


@pytest.mark.parametrize("shape", noise.SHAPES, ids=lambda shape: shape.name)
def test_noise_has_the_shape_that_was_asked_for(shape):
    table = tables.noise(shape, seed=1)
    np.testing.assert_array_equal(np.bincount(table.y), shape.sizes)
    assert table.X.shape[1] == table.X_new.shape[1] == shape.columns
    assert table.X.min() == 0.0
    assert table.X.max() == 1.0


@pytest.mark.parametrize("kind", tables.VISITS, ids=lambda kind: kind.name)
def test_a_patient_has_one_class(kind):
    table = tables.visits(kind, seed=2)
    patients = len(np.unique(table.groups))
    assert patients == sum(kind.patients)
    assert len(np.unique(np.stack([table.groups, table.y]), axis=1).T) == patients


def test_the_slope_undoes_what_was_done_to_the_log_odds():
    random = np.random.default_rng(0)
    odds = 2.0 * random.normal(size=20_000)
    share = 1.0 / (1.0 + np.exp(-odds))
    y = (random.random(len(odds)) < share).astype(int)
    for factor in (0.5, 1.0, 2.0):
        stretched = 1.0 / (1.0 + np.exp(-factor * odds))
        proba = np.column_stack([1.0 - stretched, stretched])
        slope = measures.calibration_slope(y, proba)
        assert slope == pytest.approx(1.0 / factor, rel=0.05)


def test_equal_priors_undo_a_prior():
    odds, prior = np.array([0.3, 1.0, 4.0]), np.array([0.9, 0.1])
    equal = np.column_stack([1.0 / (1.0 + odds), odds / (1.0 + odds)])
    proba = equal * prior
    proba /= proba.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(measures.under_equal_priors(proba, prior), equal)


def test_a_run_that_was_stopped_goes_on(tmp_path):
    shape = tables.NoiseShape((12, 8), 3)
    cases = [noise.NoiseCase(shape, seed) for seed in range(3)]
    path = tmp_path / "a.csv"
    running.measure_all(cases[1:2], noise.measure, path, n_jobs=1)
    measured = []

    def measure(case):
        measured.append(case.seed)
        return noise.measure(case)

    found = running.measure_all(cases, measure, path, n_jobs=1)
    assert measured == [0, 2]
    assert found["seed"].tolist() == [0, 1, 2]
    whole = running.measure_all(cases, noise.measure, None, n_jobs=1)
    np.testing.assert_allclose(found["reported"], whole["reported"])


@pytest.mark.parametrize(("value", "holds"), [(0.03, True), (0.031, False)])
def test_a_bound_may_be_reached_and_not_exceeded(value, holds):
    assert verdicts.at_most("Something", value, 0.03).holds is holds


def test_what_is_not_a_number_falls_short():
    assert not verdicts.at_most("Something", float("nan"), 0.03).holds


def test_development_draws_other_tables_than_judging():
    for list_cases in (
        noise.list_cases,
        rare.gaussian_cases,
        rare.interaction_cases,
        groups.list_cases,
    ):
        quick = {case.seed for case in list_cases(None, True)}
        assert quick.isdisjoint(case.seed for case in list_cases(None, False))


def rows_of_two_sizes(seeds, gain):
    """Return rows of 1,000 and 3,300 rows; the larger tables score more by ``gain``."""
    names = [field.name for field in dataclasses.fields(rare.RareRow)]
    random = np.random.default_rng(len(seeds))
    rows = []
    for seed in seeds:
        for size, added in ((1_000, 0.0), (3_300, gain)):
            row = dict.fromkeys(names, 0.5 + added + 0.01 * random.random())
            row |= {"seed": seed, "rows": size, "share": 0.05, "positives": 50}
            rows.append(row)
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("gain", "holds"), [(0.1, True), (-0.1, False)])
def test_a_step_that_stands_out_is_judged_by_other_seeds(gain, holds):
    found = rows_of_two_sizes(range(6), -0.1)
    steps = rare_report.large_steps(found)
    assert steps == [rare.Step(0.05, 1_000, 3_300)]
    cases = rare.cases_again(steps)
    assert {case.seed for case in cases}.isdisjoint(found["seed"])
    again = rows_of_two_sizes(rare.SECOND_SEEDS, gain)
    report = rare_report.report_neighbours(found, again)
    assert report.verdicts[0].holds is holds
    assert "5 % of 1,000 to 3,300, other seeds" in report.table


def test_a_step_that_costs_nothing_is_not_measured_again():
    found = rows_of_two_sizes(range(6), 0.1)
    assert rare_report.large_steps(found) == []
    assert rare_report.report_neighbours(found, found.head(0)).verdicts[0].holds


def test_only_the_own_section_of_the_results_is_replaced():
    page = "# Speed\n\nfast\n\n# Honesty\n\nold\n\n# Extreme tables\n\nlast\n"
    new = command.with_section(page, "# Honesty\n\nnew\n")
    assert new == page.replace("old", "new")
    assert command.with_section("# Speed\n", "# Honesty\n").endswith("\n\n# Honesty\n")
