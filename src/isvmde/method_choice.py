"""What people give as a method, turned into an estimator that is ready to fit."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import Any

from sklearn.base import BaseEstimator, clone, is_regressor

from isvmde.competitors import COMPETITORS, list_competitors, make_competitor
from isvmde.methods import METHODS, make_method

__all__ = ["list_methods", "make_classifier"]

MethodFactory = Callable[..., BaseEstimator]  # called with random_state


def list_methods() -> list[str]:
    """Return every method that can be made by name here.

    Examples
    --------
    >>> from isvmde.method_choice import list_methods
    >>> list_methods()[:2]
    ['SVM', 'Static-SMOTE']
    """
    return list(METHODS) + list_competitors()


def make_classifier(
    method: Any,
    *,
    budget: str = "paper",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """Make a classifier, not fitted, out of what a user calls a method.

    Parameters
    ----------
    method : str, estimator, class or callable
        - a name of :data:`isvmde.methods.METHODS` or
          :data:`isvmde.competitors.COMPETITORS`, in any capitals;
        - ``"module:name"``, where ``name`` is one of the following;
        - an estimator: it is cloned, and every ``random_state`` in it is set;
        - a class, or a function that returns an estimator: it is called, with
          ``random_state=`` where it takes one.
    budget, n_jobs
        As in :func:`isvmde.methods.make_method`, for methods given by name.
    random_state : int or None, default=None
        Seed; None leaves what the estimator has.

    Examples
    --------
    >>> from isvmde.method_choice import make_classifier
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
    if hasattr(method, "fit") and not isinstance(method, type):
        made = _seeded_copy(method, random_state)
    elif callable(method):
        made = _call(method, random_state)
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
    """Return methods by name, each as a function of ``random_state``."""
    # in a dict None stands for the method of that name
    if isinstance(methods, str) or not isinstance(methods, Iterable):
        methods = [methods]
    if isinstance(methods, Mapping):
        given = [(str(k), k if v is None else v) for k, v in methods.items()]
    else:
        given = [(_name_of(method), method) for method in methods]
    named: dict[str, MethodFactory] = {}
    texts: dict[str, str | None] = {}
    for name, method in given:
        text = method.strip().lower() if isinstance(method, str) else None
        if name not in named:
            named[name] = partial(make_classifier, method, budget=budget, n_jobs=n_jobs)
            texts[name] = text
        elif text is None or text != texts[name]:
            raise ValueError(
                f"two methods are called {name!r}: give a dict of name to method"
            )
    return named


def _name_of(method: Any) -> str:
    """Return what a method without a given name is called: as its class."""
    if isinstance(method, str):
        return _known_name(method) or method.partition(":")[2]
    if isinstance(method, partial):
        return _name_of(method.func)
    name = getattr(method, "__name__", type(method).__name__)
    if name == "<lambda>":
        raise ValueError("a lambda has no name: give the methods as a dict")
    return str(name)


def _known_name(text: str) -> str | None:
    """Return the name of a built-in method whatever its capitals, None for a module."""
    known = {name.lower(): name for name in METHODS + COMPETITORS}
    name = known.get(text.strip().lower())
    if name is None and ":" not in text:
        raise ValueError(
            f"there is no method {text!r}; choose among {', '.join(list_methods())}, "
            "or give your own as module:name"
        )
    return name


def _import(text: str) -> Any:
    """Return the object that ``module:name`` stands for."""
    module, _, name = text.strip().partition(":")
    try:
        return attrgetter(name)(import_module(module))
    except Exception as error:  # whatever the module does
        raise ValueError(
            f"the method {text!r} cannot be imported: {error}; it must be module:name, "
            "and the module one that Python finds"
        ) from error


def _seeded_copy(estimator: Any, random_state: Any) -> Any:
    """Return a clone whose every ``random_state`` is set, inner estimators' too."""
    copy = clone(estimator, safe=False)
    if random_state is not None and hasattr(copy, "get_params"):
        names = [k for k in copy.get_params() if k.split("__")[-1] == "random_state"]
        copy.set_params(**dict.fromkeys(names, random_state))
    return copy


def _call(factory: Callable[..., Any], random_state: Any) -> Any:
    """Call a class or a function, with the seed where a function takes one."""
    is_class = isinstance(factory, type)
    try:
        if not is_class and "random_state" in inspect.signature(factory).parameters:
            return factory(random_state=random_state)
        return _seeded_copy(factory(), random_state)
    except Exception as error:
        raise ValueError(
            f"{factory!r} cannot be called ({error}): give an estimator, a class that "
            "needs no parameters, or a function that takes random_state or nothing"
        ) from error
