"""PyCM's numbers."""

from __future__ import annotations

import pytest

from peers import cases
from peers.compare import hold, lines
from peers.pycm_table import BINARY, MACRO, OVERALL, PER_CLASS


def some_classes(rows):
    """Leave out what PyCM refuses: a matrix of one class."""
    return [c for c in rows if len(c.labels) > 1]


@pytest.mark.parametrize("line", lines(BINARY))
def test_two_classes(line):
    hold(line, cases.two_classes(weighted=False))


@pytest.mark.parametrize("line", lines([*PER_CLASS, *MACRO]))
def test_each_class_against_the_rest(line):
    hold(line, some_classes(cases.many_classes(weighted=False)))


@pytest.mark.parametrize("line", lines(OVERALL))
def test_two_classes_or_many(line):
    rows = cases.two_classes(weighted=False)[::2] + cases.many_classes(weighted=False)
    hold(line, some_classes(rows))
