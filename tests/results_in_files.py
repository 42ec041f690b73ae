"""What the tests of results in files share: predictions to count, the command, the counts read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tallymark.cli import main

REAL = Path(__file__).parents[2] / "shared" / "real-files"
needs_files = pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real files is not there")


def sample(labels, rows, seed):
    rng = np.random.default_rng(seed)
    true = rng.choice(labels, rows)
    return true, np.where(rng.random(rows) < 0.7, true, rng.choice(labels, rows))


TWO, THREE = ["no", "yes"], ["cat", "dog", "owl"]
PAIR, TRIPLE = sample(TWO, 200, 1), sample(THREE, 150, 2)


def run(*arguments, **options):
    return CliRunner().invoke(main, [*map(str, arguments)], **options)


def counts(ev):
    return ev.models[0].labels.counts.astype(int).tolist()


def lines(*rows):
    return "\n".join(rows) + "\n"
