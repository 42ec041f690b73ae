"""Requirements on a metric, as users write them: a limit, or a margin to a baseline."""

import pytest

import tallymark as tm
from tallymark.core import margin, requirement


@pytest.mark.parametrize(
    ("text", "metric", "side", "limit", "definition", "at"),
    [
        ("roc_auc >= 0.8", "roc_auc", ">=", 0.8, {}, {}),
        ("recall ≥ 90%", "sensitivity", ">=", 0.9, {}, {}),
        ("log_loss <= .4", "log_loss", "<=", 0.4, {}, {}),
        ("f_beta(beta=2) >= 0.6", "f_beta", ">=", 0.6, {"beta": 2}, {}),
        ("recall >= 0.9 at fpr=5%", "sensitivity_at_fpr", ">=", 0.9, {"fpr": 0.05}, {}),
        ("precision >= 0.3 at threshold=0.4", "precision", ">=", 0.3, {}, {"threshold": 0.4}),
    ],
)
def test_a_limit_is_read(text, metric, side, limit, definition, at):
    rule = requirement(text)
    assert (rule.text, rule.metric, rule.side, rule.limit) == (text, metric, side, limit)
    assert (rule.definition, rule.at, rule.margin) == (definition, at, None)


def test_a_margin_is_on_the_worse_side():
    high, low = margin("accuracy 0.02"), margin("brier 2%")
    assert (high.side, high.limit, high.margin) == (">=", -0.02, 0.02)
    assert (low.side, low.limit, low.margin) == ("<=", 0.02, 0.02)
    assert margin(0.01).against("roc_auc").metric == "roc_auc"


@pytest.mark.parametrize(
    ("read", "text", "says"),
    [
        (requirement, "roc_auc > 0.8",
         "rule 'roc_auc > 0.8' is not understood; write METRIC >= NUMBER or METRIC <= NUMBER, such "
         "as 'roc_auc >= 0.8' or 'recall >= 0.9 at fpr=0.05'"),
        (requirement, "roc_auc >= 1.5",
         "rule 'roc_auc >= 1.5': roc_auc lies between 0 and 1; give a limit inside"),
        (margin, "roc_auc -1",
         "no_worse is 'roc_auc -1'; give a margin, zero or more, such as 0.01, after the metric if "
         "it is not the deciding one: 'roc_auc 0.01'"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(read, text, says):
    with pytest.raises(tm.InputError) as refused:
        read(text)
    assert str(refused.value) == says
