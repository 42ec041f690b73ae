"""R's own tests of classifiers: Wilcoxon's with its interval, Friedman's, Holm's adjustment."""

from __future__ import annotations

import subprocess

import numpy as np
import pytest

from peers.r_table import need_r
from tallymark.infer.corrected_t import corrected_t
from tallymark.infer.multiplicity import holm
from tallymark.parts.results.friedman import friedman
from tallymark.parts.results.wilcoxon import wilcoxon

pytestmark = pytest.mark.r

SCRIPT = """
options(warn = -1)
files <- commandArgs(trailingOnly = TRUE)
rows <- read.csv(files[1])
out <- file(files[2], "w")
say <- function(case, name, values) {
  cat(case, name, sprintf("%.17g", as.numeric(values)), "\\n", file = out)
}
for (rows in split(rows, rows$case)) {
  case <- rows$case[1]
  d <- rows$x - rows$y
  for (exact in c(TRUE, FALSE)) {
    w <- wilcox.test(rows$x, rows$y, paired = TRUE, conf.int = TRUE, exact = exact, correct = FALSE)
    say(case, if (exact) "exact" else "normal",
        c(w$statistic, w$p.value, w$conf.int, w$estimate))
  }
  t <- t.test(rows$x, rows$y, paired = TRUE)
  say(case, "t", c(t$statistic, t$p.value, t$conf.int))
  f <- friedman.test(as.matrix(rows[, c("x", "y", "z")]))
  say(case, "friedman", c(f$statistic, f$p.value))
  p <- 10^(-4 * abs(d) / max(abs(d)))
  say(case, "holm", p.adjust(p, "holm"))
}
close(out)
"""


def asked():
    """Return differences without ties, and columns of which some tie."""
    out = []
    for seed in range(60):
        rng = np.random.default_rng([31, seed])
        n = int(rng.integers(6, 75))
        x, y, z = rng.normal(0.7, 0.1, (3, n)) + rng.normal(0, 0.05, (3, 1))
        z = np.where(rng.random(n) < 0.2, x, z)
        out.append((x, y, z))
    return out


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Ask R once about all cases."""
    need_r()
    folder = tmp_path_factory.mktemp("r")
    given, told, script = folder / "rows.csv", folder / "answers.txt", folder / "ask.R"
    script.write_text(SCRIPT, encoding="utf-8")
    with given.open("w", encoding="utf-8") as file:
        file.write("case,x,y,z\n")
        for i, columns in enumerate(asked()):
            file.writelines(
                f"{i},{x!r},{y!r},{z!r}\n" for x, y, z in np.transpose(columns).tolist()
            )
    subprocess.run(["Rscript", "--vanilla", str(script), str(given), str(told)], check=True)
    found: dict[tuple[int, str], list[float]] = {}
    for line in told.read_text(encoding="utf-8").splitlines():
        case, name, *values = line.split()
        found[int(case), name] = [float(v) for v in values]
    return found


def test_wilcoxon_with_its_interval(answers):
    seen = {"exact": 0, "normal": 0}
    for i, (x, y, _) in enumerate(asked()):
        found = wilcoxon(x, y)
        how = "exact" if len(x) <= 50 else "normal"
        seen[how] += 1
        v, p, low, high, middle = answers[i, how]
        total = len(x) * (len(x) + 1) / 2
        assert found.statistic == pytest.approx(min(v, total - v))
        assert found.p_value == pytest.approx(p)
        if how == "exact":
            assert found.interval == pytest.approx((low, high))
            assert found.difference == pytest.approx(middle)
        else:  # R interpolates between the means of pairs
            width = high - low
            assert found.interval == pytest.approx((low, high), abs=0.05 * width)
            assert found.difference == pytest.approx(middle, abs=0.01 * width)
    assert min(seen.values()) > 10


def test_the_paired_t(answers):
    for i, (x, y, _) in enumerate(asked()):
        found = corrected_t(x, y, ratio=0)
        expected = pytest.approx(tuple(answers[i, "t"]))
        assert (found.statistic, found.p_value, *found.interval) == expected


def test_friedman_with_ties(answers):
    for i, columns in enumerate(asked()):
        found = friedman(np.transpose(columns))
        assert (found.statistic, found.p_value) == pytest.approx(tuple(answers[i, "friedman"]))


def test_holm(answers):
    for i, (x, y, _) in enumerate(asked()):
        d = np.abs(x - y)
        np.testing.assert_allclose(holm(10 ** (-4 * d / d.max())), answers[i, "holm"])
