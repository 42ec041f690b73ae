"""Advice, section by section."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from tallymark.findings.advice import MOST_FINDINGS, SECTIONS, Advice, capitalised
from tallymark.findings.finding import Finding
from tallymark.metric.sources import authors
from tallymark.report import words
from tallymark.report.blocks import (
    GAP,
    Block,
    Bullet,
    Bullets,
    Folded,
    Group,
    Headline,
    Paragraph,
)
from tallymark.report.subjects.values import more

NO_ADVICE = "nothing to advise on these rows"


def advice(result: Advice) -> Iterator[Block]:
    """Yield the advice section by section, each sentence with its source.

    >>> import tallymark as tm
    >>> ev = tm.evaluate([1] * 5 + [0] * 95, [1] * 4 + [0] * 90 + [1] * 6)
    >>> print(str(ev.advise()).splitlines()[0])
    What to report
    """
    first = result.statements[0].text if result.statements else NO_ADVICE
    yield Headline(f"{len(result.statements)} statements; {first}")
    sections = [(title, result.section(name)) for name, title in SECTIONS.items()]
    for i, (title, findings) in enumerate((t, s) for t, s in sections if s):
        if i:
            yield GAP
        yield Paragraph(title, "title")
        few = findings[0].section == "misleads"
        for s in findings[: MOST_FINDINGS if few else None]:
            by = "; ".join(authors(k) for k in s.sources)
            yield Paragraph(f"{words.said(s.text)} ({by}) [{s.rule}]", item=True)
        yield from more(len(findings) - MOST_FINDINGS if few else 0, "findings: --json has all")
    if not result.statements:
        yield Paragraph(NO_ADVICE)
    if result.passed:
        yield GAP
        yield Paragraph(f"Checked, nothing found: {', '.join(result.passed)}", "dim")


TOPICS = {
    "not-better-than-chance": "ranking against chance",
    "accuracy-of-the-majority": "accuracy of one frequent class",
    "no-better-than-the-majority": "accuracy against always the most frequent class",
    "f1-of-all-positive": "F1 against calling every row positive",
    "area-hides-false-alarms": "precision of rare positives",
    "costs-of-guessing": "costs against acting on every row or on none",
    "errors-of-a-subgroup": "errors of subgroups",
    "precision-of-another-field": "metrics at the prevalence of the field",
    "probabilities-in-the-large": "probabilities on average",
    "probabilities-spread": "probabilities too extreme or too cautious",
    "probabilities-off": "shape of the calibration",
    "certain-and-wrong": "certain probabilities that were wrong",
    "ties-decide": "equal scores of both classes",
    "area-below-half": "reversed scores",
    "too-few-rows": "rows of each class",
    "interval-too-wide": "width of the interval that ranks the models",
}
"""Short descriptions of what each rule on misleading numbers checks."""


def topic(rule: str) -> str:
    """Return what a rule checks, in words.

    >>> topic("ties-decide"), topic("rule-of-a-part")
    ('equal scores of both classes', 'rule of a part')
    """
    return TOPICS.get(rule, rule.replace("-", " "))


ASKED = ("report", "question")
"""Sections of advice that are folded: what to report, and questions that improve the advice."""

SAID_BY_NOTES = {
    "area-below-half": "reversed",
    "certain-and-wrong": "held-impossible",
    "too-few-rows": "few-rows",
}
"""Rules of advice, and the codes of equivalent warnings."""


def folded_advice(
    a: Advice, warned: Collection[str] = (), stated: Collection[Finding] = ()
) -> list[Block]:
    """Return the advice section by section, with less important sections folded.

    Statements in ``stated`` and those that repeat a warning with a code in ``warned`` are omitted.
    """
    new = [s for s in a.statements if SAID_BY_NOTES.get(s.rule) not in warned and s not in stated]
    findings = [s for s in new if s.section == "misleads"][MOST_FINDINGS:]
    first = [s for s in new if s not in findings]
    blocks: list[Sequence[Block] | Block] = []
    if statements := _statements(first, [n for n in SECTIONS if n not in ASKED]):
        blocks.append(statements)
    if more := _statements(findings, ["misleads"]):
        blocks.append(Folded(words.many(len(findings), "more finding"), more))
    folded: list[Sequence[Block] | Block] = [_statements(first, ASKED)]
    if a.passed:
        checked = capitalised(", ".join(map(topic, a.passed)))
        folded.append(
            [Paragraph("Checked, nothing found", "title"), Paragraph(f"{checked}.", "dim")]
        )
    parts = [SECTIONS[n].lower() for n in ASKED if a.section(n)]
    summary = "; ".join([*parts, *["what was checked"] * bool(a.passed)]).capitalize()
    if any(folded):
        blocks.append(Folded(summary, [Group(folded)], is_open=not blocks))
    return [Group(blocks)] if blocks else []


def _statements(findings: Sequence[Finding], names: Iterable[str]) -> list[Block]:
    parts: list[Block] = []
    for name in names:
        of = [
            Bullet(s.text, "; ".join(map(authors, s.sources)), s.rule)
            for s in findings
            if s.section == name
        ]
        parts += [Paragraph(SECTIONS[name], "title"), Bullets(of)] if of else []
    return parts


def advice_card(a: Advice) -> Iterator[Block]:
    """Yield the advice section by section."""
    yield Group([Group([folded_advice(a) or [Paragraph(NO_ADVICE)]])], "advice")
