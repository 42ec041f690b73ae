from __future__ import annotations

import copy
import functools
import inspect
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score

import tallymark as tm
from tallymark.errors import InputError
from tallymark.metric import METRICS, Metric, find, get
from tallymark.metric.registry import magnitude, metric, ratio

DECLARED = {
    "title": "A test",
    "formula": "x",
    "needs": "counts",
    "range": (0, 1),
    "better": "high",
    "undefined": {},
}


def test_the_page_on_adding_a_metric_names_every_need_and_the_defaults():
    page = (Path(__file__).parents[2] / "docs" / "adding-a-metric.md").read_text("utf-8")
    assert not [m._needs for m in METRICS.values() if f"`{m._needs}`" not in page]
    errors = {m._sampling.error for m in METRICS.values()} - {"smooth"}
    assert not [error for error in errors if f'`error="{error}"`' not in page]
    parameters = inspect.signature(Metric).parameters
    usual = {name.removeprefix("_"): p for name, p in parameters.items()}
    given = [f"`{name}={usual[name].default!r}`" for name in ("needs", "range", "better")]
    assert f"What is not said is the usual: {', '.join(given)}.".replace("'", '"') in page


def test_names_are_found_however_they_are_written():
    for word in ("F1", "f1 score", "F-measure", "f-measure", "FSC"):
        assert get(word).name == "f1"
    assert get(get("mcc")) is METRICS["matthews_corrcoef"]
    assert tm.metrics.far is METRICS["false_positive_rate"]
    assert tm.metrics.frr is METRICS["false_negative_rate"]
    assert {"roc_auc", "f1"} <= set(dir(tm.metrics))
    with pytest.raises(AttributeError, match="there is no metric 'recal'; did you mean 'recall'"):
        tm.metrics.recal  # noqa: B018


def test_metrics_are_found_by_what_they_are():
    of_order = {m.name for m in METRICS.values() if m._needs in ("ranking", "class_scores")}
    assert {m.name for m in find(family="rank")} == of_order | {"top_k_accuracy"}
    assert "positive_likelihood_ratio" in {m.name for m in find(text="likelihood")}
    assert all(m.better == "low" for m in find(better="low"))
    assert next(m.name for m in find(needs="probabilities", text="brier score")) == "brier"
    assert {m._needs for m in find(needs_scores=False)} == {"counts", "matrix", "label_sets"}
    assert {m.family for m in find(needs_scores=True)} == {"rank", "probability", "multi-label"}
    assert all(m.range[0] >= 0 and m.range[1] <= 1 for m in find(within=(0, 1)))
    moving = {m.name for m in find(moves=True)}
    still = {m.name for m in find(moves=False)}
    assert moving | still == set(METRICS)
    assert {"precision", "f1", "matthews_corrcoef", "average_precision", "brier"} <= moving
    assert {"youden_j", "yule_q", "roc_auc", "min_cllr", "balanced_accuracy"} <= still
    with pytest.raises(tm.InputError, match="family is 'ranks'; did you mean 'rank'"):
        find(family="ranks")


@pytest.mark.parametrize(
    ("name", "aliases", "message"),
    [
        ("accuracy", (), "name 'accuracy' of the metric 'accuracy' is taken: it names 'accuracy'"),
        ("a_new_one", ("TPR",), "alias 'TPR' of the metric 'a_new_one' is taken: it names 'sens"),
        ("a_new_one", ("tpr",), "alias 'tpr' differs from 'TPR' of the metric 'sensitivity' in case"),
        ("tversky", ("Tversky",), "alias 'Tversky' differs from 'tversky' in case only; leave one"),
        ("a_new_one", ("a new-one",), "differs from 'a_new_one' in case, blanks, hyphens or apos"),
    ],
)  # fmt: skip
def test_a_name_that_is_taken_fails_where_it_is_declared(name, aliases, message):
    known = set(METRICS)
    with pytest.raises(ValueError, match=message):
        metric(name=name, aliases=aliases, **DECLARED)(lambda c: c)
    assert set(METRICS) == known
    if name not in known:
        with pytest.raises(tm.InputError, match=f"there is no metric '{name}'"):
            get(name)


def test_a_metric_is_registered_with_all_its_presets_or_not_at_all():
    known = set(METRICS)
    presets = {
        "a_preset": {"params": {}, "title": "A preset", "meaning": "It is one."},
        "f1": {"params": {}, "title": "Another", "meaning": "Its name is taken."},
    }
    with pytest.raises(ValueError, match="name 'f1' of the metric 'f1' is taken"):
        metric(name="a_new_one", presets=presets, **DECLARED)(lambda c: c)
    with pytest.raises(ValueError, match="cites the unknown source 'nobody1900'"):
        metric(name="a_newer_one", sources=("nobody1900",), **DECLARED)(lambda c: c)
    assert set(METRICS) == known
    for refused in ("a_new_one", "a_preset", "a_newer_one"):
        with pytest.raises(tm.InputError, match=f"there is no metric '{refused}'"):
            get(refused)


