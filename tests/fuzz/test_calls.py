"""Random calls of the public functions and methods, with right and wrong arguments."""

import inspect

import numpy as np
import pytest
from matplotlib import pyplot as plt

import tallymark as tm
from fuzzing import cases, check_evaluation, pick, refusal
from tallymark.metric import METRICS
from test_contract import NEEDED, PUBLIC, found, results, right, wrong

RIGHT = {
    "level": 0.8, "seed": 5, "threshold": 0.3, "prevalence": 0.2, "metric": "mcc", "over": "prevalence",
    "metrics": ["accuracy", "mcc"], "margin": 0.1, "least": 0.05, "permutations": 3, "band": "pointwise",
    "average": "macro", "method": "bca", "draws": 200, "skip_undefined": True, "positive": 1,
    "against": "x", "use": "ranking", "worse": "missed", "cost_fp": 1, "cost_fn": 10, "width": 60,
    "within": {"fpr": 0.3}, "labels": [0, 1], "classes": [0, 1], "missing": "drop", "most": 2,
    "adjust": "none", "n": 50, "power": 0.9, "alpha": 0.01, "alternative": "two-sided",
    "reference": 0.7, "half_width": 0.1, "points": 5, "null": 0.0, "unit": "pooled", "ratio": 0.1,
}  # fmt: skip
"""Right values of arguments that have a default."""

NAMES = [n for n in PUBLIC if getattr(found(n), "contract", None) and not n.startswith("metrics.")]
WRITING = {"path", "results"}


def evaluations():
    """Yield evaluations of every design, which take the place of the usual one."""
    rng = np.random.default_rng(3)
    y, score = np.tile([0, 1], 12), np.round(rng.random(24), 1)
    three = np.arange(24) % 3
    yield tm.evaluate(y, y, cluster=np.arange(24) // 3)
    yield tm.evaluate(y, y_score=score, weight=rng.random(24), subgroup={"at": three})
    of_each = rng.random((24, 3))
    yield tm.evaluate(three, of_each.argmax(1), y_score=of_each)
    yield tm.evaluate(y, y_score={"x": score, "y": 3 * score - 1})
    yield tm.evaluate(np.ones(3, int), y_score=[0.1, 0.1, 0.9], positive=1)
    yield tm.evaluate(y, y_score=score).at(prevalence=0.01)
    yield tm.evaluate([1, 0], [0, 0])


def arguments(rng, name, function, own):
    """Return arguments by name: mostly right, at times one of the wrong ones."""
    more, named = [], dict(NEEDED.get(name, {}))
    for p in inspect.signature(function).parameters.values():
        if p.kind is p.VAR_KEYWORD or p.name in WRITING - {"path"}:
            continue
        needed = p.default is p.empty
        if not needed and rng.random() < 0.6:
            continue
        if rng.random() < 0.15:
            value = pick(rng, wrong())
        elif needed:
            value = right(f"{name}.{p.name}")
            value = pick(rng, own) if isinstance(value, tm.Evaluation) else value
        elif p.name in RIGHT:
            value = RIGHT[p.name]
        else:
            continue
        if p.name in ("metric", "name") and rng.random() < 0.5:
            value = pick(rng, list(METRICS))
        if p.kind is p.VAR_POSITIONAL:
            more.append(value)
        else:
            named[p.name] = value
    return more, {} if more else named


@pytest.mark.slow
def test_calls_work_or_are_refused_in_a_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = [*evaluations(), results()["Evaluation"]]
    for case, rng in cases(300):
        name = pick(rng, NAMES)
        of, _, method = name.rpartition(".")
        function = getattr(pick(rng, own), method) if of == "Evaluation" else found(name)
        args, named = arguments(rng, name, function, own)
        try:
            made, refused = refusal(function, *args, **named)
            if isinstance(made, tm.Evaluation) and rng.random() < 0.2:
                check_evaluation(made)
            elif refused is None and hasattr(made, "to_markdown"):
                for told in (repr(made), str(made)):
                    assert told.strip()
        except Exception as error:
            shown = {n: f"{type(v).__name__} {str(v)[:60]}" for n, v in named.items()}
            raise AssertionError(f"case {case}: {name}(*{args}, **{shown})"[:900]) from error
        finally:
            plt.close("all")
