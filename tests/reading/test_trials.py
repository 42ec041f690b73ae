"""Comparison scores from files and frames, and what a verification says of them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.infer.verification import rule_of_thirty, rule_of_three

GENUINE = [0.9, 0.8, 0.4, 0.7]
IMPOSTOR = [0.1, 0.2, 0.5, 0.35, 0.05, 0.15]


def side_by_side(names=("genuine", "impostor")):
    return pd.DataFrame({names[0]: pd.Series([*GENUINE, None, None]), names[1]: IMPOSTOR})


def by_kind(mated="mated", other="non-mated", name="kind"):
    return pd.DataFrame({name: [mated] * 4 + [other] * 6, "score": GENUINE + IMPOSTOR})


def numbers(ev):
    found = next(iter(ev.verification().values())).to_dict()
    return json.dumps(found)


EXPECTED = numbers(tm.verify(GENUINE, IMPOSTOR, threshold=0.45))


@pytest.mark.parametrize("names", [
    ("genuine", "impostor"), ("mated", "non-mated"), ("Mated", "Non_Mated"), ("target", "nontarget"),
    ("client", "impostor"), ("match", "nonmatch"), ("same", "different"), ("genuine", "imposter"),
])  # fmt: skip
def test_both_kinds_side_by_side(names, tmp_path):
    path = tmp_path / "scores.csv"
    frame = side_by_side(names)
    frame.to_csv(path, index=False)
    for data in (frame, path):
        ev = tm.verify(data, threshold=0.45)
        assert numbers(ev) == EXPECTED
        assert ev.source.roles == {"score": names}


@pytest.mark.parametrize(("mated", "other"), [
    ("genuine", "impostor"), ("mated", "non-mated"), ("target", "nontarget"), (1, 0), (True, False),
    ("client", "impostor"), ("Match", "Non-Match"), ("same", "different"),
])  # fmt: skip
def test_a_column_of_kinds(mated, other, tmp_path):
    path = tmp_path / "scores.csv"
    frame = by_kind(mated, other, "comparison").assign(id=range(100, 110))
    frame.to_csv(path, index=False)
    for data in (frame, path):
        ev = tm.verify(data, threshold=0.45)
        assert numbers(ev) == EXPECTED
        assert ev.source.roles == {"truth": "comparison", "score": "score"}
        assert ev.source.ignored == ("id",)
    assert numbers(tm.verify(path, score="score", kind="comparison", threshold=0.45)) == EXPECTED


def test_a_file_of_each_kind(tmp_path):
    paths = [tmp_path / "g.csv", tmp_path / "i.csv"]
    for path, scores in zip(paths, (GENUINE, IMPOSTOR), strict=True):
        pd.DataFrame({"id": range(len(scores)), "score": scores}).to_csv(path, index=False)
    with pytest.raises(tm.InputError, match=r"g.csv has the columns .*score=\.\.\."):
        tm.verify(*paths)
    ev = tm.verify(*paths, score="score", threshold=0.45)
    assert numbers(ev) == EXPECTED
    assert ev.source.name == "g.csv, i.csv"
    for path, name in zip(paths, ("genuine", "impostor"), strict=True):  # one column each
        scores = GENUINE if name == "genuine" else IMPOSTOR
        pd.DataFrame({name: scores}).to_csv(path, index=False)
    assert numbers(tm.verify(*paths, threshold=0.45)) == EXPECTED


def test_several_systems_in_columns():
    frame = by_kind().assign(other=lambda f: 1 - f.score)
    ev = tm.verify(frame, score=["score", "other"])
    assert ev.names == ("score", "other")
    assert [n.code for n in ev.notes if n.kind == "warning"].count("wrong-way") == 1
    assert set(ev.verification()) == {"score", "other"}
    assert "score\n" in str(ev)


def test_error_rates_are_counted():
    rng = np.random.default_rng(5)
    genuine, impostor = rng.normal(2.5, 1, 500), rng.normal(0, 1, 5000)
    found = tm.verify(genuine, impostor, threshold=2.0).verification()["system"]
    assert (found.mated, found.non_mated) == (500, 5000)
    s = found.stated
    assert s.false_matches == (impostor >= 2).sum()
    assert s.fmr.value == (impostor >= 2).mean()
    assert s.false_non_matches == (genuine < 2).sum()
    assert s.fnmr.value == (genuine < 2).mean()
    for rates in found.at_fmr:
        # The lowest threshold among all scores that keeps the rate.
        cuts = [c for c in np.concatenate([genuine, impostor])
                if (impostor >= c).mean() <= rates.target]  # fmt: skip
        assert rates.threshold == min(cuts)
        assert rates.false_matches == (impostor >= rates.threshold).sum()
        assert rates.fnmr.value == pytest.approx((genuine < rates.threshold).mean())
        assert rates.fnmr.low < rates.fnmr.value < rates.fnmr.high
    flipped = tm.verify(-genuine, -impostor, higher_is="impostor", threshold=-2.0)
    other = flipped.verification()["system"]
    assert other.stated.threshold == -2
    assert [r.threshold for r in other.at_fmr] == [-r.threshold for r in found.at_fmr]
    assert other.eer_threshold == -found.eer_threshold
    assert flipped.source.use == "distances"


def test_rules_of_three_and_thirty():
    # No error in n: (1 - p)^n = 0.05 at p of about 3 / n. 30 errors: 1.645 / sqrt(30) is 0.30.
    assert rule_of_three(3000) == 0.001
    assert 0.95 < 1 - (1 - rule_of_three(3000)) ** 3000 < 0.951
    assert rule_of_thirty(1e-4) == 300_000
    assert pytest.approx(0.3, abs=0.001) == 1.645 / 30**0.5
    text = str(tm.verify(GENUINE, IMPOSTOR, threshold=0.6))
    assert "No false match in 6 non-mated comparisons" in " ".join(text.split())
    assert "below 0.500 with 95 % confidence (rule of 3)" in " ".join(text.split())
    assert (
        "rests on 1 false non-match; ±30 % at 90 % confidence takes 30 errors, about 120 mated"
        in (" ".join(text.split()))
    )
    rng = np.random.default_rng(1)
    many = " ".join(str(tm.verify(rng.normal(3, 1, 400), rng.normal(0, 1, 3500))).split())
    assert "The thresholds of FMR = 0.001 and 0.0001 rest on fewer than 30 false matches" in many
    assert "takes 30,000 and 300,000 independent non-mated comparisons (rule of 30)" in many


def test_it_is_shown_in_the_words_of_the_field(tmp_path):
    ev = tm.verify(side_by_side(), threshold=0.45)
    text = str(ev)
    for word in ("mated and 6 non-mated", "Equal error rate (EER)", "False match rate (FMR)",
                 "False non-match rate (FNMR)", "FNMR at FMR = 10⁻³"):  # fmt: skip
        assert word in text
    for word in ("F1", "Matthews", "Accuracy", "positive class"):
        assert word not in text
    assert "False match rate" not in str(tm.verify(side_by_side()))  # at no threshold
    assert "False match rate" in str(tm.verify(side_by_side()).at(threshold=0.45))
    page = ev.report(tmp_path / "v.html").read_text("utf-8")
    assert page.index("Detection error trade-off") < page.index("ROC curve")
    assert page.index("FNMR at FMR") < page.index("Detection error trade-off")
    for word in ("Matthews", "Confusion matri", "What the threshold does", "Advice</h2>"):
        assert word not in page
    data = json.loads(ev.to_json())
    assert data["source"]["use"] == "similarities"
    assert data["models"][0]["verification"]["stated"]["false_matches"] == 1
    plain = tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4])
    assert plain.verification() == {}
    assert json.loads(plain.to_json())["models"][0]["verification"] is None


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    side_by_side().to_csv("both.csv", index=False)
    by_kind("1", "0").assign(score=lambda f: -f.score).rename(columns={"score": "distance"}).to_csv(
        "kinds.csv", index=False
    )
    pd.DataFrame({"s": GENUINE}).to_csv("g.csv", index=False)
    pd.DataFrame({"s": IMPOSTOR}).to_csv("i.csv", index=False)

    def run(*args):
        result = CliRunner().invoke(main, ["verify", *args])
        return result.exit_code, result.output

    code, text = run("both.csv", "--threshold", "0.45", "-o", "page.html", "--json", "v.json")
    assert (code, "FNMR at FMR" in text) == (0, True)
    assert (tmp_path / "page.html").exists()
    assert json.loads((tmp_path / "v.json").read_text())["source"]["kind"] == "CSV"
    assert run("g.csv", "i.csv")[0] == 0
    code, text = run("kinds.csv")
    assert code == 2
    assert "'distance' is a name of distances" in text
    assert "say --higher-is impostor" in text
    code, text = run("kinds.csv", "--higher-is", "impostor", "--threshold", "-0.45")
    assert (code, "1 of 6" in text) == (0, True)


@pytest.mark.parametrize(("data", "options", "words"), [
    (pd.DataFrame({"a": [1.5, 2], "b": [3, 4.5]}), {},
     "neither columns named genuine and impostor nor one with the kind"),
    (by_kind("mated", "other"), {"kind": "kind"}, "kind holds 'mated', 'other', which are not two"),
    (by_kind().assign(b=0.5), {"kind": "missing"}, "there is no column 'missing'"),
    (by_kind().drop(columns="score").assign(a=GENUINE + IMPOSTOR, b=IMPOSTOR + GENUINE), {},
     "several columns could be the scores; say score='a', score='b'"),
    (by_kind().assign(trial=by_kind("1", "0").kind), {},
     "several columns could give the kind of comparison; say kind='kind', kind='trial'"),
    (side_by_side().assign(mated=1.0, nonmated=2.0), {}, "several pairs of columns"),
    (by_kind().assign(kind=["mated"] * 10), {"kind": "kind"}, "not two kinds of comparisons"),
    (by_kind().assign(score=[None, *GENUINE[1:], *IMPOSTOR]), {}, "missing"),
])  # fmt: skip
def test_tables_that_do_not_say_enough_are_refused(data, options, words):
    with pytest.raises(tm.InputError, match=words):
        tm.verify(data, **options)


def test_missing_scores_and_mixed_arguments():
    frame = by_kind().assign(score=[None, *GENUINE[1:], *IMPOSTOR])
    ev = tm.verify(frame, missing="drop")
    assert (ev.rows, ev.dropped) == (9, 1)
    assert "count no failure to acquire" in " ".join(str(ev).split())
    gap = pd.DataFrame({"genuine": [0.9, None, 0.4], "impostor": [0.1, 0.2, 0.3]})
    with pytest.raises(tm.InputError, match="missing"):
        tm.verify(gap)
    for wrong in ((GENUINE,), (frame, GENUINE), (GENUINE, frame)):
        with pytest.raises(tm.InputError, match="genuine and impostor are two arrays, two files"):
            tm.verify(*wrong)
    with pytest.raises(tm.InputError, match="kind does not go with arrays"):
        tm.verify(GENUINE, IMPOSTOR, kind="x")


@pytest.mark.parametrize(
    ("mated", "other", "options"),
    [
        ("genuino", "impostor", {}), ("authentique", "imposteur", {}), ("gleich", "verschieden", {}),
        ("a", "b", {"positive": "a"}), ("impostor", "genuine", {"positive": "impostor"}),
    ],
)  # fmt: skip
def test_kinds_in_other_words(mated, other, options):
    frame = pd.DataFrame(
        {"id": range(4), "art": [mated, mated, other, other], "s": [0.9, 0.4, 0.5, 0.1]}
    )
    ev = tm.verify(frame, threshold=0.45, **options)
    assert (ev["FAR"].value, ev["FRR"].value) == (0.5, 0.5)
    assert ev.source.positive == mated


def test_kinds_that_words_do_not_tell():
    frame = pd.DataFrame({"art": ["a", "a", "b"], "s": [0.9, 0.4, 0.5]})
    with pytest.raises(
        tm.InputError, match=r"kind=\.\.\., and which of its values is genuine with pos"
    ):
        tm.verify(frame)
    with pytest.raises(
        tm.InputError, match=r"'a', 'b', .* name the genuine one with positive=\.\.\."
    ):
        tm.verify(frame, kind="art")
    with pytest.raises(tm.InputError, match="positive is not for one file per kind"):
        tm.verify(frame[["s"]], frame[["s"]], positive="a")
    named = pd.DataFrame({"comparación": ["genuino", "impostor"], "distancia": [0.1, 0.9]})
    with pytest.raises(tm.InputError, match="'distancia' is a name of distances"):
        tm.verify(named)
