"""What people give as a method, turned into an estimator that is ready to fit."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from sklearn.base import BaseEstimator, clone, is_regressor

from isvmde.competitors import COMPETITORS, list_competitors, make_competitor
from isvmde.methods import METHODS, make_method

__all__ = ["list_methods", "make_classifier", "name_methods"]

MethodFactory = Callable[..., BaseEstimator]
"""Called with ``random_state=``; returns an estimator that is ready to fit."""


def list_methods() -> list[str]:
    """Return every method that can be made by name here.

    Examples
    --------
    >>> from isvmde.method_choice import list_methods
    >>> list_methods()[:2]
    ['SVM', 'Static-SMOTE']
    """
    return [*METHODS, *list_competitors()]


def make_classifier(
    method: Any,
    *,
    budget: str = "paper",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Make a classifier out of what a user calls a method.

    Parameters
    ----------
    method : str, estimator, class or callable
        One of:

        - a name of :data:`isvmde.methods.METHODS` or
          :data:`isvmde.competitors.COMPETITORS`, in any capitals;
        - ``"module:name"``, where ``name`` is one of the following;
        - an estimator: it is cloned, and every ``random_state`` in it is set;
        - a class: it is called, with ``random_state=`` where it takes one;
        - a function that returns an estimator and takes ``random_state=``.
    budget : {"paper", "quick"}, default="paper"
        For the methods of ``METHODS``: the paper's grids and searches or small ones.
    random_state : int or None, default=None
        Seed; None leaves what the estimator has.
    n_jobs : int, default=None
        Threads, for methods given by name.

    Returns
    -------
    classifier
        Not fitted.

    Examples
    --------
    >>> from isvmde.method_choice import make_classifier
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> make_classifier(RandomForestClassifier, random_state=3)
    RandomForestClassifier(random_state=3)
    >>> make_classifier("sklearn.dummy:DummyClassifier", random_state=3)
    DummyClassifier(random_state=3)
    """
    if isinstance(method, str):
        name = _known_name(method)
        if name in METHODS:
            return make_method(
                name, budget=budget, random_state=random_state, n_jobs=n_jobs
            )
        if name in COMPETITORS:
            return make_competitor(name, random_state=random_state, n_jobs=n_jobs)
        method = _import(method)
    if isinstance(method, type):
        made = _make_of_class(method, random_state)
    elif hasattr(method, "fit"):
        made = _seeded_copy(method, random_state)
    elif callable(method):
        made = _call_factory(method, random_state)
    else:
        raise ValueError(
            f"{method!r} is not a method: give a name, an estimator, its class, or a "
            "function with the parameter random_state that returns an estimator"
        )
    if not hasattr(made, "fit") or not hasattr(made, "predict"):
        raise ValueError(
            f"{method!r} gives {type(made).__name__}, which has no fit and predict: "
            "a method must be a classifier"
        )
    if isinstance(made, BaseEstimator) and is_regressor(made):
        raise ValueError(f"{type(made).__name__} is a regressor: give a classifier")
    return made


def name_methods(
    methods: Any, *, budget: str = "paper", n_jobs: int | None = None
) -> dict[str, MethodFactory]:
    """Return methods by name, each as a function of ``random_state``.

    Parameters
    ----------
    methods : one method, a list of methods, or a dict of name to method
        What :func:`make_classifier` takes; in a dict None stands for the method of
        that name. What is not given with a name is called after its class.
    budget, n_jobs
        As in :func:`make_classifier`.

    Returns
    -------
    dict of str to callable
        Names, and functions that return an estimator for a ``random_state``.

    Examples
    --------
    >>> from isvmde.method_choice import name_methods
    >>> from sklearn.dummy import DummyClassifier
    >>> list(name_methods(["svm", DummyClassifier()]))
    ['SVM', 'DummyClassifier']
    """
    given: list[tuple[str, Any]]
    if isinstance(methods, Mapping):
        given = [
            (str(name), name if method is None else method)
            for name, method in methods.items()
        ]
    else:
        if isinstance(methods, str) or not isinstance(methods, Iterable):
            methods = [methods]
        given = [(_name_of(method), method) for method in methods]
    named: dict[str, MethodFactory] = {}
    for name, method in given:
        if name in named and isinstance(method, str):
            continue  # named twice
        if name in named:
            raise ValueError(
                f"two methods are called {name!r}: give them as a dict of name to "
                "method"
            )
        named[name] = partial(make_classifier, method, budget=budget, n_jobs=n_jobs)
    return named


def _name_of(method: Any) -> str:
    """Return what a method without a given name is called."""
    if isinstance(method, str):
        return _known_name(method) or method.partition(":")[2]
    named = method if hasattr(method, "__qualname__") else type(method)
    if isinstance(method, partial):
        return _name_of(method.func)
    if named.__name__ == "<lambda>":
        raise ValueError("a lambda has no name: give the methods as a dict")
    return str(named.__name__)


def _known_name(text: str) -> str | None:
    """Return the name of a built-in method whatever its capitals, None for a module."""
    known = {name.lower(): name for name in (*METHODS, *COMPETITORS)}
    name = known.get(text.strip().lower())
    if name is None and ":" not in text:
        raise ValueError(
            f"there is no method {text!r}; choose among {', '.join(list_methods())}, "
            "or give your own as module:name"
        )
    return name


def _import(text: str) -> Any:
    """Return the object that ``module:name`` stands for."""
    module_name, _, attribute = text.strip().partition(":")
    here = os.getcwd()
    if here not in sys.path:
        # A module beside the user's data; worker processes inherit the path.
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
    except (ImportError, ValueError) as error:
        raise ValueError(
            f"the method {text!r} cannot be imported: {error}; it must be module:name, "
            "and the module a file in this folder or an installed package"
        ) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise ValueError(f"the module {module_name!r} has no {attribute!r}")
        found = getattr(found, part)
    return found


def _make_of_class(cls: type, random_state: Any) -> Any:
    """Call a class, with the seed by its name where it takes one."""
    try:
        return _seeded_copy(cls(), random_state)
    except TypeError as error:
        raise ValueError(
            f"{cls.__name__} cannot be made without arguments ({error}): give an "
            "estimator, such as the class called with its parameters"
        ) from error


def _seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Return a clone whose every ``random_state`` is set, inner estimators' too."""
    copy = clone(estimator, safe=False)
    if random_state is None or not hasattr(copy, "get_params"):
        return copy
    seeds = {
        name: random_state
        for name in copy.get_params(deep=True)
        if name == "random_state" or name.endswith("__random_state")
    }
    return copy.set_params(**seeds) if seeds else copy


def _call_factory(factory: Callable[..., Any], random_state: Any) -> Any:
    """Call a user's function with the seed, in the way its signature asks for."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return factory(random_state=random_state)
    if any(p.name == "random_state" or p.kind is p.VAR_KEYWORD for p in parameters):
        return factory(random_state=random_state)
    kinds = inspect.Parameter
    positional = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    needed = [p for p in parameters if p.default is p.empty and p.kind in positional]
    if len(needed) > 1:
        raise ValueError(
            f"{factory!r} needs {len(needed)} arguments: a method's function is called "
            "with random_state alone"
        )
    return factory(random_state) if needed else _seeded_copy(factory(), random_state)
