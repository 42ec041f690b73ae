"""torchmetrics' numbers."""

from __future__ import annotations

import pytest
import torch

from peers import cases
from peers.compare import hold, lines
from peers.torchmetrics_table import BINARY, MANY, PROBABILITIES, SCORES


@pytest.fixture(autouse=True)
def double():
    """Let them divide in double precision where they can."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("line", lines(BINARY))
def test_two_classes(line):
    hold(line, cases.two_classes(weighted=False))


@pytest.mark.parametrize("line", lines(MANY))
def test_many_classes(line):
    hold(line, cases.many_classes(weighted=False))


@pytest.mark.parametrize("line", lines(SCORES))
@pytest.mark.slow
def test_scores(line):
    hold(line, cases.scores(350, weighted=False))


@pytest.mark.parametrize("line", lines(PROBABILITIES))
@pytest.mark.slow
def test_scores_of_many_classes(line):
    hold(line, cases.probabilities(weighted=False))
