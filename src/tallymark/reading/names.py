"""Common column names: of scikit-learn, of other tools, and in plain words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tallymark.errors import InputError, choices

_NAMES = {
    "truth": """
        y_true y_test y_label truth true ground_truth gt gold gold_label gold_standard
        label labels class_label true_label target targets target_class class classes true_class
        actual actual_class actual_label actual_value actual_outcome outcome observed obs
        diagnosis reference reference_standard expected expected_label expected_class
        human_label human_class adjudicated verified_label corrected_label
        wahrheit klasse wahre_klasse zielvariable zielklasse ziel tatsächlich ist_klasse diagnose
        befund ergebnis
        vérité vérité_terrain classe classe_réelle étiquette cible réel observé diagnostic résultat
        verdad clase clase_real etiqueta objetivo real observado diagnóstico resultado""",
    "pred": """
        y_pred y_hat pred preds predict prediction predictions predicted predicted_class
        predicted_label predicted_value predicted_outcome pred_class pred_label forecast
        model_prediction
        vorhersage vorhergesagt vorhergesagte_klasse prognose prädiktion
        prédit classe_prédite prévision
        predicción predicho clase_predicha pronóstico""",
    "score": """
        score scores y_score y_scores y_prob y_proba y_probs y_pred_proba y_pred_prob prob proba
        probs probas p p_hat probability probabilities pred_prob pred_proba pred_score
        predicted_prob predicted_proba predicted_probability prediction_probability
        prediction_score predicted_score model_score logit logits log_odds risk risk_score
        predicted_risk confidence confidence_score likelihood propensity propensity_score
        decision_function decision_value
        wahrscheinlichkeit vorhersagewahrscheinlichkeit risiko konfidenz
        probabilité probabilité_prédite risque confiance
        probabilidad probabilidad_predicha riesgo confianza puntuación puntaje""",
    "weight": """
        sample_weight sample_weights sampling_weight survey_weight case_weight
        stichprobengewicht""",
    # Such a margin is relative to the true class: it evaluates a prediction and is not one.
    "nothing": "prediction_margin",
}
_BESIDE = {
    "pred": "pred prediction predicted y_pred y_hat vorhersage predicción prédit",
    "score": """
        p pr prob probs proba probability y_prob y_proba y_score pred_prob pred_proba
        predicted_probability wahrscheinlichkeit probabilité probabilidad""",
}
"""Words before or after the name of a class or of a model: p_yes, rf_prob."""

TOTALS = frozenset(
    [
        "total",
        "totals",
        "grand total",
        "row total",
        "column total",
        "overall total",
        "subtotal",
        "tot",
        "sum",
        "sums",
        "all",
        "margin",
        "margins",
        "gesamt",
        "gesamtsumme",
        "gesamtergebnis",
        "summe",
        "insgesamt",
        "total général",
        "somme",
        "totaux",
        "total general",
        "totales",
        "suma",
        "totale",
        "soma",
        "totaal",
        "razem",
        "итого",
        "всего",
        "σ",
        "合計",
        "合计",
        "总计",
    ]
)
"""Names of a row or a column of totals."""

ORDERS = (
    ("very low", "low", "medium", "high", "very high"),
    ("low", "moderate", "high"),
    ("low", "mid", "high"),
    ("small", "medium", "large"),
    ("none", "mild", "moderate", "severe"),
    ("negative", "neutral", "positive"),
    ("poor", "fair", "good", "very good", "excellent"),
    ("bad", "good"),
    ("never", "rarely", "sometimes", "often", "always"),
    ("niedrig", "mittel", "hoch"),
    ("faible", "moyen", "élevé"),
    ("bajo", "medio", "alto"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
)
"""Words of ordinal classes, in ascending order."""


def natural_order(classes: Sequence[object]) -> list[object] | None:
    """Return classes in their natural order, None if their words have none.

    >>> natural_order(["high", "low", "medium"])
    ['low', 'medium', 'high']
    """
    for words in ORDERS:
        places = {bare(word): i for i, word in enumerate(words)}
        if all(bare(str(c)) in places for c in classes):
            return sorted(classes, key=lambda c: places[bare(str(c))])
    return None


CONFIDENCE = ("confidence", "conf", "certainty", "konfidenz", "confiance", "confianza")
"""Names of the probability of the predicted class, and sometimes of the positive one."""

_ALSO_BEFORE = "score scores ip"
_ALSO_BEHIND = "score risk confidence"
"""Words that are also common in feature names: credit_score."""

_SEPARATOR = re.compile(r"[_\s.\-:(\[]+")

COUNT = ("n", "count")
_COUNTS = {
    *COUNT,
    "counts",
    "cnt",
    "freq",
    "freqs",
    "frequency",
    "frequencies",
    "anzahl",
    "häufigkeit",
    "effectif",
    "effectifs",
    "recuento",
    "frecuencia",
}
_MODELS = """
    model models modelname modelid algorithm algorithms algo classifier clf estimator learner
    modell modellname algorithmus klassifikator modèle algorithme classifieur modelo algoritmo
    clasificador classificador modello classificatore algoritme модель алгоритм モデル 模型"""
_PERHAPS_MODELS = """
    system method approach network architecture verfahren methode système méthode approche
    sistema método metodo sieć systeem"""
"""Words for a model; the second ones are also common in feature names."""

_ALGORITHMS = """
    logistic logistic_regression logreg logit_model lr glm glmnet lasso ridge elastic_net probit
    forest random_forest rf extra_trees trees tree decision_tree cart c45 j48
    boosting gradient_boosting gbm gbdt gb adaboost xgb xgboost lgb lgbm lightgbm catboost
    bayes naive_bayes nb lda qda svm svc linear_svm knn k_nn nearest_neighbours nearest_neighbors
    mlp nn net neural_net neural_network deep cnn rnn lstm bert roberta distilbert transformer
    resnet vgg vit gpt llm ensemble stack stacking voting baseline challenger champion"""
"""Words in the names of models."""

_DECISIONS = """
    into decision decided final_decision call called flag flagged alert alarm guess verdict
    model_output model_decision model_call
    assigned_class classified classified_as
    entscheidung entschieden décision décidé decisión decidido decisione deciso decisão
    beslissing decyzja решение 判定 決定 决定"""

Named = tuple[str, str | None]
"""A column, and the class or the model in its name."""


def bare(name: str) -> str:
    """Return a name without case, accents and separators.

    >>> bare("Ground Truth"), bare("Prédit.classe"), bare("y_true")
    ('groundtruth', 'preditclasse', 'ytrue')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in plain if c.isalnum())


