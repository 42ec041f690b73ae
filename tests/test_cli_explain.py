"""What explain and metrics print, in whole."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from tallymark.cli import main
from tallymark.metric import METRICS, get
from tallymark.metric.sources import cite


@pytest.fixture(autouse=True)
def wide(monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)


def run(*args, code=0):
    found = CliRunner().invoke(main, list(args), prog_name="tallymark")
    assert found.exit_code == code, found.stderr
    return found.stdout if code == 0 else found.stderr


def joined(text):
    """Return the facts of a text of two columns: each name with its words on one line."""
    facts: list[tuple[str, str]] = []
    for line in text.splitlines():
        name, words = line[:16].strip(), line[16:].strip()
        if name:
            facts.append((name, words))
        elif facts and words:
            facts[-1] = (facts[-1][0], f"{facts[-1][1]} {words}".strip())
    return facts


def test_each_fact_of_a_metric_has_its_line():
    for name in ("f1", "log_loss", "matthews_corrcoef", "prevalence", "roc_auc"):
        m = get(name)
        title, _, meaning, *rest = run("explain", name).splitlines()
        assert title == f"{m.title} ({m.name})"
        body = "\n".join([meaning, *rest])
        start = body.index("\nmisleads when") if m.words.misleads else body.index("\nformula")
        assert " ".join(m.words.meaning.split()) in " ".join(body[:start].split())
        facts = joined(body[start:])
        low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
        better = {"high": "higher is better", "low": "lower is better", "neither": "no direction"}
        expected = {
            "misleads when": m.words.misleads, "formula": m.words.formula,
            "range": f"{low} to {high}, {better[m.better]}",
            "undefined when": "; ".join(m.undefined), "also called": ", ".join(m.aliases),
            "parameters": ", ".join(f"{k}={v!r}" for k, v in m.params.items()),
        }  # fmt: skip
        told = dict(facts)
        for fact, words in expected.items():
            assert told.get(fact, "") == " ".join(words.split()), (name, fact)
        sources = [words for fact, words in facts if fact == "source"]
        assert sources == [" ".join(cite(key).split()) for key in m.words.sources]
        assert max(map(len, run("explain", name).splitlines())) <= 88
    assert dict(joined(run("explain", "f1")))["preset of"] == "f_beta"
    assert dict(joined(run("explain", "roc_auc")))["guessing"] == "0.5"
    assert "guessing" not in dict(joined(run("explain", "f1")))


def test_a_curve_and_a_name_of_several_metrics_are_explained():
    out = run("explain", "roc curve")
    assert out.splitlines()[0] == "ROC curve (curve roc)"
    facts = dict(joined("\n".join(out.splitlines()[2:])))
    assert list(facts) == ["meaning", "how to read it", "x", "y", "summed up by", "its points"]
    assert facts["x"] == "false positive rate"
    assert facts["summed up by"] == "roc_auc"
    assert facts["its points"] == "tallymark curve FILE roc"
    for spoken in (
        "reliability diagram",
        "cumulative gains chart",
        "net benefit curve",
        "roc plot",
    ):
        assert "(curve " in run("explain", spoken).splitlines()[0]
    lines = run("explain", "auprc").splitlines()
    assert lines[0] == "auprc has several definitions, whose values differ"
    assert lines[2] == "average_precision"
    m = get("average_precision")
    assert lines[3].strip() == f"{m.title}: {m.words.formula}"
    assert lines[4] == "pr_auc_davis_goadrich"
    assert json.loads(run("explain", "roc curve", "--json"))["x"] == "false positive rate"
    data = json.loads(run("explain", "f1", "--json"))
    assert (data["name"], data["range"], data["needs"]) == ("f1", [0.0, 1.0], "counts")
    assert data["parameters"] == {"beta": 1.0}
    assert data["moves_with_prevalence"] is True
    assert json.loads(run("explain", "recall", "--json"))["moves_with_prevalence"] is False
    markdown = run("explain", "f1", "--format", "markdown").splitlines()
    assert markdown[0] == "| fact | value |"
    assert run("explain", "epochs of it", code=2).startswith("tallymark: there is no metric")


def test_metrics_are_listed_with_their_family_title_and_formula():
    lines = run("metrics").splitlines()
    width = max(map(len, METRICS))
    every = {line.split()[0]: line for line in lines}
    assert set(METRICS) <= set(every)
    for name, line in every.items():
        m = get(name)
        assert line == f"{m.name.ljust(width)}  {m.family:<11}  {m.title}: {m.words.formula}"
    found = run("metrics", "--find", "kappa").splitlines()
    assert 0 < len(found) < len(lines)
    assert "tallymark: no metric mentions 'zzzz'" in run("metrics", "--find", "zzzz", code=1)
    nothing = run(
        "metrics", "--family", "rank", "--decisions", "--better", "low", "--range", "5", "6", code=1
    )
    assert nothing == "tallymark: no metric fits all of these\n"
    table = run("metrics", "--find", "kappa", "--format", "csv").splitlines()
    assert table[0] == "name,family,title,formula,better"
    assert len(table) == len(found) + 1
