"""The numbers of the method; results are flat around all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tuning:
    """The numbers of the method.

    Attributes
    ----------
    temperature : sharpness t of the leave-one-out error 1/(1 + exp(t y f))
    shrinkage : kappa, samples that the other pairs' opinion of a setting counts as
    width : tau, difference of error that makes a weight smaller by the factor e
    penalty : on the distance of a pair's calibration from that of all pairs
    common : penalty on the distance of that from a plain SVM's
    dropped : summed weight of the machines that a pair can do without
    """

    temperature: float = 3.0
    shrinkage: float = 10.0
    width: float = 0.02
    penalty: float = 8.0
    common: float = 1.0
    dropped: float = 0.02
