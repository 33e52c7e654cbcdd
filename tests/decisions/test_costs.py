"""Costs are checked in sentences, and expected costs are what Bayes' rule says."""

import numpy as np
import pandas as pd
import pytest

from isvmde.decisions import CostMatrix, expected_costs

CLASSES = ["ill", "rare", "well"]
TABLE = pd.DataFrame(
    [[0, 5, 10], [7, 0, 50], [1, 2, 0]], index=CLASSES, columns=CLASSES
)


def test_every_way_to_give_costs_is_the_same_matrix():
    as_dict = {true: row.to_dict() for true, row in TABLE.iterrows()}
    without_right_ones = {
        true: {name: cost for name, cost in row.items() if name != true}
        for true, row in as_dict.items()
    }
    shuffled = TABLE.loc[["well", "ill", "rare"], ["rare", "well", "ill"]]
    for given in (TABLE, as_dict, without_right_ones, shuffled, TABLE.to_numpy()):
        read = CostMatrix.read(given, CLASSES)
        assert read.values.tolist() == TABLE.to_numpy().tolist()
        assert read.decisions.tolist() == CLASSES


def test_a_number_per_class_is_what_any_mistake_in_it_costs():
    read = CostMatrix.read({"well": 1, "rare": 50, "ill": 10}, CLASSES)
    assert read.values.tolist() == [[0, 10, 10], [50, 0, 50], [1, 1, 0]]


def test_further_columns_are_further_decisions():
    read = CostMatrix.read(TABLE.assign(**{"ask a doctor": 2}), np.array(CLASSES))
    assert read.decisions.tolist() == [*CLASSES, "ask a doctor"]
    assert read.values[:, 3].tolist() == [2, 2, 2]
    numbered = pd.DataFrame([[0, 9, 1], [1, 0, 1]], [0, 1], [0, 1, "ask"])
    assert CostMatrix.read(numbered, np.array([0, 1])).decisions.tolist() == [
        *(0, 1, "ask")
    ]


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (TABLE.drop(columns="rare"), "no column for the class 'rare'"),
        (TABLE.drop(index="rare"), "no row for the class 'rare'"),
        ({"ill": 1, "rare": 2}, "no row for the class 'well'"),
        (TABLE.rename(index={"ill": "il"}), "no row for the class 'ill'"),
        ({**TABLE.T.to_dict(), "typo": {"ill": 1}}, "'typo', which is not a class"),
        (TABLE.replace(50, np.nan), "deciding 'well' where 'rare' is true is 'nan'"),
        (TABLE.replace(50, np.inf), "give a number for it"),
        (TABLE.astype(object).mask(TABLE == 50, "high"), "'high'"),
        (np.zeros((2, 3)), r"shape \(2, 3\)"),
        (TABLE[["ill", "rare", "well", "well"]], "more than one column for 'well'"),
    ],
)
def test_costs_that_say_too_little_are_refused(costs, message):
    with pytest.raises(ValueError, match=message):
        CostMatrix.read(costs, CLASSES)


def test_expected_costs_are_the_sum_over_the_classes():
    p = np.array([[0.2, 0.1, 0.7]])
    cost = CostMatrix.read(TABLE, CLASSES)
    by_hand = [0.1 * 7 + 0.7 * 1, 0.2 * 5 + 0.7 * 2, 0.2 * 10 + 0.1 * 50]
    assert expected_costs(p, cost)[0] == pytest.approx(by_hand)
