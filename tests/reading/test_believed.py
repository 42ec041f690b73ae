"""What was believed can be said again, and reads other data alike: reading= and ev.reading."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.contract import NAMED_HERE

RNG = np.random.default_rng(11)
N = 400
Y = RNG.integers(0, 2, N)
P = np.clip(0.25 + 0.5 * Y + RNG.normal(0, 0.2, N), 0.01, 0.99).round(4)
WORDS = np.where(Y, "yes", "no")
SAID = np.where(P >= 0.5, "yes", "no")
Z = np.log(P / (1 - P))
THREE = RNG.integers(1, 4, N)
SHARES = RNG.dirichlet(np.ones(3), N) * 0.5 + 0.5 * np.eye(3)[THREE - 1]

TABLES = {
    "names": ({"label": WORDS, "p_yes": P, "pred": SAID}, {}),
    "the probability of the predicted class": (
        {"label": WORDS, "pred": SAID, "sure": np.maximum(P, 1 - P)}, {"positive": "yes"},
    ),
    "in percent": (
        {"label": WORDS, "pred": SAID, "sure": 100 * np.maximum(P, 1 - P)}, {"positive": "yes"},
    ),
    "of the other class": (
        {"label": WORDS, "pred": SAID, "score": 1 - P}, {"positive": "yes"},
    ),
    "numbered columns": (
        {"label": THREE, "pred": SHARES.argmax(1) + 1, "p_0": SHARES[:, 0], "p_1": SHARES[:, 1],
         "p_2": SHARES[:, 2]}, {},
    ),
    "columns in the order that decisions show": (
        {"label": WORDS, "pred": SAID, "p_1": P, "p_2": 1 - P}, {"positive": "yes"},
    ),
    "logits": ({"label": WORDS, "pred": SAID, "z_no": -Z, "z_yes": Z}, {"positive": "yes"}),
    "low scores": (
        {"label": Y, "distance": -Z}, {"reading": {"score_is": "lower"}, "score": "distance"},
    ),
    "other spelling": (
        {"label": WORDS, "pred": np.char.upper(SAID), "p_yes": P},
        {"positive": "yes", "reading": {"ignore_case": True}},
    ),
    "listed classes": (
        {"label": WORDS, "pred": SAID}, {"classes": ["yes", "no", "maybe"]},
    ),
    "a column of weights": ({"label": WORDS, "p_yes": P, "w": 1 + Y}, {"weight": "w"}),
    "two models": ({"label": Y, "a_prob": P, "b_prob": np.sqrt(P)}, {}),
}  # fmt: skip


def counts(ev):
    """Return what was counted of each model, from which all its numbers are computed."""
    return {
        m.name: (
            m.labels,
            [(s.positive, s.scores.round(12).tolist(), s.counts.tolist()) for s in m.scores],
        )
        for m in ev.models
    }


@pytest.mark.parametrize("form", ["frame", "file"])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_a_reading_reads_the_same_and_other_rows_alike(name, form, tmp_path):
    columns, said = TABLES[name]
    frame = pd.DataFrame(columns)
    data, some = frame, frame[:60]
    if form == "file":
        data, some = tmp_path / "all.csv", tmp_path / "some.csv"
        frame.to_csv(data, index=False)
        frame[:60].to_csv(some, index=False)
    first = tm.evaluate(data, **said)
    again = tm.evaluate(data, reading=first.reading)
    assert counts(again) == counts(first)
    assert again.reading.arguments == first.reading.arguments
    path = tmp_path / "reading.json"
    path.write_text(json.dumps(dict(first.reading.arguments)), encoding="utf-8")
    here = tm.evaluate(some, reading=path)
    assert counts(here) == counts(tm.evaluate(some, reading=first.reading))
    assert (here.rows, here.positive) == (60, first.positive)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.slow
def test_what_inspect_writes_reads_alike_on_the_command_line(name, tmp_path):
    columns, said = TABLES[name]
    file, reading, found = (tmp_path / n for n in ("a.csv", "reading.json", "ev.json"))
    pd.DataFrame(columns).to_csv(file, index=False)
    words = {**said.get("reading", {}), **{k: v for k, v in said.items() if k != "reading"}}
    options = []
    for word, value in words.items():
        flag = "--" + word.replace("_", "-")
        options += (
            [flag]
            if value is True
            else [flag, value if isinstance(value, str) else ",".join(value)]
        )
    made = CliRunner().invoke(main, ["inspect", str(file), "--json", *options])
    assert made.exit_code == 0, made.output
    reading.write_text(made.stdout, encoding="utf-8")
    ran = CliRunner().invoke(
        main, ["report", str(file), "--reading", str(reading), "--json", str(found)]
    )
    assert ran.exit_code == 0, ran.output
    wanted = tm.evaluate(file, **said)
    assert counts(tm.read(found)) == counts(wanted)
    assert tm.read(found).reading.arguments == wanted.reading.arguments


def test_arrays_are_read_alike():
    sure = np.maximum(P, 1 - P)
    first = tm.evaluate(WORDS, SAID, y_score=sure, positive="yes")
    assert first.reading.arguments == {"positive": "yes", "score_of": "prediction"}
    few = slice(0, 15)  # too few rows to show it
    again = tm.evaluate(WORDS[few], SAID[few], y_score=sure[few], reading=first.reading)
    frame = tm.evaluate(WORDS[few], SAID[few], y_score=P[few], positive="yes")
    assert again["roc_auc"].value == frame["roc_auc"].value
    pair = np.stack([-Z, Z], 1)
    logits = tm.evaluate(WORDS, y_score=pair, positive="yes")
    assert logits.reading.meanings["score_is"] == "logit"
    again = tm.evaluate(WORDS, y_score=pair, reading=logits.reading)
    assert again["roc_auc"].value == logits["roc_auc"].value


@pytest.mark.parametrize("columns", [
    {"score": [0.1, 0.4, 0.8], "pos": [1, 3, 5], "neg": [4, 2, 1]},
    {"truth": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "n": [50, 10, 5, 35]},
    {"case": [1, 2, 3, 4] * 2, "model": ["a"] * 4 + ["b"] * 4, "label": [0, 1, 0, 1] * 2,
     "score": [0.2, 0.7, 0.3, 0.6, 0.1, 0.9, 0.6, 0.4]},
])  # fmt: skip
def test_tables_of_counts_and_of_several_models_are_read_alike(columns):
    first = tm.evaluate(pd.DataFrame(columns))
    again = tm.evaluate(pd.DataFrame(columns), reading=first.reading)
    assert counts(again) == counts(first)


@pytest.mark.parametrize("said", [{"percent": True}, {"score_is": "percent"}])
def test_percent_is_said_by_either_word(said):
    ev = tm.evaluate(Y, y_score=100 * P, reading=said)
    assert ev["brier"].value == pytest.approx(tm.evaluate(Y, y_score=P)["brier"].value)
    assert ev.reading.arguments == {"positive": 1, "percent": True}


def test_a_reading_says_what_was_believed_and_why():
    columns, said = TABLES["the probability of the predicted class"]
    read = tm.evaluate(pd.DataFrame(columns), **said).reading
    assert read.roles == {"truth": "label", "pred": "pred", "score": "sure"}
    assert read.meanings == {"score_of": "prediction"}
    assert (read.positive, read.classes) == ("yes", ("no", "yes"))
    assert "truth: its name" in read.evidence
    assert any("the probability of the predicted class: never below" in e for e in read.evidence)
    assert "score_of = prediction" in repr(read)
    assert "never below" in str(read)
    assert json.loads(json.dumps(read.to_dict()))["arguments"] == dict(read.arguments)


def test_several_labels_are_read_alike():
    rows = pd.DataFrame({"true_a": Y, "true_b": 1 - Y, "pred_a": Y, "pred_b": Y})
    first = tm.evaluate(rows, classes=["a", "b"])
    again = tm.evaluate(rows, reading=first.reading)
    assert again.labels == first.labels == ("a", "b")
    assert again.value("f1", average="micro") == first.value("f1", average="micro")


def test_an_argument_wins_over_the_reading():
    reading = {"truth": "label", "score": "other", "missing": "drop", "positive": "no"}
    frame = pd.DataFrame({"label": WORDS, "other": 1 - P, "p": np.append(P[1:], np.nan)})
    ev = tm.evaluate(frame, score="p", positive="yes", reading=reading)
    assert (ev.source._roles["score"], ev.positive, ev.dropped) == ("p", "yes", 1)


@pytest.mark.parametrize("word", NAMED_HERE)
def test_an_argument_of_another_name_leads_to_the_one_here(word):
    with pytest.raises(tm.InputError) as refused:
        tm.evaluate(Y, y_score=P, **{word: None})
    new = NAMED_HERE[word] if "=" in NAMED_HERE[word] else f"{NAMED_HERE[word]}="
    assert str(refused.value) == f"there is no argument {word}; use {new}"
    known = ("classes", "weight", "truth", "fold", "reading", "options", "positive", "y_score")
    assert new.split("=")[0] in known


def test_labels_are_classes_of_a_tallier_too():
    with pytest.raises(tm.InputError, match="^there is no argument labels; use classes=$"):
        tm.Tallier(labels=[0, 1])


@pytest.mark.parametrize(("given", "words"), [
    ({"reading": {"scores": "p"}}, "reading has no word 'scores'; did you mean 'score' or 'score_is' or 'score_of'"),
    ({"reading": {"header": False}}, "reading has no word 'header'; there are 'truth', 'pred', 'score'"),
    ({"reading": {"score_is": "odds"}}, "score_is is 'odds'; there are 'probability', 'percent'"),
    ({"reading": {"percent": 1}}, "percent is 1; give True or False"),
    ({"reading": 5}, "reading is 5; give words such as"),
    ({"reading": "nowhere.json"}, "there is no reading in 'nowhere.json': No such file"),
    ({"options": {"heder": False}}, "options has no word 'heder'; did you mean 'header'"),
    ({"options": {"classes": [0, 1]}}, "options has no word 'classes'; there are 'header', 'sheet', 'memory'"),
    ({"options": {"tolerance": 2}}, "tolerance is 2; give a number between 0 and 1"),
    ({"options": "a.csv"}, "options is 'a.csv'; give words such as"),
    ({"options": {"header": True}}, "header does not go with arrays; give the path of a file"),
    ({"reading": {"truth": "label"}}, "truth does not go with arrays; give y_pred="),
    ({"fold": 5}, r"fold says how to split the rows for an estimator, as in evaluate\(model, X, y, fold=5\)"),
])  # fmt: skip
def test_what_cannot_be_said_is_refused(given, words):
    with pytest.raises(tm.InputError, match=words):
        tm.evaluate(Y, y_score=P, **given)


@pytest.mark.parametrize(
    "text", ["[1]", "{", '{"format": "tallymark/evaluation"}', '{"reading": null}']
)
def test_a_file_without_a_reading_is_refused(text, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(
        tm.InputError, match="other.json' holds no reading; give the file that tallymark"
    ):
        tm.evaluate(Y, y_score=P, reading=path)


@pytest.mark.slow
def test_messages_name_arguments_as_the_door_takes_them(tmp_path):
    file = tmp_path / "bare.csv"
    file.write_text("".join(f"{y},{p}\n" for y, p in zip(WORDS, P, strict=True)), encoding="utf-8")
    with pytest.raises(tm.InputError, match=r"give options=\{'header': False\} if it is one"):
        tm.evaluate(file)
    told = CliRunner().invoke(main, ["report", str(file)]).output
    assert "give --no-header if it is one" in told
    assert "options=" not in told
    with pytest.raises(tm.InputError, match=r"say reading=\{'ignore_case': True\} if they are one"):
        tm.evaluate(["a", "A", "b"], ["a", "a", "b"])
    file.write_text("label,pred\na,A\nb,b\nA,a\n", encoding="utf-8")
    assert (
        "say --ignore-case if they are one"
        in CliRunner().invoke(main, ["report", str(file)]).output
    )


def test_a_question_puts_words_where_they_are_taken():
    two = np.stack([P, np.sqrt(1 - P)], 1)
    frame = pd.DataFrame({"label": WORDS, "p_yes": two[:, 0], "p_no": two[:, 1]})
    with pytest.raises(tm.InputError, match=r"reading=\{'score_is': 'logit'\}") as asked:
        tm.evaluate(frame, positive="yes")
    say = next(c for c in asked.value.choices if "score_is" in c)
    inside = {w: v for w, v in say.items() if w == "score_is"}
    rest = {w: v for w, v in say.items() if w != "score_is"}
    assert tm.evaluate(frame, **{"positive": "yes", **rest}, reading=inside)["roc_auc"].value > 0.9


def test_a_question_is_answered_by_options_of_the_command(tmp_path):
    file = tmp_path / "two.csv"
    pd.DataFrame({"label": WORDS, "p_yes": P, "p_no": np.sqrt(1 - P)}).to_csv(file, index=False)
    told = CliRunner().invoke(main, ["report", str(file), "--positive", "yes"]).output
    assert "--score-is logit" in told
    assert "reading=" not in told


@pytest.mark.parametrize(
    "said",
    [
        {"classes": np.array([0, 1])},
        {"score_of": np.int64(1)},
        {"reading": {"classes": np.array([0, 1])}},
    ],
)
def test_what_numpy_says_is_kept_as_json_has_it(said):
    frame = pd.DataFrame({"label": np.arange(20) % 2, "p": np.arange(20) % 2 / 2 + 0.1})
    kept = json.loads(json.dumps(tm.evaluate(frame, **said).to_dict()))["source"]["meanings"]
    assert kept in ({"classes": [0, 1]}, {"score_of": 1})
