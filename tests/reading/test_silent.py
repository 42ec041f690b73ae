"""Tables whose meaning is easily mistaken: read right, or refused; never wrong without a word.

Each kind is a function that takes the number of a variation, 0 to 4, which changes names, classes,
rows and other columns. Every variation goes in by every door: arrays as arguments, arrays by name,
a frame (pandas and Polars in turn), a file and a relation of DuckDB.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner
from sklearn.metrics import cohen_kappa_score, roc_auc_score

import tallymark as tm
from fuzzing import refusal
from remedies import calls
from tallymark.cli import main

VARIATIONS = range(5)
DOORS = ("arrays", "mapping", "frame", "file", "engine")
NO_TRUTH = r"true class|truth"
NOTED = ("arrays", "frame")
"""Where notes are looked at, which take all numbers: tables of every kind are read as a frame is."""
VECTORS = ("engine",)
"""Where a column of vectors may be refused: an engine groups by plain values."""


@dataclass
class Case:
    """A table, and what must come of it.

    ``right`` is {metric: number}, empty where the table must be refused; ``ask`` are the
    doors where a refusal is right as well. ``refused`` and ``noted`` are patterns of the words in the refusal, and in the notes
    or the line "Read as". ``arrays`` are the arguments of the same as arrays. ``follow`` wants a
    refusal whose remedy gives the numbers.
    """

    columns: dict[str, Any]
    right: dict[str, float] = field(default_factory=dict)
    say: dict[str, Any] = field(default_factory=dict)
    arrays: dict[str, Any] | None = None
    ask: tuple[str, ...] = ()
    refused: str = ""
    noted: str = ""
    follow: bool = False
    ordered: dict[str, list[str]] = field(default_factory=dict)
    file: str = "csv"
    doors: tuple[str, ...] = DOORS
    models: int = 1
    ranked: bool = True


# --- how a table goes in


def frame(case, polars):
    if polars:
        made = pl.DataFrame({c: _list(v) for c, v in case.columns.items()}, strict=False)
        for name, v in case.columns.items():
            if isinstance(v, np.ndarray) and v.dtype == np.float32 and v.ndim == 1:
                made = made.with_columns(pl.col(name).cast(pl.Float32))
        enums = [pl.col(c).cast(pl.Enum(classes)) for c, classes in case.ordered.items()]
        return made.with_columns(enums) if enums else made
    made = pd.DataFrame({c: _column(v) for c, v in case.columns.items()})
    for name, classes in case.ordered.items():
        made[name] = pd.Categorical(made[name], categories=classes, ordered=True)
    return made


def _list(v):
    return v.tolist() if isinstance(v, np.ndarray) else list(v)


def _column(v):
    return v.tolist() if isinstance(v, np.ndarray) and v.ndim == 2 else v


def given(case, variation, door, folder):
    """Return the arguments by which a door hands over a table."""
    if door == "arrays":
        return dict(case.arrays)
    if door == "mapping":
        return {"data": {c: np.asarray(v) for c, v in case.columns.items()}}
    if door == "engine":
        return {"data": duckdb.from_df(frame(case, polars=False))}
    made = frame(case, polars=bool(variation % 2))
    if door == "frame":
        return {"data": made}
    path = folder / f"table.{case.file}"
    made = frame(case, polars=False)
    if case.file == "parquet":
        made.to_parquet(path)
    elif case.file == "json":
        made.to_json(path, orient="records")
    else:
        made.to_csv(path, index=False)
    return {"data": path}


# --- what came of it


def measured(ev, name):
    if name == "rows":
        return ev.rows
    if name == "classes":
        return len(ev.classes)
    if name == "roc_auc" and len(ev.classes) > 2:
        return ev.value("roc_auc", average="macro").value
    if name == "quadratic kappa":
        return ev.value("cohen_kappa", weights="quadratic").value
    return ev[name].value


def check(case, door, args):
    """Hold what comes of arguments to what must."""
    ev, sentence = refusal(tm.evaluate, **args, **case.say)
    if not case.right or case.follow:
        assert sentence is not None, ev.source.sentence
        assert re.search(case.refused, sentence, re.IGNORECASE), sentence
    if not case.right:
        return
    if case.follow:
        found = [refusal(tm.evaluate, **args, **case.say | choice)[0] for choice in calls(sentence)]
        found = [e for e in found if e is not None and e.rows == case.right["rows"]]
        assert found, sentence
        ev = found[0]
    elif sentence is not None:
        assert door in case.ask, sentence
        return
    read = ev.source.sentence
    assert len(ev.models) == case.models, read
    values = {name: measured(ev, name) for name in case.right}
    assert values == pytest.approx(case.right, abs=1e-9), read
    if case.noted and door in NOTED and not re.search(case.noted, read, re.IGNORECASE):
        read = " ".join([read, *(n.text for n in ev.notes)])
        assert re.search(case.noted, read, re.IGNORECASE), read
    if not case.ranked:
        assert "roc_auc" not in {m.name for m in ev.metrics()}, read


# --- what the kinds share


def drawn(variation, k, strength=2.0):
    """Return true classes as numbers, logits and probabilities, one column a class."""
    rng = np.random.default_rng([39, variation, k])
    n = (120, 90, 300, 150, 210)[variation]
    y = np.concatenate([np.repeat(np.arange(k), 6), rng.integers(0, k, n - 6 * k)])
    y = rng.permutation(y)
    logits = rng.normal(size=(n, k))
    logits[np.arange(n), y] += strength
    logits = np.round(logits, 5)
    return y, logits, shares(logits)


def shares(logits):
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    p = np.round(p, 6)
    p[:, -1] = np.round(1 - p[:, :-1].sum(1), 6)
    return p


def words(classes, y):
    return [classes[i] for i in y]


def extras(variation, n):
    rng = np.random.default_rng([40, variation])
    return (
        {},
        {"age": rng.integers(20, 90, n)},
        {"fold": rng.integers(1, 6, n)},
        {"id": np.arange(100, 100 + n)},
        {"age": rng.integers(20, 90, n), "site": rng.choice(["north", "south", "west"], n)},
    )[variation]


def macro(y, p):
    return float(np.mean([roc_auc_score(y == c, p[:, c]) for c in range(p.shape[1])]))


def numbers(y, p, area=None):
    """Return the right numbers of probabilities or logits, one column a class."""
    if area is None:
        area = roc_auc_score(y, p[:, 1]) if p.shape[1] == 2 else macro(y, p)
    return {"rows": len(y), "accuracy": float((p.argmax(1) == y).mean()), "roc_auc": float(area)}


TRUTHS = ("label", "y_true", "target", "gold", "actual")
DECISIONS = ("pred", "y_pred", "prediction", "predicted", "predicted_label")


def begin(variation, labels):
    return {TRUTHS[variation]: labels, **extras(variation, len(labels))}


PAIRS = (("no", "yes"), (0, 1), ("ham", "spam"), ("benign", "malignant"), (False, True))

TRIPLES = (
    ("cat", "dog", "owl"),
    ("A", "B", "C"),
    ("red", "green", "blue"),
    ("x1", "y2", "z3"),
    ("north", "east", "west"),
)


def positive(pair):
    """Return what says that the second class is positive."""
    return {"positive": pair[1]}


# --- numbered classes and columns


def labels_from_1_with_a_vector(variation):
    k = (3, 5, 4, 3, 5)[variation]
    y, _, p = drawn(variation, k)
    name = ("probabilities", "proba", "scores", "probability", "y_score")[variation]
    return Case(
        {**begin(variation, y + 1), name: p},
        numbers(y, p),
        arrays={"data": y + 1, "y_score": p},
        ask=VECTORS,
        file="json",
    )


def labels_from_1_with_columns_from_0(variation):
    k = (3, 5, 4, 3, 5)[variation]
    y, _, p = drawn(variation, k)
    form = ("p_{}", "prob_{}", "score_{}", "proba_{}", "p{}")[variation]
    columns = {form.format(c): p[:, c] for c in range(k)}
    decided = {DECISIONS[variation]: p.argmax(1) + 1} if variation % 2 else {}
    return Case({**begin(variation, y + 1), **decided, **columns}, numbers(y, p))


def labels_from_0_with_columns_from_1(variation):
    k = (2, 3, 2, 4, 2)[variation]
    y, _, p = drawn(variation, k)
    form = ("score_{}", "p_{}", "prob_{}", "probability_{}", "proba{}")[variation]
    columns = {form.format(c + 1): p[:, c] for c in range(k)}
    return Case(
        {**begin(variation, y), DECISIONS[variation]: p.argmax(1), **columns}, numbers(y, p)
    )


def words_with_numbered_columns(variation):
    pair = PAIRS[(0, 2, 3, 0, 2)[variation]]
    y, _, p = drawn(variation, 2)
    first = variation % 2
    form = ("score_{}", "p_{}", "prob_{}", "score{}", "proba_{}")[variation]
    columns = {form.format(c + first): p[:, c] for c in range(2)}
    decided = {DECISIONS[variation]: words(pair, p.argmax(1))} if variation < 3 else {}
    table = {**begin(variation, words(pair, y)), **decided, **columns}
    return Case(table, numbers(y, p), positive(pair), ask=() if decided else DOORS)


def neither_numbering_fits(variation):
    k = (2, 3, 2, 3, 4)[variation]
    y, _, p = drawn(variation, k)
    form = ("score_{}", "p_{}", "prob_{}", "p{}", "proba_{}")[variation]
    at = ([2, 3], [0, 2, 4], [5, 6], [1, 2, 4], [2, 3, 4, 5])[variation]
    labels = words(PAIRS[0], y) if k == 2 else y
    columns = {form.format(c): p[:, i] for i, c in enumerate(at)}
    return Case({**begin(variation, labels), **columns}, refused="|".join(columns))


def columns_named_after_the_classes(variation):
    classes = ((-1, 1), ("no", "yes"), (1, 2), (0, 1), TRIPLES[0])[variation]
    y, _, p = drawn(variation, len(classes))
    form = ("prob.{}", "{}", "P({})", "{}_prob", "score_{}")[variation]
    order = np.random.default_rng(variation).permutation(len(classes))
    columns = {form.format(classes[i]): p[:, i] for i in order}
    say = positive(classes) if len(classes) == 2 else {}
    return Case({**begin(variation, words(classes, y)), **columns}, numbers(y, p), say)


def columns_of_other_classes(variation):
    y, _, p = drawn(variation, 3)
    classes = TRIPLES[variation]
    other = ("ant", "D", "grey", "w4", "south")[variation]
    names = [*classes[1:], other]
    form = ("p_{}", "prob_{}", "{}_prob", "P({})", "probability_{}")[variation]
    columns = {form.format(c): p[:, i] for i, c in enumerate(names)}
    return Case({**begin(variation, words(classes, y)), **columns}, refused=other)


# --- whose probability a score is


OF_PREDICTED = ("score", "prob", "probability", "y_prob", "confidence")


def probability_of_the_predicted_class(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2, 1.2)
    decision, top = p.argmax(1), p.max(1)
    right = numbers(y, p)
    top = np.round(100 * top, 4) if OF_PREDICTED[variation] == "confidence" else top
    labels, decided = words(pair, y), words(pair, decision)
    table = {
        **begin(variation, labels),
        DECISIONS[variation]: decided,
        OF_PREDICTED[variation]: top,
    }
    return Case(
        table,
        right,
        positive(pair),
        arrays={"data": labels, "y_pred": decided, "y_score": top},
        noted="predicted class",
    )


def probability_of_the_predicted_class_of_many(variation):
    classes = TRIPLES[variation]
    y, _, p = drawn(variation, 3, 1.2)
    decision = p.argmax(1)
    right = numbers(y, p)
    del right["roc_auc"]
    labels, decided = words(classes, y), words(classes, decision)
    name = OF_PREDICTED[variation]
    table = {**begin(variation, labels), DECISIONS[variation]: decided, name: p.max(1)}
    return Case(
        table,
        right,
        arrays={"data": labels, "y_pred": decided, "y_score": p.max(1)},
        noted="predicted class",
        ranked=False,
    )


# --- logits, and what is nearly a probability


def two_logits(variation):
    pair = PAIRS[(0, 1, 2, 3, 0)[variation]]
    y, z, _ = drawn(variation, 2, 1.0)
    z = np.round(z + np.random.default_rng(variation).normal(0, 2, (len(z), 1)), 5)
    right = numbers(y, z, roc_auc_score(y, z[:, 1] - z[:, 0]))
    labels = words(pair, y)
    columns = {"logits": z}
    if variation % 2:
        columns = {f"logit_{c}": z[:, i] for i, c in enumerate(pair)}
    return Case(
        {**begin(variation, labels), **columns},
        right,
        positive(pair),
        arrays={"data": labels, "y_score": z},
        noted="difference",
        ask=() if variation % 2 else VECTORS,
        file="json",
    )


def two_sigmoids(variation):
    pair = PAIRS[(0, 1, 2, 3, 0)[variation]]
    y, z, _ = drawn(variation, 2, 1.0)
    p = np.round(1 / (1 + np.exp(-z)), 6)
    right = numbers(y, p, roc_auc_score(y, z[:, 1] - z[:, 0]))
    right = {name: v for name, v in right.items() if name != "roc_auc"}
    form = ("p_{}", "prob_{}", "score_{}", "{}_prob", "sigmoid_{}")[variation]
    columns = {form.format(c): p[:, i] for i, c in enumerate(pair)}
    labels = words(pair, y)
    return Case(
        {**begin(variation, labels), **columns},
        right,
        positive(pair),
        arrays={"data": labels, "y_score": p},
        ask=DOORS,
    )


def many_logits(variation):
    k = (3, 4, 3, 5, 3)[variation]
    classes = list("abcde"[:k]) if variation % 2 else TRIPLES[variation]
    y, z, _ = drawn(variation, k, 1.0)
    z = np.round(z + np.random.default_rng(variation).normal(0, 2, (len(z), 1)), 5)
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    order = np.argsort(classes)  # columns of a vector are in the order of the sorted classes
    y, classes = np.argsort(order)[y], sorted(classes)
    z, p = z[:, order], p[:, order]
    labels = words(classes, y)
    columns = {f"logit_{c}": z[:, i] for i, c in enumerate(classes)}
    return Case(
        {**begin(variation, labels), **columns},
        numbers(y, p),
        arrays={"data": labels, "y_score": z},
        noted="softmax",
    )


def dust_below_0(variation):
    classes = TRIPLES[variation]
    y, _, p = drawn(variation, 3)
    order = np.argsort(classes)
    y, classes = np.argsort(order)[y], sorted(classes)
    p = p[:, order]
    dust = (-2.8e-17, -5.6e-17, -1e-9, -2.2e-16, -8e-7)[variation]
    at = np.flatnonzero(y != 2)[:3]
    p[at] = [[0.9, 0.1, dust], [0.1, 0.9, dust], [0.8, 0.2, dust]]
    right = numbers(y, np.clip(p, 0, 1))
    right["log_loss"] = -float(np.mean(np.log(np.clip(p, 0, 1)[np.arange(len(y)), y])))
    labels = words(classes, y)
    columns = {f"p_{c}": p[:, i] for i, c in enumerate(classes)}
    case = Case(
        {**begin(variation, labels), **columns},
        right,
        arrays={"data": labels, "y_score": p},
        noted="clip|round",
    )
    return case


def dust_above_1(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2)
    s = p[:, 1].copy()
    beyond = (1e-9, 2.2e-16, 6e-7, 1.2e-7, 5.36e-6)[variation]
    s[np.flatnonzero(y == 1)[:2]] = 1 + beyond
    clipped = np.clip(s, 0, 1)
    right = {
        "rows": len(y),
        "accuracy": float(((clipped >= 0.5) == y).mean()),
        "roc_auc": float(roc_auc_score(y, clipped)),
        "brier": float(np.mean((clipped - y) ** 2)),
    }
    labels = words(pair, y)
    return Case(
        {**begin(variation, labels), ("p", "prob", "score", "probability", "y_prob")[variation]: s},
        right,
        positive(pair),
        arrays={"data": labels, "y_score": s},
        noted="clip|round",
        ask=DOORS if beyond > 1e-6 else (),
    )


BELOW = [float(t) for t in np.arange(1, 100) / 100 if float(np.float32(t)) < t][::9][:5]
"""Thresholds that are above the float32 number of the same name."""


def float32_at_the_threshold(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2)
    threshold = BELOW[variation]
    s = np.round(p[:, 1], 2)
    s[::4] = threshold
    s = s.astype(np.float32)
    right = {"rows": len(y), "accuracy": float(((s >= np.float32(threshold)) == y).mean())}
    labels = words(pair, y)
    return Case(
        {**begin(variation, labels), "score": s},
        right,
        positive(pair) | {"threshold": threshold},
        arrays={"data": labels, "y_score": s},
        file="parquet",
    )


def decisions_as_a_score(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2, 1.0)
    s = p.argmax(1) if variation % 2 else p.argmax(1).astype(float)
    right = numbers(y, np.stack([1 - s, s], 1))
    labels = words(pair, y)
    return Case(
        {
            **begin(variation, labels),
            ("y_score", "score", "prob", "probability", "p")[variation]: s,
        },
        right,
        positive(pair),
        arrays={"data": labels, "y_score": s},
        noted="one threshold|single threshold|only one cut|decisions",
    )


# --- what a line is


def a_number_beside_distinct_scores(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2, 1.0)
    rng = np.random.default_rng(variation)
    name = ("n", "count", "frequency", "freq", "counts")[variation]
    table = {
        **begin(variation, words(pair, y)),
        "score": p[:, 1],
        name: rng.poisson(40, len(y)) + 1,
    }
    if variation % 2:
        table[DECISIONS[variation]] = words(pair, p.argmax(1))
    return Case(table, numbers(y, p), positive(pair), noted=f"count='{name}'")


def a_number_beside_combinations_counts(variation):
    pair = PAIRS[variation]
    rng = np.random.default_rng(variation)
    n = rng.integers(5, 90, 4)
    name = ("n", "count", "frequency", "freq", "n")[variation]
    table = {
        TRUTHS[variation]: [pair[0], pair[0], pair[1], pair[1]],
        DECISIONS[variation]: [pair[0], pair[1], pair[0], pair[1]],
        name: n,
    }
    right = {"rows": int(n.sum()), "accuracy": float((n[0] + n[3]) / n.sum())}
    return Case(table, right, positive(pair))


# --- there is no truth


def label_and_score_alone(variation):
    classes = (PAIRS[0], ("NEGATIVE", "POSITIVE"), TRIPLES[0], ("LABEL_0", "LABEL_1"), TRIPLES[1])
    k = len(classes[variation])
    _, _, p = drawn(variation, k, 1.0)
    table = {"label": words(classes[variation], p.argmax(1)), "score": p.max(1)}
    table |= extras(variation, len(p)) if variation == 3 else {}
    return Case(table, refused=NO_TRUTH, file="json")


def an_id_beside_right_or_wrong(variation):
    rng = np.random.default_rng(variation)
    n = (60, 80, 45, 120, 99)[variation]
    name = ("id", "case", "target", "label", "question")[variation]
    start = (0, 1, 0, 1000, 0)[variation]
    other = ("hit", "prediction", "solved", "right", "ok")[variation]
    table = {name: np.arange(start, start + n), other: (rng.random(n) < 0.8).astype(int)}
    if variation == 4:
        table["confidence"] = np.round(0.5 + rng.random(n) / 2, 4)
    if other == "prediction":
        return Case(table, refused=NO_TRUTH)
    return Case(table, {"rows": n, "classes": 2}, ask=DOORS)


def the_two_likeliest_classes(variation):
    k, classes = 3, TRIPLES[variation]
    _, _, p = drawn(variation, k, 1.0)
    best = np.argsort(-p, axis=1)
    one, two = (
        (
            ("top1_class", "top1_confidence"),
            ("Top 1 Predicted Class", "Top 1 Confidence"),
            ("pred_1", "prob_1"),
            ("first_label", "first_score"),
            ("label1", "score1"),
        )[variation],
        (
            ("top2_class", "top2_confidence"),
            ("Top 2 Predicted Class", "Top 2 Confidence"),
            ("pred_2", "prob_2"),
            ("second_label", "second_score"),
            ("label2", "score2"),
        )[variation],
    )
    rows = np.arange(len(p))
    table = {
        "filename": [f"image_{i}.jpg" for i in rows],
        one[0]: words(classes, best[:, 0]),
        one[1]: p[rows, best[:, 0]],
        two[0]: words(classes, best[:, 1]),
        two[1]: p[rows, best[:, 1]],
    }
    if variation % 2:
        table["small_image"] = np.random.default_rng(variation).random(len(p)) < 0.4
    return Case(table, refused=NO_TRUTH)


def a_tier_made_from_the_score(variation):
    _, _, p = drawn(variation, 2, 1.0)
    s = p[:, 1]
    name = ("tier", "risk_band", "grade", "priority", "flagged")[variation]
    score = ("score", "risk", "probability", "model_score", "p")[variation]
    cuts = ((0.5,), (0.3, 0.7), (0.25, 0.5, 0.75), (0.6,), (0.42,))[variation]
    made = np.digitize(s, cuts)
    tiers = {1: ("standard", "review"), 2: ("low", "medium", "high"), 3: "DCBA"}[len(cuts)]
    table = {"customer": np.arange(len(s)) + 5000, score: s, name: words(tiers, made)}
    return Case(table, refused=NO_TRUTH)


def predictions_alone(variation):
    classes = TRIPLES[variation]
    y, _, p = drawn(variation, 3, 1.0)
    table = {"id": np.arange(len(y)), DECISIONS[variation]: words(classes, p.argmax(1))}
    if variation in (1, 3):
        table["confidence"] = p.max(1)
    if variation in (2, 4):
        table |= {f"p_{c}": p[:, i] for i, c in enumerate(classes)}
    if variation == 4:
        table["age"] = np.random.default_rng(3).integers(20, 80, len(y))
    return Case(table, refused=NO_TRUTH)


# --- values that are no class


def masked_labels(variation):
    code = (-100, -1, -100, -1, -100)[variation]
    k = (3, 3, 2, 4, 5)[variation]
    y, _, p = drawn(variation, k, 1.2)
    decision = p.argmax(1)
    kept = np.random.default_rng(variation).random(len(y)) > 0.25
    labels = np.where(kept, y, code)
    right = {"rows": int(kept.sum()), "accuracy": float((decision == y)[kept].mean())}
    return Case(
        {**begin(variation, labels), DECISIONS[variation]: decision},
        right,
        arrays={"data": labels, "y_pred": decision},
        refused=f"{code}",
        follow=True,
    )


def minus_1_and_1_are_two_classes(variation):
    y, z, _ = drawn(variation, 2, 1.2)
    s = np.round(z[:, 1] - z[:, 0], 5)
    right = {"rows": len(y), "roc_auc": float(roc_auc_score(y, s))}
    right["accuracy"] = float(((s >= 0) == y).mean())
    labels = 2 * y - 1
    decided = np.where(s >= 0, 1, -1)
    return Case(
        {**begin(variation, labels), DECISIONS[variation]: decided, "score": s},
        right,
        arrays={"data": labels, "y_pred": decided, "y_score": s},
    )


def an_empty_text(variation, drop=False):
    pair = PAIRS[(0, 2, 3, 0, 2)[variation]]
    y, _, p = drawn(variation, 2, 1.2)
    labels = words(pair, y)
    gone = np.random.default_rng(variation).choice(len(y), 4 + variation, replace=False)
    for i in gone:
        labels[i] = ""
    kept = np.array([bool(t) for t in labels])
    decided = words(pair, p.argmax(1))
    right = {"rows": int(kept.sum()), "accuracy": float((p.argmax(1) == y)[kept].mean())}
    return Case(
        {**begin(variation, labels), DECISIONS[variation]: decided},
        right if drop else {},
        positive(pair) | ({"missing": "drop"} if drop else {}),
        arrays={"data": labels, "y_pred": decided},
        refused="missing|empty",
    )


def an_empty_text_that_is_dropped(variation):
    return an_empty_text(variation, drop=True)


def one_hot_truth(variation):
    classes = TRIPLES[variation]
    y, _, p = drawn(variation, 3)
    truth = np.eye(3, dtype=int)[y]
    form = ("y_{}", "true_{}", "label_{}", "target_{}", "is_{}")[variation]
    columns = {form.format(c): truth[:, i] for i, c in enumerate(classes)}
    columns |= {f"p_{c}": p[:, i] for i, c in enumerate(classes)}
    return Case(
        columns | extras(variation, len(y)),
        arrays={"data": truth, "y_score": p},
        refused="one-hot|one class|exactly one|one 1|single class",
    )


# --- columns that belong together


def two_pairs_of_one_match(variation):
    y, _, p = drawn(variation, 2, 1.0)
    form, made = (
        ("prob{}", "prob{}_outcome"),
        ("p{}", "p{}_actual"),
        ("score_{}", "score_{}_truth"),
        ("risk{}", "risk{}_label"),
        ("prob_{}", "prob_{}_result"),
    )[variation]
    one, two = (("1", "2"), ("1", "2"), ("a", "b"), ("1", "2"), ("home", "away"))[variation]
    table = {
        form.format(one): p[:, 1],
        made.format(one): y,
        form.format(two): p[:, 0],
        made.format(two): 1 - y,
    }
    right = numbers(y, p) | {"brier": float(np.mean((p[:, 1] - y) ** 2))}
    return Case(table | extras(variation, len(y)), right)


def three_outcomes_of_one_match(variation):
    y, _, p = drawn(variation, 3, 0.8)
    sides = (
        ("1", "tie", "2"),
        ("home", "draw", "away"),
        ("1", "tie", "2"),
        ("1", "x", "2"),
        ("win", "draw", "loss"),
    )[variation]
    form = ("prob{}", "prob_{}", "prob{}", "p{}", "p_{}")[variation]
    columns = {form.format(c): p[:, i] for i, c in enumerate(sides)}
    if variation in (2, 3):
        columns |= {f"{form.format(c)}_outcome": (y == i) * 1 for i, c in enumerate(sides)}
    else:
        truth = ("outcome", "actual", "", "", "y_true")[variation]
        columns[truth] = words(sides, y)
    return Case(columns | extras(variation, len(y)), numbers(y, p))


# --- classes in an order


ORDERS = (
    ["low", "medium", "high"],
    ["none", "mild", "moderate", "severe"],
    ["poor", "fair", "good", "excellent"],
    ["never", "seldom", "often", "always"],
    ["first", "second", "third", "fourth"],
)


def ordinal(variation, classes):
    k = len(classes)
    rng = np.random.default_rng([41, variation])
    y = rng.permutation(np.arange(120) % k)
    decision = np.clip(y + rng.choice([-1, 0, 0, 1], len(y)), 0, k - 1)
    right = {"rows": len(y), "accuracy": float((decision == y).mean())}
    right["quadratic kappa"] = float(cohen_kappa_score(y, decision, weights="quadratic"))
    return words(classes, y), words(classes, decision), right


def ordered_categories(variation):
    classes = ORDERS[variation]
    labels, decided, right = ordinal(variation, classes)
    truth, pred = TRUTHS[variation], DECISIONS[variation]
    typed = pd.CategoricalDtype(classes, ordered=True)
    return Case(
        {**begin(variation, labels), pred: decided},
        right,
        positive(classes) if len(classes) == 2 else {},
        arrays={"data": pd.Series(labels, dtype=typed), "y_pred": pd.Series(decided, dtype=typed)},
        ordered={truth: classes, pred: classes},
        doors=("arrays", "frame", "engine"),
    )


def texts_of_digits(variation):
    classes = (
        ["1", "2", "9", "10"],
        ["8", "9", "10", "11"],
        ["2", "10", "20", "100"],
        ["0", "5", "10"],
        ["1", "2", "3", "10", "20"],
    )[variation]
    labels, decided, right = ordinal(variation, classes)
    return Case(
        {**begin(variation, labels), DECISIONS[variation]: decided},
        right,
        arrays={"data": labels, "y_pred": decided},
    )


# --- what looks like one of these and is not


def high_scores_with_a_cut_of_their_own(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2, 1.2)
    s = np.round(0.5 + p[:, 1] / 2, 6)
    decision = (s >= (0.7, 0.8, 0.75, 0.66, 0.9)[variation]) * 1
    right = {"rows": len(y), "accuracy": float((decision == y).mean())}
    right["roc_auc"] = float(roc_auc_score(y, s))
    labels, decided = words(pair, y), words(pair, decision)
    table = {**begin(variation, labels), DECISIONS[variation]: decided, OF_PREDICTED[variation]: s}
    return Case(
        table,
        right,
        positive(pair),
        arrays={"data": labels, "y_pred": decided, "y_score": s},
    )


def classes_from_minus_1(variation):
    k = (3, 3, 4, 3, 5)[variation]
    y, _, p = drawn(variation, k, 1.2)
    labels, decision = y - 1, p.argmax(1) - 1
    right = {"rows": len(y), "accuracy": float((decision == labels).mean())}
    return Case(
        {**begin(variation, labels), DECISIONS[variation]: decision},
        right,
        arrays={"data": labels, "y_pred": decision},
    )


def a_score_that_separates_the_classes(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2)
    s = np.round(0.5 * y + p[:, 1] / 2.1, 6)
    right = {"rows": len(y), "accuracy": 1.0, "roc_auc": 1.0}
    labels = words(pair, y)
    name = ("score", "prob", "p", "probability", "y_score")[variation]
    arrays = {"data": labels, "y_score": s}
    return Case({**begin(variation, labels), name: s}, right, positive(pair), arrays=arrays)


def the_other_class_alone(variation):
    pair = PAIRS[variation]
    y, _, p = drawn(variation, 2)
    form = ("p_{}", "prob_{}", "{}_probability", "P({})", "proba_{}")[variation]
    table = {**begin(variation, words(pair, y)), form.format(pair[0]): p[:, 0]}
    return Case(table, numbers(y, p), positive(pair))


KINDS = [
    labels_from_1_with_a_vector,
    labels_from_1_with_columns_from_0,
    labels_from_0_with_columns_from_1,
    words_with_numbered_columns,
    neither_numbering_fits,
    columns_named_after_the_classes,
    columns_of_other_classes,
    probability_of_the_predicted_class,
    probability_of_the_predicted_class_of_many,
    two_logits,
    two_sigmoids,
    many_logits,
    dust_below_0,
    dust_above_1,
    float32_at_the_threshold,
    decisions_as_a_score,
    a_number_beside_distinct_scores,
    a_number_beside_combinations_counts,
    label_and_score_alone,
    an_id_beside_right_or_wrong,
    the_two_likeliest_classes,
    a_tier_made_from_the_score,
    predictions_alone,
    masked_labels,
    minus_1_and_1_are_two_classes,
    an_empty_text,
    an_empty_text_that_is_dropped,
    one_hot_truth,
    two_pairs_of_one_match,
    three_outcomes_of_one_match,
    ordered_categories,
    texts_of_digits,
    high_scores_with_a_cut_of_their_own,
    classes_from_minus_1,
    a_score_that_separates_the_classes,
    the_other_class_alone,
]


def doors_of(case, number, variation):
    """Return the doors by which a variation goes in: a frame, and one other in turn.

    Each kind goes in by every door that it has, and each variation of it by two.
    """
    others = [d for d in case.doors if d != "frame" and (d != "arrays" or case.arrays is not None)]
    chosen = others[(number + variation) % len(others)] if others else None
    return [d for d in case.doors if d in ("frame", chosen)]


def test_each_kind_goes_in_by_every_door():
    for number, kind in enumerate(KINDS):
        made = [kind(variation) for variation in VARIATIONS]
        gone = {d for v, case in enumerate(made) for d in doors_of(case, number, v)}
        had = {d for case in made for d in case.doors if d != "arrays" or case.arrays is not None}
        assert gone == had, kind.__name__


@pytest.mark.parametrize("variation", VARIATIONS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_read_right_or_asked(kind, variation, tmp_path):
    case = kind(variation)
    for door in doors_of(case, KINDS.index(kind), variation):
        check(case, door, given(case, variation, door, tmp_path))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_reversed_columns_change_nothing(kind):
    variation = KINDS.index(kind) % len(VARIATIONS)
    case = kind(variation)
    case.columns = dict(reversed(case.columns.items()))
    check(case, "frame", given(case, variation, "frame", None))


@pytest.mark.parametrize("variation", VARIATIONS)
def test_the_command_line_names_the_option_for_masked_labels(variation, tmp_path):
    case = masked_labels(variation)
    path = str(given(case, variation, "file", tmp_path)["data"])
    result = CliRunner().invoke(main, ["report", path, "--json", "-"])
    assert result.exit_code == 2, result.output
    named = re.search(r"--[a-z-]+ -\d+", result.stderr)
    assert named, result.stderr
    result = CliRunner().invoke(main, ["report", path, *named.group().split(), "--json", "-"])
    assert result.exit_code == 0, result.stderr
    data = json.loads(result.stdout)
    assert data["rows"] == case.right["rows"]
    accuracy = data["models"][0]["values"]["accuracy"]["value"]
    assert accuracy == pytest.approx(case.right["accuracy"])


@pytest.mark.parametrize("polars", [False, True])
def test_a_column_without_a_name_is_read_or_refused(polars):
    y, _, p = drawn(0, 2)
    case = Case({"actual": y, "": p.argmax(1)})
    ev, sentence = refusal(tm.evaluate, frame(case, polars))
    if ev is None:
        assert "column" in sentence
    else:
        assert ev["accuracy"].value == pytest.approx((p.argmax(1) == y).mean())
