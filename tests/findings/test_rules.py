"""Rules: each code once in one list, and sentences that cite what their templates name."""

from __future__ import annotations

import math
import pickle
import string

import numpy as np
import pytest

import tallymark as tm
from tallymark.findings import notes
from tallymark.findings.catalogue import codes, every_rule
from tallymark.findings.finding import (
    Cut,
    Finding,
    Share,
    Times,
    filled,
    places_in,
    read_note,
    shown,
)
from tallymark.findings.rules import Rule, register
from tallymark.metric.measure import Value

RULES = every_rule()
OF_NOTES = {code: rule for code, rule in RULES.items() if rule.section is None}


@pytest.mark.parametrize("code", OF_NOTES)
def test_a_rule_of_notes_says_when_and_what(code):
    rule = OF_NOTES[code]
    assert rule.code == code
    assert rule.severity in ("assumed", "warning")
    assert rule.when[0].isupper()
    assert rule.when.endswith(".")
    assert rule.sentence
    assert not rule.sentence.endswith((".", ";", ":"))
    assert rule.remedy[:1] in ("", ".", ";", ":", ",")
    for template in (rule.sentence, rule.remedy):
        assert all(name or name is None for _, name, _, _ in string.Formatter().parse(template))


def test_a_code_stands_once_in_the_list():
    with pytest.raises(ValueError, match="'leak' is there twice"):
        register(Rule("leak", "warning", "Never."))
    assert RULES["leak"] is notes.LEAK
    assert RULES["leak"].check == "perfect"


def test_the_codes_to_forbid_are_those_of_warnings():
    assert len(set(codes())) == len(codes())
    assert {RULES[code].severity for code in codes()} == {"warning"}
    assert not any(RULES[code].several_labels for code in codes())


def test_places_and_values_match():
    rule = Rule("code", "warning", "Always.", "{model} has {rows:,} rows", "; collect {more}")
    found = rule.finding("forest", rows=1200, more=Share(0.5))
    assert found.text == "forest has 1,200 rows; collect 50 %"
    assert found.remedy == "collect 50 %"
    assert found.numbers == {"rows": 1200, "more": 0.5}
    assert (found.rule, found.severity, found.model) == ("code", "warning", "forest")
    for values in ({"rows": 3}, {"rows": 3, "more": 1, "less": 2}, {}):
        with pytest.raises(ValueError, match="does not cite"):
            rule.finding("forest", **values)
    with pytest.raises(ValueError, match="does not cite"):
        rule.finding(rows=3, more=1)  # which model
    other = rule.worded("nothing to see", "").finding("forest")
    assert (other.text, other.remedy, other.model) == ("nothing to see", None, "forest")
    assert rule.sentence.startswith("{model}")


def test_what_fills_a_place_is_not_read_as_a_template():
    rule = Rule("code", "assumed", "Always.", "{model} is {{here}}")
    assert rule.finding("{0}{x}").text == "{0}{x} is {here}"
    assert places_in("{a:,} {b} {a}") == ["a", "b"]
    assert filled("{a}", {"a": "{b}"}) == "{b}"


def test_numbers_stand_as_their_kind_is_shown():
    tally = tm.ScoreTally.from_arrays([0, 1], [0.25, 0.5], positive=1)
    numbers = {
        "share": Share(0.125),
        "times": Times(2.345),
        "cut": Cut.of(0.4321, tally),
        "value": Value("f1", 0.5, 0.25, 0.75),
        "count": 12345,
    }
    text = filled("{share}, {times}, {cut}, {value}, {count}", numbers)
    assert text == "12.5 %, 2.3, 0.43, 0.50 (0.25 to 0.75), 12,345"


def test_a_note_keeps_its_text_in_a_file():
    found = notes.IMBALANCE.finding(where="", share="98 %", label="well", accuracy=0.98)
    assert found.numbers == {"accuracy": 0.98}
    written = found.to_dict()
    assert written == {"code": "imbalance", "kind": "warning", "text": found.text, "model": None}
    read = read_note(written)
    assert read == found
    assert hash(read) == hash(found)
    assert not read.numbers
    copy = pickle.loads(pickle.dumps(found))
    assert (copy, copy.numbers, copy.remedy) == (found, found.numbers, found.remedy)
    with pytest.raises(tm.InputError, match="lacks the field 'code'"):
        read_note({"kind": "warning", "text": "", "model": None})


def test_notes_and_advice_are_findings_of_one_kind():
    ev = tm.evaluate([1] * 5 + [0] * 195, [1] * 4 + [0] * 190 + [1] * 6)
    said = [*ev.notes, *ev.advise().statements]
    assert {type(f) for f in said} == {Finding}
    assert {f.rule for f in said} <= set(RULES)
    for f in said:
        assert f.severity == RULES[f.rule].severity
        assert f.sources == RULES[f.rule].sources
        assert f.section == RULES[f.rule].section
        assert (f.remedy or "") in f.text
    (few,) = [f for f in said if f.rule == "imbalance"]
    assert few.remedy.startswith("so use balanced accuracy")


