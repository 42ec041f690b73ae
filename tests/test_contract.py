"""Every public argument is declared, and every wrong value of it is refused in one sentence."""

import inspect
import math
import re
import warnings
from collections import ChainMap
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import tallymark as tm
from of_parts import by_name, of_parts
from tallymark import contract
from tallymark.contract import CONTRACT, checked, one_of, trusted
from tallymark.curve import CURVES
from tallymark.metric import METRICS

SURFACE = (Path(__file__).parent / "surface.txt").read_text("utf-8").splitlines()

CORE = {
    "Bins", "Bounds", "ConfusionMatrix", "CountedRows", "Field", "Finding",
    "Heterogeneity", "LabelSets", "Listing", "Metric", "Model", "ModelColumn", "OfProportion", "PairedBlocks", "PairedPredictions", "RoleTally", "ScoreCounts", "SetModel", "Source", "SubgroupCounts", "SubgroupModel",
    "SubgroupTable", "Sums", "Table",
}  # fmt: skip
"""Classes inside results, whose methods take what the core has made and checked."""

RNG = np.random.default_rng(7)
Y = np.tile([0, 1], 40)
SCORE = np.round(Y * 0.3 + RNG.random(80) * 0.7, 2)


@cache
def results():
    """Return an object of every class that a public function returns."""
    at = {"at": ["a", "b", "c", "d"] * 20}
    ev = tm.evaluate(Y, y_score={"x": SCORE, "y": SCORE[::-1].copy()}, subgroup=at)
    one, compared = ev.model("x"), ev.compare(permutations=0)
    normal = RNG.standard_normal((2, 2000))
    wide = {"x": normal[0] + np.tile([0, 1.5], 1000), "y": normal[1] * np.tile([1, 6], 1000) + 1}
    crossed = tm.evaluate(np.tile([0, 1], 1000), y_score=wide, threshold=0.0)
    crossed = crossed.compare(permutations=0).pair("x", "y")
    clustered = tm.evaluate(Y, y_score=SCORE, cluster=np.arange(80) // 4)
    table = {
        "dataset": list("aabbccdd"), "classifier": ["net", "tree"] * 4,
        "auc": [0.9, 0.8, 0.7, 0.6, 0.8, 0.85, 0.9, 0.7],
    }  # fmt: skip
    tally = tm.Tallier()
    tally.update(Y, y_score=SCORE)
    pair = compared.pair("x", "y")
    found = [
        one, compared, pair, pair.verdict, pair.verdict.difference, crossed.crossing,
        one.by("at"), one.advise(), one.curve("roc"), clustered.design_effects()["model"],
        tally, tally.metric("roc_auc"),
        one.models[0].labels, one.models[0].scores[0], one.paper_table(),
        tm.Counts(np.array(3.0), np.array(1.0), np.array(2.0), np.array(4.0)), one.models[0].labels,
        tm.evaluate(Y, SCORE > 0.5, fold=np.arange(80) % 5).folds(),
        *chain(*of_parts("RESULTS")),
    ]  # fmt: skip
    return {type(o).__name__: o for o in found if o is not None} | {"table": table}


def right(name):
    """Return a right value of an argument by its name, and of some where they stand."""
    where, word = name.rsplit(".", 1)
    if f"{where}.{word}" in PLACES:
        made = PLACES[f"{where}.{word}"]
        return made() if callable(made) else made
    return of_names()[word]


@cache
def of_names():
    r = results()
    return {
        "data": list(Y), "y_true": list(Y), "y_pred": list(Y), "y_score": list(SCORE),
        "genuine": list(SCORE), "impostor": list(SCORE),
        "statistic": "f1", "a": r["Evaluation"],
        "b": r["Evaluation"], "ev": r["Evaluation"], "other": r["Evaluation"], "metric": "f1",
        "metrics": ["f1"], "names": ["f1"], "name": "f1", "model": "x", "first": "x", "second": "y",
        "columns": "at", "path": Path("nowhere") / "x", "labels": [0, 1], "positive": 1,
        "pos": [1, 2], "neg": [2, 1], "score": [0.1, 0.2], "n": [3, 4], "prevalence": 0.2,
        "threshold": 0.5, "claims": {"accuracy": "0.9"}, "stated": "0.5", "table": r["table"],
        "expected": 0.8, "only_first": 0.1, "only_second": 0.05,
        "what": r["Evaluation"], "function": lambda c: c.tp, "index": 0, "points": 5, "low": 0,
        "high": 1, "factor": 2.0, "dataset": "a",
        "question": "superiority", "counts": [[2, 0], [1, 1]],
        "null": 0.5, "ax": plt.figure().subplots(), "weights": "nominal",
        **ChainMap(*of_parts("ARGUMENTS")),
    }  # fmt: skip


PLACES = {
    "Advice.section.name": "report",
    "Comparison.verdict.metric": "roc_auc",
    "Difference._p_claim.side": "greater",
    "Evaluation.by.columns": "at",
    "Evaluation.curve.name": "roc",
    "Evaluation.curves.names": "roc",
    "Evaluation.label.label": 1,
    "Evaluation.model.name": "x",
    "LabelTally.from_counts.y_true": [0, 1],
    "LabelTally.from_counts.y_pred": [0, 1],
    "Tallier.merge.other": tm.Tallier,
    "evaluate.pred": "pred",
    "plan.auc_difference.first": 0.8,
    "plan.auc_difference.second": 0.85,
    "plot.curve.name": "roc",
    "plot.prevalence.what": lambda: results()["Evaluation"],
    "plan.auc_difference.correlation": 0.5,
    "plan.kappa.first": 0.3,
    "plan.kappa.second": 0.35,
    "plan.validation.threshold": 0.3,
    "Evaluation.compare.models": "x",
    "plan.validation.prevalence": 0.1,
    "test.null": 0.5,
    "verify.threshold": 0.5,
    **ChainMap(*of_parts("PLACES")),
}
NEEDED = {
    "evaluate": {"y_score": list(SCORE)},
    "Tallier.update": {"y_pred": list(Y)},
    "verify": {},
    "test": {"null": 0.5},
    "plan.proportion": {"n": 100},
    "plan.auc": {"n": 100},
    "plan.auc_difference": {"n": 100, "correlation": 0.5},
    "plan.kappa": {"n": 100},
    "plan.validation": {"n": 100},
    "Evaluation.compare": {"permutations": 0},
    "LabelTally.from_dict": {},
    **by_name("CALLS"),
}
"""What a call needs beside the arguments without a default."""


def callables():
    """Yield every public function with arguments: its name, and how it is called."""
    for line in SURFACE:
        found = re.fullmatch(r"python ([\w.]+)\((.+)\)", line)
        if not found or found[1].startswith("sklearn."):
            continue
        name, arguments = found[1], [a.lstrip("*") for a in found[2].split(", ")]
        if name.split(".")[0] not in CORE:
            yield name, arguments
    yield "metrics.mcc", ["y_true", "y_pred", *CALLED]


CALLED = ["positive", "labels", "sample_weight", "average", "undefined", "skip_undefined",
          "classes", "missing"]  # fmt: skip


def found(name):
    owner, _, member = name.rpartition(".")
    if not owner:
        return getattr(tm, name)
    if owner == "metrics":
        from tallymark.metric.measure import number

        return number
    if owner in ("plan", "plot"):
        return getattr(getattr(tm, owner), member)
    told = f"make an object of {owner} in results() of tests/test_contract.py, or add it to CORE"
    bases = {base.__name__: made for made in results().values() for base in type(made).__mro__}
    assert owner in {**bases, **results()}, told
    return getattr({**bases, **results()}[owner], member)


PUBLIC = dict(callables())
REST = {"params", "options", "definition", "declared"}
"""What is passed on by its name to a function that declares it."""


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_argument_is_declared(name):
    contract = getattr(found(name), "contract", None)
    assert contract is not None, f"hold {name} to the contract: @checked, or @checked on its class"
    missing = [a for a in PUBLIC[name] if contract and contract.get(a) is None and a not in REST]
    assert not missing, (
        f"{name} has the arguments {missing}, of which src/tallymark/contract.py does not say what "
        "they may be: add their names to CONTRACT, or declare what they are here, @checked(name=...)"
    )


class Hostile:
    """Not an argument of anything, and it cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no repr")


@cache
def lasting():
    """Return wrong values that no call uses up, which are slow to make."""
    deep = []
    for _ in range(5000):
        deep = [deep]
    return (
        object(), Hostile(), None, "x", "", "\0", "\ud800", b"x", math.nan, math.inf, -math.inf, -1,
        0, 2**70, 10**400, 1.5, -0.5, 1e308, 5e-324, True, np.bool_(True), 1j, [], [[]],
        [[1], [2, 3]], [None, 1], ["a", 1, 2.5], [object()], deep, (), {}, {"x": 1}, {1: [2]},
        {"x"}, range(3), np.array(0.5), np.array([]), np.array([math.nan, 1e308, -1e308]),
        np.zeros((2, 2, 2)), np.array(["a", None], object), np.datetime64("2020-01-01"),
        np.ma.masked, np.float32(0.5), Fraction(1, 3), pd.NA, pd.NaT, pd.Series([1, None]),
        pd.DataFrame(), pd.Timestamp("2020-01-01"), len, int, memoryview(b"xy"), slice(1),
    )  # fmt: skip


def wrong():
    """Return values that are right for few arguments or none; iterators are fresh."""
    return [*lasting(), iter([1]), (i for i in "ab")]


UNUSED = set(chain(*of_parts("UNUSED")))
"""Arguments that are not looked at where others are what they are here."""


def outcome(call, *args, **named):
    """Return the refusal of a call, None where it works; anything else is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call(*args, **named)
        except (tm.InputError, tm.UndefinedMetricError) as refused:
            return str(refused)
    return None


@cache
def parameters(function):
    return dict(inspect.signature(function).parameters)


def called(name, argument, value):
    """Call a function with one wrong value, and right ones where it has no default."""
    function = found(name)
    given = parameters(function)
    args, named = [], dict(NEEDED.get(name, {}))
    if name == "metrics.mcc":
        args.append(METRICS["matthews_corrcoef"])
        named |= {"y_true": list(Y), "y_pred": list(Y)}
    for word, p in given.items():
        if word == "metric" and name == "metrics.mcc":
            continue
        wrong = word == argument
        if p.kind is p.VAR_POSITIONAL:
            args.append(value if wrong else right(f"{name}.{word}"))
        elif wrong:
            named[word] = value
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD and word not in named:
            named[word] = right(f"{name}.{word}")
    if any(p.kind is p.VAR_POSITIONAL for p in given.values()):
        named = {n: v for n, v in named.items() if given[n].kind is given[n].KEYWORD_ONLY}
    return outcome(function, *args, **named)


@pytest.mark.parametrize("name", PUBLIC)
def test_wrong_values_are_refused_in_one_sentence(name, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    contract = getattr(found(name), "contract", None)
    if not contract:
        pytest.skip("takes what the core has made")
    problems = []
    for argument in PUBLIC[name]:
        values = wrong() if argument not in REST else []
        for value in values[:9] if name.startswith("plot.") else values:
            try:
                said = called(name, argument, value)
            except Exception as error:
                told = f"{name}({argument}={_shown(value)})"
                problems.append(f"{told} raises {type(error).__name__}: {error}"[:300])
                continue
            told = (
                f"{name}({argument}={value if type(value) in (str, int) else type(value).__name__}"
            )
            if said is None and type(value) is object and f"{name}.{argument}" not in UNUSED:
                problems.append(f"{told} is taken")
            elif said is not None and ("\n" in said or not re.search("[;:,]", said)):
                problems.append(f"{told} is refused with {said!r}")
    plt.close("all")
    assert not problems, "\n".join(problems)


def _shown(value):
    try:
        return repr(value)[:80]
    except Exception:
        return f"a {type(value).__name__}"


METRICS_WITH = [m for m in METRICS.values() if m.params and not m._preset_of]
ROWS = {
    "counts": (Y, (SCORE > 0.5).astype(int)), "matrix": (Y, (SCORE > 0.5).astype(int)),
    "rows": (Y[:3], np.eye(3)[Y[:3]]), "class_scores": (np.arange(6) % 3, np.eye(3)[np.arange(6) % 3]),
}  # fmt: skip


@pytest.mark.parametrize("metric", METRICS_WITH, ids=lambda m: m.name)
def test_wrong_parameters_of_metrics_are_refused(metric):
    rows = ROWS.get(metric._needs, (Y, SCORE))
    problems = []
    for name in metric.params:
        for value in wrong():
            try:
                said = outcome(metric, *rows, **{name: value})
            except Exception as error:
                told = f"{metric.name}({name}={_shown(value)})"
                problems.append(f"{told} raises {type(error).__name__}: {error}"[:300])
                continue
            if said is None and type(value) is object:
                problems.append(f"{metric.name}({name}=object()) is taken")
    assert not problems, "\n".join(problems)


def test_a_function_checks_what_its_name_and_its_own_declaration_say():
    @checked(way=one_of("up", "down"))
    def walk(*metrics, level=0.95, way="up", least=None):
        return metrics, level, way, least

    assert walk("f1", level=np.float32(0.5)) == ((["f1"],), 0.5, "up", None)
    assert type(walk(level=Fraction(1, 4))[1]) is float
    with pytest.raises(tm.InputError, match="level is 'x'; give a number between 0 and 1, such as"):
        walk(level="x")
    with pytest.raises(tm.InputError, match="way is 'doun'; did you mean 'down'?"):
        walk(way="doun")
    with pytest.raises(tm.InputError, match="level is None; give"):
        walk(level=None)
    with pytest.raises(TypeError, match="unexpected keyword"):
        walk(wya="up")
    assert inspect.signature(walk).parameters["level"].default == 0.95


def test_a_checked_class_checks_its_public_methods():
    @checked
    class Judge:
        def __init__(self, seed):
            self.seed = seed

        def at(self, threshold):
            return threshold

        @classmethod
        def make(cls, seed=0):
            return cls(seed)

        @staticmethod
        def sure(level):
            return level

        @trusted
        def fast(self, level):
            return level

    judge = Judge("any")
    assert judge.at(np.int64(3)) == 3.0
    assert judge.fast("x") == "x"
    for call in (lambda: judge.at("x"), lambda: Judge.make(-1), lambda: Judge.sure(2)):
        with pytest.raises(tm.InputError, match="; give "):
            call()


def test_an_argument_of_a_name_that_has_a_meaning_may_not_be_silently_left_out():
    assert CONTRACT["level"].words == "a number between 0 and 1, such as 0.95"
    assert set(CURVES)  # every curve's maker is checked where it is declared
    for curve in CURVES.values():
        assert curve.function is None or hasattr(curve.function, "contract"), curve.name


INF = float("inf")
BETWEEN = ([1e-9, 1 - 1e-9], [0, 1, -0.5, 1.5])
FROM_1 = ([1, 2**63 - 1], [0, 2**63, 1.0])
LIMITS = {
    "level": BETWEEN,
    **dict.fromkeys(("tolerance", "power", "prevalence", "prior", "assurance"), BETWEEN),
    "seed": ([0, 2**63 - 1], [-1, 2**63, 0.5, True]),
    "threshold": ([-INF, 0, INF], [float("nan"), True, "0.5"]),
    **dict.fromkeys(("margin", "least"), ([1e-9, 1e9], [0, -1, INF])),
    "permutations": ([0, 1_000_000], [-1, 1_000_001]),
    "draws": ([1, 1_000_000], [0, 1_000_001]),
    "points": ([2, 2**63 - 1], [1]),
    "parts": ([1, 100_000], [0, 100_001]),
    "ratio": ([0, 1e9], [-1e-9, INF]),
    "width": ([1, 10_000], [0, 10_001]),
    "first_row": ([0, 2**63 - 1], [-1]),
    "null": ([-1e300, 1e300], [INF, -INF]),
    **dict.fromkeys(("most", "n", "k", "bins"), FROM_1),
    **dict.fromkeys(("cost_fp", "cost_fn"), ([0, 1e9], [-1e-9, INF])),
    "missing": (["error", "drop", [-1.0], -100], ["none", [None]]),
    "undefined": (["nan", "raise", 0, 0.5], ["zero", None]),
    "count": (["n", False], [True, 1]),
    "model": (["m", False], [True, 1]),
    "positive": (["ill", 1, 1.0, True], [0.5, None, [1], float("nan")]),
    "classes": ([["a", "b"], (0, 1)], ["ab", {"a": 1}, 3]),
    "score_of": (["ill", "prediction", ["a", "b"], 1], [None, 0.5]),
    "header": ([True, False], [0, 1, "yes"]),
    "progress": ([len], ["len", 3]),
}


def test_each_argument_is_held_to_its_limits():
    for name, (taken, refused) in LIMITS.items():
        for value in taken:
            read = contract.read(name, value)
            assert isinstance(read, list | tuple) or read == value, (name, value)
        for value in refused:
            with pytest.raises(tm.InputError) as caught:
                contract.read(name, value)
            words = contract.CONTRACT[name].words
            assert str(caught.value) == f"{name} is {value!r}; give {words}", (name, value)


def test_words_of_kinds_name_their_limits():
    told = {name: contract.CONTRACT[name].words for name in ("points", "draws", "n", "width")}
    assert told == {
        "points": "a whole number, at least 2",
        "draws": "a whole number, from 1 to 1,000,000",
        "n": "a whole number, at least 1",
        "width": "a whole number, from 1 to 10,000",
    }
    assert contract.CONTRACT["missing"].words == "one of 'error', 'drop', or codes such as [-100]"
    assert contract.CONTRACT["count"].words == "a text, or False where each line is one row"


EV = tm.evaluate(list(Y), y_score=list(SCORE))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: EV.value("f1", "x"),
            "Evaluation.value() takes 2 positional arguments but 3 were given; write "
            "Evaluation.value(metric, positive=..., average=..., skip_undefined=..., ...)",
        ),
        (
            lambda: EV.curve("roc", "threshold"),
            "Evaluation.curve() takes 2 positional arguments but 3 were given; write "
            "Evaluation.curve(name, over=..., band=..., **params)",
        ),
        (
            lambda: EV.at(costs=(1, 5)),
            "Evaluation.at() got an unexpected keyword argument 'costs'; did you mean 'cost_fp' or "
            "'cost_fn'?",
        ),
        (
            lambda: EV.model(),
            "Evaluation.model() missing 1 required positional argument: 'name'; write "
            "Evaluation.model(name)",
        ),
        (
            lambda: EV.by("a", metric=1),
            "Evaluation.by() got an unexpected keyword argument 'metric'; there are 'columns'",
        ),
        (
            lambda: tm.evaluate(list(Y), list(Y), treshold=1),
            "evaluate() got an unexpected keyword argument 'treshold'; did you mean 'threshold'?",
        ),
    ],
)
def test_a_call_that_does_not_fit_is_answered_with_one_that_does(call, message):
    with pytest.raises(TypeError) as refused:
        call()
    assert str(refused.value) == message


def test_a_type_error_of_a_function_itself_is_not_explained():
    @contract.checked
    def halved(level=0.9, function=None):
        return function() + "x"

    with pytest.raises(TypeError) as refused:
        halved(function=lambda: 1)
    assert str(refused.value) == "unsupported operand type(s) for +: 'int' and 'str'"
