"""The terms of each use, at no symmetric point: tiles, curves, advice and the panel."""

from __future__ import annotations

import json
import re

import pytest

import tallymark as tm
from asymmetric import LEVEL, MODELS, SECOND, TRUTH
from tallymark.report import page
from tallymark.report.subjects.curve_charts import chart_groups
from tallymark.report.subjects.evaluation import tiles
from tallymark.report.subjects.summary import brief, headline, title_of

EVERY = {
    "": (
        ("roc_auc", "sensitivity", "precision", "brier"), ("roc", "pr", "calibration"), None,
    ),
    "medicine": (
        ("sensitivity", "specificity", "precision", "negative_predictive_value"),
        ("roc", "calibration", "decision"), "decisions",
    ),
    "marketing": (
        ("top_decile_lift", "gain_at", "response_rate_at", "roc_auc"),
        ("gain", "lift", "deciles", "calibration"), "ranking",
    ),
    "defects": (
        ("sensitivity", "false_positive_rate", "balance", "geometric_mean"),
        ("roc", "calibration"), "decisions",
    ),
    "ranking": (
        ("roc_auc", "average_precision", "top_decile_lift", "recall_at_precision"),
        ("roc", "pr", "gain", "calibration"), "ranking",
    ),
    "decisions": (
        ("sensitivity", "specificity", "precision", "matthews_corrcoef"),
        ("roc", "pr", "calibration"), "decisions",
    ),
    "probabilities": (
        ("brier", "log_loss", "observed_expected_ratio", "calibration_slope"),
        ("calibration", "roc", "decision"), "probabilities",
    ),
    "teaching": (
        ("accuracy", "sensitivity", "precision", "f1"), ("roc", "pr", "calibration"), None,
    ),
}  # fmt: skip
TITLES = {
    "medicine": {
        "precision": "Positive predictive value (PPV)",
        "negative_predictive_value": "Negative predictive value (NPV)",
    },
    "marketing": {
        "gain_at": "Gain in the best 10 %", "response_rate_at": "Response rate in the best 10 %",
        "top_decile_lift": "Lift in the best 10 %",
    },
    "defects": {
        "sensitivity": "Probability of detection (pd)",
        "false_positive_rate": "Probability of false alarm (pf)", "geometric_mean": "G-mean (G)",
        "youden_j": "Youden's J (J)",
    },
}  # fmt: skip


def judged(use, models=None):
    options = {"use": use} if use else {}
    models = {"second": SECOND} if models is None else models
    return tm.evaluate(TRUTH, y_score=models, positive="ill", level=LEVEL, **options)


def test_each_use_has_its_tiles_curves_and_advice():
    for use, (metrics, curves, advice) in EVERY.items():
        ev = judged(use)
        assert brief(ev) == metrics, use
        assert [t.title for t in tiles(ev).tiles] == [title_of(ev, m) for m in metrics]
        if use:
            assert headline(ev)[:4] == metrics, use
        (group,) = chart_groups(ev)
        assert tuple(c.kind for c in group.curves) == curves, use
        others = {c.kind for c in group.more}
        assert not others & set(curves)
        assert {"det", "error_rates", "ks"} <= others
        assert ev.advise().answers.use == advice, use
        for metric, title in TITLES.get(use, {}).items():
            assert title_of(ev, metric) == title
        assert ev.source.use == use


def test_headlines_of_each_use_hold_every_general_one_once():
    general = headline(judged(""))
    for use in EVERY:
        found = headline(judged(use))
        assert len(found) == len(set(found))
        assert set(general) <= set(found), use


@pytest.mark.parametrize("use", ["marketing", "medicine"])
def test_only_a_campaign_counts_its_profit(use):
    text = page.render(judged(use).at(cost_fp=3, cost_fn=20))
    data = json.loads(re.search(r'id="?data"?[^>]*>(.*?)</script>', text, re.S)[1])
    assert data["profit"] == (use == "marketing")
    values = dict(re.findall(r'<input id="?(cost-f[np])"? value="?(\d+)"?', text))
    assert values == {"cost-fn": "23" if use == "marketing" else "20", "cost-fp": "3"}
    plain = page.render(judged(use))
    values = dict(re.findall(r'<input id="?(cost-f[np])"? value="?(\d+)"?', plain))
    assert values == {"cost-fn": "10" if use == "marketing" else "1", "cost-fp": "1"}


def test_help_lists_calls_with_their_first_arguments_and_meanings():
    branches = {
        b["title"].split(":")[0]: b for b in judged("", MODELS).help().to_dict()["branches"]
    }
    assert branches["Decisions"]["call"] == "ev.model('first')[\"sensitivity\"]"
    assert branches["Ranking"]["call"] == "ev.model('first')[\"roc_auc\"]"
    assert branches["Plots"]["call"] == "ev.plot(), or one: ev.plot.roc()"
    asked = branches["Questions"]["leaves"]
    assert {
        "ev.model('first').curve(name, over, band, ...)",
        "ev.compare(*models, against, metric, ...)",
        "ev.model(name)",
    } <= set(asked)
    assert not [
        q for q in asked if q.startswith(("ev.by(", "ev.folds(", "ev.label(", "ev.design_"))
    ]
    one = judged("").help().to_dict()
    calls = {b["title"].split(":")[0]: b["call"] for b in one["branches"]}
    assert calls["Curves"] == 'ev.curve("roc")'
    assert not [
        q for q in one["branches"][-1]["leaves"] if q.startswith(("ev.compare(", "ev.model("))
    ]
    assert one["about"] == "1,000 rows, positive class 'ill' (10.0 %)"
    text = str(judged("").help())
    assert (
        text.splitlines()[0]
        == "1,000 rows, positive class 'ill' (10.0 %): what this evaluation can answer"
    )
    three = tm.evaluate([0, 1, 2] * 9, [0, 1, 2] * 9).help().to_dict()
    names = [q.split("(")[0] for q in three["branches"][-1]["leaves"]]
    assert "ev.per_class" in names
    assert not {"ev.curve", "ev.thresholds", "ev.optimal_threshold", "ev.histograms"} & set(names)
