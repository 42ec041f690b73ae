"""The report page: one self-contained HTML file that needs no network."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any

from tallymark import part
from tallymark.report import pieces, words
from tallymark.report.blocks import FOLLOWED, Panel
from tallymark.report.evaluation import Evaluation, studies_of, subgroups_of_models
from tallymark.report.subjects.advice import folded_advice
from tallymark.report.subjects.classes import confusions
from tallymark.report.subjects.comparison import drawn_comparison, leaders_table, pairs_data
from tallymark.report.subjects.curve_charts import (
    SCORES_TITLE,
    calibrated,
    calibration_table,
    parted,
)
from tallymark.report.subjects.decision import decision
from tallymark.report.subjects.evaluation import (
    also_called,
    cited,
    class_tables,
    listed_metrics,
    methods_of,
    metric_families,
    tiles,
)
from tallymark.report.subjects.folds import folds_section
from tallymark.report.subjects.in_use import in_use
from tallymark.report.subjects.labels import averages
from tallymark.report.subjects.matrices import shaded_matrix
from tallymark.report.subjects.steps import assumptions, spoken, steps_in_full
from tallymark.report.subjects.subgroups import (
    errors_charts,
    errors_sentence,
    of_models,
    studies_section,
    worst_table,
)
from tallymark.report.subjects.summary import (
    about,
    all_in_force,
    at_threshold,
    beyond_guessing,
    guessing,
    kinds_of,
    ranking,
    verdict_sentence,
)
from tallymark.report.subjects.thresholds import (
    KEPT,
    costs,
    panel_of,
    reasons_undefined,
    thresholds,
    what_if_data,
)
from tallymark.report.uses import account_of, use_of

MOST_MODELS = 3
"""Models whose subgroups are shown."""

SCRIPTS = ("formulas.js", "script.js")
"""The script of every page; "profit.js" comes before it, "pairs.js" and "classes.js" after it."""


def render(
    ev: Evaluation,
    as_printed: bool = False,
) -> str:
    """Return the page as HTML; options are those of :meth:`Evaluation.report`."""
    advice = None if ev.labels else ev.advise()
    decided, profit = use_of(ev).decisions, use_of(ev).profit
    names = [words.text(n) for n in ev.names]
    _, ranked = ranking(ev)
    first, calibrations, groups = parted(ev, ranked[0])
    plotted = {line.key for g in groups for line in g.lines} if decided else set()
    swept = [m for m in (ev.models if ev.binary else ()) if m.name in plotted]
    what_if = what_if_data(ev, swept, ranked)
    account, compared, result = account_of(ev), ev._compared, decision(ev)
    pairs = pairs_data(compared, ev.values()) if compared else {}
    picked = next((g.lines for g in groups if any(c.picks for c in g.curves)), ())
    scripts = (
        *["profit.js"] * profit,
        *SCRIPTS,
        *["pairs.js"] * bool(pairs),
        *["classes.js"] * bool(picked),
    )
    judged = ev.models if decided else ()
    matrices = [(m, shaded_matrix(m, ev.positive, i)) for i, m in enumerate(judged)]
    at_once = ev.binary and not account and not profit  # a campaign has a budget, no threshold
    visible = [of for m, of in matrices if m.name == ranked[0] and at_once]
    hidden = [of for _, of in matrices if of not in visible]
    families = metric_families(ev)
    choices = thresholds(ev) if decided else None
    best = min(swept, key=lambda m: ranked.index(m.name), default=None)
    panel = panel_of(ev, best)
    codes, (to_do, warnings) = {n.rule for n in ev.notes}, steps_in_full(ev)
    said, of_groups = {step.text for step in to_do}, subgroups_of_models(ev)
    stated = [f for f in advice.statements if spoken(f.text) in said] if advice else []
    parts: dict[str, Any] = {
        "advice": folded_advice(advice, codes, stated) if decided and advice else [],
        "use": in_use(ev, as_printed),
        "compare": compared and drawn_comparison(compared, ev.names, "comparison.", ev.values()),
        "threshold": panel or choices or hidden,
        "calibration": calibrations or (first and first.kind == "calibration"),
        "curves": groups,
        "studies": [studies_section(s) for s in of_groups[:1] if studies_of(s)],
        "subgroups": [
            worst_table(s, place=f"subgroups.{i}.") for i, s in enumerate(of_groups[:MOST_MODELS])
        ],
        "leaders": leaders_table(ev) if ev.leaders() else None,
        "errors": errors_charts(ev) if decided else [],
        "folds": folds_section(ev, MOST_MODELS),
        "classes": class_tables(ev),
    }
    always, added = ("overview", "all", "method"), _added(ev, ranked[0])
    own = {} if panel else {"threshold": "Decisions"}
    own |= {"use": parts["use"].title} if parts["use"] else {}
    own |= {"classes": "Labels"} if ev.labels else {}
    titles = SECTIONS | own
    index: list[tuple[str, str]] = []
    for key, title in titles.items():
        index += [(key, title)] if key in always or parts[key] else []
        index += [(anchor, p.title) for anchor, p in added.get(key, {}).items()]
    return pieces.filled(
        "page.html.j2",
        ev=ev,
        words=words,
        scores_title=SCORES_TITLE,
        index=index,
        headings=titles | HEADINGS | own,
        added=added,
        short=lambda blocks: _short(pieces.section(blocks)),
        table=lambda *args: _short(pieces.table_html(*args)),
        figure=lambda *args: _short(pieces.figure(*args)),
        about=about(ev),
        decision=result,
        verdict=verdict_sentence(ev),
        guessing=guessing(ev) if decided and not account and not profit else "",
        nothing=words.sentence(beyond_guessing(ev)) if decided else "",
        tiles=tiles(ev),
        first=first,
        matrix=visible[0] if visible and len(ev.classes) > 1 else None,
        script=_short_script("".join(map(pieces.asset, scripts))),
        data=_embedded(
            what_if
            | {
                "why": reasons_undefined(),
                "kinds": kinds_of(ev) if panel else (),
                "kept": KEPT,
                "profit": profit,
                "also": also_called(listed_metrics(ev)),
            }
            | ({"pairs": pairs} if pairs else {})
        ),
        what_if=what_if,
        names=names,
        listed=sum(len(grid.rows) for _, grid in families),
        account=account,
        profit=profit,
        costs=costs(ev, profit),
        used=parts["use"],
        compared=parts["compare"],
        pairs=pairs,
        subgroups=parts["subgroups"],
        over_models=of_models(of_groups[:MOST_MODELS]),
        best=words.text(ranked[0]) if ranked else "",
        studies=parts["studies"],
        leaders=parts["leaders"],
        errors=parts["errors"],
        flagged=errors_sentence(ev) if parts["errors"] else "",
        folds=parts["folds"],
        advice=parts["advice"],
        panel=panel,
        at_threshold=at_threshold(ev, panel["model"]) if panel else "",
        now=panel["now"] if panel else "",
        fixed=f"Decisions {all_in_force(ev)}" if panel else "",
        choices=choices,
        matrices=hidden,
        calibrations=calibrations,
        calibrated=calibrated(ev, ranked[0]) if parts["calibration"] else "",
        calibration_table=calibration_table(ev) if parts["calibration"] else None,
        groups=groups,
        picked=picked,
        confusions=confusions(ev, ranked[0]) if not ev.binary else [],
        undrawn=[] if ev.binary else [n for n in names if n not in {g.title for g in groups}],
        families=families,
        models=ev._counted.models,
        averages=[(words.text(n), averages(ev, n, brief=False)) for n in ev.names if ev.labels],
        classes=parts["classes"],
        assumed=assumptions(ev),
        every_assumption=words.notes(ev.notes, "assumed"),
        to_do=to_do,
        said=said,
        checks=sum(step.tag == "check" for step in to_do) + len(warnings),
        warnings=warnings,
        methods=methods_of(ev),
        sources=cited(ev, advice, [p for after in added.values() for p in after.values()]),
    )


SECTIONS = {
    "overview": "Overview",
    "advice": "Checks",
    "use": "In use",
    "compare": "Compare",
    "threshold": "Threshold and cost",
    "calibration": "Calibration",
    "curves": "Curves",
    "studies": "Studies",
    "subgroups": "Subgroups",
    "folds": "Folds",
    "classes": "Classes",
    "all": "All metrics",
    "method": "Method",
}
"""The sections of the page in order, and their names in its index."""

HEADINGS = {
    "advice": "What else was checked",
    "compare": "Which model is better",
    "calibration": "Can the probabilities be believed",
    "curves": "Every threshold at once",
    "subgroups": "Who bears the errors",
}
"""The headings of sections that ask or assert more than their name in the index."""


def _added(ev: Evaluation, best: str) -> dict[str, dict[str, Panel]]:
    """Return the sections that parts add: the section before them -> anchor -> panel."""
    out: dict[str, dict[str, Panel]] = {section: {} for section in FOLLOWED}
    for anchor, (of, place) in part.names("panels").items():
        panel: Panel | None = of.load(place)(ev, best)
        if panel is not None:
            out[panel.after][anchor] = panel
    return out


def _embedded(data: Any) -> str:
    """Return JSON in which no text can end the script element that contains it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _short_script(text: str) -> str:
    r"""Return a script without comment lines, and without blanks where they have no meaning.

    >>> _short_script('const f = (a) => {\n  // A comment.\n  return a + " = b"; };')
    'const f=(a)=>{return a+" = b";};'
    """
    code = re.sub(r"^\s*//.*\n|^\s+", "", text, flags=re.M)
    code = _BLANKS.sub(lambda found: found[1] or found[2], code)
    return re.sub(r"(?<=[;,{(])\n", "", code)


