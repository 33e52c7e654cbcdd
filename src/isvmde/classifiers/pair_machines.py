"""A classifier that holds one trained machine per pair, and lets them vote."""

import functools
import warnings
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning

from isvmde.core.background import run_in_background
from isvmde.core.kernels import Kernel
from isvmde.core.pair_machine import PairMachine, PairSettings, decide, train_isvm
from isvmde.core.solver import Stopped
from isvmde.core.training_set import TrainingSet
from isvmde.core.views import VALUES, Views

from .one_vs_one import OneVsOneSVM

SHORT_FIT = 1_000  # rows up to which Ctrl-C may wait for the end of a fit
Arrays = Iterable[np.ndarray]


class MachineHolder(OneVsOneSVM):
    """Holds trained machines: what the i-SVM classifiers and the baselines share."""

    def _hold(
        self, machines: list[PairMachine], vectors: Arrays, kernels: list[Kernel]
    ) -> None:
        """Set the fitted attributes; warn of machines that did not converge."""
        self._kernels = np.array(kernels, dtype=float)
        self.support_vectors_ = list(vectors)
        self.dual_coef_ = [machine.beta for machine in machines]
        self.intercept_ = np.array([machine.b for machine in machines])
        self.kkt_violation_ = np.array([machine.violation for machine in machines])
        support = np.array([machine.n_support for machine in machines])
        # weights are counts; where they are fractions, so are sums of them
        whole = not (support % 1).any() and support.max() < 2**53
        self.n_support_ = support.astype(int) if whole else support
        self.n_iter_ = max(machine.steps for machine in machines)
        pairs = zip(self._names(), machines, strict=True)
        failed = [name for name, machine in pairs if not machine.converged]
        if failed:
            more = f" and {len(failed) - 5} more" if len(failed) > 5 else ""
            listed = ", ".join(failed[:5]) + more
            warnings.warn(
                f"The solver reached its bound on steps for {listed}; the "
                f"largest violation left is {self.kkt_violation_.max():.2g}. Scale "
                "the features to [0, 1], raise tol, or give ISVMClassifier a larger "
                "max_iter (steps of the solver).",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _names(self) -> list[str]:
        """Say what the machines tell apart."""
        return [f"{plus!r} against {minus!r}" for plus, minus in self.pairs_.tolist()]

    def _decide(self, seen: Arrays, vectors: Arrays) -> np.ndarray:
        """Return f of every machine, given what its kernel sees of the new rows."""
        kernels = [Kernel(int(k[0]), int(k[1]), k[2]) for k in self._kernels.tolist()]
        machines = (kernels, vectors, self.dual_coef_, self.intercept_, seen)
        columns = [decide(*machine) for machine in zip(*machines, strict=True)]
        return np.stack(columns, axis=1)


class PairMachines(MachineHolder):
    """Trains and holds one i-SVM per pair; the settings come from the child."""

    tol: float
    n_jobs: int | None

    def _fit_pairs(
        self,
        data: TrainingSet,
        settings: list[PairSettings],
        cost_factor: np.ndarray,
        max_steps: int = -1,
    ) -> None:
        """Train every pair and set the fitted attributes."""
        # only ranks and the min kernel need to know the training set
        plain = all(s.view == VALUES and s.kernel != "min" for s in settings)
        views = None if plain else data.views
        n_threads = effective_n_jobs(self.n_jobs)

        def fit_one(pair: Any, chosen: PairSettings, stop: np.ndarray) -> PairMachine:
            if stop[0] != 0:
                raise Stopped
            rows, n_pos = data.pair_rows(*pair), data.n_rows(pair[0])
            return train_isvm(
                _see(views, data.X[rows], chosen),
                n_pos,
                data.weight[rows],
                np.where(np.arange(len(rows)) < n_pos, *cost_factor[pair]),
                chosen,
                tol=self.tol,
                max_iter=max_steps,
                stop=stop,
            )

        def fit_all(stop: np.ndarray) -> list[PairMachine]:
            tasks = (self._pair_index, settings, repeat(stop))
            if n_threads == 1:
                return list(map(fit_one, *tasks))
            with ThreadPoolExecutor(n_threads) as pool:
                return list(pool.map(fit_one, *tasks))

        machines = run_in_background(fit_all, short=len(data.X) <= SHORT_FIT)
        self._settings = [chosen.to_dict() for chosen in settings]
        self._views = None if views is None else views.to_dict()
        trained = zip(self._pair_index, machines, strict=True)
        vectors = [data.X[data.pair_rows(*pair)[one.support]] for pair, one in trained]
        self._hold(machines, vectors, [chosen.for_solver for chosen in settings])

    @property
    def pair_params_(self) -> dict[tuple[Any, Any], dict[str, Any]]:
        """Settings of every pair, ``{(plus, minus): {"C_pos": ..., ...}}``."""
        pairs = map(tuple, self.pairs_.tolist())
        return dict(zip(pairs, map(dict, self._settings), strict=True))

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the raw decision of every pair, (n, pairs)."""
        views = None if self._views is None else Views(**self._views)
        settings = [PairSettings(**chosen) for chosen in self._settings]
        see = functools.partial(_see, views)
        vectors = map(see, self.support_vectors_, settings)
        return self._decide([see(X, chosen) for chosen in settings], vectors)


def _see(views: Views | None, X: np.ndarray, chosen: PairSettings) -> np.ndarray:
    """Return rows as the kernel of a pair sees them."""
    return X if views is None else views.see(X, chosen.view, chosen.for_solver.base)
