"""Laws of all results as objects: they are pickled, copied, sent, and asked by name alike."""

import copy
import json
import pickle
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

import tallymark as tm
from asked import asked, said
from of_parts import of_parts
from tallymark.display import Display, Named
from tallymark.listing import Rows
from tallymark.metric import METRICS

RNG = np.random.default_rng(3)
Y = np.tile([0, 1], 60)
SCORES = {"a": np.clip(Y * 0.3 + RNG.random(120) * 0.7, 0, 1), "b": RNG.random(120)}


def classes(made):
    return {made}.union(*map(classes, made.__subclasses__()))


WITHIN = {
    "Balance",
    "Histogram",
    "Nearest",
    "PairedBlocks",
    "Pilot",
    "Rows",
    "ScoreBlocks",
    "ScoreCounts",
    "Sums",
    "Sweep",
    *(name for names in of_parts("WITHIN") for name in names),
}
"""Results that stand within others, and that no question answers with."""


@pytest.mark.slow
def test_every_class_of_results_is_asked():
    kinds = {c for c in classes(Display) if c.__module__.startswith("tallymark.")}
    made = {c.__name__ for c in kinds if not c.__subclasses__()}
    assert made - {type(o).__name__ for o in asked().values()} <= WITHIN


@pytest.mark.slow
def test_a_result_that_was_asked_is_pickled_and_copied():
    differ = []
    for name, result in asked().items():
        before = said(result)
        copies = {
            "pickled": pickle.loads(pickle.dumps(result)),
            "copied with all in it": copy.deepcopy(result),
            "copied": copy.copy(result),
        }
        differ += [(name, how) for how, again in copies.items() if said(again) != before]
    assert not differ


def test_a_result_leaves_as_plain_data_for_json():
    for result in asked().values():
        if isinstance(result, Display):
            json.dumps(result.to_dict(), allow_nan=False)


READ = """
import pickle, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1]]
from asked import said
sent = pickle.loads(Path("sent.pickle").read_bytes())
Path("said.pickle").write_bytes(pickle.dumps({name: said(one) for name, one in sent.items()}))
"""


@pytest.mark.slow
def test_results_are_sent_to_another_process(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")  # which a process without a terminal does not know
    (tmp_path / "sent.pickle").write_bytes(pickle.dumps(asked()))
    read = [sys.executable, "-X", "utf8", "-c", READ, str(Path(__file__).parent)]
    done = subprocess.run(read, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    found = pickle.loads((tmp_path / "said.pickle").read_bytes())
    forms = [
        (name, form, text) for name, one in asked().items() for form, text in said(one).items()
    ]
    differ = [(name, form) for name, form, text in forms if found[name][form] != text]
    assert not differ


@pytest.mark.slow
def test_results_of_a_function_of_the_user_do_not_hold_it():
    cost = tm.Statistic(lambda c: (5 * c.fn + c.fp) / c.total, name="cost", better="low")
    ev = tm.evaluate(
        Y, y_score=SCORES, subgroup={"at": np.arange(120) % 3}, fold=np.arange(120) % 4
    )
    one = ev.model("a")
    answers = [
        one.value(cost),
        one.per_class([cost]),
        one.by("at").values([cost]),
        one.by("at").table([cost.name]),
        one.by("at").differences(cost),
        one.folds([cost]),
        one.curve(cost),
        one.thresholds([cost]),
        one.optimal_threshold(cost),
        ev.compare(metric=cost, permutations=0),
        one,
        ev,
    ]
    for answer in answers:
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer if isinstance(answer, Mapping) else said(again) == said(answer)


def test_what_a_result_keeps_is_not_sent():
    ev = tm.evaluate(Y, y_score=SCORES)
    new = len(pickle.dumps(ev))
    ev.summary(), ev.per_class(), ev.curves(), ev.to_dict()
    assert len(pickle.dumps(ev)) == new


# -- asked by name -----------------------------------------------------------------------------


def asked_by_name():
    return {n: o for n, o in asked().items() if hasattr(type(o), "__getitem__")}


def test_results_that_are_asked_by_name_are_of_two_kinds():
    kinds = {type(result) for result in asked_by_name().values()}
    assert len(kinds) > 8
    assert all(issubclass(kind, Named | Rows | Mapping | Sequence) for kind in kinds)


def test_a_number_is_asked_of_one_model():
    result = tm.evaluate(Y, y_score=SCORES)
    for question in (len, list, lambda ev: ev["f1"], lambda ev: "f1" in ev):
        with pytest.raises(tm.InputError, match="this evaluation holds 2 models"):
            question(result)
    assert result


@pytest.mark.slow
def test_names_of_a_result_agree_with_what_it_answers():
    for name, result in asked_by_name().items():
        keys = list(result)
        assert len(result) == len(keys), name
        assert all(key in result for key in keys), name
        if isinstance(result, Named):
            assert bool(result), name
        if isinstance(result, Sequence | Rows):
            assert [result[i] for i in range(len(result))] == keys, name
        else:
            assert len(set(keys)) == len(keys), name
            assert all(result[key] is not None for key in keys), name
        for wrong in ("no such name", None, 10**9, object()):
            assert wrong not in result, name


@pytest.mark.parametrize(
    "name", ["decisions", "folds", "roles", "three classes", "three classes, decided"]
)
def test_an_evaluation_answers_every_metric_that_is_in_it(name):
    ev = asked()[name]
    for metric in (*METRICS, "TP", "fn", "no_metric", "auprc"):
        try:
            value = ev[metric]
        except tm.InputError:
            value = None
        assert (metric in ev) == (value is not None), metric
        aliases = METRICS[metric].aliases if metric in METRICS else ()
        assert all((alias in ev) == (metric in ev) for alias in aliases)
    listed = [m for m in METRICS.values() if m._listed and m.name in ev]
    assert list(ev) == [m.name for m in listed if ev.models[0]._holds(m)]


# -- classes that are only there to be derived from --------------------------------------------


def test_an_abstract_class_cannot_be_made():
    from tallymark.display import Document
    from tallymark.infer.samples import Sample
    from tallymark.reading.chunks import AnyTable

    for kind in (Document, Named, Sample, AnyTable):
        with pytest.raises(TypeError, match="abstract"):
            kind()
    sources = Path(tm.__file__).parent.rglob("*.py")
    assert not [p.name for p in sources if "raise NotImplementedError" in p.read_text("utf-8")]
