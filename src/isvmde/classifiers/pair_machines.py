"""A classifier that holds one trained machine per pair, and lets them vote."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.exceptions import ConvergenceWarning

from isvmde.classifiers.one_vs_one import OneVsOneSVM
from isvmde.classifiers.representation import params_table
from isvmde.core.background import run_in_background
from isvmde.core.kernels import Kernel
from isvmde.core.pair_machine import PairMachine, PairSettings, decide, train_isvm
from isvmde.core.solver import Stopped
from isvmde.core.training_set import TrainingSet
from isvmde.core.views import VALUES, Views

SHORT_FIT = 1_000  # rows up to which Ctrl-C may wait for the end of a fit


class MachineHolder(OneVsOneSVM):
    """Holds trained machines: what the i-SVM classifiers and the baselines share."""

    def _hold(
        self,
        machines: Sequence[PairMachine],
        vectors: Sequence[np.ndarray],
        kernels: Sequence[Kernel],
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
        failed = [
            name
            for name, machine in zip(self._names(), machines, strict=True)
            if not machine.converged
        ]
        if failed:
            warnings.warn(
                f"The solver reached its bound on steps for {_listed(failed)}; the "
                f"largest violation left is {self.kkt_violation_.max():.2g}. Scale "
                "the features to [0, 1], raise tol, or give ISVMClassifier a larger "
                "max_iter (steps of the solver).",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _names(self) -> list[str]:
        """Say what the machines tell apart."""
        return [f"{plus!r} against {minus!r}" for plus, minus in self.pairs_.tolist()]

    def _decide(self, seen: Sequence[np.ndarray], vectors: Any) -> np.ndarray:
        """Return f of every machine, given what its kernel sees of the new rows."""
        columns = [
            decide(Kernel(int(base), int(function), parameter), known, beta, b, X)
            for (base, function, parameter), X, known, beta, b in zip(
                self._kernels,
                seen,
                vectors,
                self.dual_coef_,
                self.intercept_.tolist(),
                strict=True,
            )
        ]
        return np.stack(columns, axis=1)


class PairMachines(MachineHolder):
    """Trains and holds one i-SVM per pair; the settings come from the child."""

    def _fit_pairs(
        self,
        data: TrainingSet,
        settings: list[PairSettings],
        cost_factor: np.ndarray,
        *,
        tol: float,
        max_iter: int,
        n_jobs: int | None,
    ) -> None:
        """Train every pair and set the fitted attributes."""
        # only ranks and the min kernel need to know the training set
        plain = all(s.view == VALUES and s.kernel != "min" for s in settings)
        views = None if plain else data.views

        def fit_one(
            pair: np.ndarray, chosen: PairSettings, stop: np.ndarray
        ) -> PairMachine:
            if stop[0] != 0:
                raise Stopped
            rows, n_pos = data.pair_rows(*pair), data.n_rows(pair[0])
            factor = np.where(np.arange(len(rows)) < n_pos, *cost_factor[pair])
            X = data.X[rows]
            return train_isvm(
                X if views is None else self._seen(views, X, chosen),
                n_pos,
                data.weight[rows],
                factor,
                chosen,
                tol=tol,
                max_iter=max_iter,
                stop=stop,
            )

        n_threads = effective_n_jobs(n_jobs)

        def fit_all(stop: np.ndarray) -> list[PairMachine]:
            if n_threads == 1:
                pairs = zip(self._pair_index, settings, strict=True)
                return [fit_one(*task, stop) for task in pairs]
            with ThreadPoolExecutor(n_threads) as pool:
                flags = repeat(stop)
                return list(pool.map(fit_one, self._pair_index, settings, flags))

        machines = run_in_background(fit_all, short=len(data.X) <= SHORT_FIT)
        self._settings = [chosen.to_dict() for chosen in settings]
        self._views = None if views is None else views.to_dict()
        self._hold(
            machines,
            [
                data.X[data.pair_rows(*pair)[machine.support]]
                for pair, machine in zip(self._pair_index, machines, strict=True)
            ],
            [chosen.for_solver for chosen in settings],
        )

    @staticmethod
    def _seen(views: Views, X: np.ndarray, chosen: PairSettings) -> np.ndarray:
        """Return rows as the kernel of a pair sees them."""
        return views.see(X, chosen.view, chosen.for_solver.base)

    @property
    def pair_params_(self) -> dict[tuple[Any, Any], dict[str, Any]]:
        """Settings of every pair, ``{(plus, minus): {"C_pos": ..., ...}}``."""
        return {
            (plus, minus): dict(chosen)
            for (plus, minus), chosen in zip(
                self.pairs_.tolist(), self._settings, strict=True
            )
        }

    def _fitted_html(self) -> str:
        """Return the parameters of every pair as a table."""
        return params_table(self.pair_params_, self.n_support_)

    def _pair_decisions(self, X: np.ndarray) -> np.ndarray:
        """Return the raw decision of every pair, (n, pairs)."""
        if self._views is None:
            return self._decide([X] * len(self.pairs_), self.support_vectors_)
        views = Views(**self._views)
        settings = [PairSettings(**chosen) for chosen in self._settings]
        return self._decide(
            [self._seen(views, X, chosen) for chosen in settings],
            [
                self._seen(views, known, chosen)
                for known, chosen in zip(self.support_vectors_, settings, strict=True)
            ],
        )


def _listed(names: list[str], most: int = 5) -> str:
    """Return names in a row, the first few of many."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
