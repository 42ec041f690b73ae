from __future__ import annotations

import sys

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.cbook import STEP_LOOKUP_MAP
from matplotlib.figure import Figure
from sklearn.cluster import KMeans

import tallymark as tm
import tallymark.sklearn as displays

matplotlib.use("Agg")
rng = np.random.default_rng(7)
Y = rng.integers(0, 2, 120)
P = np.round(1 / (1 + np.exp(-rng.normal(1.5 * Y - 0.7, 1.2))), 2)
W = rng.integers(1, 5, 120)


@pytest.fixture(autouse=True)
def figures():
    assert not plt.get_fignums()
    yield
    plt.close("all")


def peer(name):
    metrics = pytest.importorskip("sklearn.metrics")
    return getattr(metrics, name, None) or getattr(pytest.importorskip("sklearn.calibration"), name)


def fitted():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(P[:, None], np.where(Y == 1, "sick", "well"))


CASES = {
    "RocCurveDisplay": (("fpr", "tpr", "roc_auc", "pos_label"), {"plot_chance_level": True}),
    "PrecisionRecallDisplay": (
        ("precision", "recall", "average_precision", "prevalence_pos_label"),
        {"plot_chance_level": True},
    ),
    "DetCurveDisplay": (("fpr", "fnr", "pos_label"), {}),
}


@pytest.mark.parametrize("drop", [True, False])
@pytest.mark.parametrize("weight", [None, W])
@pytest.mark.parametrize("kind", CASES)
def test_attributes_and_lines_are_those_of_scikit_learn(kind, weight, drop):
    attributes, options = CASES[kind]
    options = {"drop_intermediate": drop, "sample_weight": weight, "name": "net", **options}
    ours, theirs = (
        cls.from_predictions(Y, P, ax=Figure().subplots(), **options)
        for cls in (getattr(displays, kind), peer(kind))
    )
    for name in attributes:
        assert getattr(ours, name) == pytest.approx(getattr(theirs, name)), name
    assert ours.line_.get_xydata() == pytest.approx(theirs.line_.get_xydata())
    assert ours.line_.get_label() == theirs.line_.get_label()
    for axis in ("xlabel", "ylabel"):
        get = f"get_{axis}"
        assert getattr(ours.ax_, get)() == getattr(theirs.ax_, get)()
    if "plot_chance_level" in options:
        assert ours.chance_level_.get_ydata() == pytest.approx(theirs.chance_level_.get_ydata())


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_a_calibration_display_has_scikit_learns_bins(strategy):
    ours, theirs = (
        cls.from_predictions(Y, P, n_bins=7, strategy=strategy, ax=Figure().subplots())
        for cls in (displays.CalibrationDisplay, peer("CalibrationDisplay"))
    )
    assert ours.prob_true == pytest.approx(theirs.prob_true)
    assert ours.prob_pred == pytest.approx(theirs.prob_pred)
    assert ours.line_.get_xydata() == pytest.approx(theirs.line_.get_xydata())
    assert ours.y_prob is P
    labels = [line.get_label() for line in ours.ax_.get_lines()]
    assert labels == ["Perfectly calibrated", "Classifier"]
    assert len(ours.plot(ax=ours.ax_).ax_.get_lines()) == 3, "the reference is drawn once"


@pytest.mark.parametrize("normalize", [None, "true", "pred", "all"])
def test_a_confusion_matrix_display_has_scikit_learns_numbers(normalize):
    guess = np.where(P > 0.7, 1, 0)
    ours, theirs = (
        cls.from_predictions(Y, guess, normalize=normalize, ax=Figure().subplots())
        for cls in (displays.ConfusionMatrixDisplay, peer("ConfusionMatrixDisplay"))
    )
    assert ours.confusion_matrix == pytest.approx(theirs.confusion_matrix)
    assert [t.get_text() for t in ours.text_.ravel()] == [
        t.get_text() for t in theirs.text_.ravel()
    ]
    assert list(ours.display_labels) == [0, 1]
    assert len(ours.figure_.axes) == 2, "the colour bar is there"


def test_options_of_a_confusion_matrix_display():
    d = displays.ConfusionMatrixDisplay(np.eye(2), display_labels=["a", "b"])
    d.plot(include_values=False, colorbar=False, xticks_rotation="vertical", ax=Figure().subplots())
    assert d.text_ is None
    assert len(d.figure_.axes) == 1
    assert {t.get_rotation() for t in d.ax_.get_xticklabels()} == {90.0}
    d.plot(values_format=".1f", ax=Figure().subplots())
    assert d.text_[0, 0].get_text() == "1.0"


@pytest.mark.parametrize("kind", [*CASES, "CalibrationDisplay"])
def test_from_estimator_is_from_predictions(kind):
    peer(kind)
    model, truth = fitted(), np.where(Y == 1, "sick", "well")
    cls = getattr(displays, kind)
    rows = P[:, None]
    ours = cls.from_estimator(model, rows, truth, pos_label="sick", ax=Figure().subplots())
    score = model.predict_proba(rows)[:, 0]
    direct = cls.from_predictions(truth, score, pos_label="sick", ax=Figure().subplots())
    assert ours.line_.get_xydata() == pytest.approx(direct.line_.get_xydata())
    assert ours.line_.get_label().startswith("LogisticRegression")
    assert ours.pos_label == "sick"


def test_a_decision_function_is_turned_round_for_the_other_class():
    peer("RocCurveDisplay")
    model, truth, rows = fitted(), np.where(Y == 1, "sick", "well"), P[:, None]
    options = {"response_method": "decision_function", "ax": Figure().subplots()}
    areas = [
        displays.RocCurveDisplay.from_estimator(model, rows, truth, pos_label=c, **options).roc_auc
        for c in ("sick", "well")
    ]
    assert areas[0] == pytest.approx(areas[1])
    assert areas[0] > 0.7


