"""scikit-learn's numbers."""

from __future__ import annotations

import pytest

from peers import cases
from peers.compare import hold, lines
from peers.sklearn_table import AVERAGED, BINARY, INFORMATION, MANY, MATRIX, PROBABILITY, RANK, SOME


@pytest.mark.parametrize("line", lines(BINARY))
@pytest.mark.slow
def test_two_classes(line):
    hold(line, cases.two_classes())


@pytest.mark.parametrize("line", lines(MATRIX))
@pytest.mark.slow
def test_two_classes_or_many(line):
    hold(line, cases.two_classes()[::3] + cases.many_classes(64))


@pytest.mark.parametrize("line", lines(INFORMATION))
@pytest.mark.slow
def test_information(line):
    hold(line, cases.two_classes(80, weighted=False) + cases.many_classes(80, weighted=False))


@pytest.mark.parametrize("line", lines([*AVERAGED, *SOME]))
@pytest.mark.slow
def test_averages(line):
    hold(line, cases.many_classes(64))


@pytest.mark.parametrize("line", lines([*RANK, *PROBABILITY]))
@pytest.mark.slow
def test_scores(line):
    hold(line, cases.scores(80))


@pytest.mark.parametrize("line", lines(MANY))
@pytest.mark.slow
def test_scores_of_many_classes(line):
    hold(line, cases.probabilities())
