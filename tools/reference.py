"""Write parts of the reference of the site: curves, fields of JSON files, codes of the gate.

docs/conf.py puts them into their pages; tools/behaviour.py draws the metrics of docs/metrics.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tallymark as tm
from tallymark.curve import CURVES, CurveDefinition
from tallymark.findings.catalogue import codes, codes_of_notes, every_rule
from tallymark.metric import METRICS
from tallymark.part import part_roles

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# -- curves ------------------------------------------------------------------------------------

JOINED = {
    "": "joined by straight lines",
    "pre": "joined in steps, each at the value of the point to its right",
    "post": "joined in steps, each at the value of the point to its left",
}
"""How the points of a curve are joined, by :attr:`Curve.step`."""


@cache
def credit(effort: str | None = None) -> tm.Evaluation:
    """Return the evaluation whose curves are drawn."""
    return tm.evaluate(
        tm.example("credit"), truth="outcome", positive="bad", score=["forest", "logistic"],
        effort=effort,
    )  # fmt: skip


def draw_curve(name: str) -> Axes:
    """Draw a curve of the credit example in a new figure, and return its axes."""
    ev = credit("amount" if CURVES[name].role_needed else None)
    return tm.plot.curve(ev, name)


def curves() -> str:
    """Return the sections of the page as Markdown: every curve once, with its picture."""
    return "\n".join(line for c in CURVES.values() for line in _curve(c))


def _of_role(c: CurveDefinition) -> str:
    """Return the numbers of rows that a curve reads beside scores."""
    if c.role_needed:
        return f" and {part_roles()[c.role].plural}"
    return f", and {c.role} if there is one" if c.role else ""


def _curve(c: CurveDefinition) -> Iterator[str]:
    meaning = c.meaning[:1].upper() + c.meaning[1:]
    facts = {
        "x": c.x.title,
        "y": c.y.title,
        "points": "marked one by one" if c.draw == "points" else JOINED[c.step],
        "bands": ", ".join(c.bands) or f"none: {c.no_band}",
        "summed up by": f"[{c.beside[0]}](metrics.md#{c.beside[0]})" if c.beside[0] else "",
        "reads": c.needs + _of_role(c),
        "command": f"`tallymark curve FILE {c.name}`",
        "Python": f'`ev.curve("{c.name}")`, `tm.plot.curve(ev, "{c.name}")`',
    }  # fmt: skip
    yield f"## {c.name}\n"
    yield f"{meaning} {c.words}".strip().replace("*", "\\*") + "\n"
    yield from (f"- {fact}: {words}" for fact, words in facts.items() if words)
    yield "\n```{eval-rst}"
    yield ".. plot::"
    yield f"   :alt: the curve {c.name} of two models on the credit example\n"
    yield f"   import reference; reference.draw_curve({c.name!r})"
    yield "```\n"


# -- schemas -----------------------------------------------------------------------------------

SCHEMA = ".schema.json"


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON schemas that are shipped, by their names."""
    found = {f.name: f for f in Path(tm.__file__).parent.rglob(f"*{SCHEMA}")}
    return {n.removesuffix(SCHEMA): json.loads(found[n].read_text("utf-8")) for n in sorted(found)}


def fields() -> str:
    """Return the sections of the page as Markdown: every field of every schema."""
    return "\n".join(line for name, s in schemas().items() for line in _schema(name, s))


def _schema(name: str, schema: Mapping[str, Any]) -> Iterator[str]:
    yield f"## {name}\n"
    yield f"{schema['title']}. {schema['description']} The schema is `{name}{SCHEMA}`.\n"
    parts = {"": schema, **schema.get("$defs", {})}
    for part, made in parts.items():
        heading = f"### {name}: {part}\n" if part else ""
        for one in made.get("oneOf", [made]) if not part else [made]:
            rows = list(_fields(name, one, ""))
            if not rows:
                rows = [("", _holds(name, one), "", one.get("description", ""))]
            if heading:
                yield heading
            kind = one.get("properties", {}).get("format", {}).get("const")
            if kind and not part and one is not schema:
                yield f"### {kind}\n"
            if part and one.get("description"):
                yield f"{_plain(one['description'])}\n"
            yield "| field | holds | | about |\n|---|---|---|---|"
            for cells in rows:
                yield "| " + " | ".join(cells) + " |"
            yield ""


def _fields(name: str, schema: Mapping[str, Any], at: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield a row a field, those of an object in an object under its name and a dot."""
    required = schema.get("required", ())
    properties = {key: {} for key in required} | schema.get("properties", {})
    for field, made in properties.items():
        place = f"{at}{field}"
        always = "always" if field in required else "may be absent"
        yield f"`{place}`", _holds(name, made), always, _plain(made.get("description", ""))
        yield from _within(name, made, place)


def _within(name: str, made: Mapping[str, Any], place: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the fields of what a field holds: an object, or a list or a mapping of objects."""
    for one in (made, *_choices(made)):
        yield from _fields(name, one, f"{place}.")
        for key, mark in (("items", "[]"), ("additionalProperties", ".*")):
            if isinstance(one.get(key), dict):
                yield from _within(name, one[key], f"{place}{mark}")


def _choices(made: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*made.get("oneOf", ()), *made.get("anyOf", ())]


def _holds(name: str, made: Mapping[str, Any]) -> str:
    """Return in words what a field holds."""
    if "$ref" in made:
        part = made["$ref"].rpartition("/")[2]
        return f"[{part}](#{name}-{part})" if "$defs" in made["$ref"] else f"as `{part}`"
    if "const" in made:
        return f"`{json.dumps(made['const'])}`"
    if "enum" in made:
        return ", ".join(f"`{json.dumps(v)}`" for v in made["enum"])
    if _choices(made):
        return " or ".join(dict.fromkeys(_holds(name, one) for one in _choices(made)))
    kinds = made.get("type", "any value")
    words = [_kind(name, made, k) for k in ([kinds] if isinstance(kinds, str) else kinds)]
    return " or ".join(words)


def _kind(name: str, made: Mapping[str, Any], kind: str) -> str:
    if kind == "array" and isinstance(made.get("items"), dict):
        return f"list of {_holds(name, made['items'])}"
    if kind == "object" and isinstance(made.get("additionalProperties"), dict):
        return f"mapping to {_holds(name, made['additionalProperties'])}"
    return {"array": "list"}.get(kind, kind)


def _plain(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*")


# -- the gate ----------------------------------------------------------------------------------


def places() -> dict[str, str]:
    """Return, by its metric, what a rule says for a metric that is read where a rate is fixed."""
    found = {}
    for m in METRICS.values():
        head, _, tail = m.name.rpartition("_at_")
        if head and tail in m.params:
            found[m.name] = f"{head} >= 0.5 at {tail}={m.params[tail]:g}"
    return found


def gate() -> str:
    """Return the sections of the page as Markdown: places, and the codes to forbid."""
    rows = [f"| `{rule}` | [{n}](metrics.md#{n}) |" for n, rule in places().items()]
    notes = codes_of_notes()
    advice = {c: every_rule()[c].when.split("\n\n")[0] for c in codes() if c not in notes}
    return "\n".join([
        "| rule | judges |\n|---|---|", *rows,
        "\n## Codes that can be forbidden\n",
        "Warnings, which `tallymark report FILE` prints and `ev.notes` holds: "
        + ", ".join(f"`{code}`" for code in notes) + ".\n",
        "Advice, which `tallymark advise FILE` prints:\n",
        "| code | is said when |\n|---|---|",
        *(f"| `{code}` | {_plain(when)} |" for code, when in advice.items()),
    ])  # fmt: skip
