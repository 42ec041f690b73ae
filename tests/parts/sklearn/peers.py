"""Call scikit-learn's function and ours alike, and compare all that comes back."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import sklearn.calibration
import sklearn.metrics
from sklearn.utils import _param_validation

import tallymark.sklearn as ours


def theirs(name):
    home = sklearn.calibration if name == "calibration_curve" else sklearn.metrics
    function = getattr(home, name)
    assert function.__module__.startswith("sklearn."), "scikit-learn's functions are swapped here"
    return function


def answer(function, args, options):
    """Return the value, or the error, and the kinds of warnings on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = function(*args, **options)
        except (ValueError, TypeError, NotImplementedError) as error:
            value = error
    kinds = [w.category for w in caught if w.category is not RuntimeWarning]
    return value, kinds


def agree(name, *args, **options):
    """Require the same number, or an error of the same kind, and the same kinds of warnings."""
    expected, their_warnings = answer(theirs(name), args, options)
    found, our_warnings = answer(getattr(ours, name), args, options)
    if isinstance(expected, Exception):
        kinds = [k for k in (ValueError, TypeError) if isinstance(expected, k)]
        assert isinstance(found, Exception), f"{name}: {found!r} for {expected!r}"
        assert any(isinstance(found, k) for k in kinds or [Exception]), f"{found!r}: {expected!r}"
        return False
    if isinstance(found, Exception):
        raise found
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)  # they reckon in it too
    same(found, expected, 1e-5 if single else 1e-10)
    assert our_warnings == their_warnings
    return True


def told(function, args, options):
    """Return the value, and the kind, the words and the place of every warning on the way."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = function(*args, **options)
    return value, [(w.category, str(w.message)) for w in caught]


def answered_here(name, *args, **options):
    """Require scikit-learn's number and warnings, word by word, without a call of its function."""
    expected, their_words = told(theirs(name), args, options)

    def asked(*_, **__):
        raise AssertionError(f"{name}{args} {options} was left to scikit-learn")

    with pytest.MonkeyPatch.context() as patch:  # each of its functions checks its arguments first
        patch.setattr(_param_validation, "validate_parameter_constraints", asked)
        found, our_words = told(getattr(ours, name), args, options)
    single = any(getattr(a, "dtype", None) == np.float32 for a in args)  # they reckon in it too
    same(found, expected, 1e-6 if single else 1e-12)
    if isinstance(expected, str):  # a report, to the very space
        assert found == expected
    assert our_words == their_words, (name, options)


def same(found, expected, slack):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple)
        for one, other in zip(found, expected, strict=True):
            same(one, other, slack)
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key, value in expected.items():
            same(found[key], value, slack)
    elif isinstance(expected, np.ndarray):
        assert isinstance(found, np.ndarray)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=slack, atol=slack)
    elif isinstance(expected, str):
        assert found.split() == expected.split()
    elif expected is None:
        assert found is None
    else:
        assert isinstance(found, float | int)
        assert found == pytest.approx(float(expected), rel=slack, abs=slack, nan_ok=True)
