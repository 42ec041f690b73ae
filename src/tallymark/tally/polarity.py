"""The word table that decides which of two labels is clearly the positive one."""

from __future__ import annotations

import re
import unicodedata

_ANSWERS = (
    ("1", "0 -1"),
    ("yes y", "no n"),
    ("ja j", "nein n"),
    ("oui o", "non n"),
    ("si s", "no n"),
    ("true t", "false f"),
    ("wahr", "falsch"),
    ("vrai", "faux"),
    ("verdadero", "falso"),
    (
        "positive pos p positiv positif positivo positiva +",
        "negative neg n negativ negatif negativo negativa -",
    ),
)
"""Words for yes, and words for no, whatever the question."""

_WORDS = (
    *_ANSWERS,
    (
        "sick ill diseased disease unhealthy patient case affected infected cancer tumor tumour "
        "malignant malign maligne maligno bosartig krank malade enfermo enferma",
        "healthy well normal control unaffected uninfected benign benigne benigno gutartig "
        "gesund sain saine sano sana",
    ),
    (
        "fraud fraudulent scam spam phishing malware malicious attack intrusion anomaly "
        "anomalous abnormal betrug fraude",
        "legit legitimate genuine normal regular valid ham clean benign ok",
    ),
    ("churn churned churner", "retained stayed stay active loyal"),
    ("defective defect faulty buggy bug broken", "clean ok intact good"),
    ("default defaulted", "paid repaid current"),
    ("event", "censored none"),
    ("bad", "good"),
    ("present vorhanden presente", "absent fehlend absente ausente"),
)
"""Words for the class of interest, and words for the other class."""

_OPPOSITES = {
    (positive, negative)
    for sought, rest in _WORDS
    for positive in sought.split()
    for negative in rest.split()
}
_TRUTH_VALUES = {
    word: value
    for answers in _ANSWERS
    for value, words in zip((1, 0), answers, strict=True)
    for word in words.split()
}
_WITHOUT = ("not", "no", "non", "nicht", "kein", "keine", "ohne", "pas", "without", "sin", "sans")


def is_positive(label: object, other: object) -> bool:
    """Return whether a label is clearly the positive one of two.

    >>> is_positive("Ja", "nein"), is_positive("churn", "no churn"), is_positive("good", "bad")
    (True, True, False)
    >>> is_positive("tested_positive", "tested_negative")
    True
    """
    positive, negative = _plain(label), _plain(other)
    words = [positive.split(), negative.split()]
    for end in (0, -1):  # tested positive and tested negative differ in one word
        while len(words[0]) > 1 and len(words[1]) > 1 and words[0][end] == words[1][end]:
            words[0].pop(end), words[1].pop(end)
    if (" ".join(words[0]), " ".join(words[1])) in _OPPOSITES:
        return True
    return any(negative == f"{without}{gap}{positive}" for without in _WITHOUT for gap in ("", " "))


def truth_value(label: object) -> int | None:
    """Return 1 for a label that means yes, 0 for one that means no, else None.

    >>> truth_value("Ja"), truth_value(False), truth_value("-1"), truth_value("sick")
    (1, 0, 0, None)
    """
    return _TRUTH_VALUES.get(_plain(label))


def _plain(label: object) -> str:
    """Return a label without case, accents and word separators."""
    text = unicodedata.normalize("NFKD", str(label).strip().casefold().replace("\u2212", "-"))
    text = "".join(c for c in text if not unicodedata.combining(c))
    return text if len(text) < 3 else " ".join(re.split(r"[\s_-]+", text))
