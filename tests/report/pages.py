"""Evaluations that the page is tested on, of every shape it has to carry."""

from __future__ import annotations

import json
import re
from functools import cache

import numpy as np

import tallymark as tm
from tallymark.report import page

HOSTILE = "</script><b onclick=x>"


@cache
def binary(n=600, models=("logistic", "forest"), seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.35).astype(int)
    scores = {
        name: np.round(1 / (1 + np.exp(-rng.normal(2.2 * y - 1.2 + 0.2 * i, 1.0))), 6)
        for i, name in enumerate(models)
    }
    return tm.evaluate(np.where(y == 1, "sick", "well"), y_score=scores, positive="sick")


@cache
def hostile():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    truth = np.where(y == 1, HOSTILE, "=1+1")
    scores = {HOSTILE: rng.random(80), "a" * 90: rng.random(80), "“ü” & 'x'": rng.random(80)}
    return tm.evaluate(truth, y_score=scores, positive=HOSTILE, options={"name": "<img src=x>.csv"})


@cache
def many_classes(k=30, n=900):
    rng = np.random.default_rng(2)
    y = rng.integers(0, k, n)
    p = rng.dirichlet(np.ones(k), n) * 0.92 + 0.08 * np.eye(k)[y]
    names = np.array([f"class {i:02d}" for i in range(k)])
    return tm.evaluate(names[y], y_score=p, classes=list(names))


@cache
def decided():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 90)
    p = np.clip(rng.normal(0.3 + 0.4 * y, 0.2), 0, 1)
    return tm.evaluate(y, (p > 0.62).astype(int), y_score=p)


@cache
def labels_only():
    return tm.evaluate([0, 1, 1, 0, 1] * 9, [0, 1, 0, 0, 1] * 9)


@cache
def one_class():
    return tm.evaluate([0] * 30, y_score=list(np.linspace(0, 1, 30)))


@cache
def logits():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 2, 200)
    return tm.evaluate(y, y_score=rng.normal(y, 1.0) * 40)


@cache
def cancer():
    scores = ["logistic", "forest", "bayes"]
    return tm.evaluate(
        tm.example("breast_cancer"), truth="diagnosis", score=scores, positive="malignant"
    )


@cache
def few_classes(k=4, n=160, models=("forest", "boosting", "nearest neighbours")):
    rng = np.random.default_rng(5)
    y = rng.integers(0, k, n)
    sure = {m: 0.6 - 0.15 * i for i, m in enumerate(models)}
    scores = {m: rng.dirichlet(np.ones(k), n) * (1 - w) + w * np.eye(k)[y] for m, w in sure.items()}
    return tm.evaluate(y, y_score=scores)


@cache
def several_labels(n=160, labels=("cat", "dog", "<b>sky")):
    """Return two models of rows with any number of labels, at two sites."""
    rng = np.random.default_rng(6)
    y = (rng.random((n, len(labels))) < [0.5, 0.3, 0.4]).astype(int)
    good = np.clip(0.5 * y + 0.7 * rng.random(y.shape), 0, 1)
    poor = np.clip(good + 0.3 * rng.normal(size=y.shape), 0, 1)
    scores, site = {"good": good, "poor": poor}, np.arange(n) % 2
    return tm.evaluate(y, y_score=scores, classes=list(labels), subgroup={"site": site})


EVERY = {
    "cancer": cancer,
    "few_classes": few_classes,
    "binary": binary,
    "hostile": hostile,
    "many_classes": many_classes,
    "decided": decided,
    "labels_only": labels_only,
    "one_class": one_class,
    "logits": logits,
    "several_labels": several_labels,
}


def used(use):
    """Return a maker of the page of two models that are judged for a use."""

    @cache
    def make():
        rng = np.random.default_rng(7)
        y = (rng.random(400) < 0.3).astype(int)
        scores = {
            n: 1 / (1 + np.exp(-rng.normal(2 * y - s, 1.0))) for n, s in (("a", 1.4), ("b", 1))
        }
        return tm.evaluate(np.where(y, "sick", "well"), y_score=scores, positive="sick", use=use)

    return make


@cache
def credit(use=None):
    """Return the demo: three models of loans, with a subgroup."""
    return tm.evaluate(
        tm.example("credit"), truth="outcome", positive="bad",
        score=["logistic", "forest", "bayes"], subgroup="age_group", use=use,
    )  # fmt: skip


@cache
def written(name):
    """Return the page of one of EVERY evaluation."""
    return page.render(EVERY[name]())


USED = {use: used(use) for use in ("medicine", "marketing", "defects", "teaching")}


def unpacked(text):
    """Return whole numbers that are written as their differences."""
    numbers, last = [], 0
    for word in re.findall(r"[+-][0-9]+|[a-zA-Z_]", text):
        if word == "_":
            numbers.append(None)
            continue
        if word[0] in "+-":
            last += int(word)
        elif word.islower():
            last += "abcdefghijklmnopqrstuvwxyz".index(word)
        else:
            last -= 1 + "ABCDEFGHIJKLMNOPQRSTUVWXYZ".index(word)
        numbers.append(last)
    return numbers


def _opened(value):
    if isinstance(value, str):
        return unpacked(value)
    if isinstance(value, dict):
        return {k: _opened(v) for k, v in value.items()}
    return [_opened(v) for v in value] if isinstance(value, list) else value


def embedded(text):
    """Return the data that the script of a page reads, unpacked."""
    data = json.loads(re.search(r'id="data"[^>]*>(.*?)</script>', text, re.S)[1])
    for m in data["models"]:
        m["t"] = m["t"].split()
        m |= {k: _opened(m[k]) for k in ("tp", "fp", "m", "f")}
    return data