def _form(name: str) -> str:
    """Return a name in normalized form with its words separated: prob_a is not proba."""
    whole, words = bare(name), [bare(word) for word in _SEPARATOR.split(name)]
    apart = "_".join(filter(None, words))
    return apart or whole


@cache
def _bare(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (bare(word), _form(word)))


@cache
def _roles_of_words() -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return the role of each whole name, and of each word before and behind another name."""
    meant = {word: role for role, words in _NAMES.items() for word in _bare(words)}
    beside = {word: role for role, words in _BESIDE.items() for word in _bare(words)}
    before, behind = (
        beside | dict.fromkeys(_bare(also), "score") for also in (_ALSO_BEFORE, _ALSO_BEHIND)
    )
    return meant, before, behind


@dataclass(frozen=True, slots=True)
class Meaning:
    """The meaning of a column's name: its role, and the class or model that it is ``of``.

    ``weak`` names are also common for features.
    """

    role: str
    of: str | None = None
    weak: bool = False


def meaning(name: str) -> Meaning | None:
    """Return the meaning of a name, or None if it is unknown.

    >>> meaning("y_true"), meaning("p_yes")
    (Meaning(role='truth', of=None, weak=False), Meaning(role='score', of='yes', weak=False))
    """
    meant, role_before, role_behind = _roles_of_words()
    word = _form(name)
    if word in meant:
        return Meaning(meant[word])
    if word == "y":
        return Meaning("truth", weak=True)
    if match := re.fullmatch(r"p(\d+)", name.strip(), re.IGNORECASE):  # of H2O: numbered classes
        return Meaning("score", match[1])
    outer, _, inner = name.rpartition(".")
    if meant.get(_form(outer)) == "pred" and _form(inner) in meant:  # prediction.label
        return Meaning("score" if meant[_form(inner)] == "score" else "pred")
    for before, behind in _halves(name):
        word = _form(before)
        if word in role_before and not bare(behind).startswith("value"):
            return Meaning(role_before[word], behind)
    for before, behind in reversed(list(_halves(name))):
        word = _form(behind)
        if word in role_behind:
            return Meaning(role_behind[word], before, word in _bare(_ALSO_BEHIND))
    return None


def _halves(name: str) -> Iterator[tuple[str, str]]:
    """Yield the parts before and after each separator, the longest first part first."""
    for separator in reversed(list(_SEPARATOR.finditer(name))):
        before, behind = name[: separator.start()], name[separator.end() :]
        if separator[0][-1] == "-" and len(separator[0]) > 1 and behind[:1].isdigit():
            behind = f"-{behind}"  # p_-1 is the class -1
        if before and behind:
            yield before, behind.rstrip(")]") if set("([") & set(separator[0]) else behind


def named_after(column: str) -> Named:
    """Return a column with the class or the model in its name."""
    says = meaning(column)
    return column, says.of if says else None


def names_of(value: Any) -> list[str]:
    """Return the columns in an argument: one, several or none.

    >>> names_of("a"), names_of(("a", "b")), names_of(None), names_of(True)
    (['a'], ['a', 'b'], [], [])
    """
    if isinstance(value, str):
        return [value]
    return list(value) if isinstance(value, list | tuple) else []


def is_count(name: str) -> bool:
    """Return whether a column is named like a count of rows."""
    return name.casefold().replace("_", "").replace(" ", "") in _COUNTS


def is_model(name: str, *, surely: bool = False) -> bool:
    """Return whether a column is named like a column of models.

    >>> is_model("Algorithm"), is_model("method"), is_model("method", surely=True)
    (True, True, False)
    """
    return _form(name) in _bare(_MODELS) or (not surely and _form(name) in _bare(_PERHAPS_MODELS))


def is_decision(name: str) -> bool:
    """Return whether a column is named like decisions made with a score: ``_INTO_``, flag."""
    return _form(name) in _bare(_DECISIONS)


_GOLD = """
    y_true truth true ground_truth gt gold gold_label gold_standard true_label true_class actual
    actual_class actual_label actual_value target observed obs reference reference_standard
    expected expected_label expected_class human_label human_class adjudicated verified_label
    corrected_label"""
"""Names only of the true class; ``label`` and ``class`` also name predictions."""


def is_gold(name: str) -> bool:
    """Return whether a column is named like the true class and not like a prediction.

    >>> is_gold("Gold"), is_gold("label")
    (True, False)
    """
    return _form(name) in _bare(_GOLD)


def is_algorithm(name: str) -> bool:
    """Return whether a column is named after an algorithm, so that it holds its output.

    >>> is_algorithm("Random Forest"), is_algorithm("xgb_2"), is_algorithm("age")
    (True, True, False)
    """
    return re.sub(r"_?v?\d+$", "", _form(name)) in _bare(_ALGORITHMS)


def is_usual(name: str) -> bool:
    """Return whether a column has a usual name for predictions."""
    says = meaning(name)
    usual = says is not None and not says.weak and name.lower() != "true"
    return usual or is_count(name)


def must_have(columns: Sequence[str], names: Sequence[str], where: str) -> None:
    """Refuse a column that a table does not have."""
    for name in names:
        if name not in columns:
            raise InputError(f"{where} has no column {name!r}; {choices(name, columns)}")


def named_after_labels(labels: Sequence[str], columns: Sequence[str]) -> tuple[str, ...] | None:
    """Return the column that is named after each label, None unless each label has one.

    >>> named_after_labels(("art", "tech"), ("p_tech", "p_art"))
    ('p_art', 'p_tech')
    >>> named_after_labels(("a", "b"), ("x", "y"))
    """

    def parts(name: str) -> str:
        return " " + " ".join(re.findall(r"[^\W_]+", name.lower())) + " "

    of = [[c for c in columns if parts(label) in parts(c)] for label in labels]
    found = tuple(c for named in of for c in named)
    return found if all(len(c) == 1 for c in of) and len({*found}) == len(labels) else None
