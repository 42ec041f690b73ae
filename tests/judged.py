"""What the evaluation of a file gives, or says when it refuses one; evaluations of counts."""

from __future__ import annotations

import pytest

import tallymark as tm
from tallymark.infer.difference import difference
from tallymark.metric import get


def judged(path, **options):
    """Return the rows, the ROC area, and what was read in another way than usual."""
    ev = tm.evaluate(path, positive="yes", **options)
    return ev.rows, ev["roc_auc"].value, ev.source.format


def refusal(path, **options):
    """Return the sentence with which a file is refused."""
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(path, **options)
    return str(caught.value)


def difference_of(design, metric, first="a", second="b"):
    """Return the difference of a metric of two models of a design."""
    return difference(design.statistic(get(metric)), design, [(first, second)]).each[0]


def counted(matrix, classes=(0, 1), **options):
    """Return the evaluation of counts, a row a true class and a column a predicted one."""
    return tm.evaluate(tm.LabelTally(classes, matrix), **options)


def assert_read_back(ev, path):
    """Hold an evaluation to what a file of its counts gives."""
    ev.to_json(path)
    again = tm.read(path)
    assert again.to_dict() == ev.to_dict()
    assert str(again) == str(ev)
    assert again.source == ev.source
    assert again.names == ev.names
    assert tm.evaluate(path).to_dict() == ev.to_dict()


def counted_of(ev):
    """Return what an evaluation has counted; the one place where tests reach for it."""
    return ev._counted
