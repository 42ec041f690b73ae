"""Comparison scores from files and frames, and what a verification says of them."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted_of
from tallymark.cli import main
from tallymark.parts.verification.rates import rule_of_thirty, rule_of_three
from tallymark.parts.verification.trials import read_trials

REAL = Path(__file__).parents[4] / "shared" / "real-files"

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
        assert ev.source._roles == {"score": names}


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
        assert ev.source._roles == {"truth": "comparison", "score": "score"}
        assert ev.source._ignored == ("id",)
    assert numbers(tm.verify(path, score="score", kind="comparison", threshold=0.45)) == EXPECTED


@pytest.mark.slow
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
    assert [n.rule for n in ev.notes if n.severity == "warning"].count("wrong-way") == 1
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
        if rates.target == 0.0001:
            assert rates.fnmr.method.startswith("no interval: 5,000 negatives are too few")
        else:
            assert rates.fnmr.low < rates.fnmr.value < rates.fnmr.high
    flipped = tm.verify(-genuine, -impostor, higher_is="impostor", threshold=-2.0)
    other = flipped.verification()["system"]
    assert other.stated.threshold == -2
    assert [r.threshold for r in other.at_fmr] == [-r.threshold for r in found.at_fmr]
    assert other.eer_threshold == -found.eer_threshold
    assert flipped.source.use == "distances"


@pytest.mark.slow
def test_rules_of_three_and_thirty():
    # No error in n: (1 - p)^n = 0.05 at p of about 3 / n. 30 errors: 1.645 / sqrt(30) is 0.30.
    assert rule_of_three(3000) == 0.001
    assert 0.95 < 1 - (1 - rule_of_three(3000)) ** 3000 < 0.951
    assert rule_of_thirty(1e-4) == 300_000
    assert pytest.approx(0.3, abs=0.001) == 1.645 / 30**0.5
    text = str(tm.verify(GENUINE, IMPOSTOR, threshold=0.6))
    assert "No false match in 6 impostor comparisons" in " ".join(text.split())
    assert "below 0.500 with 95 % confidence (rule of 3)" in " ".join(text.split())
    assert (
        "rests on 1 false non-match; ±30 % at 90 % confidence takes 30 errors, about 120 genuine"
        in (" ".join(text.split()))
    )
    rng = np.random.default_rng(1)
    many = " ".join(str(tm.verify(rng.normal(3, 1, 400), rng.normal(0, 1, 3500))).split())
    assert "The thresholds of FMR = 0.001 and 0.0001 rest on fewer than 30 false matches" in many
    assert "takes 30,000 and 300,000 independent impostor comparisons (rule of 30)" in many


@pytest.mark.slow
def test_it_is_shown_in_the_words_of_the_field(tmp_path):
    ev = tm.verify(side_by_side(), threshold=0.45)
    text = str(ev)
    for word in ("genuine and 6 impostor", "Equal error rate (EER)", "False match rate (FMR)",
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


@pytest.mark.slow
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
    assert json.loads((tmp_path / "v.json").read_text(encoding="utf-8"))["source"]["kind"] == "CSV"
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
    (by_kind("1", "0").assign(trial=["1", "0"] * 5), {},
     "several columns of .* are genuine; say kind='kind' or kind='trial'"),
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
    with pytest.raises(tm.InputError, match="say positive='a' or positive='b'"):
        tm.verify(frame)
    with pytest.raises(
        tm.InputError, match=r"kind=\.\.\., and which of its values is genuine with pos"
    ):
        tm.verify(frame.assign(other=["x", "y", "x"]))
    with pytest.raises(
        tm.InputError, match=r"'a', 'b', .* name the genuine one with positive=\.\.\."
    ):
        tm.verify(frame, kind="art")
    with pytest.raises(tm.InputError, match="positive is not for one file per kind"):
        tm.verify(frame[["s"]], frame[["s"]], positive="a")
    named = pd.DataFrame({"comparación": ["genuino", "impostor"], "distancia": [0.1, 0.9]})
    for name in ("distancia", "cosine_distance", "Euclidean"):
        with pytest.raises(tm.InputError, match=f"'{name}' is a name of distances"):
            tm.verify(named.rename(columns={"distancia": name}))


def test_a_list_of_trials_is_no_file_of_scores(tmp_path):
    (tmp_path / "trials.txt").write_text(
        "1 a/1 a/2\n0 a/1 b/2\n1 b/1 b/2\n0 b/1 c/2\n", encoding="utf-8"
    )
    (tmp_path / "scores.txt").write_text(
        ".9 a/1 a/2\n.2 a/1 b/2\n.7 b/1 b/2\n.1 b/1 c/2\n", encoding="utf-8"
    )
    with pytest.raises(tm.InputError) as caught:
        tm.verify(tmp_path / "trials.txt", tmp_path / "scores.txt")
    assert str(caught.value) == (
        "genuine holds 0 and 1 alone, as the labels of a list of trials do, and impostor holds "
        "scores; give one table that has the label and the score of each comparison"
    )


# -- score files as systems write them -----------------------------------------------------------


def compared(people=8, probes=6, seed=0):
    """Return claimed and real identities with scores, and the area under their ROC curve."""
    rng = np.random.default_rng(seed)
    claimed, real = rng.integers(0, people, (2, people * probes * 4))
    real = np.where(rng.random(len(real)) < 0.4, claimed, real)
    scores = np.round((claimed == real) + rng.normal(0, 0.6, len(real)), 6)
    area = tm.metrics.roc_auc((claimed == real).astype(int), scores)
    return claimed, real, scores, area


def written(path, columns, separator=" ", end="\n", head=""):
    lines = (separator.join(map(str, row)) for row in zip(*columns, strict=True))
    path.write_bytes((head + end.join(lines) + end).encode())
    return path


NAMES = [  # of people, of models, of probes; what separates columns, and ends lines
    (lambda i: f"f_{1000 + i}", lambda i: f"m_{i}", lambda i: "x", " ", "\n"),
    (str, lambda i: f"{i}_1", lambda i: f"data/probe-{i}.hdf5", "\t", "\n"),
    (lambda i: f"spk{i:03d}", lambda i: f"spk{i:03d}", lambda i: i, "   ", "\r\n"),
    (lambda i: f"Å{i}", lambda i: f"t{i}", lambda i: f"a,b_{i}.wav", " ", "\n"),
    (lambda i: 7 * i, lambda i: 7 * i + 1, lambda i: f"p{i % 5}", ",", "\n"),
]


@pytest.mark.parametrize(
    ("columns", "seed"), [(3, 0), (4, 1), (5, 2), (4, 3), (5, 4), (5, 3), (3, 4)]
)
@pytest.mark.slow
def test_identities_that_are_equal_in_genuine_comparisons(columns, seed, tmp_path):
    person, model, probe, separator, end = NAMES[seed]
    claimed, real, scores, area = compared(seed=seed)
    said = [[*map(person, claimed)], [*map(person, real)]]
    place = (0, 1)
    if columns == 5:
        said, place = [said[0], [*map(model, claimed)], said[1]], (0, 2)
    if columns > 3:
        said += [[probe(i) for i in range(len(real))]]
    path = written(tmp_path / "scores-dev", [*said, scores], separator, end)
    ev = tm.verify(path)
    assert (ev.rows, ev["roc_auc"], ev.names) == (len(real), area, ("score",))
    a, b = (f"column{i}" for i in place)
    assert ev.source._roles["truth"] == (a, b)
    assert ev.source._roles["people"] == (a, b)
    assert f"genuine where `{a}` equals `{b}`" in ev.source.format
    assert counted_of(ev).joint.clusters.max() + 1 == len(set(claimed.tolist()))
    for told in ({"kind": [a, b]}, {"header": False, "score": f"column{columns - 1}"}):
        assert tm.verify(path, **told)["roc_auc"] == area
    alone = tm.verify(path, cluster=False)
    assert alone["roc_auc"] == area
    assert "people" not in alone.source._roles


@pytest.mark.slow
def test_identities_with_names(tmp_path):
    claimed, real, scores, area = compared()
    path = written(
        tmp_path / "s.txt", [claimed, real, scores], head="claimed_id real_id similarity\n"
    )
    frame = pd.DataFrame({"claimed_id": claimed, "real_id": real, "similarity": scores})
    for data in (
        path,
        frame,
        frame.rename(columns={"claimed_id": "subject_a", "real_id": "b_subj"}),
    ):
        if data is path or "claimed_id" in data:
            assert tm.verify(data)["roc_auc"] == area
            assert tm.verify(data, cluster="real_id").source._roles["cluster"] == "real_id"
        else:  # nothing says that these columns are identities
            with pytest.raises(tm.InputError, match=r"columns of identities, kind=\[\.\.\.\]"):
                tm.verify(data)
            assert tm.verify(data, kind=["subject_a", "b_subj"])["roc_auc"] == area


KINDS = [
    ("bonafide target", "bonafide nontarget", "A07 spoof", 1),
    ("client", "impostor", "unknown", 0),
    ("id1 Mated", "id2 Non-Mated", "id3 discarded", 1),
    ("x same", "x different", "x unsure", 1),
    ("utt genuine", "utt impostor", "utt spoof", 1),
]


@pytest.mark.parametrize(
    ("seed", "separator"),
    [(0, " "), (1, "\t"), (2, ","), (3, " "), (4, "\t"), (0, ","), (1, ",")],
)
@pytest.mark.slow
def test_a_third_kind_is_left_out_and_told(seed, separator, tmp_path):
    mated, other, third, place = KINDS[seed]
    claimed, real, scores, area = compared(seed=seed)
    kinds = [separator.join((mated if own else other).split()) for own in claimed == real]
    kinds += [separator.join(third.split())] * 7
    path = written(tmp_path / "asv.txt", [kinds, [*scores, *range(7)]], separator)
    ev = tm.verify(path)
    assert (ev.rows, ev["roc_auc"]) == (len(real), area)
    assert ev.source._roles["truth"] == f"column{place}"
    assert ev.source.positive == mated.split()[-1]
    told = f"7 comparisons of the kind '{third.split()[-1]}' left out"
    assert told in ev.source.format
    shown = " ".join(CliRunner().invoke(main, ["verify", str(path), "--full"]).output.split())
    assert told in shown
    assert "Change with --kind, --score" in shown


@pytest.mark.parametrize(("mated", "other", "turned"), [
    ("1", "-1", False), ("1", "0", True), ("+1", "-1", True), ("target", "nontarget", False),
    ("target", "nontarget", True), ("bonafide", "spoof", False),
])  # fmt: skip
@pytest.mark.slow
def test_a_label_and_a_score_without_a_header(mated, other, turned, tmp_path):
    claimed, real, scores, _ = compared()
    shown = [*map(str, scores)]
    shown[3] = shown[8] = "nan"
    columns = [[mated if own else other for own in claimed == real], shown]
    path = written(tmp_path / "dev1", columns[::-1] if turned else columns)
    n = len(scores)
    with pytest.raises(tm.InputError, match=f"'score' is missing in 2 comparisons of {n}; corr"):
        tm.verify(path)
    told = CliRunner().invoke(main, ["verify", str(path)]).stderr
    assert "or say --missing drop to leave them out" in told
    ev = tm.verify(path, missing="drop")
    keep = np.delete(np.arange(n), [3, 8])
    right = tm.metrics.roc_auc((claimed == real)[keep].astype(int), scores[keep])
    assert (ev.rows, ev["roc_auc"]) == (n - 2, right)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow
def test_a_file_of_each_kind_without_headers(seed, tmp_path):
    claimed, real, scores, area = compared(seed=seed)
    person, _, probe, separator, end = NAMES[seed]
    paths = []
    for own in (True, False):
        rows = np.flatnonzero((claimed == real) == own)
        columns = [[person(i) for i in claimed[rows]], [probe(i) for i in rows], scores[rows]]
        paths.append(written(tmp_path / f"{own}.txt", columns, separator, end))
    ev = tm.verify(*paths)
    assert (ev.rows, ev["roc_auc"], ev.names) == (len(real), area, ("score",))
    single = [
        written(tmp_path / f"{own}.one", [scores[(claimed == real) == own]], end=end)
        for own in (True, False)
    ]
    assert tm.verify(*single)["roc_auc"] == area


@pytest.mark.slow
def test_packed_files_and_standard_input(tmp_path, monkeypatch):
    claimed, real, scores, area = compared()
    path = written(tmp_path / "s.txt", [claimed, real, scores], head="# made by a system\n")
    packed = tmp_path / "s.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    ev = tm.verify(packed)
    assert (ev["roc_auc"], ev.source.name) == (area, "s.txt.gz")
    piped = subprocess.run(
        [sys.executable, "-m", "tallymark", "verify", "-", "--full"], input=path.read_bytes(),
        capture_output=True, check=True,
    )  # fmt: skip
    assert piped.stdout.startswith(b"standard input\n")


@pytest.mark.slow
def test_what_could_be_several_things_is_asked(tmp_path):
    # a label, an identity of two people, and a score: two readings that differ
    path = written(tmp_path / "s.txt", [[1, 0, 1, 0], [1, 1, 0, 0], [0.9, 0.4, 0.6, 0.1]])
    with pytest.raises(tm.InputError, match="say kind='column0' or kind='column1' or kind=") as no:
        tm.verify(path)
    assert "kind=['column0', 'column1']" in str(no.value)
    for kind in ("column0", ["column0", "column1"]):
        assert tm.verify(path, kind=kind).rows == 4
    told = CliRunner().invoke(main, ["verify", str(path)]).stderr
    assert "--kind column0 or --kind column1 or --kind column0 --kind column1" in told
    done = CliRunner().invoke(main, ["verify", str(path), "--kind", "column0", "--kind", "column1"])
    assert done.exit_code == 0
    with pytest.raises(tm.InputError, match="kind names 3 columns; give one that holds the kinds"):
        tm.verify(path, kind=["column0", "column1", "column2"])
    # names as pandas gives them, or a row
    path = written(tmp_path / "n.csv", [[0, 1, 1, 0], [1, 0.9, 0.4, 0.2]], ",")
    with pytest.raises(tm.InputError, match="begins with '0', '1', which looks like a row"):
        tm.verify(path)
    assert tm.verify(path, header=True).rows == 3
    assert tm.verify(path, header=False, kind="column0", positive="1").rows == 4


def test_columns_without_a_header_are_called_by_their_place(tmp_path):
    path = written(tmp_path / "s.txt", [["a", "b", "c"], ["d", "e", "f"], [0.1, 0.2, 0.3]])
    told = "'column2' (it has no header, so these are their places); say which with --kind"
    assert told in CliRunner().invoke(main, ["verify", str(path)]).stderr
    with pytest.raises(tm.InputError, match="cluster is not for one file per kind"):
        tm.verify(path, path, cluster="column0")
    frame = pd.DataFrame({"kind": ["mated", "non-mated"], "s": [2.5, 1.5]})
    with pytest.raises(tm.InputError, match="header is for files; leave it out"):
        tm.verify(frame, header=False)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files lie beside the project")
@pytest.mark.parametrize(("name", "missing", "rows", "genuine", "area"), [
    ("bob_4col.txt", "error", 910, 390, 0.980404),
    ("bob_dev1.txt", "drop", 946, 451, 0.947417),
    ("asv_scores_la_dev.txt", "error", 1792, 560, 0.998014),
])  # fmt: skip
def test_real_score_files(name, missing, rows, genuine, area):
    ev = tm.verify(REAL / name, missing=missing)
    assert ev.rows == rows
    assert ev.models[0].labels.counts.sum(1).tolist() == [genuine, rows - genuine]
    assert ev["roc_auc"].value == pytest.approx(area, abs=5e-7)


def test_two_values_that_could_be_either_kind(tmp_path):
    path = written(tmp_path / "h.csv", [["yes", "no", "yes"], [0.9, 0.2, 0.7]], ",")
    with pytest.raises(tm.InputError, match="say positive='no' or positive='yes'"):
        tm.verify(path)
    assert tm.verify(path, positive="yes")["roc_auc"] == 1


# -- every way of reading, word by word ----------------------------------------------------------

SCORED = GENUINE + IMPOSTOR
OF_KINDS = ["mated"] * 4 + ["non-mated"] * 6
CLAIMED, REAL_ONES = [1, 2, 3, 4, 1, 1, 2, 3, 4, 2], [1, 2, 3, 4, 2, 3, 3, 1, 2, 4]
DAY = [1, 1, 2, 2, 1, 1, 2, 2, 3, 3]
IDENTITIES = pd.DataFrame({"claimed_id": CLAIMED, "real_id": REAL_ONES, "similarity": SCORED})
OF_IDENTITIES = (
    "truth = `claimed_id`, `real_id` (genuine is positive), score = `similarity`{}; format: "
    "genuine where `claimed_id` equals `real_id`."
)
OF_CLAIMED = [0, 1, 2, 3], [0, 0, 1, 2, 3, 1]

FRAMES = {
    "side by side": (
        side_by_side(("Mated", "Non_Mated")).assign(id=range(6)), {},
        "score = `Mated`, `Non_Mated`; format: Mated and Non_Mated side by side; ignored: `id`.",
        "system", None,
    ),
    "kinds": (
        by_kind(name="what").assign(no=range(10)), {},
        "truth = `what` (mated is positive), score = `score`; ignored: `no`.", "score", None,
    ),
    "kinds and clusters": (
        by_kind().assign(day=DAY, no=range(10)), {"cluster": "day"},
        "truth = `kind` (mated is positive), score = `score`, cluster = `day`; ignored: `no`.",
        "score", ([0, 0, 1, 1], [0, 0, 1, 1, 2, 2]),
    ),
    "unknown words": (
        pd.DataFrame({"what": ["a"] * 4 + ["b"] * 6, "s": SCORED}), {"positive": "a"},
        "truth = `what` (a is positive), score = `s`.", "s", None,
    ),
    "presentations": (
        by_kind("bonafide", "spoof"), {},
        "truth = `kind` (bonafide is positive), score = `score`.", "score", None,
    ),
    "numbers": (
        by_kind(1, -1), {}, "truth = `kind` (1 is positive), score = `score`.", "score", None,
    ),
    "identities": (
        IDENTITIES, {}, OF_IDENTITIES.format(", people = `claimed_id`, `real_id`"), "similarity",
        OF_CLAIMED,
    ),
    "identities by name": (
        IDENTITIES, {"kind": ["claimed_id", "real_id"], "score": "similarity"},
        OF_IDENTITIES.format(", people = `claimed_id`, `real_id`"), "similarity", OF_CLAIMED,
    ),
    "identities and other clusters": (
        IDENTITIES.assign(day=DAY), {"cluster": "day"},
        OF_IDENTITIES.format(", cluster = `day`"), "similarity",
        ([0, 0, 1, 1], [0, 0, 1, 1, 2, 2]),
    ),
    "identities without clusters": (
        IDENTITIES, {"cluster": False}, OF_IDENTITIES.format(""), "similarity", None,
    ),
}  # fmt: skip


def test_frames_are_read_as_they_are_said_to_be():
    for name, (frame, options, told, system, clusters) in FRAMES.items():
        found = read_trials(frame, **options)
        assert found.source.read_as == f"Read as: {told}", name
        assert {k: v.tolist() for k, v in found.genuine.items()} == {system: GENUINE}, name
        assert {k: v.tolist() for k, v in found.impostor.items()} == {system: IMPOSTOR}, name
        got = found.clusters and tuple(c.tolist() for c in found.clusters)
        assert got == clusters, name


def test_other_kinds_are_left_out_and_counted():
    twins = by_kind().assign(kind=[*OF_KINDS[:8], "twins", "twins"])
    found = read_trials(twins)
    assert found.impostor["score"].tolist() == IMPOSTOR[:4]
    assert found.source.read_as.endswith("; format: 2 comparisons of the kind 'twins' left out.")
    of_others = read_trials(twins.replace("mated", "own"), positive="own")
    assert of_others.genuine["score"].tolist() == GENUINE
    assert of_others.impostor["score"].tolist() == IMPOSTOR


def test_several_systems_keep_their_scores_apart():
    frame = by_kind().assign(other=[10 * s for s in SCORED])
    found = read_trials(frame, score=["other", "score"])
    assert found.source.read_as == (
        "Read as: truth = `kind` (mated is positive), score = `other`, `score`."
    )
    assert list(found.genuine) == ["other", "score"]
    assert found.genuine["other"].tolist() == [10 * s for s in GENUINE]
    assert found.impostor["score"].tolist() == IMPOSTOR
    both = (
        pd.DataFrame({"a": GENUINE, "b": GENUINE[::-1]}),
        pd.DataFrame({"b": IMPOSTOR[::-1], "a": IMPOSTOR}),
    )
    found = read_trials(*both, score=["a", "b"])
    assert found.source.read_as == (
        "Read as: score = `a`, `b`; format: genuine scores from the data frame, impostor scores "
        "from the data frame."
    )
    assert [v.tolist() for v in found.genuine.values()] == [GENUINE, GENUINE[::-1]]
    assert [v.tolist() for v in found.impostor.values()] == [IMPOSTOR, IMPOSTOR[::-1]]
    one = read_trials(pd.DataFrame({"s": GENUINE}), pd.DataFrame({"t": IMPOSTOR}))
    assert ([*one.genuine], [*one.impostor]) == (["s"], ["s"])
    assert one.source.read_as.startswith("Read as: score = `s`; ")


def said_of(columns, separator=" "):
    return "".join(separator.join(map(str, row)) + "\n" for row in zip(*columns, strict=True))


MODELS = [f"m{c}" for c in CLAIMED]
TARGETS = ["target"] * 4 + ["nontarget"] * 6
HEADLESS = "format: no header"
FILES = {
    "three.txt": (
        said_of([CLAIMED, REAL_ONES, SCORED]),
        "truth = `column0`, `column1` (genuine is positive), score = `column2`, people = "
        f"`column0`, `column1`; {HEADLESS}, genuine where `column0` equals `column1`.",
    ),
    "four.txt": (
        said_of([CLAIMED, REAL_ONES, MODELS, SCORED]),
        "truth = `column0`, `column1` (genuine is positive), score = `column3`, people = "
        f"`column0`, `column1`; {HEADLESS}, genuine where `column0` equals `column1`; ignored: "
        "`column2`.",
    ),
    "five.txt": (
        said_of([CLAIMED, MODELS, REAL_ONES, MODELS, SCORED], "\t"),
        "truth = `column0`, `column2` (genuine is positive), score = `column4`, people = "
        f"`column0`, `column2`; {HEADLESS}, genuine where `column0` equals `column2`; ignored: "
        "`column1`, `column3`.",
    ),
    "kind.txt": (
        "# of a system\n\n" + said_of([TARGETS, SCORED]),
        f"truth = `column0` (target is positive), score = `column1`; {HEADLESS}.",
    ),
    "kind.csv": (
        said_of([SCORED, [1] * 4 + [0] * 6], ","),
        f"truth = `column1` (1 is positive), score = `column0`; {HEADLESS}.",
    ),
    "headed.csv": (
        "points,trial\n" + said_of([SCORED, TARGETS], ","),
        "truth = `trial` (target is positive), score = `points`.",
    ),
}  # fmt: skip


@pytest.mark.slow
def test_score_files_are_read_as_they_are_said_to_be(write):
    for name, (text, told) in FILES.items():
        found = read_trials(write(name, text))
        assert (found.source.read_as, found.source.name) == (f"Read as: {told}", name)
        (genuine,), (impostor,) = found.genuine.values(), found.impostor.values()
        assert (genuine.tolist(), impostor.tolist()) == (GENUINE, IMPOSTOR), name
        assert [*found.genuine] == (["points"] if name == "headed.csv" else ["score"]), name
    found = read_trials(write("g.txt", said_of([GENUINE])), write("i.txt", said_of([IMPOSTOR])))
    assert found.source.read_as == (
        "Read as: score = `score`; format: no header, genuine scores from g.txt, impostor scores "
        "from i.txt."
    )
    assert (found.source.name, found.source.kind) == ("g.txt, i.txt", "CSV")


NAMELESS = pd.DataFrame({"a": ["x", "y", "z"], "b": [0.9, 0.4, 0.5]})
REFUSED = {
    "no kinds": (
        (NAMELESS,), {}, "the data frame has neither columns named genuine and impostor nor one "
        "with the kind of each comparison; its columns are 'a', 'b'; say which with kind=..., and "
        "which of its values is genuine with positive=..., or name two columns of identities, "
        "kind=[...], or give one file per kind",
    ),
    "two words": (
        (NAMELESS[:2],), {}, "a of the data frame holds 'x', 'y', which does not say which of them "
        "are genuine comparisons; say positive='x' or positive='y'",
    ),
    "words that were named": (
        (NAMELESS,), {"kind": "a"}, "a holds 'x', 'y', 'z', which are not two kinds of "
        "comparisons, such as genuine and impostor, mated and non-mated, or 1 and 0; name the "
        "genuine one with positive=...",
    ),
    "no such column": (
        (by_kind(),), {"kind": "kin"}, "there is no column 'kin'; did you mean 'kind'?",
    ),
    "no such cluster": (
        (by_kind(),), {"cluster": "skore"}, "there is no column 'skore'; did you mean 'score'?",
    ),
    "three columns": (
        (by_kind(),), {"kind": ["kind", "score", "kind"]}, "kind names 3 columns; give one that "
        "holds the kinds, or two that hold identities",
    ),
    "a missing kind": (
        (by_kind().assign(kind=[None, *OF_KINDS[1:]]),), {}, "kind is missing in 1 row; fill it",
    ),
    "no scores": (
        (pd.DataFrame({"kind": OF_KINDS, "name": list("abcdefghij")}),), {}, "the data frame has no "
        "column of scores; its columns are 'kind', 'name'; say which with score=...",
    ),
    "two scores": (
        (by_kind(name="kind").rename(columns={"score": "a"}).assign(b=SCORED[::-1]),), {},
        "several columns could be the scores; say score='a', score='b'",
    ),
    "several kinds": (
        (by_kind().assign(trial=["target", "nontarget"] * 5),), {}, "several columns of the data "
        "frame could tell which comparisons are genuine; say kind='kind' or kind='trial'",
    ),
    "several pairs": (
        (side_by_side().assign(mated=1.0, nonmated=2.0),), {}, "the data frame has several pairs "
        "of columns that could be genuine and impostor scores: 'genuine', 'impostor'; 'mated', "
        "'nonmated'; keep one of them",
    ),
    "several columns a kind": (
        (by_kind(), by_kind()), {}, "the data frame has the columns 'kind', 'score'; say which "
        "holds the scores with score=...",
    ),
    **{
        f"{word} of two": (
            (by_kind(), by_kind()), {word: "kind"},
            f"{word} is not for one file per kind; leave {word}= out",
        )
        for word in ("kind", "cluster", "positive")
    },
    "one side": (
        (by_kind().assign(a=1, b=2),), {"probe": "a"},
        "probe and reference say together who is compared; give both, or neither",
    ),
    "people and clusters": (
        (by_kind().assign(a=1, b=2),), {"probe": "a", "reference": "b", "cluster": "kind"},
        "cluster says which comparisons belong together, and probe and reference say it by both "
        "people; leave one of them out",
    ),
    "no such person": (
        (by_kind().assign(a=1, b=2),), {"probe": "a", "reference": "bb"},
        "there is no column 'bb'; did you mean 'b'?",
    ),
    "one person": (
        (by_kind().assign(a=1, b=1),), {"probe": "a", "reference": "b"},
        "'a', 'b' do not hold the people of both sides: they are equal in 6 of 6 impostor "
        "comparisons; name the columns with probe=... and reference=...",
    ),
    "samples": (
        (by_kind().assign(a=range(10), b=range(3, 13)),), {"probe": "a", "reference": "b"},
        "'a', 'b' do not hold the people of both sides: they differ in 4 of 4 genuine "
        "comparisons; name the columns with probe=... and reference=...",
    ),
    "a gap": (
        (by_kind().assign(a=["x", None] * 5, b="y"),), {"probe": "a", "reference": "b"},
        "'a', 'b' do not hold the people of both sides: a is missing in 5 rows; name the columns "
        "with probe=... and reference=...",
    ),
    "texts and numbers": (
        (by_kind().assign(a=["x", "y"] * 5, b=[1, 2] * 5),), {"probe": "a", "reference": "b"},
        "'a', 'b' do not hold the people of both sides: one holds texts and the other numbers; "
        "name the columns with probe=... and reference=...",
    ),
}  # fmt: skip


def test_refusals_word_by_word():
    for name, (data, options, told) in REFUSED.items():
        with pytest.raises(tm.InputError) as refused:
            read_trials(*data, **options)
        assert str(refused.value) == told, name


def test_rates_are_counted_at_the_threshold_and_at_each_limit():
    rng = np.random.default_rng(8)
    genuine, impostor = rng.normal(1.5, 1, 40).round(2), rng.normal(0, 1, 230).round(2)
    genuine[0] = impostor[0]  # a tie
    for sign, kind, is_higher in ((1, "similarities", "genuine"), (-1, "distances", "impostor")):
        ev = tm.verify(sign * genuine, sign * impostor, higher_is=is_higher, threshold=sign * 0.7)
        (found,) = ev.verification().values()
        assert (found.scores, found.mated, found.non_mated) == (kind, 40, 230)
        stated = found.stated
        assert stated.to_dict()["threshold"] == sign * 0.7
        false, missed = (impostor >= 0.7).sum(), (genuine < 0.7).sum()
        assert (stated.false_matches, stated.false_non_matches) == (false, missed)
        assert (stated.fmr.value, stated.fnmr.value) == (false / 230, missed / 40)
        assert stated.target is None
        for rates, limit in zip(found.at_fmr, (0.01, 0.001, 0.0001), strict=True):
            cuts = np.unique([*genuine, *impostor])
            kept = min(c for c in cuts if (impostor >= c).mean() <= limit)
            assert (rates.target, rates.threshold) == (limit, sign * kept)
            assert rates.false_matches == (impostor >= kept).sum()
            assert rates.false_non_matches == (genuine < kept).sum()
            assert rates.fmr.value == (impostor >= kept).mean()
            assert np.isnan(rates.fmr.low)
        rows = found.table().to_dicts()
        assert [(r["metric"], r["target_fmr"]) for r in rows] == [
            ("equal_error_rate", None),
            *[(f"false_{k}_rate", t) for t in (None, 0.01, 0.001, 0.0001)
              for k in ("positive", "negative")],
        ]  # fmt: skip
        assert rows[0]["threshold"] == found.eer_threshold
        assert [r["value"] for r in rows[1:3]] == [false / 230, missed / 40]
