"""What the evaluation of a file gives, or says when it refuses one."""

from __future__ import annotations

import pytest

import tallymark as tm


def judged(path, **options):
    """Return the rows, the ROC area, and what was read in another way than usual."""
    ev = tm.evaluate(path, positive="yes", **options)
    return ev.rows, ev["roc_auc"].value, ev.source.format


def refusal(path, **options):
    """Return the sentence with which a file is refused."""
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(path, **options)
    return str(caught.value)
