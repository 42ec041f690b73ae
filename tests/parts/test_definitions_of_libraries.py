"""Definitions of other libraries are tried where a stated number is explained."""

import numpy as np
import pytest

import tallymark as tm

pytest.importorskip("tallymark.parts.reconcile")
pytest.importorskip("tallymark.parts.libraries")

RNG = np.random.default_rng(0)
Y = (RNG.random(120) < 0.35).astype(int)
S = np.round(np.clip(RNG.normal(0.25 * Y + 0.4, 0.2), 0, 1), 1)


def test_other_libraries_are_asked():
    kappa = tm.metrics.cohen_kappa(Y, S >= 0.5)
    (found,) = tm.which_definition(tm.evaluate(Y, S >= 0.5), "kappa", f"{kappa:.6f}")
    assert any(c.words.startswith("sklearn's") for c in found.fitting)


def test_scores_of_one_class_alone_have_no_average_elsewhere():
    ev = tm.evaluate([1, 1, 1], y_score=[0.1, 0.1, 0.9], positive=1)
    assert len(tm.which_definition(ev, "f1", "0.5")) == 1