def test_dividing_is_plain():
    import numpy as np

    with np.errstate(all="ignore"):
        assert ratio(1.0, 0.0) == np.inf
        assert np.isnan(ratio(0.0, 0.0))
        assert ratio(1e-300, 1e-300) == 1


def test_the_magnitude_keeps_the_derivative():
    assert complex(magnitude(-2 + 1e-30j)) == 2 - 1e-30j
    assert complex(magnitude(2 + 1e-30j)) == 2 + 1e-30j


def f1(c):
    return 2 * c.tp / (2 * c.tp + c.fp + c.fn)


def rows(seed=0, n=300):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    a, b = (1 / (1 + np.exp(-(rng.normal(size=n) + k * y - 0.5))) for k in (1.5, 1.0))
    return y, a, b


@pytest.mark.slow
def test_a_function_of_counts_is_the_metric_of_the_same_formula():
    y, a, b = rows()
    mine = tm.Statistic(f1, name="my_f1", range=(0, 1), better="high")
    ev = tm.evaluate(y, y_score={"a": a, "b": b})
    one = ev.model("a")
    ours, theirs = one.value(mine), one["f1"]
    assert (ours.value, ours.low, ours.high, ours.method) == pytest.approx(
        (theirs.value, theirs.low, theirs.high, theirs.method)
    )
    differences = ev.compare(metric=mine, metrics=["f1"], permutations=50).pairs[0].differences
    x, z = differences["my_f1"], differences["f1"]
    assert (x.value, x.low, x.high, x.p_value) == pytest.approx((z.value, z.low, z.high, z.p_value))
    assert "my f1" in str(ev.compare(metric=mine, permutations=0))


@pytest.mark.slow
def test_a_function_of_counts_has_a_curve_over_thresholds():
    y, a, _ = rows()
    mine = tm.Statistic(lambda c: (5 * c.fn + c.fp) / c.total, name="cost_a_row", range=(0, 5))
    tm.Statistic(lambda c: c.tp, name="cost_a_row", range=(0, 5))  # of the same name, made later
    ev = tm.evaluate(y, y_score=a)
    c = ev.curve(mine)
    for t, value in zip(c.threshold[1:], c.y[1:], strict=True):
        assert ev.at(threshold=t).value(mine).value == pytest.approx(value)
    band = ev.curve(mine, band="pointwise")
    assert (band.low < band.y).all()
    assert (band.y < band.high).all()
    several = tm.evaluate([0, 1, 2], y_score=[[0.5, 0.3, 0.2], [0.2, 0.5, 0.3], [0.2, 0.3, 0.5]])
    with pytest.raises(tm.InputError, match="^a cost_a_row curve judges one class against the"):
        several.curve(mine)


def test_a_function_of_scores_has_an_interval():
    y, a, _ = rows()

    def half_found(r, *, share=0.5):
        """Rows called positive until so large a share of the positives is found."""
        tp, fp = r._cumulative_counts
        at = (tp >= share * tp[..., -1:]).argmax(-1)[..., None]
        return np.take_along_axis(tp + fp, at, -1)[..., 0] / r.total

    mine = tm.Statistic(half_found, needs="ranking", range=(0, 1), error="quantile")
    v = tm.evaluate(y, y_score=a).value(mine)
    assert 0 < v.low < v.value < v.high < 1
    assert tm.evaluate(y, y_score=a).value(mine, share=0.9).value > v.value


def test_undefined_is_said():
    mine = tm.Statistic(lambda c: c.tp / (c.tp + c.fp), name="my_precision", range=(0, 1))
    v = tm.evaluate([0, 1, 0, 1], [0, 0, 0, 0]).value(mine)
    assert np.isnan(v.value)
    assert v.reason == "the function gave no number"


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (f1, {}, "'f1' is already a metric; give the statistic another name"),
        (lambda c: c.tp, {}, "a statistic needs a name, and this is '<lambda>'; say name="),
        (3, {"name": "three"}, "function is 3; give a function"),
        (f1, {"name": "mine", "needs": "rank"}, "needs is 'rank'; did you mean 'ranking'"),
    ],
)
def test_what_is_no_statistic_is_refused(given, options, message):
    with pytest.raises(tm.InputError, match=message.replace("(", r"\(")):
        tm.Statistic(given, **options)