_BLANKS = re.compile(r'("(?:[^"\\\n]|\\.)*")| *([-=+*<>?:&|{}(),;!]) *')
"""A text of a script, which is kept, or an operator between blanks."""


def _short(text: str) -> str:
    """Return HTML in fewer bytes: without end tags of cells and unnecessary quotes.

    A row whose keys differ only in one component has one key, with ``*`` for that of the cell. The
    beginning that all keys of a table share is the key of its body, up to the last point.
    """
    text = re.sub(r"<tr>(.*?)</tr>", _one_key, text)
    text = re.sub(r"<tbody>(.*?)</tbody>", _shared_key, text, flags=re.S)
    text = re.sub(r' ([\w-]+)="([\w.*-]+)"(?=[ >])', r" \1=\2", text)
    text = re.sub(r"(<text class=axis [^>]*) text-anchor=middle>", r"\1>", text)  # by the style
    text = re.sub(r"</p>(?=<p>|<td)", "", text.replace("<p class=formula>", "<p>"))  # by its place
    for needless, short in (
        (' hidden="hidden"', " hidden"),
        (" hidden=hidden", " hidden"),
        ("</td>", ""),
        ("</th>", ""),
        ("</tr>\n", "\n"),
        ("<br><small", "<small"),
        (" cx=0 cy=0 hidden", " hidden"),
        ("<g class=ticks text-anchor=middle>", "<g class=ticks>"),  # by the style
    ):
        text = text.replace(needless, short)
    return text


