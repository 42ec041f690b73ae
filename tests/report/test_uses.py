"""What a use shows first: tiles, charts, words, advice; never other numbers."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest
from click.testing import CliRunner

import tallymark as tm
from judged import counted
from tallymark.cli import main
from tallymark.contract import CONTRACT
from tallymark.part import names
from tallymark.report import page, words
from tallymark.report.subjects.summary import brief, title_of

TILES = {
    "medicine": ["sensitivity", "specificity", "precision", "negative_predictive_value"],
    "marketing": ["top_decile_lift", "gain_at", "response_rate_at", "roc_auc"],
    "defects": ["sensitivity", "false_positive_rate", "balance", "geometric_mean"],
    "ranking": ["roc_auc", "average_precision", "top_decile_lift", "recall_at_precision"],
    "decisions": ["sensitivity", "specificity", "precision", "matthews_corrcoef"],
    "probabilities": ["brier", "log_loss", "observed_expected_ratio", "calibration_slope"],
    "teaching": ["accuracy", "sensitivity", "precision", "f1"],
}
FIRST = {
    "medicine": "roc", "marketing": "gain", "defects": "roc", "ranking": "roc",
    "decisions": "roc", "probabilities": "calibration", "teaching": "roc",
}  # fmt: skip
SAYS = {
    "medicine": "After a positive result 67 of 100 are sick rows, after a negative one 50 of 100; "
    "before the test 60 of 100.",
    "marketing": "The best 10 % contain 17 % of all sick rows.",
    "defects": "pd is 0.67, pf 0.50, their balance 0.58 (ideal: 1).",
    "ranking": "model ranks 67 of 100 pairs of rows correctly.",
    "decisions": "model finds 67 of 100 sick rows",
    "probabilities": "sick rows, and 60.0 % are.",
    "teaching": "recall = TP / (TP + FN) = 40 / (40 + 20) = 0.67.",
}


def small(use=None):
    """40 TP, 20 FN, 20 FP and 20 TN, in five steps of scores."""
    y = ["sick", "sick", "sick", "well", "well"] * 20
    return tm.evaluate(y, y_score=[0.9, 0.7, 0.2, 0.8, 0.1] * 20, positive="sick", use=use)


@pytest.fixture(scope="module", params=[u for u in CONTRACT["use"].among if u not in names("uses")])
def shown(request):
    ev = small(request.param)
    return request.param, ev, page.render(ev)


@pytest.mark.slow
def test_a_use_chooses_the_tiles_and_their_numbers(shown):
    use, ev, text = shown
    assert list(brief(ev)) == TILES[use]
    overview = text[text.index('<section id="overview"') : text.index('<section id="advice"')]
    found = dict(re.findall(r'data-key="models\.0\.values\.(\w+)">([^<]+)<', overview))
    values = small().values()["model"]
    assert found == {n: words.value(values[n]) for n in TILES[use]}


def test_a_use_chooses_the_first_chart(shown):
    use, _, text = shown
    assert re.search(r"<svg class=chart data-chart=(\w+)", text)[1] == FIRST[use]


def test_a_use_chooses_the_words(shown):
    use, _, text = shown
    header = html.unescape(text[: text.index("</header>")])
    assert SAYS[use] in header


def test_all_numbers_stay_on_the_page(shown):
    use, ev, text = shown
    plain = small().at(threshold=0.9) if use == "marketing" else small()  # 20 rows have the best
    assert ev.values() == plain.values()
    for name in ("accuracy", "matthews_corrcoef", "roc_auc", "brier"):
        title = title_of(ev, name)
        assert html.escape(title) in text[text.index('<section id="all"') :]
    assert 'id="calibration"' in text


def test_the_page_of_every_use_keeps_to_its_size(shown):
    assert len(shown[2].encode()) < 160_000


def test_the_use_comes_back_from_a_file(tmp_path):
    path = tmp_path / "run.json"
    small("marketing").to_json(path)
    assert tm.read(path).source.use == "marketing"
    assert tm.read(path, use="teaching").source.use == "teaching"
    assert tm.evaluate(path, use="medicine").source.use == "medicine"
    assert counted([[8, 2], [3, 7]], use="medicine").source.use == "medicine"


def test_advice_follows_the_use():
    plain = small()
    assert small("medicine").advise().to_dict() == plain.advise(use="decisions").to_dict()
    plain = plain.at(threshold=0.9)
    marketing, ranking = small("marketing").advise(), plain.advise(use="ranking")
    assert marketing == plain.advise(use="marketing")
    assert [s.rule for s in marketing.statements] == [s.rule for s in ranking.statements]
    first, other = marketing.statements[0], ranking.statements[0]
    assert (first.rule, marketing.statements[1:]) == (other.rule, ranking.statements[1:])
    assert first.text.startswith("You use the ranking: report lift in the best 10 % (")
    assert first.metrics == ("top_decile_lift", "gain_at", "roc_auc")


def test_without_a_budget_a_campaign_contacts_the_best_tenth_and_says_so(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.permutation(np.arange(400) / 400)
    y = (rng.random(400) < p).astype(int)
    ev = tm.evaluate(y, y_score=p, use="marketing")
    best = np.argsort(-p)[:40]
    counts = ev.models[0].labels.binary(1)
    assert (counts.tp, counts.fp) == (y[best].sum(), 40 - y[best].sum())
    said = (
        "no budget was stated, so decisions and numbers are those of contacting the best 10 %; "
        "state another with budget='20%'"
    )
    assert [n.text for n in ev.notes if n.rule == "budget-assumed"] == [said]
    assert " at 0.9, the best 10 %" in html.unescape(page.render(ev))
    ev.to_json(tmp_path / "run.json")
    assert [n.rule for n in tm.read(tmp_path / "run.json").notes] == [n.rule for n in ev.notes]
    with_budget = ev.at(budget=0.2)
    assert with_budget.models[0].labels.binary(1).tp == y[np.argsort(-p)[:80]].sum()
    for other in (
        with_budget,
        ev.at(threshold=0.5),
        tm.evaluate(y, y_score=p, threshold=0.5, use="marketing"),
        tm.evaluate(y, (p > 0.7).astype(int), y_score=p, use="marketing"),
    ):
        assert "budget-assumed" not in {n.rule for n in other.notes}
    given = tm.evaluate(y, y_score=p, threshold=0.5, use="marketing").models[0]
    assert given.labels.binary(1).tp == y[p >= 0.5].sum()
    lines = [f"{a},{b}" for a, b in zip(y, p, strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["y,score", *lines]), encoding="utf-8")
    options = ["report", str(tmp_path / "p.csv"), "--use", "marketing"]
    printed = CliRunner().invoke(main, [*options, "-o", str(tmp_path / "p.html")]).output
    assert said.replace("budget='20%'", "--budget 20%") in " ".join(printed.split())


def test_a_use_that_there_is_not_is_refused():
    with pytest.raises(tm.InputError, match="^use is 'medecine'; .*medicine"):
        small("medecine")
    with pytest.raises(tm.InputError, match="^use is 'medicine', and these rows have several"):
        tm.evaluate([[0, 1], [1, 1]], [[0, 1], [1, 0]], use="medicine")
