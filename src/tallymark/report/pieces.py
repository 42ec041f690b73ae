"""Pieces of pages: a result in, a fragment of HTML out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from tallymark.metric.sources import cite
from tallymark.report.blocks import Grid, html_text, table_html

Section = tuple[str, str, Sequence[str]]
"""A section's identifier, its title and its pieces."""


def asset(name: str) -> str:
    """Return the text of a file that pages are made of."""
    return (files("tallymark.report") / "assets" / name).read_text("utf-8")


def filled(template: str, **values: Any) -> str:
    """Return a template with its values, which are escaped unless they are pieces."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["drawing"] = Markup
    values |= {"style": Markup(asset("style.css")), "version": version("tallymark")}
    return environment.from_string(asset(template)).render(**values)


def document(
    kicker: str,
    source: str,
    verdict: str,
    about: str,
    sections: Iterable[Section],
    definitions: Sequence[str],
    sources: Iterable[str],
    notes: Sequence[str] = (),
    style: str = "",
) -> str:
    """Return a page of sections with the definitions in use and their sources."""
    return filled(
        "document.html.j2",
        kicker=kicker,
        source=source,
        verdict=verdict,
        about=about,
        notes=notes,
        more_style=style,
        sections=[(name, title, "\n".join(filter(None, body))) for name, title, body in sections],
        definitions=definitions,
        sources=[cite(k) for k in sources],
    )


def heading(text: str, level: int = 3) -> str:
    """Return a heading inside a section."""
    return f"<h{level}>{html_text(text)}</h{level}>"


def paragraphs(lines: Iterable[str], css: str = "faint") -> str:
    """Return a paragraph a line."""
    attribute = f' class="{css}"' if css else ""
    return "\n".join(f"<p{attribute}>{html_text(line)}</p>" for line in lines if line)


def figure(drawing: str, caption: str = "", title: str = "", legend: str = "") -> str:
    """Return a drawing with its title above, and its legend and its caption below."""
    caption = f"<figcaption>{html_text(caption)}</figcaption>" if caption else ""
    title = heading(title) if title else ""
    return f"<figure>{title}{drawing}{legend}{caption}</figure>" if drawing else ""


def scrolled(fragment: str, label: str) -> str:
    """Return a fragment that scrolls by itself where it is wider than the window."""
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{html_text(label)}">'
        f"{fragment}</div>"
    )


def side_by_side(fragments: Sequence[str], css: str) -> str:
    """Return fragments in a grid."""
    return f'<div class="{css}">{"".join(fragments)}</div>' if fragments else ""


def hidden(summary: str, grid: Grid) -> str:
    """Return a table that a reader opens."""
    return f"<details><summary>{html_text(summary)}</summary>{table_html(grid)}</details>"
