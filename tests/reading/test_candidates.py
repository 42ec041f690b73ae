"""Columns nobody named: found by their names, else by what all rows hold, else asked for."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tallymark as tm
from tallymark.reading.chunks import FrameTable
from tallymark.reading.columns import find_roles, models_of
from tallymark.reading.names import meaning

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
        {"label": JA, "p_ja": P, "Entscheidung": np.where(OTHER, "ja", "nein"), "id": ID},
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
    assert (source.roles, source.positive, source.ignored) == (roles, positive, ignored)
    assert set(source.why) == {*roles, *(["positive"] if positive is not None else [])}
    if door.startswith(("SAS", "PROC")):
        return  # P_bad1 is named after the target and the class
    again = tm.evaluate(data, **{k: list(v) if isinstance(v, tuple) else v for k, v in
                                 roles.items()}, positive=positive)  # fmt: skip
    assert again.values() == ev.values()


def test_decisions_of_few_rows_are_features_unless_their_name_says_so():
    few = pd.DataFrame({"label": Y, "prob": P, "x": CUT})[:19]
    assert "pred" not in tm.evaluate(few).source.roles
    assert tm.evaluate(few.rename(columns={"x": "décision"})).source.roles["pred"] == "décision"
    assert find_roles(["label", "prob", "called"]).preds == (("called", None),)
    assert find_roles(["label", "prob", "called"], score="prob").preds == ()


def test_a_given_decision_is_judged_and_not_a_threshold_of_half():
    ev = tm.evaluate(pd.DataFrame({"label": Y, "prob": P, "decision": CUT}))
    assert float(ev["accuracy"]) == (Y == CUT).mean()
    assert float(ev["roc_auc"]) == float(tm.evaluate(Y, y_score=P)["roc_auc"])


ASKED = {
    "two decisions": (
        {"label": Y, "p": P, "called": CUT, "flag": CUT},
        "several columns could be the predicted class: 'called', 'flag'; say pred='called' or",
    ),
    "two names": (
        {"label": Y, "target": Y, "p": P},
        "several columns could be the true class: 'label', 'target'; say truth='label' or "
        "truth='target'",
    ),
    "two scores by content": (
        {"label": Y, "b": P, "c": Q},
        "could be the score, numbers from 0 to 1: 'b', 'c'; say score='b' or score='c', or "
        "score=['b', 'c'] for one model each",
    ),
    "two predictions by content": (
        {"label": JA, "b": JA, "c": JA},
        "with the values of 'label': 'b', 'c'; say pred='b' or pred='c', or pred=['b', 'c'] for one",
    ),
    "two truths by content": (
        {"sex": np.where(OTHER, "f", "m"), "x": JA, "p": P},
        "several columns could be the true class by their values: 'sex', 'x'; say truth='sex'",
    ),
    "no truth": (
        {"a": SHARES[:, 0], "p": P}, "no column looks like the true class (names such as y_true,",
    ),
    "no score": (
        {"label": Y, "svm": 3 * P - 2},
        "or numbers from 0 to 1); the columns are 'label', 'svm'; say which with score='svm' or",
    ),
    "texts called a score": (
        {"label": Y, "score": KIND},
        "; if 'score' is not the score, name the column that is with score=...",
    ),
    "which class": (
        {"label": np.where(Y, "good", "bad"), "p": P},
        "which class is positive? The classes are 'bad', 'good'; say positive='bad' or "
        "positive='good'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", ASKED)
def test_what_is_not_clear_is_asked_with_the_argument_for_each(case):
    columns, told = ASKED[case]
    with pytest.raises(tm.InputError) as caught:
        tm.evaluate(pd.DataFrame(columns))
    assert told in str(caught.value)


def test_the_remedies_work_word_for_word():
    frame = pd.DataFrame({"label": Y, "b": P, "c": Q})
    assert tm.evaluate(frame, score="b").names == ("b",)
    assert tm.evaluate(frame, score=["b", "c"]).names == ("b", "c")
    frame = pd.DataFrame({"label": JA, "b": JA, "c": JA})
    assert tm.evaluate(frame, pred=["b", "c"]).names == ("b", "c")
    frame = pd.DataFrame({"label": np.where(Y, "good", "bad"), "p": P})
    assert tm.evaluate(frame, positive="bad").positive == "bad"


def test_rows_are_looked_at_only_where_names_do_not_tell():
    class Closed(FrameTable):
        in_engine = property(lambda self: pytest.fail("rows were looked at"))

    for names in (["label", "score", "sample_weight"], ["id", "label", "age"]):
        table = Closed(pd.DataFrame(dict.fromkeys(names, Y)))
        if "score" in names:
            assert find_roles(names, table).truth == "label"
        else:
            with pytest.raises(pytest.fail.Exception, match="rows were looked at"):
                find_roles(names, table)


def test_only_first_rows_are_looked_at_for_decisions_where_names_tell_the_score():
    class First(FrameTable):
        chunks = property(lambda self: pytest.fail("all rows were looked at"))
        column = property(lambda self: pytest.fail("all rows were looked at"))

    columns = {"id": ID, "label": Y, "score": P, "age": OTHER, "sex": JA}
    assert find_roles(list(columns), First(pd.DataFrame(columns))).preds == ()
    with pytest.raises(pytest.fail.Exception, match="all rows were looked at"):
        find_roles([*columns, "x"], First(pd.DataFrame({**columns, "x": CUT})))


OF_CLASSES = {
    "called like the classes": ({"ja": P, "nein": 1 - P}, {"score": ["ja", "nein"]}),
    "in the other order": ({"ja": P, "nein": 1 - P}, {"score": ["nein", "ja"]}),
    "one of the class that is left": ({"p_other": 1 - P, "p_ja": P}, {}),
    "words for yes and no": ({"p_oui": P, "p_non": 1 - P}, {}),
    "adding up, in the order of the labels": (
        {"a1": 1 - P, "a2": P}, {"labels": ["nein", "ja"]}
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", OF_CLASSES)
@pytest.mark.parametrize("kind", ["frame", "CSV"])
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


def test_the_column_left_is_of_the_class_left_among_several():
    columns = {"p_c": SHARES[:, 2], "rest": SHARES[:, 1], "p_a": SHARES[:, 0]}
    ev = tm.evaluate(pd.DataFrame({"label": KIND, **columns}), score=[*columns])
    assert ev.values() == tm.evaluate(KIND, y_score=SHARES).values()
    frame = pd.DataFrame({"label": KIND, "u": SHARES[:, 2], "v": SHARES[:, 1], "w": SHARES[:, 0]})
    with pytest.raises(tm.InputError, match=r"'u', 'v', 'w' are not named after any of the classes.*"
                       r"list the classes in the order of the columns with labels="):  # fmt: skip
        tm.evaluate(frame)
    assert tm.evaluate(frame, labels=["c", "b", "a"])["roc_auc"] == ev["roc_auc"]


def test_columns_in_percent_add_up_to_a_hundred():
    frame = pd.DataFrame({"label": JA, "a1": 100 - 100 * P, "a2": 100 * P})
    ev = tm.evaluate(frame, labels=["nein", "ja"], percent=True)
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
    ("event", "no event"), ("setosa", "non-setosa"), ("churn", "no_churn"), ("b\u00f6sartig", "gutartig"),
    ("Krebs", "kein Krebs"), ("1", "0"),
])  # fmt: skip
def test_words_that_leave_no_doubt(positive, negative):
    ev = tm.evaluate([positive, negative, positive], [positive, negative, negative])
    assert ev.positive == positive
    assert ev.source.why["positive"] == "unmistakable"


@pytest.mark.parametrize("pair", [("good", "bad"), ("cat", "dog"), ("m", "f"), ("pass", "fail"),
                                  ("A", "B"), ("no", "none")])  # fmt: skip
def test_words_that_leave_doubt_are_asked(pair):
    with pytest.raises(tm.InputError, match=r"which class is positive\?.*say positive='"):
        tm.evaluate(pair, y_score=[0.2, 0.8])


@pytest.mark.parametrize("asked", [{}, {"truth": "kind"}])
def test_no_rows_are_said_before_columns_are_looked_for(tmp_path, asked):
    path = tmp_path / "t.csv"
    path.write_text("id,kind,probability\n")
    told = " has a header and no rows; give at least one"
    with pytest.raises(tm.InputError, match=f"t.csv{told}"):
        tm.evaluate(path, **asked)
    with pytest.raises(tm.InputError, match=f"the data frame{told}"):
        tm.evaluate(pd.DataFrame({"id": [], "kind": [], "amount": []}), **asked)
