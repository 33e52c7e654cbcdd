"""A classifier that holds one trained machine per binary problem."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from isvmde.caller import warn_caller
from isvmde.core.arrays import Floats, Ints
from isvmde.core.binary_machine import BinaryMachine, ISVMSettings, decide, train_isvm
from isvmde.core.decomposition import BinaryProblem, Decisions
from isvmde.core.kernels import Kernel, starts_at_zero
from isvmde.core.parallel import Threads
from isvmde.core.training_set import TrainingSet
from isvmde.core.views import VALUES, Views
from isvmde.jobs import usable_jobs

from .multiclass import MulticlassSVM
from .problem_names import problem_key, problem_text

SHORT_FIT = 1_000  # rows up to which Ctrl-C may wait for the end of a fit


@dataclass(frozen=True, eq=False)
class MachineDecisions:
    """Decisions of trained machines on new rows, computed when they are asked for."""

    X: Floats
    n_problems: int
    decide_machine: Callable[[int, Floats], Floats]  # f of a problem, for some rows

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.X)

    def of_problem(self, problem: int, rows: Ints) -> Floats:
        """Return f of one problem on some of the rows."""
        return self.decide_machine(problem, self.X[rows])

    def of_all(self) -> Floats:
        """Return f of all problems on all rows, (n, problems)."""
        columns = [self.decide_machine(p, self.X) for p in range(self.n_problems)]
        return np.stack(columns, axis=1)


class MachineHolder(MulticlassSVM):
    """Holds trained machines: what the i-SVM classifiers and the baselines share."""

    def _hold(
        self,
        machines: Sequence[BinaryMachine],
        vectors: Iterable[Floats],
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
        self._warn_of_failed([machine.converged for machine in machines])

    def _warn_of_failed(self, converged: Sequence[bool]) -> None:
        """Warn of machines that did not converge, by what they tell apart."""
        n_classes = len(self.classes_)
        failed = [
            problem_text(plus, minus, n_classes)
            for (plus, minus), reached in zip(self.problems_, converged, strict=True)
            if not reached
        ]
        if not failed:
            return
        more = f" and {len(failed) - 5} more" if len(failed) > 5 else ""
        listed = ", ".join(failed[:5]) + more
        warn_caller(
            f"The solver reached its step limit for {listed}; the largest violation "
            f"left is {self.kkt_violation_.max():.2g}. Scale the features to [0, 1], "
            "raise tol, or give ISVMClassifier a larger max_iter (steps of the "
            "solver).",
            ConvergenceWarning,
        )

    def _kernel(self, problem: int) -> Kernel:
        """Return the kernel of a problem's machine."""
        base, function, parameter = self._kernels[problem].tolist()
        return Kernel(int(base), int(function), parameter)

    def _decisions(self, X: Floats) -> Decisions:
        """Return what the machines decide; their kernels see the rows as they are."""

        def decide_machine(problem: int, rows: Floats) -> Floats:
            return decide(
                self._kernel(problem),
                self.support_vectors_[problem],
                self.dual_coef_[problem],
                self.intercept_[problem],
                rows,
            )

        return MachineDecisions(X, len(self.intercept_), decide_machine)

    def _pair_decisions(self, X: Floats) -> Floats:
        return self._decisions(X).of_all()


class ISVMHolder(MachineHolder):
    """Trains and holds an i-SVM for every problem; the child knows its settings."""

    tol: float
    n_jobs: int | None
    _settings: list[dict[str, Any]]
    _views: dict[str, Any] | None

    def _fit_machines(
        self,
        data: TrainingSet,
        settings: Sequence[ISVMSettings],
        cost_factor: Floats,
        max_steps: int = -1,
    ) -> None:
        """Train the machine of every problem and set the fitted attributes.

        ``cost_factor`` (M,) multiplies the costs of the classes.
        """
        # only ranks and the min kernel need to know the training set
        plain = all(s.view == VALUES and not starts_at_zero(s.kernel) for s in settings)
        views = None if plain else Views.of(data.X, data.weight)
        problems, label = self._decomposition.problems, data.label
        threads = Threads(usable_jobs(self.n_jobs))

        def fit_machine(task: tuple[BinaryProblem, ISVMSettings]) -> BinaryMachine:
            problem, chosen = task
            members = data.problem_rows(problem)
            return train_isvm(
                _see(views, data.X[members.rows], chosen),
                members.n_plus,
                members.weight,
                cost_factor[label[members.rows]],
                chosen,
                tol=self.tol,
                max_iter=max_steps,
                stop=threads.stop,
            )

        tasks = zip(problems, settings, strict=True)
        with threads:
            short = len(data.X) <= SHORT_FIT
            machines = threads.map(fit_machine, tasks, short=short)
        # as plain values, which files can hold
        self._settings = [chosen.to_dict() for chosen in settings]
        self._views = None if views is None else views.to_dict()
        vectors = [
            data.X[data.problem_rows(problem).rows[machine.support]]
            for problem, machine in zip(problems, machines, strict=True)
        ]
        self._hold(machines, vectors, [chosen.for_solver for chosen in settings])

    @property
    def _settings_of_machines(self) -> list[ISVMSettings]:
        """The settings of every problem's machine."""
        return [ISVMSettings.from_dict(chosen) for chosen in self._settings]

    @property
    def _views_of_features(self) -> Views | None:
        """What the kernels see of the features; None where they see the values."""
        return None if self._views is None else Views.from_dict(self._views)

    @property
    def pair_params_(self) -> dict[Any, dict[str, Any]]:
        """Settings of every problem, ``{(plus, minus): {"C_pos": ..., ...}}``."""
        n_classes = len(self.classes_)
        return {
            problem_key(plus, minus, n_classes): chosen.to_dict()
            for (plus, minus), chosen in zip(
                self.problems_, self._settings_of_machines, strict=True
            )
        }

    def _decisions(self, X: Floats) -> Decisions:
        """Return what the machines decide, given what their kernels see of the rows."""
        views, settings = self._views_of_features, self._settings_of_machines

        def decide_machine(problem: int, rows: Floats) -> Floats:
            chosen = settings[problem]
            return decide(
                self._kernel(problem),
                _see(views, self.support_vectors_[problem], chosen),
                self.dual_coef_[problem],
                self.intercept_[problem],
                _see(views, rows, chosen),
            )

        return MachineDecisions(X, len(settings), decide_machine)


def _see(views: Views | None, X: Floats, chosen: ISVMSettings) -> Floats:
    """Return rows as the kernel of a machine sees them."""
    return X if views is None else views.see(X, chosen.sight)
