"""What was written is read back: the same answers, and one sentence for what is no such file."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import assert_read_back, counted, counted_of
from tallymark.cli import main
from tallymark.part import part_roles
from tallymark.tally.io import floats

N = 200


def scored(seed=0, models=1, n=N):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return y, [np.round(1 / (1 + np.exp(-rng.normal(1.5 * y - 0.6))), 2) for _ in range(models)]


def kinds():
    """Evaluations that differ in what they hold, under a name each."""
    y, (p, q) = scored(models=2)
    rng = np.random.default_rng(1)
    k = rng.choice(3, N)
    three = np.round(rng.dirichlet(np.ones(3), N) + np.eye(3)[k], 3)
    three = three / three.sum(1, keepdims=True)
    patients, region = rng.integers(0, 20, N), rng.choice(["north", "south"], N)
    one = tm.evaluate(y, y_score=p, level=0.9, seed=3)
    return {
        "scores": one,
        "threshold": one.at(threshold=0.31),
        "above all": one.at(threshold=math.inf),
        "another balance": one.at(prevalence=0.05),
        "weights": tm.evaluate(y, y_score=p, weight=rng.random(N)),
        "clusters": tm.evaluate(y, y_score=p, cluster=patients, subgroup={"region": region}),
        "two models": tm.evaluate(y, y_score={"a": p, "b": q}),
        "classes": tm.evaluate(k, y_score=three, subgroup={"region": region}),
        "folds": tm.evaluate(y, y_score=p, fold=np.arange(N) % 4),
        "roles": tm.evaluate(y, y_score=p, **dict.fromkeys(part_roles(), rng.integers(1, 9, N))),
        "counts": counted([[70, 30], [20, 80]], positive=1),
        "bins": binned(y, p),
    }


def binned(y, p):
    tallier = tm.Tallier(bins=tm.Bins(np.linspace(0, 1, 11), 2))
    tallier.update(y, y_score=p)
    return tallier.result()


NAMES = list(kinds())


@pytest.fixture(scope="module")
def evaluations():
    return kinds()


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.slow
def test_every_answer_is_the_same_after_reading_back(kind, evaluations, tmp_path):
    ev = evaluations[kind]
    assert_read_back(ev, tmp_path / "run.json")


@pytest.mark.slow
def test_what_is_asked_later_is_answered_the_same(evaluations, tmp_path):
    for kind in ("two models", "scores", "clusters"):
        evaluations[kind].to_json(tmp_path / f"{kind}.json")
    both, one, clusters = (
        (tm.read(tmp_path / f"{kind}.json"), evaluations[kind])
        for kind in ("two models", "scores", "clusters")
    )
    assert str(both[0].compare()) == str(both[1].compare())
    for ask in (
        lambda ev: ev.at(threshold=0.7).values(),
        lambda ev: ev.curve("roc", band="simultaneous").low.tolist(),
        lambda ev: ev.optimal_threshold("f1").to_dict(),
        lambda ev: ev.value("f_beta", beta=3, method="bca"),
        lambda ev: str(ev.compare_with(clusters[0])),
    ):
        assert ask(one[0]) == ask(one[1])
    assert str(clusters[0].by("region")) == str(clusters[1].by("region"))


@pytest.mark.parametrize("labels", [(False, True), (0, 1), (2, 10), ("no", "yes"), ("1", "2")])
def test_labels_keep_their_types(labels, tmp_path):
    ev = tm.evaluate([labels[i % 2] for i in range(40)], [labels[i % 3 == 0] for i in range(40)],
                     positive=labels[1], subgroup={"half": [labels[i < 20] for i in range(40)]})  # fmt: skip
    ev.to_json(tmp_path / "run.json")
    again = tm.read(tmp_path / "run.json")
    kept = [*again.classes, again.positive, *(k for (k,) in counted_of(again).subgroup_counts.keys)]
    assert [(v, type(v)) for v in kept] == [(v, type(v)) for v in [*labels, labels[1], *labels]]


def test_rows_with_several_labels(tmp_path):
    y = [[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]] * 10
    p = [[0.9, 0.2, 0.6], [0.1, 0.7, 0.4], [0.8, 0.4, 0.1], [0.3, 0.2, 0.9]] * 10
    ml = tm.evaluate(y, y_score=p, classes=["cat", "dog", "sky"], cluster=np.arange(40) // 4)
    ml.to_json(tmp_path / "run.json")
    again = tm.read(tmp_path / "run.json")
    assert again.to_dict() == ml.to_dict()
    assert again.label("dog")["f1"] == ml.label("dog")["f1"]
    data = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    for path, what in ((("true",), "rows"), (("cluster_codes",), "rows"), (("models",), "models"),
                       (("models", 0, "decided"), "rows"), (("labels",), "rows")):  # fmt: skip
        (tmp_path / "bad.json").write_text(
            json.dumps(changed(data, ("counted", *path), [])), encoding="utf-8"
        )
        with pytest.raises(tm.InputError, match=rf"the {what} in .*bad.json' are damaged"):
            tm.read(tmp_path / "bad.json")


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """Two models on more rows than a file keeps side by side unless asked to."""
    y, (p, q) = scored(models=2, n=80_000)
    ev = tm.evaluate(y, y_score={"a": p, "b": q})
    folder = tmp_path_factory.mktemp("long")
    ev.to_json(folder / "apart.json")
    ev.to_json(folder / "pairs.json", keep_pairs=True)
    return ev, folder


@pytest.mark.slow
def test_many_rows_are_written_side_by_side_when_asked_for(long):
    ev, folder = long
    apart, pairs = (tm.read(folder / f"{name}.json") for name in ("apart", "pairs"))
    assert counted_of(pairs).joint == counted_of(ev).joint
    assert pairs._compared.to_dict() == ev._compared.to_dict()
    assert apart.values() == ev.values()
    note = next(n.text for n in apart.notes if n.rule == "pairs-left-out")
    assert "the 80,000 rows were saved without pairs" in note
    with pytest.raises(tm.InputError, match=r"write it with to_json\(keep_pairs=True\)"):
        apart.compare()


def test_rows_side_by_side_that_are_not_wanted_or_not_there(evaluations):
    both = evaluations["two models"]
    assert both.to_dict()["counted"]["joint"] is not None
    assert both.to_dict(keep_pairs=False)["counted"]["joint"] is None
    with pytest.raises(tm.InputError, match=r"none were kept here; leave it out"):
        evaluations["scores"].to_json(keep_pairs=True)
    for kind in ("clusters", *(["roles"] if part_roles() else [])):
        with pytest.raises(tm.InputError, match=r"need the rows; leave keep_pairs=False out"):
            evaluations[kind].to_json(keep_pairs=False)


@pytest.mark.slow
def test_what_says_how_rows_are_read_is_refused_beside_a_file_of_counts(evaluations, tmp_path):
    file = tmp_path / "run.json"
    evaluations["clusters"].to_json(file)
    again = tm.evaluate(
        file, threshold=0.3, positive="1", subgroup="region", options={"name": "us"}, level=0.8
    )
    wanted = evaluations["clusters"].at(threshold=0.3)
    assert again["f1"].value == wanted["f1"].value
    assert (str(again.source), again.level) == ("us", 0.8)
    for option in ({"score": "p"}, {"weight": "w"}, {"missing": "drop"}, {"positive": 0},
                   {"reading": {"percent": True}}, {"cluster": "clinic"}, {"y_score": [0.5]}):  # fmt: skip
        name = "percent" if "reading" in option else next(iter(option))
        with pytest.raises(
            tm.InputError, match=rf"^{name} says how rows are read.* leave .*{name}"
        ):
            tm.evaluate(file, **option)
    with pytest.raises(tm.InputError, match="the rows were not counted by 'sex'"):
        tm.evaluate(file, subgroup="sex")


def changed(data, path, value):
    """Return data with another value at the end of a path of keys."""
    first, *rest = path
    made = list(data) if isinstance(data, list) else dict(data)
    made[first] = changed(data[first], rest, value) if rest else value
    return made


MODEL = ("counted", "models", 0)
FAULTS = {
    "no format": (("format",), None, "names no format, so it is not an evaluation"),
    "a tally": (("format",), "tallymark/score-tally", "is 'tallymark/score-tally', so it is not an eval"),
    "no counts": (("counted",), 5, "this is 'int', not tallymark/counted-rows"),
    "the future": (("counted", "schema"), 1, "schema 1 is not known to this release"),
    "rows": (("counted", "rows"), "many", "rows is 'many', which to_dict"),
    "classes": (("counted", "classes"), [0, 1, 2], "the labels in .* are damaged or inconsistent"),
    "positive": (("counted", "positive"), 7, "the classes in .* are damaged"),
    "no model": (("counted", "models"), [], "the models in .* are damaged"),
    "threshold": ((*MODEL, "threshold"), "high", "threshold is 'high', which to_dict"),
    "scores": ((*MODEL, "scores", 0, "scores"), [[1]], "scores of a tally must be"),
    "text": ((*MODEL, "scores", 0, "counts"), "AAAA", "counts is not an array of numbers"),
    "bomb": (
        (*MODEL, "scores", 0, "counts"), {"shape": [10**6, 10**6], "float64": ""},
        "holds more than 4 GB",
    ),
    "subgroup": (
        ("counted", "subgroup_counts", "models", 0, "scores", 0, "subgroups"), [1] * 9,
        "the subgroups in .* are damaged",
    ),
    "a row's subgroup": (
        ("counted", "subgroup_counts", "of_rows"), [9] * N, "the subgroups in .* are damaged",
    ),
    "a row's class": (("counted", "joint", "true"), [2] * N, "the rows in .* are damaged"),
    "fewer rows": (("counted", "joint", "true"), [1], "the rows in .* are damaged"),
    "unknown": (("counted", "joint", "more"), [1], "has the unknown field 'more'"),
    "level": (("level",), 3, "level is 3; give a number between 0 and 1"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_such_file_is_refused_in_one_sentence(fault, evaluations, tmp_path):
    path, value, sentence = FAULTS[fault]
    data = json.loads(evaluations["clusters"].to_json())
    (tmp_path / "run.json").write_text(json.dumps(changed(data, path, value)), encoding="utf-8")
    with pytest.raises(tm.InputError, match=sentence) as refused:
        tm.read(tmp_path / "run.json")
    assert "run.json" in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "text", ["", "{", "y,p\n1,0.5\n", "[1]", "[" * 10_000, "\0", '{"a":' * 9999]
)
def test_other_files_and_those_cut_off_are_refused(text, tmp_path):
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(tm.InputError, match=r"does not hold complete JSON; give a file as save"):
        tm.read(tmp_path / "run.json")
    with pytest.raises(tm.InputError, match="there is no file"):
        tm.read(tmp_path / "other.json")


def test_a_cut_file_of_an_evaluation_is_no_table(evaluations, tmp_path):
    text = evaluations["scores"].to_json()
    (tmp_path / "run.json").write_text(text[: len(text) // 2], encoding="utf-8")
    with pytest.raises(tm.InputError, match="does not hold complete JSON"):
        tm.evaluate(tmp_path / "run.json")
    only_numbers = {k: v for k, v in json.loads(text).items() if k != "counted"}
    (tmp_path / "run.json").write_text(json.dumps(only_numbers), encoding="utf-8")
    with pytest.raises(tm.InputError, match="without its counts; write it again with to_json"):
        tm.read(tmp_path / "run.json")


@pytest.mark.slow
def test_a_million_scores_take_12_megabytes(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(10**6) < 0.3
    ev = tm.evaluate(y, y_score=1 / (1 + np.exp(-rng.normal(size=10**6) - y)))
    ev.to_json(tmp_path / "run.json")
    assert (tmp_path / "run.json").stat().st_size < 12e6
    again = tm.read(tmp_path / "run.json")
    assert again.models[0].scores == ev.models[0].scores
    assert replace(again, _counted=counted_of(ev)) == ev


def sites(tmp_path, **options):
    """Write the counts of two sites; return their files and the evaluation of all rows."""
    y, (p, q) = scored(models=2)
    first, files = np.arange(N) < 90, []
    columns = {"y_score": {"a": p, "b": q}, **options}
    for name, part in (("north", first), ("south", ~first)):
        own = {k: {m: s[part] for m, s in v.items()} if isinstance(v, dict) else v[part]
               for k, v in columns.items()}  # fmt: skip
        files.append(tmp_path / f"{name}.json")
        tm.evaluate(y[part], **own).to_json(files[-1])
    names = np.where(first, "north", "south")
    return files, tm.evaluate(y, **columns, subgroup={"site": names})


@pytest.mark.parametrize("kind", ["rows", "weights", "clusters", "roles", "decisions"])
@pytest.mark.slow
def test_counts_of_sites_are_those_of_all_their_rows(kind, tmp_path):
    rng = np.random.default_rng(5)
    options = {"weights": {"weight": rng.choice([0.5, 1, 2], N)},
               "clusters": {"cluster": np.arange(N) // 5},
               "roles": dict.fromkeys(part_roles(), rng.integers(1, 9, N))}.get(kind, {})  # fmt: skip
    if kind == "decisions":
        options = {"y_pred": {m: rng.integers(0, 2, N) for m in "ab"}}
    files, whole = sites(tmp_path, **options)
    found = tm.read(files)
    assert found.names == whole.names
    for model in found.names[: 2 if kind == "rows" else 1]:
        values, of_rows = (ev.model(model).values()[model] for ev in (found, whole))
        assert values.keys() == of_rows.keys()
        for name, wanted in of_rows.items():
            assert values[name].method == wanted.method, name
            for part in ("value", "low", "high"):
                of_both = [getattr(v, part) for v in (values[name], wanted)]
                assert of_both[0] == pytest.approx(of_both[1], rel=1e-9, abs=1e-12, nan_ok=True)
        by = [ev.model(model).by("site").values(["f1", "roc_auc"]) for ev in (found, whole)]
        assert list(by[0]) == list(by[1]) == ["north", "south"]
        for site, mine in by[0].items():
            for name, value in mine.items():
                assert value.value == pytest.approx(by[1][site][name].value, rel=1e-12)
    assert (
        found.compare(permutations=0).verdicts[0].kind
        == whole.compare(permutations=0).verdicts[0].kind
    )
    assert found.source.checks["studies"] == 2
    found.to_json(tmp_path / "all.json")
    assert tm.read(tmp_path / "all.json").to_dict() == found.to_dict()


@pytest.mark.slow
def test_sites_that_asked_something_else_are_refused(tmp_path):
    files, _ = sites(tmp_path)
    y, (p,) = scored()
    one = tmp_path / "one.json"
    for ev, sentence in (
        (tm.evaluate(y, y_score=p), r"^'north' and 'one' differ in the models: \('a', 'b'\) and"),
        (
            tm.evaluate(y, y_score={"a": p, "b": p}, positive=0),
            "^'north' and 'one' differ in the positive",
        ),
        (
            tm.evaluate(y, y_score={"a": p, "b": p}, threshold=0.3),
            "^'north' and 'one' differ in the thre",
        ),
        (
            tm.evaluate(y.astype(str), y_score={"a": p, "b": p}, positive="1"),
            "^'north' and 'one' differ in the classes",
        ),
        (
            tm.evaluate(y, y_score={"a": p, "b": p}, weight=p + 1),
            "^'north' and 'one' differ in the weights of rows: ",
        ),
        (tm.evaluate(y, y_score=p).at(prevalence=0.1), "^'one' holds rows .* cannot be added up"),
    ):
        ev.to_json(one)
        with pytest.raises(tm.InputError, match=sentence):
            tm.read([files[0], one])
    with pytest.raises(tm.InputError, match="names a file twice; give each site's file once"):
        tm.read([files[0], files[0]])
    with pytest.raises(tm.InputError, match="path names no file"):
        tm.read([])
    y, (p,) = scored()
    binned(y, p).to_json(one)
    binned(y, p).to_json(tmp_path / "two.json")
    with pytest.raises(tm.InputError, match="the scores of 'one' are in bins"):
        tm.read([one, tmp_path / "two.json"])
    files, _ = sites(tmp_path, cluster=np.arange(N))
    tm.evaluate(y, y_score={"a": p, "b": p}).to_json(one)
    with pytest.raises(tm.InputError, match="some sites have rows in clusters"):
        tm.read([files[0], one])


@pytest.mark.slow
def test_sites_with_other_levels_are_added_up_and_it_is_said(tmp_path):
    files, _ = sites(tmp_path)
    tm.evaluate(files[1], level=0.9).to_json(tmp_path / "east.json")
    notes = {n.rule: n.text for n in tm.read([files[0], tmp_path / "east.json"]).notes}
    assert notes["other-levels"] == (
        "the files have different levels (0.95 in 'north', 0.9 in 'east'); all intervals are at "
        "0.95"
    )
    assert "other-levels" not in {n.rule for n in tm.read(files).notes}


def unpacked(data):
    """Return data with its long arrays as lists."""
    if isinstance(data, dict) and "float64" in data:
        return floats(data, "").tolist()
    if isinstance(data, dict):
        return {k: unpacked(v) for k, v in data.items()}
    return [unpacked(v) for v in data] if isinstance(data, list) else data


@pytest.mark.parametrize("kind", NAMES)
def test_a_number_that_disagrees_with_the_other_parts_is_refused(kind, evaluations, tmp_path):
    """Add 1,000 to one count, total or sum of every part in turn."""
    data, file = unpacked(json.loads(evaluations[kind].to_json())), tmp_path / "run.json"
    model, groups = data["counted"]["models"][0], data["counted"]["subgroup_counts"]
    parts = {
        ("rows",): True, ("models", 0, "labels", "counts", 0, 0): True,
        ("models", 0, "labels", "rows"): True,
        ("models", 0, "scores", 0, "counts", 0, 0): model["scores"],
        ("models", 0, "scores", 0, "rows"): model["scores"],
        ("models", 0, "sums", "totals", 0, 0): model["sums"],
        ("models", 0, "sums", "squares", 1, 0): model["sums"],
        ("models", 0, "sums", "weights", 0): model["sums"],
        ("subgroup_counts", "rows", 0): groups,
        ("subgroup_counts", "models", 0, "scores", 0, "counts", 0, 0): groups and model["scores"],
        ("subgroup_counts", "models", 0, "sums", 0, "totals", 0, 0): groups and model["sums"],
    }  # fmt: skip
    for role in part_roles().values():
        for numbers in (("counts", 0, 0), (role.name, 0)):
            parts["models", 0, role.plural, *numbers] = model.get(role.plural)
    for path in (path for path, held in parts.items() if held):
        value = data["counted"]
        for key in path:
            value = value[key]
        file.write_text(
            json.dumps(changed(data, ("counted", *path), value + 1000)), encoding="utf-8"
        )
        with pytest.raises(tm.InputError, match=r"run\.json' (are damaged|cannot be read)"):
            tm.read(file)


def run(*arguments):
    found = CliRunner().invoke(main, [str(a) for a in arguments])
    return found.exit_code, found.output


@pytest.mark.parametrize("words", [
    ["report", "FILE"], ["threshold", "FILE"], ["thresholds", "FILE"], ["curve", "FILE", "roc"],
    ["advise", "FILE"], ["subgroups", "FILE", "--subgroup", "region"], ["inspect", "FILE"],
], ids=lambda words: words[0])  # fmt: skip
def test_every_command_that_judges_a_file_takes_one_of_counts(words, tmp_path):
    y, (p,) = scored()
    region = np.where(np.arange(N) % 2, "north", "south")
    tm.evaluate(y, y_score=p, subgroup={"region": region}).to_json(tmp_path / "run.json")
    code, text = run(*[str(tmp_path / "run.json") if w == "FILE" else w for w in words])
    assert code == 0, text


@pytest.mark.slow
def test_commands_take_files_of_counts(tmp_path):
    files, whole = sites(tmp_path)
    code, text = run("report", *files, "--json", tmp_path / "all.json", "--keep-pairs", "--full")
    assert code == 0
    assert "Mean over studies" in text
    assert counted_of(tm.read(tmp_path / "all.json")).joint == counted_of(whole).joint
    assert "site   rows" in text
    code, text = run("compare", *files)
    assert code == 0
    assert "a (north) − a (south)" in text or "first" in text
    assert run("compare", tmp_path / "all.json")[0] == 0
    assert run("report", tmp_path / "all.json", "--json", tmp_path / "one.json",
               "--no-keep-pairs")[0] == 0  # fmt: skip
    code, text = run("compare", tmp_path / "one.json")
    assert (code, "tallymark report --keep-pairs" in text) == (2, True)
    judged = ["--threshold", "0.3", "--prevalence", "0.2", "--level", "0.9", "--seed", "5"]
    code, text = run("report", files[0], *judged, "--json", tmp_path / "one.json")
    assert code == 0
    again = tm.read(tmp_path / "one.json")
    assert (again.level, again.seed) == (0.9, 5)
    wanted = tm.evaluate(files[0], level=0.9, seed=5).at(threshold=0.3, prevalence=0.2)
    assert again.values() == wanted.values()
    code, text = run("report", *files, "--score", "a")
    assert (code, "leave --score out" in text) == (2, True)
    code, text = run("compare", *files, "--with", files[1])
    assert (code, "give one of them" in text) == (2, True)
