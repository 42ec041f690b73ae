"""Columns nobody named: found by their names, else by what all rows hold, else asked for."""

from __future__ import annotations

import itertools

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from remedies import calls
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.reading.choose import find_roles
from tallymark.reading.columns import models_of
from tallymark.reading.look import look_at
from tallymark.reading.names import meaning
from tallymark.reading.readers import open_table

N = 120
RNG = np.random.default_rng(8)
Y = RNG.integers(0, 2, N)
P, Q = ((0.3 * Y + 0.7 * RNG.random(N)).round(3) for _ in "pq")
CALLED, OTHER = (P > 0.5).astype(int), (Q > 0.5).astype(int)
JA = np.where(Y, "ja", "nein")
KIND = RNG.choice(["a", "b", "c"], N)
SHARES = RNG.dirichlet([1, 1, 1], N)
ID = np.arange(N)
CUT = (P > 0.6).astype(int)
FLAG = (ID % 3 == 0).astype(int)
HIGHEST = np.array(["a", "b", "c"])[SHARES.argmax(1)]

TRUTHS = [
    "y_true",
    "y_test",
    "label",
    "target",
    "class",
    "truth",
    "gold",
    "ground_truth",
    "outcome",
    "actual",
    "diagnosis",
    "Y",
    "Ground-Truth",
    "groundTruth",
    "y.true",
    "Wahrheit",
    "Klasse",
    "Zielvariable",
    "étiquette",
    "Cible",
    "verdad",
    "clase",
]
PREDS = [
    "y_pred",
    "y_hat",
    "pred",
    "prediction",
    "predicted_class",
    "PREDICT",
    "Vorhersage",
    "prédiction",
    "predicción",
]
SCORES = [
    "y_prob",
    "y_proba",
    "y_score",
    "proba",
    "probability",
    "risk",
    "confidence",
    "p",
    "score",
    "Wahrscheinlichkeit",
    "probabilité",
    "probabilidad",
    "Predicted.Probability",
    "y_pred_proba",
]


WEIGHTS = ["sample_weight", "survey_weight", "Stichprobengewicht"]
ROLES = {"truth": TRUTHS, "pred": PREDS, "score": SCORES, "weight": WEIGHTS}


@pytest.mark.parametrize(("role", "names"), ROLES.items())
def test_usual_names_tell_the_role(role, names):
    assert {meaning(n).role for n in names} == {role}
    assert {meaning(n).of for n in names} == {None}


def test_what_stands_beside_a_role_is_a_class_or_a_model():
    beside = {
        "p_yes": ("score", "yes"), "prob_a": ("score", "a"), "yes_probability": ("score", "yes"),
        "rf_prob": ("score", "rf"), "xgb pred": ("pred", "xgb"), "y_pred_rf": ("pred", "rf"),
        "P(ill)": ("score", "ill"), "p1": ("score", "1"), "Prob.0": ("score", "0"),
        "p_c_d": ("score", "c_d"),
    }  # fmt: skip
    for name, said in beside.items():
        assert (meaning(name).role, meaning(name).of) == said
    for name in ("id", "age", "p_value", "rawPrediction", "price"):
        assert meaning(name) is None
    assert meaning("credit_score").weak