@pytest.mark.parametrize("name", [None, 3, ["f1"]])
def test_a_name_that_is_no_text_is_refused(name):
    with pytest.raises(tm.InputError) as refused:
        get(name)
    assert str(refused.value) == f"metric is {name!r}; give a metric by its name, such as 'f1'"


SPOKEN = {
    "Youden's index": "youden_j", "j_index": "youden_j", "Cohen's Kappa": "cohen_kappa",
    "TP Rate": "sensitivity", "FP Rate": "false_positive_rate", "sens": "sensitivity",
    "spec": "specificity", "Pos Pred Value": "precision", "type I error": "false_positive_rate",
    "Neg Pred Value": "negative_predictive_value", "type II error": "false_negative_rate",
    "ROC Area": "roc_auc", "c-index": "roc_auc", "area under the curve": "roc_auc",
    "Matthews' correlation coefficient": "matthews_corrcoef", "HSS": "cohen_kappa",
    "phi coefficient": "matthews_corrcoef", "mn_log_loss": "log_loss", "f_meas": "f1",
    "logarithmic loss": "log_loss", "classification error": "error_rate", "IoU": "jaccard",
    "Jaccard's index": "jaccard", "Dice coefficient": "f1", "Sorensen": "f1",
    "KS statistic": "kolmogorov_smirnov", "Scott's pi": "scott_pi", "Yule's Q": "yule_q",
    "Krippendorff's alpha": "krippendorff_alpha", "bal_accuracy": "balanced_accuracy",
    "Hand & Till": "hand_till_auc", "brier_class": "brier", "FM index": "fowlkes_mallows",
    "detection cost function": "expected_cost",
}  # fmt: skip


@pytest.mark.parametrize("word", SPOKEN)
def test_names_of_textbooks_and_other_libraries_are_known(word):
    assert get(word).name == SPOKEN[word]


@pytest.mark.parametrize("word", ["AUPRC", "aucpr", "PRC Area"])
def test_a_name_with_several_definitions_lists_them(word):
    with pytest.raises(InputError, match="several definitions, whose values differ") as refused:
        get(word)
    listed = re.findall(r"average_precision|pr_auc_\w+", str(refused.value))
    assert listed == ["average_precision", "pr_auc_davis_goadrich", "pr_auc_trapezoid"]
    assert len({get(name).name for name in listed}) == 3


def cost_of_errors(counts, *, factor=5.0):
    """What errors cost a row."""
    return (factor * counts.fn + counts.fp) / counts.total


OWN_COST = tm.Statistic(cost_of_errors, range=(0, 5))
TRUTH, SAID = [1, 0, 1, 1, 0], [1, 0, 0, 1, 1]


def of_rows(function):
    return function(TRUTH, SAID)


@pytest.mark.parametrize("made", [*METRICS.values(), OWN_COST], ids=lambda m: m.name)
def test_a_metric_has_the_attributes_of_a_function_and_one_identity(made):
    assert made.__name__ == made.__qualname__ == made.name
    assert made.__module__ == made._function.__module__
    assert made.__doc__.split()
    assert made.__doc__ != Metric.__doc__
    wrapped = functools.wraps(made)(lambda *arrays, **options: made(*arrays, **options))
    assert (wrapped.__name__, wrapped.__doc__) == (made.name, made.__doc__)
    assert inspect.signature(wrapped) == inspect.signature(made)
    assert copy.copy(made) is made
    assert copy.deepcopy([made])[0] is made
    read = pickle.loads(pickle.dumps(made))
    assert read is made or (made is OWN_COST and read.__name__ == "cost_of_errors")


def test_an_own_metric_of_a_pickle_computes_the_same_and_is_found_by_its_name():
    read = pickle.loads(pickle.dumps(OWN_COST))
    assert of_rows(read) == of_rows(OWN_COST)
    assert read(TRUTH, SAID, factor=2.0) == OWN_COST(TRUTH, SAID, factor=2.0)
    assert get("cost_of_errors") is OWN_COST  # the one that is found under the name stays
    empty = pickle.loads(pickle.dumps(tm.Statistic(lambda_free, name="of_nothing")))
    counts = tm.Counts(*np.zeros((4, 1)))
    assert empty.reason(counts) == "the function gave no number"
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(tm.Statistic(lambda c: c.tp, name="of_a_lambda"))


def lambda_free(counts):
    return counts.tp / counts.total


