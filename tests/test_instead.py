"""Names that users try first are answered by ours, and what only probes is left in peace."""

import copy
import pickle

import pytest

import tallymark as tm
from tallymark.display import Display
from tallymark.instead import IN_PACKAGE, STANDS_FOR, missing

Y, SCORE = [1, 0, 1, 0] * 9, [0.9, 0.3, 0.6, 0.4] * 9
EV = tm.evaluate(Y, y_score=SCORE)
ML = tm.evaluate([[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [1, 0]])


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("load", "tm.read('result.json')"),
        ("read_csv", "tm.evaluate('predictions.csv')"),
        ("compare", "tm.evaluate(y_true, y_score={'first': ..., 'second': ...}).compare()"),
        ("roc_auc_score", "tm.metrics.roc_auc(y_true, y_score)"),
        ("accuracy_score", "tm.metrics.accuracy(y_true, y_pred)"),
        ("brier_score_loss", "tm.metrics.brier(y_true, y_score)"),
        ("mcc", "tm.metrics.mcc(y_true, y_pred)"),
        ("confusion_matrix", "tm.evaluate(...).confusion_matrix()"),
        ("rows", "tm.evaluate(...).rows"),
        ("roc_curve", "tm.evaluate(...).curve('roc')"),
        ("save", "tm.evaluate(...).to_json('result.json')"),
        ("sample_size", "tm.plan"),
        ("Metric", "tm.Statistic(function)"),
    ],
)
def test_a_name_that_the_package_has_not_is_answered_by_one_that_it_has(name, use):
    assert not hasattr(tm, name)
    assert getattr(tm, name, "default") == "default"
    with pytest.raises(AttributeError) as refused:
        getattr(tm, name)
    assert str(refused.value) == f"module 'tallymark' has no attribute {name!r}; use {use}"


@pytest.mark.parametrize(
    ("result", "name", "advice"),
    [
        (EV, "save", "use ev.to_json('result.json')"),
        (EV, "to_csv", "use ev.table().to_csv('values.csv')"),
        (EV, "f1", "use ev['f1']"),
        (EV, "auc", "use ev['auc']"),
        (EV, "f1_score", "use ev['f1_score']"),
        (EV, "roc_curve", "use ev.curve('roc')"),
        (EV, "plot_roc", "use ev.plot.roc()"),
        (EV, "confusion", "use ev.confusion_matrix()"),
        (EV, "groupby", "use ev.by('column')"),
        (EV, "summry", "did you mean 'summary'?"),
        (EV, "auprc", "use ev['average_precision'] or ev['pr_auc_davis_goadrich'] or "
                      "ev['pr_auc_trapezoid'], whose definitions differ"),
        (EV["f1"], "ci", "use result.low and .high"),
        (EV["f1"], "std", "use result.se"),
        (EV.table(["f1"]), "df", "use result.to_pandas()"),
        (EV.table(["f1"]), "save", "use result.to_csv('result.csv')"),
        (EV.curve("roc"), "to_pandas", "use result.table().to_pandas()"),
        (ML, "save", "use ev.to_json('result.json')"),
    ],
)  # fmt: skip
def test_a_name_that_a_result_has_not_is_answered_by_one_that_it_has(result, name, advice):
    assert not hasattr(result, name)
    assert getattr(result, name, None) is None
    owner = type(result).__name__
    with pytest.raises(AttributeError) as refused:
        getattr(result, name)
    assert str(refused.value) == f"'{owner}' object has no attribute {name!r}; {advice}"
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)


def test_a_name_that_is_like_none_is_answered_by_some_of_those_there_are():
    with pytest.raises(AttributeError, match="has no attribute 'xyzzy'; there are 'advise', 'as_p"):
        EV.xyzzy  # noqa: B018
    with pytest.raises(AttributeError, match="has no attribute 'evaluat'; did you mean 'evaluate'"):
        tm.evaluat  # noqa: B018


def test_what_stands_for_a_name_is_there():
    for name in STANDS_FOR:
        for expression in EV._instead(name):
            assert hasattr(EV, expression.lstrip(".").split("(")[0].split(".")[0].strip()), name
    for expression in IN_PACKAGE.values():
        assert hasattr(tm, expression.split("(")[0])


def test_what_probes_a_result_is_told_at_once_that_a_name_is_not_there(monkeypatch):
    def never(*_):
        raise AssertionError("the text is made though nobody reads it")

    monkeypatch.setattr(type(EV), "_advise_on", never)
    assert not hasattr(EV, "dtype")
    assert not hasattr(EV, "_ipython_canary_method_should_not_exist_")
    assert str(missing("x", "_repr_png_", never)) == "x has no attribute '_repr_png_'"
    assert copy.copy(EV).rows == copy.deepcopy(EV).rows == EV.rows


def test_a_property_that_fails_says_so_itself():
    class Broken(Display):
        @property
        def rows(self):
            return [].rows

    with pytest.raises(AttributeError, match="'list' object has no attribute 'rows'"):
        Broken().rows  # noqa: B018