_KEY = re.compile(r' data-key="([^"]*)"')


def _one_key(row: re.Match[str]) -> str:
    """Return a table row with one key instead of one per cell, if they differ in one component."""
    keys = [key.split(".") for key in _KEY.findall(row[1])]
    places = [*map(str, range(len(keys)))] if len(keys) > 1 else None
    for i, parts in enumerate(zip(*keys, strict=False)):
        if [*parts] == places and len({(*k[:i], "*", *k[i + 1 :]) for k in keys}) == 1:
            key = ".".join((*keys[0][:i], "*", *keys[0][i + 1 :]))
            return f'<tr data-key="{key}">{_KEY.sub("", row[1])}</tr>'
    return row[0]


def _shared_key(body: re.Match[str]) -> str:
    """Return the body of a table with the beginning that all its keys share."""
    keys = _KEY.findall(body[1])
    parts = [key.split(".")[:-1] for key in keys]
    same = takewhile(lambda each: len(set(each)) == 1, zip(*parts, strict=False))
    shared = "".join(f"{each[0]}." for each in same)
    if len(keys) < 2 or not shared:
        return body[0]
    rest = _KEY.sub(lambda key: f' data-key="{key[1].removeprefix(shared)}"', body[1])
    return f'<tbody data-key="{shared}">{rest}</tbody>'
