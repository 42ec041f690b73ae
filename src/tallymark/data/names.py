"""What columns are usually called: by scikit-learn, by other tools, and in plain words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = {
    "truth": """
        y_true y_test y_label truth true ground_truth gt gold gold_label gold_standard
        label labels class_label true_label target targets target_class class classes true_class
        actual actual_class actual_label actual_value actual_outcome outcome observed obs
        diagnosis reference reference_standard
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
    # Weka's margin compares with the true class: it judges a prediction and is none.
    "nothing": "prediction_margin",
}
_BESIDE = {
    "pred": "pred prediction predicted y_pred y_hat vorhersage predicción prédit",
    "score": """
        p pr prob probs proba probability y_prob y_proba y_score pred_prob pred_proba
        predicted_probability wahrscheinlichkeit probabilité probabilidad""",
}
"""Words that stand before or after the name of a class or of a model: p_yes, rf_prob."""

TRIALS = (
    ("genuine", "impostor"), ("genuine", "imposter"), ("mated", "nonmated"),
    ("target", "nontarget"), ("client", "impostor"), ("client", "imposter"), ("match", "nonmatch"),
    ("same", "different"), ("authentic", "impostor"),
)  # fmt: skip
"""What comparisons of one person and of different people are called, without blanks or hyphens."""

CONFIDENCE = ("confidence", "conf", "certainty", "konfidenz", "confiance", "confianza")
"""What the probability of the predicted class is called, and sometimes that of the positive one."""

_ALSO_BEFORE = "score scores ip"
_ALSO_BEHIND = "score risk confidence"
"""Words that are as often part of the name of a feature: credit_score."""

_LEVEL = re.compile(r"p(\d+)", re.IGNORECASE)
"""H2O's names of the probabilities of classes that are numbers."""

_SEPARATOR = re.compile(r"[_\s.\-:(\[]+")


def bare(name: str) -> str:
    """Return a name without what it is written with: case, accents, separators.

    >>> bare("Ground Truth"), bare("Prédit.classe"), bare("y_true")
    ('groundtruth', 'preditclasse', 'ytrue')
    """
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(c for c in plain if c.isalnum())


def _form(name: str) -> str:
    """Return a name with its words apart, in one way: prob_a is not proba."""
    whole, words = bare(name), [bare(word) for word in _SEPARATOR.split(name)]
    apart = "_".join(filter(None, words))
    return apart or whole


def _bare(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (bare(word), _form(word)))


_MEANT = {word: role for role, words in _NAMES.items() for word in _bare(words)}
_BEFORE = {word: role for role, words in _BESIDE.items() for word in _bare(words)}
_BEHIND = dict(_BEFORE)
_BEFORE |= dict.fromkeys(_bare(_ALSO_BEFORE), "score")
_WEAK = _bare(_ALSO_BEHIND)
_BEHIND |= dict.fromkeys(_WEAK, "score")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a column's name says: its role, and the class or the model that it is ``of``.

    ``weak`` names are as often those of features.
    """

    role: str
    of: str | None = None
    weak: bool = False


def meaning(name: str) -> Meaning | None:
    """Return what a name says, or None where it says nothing.

    >>> meaning("y_true"), meaning("p_yes")
    (Meaning(role='truth', of=None, weak=False), Meaning(role='score', of='yes', weak=False))
    """
    word = _form(name)
    if word in _MEANT:
        return Meaning(_MEANT[word])
    if word == "y":
        return Meaning("truth", weak=True)
    if found := _LEVEL.fullmatch(name.strip()):
        return Meaning("score", found[1])
    for before, behind in _halves(name):
        word = _form(before)
        if word in _BEFORE and not bare(behind).startswith("value"):
            return Meaning(_BEFORE[word], behind)
    for before, behind in reversed(list(_halves(name))):
        word = _form(behind)
        if word in _BEHIND:
            return Meaning(_BEHIND[word], before, word in _WEAK)
    return None


def _halves(name: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before and behind each separator, the longest before first."""
    for found in reversed(list(_SEPARATOR.finditer(name))):
        before, behind = name[: found.start()], name[found.end() :]
        if before and behind:
            yield before, behind.rstrip(")]") if set("([") & set(found[0]) else behind
