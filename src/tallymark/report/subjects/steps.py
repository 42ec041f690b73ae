"""What to do, what to check first and what is open, in a few sentences.

The page, the card and the terminal take warnings and findings from the same selection.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any, get_args

from tallymark.findings.advice import CHECKED
from tallymark.findings.finding import shown
from tallymark.findings.rules import RULES
from tallymark.metric import get
from tallymark.report import words
from tallymark.report.blocks import Paragraph, Step, Tag
from tallymark.report.evaluation import studies_of, subgroups_of_models
from tallymark.report.subjects.advice import SAID_BY_NOTES
from tallymark.report.subjects.classes import of_each_class, worst_first
from tallymark.report.subjects.decision import IN_HEADLINE, Decision, decision
from tallymark.report.subjects.subgroups import (
    family_sentence,
    heterogeneity_sentence,
    judged_by,
    worst_harm,
)
from tallymark.report.subjects.summary import kinds_of, out_of, ranking
from tallymark.report.uses import Account, Section, account_of, use_of
from tallymark.report.words import many

if TYPE_CHECKING:
    from tallymark.findings.advice import Advice
    from tallymark.findings.finding import Finding
    from tallymark.report.evaluation import Evaluation

TAGS: tuple[Tag, ...] = get_args(Tag)
"""The tags of steps, in their order."""

MOST_STEPS = 4
"""Maximum number of steps in an outline, not counting warnings that are always shown."""

STEP_WIDTH, LEAD_WIDTH = 73, 78
"""Width of a step and of the reasons, of which two lines are shown."""

ALWAYS = (
    "no-cut",
    "leak",
    "one-class",
    "one-decision",
    "reversed",
    "rows-without-partner",
    "threshold-chosen",
    "training-rows",
)
"""Warnings that change the decision: an outline never leaves one out."""


OF_ACCURACY = ("imbalance",)
"""Warnings about accuracy, which says nothing about a campaign."""

OF_SUBGROUPS = "errors-of-a-subgroup"
"""The rule whose findings are part of the verdict on subgroups."""


def _harmful(ev: Evaluation, advice: Advice | None) -> list[Finding]:
    """Return findings on misleading numbers that are not yet stated elsewhere.

    The headline, the warnings and the verdict on subgroups state some of them.
    """
    if advice is None:
        return []
    stated, warned = (*IN_HEADLINE, OF_SUBGROUPS), {note.rule for note in ev.notes}
    return [
        f
        for name in CHECKED
        for f in advice.section(name)
        if f.rule not in stated and SAID_BY_NOTES.get(f.rule) not in warned
    ]


def verdict(result: Decision) -> Iterator[Paragraph]:
    """Yield the headline, and as many sentences of the reasons as fit into two lines."""
    if result.title:
        yield Paragraph(result.title, "bold")
    yield Paragraph(shortened(result.lead, LEAD_WIDTH), "" if result.title else "bold")


def best_section(ev: Evaluation, account: Account) -> Section:
    """Return the section on the best model."""
    best = ranking(ev)[1][0]
    return next((s for s in account.sections if s.title == best), account.sections[0])


def steps(ev: Evaluation, most: int = MOST_STEPS, rest: str = "--full") -> list[Step]:
    """Return at most ``most`` steps: what to do, what to check first, and what is undecided.

    Warnings that change the decision are never left out; others are counted, with the ``rest``
    that shows them.
    """
    noted = {s: _one_of_each(ev, s) for s in ("warning", "assumed")}
    chosen, needed = _chosen(ev, most)
    brief = [Step(s.tag, spoken(s.text)) for s in chosen[:needed]]
    brief += [Step(s.tag, shortened(spoken(s.text), STEP_WIDTH)) for s in chosen[needed:]]
    seen = {step.text for step in chosen}
    left = {s: sum(text not in seen for _, text in of) for s, of in noted.items()}
    if left["warning"]:
        brief.append(Step("check", f"{many(left['warning'], 'more warning')}: {rest}"))
    if left["assumed"]:
        brief.append(Step("note", f"{many(left['assumed'], 'more assumption')}: {rest}"))
    return sorted(brief, key=lambda step: TAGS.index(step.tag))


def steps_in_full(ev: Evaluation, most: int = MOST_STEPS) -> tuple[list[Step], list[str]]:
    """Return the same steps with all their sentences and without notes, and all other warnings."""
    chosen = [step for step in _chosen(ev, most, counted=False)[0] if step.tag != "note"]
    said = {step.text for step in chosen}
    others = {n.text: None for n in ev.notes if n.severity == "warning" and n.text not in said}
    full = [Step(step.tag, spoken(step.text)) for step in chosen]
    return sorted(full, key=lambda step: TAGS.index(step.tag)), [*map(spoken, others)]


def spoken(text: str) -> str:
    """Return a finding as a whole sentence in the terms of the interface."""
    return words.sentence(words.said(text))


def _chosen(ev: Evaluation, most: int, counted: bool = True) -> tuple[list[Step], int]:
    """Return the steps to show, and how many of them, at the start, must never be dropped.

    Several notes of one rule become one step: the first note and, with ``counted``, the number of
    the others.
    """
    advice = ev.advise() if use_of(ev).decisions else None
    noted = {s: _one_of_each(ev, s, counted) for s in ("warning", "assumed")}
    needed = [text for note, text in noted["warning"] if _needed(note)]
    left_out = OF_ACCURACY if use_of(ev).profit else ()
    others = [t for note, t in noted["warning"] if not (_needed(note) or note.rule in left_out)]
    account, of_subgroups = account_of(ev), _subgroups(ev)
    few = [] if account is None else best_section(ev, account).sentences
    checks = [step for step in of_subgroups if step.tag == "check"]
    checks += [Step("check", t) for t in (*others, *(f.text for f in _harmful(ev, advice)), *few)]
    ordered = [Step("check", text) for text in needed]
    ordered += [Step("do", text) for text in _do(ev, advice)][:1]
    ordered += checks[:1]
    ordered += [Step("open", text) for text in _open(advice)][:1]
    ordered += [step for step in of_subgroups if step.tag == "note"]  # subgroups were asked for
    ordered += label_steps(ev)
    notes = [Step("note", text) for _, text in noted["assumed"]]
    ordered += notes[:1] + checks[1:] + notes[1:]
    ordered += [step for step in of_subgroups if step.tag == "open"]
    return ordered[: max(most, len(needed))], len(needed)


def _needed(note: Finding) -> bool:
    rule = RULES.get(note.rule)
    return note.rule in ALWAYS or (rule is not None and rule.dependence)


def _one_of_each(ev: Evaluation, severity: str, counted: bool = True) -> list[tuple[Finding, str]]:
    """Return the first note of each rule, with the number of others like it if ``counted``."""
    of_rules: dict[str, list[Finding]] = {}
    for note in ev.notes:
        if note.severity == severity:
            of_rules.setdefault(note.rule, []).append(note)
    return [
        (
            of[0],
            of[0].text
            if len(of) == 1 or not counted
            else f"{of[0].text.rstrip('.')} (and {len(of) - 1} more).",
        )
        for of in of_rules.values()
    ]


def assumptions(ev: Evaluation) -> list[str]:
    """Return one assumption of each rule, with the number of others like it."""
    return [words.said(text).rstrip(".") for _, text in _one_of_each(ev, "assumed")]


def _do(ev: Evaluation, advice: Advice | None) -> Iterator[str]:
    """Yield what the decision means in whole numbers, or what else is advised on thresholds."""
    if advice is None:
        return
    result, findings = decision(ev), advice.section("threshold")
    if result.threshold is not None:
        costs = next(f for f in findings if f.numbers.get("threshold") == result.threshold)
        yield _moved(ev, str(costs.model), costs.numbers["threshold"])
    elif result.state != "act":
        yield from (f.text for f in findings)


def _moved(ev: Evaluation, model: str, threshold: Any) -> str:
    """Return how many rows of each class a model gets right at another threshold, and now."""
    now = ev.model(model)
    after = now.at(threshold=float(threshold))
    (found, alarms), (found_now, alarms_now) = (
        (out_of(_share(c.tp, c.positives)), out_of(_share(c.fp, c.negatives)))
        for c in (e.models[0].labels.binary(ev.positive) for e in (after, now))
    )
    positives, negatives = kinds_of(ev)
    return (
        f"At {shown(threshold)}, {words.text(model)} finds {found} {positives} (now {found_now}) "
        f"and raises a false alarm for {alarms} {negatives} (now {alarms_now})."
    )


def _share(part: object, total: object) -> float:
    return float(part) / float(total)  # type: ignore[arg-type]


def _open(advice: Advice | None) -> Iterator[str]:
    """Yield which choice between models, and which question, the rows leave open."""
    for section in ("order", "question") if advice is not None else ():
        findings = advice.section(section) if advice is not None else ()
        yield from (f.text for f in findings if f.severity == "warning" or section == "question")


def label_steps(ev: Evaluation) -> list[Step]:
    """Return which label of the best model to improve first, and which may be as bad."""
    if not ev.labels:
        return []
    best = ranking(ev)[1][0]
    worst, *others = worst_first(ev, best)
    of_labels = of_each_class(ev, best)
    f1 = of_labels[worst]["f1"]
    if f1.reason or f1.value == 1:
        return []
    called, whose = (
        words.called(worst, "label"),
        f"{words.text(best)}: " if len(ev.names) > 1 else "",
    )
    one = ev.label(worst).model(best)
    if (
        one.models[0].scores
        and (moved := one.optimal_threshold("f1")).best.corrected.low > f1.value
    ):
        new = moved.best.corrected
        now = one.models[0].threshold
        to = (
            f"to {moved.threshold:.4g}"
            if now is None
            else f"from {now:.4g} to {moved.threshold:.4g}"
        )
        text = (
            f"{whose}Move the threshold of {called} {to}: expect F1 {words.value(new)} "
            f"({words.interval(new)}) on new rows, now {words.value(f1)}."
        )
    else:
        rates = {n: of_labels[worst][n] for n in ("sensitivity", "precision")}
        defined = {n: v for n, v in rates.items() if not v.reason}
        low = min(defined, key=lambda n: defined[n].value, default="")
        rate = f" Its {get(low).in_a_sentence} is {words.value(defined[low])}." if low else ""
        text = (
            f"{whose}Improve {called} first: its F1, {words.value(f1)}, is the lowest of "
            f"{len(of_labels)} labels.{rate}"
        )
    steps = [Step("do", text)]
    close = [label for label in others if of_labels[label]["f1"].low < f1.high]
    if close:
        listed = words.enumerated(words.few([words.called(label, "label") for label in close]))
        steps.append(
            Step(
                "open", f"The F1 of {listed} may be as low as that of {called}: intervals overlap."
            )
        )
    return steps


def _subgroups(ev: Evaluation) -> list[Step]:
    """Return the worst harm to a subgroup of the best model, or whether any differs; or studies."""
    best = ev.names.index(ranking(ev)[1][0])
    for s in subgroups_of_models(ev)[best : best + 1]:
        if results := studies_of(s):
            return [Step("note", heterogeneity_sentence(h)) for h in results]
        if len(s) < 2:
            return []
        if harm := worst_harm(s):
            return [Step("check", harm)]
        tests = s._judged(judged_by(s))
        tag: Tag = "check" if tests.different else "note" if tests.tested else "open"
        return [Step(tag, family_sentence(s, tests))]
    return []


# -- sentences ---------------------------------------------------------------------------------

_SENTENCES = re.compile(r"(?<=[.?!]) +")
_ASIDE = re.compile(r" \([^()]*(?:\d\.\d|corrected)[^()]*\)")


def shortened(text: str, width: int) -> str:
    """Return as many sentences of a text as fit into two lines, but at least one.

    A sentence that is too long loses its parentheses, then clauses after a semicolon.

    >>> shortened("Its area is 0.8 (0.7 to 0.9). It may be chance (p = 0.2).", 17)
    'Its area is 0.8 (0.7 to 0.9).'
    >>> shortened("Its area is 0.8 (0.7 to 0.9); it may be chance (p = 0.2).", 20)
    'Its area is 0.8; it may be chance.'
    """
    first, *others = _SENTENCES.split(text.strip())

    def fits(sentences: str) -> bool:
        return len(wrap(sentences, width)) <= 2

    out = next(filter(fits, _shorter(first)), [*_shorter(first)][-1])
    for sentence in others:  # which may follow from the first, so that is never left out
        longer = (f"{out} {s}" for s in _shorter(sentence))
        out = next(filter(fits, longer), out)
    return out


def _shorter(sentence: str) -> Iterator[str]:
    yield sentence
    yield (plain := _ASIDE.sub("", sentence))
    clauses = plain.split("; ")
    yield from ("; ".join(clauses[:n]).rstrip(".") + "." for n in range(len(clauses) - 1, 0, -1))