DOORS = {
    "the score that gives the prediction": (
        {"label": Y, "pred": CALLED, "credit_score": (500 + 300 * Q).round(), "out": P},
        {"truth": "label", "pred": "pred", "score": "out"}, 1, ("credit_score",),
    ),
    "the score named after the truth": (
        {"default": Y, "credit_score": (500 + 300 * Q).round(), "default_score": P},
        {"truth": "default", "score": "default_score"}, 1, ("credit_score",),
    ),
    "numbers called pos and neg beside a truth": (
        {"label": Y, "score": P, "pos": ID % 5, "neg": ID % 7},
        {"truth": "label", "score": "score"}, 1, ("pos", "neg"),
    ),
    "a margin called a prediction": (
        {"label": Y, "prediction": 4 * P - 2}, {"truth": "label", "score": "prediction"}, 1, (),
    ),
    "as many values as numbered columns": (
        {"v_0": SHARES[:, 0], "z": np.where(ID % 4, HIGHEST, KIND), "v_1": SHARES[:, 1],
         "flag": FLAG, "v_2": SHARES[:, 2], "call": HIGHEST},
        {"truth": "z", "pred": "call", "score": ("v_0", "v_1", "v_2")}, None, ("flag",),
    ),
    "German words": (
        {"Kunde": ID, "Abwanderung": JA, "Wahrscheinlichkeit": P},
        {"truth": "Abwanderung", "score": "Wahrscheinlichkeit"}, "ja", ("Kunde",),
    ),
    "nothing but contents": (
        {"id": ID, "x1": JA, "x2": P}, {"truth": "x1", "score": "x2"}, "ja", ("id",),
    ),
    "caret": (
        {"pred": np.where(CALLED, "ja", "nein"), "obs": JA, "ja": P, "nein": 1 - P, "row": ID},
        {"truth": "obs", "pred": "pred", "score": ("ja", "nein")}, "ja", ("row",),
    ),
    "H2O": (
        {"y": Y, "predict": CALLED, "p0": 1 - P, "p1": P},
        {"truth": "y", "pred": "predict", "score": ("p0", "p1")}, 1, (),
    ),
    "SAS": (
        {"F_bad": Y, "I_bad": CALLED, "P_bad1": P, "P_bad0": 1 - P},
        {"truth": "F_bad", "pred": "I_bad", "score": ("P_bad1", "P_bad0")}, 1, (),
    ),
    "SAS beside its target": (
        {"bad": Y, "P_bad1": P, "P_bad0": 1 - P, "I_bad": CALLED},
        {"truth": "bad", "pred": "I_bad", "score": ("P_bad1", "P_bad0")}, 1, (),
    ),
    "a prediction in fractions": (
        {"label": Y, "prediction": P}, {"truth": "label", "score": "prediction"}, 1, (),
    ),
    "PROC LOGISTIC": (
        {"_FROM_": Y, "_INTO_": CUT, "IP_0": 1 - P, "IP_1": P, "_LEVEL_": np.ones(N, int)},
        {"truth": "_FROM_", "pred": "_INTO_", "score": ("IP_0", "IP_1")}, 1, ("_LEVEL_",),
    ),
    "a decision by its name": (
        {"label": JA, "p_ja": P, "Entscheidung": np.where(CALLED, "ja", "nein"), "id": ID},
        {"truth": "label", "pred": "Entscheidung", "score": "p_ja"}, "ja", ("id",),
    ),
    "a decision by its threshold": (
        {"sex": OTHER, "label": Y, "prob": P, "high": CUT, "copy": Y},
        {"truth": "label", "pred": "high", "score": "prob"}, 1, ("sex", "copy"),
    ),
    "a decision in other words": (
        {"label": Y, "prob": P, "decision": np.where(CUT, "decline", "approve")},
        {"truth": "label", "score": "prob"}, 1, ("decision",),
    ),
    "features that two thresholds make": (
        {"label": Y, "prob": P, "high": CUT, "higher": (P > 0.8).astype(int)},
        {"truth": "label", "score": "prob"}, 1, ("high", "higher"),
    ),
    "a flag as the truth": (
        {"flag": Y, "prob": P}, {"truth": "flag", "score": "prob"}, 1, (),
    ),
    "the class of a lone score": (
        {"animal": np.where(Y, "cat", "dog"), "p_cat": P},
        {"truth": "animal", "score": "p_cat"}, "cat", (),
    ),
    "weights": (
        {"diagnosis": np.where(Y, "malignant", "benign"), "prob": P, "sample_weight": 1 + Q},
        {"truth": "diagnosis", "score": "prob", "weight": "sample_weight"}, "malignant", (),
    ),
    "a feature called a score": (
        {"label": Y, "prob": P, "credit_score": RNG.integers(300, 800, N)},
        {"truth": "label", "score": "prob"}, 1, ("credit_score",),
    ),
    "truth by the values of the prediction": (
        {"id": ID, "species": KIND, "pred": RNG.permutation(KIND), "sex": JA},
        {"truth": "species", "pred": "pred"}, None, ("id", "sex"),
    ),
    "truth by the names of the scores": (
        {"k": KIND, "sex": JA, **{f"prob_{c}": SHARES[:, i] for i, c in enumerate("abc")}},
        {"truth": "k", "score": ("prob_a", "prob_b", "prob_c")}, None, ("sex",),
    ),
    "the prediction by the values of the truth": (
        {"label": KIND, "x": RNG.permutation(KIND), "sex": JA},
        {"truth": "label", "pred": "x"}, None, ("sex",),
    ),
}  # fmt: skip


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", ["frame", "CSV"])
def test_columns_are_found(door, kind, tmp_path):
    columns, roles, positive, ignored = DOORS[door]
    data = pd.DataFrame(columns)
    if kind == "CSV":
        data.to_csv(tmp_path / "a.csv", index=False)
        data = tmp_path / "a.csv"
    ev = tm.evaluate(data)
    source = ev.source
    assert (source._roles, source.positive, source._ignored) == (roles, positive, ignored)
    assert set(source._why) == {*roles, *(["positive"] if positive is not None else [])}
    if door.startswith(("SAS", "PROC")):
        return  # P_bad1 is named after the target and the class
    again = tm.evaluate(data, **{k: list(v) if isinstance(v, tuple) else v for k, v in
                                 roles.items()}, positive=positive)  # fmt: skip
    assert [(m.name, m.labels, m.scores) for m in again.models] == [
        (m.name, m.labels, m.scores) for m in ev.models
    ]


def test_decisions_of_few_rows_are_features_unless_their_name_says_so():
    few = pd.DataFrame({"label": Y, "prob": P, "x": CUT})[:19]
    assert "pred" not in tm.evaluate(few).source._roles
    assert tm.evaluate(few.rename(columns={"x": "décision"})).source._roles["pred"] == "décision"
    called = few.rename(columns={"x": "called"})
    assert tm.evaluate(called).source._roles["pred"] == "called"
    assert "pred" not in tm.evaluate(called, score="prob").source._roles


def test_a_given_decision_is_judged_and_not_a_threshold_of_half():
    ev = tm.evaluate(pd.DataFrame({"label": Y, "prob": P, "decision": CUT}))
    assert float(ev["accuracy"]) == (Y == CUT).mean()
    assert float(ev["roc_auc"]) == float(tm.evaluate(Y, y_score=P)["roc_auc"])


