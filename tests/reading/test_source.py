"""How rows were read is recorded by every route, and said in one sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

import tallymark as tm
from tallymark.reading.source import Source

FRAME = pd.DataFrame({
    "id": [1, 2, 3, 4], "label": ["no", "yes", "yes", "no"], "p_yes": [0.1, 0.8, 0.4, 0.3],
    "who": ["a", "b", "a", "b"], "w": [1.0, 2.0, 1.0, 1.0],
})  # fmt: skip


def test_a_frame_says_roles_reasons_and_ignored_columns():
    source = tm.evaluate(FRAME, positive="yes", weight="w", subgroup="who").source
    assert (source.name, source.kind) == ("the data frame", "frame")
    assert source._roles == {"truth": "label", "score": "p_yes", "weight": "w", "subgroup": "who"}
    assert source._why == {"truth": "its name", "score": "its name"}
    assert (source.positive, source._ignored) == ("yes", ("id",))
    assert source.sentence == (
        "Read as: truth = `label` (yes is positive), score = `p_yes`, weight = `w`, subgroup = "
        "`who`; ignored: `id`. Change with truth=..., score=..."
    )


def test_what_was_named_needs_no_change():
    source = tm.evaluate(FRAME, truth="label", score="p_yes", positive="yes").source
    assert source.sentence.endswith("ignored: `id`, `who`, `w`.")


def test_every_route_says_how_it_read(tmp_path):
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    of_file = tm.evaluate(tmp_path / "a.csv", positive="yes").source
    lazy = tm.evaluate(pl.from_pandas(FRAME).lazy(), positive="yes").source
    assert (of_file.name, of_file.kind, lazy.kind) == ("a.csv", "CSV", "frame")
    assert of_file._roles == lazy._roles == {"truth": "label", "score": "p_yes"}
    counts = pd.DataFrame({"score": [0.1, 0.4], "pos": [1, 3], "neg": [4, 2]})
    assert tm.evaluate(counts).source._roles == {"score": "score", "count": ("pos", "neg")}
    counts = pd.DataFrame({"truth": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "n": [4, 1, 3, 2]})
    roles = {"truth": "truth", "pred": "pred", "count": "n"}
    assert tm.evaluate(counts).source._roles == roles
    arrays = tm.evaluate([0, 1, 1], y_score={"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}).source
    assert arrays.kind == "arrays"
    assert arrays._roles == {"truth": "y_true", "score": ("y_score['a']", "y_score['b']")}
    assert arrays.sentence.endswith("Change with positive=...")
    tally = tm.Tallier()
    tally.update([0, 1], y_score=[0.1, 0.4], sample_weight=[1, 2])
    roles = {"truth": "y_true", "score": "y_score", "weight": "sample_weight"}
    assert tally.result().source._roles == roles


def test_the_record_is_in_json_and_the_sentence_in_every_summary(tmp_path):
    ev = tm.evaluate(FRAME, positive="yes")
    assert ev.to_dict()["source"] == {
        "name": "the data frame", "kind": "frame", "positive": "yes",
        "roles": {"truth": "label", "score": "p_yes"},
        "why": {"truth": "its name", "score": "its name"},
        "ignored": ["id", "who", "w"], "format": [], "checks": dict(ev.source.checks),
        "use": "",
    }  # fmt: skip
    assert "Read as: truth = `label` (yes is positive), score = `p_yes`" in str(ev)
    assert "Change with truth=..., score=..." in " ".join(str(ev).split())
    assert str(tm.evaluate(FRAME, positive="yes", options={"name": "mine"}).source) == "mine"


def test_names_are_harmless_and_many_are_cut_short():
    frame = FRAME.rename(columns={"id": "<b>\x1b[31m"})
    assert "\x1b" not in str(tm.evaluate(frame, positive="yes"))
    source = Source("x", "CSV", {"score": tuple(f"m{i}" for i in range(30))}, format=("latin-1",))
    assert source.read_as == (
        "Read as: score = `m0`, `m1`, `m2`, `m3`, `m4`, `m5`, `m6`, `m7` and 22 more; format: "
        "latin-1."
    )


@pytest.mark.slow
def test_the_page_says_it_without_the_arguments(tmp_path):
    frame = FRAME.rename(columns={"id": "<b>\x1b[31m"})
    text = tm.evaluate(frame, positive="yes").report(tmp_path / "a.html").read_text("utf-8")
    assert "Read as: truth = `label` (yes is positive), score = `p_yes`" in text
    assert "&lt;b&gt;\\x1b[31m" in text
    assert "Change with" not in text


def test_models_differ_by_source_names():
    y, s = np.array([0, 1, 0, 1] * 10), np.linspace(0, 1, 40)
    one, two = (tm.evaluate(y, y_score=s, options={"name": n}) for n in ("before", "after"))
    assert "before" in str(one.compare_with(two))