def test_a_confusion_matrix_from_an_estimator():
    peer("RocCurveDisplay")
    model, truth, rows = fitted(), np.where(Y == 1, "sick", "well"), P[:, None]
    d = displays.ConfusionMatrixDisplay.from_estimator(model, rows, truth, ax=Figure().subplots())
    assert d.confusion_matrix.sum() == len(Y)
    assert list(d.display_labels) == ["sick", "well"]


def of_three_classes():
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression().fit(P[:, None], np.digitize(P, [0.3, 0.6]))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: displays.RocCurveDisplay.from_estimator(of_three_classes(), P[:, None], Y), "Got 3 classes instead"),
        (lambda: displays.RocCurveDisplay.from_estimator(fitted(), P[:, None], Y, pos_label=5), "pos_label=5 is not a valid label"),
        (lambda: displays.RocCurveDisplay.from_estimator(fitted(), P[:, None], Y, response_method="guess"), "has none of the following attributes: guess"),
        (lambda: displays.ConfusionMatrixDisplay.from_estimator(KMeans(2).fit(P[:, None]), P[:, None], Y), "only supports classifiers"),
        (lambda: displays.ConfusionMatrixDisplay.from_predictions(Y, Y, normalize="rows"), "'normalize' parameter of confusion_matrix must be"),
        (lambda: displays.CalibrationDisplay.from_predictions(Y, P, strategy="mass"), "'strategy' parameter of calibration_curve must be"),
        (lambda: displays.CalibrationDisplay.from_predictions(Y, P, n_bins=0), "'n_bins' parameter of calibration_curve must be"),
        (lambda: displays.CalibrationDisplay.from_predictions(Y, P * 3), "y_prob has values outside"),
        (lambda: displays.PrecisionRecallDisplay([1, 0], [0, 1]).plot(plot_chance_level=True), "prevalence_pos_label"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_said(make, words):
    with pytest.raises((ValueError, AttributeError), match=words):
        make()


@pytest.mark.parametrize(
    ("kind", "counting"),
    [
        ("RocCurveDisplay", ("roc_curve", "auc")),
        ("PrecisionRecallDisplay", ("precision_recall_curve", "average_precision_score")),
        ("DetCurveDisplay", ("det_curve",)),
        ("CalibrationDisplay", ("calibration_curve",)),
        ("ConfusionMatrixDisplay", ("confusion_matrix",)),
    ],
)
def test_the_numbers_are_counted_here(kind, counting, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("scikit-learn counts")

    home = sys.modules[peer(kind).__module__]
    for function in counting:
        monkeypatch.setattr(home, function, refuse)
    second = (P > 0.5).astype(int) if kind == "ConfusionMatrixDisplay" else P
    getattr(displays, kind).from_predictions(Y, second, ax=Figure().subplots())
    with pytest.raises(AssertionError, match="scikit-learn counts"):
        peer(kind).from_predictions(Y, second, ax=Figure().subplots())


def test_new_axes_are_made_where_none_are_given():
    d = displays.RocCurveDisplay.from_predictions(Y, P, despine=True)
    assert len(plt.get_fignums()) == 1
    assert d.figure_ is d.ax_.figure
    assert not d.ax_.spines["top"].get_visible()
    again = d.plot(d.ax_, name="again", curve_kwargs={"color": "red"})
    assert len(plt.get_fignums()) == 1
    assert again.line_.get_color() == "red"
    assert again.line_.get_label().startswith("again (AUC")


def test_a_display_without_name_or_number_has_no_legend():
    d = displays.RocCurveDisplay(fpr=[0, 1], tpr=[0, 1]).plot(Figure().subplots())
    assert d.ax_.get_legend() is None


@pytest.mark.parametrize("score", [P, np.where(P > 0.5, 0.8, 0.2)])
def test_what_a_display_draws_is_what_the_decisions_at_each_threshold_say(score):
    t = tm.ScoreTally.from_arrays(Y, score)
    roc, pr, det = (
        cls.from_predictions(Y, score, ax=Figure().subplots())
        for cls in (
            displays.RocCurveDisplay,
            displays.PrecisionRecallDisplay,
            displays.DetCurveDisplay,
        )
    )
    assert (roc.line_.get_drawstyle(), det.line_.get_drawstyle()) == ("default", "default")
    assert pr.line_.get_drawstyle() == "steps-post"
    x, y = STEP_LOOKUP_MAP["steps-post"](*pr.line_.get_data())
    corners = np.stack([x, y], 1)
    known = set()
    for threshold in t.scores[::-1]:
        at = t.at(float(threshold))
        fpr, tpr, precision = (getattr(tm.metrics, n)(at) for n in ("fpr", "tpr", "precision"))
        upright = roc.tpr[roc.fpr == fpr]  # the line stands there, or goes through
        ends = (
            (upright.min(), upright.max())
            if len(upright)
            else [np.interp(fpr, roc.fpr, roc.tpr)] * 2
        )
        assert ends[0] - 1e-12 <= tpr <= ends[1] + 1e-12
        assert np.abs(corners - [tpr, precision]).max(1).min() < 1e-12
        if tpr not in known:  # to the left of a recall stands the precision of its first threshold
            known.add(tpr)
            level = [b for a, c, b, d in zip(x[:-1], x[1:], y[:-1], y[1:], strict=True)
                     if b == d and c < tpr - 1e-9 < a]  # fmt: skip
            assert level == [pytest.approx(precision)] or tpr == 0