ASKED = {
    "two decisions": (
        {"label": Y, "p": P, "called": CUT, "flag": CUT},
        "several columns could be the predicted class: 'called', 'flag'",
        [{"truth": "label", "pred": c, "score": "p"} for c in ("called", "flag")],
    ),
    "two names": (
        {"label": Y, "target": Y, "p": P},
        "several columns could be the true class: 'label', 'target'",
        [{"truth": c, "score": "p"} for c in ("label", "target")],
    ),
    "two scores by content": (
        {"label": Y, "b": P, "c": Q},
        "several columns could be the score: 'b', 'c'",
        [{"truth": "label", "score": s} for s in ("b", "c", ["b", "c"])],
    ),
    "two predictions by content": (
        {"label": JA, "b": JA, "c": JA},
        "several columns could be the predicted class: 'b', 'c'",
        [{"truth": "label", "pred": p} for p in ("b", "c", ["b", "c"])],
    ),
    "a feature above one half beside predictions": (
        {"label": Y, "pred": CALLED, "quality": (0.5 + RNG.random(N) / 2).round(3)},
        "the columns can be read in several ways",
        [
            {"truth": "label", "pred": "pred", "score": "quality"},
            {"truth": "label", "pred": "pred"},
        ],
    ),
    "a decision of another model": (
        {"label": JA, "p_ja": P, "Entscheidung": np.where(OTHER, "ja", "nein"), "id": ID},
        "the columns can be read in several ways",
        [
            {"truth": "label", "score": "p_ja"},
            {"truth": "label", "pred": "Entscheidung", "score": "p_ja"},
        ],
    ),
    "a feature beside a score without a truth": (
        {"id": ID, "active": FLAG, "p_churn": P},
        "nothing in the rows says that 'active' is what was predicted",
        [{"truth": "active", "score": "p_churn"}],
    ),
    "a truth called by accident": (
        {"class": FLAG, "survived": Y, "risk": P},
        "several columns could be the true class: 'class', 'survived'",
        [{"truth": c, "score": "risk"} for c in ("class", "survived")],
    ),
    "a label that the score makes": (
        {"label": CALLED, "score": P, "checked": Y},
        "several columns could be the true class: 'label', 'checked'",
        [
            {"truth": "label", "score": "score"},
            {"truth": "checked", "pred": "label", "score": "score"},
        ],
    ),
    "a number in the name of one of several scores": (
        {"label": Y, "model_1": P, "model_2": Q},
        "several columns could be the score: 'model_1', 'model_2'",
        [{"truth": "label", "score": s} for s in ("model_1", "model_2", ["model_1", "model_2"])],
    ),
    "a feature called like a score": (
        {"label": Y, "review_score": (3 * Q).round(1), "output": P},
        "several columns could be the score: 'review_score', 'output'",
        [
            {"truth": "label", "score": s}
            for s in ("review_score", "output", ["review_score", "output"])
        ],
    ),
    "points beside a feature from 0 to 1": (
        {"label": Y, "usage": RNG.permutation(Q), "points": (600 + 40 * P).round().astype(int)},
        "several columns could be the score: 'usage', 'points'",
        [{"truth": "label", "score": s} for s in ("usage", "points", ["usage", "points"])],
    ),
    "a table of counts under another name": (
        {"label": [0, 0, 1, 1], "pred": [0, 1, 0, 1], "patients": [885, 15, 20, 80]},
        "no two lines are equal but for patients, which may count the rows of each line",
        [{"count": "patients"}, {"count": False}],
    ),
    "the lines of two readers": (
        {"reader": [1] * N + [2] * N, "case": [*ID, *ID], "truth": [*Y, *Y], "score": [*P, *Q]},
        "each value of case stands in 2 lines, one for each reader, so they are no independent rows",
        [{"model": "reader"}, {"cluster": "case"}],
    ),
    "flags beside numbered columns": (
        {"status": Y, "p_1": P, "sex": np.where(FLAG, "f", "m"), "p_0": 1 - P},
        "several columns could be the true class: 'status', 'sex'",
        [
            {"truth": "status", "score": ["p_1", "p_0"]},
            *(
                {"truth": "sex", "score": ["p_0", "p_1"], "positive": p, "score_of": of}
                for p in "fm"
                for of in (["f", "m"], ["m", "f"])
            ),
        ],
    ),
    "a flag that chance explains, and a logit": (
        {"class": Y, "smoker": FLAG, "model": 3 * P - 2},
        "the columns can be read in several ways",
        [{"truth": "class", "score": "model"}, {"truth": "class", "pred": "smoker"}],
    ),
    "two truths by content": (
        {"sex": np.where(OTHER, "f", "m"), "x": JA, "p": P},
        "several columns could be the true class: 'sex', 'x'",
        [
            {"truth": "sex", "score": "p", "positive": "f"},
            {"truth": "sex", "score": "p", "positive": "m", "score_of": "f"},
            {"truth": "sex", "score": "p", "positive": "m", "reading": {"score_is": "score"}},
            {"truth": "x", "score": "p"},
        ],
    ),
    "no truth": (
        {"a": SHARES[:, 0], "p": P},
        "there is no true class here: no column looks like it (names such as y_true, label, "
        "target, or two values in all rows); the columns are 'a', 'p'; name its column with "
        "truth=..., or give the file that holds it with truth=tm.file(...)",
        [],
    ),
    "no score": (
        {"label": Y, "svm": 3 * P - 2},
        "or numbers from 0 to 1); the columns are 'label', 'svm'",
        [{"truth": "label", "score": "svm"}],
    ),
    "texts called a score": (
        {"label": Y, "score": KIND},
        "; if 'score' is not the score, name the column that is with score=...",
        [],
    ),
    "which class": (
        {"label": np.where(Y, "up", "down"), "p": P},
        "which class is positive? The classes are 'down', 'up'",
        [
            {"positive": "down", "score_of": "up"},
            {"positive": "down", "reading": {"score_is": "score"}},
            {"positive": "up"},
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
@pytest.mark.parametrize("kind", ["frame", "CSV"])
def test_what_is_not_clear_is_asked_with_calls_that_work(case, kind, tmp_path):
    columns, why, choices = ASKED[case]
    data = pd.DataFrame(columns)
    if kind == "CSV":
        data.to_csv(tmp_path / "a.csv", index=False)
        data = tmp_path / "a.csv"
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(data)
    assert why in str(asked.value)
    assert calls(str(asked.value)) == choices
    for say in choices:
        ev = tm.evaluate(data, **say)
        for role in ("truth", "pred", "score"):
            if role in say:
                named = say[role]
                assert ev.source._roles[role] == (tuple(named) if type(named) is list else named)
        assert ev.positive == say.get("positive", ev.positive)


def test_choices_for_one_model_leave_the_others_as_they_are():
    frame = pd.DataFrame({"label": Y, "good": P, "low": 1 - Q})
    with pytest.raises(
        tm.InputError, match="whether high or low values of low speak for '1'"
    ) as asked:
        tm.evaluate(frame, score=["good", "low"])
    alone, as_they_are = calls(str(asked.value))
    assert alone == {"score": "low", "score_of": "0"}
    assert as_they_are == {"reading": {"score_is": "score"}}
    assert tm.evaluate(frame, **alone)["roc_auc"].value > 0.5
    ev = tm.evaluate(frame, score=["good", "low"], **as_they_are)
    assert ev.model("good")["roc_auc"].value > 0.5 > ev.model("low")["roc_auc"].value


def test_no_choice_is_listed_twice():
    frame = pd.DataFrame({"y_true": [0, 1, 0], "p_0": 0.5, "p_1": [0.1, 0.3, 0.2], "p_total": 0.2})
    with pytest.raises(tm.InputError, match="several columns could be the score") as asked:
        tm.evaluate(frame)
    choices = calls(str(asked.value))
    assert choices
    assert all(say not in choices[:i] for i, say in enumerate(choices))


def test_one_row_with_nothing_said_judges_nothing(tmp_path):
    row = pd.DataFrame({"label": [1], "pred": [1]})
    row.to_csv(tmp_path / "a.csv", index=False)
    for data in (row, tmp_path / "a.csv"):
        with pytest.raises(
            tm.InputError, match="holds one row, and one sample judges nothing; give"
        ):
            tm.evaluate(data)
        assert tm.evaluate(data, truth="label", pred="pred", classes=[0, 1]).rows == 1


OF_CLASSES = {
    "called like the classes": ({"ja": P, "nein": 1 - P}, {"score": ["ja", "nein"]}),
    "in the other order": ({"ja": P, "nein": 1 - P}, {"score": ["nein", "ja"]}),
    "one of the class that is left": ({"p_other": 1 - P, "p_ja": P}, {}),
    "words for yes and no": ({"p_oui": P, "p_non": 1 - P}, {}),
    "adding up, in the order of the labels": (
        {"a1": 1 - P, "a2": P}, {"classes": ["nein", "ja"]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OF_CLASSES)
@pytest.mark.parametrize("kind", ["frame", "CSV"])
@pytest.mark.slow
def test_columns_of_one_models_classes_are_no_models(case, kind, tmp_path):
    columns, options = OF_CLASSES[case]
    data = pd.DataFrame({"label": JA, **columns})
    if kind == "CSV":
        data.to_csv(tmp_path / "a.csv", index=False)
        data = tmp_path / "a.csv"
    ev = tm.evaluate(data, **options)
    assert ev.names == ("model",)
    assert ev.values() == tm.evaluate(JA, y_score=P).values()
    if "label" not in case:
        arrays = {k: v for k, v in options.items() if k != "score"}
        assert tm.evaluate(JA, y_score=pd.DataFrame(columns), **arrays).values() == ev.values()


@pytest.mark.slow
def test_the_column_left_is_of_the_class_left_among_several():
    columns = {"p_c": SHARES[:, 2], "rest": SHARES[:, 1], "p_a": SHARES[:, 0]}
    ev = tm.evaluate(pd.DataFrame({"label": KIND, **columns}), score=[*columns])
    assert ev.values() == tm.evaluate(KIND, y_score=SHARES).values()
    frame = pd.DataFrame({"label": KIND, "u": SHARES[:, 2], "v": SHARES[:, 1], "w": SHARES[:, 0]})
    with pytest.raises(tm.InputError, match=r"'u', 'v', 'w' are not named after any of the classes.*"
                       r"list the classes in the order of the columns with classes="):  # fmt: skip
        tm.evaluate(frame)
    assert tm.evaluate(frame, classes=["c", "b", "a"])["roc_auc"] == ev["roc_auc"]


def test_columns_in_percent_add_up_to_a_hundred():
    frame = pd.DataFrame({"label": JA, "a1": 100 - 100 * P, "a2": 100 * P})
    ev = tm.evaluate(frame, classes=["nein", "ja"], reading={"percent": True})
    assert ev["brier"].value == pytest.approx(tm.evaluate(JA, y_score=P)["brier"].value)


def test_columns_after_one_class_that_do_not_add_up_are_asked_for():
    frame = pd.DataFrame({"label": JA, "p_ja": P, "p_other": Q})
    with pytest.raises(
        tm.InputError, match=r"several columns could be the score: 'p_ja', 'p_other"
    ):
        tm.evaluate(frame)
    assert tm.evaluate(frame, score=["p_ja", "p_other"]).names == ("p_ja", "p_other")
    assert tm.evaluate(frame, score="p_ja").names == ("p_ja",)


def test_columns_that_add_up_in_the_first_rows_only_are_refused(monkeypatch, tmp_path):
    monkeypatch.setattr("tallymark.reading.memory.Room.rows", 40)
    other = np.where(ID < 40, 1 - P, Q)
    pd.DataFrame({"label": JA, "p_ja": P, "p_other": other}).to_csv(tmp_path / "a.csv")
    with pytest.raises(
        tm.InputError, match="add up to 1 in the first 40 rows but not in later ones"
    ):
        tm.evaluate(tmp_path / "a.csv")
    for score in ("p_ja", "p_other"):
        assert tm.evaluate(tmp_path / "a.csv", score=score).names == (score,)


def test_prediction_and_score_of_one_name_are_one_model():
    frame = pd.DataFrame({"label": Y, "rf_pred": CALLED, "rf_prob": P, "nb_prob": Q, "lr_pred": 1})
    ev = tm.evaluate(frame)
    models = {m.name: (len(m.scores), m.rule) for m in ev.models}
    given, cut = "predictions as given", "scores at or above 0.5"
    assert models == {"rf": (1, given), "nb": (1, cut), "lr": (0, given)}
    said = models_of(find_roles(list(frame), pred=["rf_pred"], score=["rf_prob", "nb_prob"]))
    assert [(m.name, m.pred, m.scores) for m in said] == [
        ("rf", "rf_pred", ("rf_prob",)), ("nb", None, ("nb_prob",)),
    ]  # fmt: skip


def test_every_pred_is_a_model_and_they_compare_on_labels_alone():
    frame = pd.DataFrame({"label": Y, "a": CALLED, "b": OTHER})
    ev = tm.evaluate(frame, pred=["a", "b"])
    assert ev.names == ("a", "b")
    for name, called in (("a", CALLED), ("b", OTHER)):
        assert ev.model(name)["mcc"] == tm.evaluate(Y, called)["mcc"]
    assert ev.compare().metric == "matthews_corrcoef"


@pytest.mark.parametrize(("positive", "negative"), [
    ("yes", "no"), ("JA", "Nein"), ("oui", "non"), ("Sí", "no"), ("sì", "no"), ("y", "n"),
    ("T", "F"), ("pos", "neg"), ("Positive", "Negative"), ("+", "-"), ("+", "\u2212"),
    ("sick", "healthy"), ("ill", "well"), ("malignant", "benign"), ("case", "control"),
    ("fraud", "legit"), ("spam", "ham"), ("churned", "retained"), ("defective", "clean"),
    ("event", "no event"), ("bad", "good"), ("P", "N"), ("setosa", "non-setosa"), ("churn", "no_churn"), ("b\u00f6sartig", "gutartig"),
    ("Krebs", "kein Krebs"), ("1", "0"),
])  # fmt: skip
def test_words_that_leave_no_doubt(positive, negative):
    ev = tm.evaluate([positive, negative, positive], [positive, negative, negative])
    assert ev.positive == positive
    assert ev.source._why["positive"] == "unmistakable"


@pytest.mark.parametrize("pair", [("up", "down"), ("cat", "dog"), ("m", "f"), ("pass", "fail"),
                                  ("A", "B"), ("no", "none")])  # fmt: skip
def test_words_that_leave_doubt_are_asked(pair):
    with pytest.raises(tm.InputError, match=r"which class is positive\?") as asked:
        tm.evaluate(pair, y_score=[0.2, 0.8])
    choices = calls(str(asked.value))
    assert choices == [{"positive": c} for c in sorted(pair)]
    for say in choices:
        assert tm.evaluate(pair, y_score=[0.2, 0.8], **say).positive == say["positive"]


@pytest.mark.parametrize("asked", [{}, {"truth": "kind"}])
def test_no_rows_are_said_before_columns_are_looked_for(tmp_path, asked):
    path = tmp_path / "t.csv"
    path.write_text("id,kind,probability\n", encoding="utf-8")
    told = " has a header and no rows; give at least one"
    with pytest.raises(tm.InputError, match=f"t.csv{told}"):
        tm.evaluate(path, **asked)
    with pytest.raises(tm.InputError, match=f"the data frame{told}"):
        tm.evaluate(pd.DataFrame({"id": [], "kind": [], "amount": []}), **asked)


# -- columns that count rows -----------------------------------------------------------------------

ROUTES = ["frame", "polars lazy", "csv", "parquet", "json"]


def table(route, rows, folder):
    """Return rows as a frame, in an engine or as the path of a file."""
    made = {"frame": lambda: rows, "polars lazy": lambda: pl.from_pandas(rows).lazy(),
            "duckdb": lambda: duckdb.from_df(rows)}  # fmt: skip
    if route in made:
        return made[route]()
    path = folder / f"rows.{route}"
    write = {"csv": lambda: rows.to_csv(path, index=False), "parquet": lambda: rows.to_parquet(path),
             "json": lambda: rows.to_json(path, orient="records", lines=True)}  # fmt: skip
    write[route]()
    return str(path)


def matrix(ev):
    return ev.models[0].labels.counts.tolist()


EITHER = [{"count": "n"}, {"count": False}]
CELLS = pd.DataFrame({"y_true": [0, 0, 1, 1], "y_pred": [0, 1, 0, 1], "n": [50, 10, 5, 35]})


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(4)
    score, region = rng.integers(0, 21, 3000) / 20, rng.choice(["north", "south", None], 3000)
    return pd.DataFrame({
        "truth": (rng.random(3000) < score).astype(int), "score": score, "region": region,
    })  # fmt: skip


@pytest.fixture(scope="module")
def by_region(rows):
    return rows.groupby([*rows], dropna=False).size().reset_index(name="n")


# -- weights that are counts ---------------------------------------------------------------------


@pytest.mark.parametrize("route", [*ROUTES, "duckdb"])
def test_a_weight_that_counts_is_read_as_counts_and_said(route, tmp_path):
    ev = tm.evaluate(table(route, CELLS, tmp_path), weight="n")
    assert (ev.rows, matrix(ev)) == (100, [[50, 10], [5, 35]])
    wanted = tm.evaluate(CELLS, count="n")["matthews_corrcoef"]
    assert (ev["matthews_corrcoef"].low, ev["matthews_corrcoef"].high) == (wanted.low, wanted.high)
    assert ev.source._roles["count"] == "n"
    assert "count = `n`" in ev.source.sentence
    assert "count=..." in ev.source.sentence


def test_weights_of_another_name_or_with_fractions_are_weights():
    for rows, options in (
        (CELLS.rename(columns={"n": "survey_weight"}), {"weight": "survey_weight"}),
        (CELLS.assign(n=CELLS["n"] / 4), {"weight": "n"}),
        (CELLS, {"weight": "n", "count": False}),
        (CELLS.assign(n=1), {"weight": "n"}),
    ):
        assert tm.evaluate(rows, **options).rows == 4


def test_a_weight_that_could_be_either_is_asked_for(tmp_path):
    rows = pd.concat([CELLS, CELLS.head(2)]).assign(age=[30, 40, 40, 50, 30, 40])
    for data in (rows, table("csv", rows, tmp_path)):
        with pytest.raises(
            InputError,
            match="n holds whole numbers and could count the rows of each line; .*give count='n' in "
            "place of weight='n' if it does",
        ) as asked:
            tm.evaluate(data, weight="n")
        assert calls(str(asked.value)) == [{"weight": "n", "count": False}]
        assert tm.evaluate(data, count="n").rows == 160
        assert tm.evaluate(data, weight="n", count=False).rows == 6


# -- counts beside other columns -----------------------------------------------------------------


@pytest.mark.parametrize("route", ROUTES)
def test_counts_by_group_are_counted_without_the_group(route, rows, by_region, tmp_path):
    data = table(route, by_region, tmp_path)
    wanted, ev = tm.evaluate(rows), tm.evaluate(data)
    assert ev.rows == 3000
    assert ev["roc_auc"] == wanted["roc_auc"]
    assert ev.source._ignored == ("region",)
    assert ev.source._roles["count"] == "n"
    grouped = tm.evaluate(data, subgroup="region")
    assert grouped.rows == 3000
    each = [
        e.by("region").to_dict(["roc_auc"]) for e in (grouped, tm.evaluate(rows, subgroup="region"))
    ]
    assert each[0]["subgroups"] == each[1]["subgroups"]


def test_an_engine_counts_as_other_tables_do(by_region):
    data = duckdb.from_df(by_region)
    assert tm.evaluate(data).rows == tm.evaluate(data, count="n").rows == 3000
    with pytest.raises(InputError, match="could count the rows of each line") as asked:
        tm.evaluate(duckdb.from_df(by_region.assign(id=range(len(by_region)))))
    assert calls(str(asked.value)) == EITHER
    assert tm.evaluate(data, count=False).rows == len(by_region)
    assert tm.evaluate(duckdb.from_df(by_region.assign(n=0.5))).rows == len(by_region)


@pytest.mark.parametrize("route", ["frame", "csv"])
@pytest.mark.slow
def test_a_feature_that_is_called_like_counts_is_asked_about(route, tmp_path):
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({
        "label": rng.integers(0, 2, 200), "score": rng.random(200), "sex": rng.choice(["m", "f"], 200),
        "count": rng.integers(0, 9, 200),
    })  # fmt: skip
    # Scores that hardly repeat are those of rows.
    apart = tm.evaluate(table(route, rows, tmp_path))
    assert apart.rows == 200
    said = (
        "`count` is not read as a count of rows, since scores hardly repeat (say count='count' if"
    )
    assert said in apart.source.sentence
    # Equal lines are rows too, and scores that repeat may be counted: asked.
    data = table(route, rows.assign(score=rows["score"].round(1)), tmp_path)
    with pytest.raises(
        InputError, match="count holds whole numbers and could count the rows of each line; say"
    ) as asked:
        tm.evaluate(data)
    assert calls(str(asked.value)) == [{"count": "count"}, {"count": False}]
    assert tm.evaluate(data, count=False).rows == 200
    assert tm.evaluate(data, count="count").rows == rows["count"].sum()
    # What cannot be counts is no question.
    for values in (rows["count"] / 3, -rows["count"], np.ones(200, dtype=int), ["many"] * 200):
        assert tm.evaluate(table(route, rows.assign(count=values), tmp_path)).rows == 200


def test_two_columns_of_counts_are_named():
    with pytest.raises(
        InputError, match="several .* count the rows of each line: 'n', 'Freq'"
    ) as asked:
        tm.evaluate(CELLS.assign(Freq=CELLS["n"]))
    assert calls(str(asked.value)) == [{"count": c} for c in ("n", "Freq", False)]
    assert tm.evaluate(CELLS.assign(Freq=CELLS["n"] * 2), count="Freq").rows == 200


def test_all_combinations_of_a_small_table_are_counts():
    cells = list(itertools.product([0, 1], [0, 1], "ab"))
    rows = pd.DataFrame(cells, columns=["truth", "pred", "site"]).assign(Anzahl=range(3, 11))
    assert tm.evaluate(rows).rows == sum(range(3, 11))


def test_counts_are_whole_and_there():
    with pytest.raises(InputError, match="counts are whole numbers"):
        tm.evaluate(CELLS.assign(n=0.5), count="n")
    with pytest.raises(InputError, match="there is no column 'm' for count"):
        tm.evaluate(CELLS, count="m")
    with pytest.raises(InputError, match="count is True; give a text, or False where each line is"):
        tm.evaluate(CELLS, count=True)
    with pytest.raises(InputError, match="the column 'n' is named twice"):
        tm.evaluate(CELLS, count="n", weight="n")
    with pytest.raises(InputError, match="count does not go with arrays"):
        tm.evaluate([0, 1], [0, 1], count="n")


@pytest.mark.slow
def test_no_order_tells_mirrored_scores_apart():
    p = np.round(np.linspace(0, 1, 41), 3)
    true, decided = (np.where(rows, "cat", "dog") for rows in (p > 0.5, p >= 0.5))
    true[20] = "dog"  # the score of 0.5, as of a dog among those decided for
    rows = {"x1": np.append(true, "cat"), "x2": np.append(decided, "cat")}
    rows |= {"risk": np.append(p, 0.5), "prob_2": np.append(1 - p, 0.5)}
    frame, asked = pd.DataFrame(rows), set()
    for names in itertools.permutations(rows):
        for ordered in (frame, frame[::-1]):
            with pytest.raises(InputError) as error:
                tm.evaluate(ordered[[*names]], positive="cat")
            asked.add(str(error.value))
    (sentence,) = asked
    assert sentence.startswith("several columns could be the score: 'risk', 'prob_2'; say ")
    for say in calls(sentence)[:2]:
        assert tm.evaluate(frame, positive="cat", **say)["roc_auc"].value > 0.99


@pytest.mark.slow
def test_the_command_line_counts(by_region, tmp_path):
    def run(*words):
        result = CliRunner().invoke(main, ["report", path, *words], prog_name="tallymark")
        return result.exit_code, result.stdout + result.stderr

    path = table("csv", by_region.assign(index=range(len(by_region))), tmp_path)
    code, told = run()
    assert code == 2
    command = f"tallymark report {path}"
    assert f"say {command} --count n or {command} --no-count\n" in told
    assert "3,000 rows" in run("--count", "n")[1]
    assert f"{len(by_region)} rows" in run("--no-count")[1]
    code, told = run("--weight", "n")
    assert code == 2
    assert (
        f"say {command} --weight n --no-count; give --count n in place of --weight n if it" in told
    )
    assert run("--weight", "n", "--no-count")[0] == 0
    assert run("--count", "n", "--no-count")[0] == 2


# -- counted lines, crossed lines, and what one column may be ----------------------------------

FORTY = np.arange(40)
L4, P4 = [0, 0, 1, 1], [0, 1, 0, 1]
L40, P40 = np.resize(L4, 40), np.resize(P4, 40)
THIRDS = FORTY % 3 + 1
BOTH = {"truth": "its name", "pred": "its name"}
COUNTED = {"count": "its name, and every combination has one line"}
COULD = "n holds whole numbers and could count the rows of each line; say "
OR_NOT = "tm.evaluate(..., count='n') or tm.evaluate(..., count=False)"
NO_TRUTH = (
    "there is no true class here: no column looks like it (names such as y_true, label, target, or "
    "two values in all rows); the columns are {}; {}name its column with truth=..., or give the file "
    "that holds it with truth=tm.file(...)"
)


def distinct(n):
    """Return 40 scores of which so many are distinct."""
    return np.append(np.arange(n), np.zeros(40 - n)) / 50


def crossed(runs, cases):
    """Return lines of which each run has one for every case, whose truth is its own."""
    truth, of_run = np.arange(cases) * 7 % cases < cases // 3, np.repeat(np.arange(runs), cases)
    scores = np.random.default_rng(1).random(runs * cases).round(3)
    case = np.tile(np.arange(cases), runs) + 100
    return {"label": np.tile(truth, runs).astype(int), "score": scores, "case": case, "run": of_run}


LINES = "each value of case stands in {} lines, one for each run, so they are no independent rows; say tm.evaluate(..., model='run') or tm.evaluate(..., cluster='case'); model='run' judges each run by itself"
READ = [
    ({}, {"label": L4, "pred": P4, "n": [5, 6, 7, 8]}, {"count": "n", "why": BOTH | COUNTED}),
    ({}, {"label": L4, "pred": P4, "n": [5, 6, 7, 0]}, {"count": "n", "why": BOTH | COUNTED}),
    ({}, {"label": L4, "pred": P4, "n": [1, 1, 1, 2]}, {"count": "n", "why": BOTH | COUNTED}),
    ({}, {"label": L4, "pred": P4, "n": [1, 1, 1, 1]}, {"why": BOTH}),
    ({}, {"label": L4, "pred": P4, "n": [5, 6, 7, -1]}, {"why": BOTH}),
    ({}, {"label": L4, "pred": P4, "n": [5, 6, 7, 1.5]}, {"why": BOTH}),
    ({}, {"label": [*L4, 1], "pred": [*P4, 1], "n": [5, 6, 7, 8, 9]}, COULD + OR_NOT),
    ({}, {"label": L40, "pred": P40, "n": THIRDS}, COULD + OR_NOT),
    ({"weight": "n"}, {"label": L40, "pred": P40, "n": THIRDS},
     f"{COULD}tm.evaluate(..., weight='n', count=False); give count='n' in place of weight='n' if it "
     "does"),
    ({"weight": "n"}, {"label": L4, "pred": P4, "n": [5, 6, 7, 8]},
     {"count": "n", "why": BOTH | COUNTED}),
    ({"count": "n"}, {"label": L40, "pred": P40, "n": THIRDS}, {"count": "n", "why": BOTH}),
    ({"count": False}, {"label": L4, "pred": P4, "n": [5, 6, 7, 8]}, {"why": BOTH}),
    ({}, {"label": L40, "score": distinct(31), "n": THIRDS}, COULD + OR_NOT),
    ({}, {"label": L40, "score": distinct(32), "n": THIRDS},
     {"why": {"truth": "its name", "score": "its name"},
      "said": ("`n` is not read as a count of rows, since scores hardly repeat (say count='n' if it "
               "is one)",)}),
    ({}, {"score": FORTY / 40, "pos": FORTY % 3, "neg": FORTY % 5},
     {"count": ["pos", "neg"], "why": {"score": "its name"}}),
    ({}, crossed(2, 20), LINES.format(2)),
    ({}, crossed(2, 19), {"why": {"truth": "its name", "score": "its name"}}),
    ({}, crossed(50, 20), LINES.format(50)),
    ({}, crossed(51, 20), {"why": {"truth": "its name", "score": "its name"}}),
    ({"cluster": "case"}, crossed(3, 20), {"why": {"truth": "its name", "score": "its name"}}),
    ({"model": False}, crossed(3, 20), {"why": {"truth": "its name", "score": "its name"}}),
    ({}, {"y": ["y", "0", "1", "y"], "p": ["p", "0.1", "0.2", "p"]},
     "the data frame repeats its header after 0 rows; remove that line"),
    ({}, {"y": ["0", "1", "y", "0"], "p": ["0.1", "0.2", "p", ".4"]},
     "the data frame repeats its header after 2 rows; remove that line"),
    ({}, {"a": P40, "score": FORTY / 40},
     NO_TRUTH.format("'a', 'score'", "nothing in the rows says that 'a' is what was predicted; say "
                     "tm.evaluate(..., truth='a', score='score'); ")),
    ({}, {"id": FORTY, "p": FORTY / 50}, NO_TRUTH.format("'id', 'p'", "")),
    ({"truth": "score"}, {"a": P40, "score": FORTY / 40},
     "only 'score' is named like a prediction or a score, and it was given as the truth; name another "
     "column as the truth, or say which is a prediction or a score with score=..."),
    ({"pred": "label"}, {"label": P40, "x": FORTY / 40},
     "only 'label' is named like the true class, and it was given as the pred; name another column as "
     "the pred, or say which is the true class with truth=..."),
    ({}, {"label": P40, "pred": 1 - P40}, {"why": BOTH}),
    ({"truth": "a", "score": ["b", "c"], "weight": "d"},
     {"a": P40, "b": FORTY / 40, "c": FORTY / 80, "d": FORTY / 7},
     {"weight": "d", "score": ["b", "c"], "why": {}}),
]  # fmt: skip


def test_each_table_is_read_with_its_counts_and_reasons_or_asked_about():
    for given, columns, wanted in READ:
        frame = pd.DataFrame(columns)
        look = look_at(open_table(frame))
        if isinstance(wanted, str):
            with pytest.raises(InputError) as caught:
                find_roles(list(frame), look, **given)
            assert str(caught.value) == wanted
            continue
        roles = find_roles(list(frame), look, **given)
        found = roles.columns
        assert found.get("count", []) == [*wanted.get("count", [])], (given, list(frame))
        assert found.get("weight", []) == [*wanted.get("weight", [])]
        assert found["score"] == wanted.get("score", [c for c in frame if c == "score"])
        assert roles.why == wanted["why"]
        assert roles.notes == wanted.get("said", ())


def test_bands_of_a_score_are_no_true_class():
    score = np.arange(60) * 7 % 60 / 60
    band = np.array(list("abc"))[np.digitize(score, [0.3, 0.6])]
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(pd.DataFrame({"x": band, "pred": np.roll(band, 1), "score": score}))
    assert "; 'x' follows from 'score' by thresholds; name its column with truth" in str(
        asked.value
    )


@pytest.mark.parametrize("scale", [1, 7], ids=["probabilities", "other numbers"])
def test_twenty_models_are_offered_together_first(scale, tmp_path, monkeypatch):
    rng, names = np.random.default_rng(3), [f"model_{i:02}" for i in range(20)]
    truth = np.repeat([0, 1], 100)
    columns = {n: scale * np.round(rng.beta(1 + truth, 2 - truth), 4) for n in names}
    frame = pd.DataFrame({"truth": truth, **columns})
    with pytest.raises(tm.InputError) as asked:
        tm.evaluate(frame)
    together, first = calls(str(asked.value))[:2]
    assert together == {"truth": "truth", "score": names}
    assert first == {"truth": "truth", "score": "model_00"}
    assert tm.evaluate(frame, truth="truth", score=names).names == tuple(names)
    monkeypatch.chdir(tmp_path)
    frame.to_csv("twenty.csv", index=False)
    refused = CliRunner().invoke(main, ["report", "twenty.csv"])
    command = [
        "report",
        "twenty.csv",
        "--truth",
        "truth",
        *(w for n in names for w in ("--score", n)),
    ]
    assert " ".join(["tallymark", *command]) in " ".join(refused.output.split())
    done = CliRunner().invoke(main, ["inspect", *command[1:]])
    assert done.exit_code == 0, done.output
    assert "A report judges 200 rows" in " ".join(done.output.split())
