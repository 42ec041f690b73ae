"""imbalanced-learn's numbers."""

from __future__ import annotations

import pytest

from peers import cases
from peers.compare import hold, lines
from peers.imblearn_table import BINARY, MANY


@pytest.mark.parametrize("line", lines(BINARY))
@pytest.mark.slow
def test_two_classes(line):
    hold(line, cases.two_classes())


@pytest.mark.parametrize("line", lines(MANY))
def test_many_classes(line):
    hold(line, [c for c in cases.many_classes() if len(c.labels) > 1])