def test_a_metric_is_what_scikit_learn_takes_for_a_function():
    x = np.random.default_rng(0).normal(size=(80, 2))
    y = (x.sum(1) + np.tile([0.5, -0.5], 40) > 0).astype(int)
    for made, options in [
        (tm.metrics.mcc, {}),
        (tm.metrics.TPR, {}),
        (tm.metrics.f_beta, {"beta": 2}),
        (tm.metrics.f2, {}),
        (OWN_COST, {"factor": 2.0}),
    ]:
        scorer = make_scorer(made, **options)
        assert repr(scorer).startswith(f"make_scorer({made.name}")
        found = cross_val_score(LogisticRegression(), x, y, scoring=scorer, cv=2)
        assert found.shape == (2,)
        assert np.isfinite(found).all()


OTHER_PROCESSES = """
from multiprocessing import get_context

import joblib
import tallymark as tm

def cost(counts, *, factor=5.0):
    return (factor * counts.fn + counts.fp) / counts.total

def of_rows(metric):
    return metric([1, 0, 1, 1, 0], [1, 0, 0, 1, 1])

if __name__ == "__main__":
    sent = [tm.metrics.mcc, tm.metrics.f2, tm.Statistic(cost, range=(0, 5))]
    with get_context("spawn").Pool(1) as pool:
        found = pool.map(of_rows, sent)
    again = joblib.Parallel(n_jobs=2)(joblib.delayed(of_rows)(m) for m in sent)
    print(found == again == [of_rows(m) for m in sent])
"""


@pytest.mark.slow
def test_a_metric_goes_to_another_process(tmp_path):
    (tmp_path / "script.py").write_text(OTHER_PROCESSES)
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "check": False, "timeout": 120}
    done = subprocess.run([sys.executable, "script.py"], **run)
    assert done.stdout == "True\n", done.stderr


OF_A_SCRIPT = """
import pickle
from tallymark.metric import metric

@metric(title="Hits", formula="TP/n", undefined={})
def hits(counts):
    '''Share of rows that are hits.'''
    return counts.tp / counts.total

pickle.dump([hits, hits.__module__], open("own.pickle", "wb"))
"""


@pytest.mark.slow
def test_a_metric_that_a_script_declares_is_pickled_by_reference_as_a_function_is(tmp_path):
    (tmp_path / "hits.py").write_text(OF_A_SCRIPT)
    run = {"cwd": tmp_path, "capture_output": True, "text": True, "check": False}
    made = subprocess.run([sys.executable, "-c", "import hits"], **run)
    assert not made.stderr
    read = "import pickle; m, where = pickle.load(open('own.pickle', 'rb')); print(m.name, where)"
    again = subprocess.run([sys.executable, "-c", read], **run)
    assert again.stdout.split() == ["hits", "hits"], again.stderr
    subprocess.run([sys.executable, "hits.py"], **run)  # in __main__, which nobody can import
    refused = subprocess.run([sys.executable, "-c", read], **run)
    assert (
        "InputError: the metric 'hits' is declared in __main__, which this process has not run; "
        "declare it in a module that can be imported"
    ) in refused.stderr


def test_the_four_counts_are_found_by_their_names_and_are_no_metrics():
    assert not {"TP", "FP", "FN", "TN"} & {m.name for m in METRICS.values()}
    assert [get(n).name for n in ("tp", "FP", "fn", "Tn")] == ["TP", "FP", "FN", "TN"]
    assert tm.metrics.fp(TRUTH, SAID) == 1.0
    assert repr(get("TP")) == "<Metric: TP>"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("f1_macro", "'f1_macro' is f1 with average='macro'; say ev.value('f1', average='macro')"),
        ("roc_auc_ovr", "'roc_auc_ovr' is roc_auc with average='macro'; say ev.value('roc_auc', average='macro')"),
        ("weighted_kappa", "'weighted_kappa' is cohen_kappa with weights='linear' or weights='quadratic'; say "
         "ev.value('cohen_kappa', weights='linear') or ev.value('cohen_kappa', weights='quadratic')"),
        ("deltap", "'deltap' is markedness; say ev['markedness']"),
        ("neg_log_loss", "'neg_log_loss' is log_loss with its sign reversed; say ev['log_loss']"),
        ("neg_brier_score", "'neg_brier_score' is brier with its sign reversed; say ev['brier']"),
    ],
)  # fmt: skip
def test_a_name_of_another_library_leads_to_the_call_that_gives_it(name, message):
    scores = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6], [0.3, 0.4, 0.3]] * 6
    ev = tm.evaluate([0, 1, 2, 0] * 6, y_score=np.array(scores))
    with pytest.raises(tm.InputError) as refused:
        ev[name]
    assert str(refused.value) == message
    for call in str(refused.value).split("; say ")[1].split(" or "):
        assert isinstance(eval(call, {"ev": ev}), tm.Value)
