"""What every curve declares, held to what is written down in declared.txt.

``PYTHONPATH=tests python tests/curve/test_definitions.py`` writes the file anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallymark as tm
from asymmetric import SECOND, TRUTH
from tallymark.curve import CURVES, definition, thinned
from tallymark.curve.definitions import declare

WRITTEN = Path(__file__).with_name("declared.txt")
NEEDS_EFFORT = "needed"


def axis(a: Any) -> str:
    """Return what an axis is: its title, scale and limits, and the class of its rows."""
    low, high = (a.limits(*ends) for ends in ((0.2, 0.7), (-0.4, 2.0)))
    ends = ", ".join(f"{x:.4g}" for x in (*low, *high))
    return (
        f"{a.name}: {a.title}; {a.scale}; limits {ends}; {a.of_class or 'no class'}; open {a.open}"
    )


def reference(line: Any, share: float = 0.3) -> str:
    """Return a reference line at a share of positives: five of its points, and how it is drawn."""
    xs, ys = (np.asarray(v, float) for v in line.points(share))
    some = np.unique(np.linspace(0, len(xs) - 1, 5).astype(int))
    points = " ".join(f"({x:.4g}, {y:.4g})" for x, y in zip(xs[some], ys[some], strict=True))
    how = f"of_share {line.of_share}, fine {line.fine}"
    return f"{line.label} {line.dash} {how}: {len(xs)} points {points}"


def declared() -> dict[str, str]:
    """Return what is written down of each curve."""
    tally, out = tm.ScoreTally.from_arrays(TRUTH, SECOND, positive="ill"), {}
    for name, c in CURVES.items():
        facts = {
            word: getattr(c, word)
            for word in (
                "meaning", "title", "words", "page", "json", "step", "draw", "needs", "effort",
                "both_classes", "marks_threshold", "beside", "pair", "key", "sides", "axis_title",
                "dot", "bounded", "bands", "whole_band", "no_band", "of_clusters", "options",
            )
        }  # fmt: skip
        facts |= {"x": axis(c.x), "y": axis(c.y)}
        if c.highlight is not None:
            a, b = (CURVES[n](tally) for n in (name, c.pair))
            facts["highlight"] = [np.round(v, 6).tolist() for v in c.highlight(a, b)]
        if (way := c.projection) is not None:
            facts["projection"] = (
                f"{way.x} and {way.other}: {way.height(0.5, 0.2, 0.3):.4g}, falls {way.falls}"
            )
        lines = [f"    {f}: {v}" for f, v in facts.items() if v not in ("", (), ("", ""))]
        lines += [f"    reference: {reference(r)}" for r in c.references]
        if c.effort != NEEDS_EFFORT:
            points = c(tally)
            at = np.linspace(0, len(points.x) - 1, 7).astype(int)
            for field in ("x", "y", "threshold", "low", "high", "rows"):
                values = getattr(points, field, None)
                if values is not None and len(values):
                    some = " ".join(f"{v:.6g}" for v in np.asarray(values)[at])
                    lines.append(f"    {field} of {len(values)}: {some}")
        out[name] = "\n".join([name, *lines])
    return out


def test_every_curve_declares_what_is_written_down():
    blocks = re.split(r"\n(?=\S)", WRITTEN.read_text("utf-8").rstrip("\n"))
    written = {block.partition("\n")[0]: block for block in blocks}
    told = "if that is meant: PYTHONPATH=tests python tests/curve/test_definitions.py"
    for name, block in declared().items():  # fewer of them where a part was deleted
        assert block == written.get(name), told


def test_curves_of_very_many_scores_are_drawn_from_few_and_say_how_far_they_are_off():
    n = 140_000
    y, s = np.arange(n) * 7919 % 10 < 3, np.arange(n) * 104_729 % n / n
    s = np.where(y, s**0.5, s)
    tally = tm.ScoreTally.from_arrays(y, s)
    wanted = {name: CURVES[name] for name in ("roc", "pr", "far", "calibration", "decision")}
    drawn = thinned(tally, probabilities=True, wanted=wanted, level=0.8)
    assert list(drawn) == list(wanted)
    for name in ("roc", "far"):
        found, exact = drawn[name], CURVES[name](tally)
        assert len(found) <= 500 < len(exact)
        assert 2 / 2**16 <= found.error < 0.02
        order = slice(None) if name == "roc" else slice(None, None, -1)
        x = np.nan_to_num(exact.x, posinf=2)[order]
        at = np.interp(np.nan_to_num(found.x, posinf=2), x, exact.y[order])
        assert np.abs(at - found.y).max() <= found.error
    few = tm.ScoreTally.from_arrays(y[:90], s[:90])
    small = thinned(few, probabilities=True, wanted=wanted)
    assert {c.error for c in small.values()} == {0.0}
    scored = {n for n, c in wanted.items() if c.needs == "scores"}
    assert set(thinned(few, probabilities=False, wanted=wanted)) == scored == {"roc", "pr", "far"}
    needs_effort = {n for n, c in CURVES.items() if c.effort}
    assert not needs_effort & thinned(few, probabilities=True).keys()


def test_a_metric_of_decisions_is_a_curve_over_its_thresholds():
    made = definition("f_beta", beta=2.0)
    assert (made.name, made.title, made.y.title) == (
        "f_beta",
        "F-beta by threshold",
        "F-beta, beta 2.0",
    )
    assert (made.step, made.params, made.references) == ("post", {"beta": 2.0}, ())
    assert made.meaning == "F-beta at every threshold."
    tally = tm.ScoreTally.from_arrays([0, 1, 0, 1], [0.1, 0.9, 0.4, 0.3])
    drawn = made(tally)
    wanted = [
        tm.metrics.f2([0, 1, 0, 1], [int(s >= t) for s in (0.1, 0.9, 0.4, 0.3)])
        for t in (2, 0.9, 0.4, 0.3, 0.1)
    ]
    np.testing.assert_allclose(drawn.y, np.nan_to_num(wanted))
    (chance,) = definition("youden_j").references
    assert (chance.label, chance.points(0.3)) == ("chance", ([0, 1], [0.0, 0.0]))
    for ask, sentence in (
        (lambda: definition("rocc"), "there is no curve 'rocc'; did you mean 'roc'?"),
        (lambda: definition("roc_auc"),
         "roc_auc is not computed at a single threshold; choose a threshold metric"),
        (lambda: declare("roc", "sensitivity", "precision"), "there is already a curve called 'roc'"),
        (lambda: CURVES["roc"](tally, beta=1), "sensitivity has no parameter 'beta'; it has none"),
        (lambda: CURVES["calibration"](tally, bin=3),
         "the curve 'calibration' has no parameter 'bin'; did you mean 'bins'?"),
    ):  # fmt: skip
        with pytest.raises(tm.InputError) as caught:
            ask()
        assert str(caught.value) == sentence


if __name__ == "__main__":
    WRITTEN.write_text("\n".join(declared().values()) + "\n", encoding="utf-8")