SHOWN = [
    (Value("x", 0.5, 0.25, 0.75), "0.50 (0.25 to 0.75)"),
    (Value("x", 0.5), "0.500"),
    ({"a": Value("x", 0.5, 0.25, 0.75)}, "0.50 (0.25 to 0.75)"),
    ({"a": Value("x", 0.5), "b": Value("x", 0.25)}, "a 0.500, b 0.250"),
    ({n: Value("x", v) for n, v in zip("abc", (0.5, 0.25, 2), strict=True)}, "a 0.500, b 0.250, c 2"),
    (
        {n: Value("x", v) for n, v in zip("abcd", (0.5, 0.25, 0.75, 0.3), strict=True)},
        "from 0.250 of b to 0.750 of c",
    ),
    (Share(0.12345), "12.3 %"), (Share(1.0), "100 %"), (Times(2.345), "2.3"), (Times(12.0), "12"),
    (7, "7"), (1234567, "1,234,567"), (0, "0"), (1.0, "1"), (-3.0, "−3"), (0.0, "0"), (99.94, "99.940"),
    (100.5, "100"), (123.4, "123"), (0.001, "0.001"), (0.00099, "0.00099"), (-0.5, "−0.500"),
    (1e-7, "1e-07"),
]  # fmt: skip


def test_each_kind_of_number_in_a_sentence():
    for number, text in SHOWN:
        assert shown(number) == text, number


def test_a_cut_has_the_fewest_digits_that_decide_alike():
    tally = tm.ScoreTally.from_arrays([0, 1, 0, 1], [0.25, 0.5, 0.4375, 0.875], positive=1)
    for threshold, text in ((0.5, "0.5"), (0.4375, "0.43"), (0.9375, "0.93"), (0.125, "0.12")):
        cut = Cut.of(threshold, tally)
        assert (float(cut), shown(cut)) == (threshold, text)
    assert Cut.of(0.25, tally).below == -math.inf
    assert Cut.of(0.875, tally).below == 0.5
    assert Cut.of(0.9375, tally).below == 0.875


def test_a_negative_cut_has_a_minus_sign():
    tally = tm.ScoreTally.from_arrays([0, 1, 0, 1], [-90.0, -79.25, 3.0, 4.0], positive=1)
    assert shown(Cut.of(-79.25, tally)) == "−80"


def test_a_cut_of_scores_in_bins_is_above_all_scores_of_the_lower_bin():
    score = np.random.default_rng(0).random(4000)
    tally = tm.ScoreTally.from_arrays(score < 0.5, score).binned(tm.Bins([0.0, 1.0], per=50))
    for low, high in zip(tally.highs, tally.scores[1:], strict=False):
        assert low < float(shown(Cut.of(high, tally))) <= high


def test_a_finding_is_plain_data_with_the_keys_of_its_kind():
    advice = Finding(
        "code", "warning", "a text, so act", "m", "so act", {"n": 3, "x": 0.5}, ("liu2014",), "report",
        ("f1",), ("o",),
    )  # fmt: skip
    assert advice.to_dict() == {
        "rule": "code", "section": "report", "text": "a text, so act", "numbers": {"n": 3, "x": 0.5},
        "metrics": ["f1"], "sources": ["liu2014"], "model": "m", "others": ["o"],
    }  # fmt: skip
    note = Finding("code", "assumed", "a text", "m")
    assert note.to_dict() == {"code": "code", "kind": "assumed", "text": "a text", "model": "m"}
    assert (note.remedy, note.numbers, note.sources, note.section) == (None, {}, (), None)
    assert read_note(note.to_dict()) == note


def test_a_rule_can_be_worded_anew_in_part():
    rule = Rule(
        "code", "warning", "When.", "{model} has {n} rows", "; collect {more}", ("a",), "report"
    )
    for worded, texts in (
        (rule.worded(), ("{model} has {n} rows", "; collect {more}", "warning")),
        (rule.worded("x"), ("x", "; collect {more}", "warning")),
        (rule.worded(remedy="y"), ("{model} has {n} rows", "y", "warning")),
        (rule.worded(severity="info"), ("{model} has {n} rows", "; collect {more}", "info")),
        (rule.worded("", ""), ("", "", "warning")),
    ):
        assert (worded.sentence, worded.remedy, worded.severity) == texts
        assert (worded.code, worded.when, worded.sources, worded.section) == (
            "code", "When.", ("a",), "report",
        )  # fmt: skip
    found = rule.finding_of("m", {"n": 3, "more": "rows"}, ("f1",))
    assert (found.text, found.remedy) == ("m has 3 rows; collect rows", "collect rows")
    assert (found.numbers, found.metrics, found.sources, found.section) == (
        {"n": 3}, ("f1",), ("a",), "report",
    )  # fmt: skip
    assert Rule("c", "info", "When.", "none").finding("m").model == "m"
