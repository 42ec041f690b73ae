"""Commands on metrics and published numbers: their meaning, and the counts that produce them."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from tallymark.cli.group import (
    NOTHING_FOUND,
    PLAIN_WIDTH,
    fit,
    json_flag,
    main,
    option,
    print_format,
    print_json,
    room,
    show_rows,
)
from tallymark.errors import InputError
from tallymark.part import numbers

if TYPE_CHECKING:
    from tallymark.metric import Metric


@main.command(section="Look up")
@option("--family FAMILY", "threshold, rank, probability or multi-label.")
@option("--find TEXT", "Only metrics whose description contains this text.", "text")
@option("--better high|low|neither", "Only metrics where such values are better.")
@option(
    "--range LOW HIGH",
    "Only metrics whose values lie in this range, such as: --range -1 1.",
    "within",
    type=float,
    nargs=2,
)
@option(
    "--scores/--decisions",
    "Only metrics that need scores, or only those that need no more than decisions.",
    "needs_scores",
    default=None,
)
@option(
    "--moves/--still",
    "Only metrics that depend on the prevalence, or only those that do not.",
    default=None,
)
@option(
    "--balance KIND",
    "Only metrics that behave like this as negatives become more frequent: invariant, rises, "
    "falls, either or turns.",
)
@json_flag
def metrics(as_json: bool, **facts: Any) -> None:
    """List the metrics: all, or those that match every option."""
    from tallymark.metric import find

    matches = find(**facts)
    if as_json:
        print_json([_facts(m) for m in matches])
        return
    if not matches:
        text = facts["text"]
        reason = f" mentions {text!r}" if text else " fits all of these"
        click.echo(f"tallymark: no metric{reason}", err=True)
        sys.exit(NOTHING_FOUND)
    if print_format() != "text":
        names = ("name", "family", "title", "formula", "better")
        show_rows({n: _fact(m, n) for n in names} for m in matches)
        return
    width = max(len(m.name) for m in matches)
    for m in matches:
        click.echo(
            fit(f"{m.name.ljust(width)}  {m.family:<11}  {m.title}: {m.words.formula}", " " * 4)
        )


def _facts(m: Metric) -> dict[str, Any]:
    from tallymark.display import fields_of, plain_data
    from tallymark.metric.skew import balance

    class_balance = balance(m)
    names = (
        "name",
        "title",
        "family",
        "needs",
        "formula",
        "meaning",
        "range",
        "better",
        "chance",
        "undefined_when",
        "aliases",
        "parameters",
        "misleads",
        "relatives",
        "moves_with_prevalence",
        "balance",
        "sources",
    )
    own = {
        "needs": m._needs,
        "range": [float(x) for x in m.range],
        "undefined_when": list(m.undefined),
        "parameters": m.params,
        "relatives": m.words._relatives,
        "moves_with_prevalence": class_balance.kind != "invariant",
        "balance": fields_of(class_balance, "metric"),
    }
    return {n: plain_data(own[n] if n in own else _fact(m, n)) for n in names}


def _fact(m: Metric, name: str) -> Any:
    """Return a fact of a metric: one of its texts, or a field."""
    return getattr(m.words if hasattr(m.words, name) else m, name)


@main.command(section="Look up")
@click.argument("name")
@json_flag
def explain(name: str, as_json: bool) -> None:
    """Explain a metric or curve: formula, meaning, when it misleads, sources, relatives.

    NAME may be any name that textbooks and other libraries use. A name with several definitions
    lists them.
    """
    facts, metric_name = _look_up(name)
    if as_json:
        print_json(facts)
    elif print_format() != "text":
        show_rows({"fact": k, "value": str(v)} for k, v in facts.items() if v)
    elif facts.get("name") == metric_name:
        _explain_metric(metric_name)
    else:
        width = _width()
        title, *more = facts.items()
        click.echo(title[1])
        click.echo()
        _print_facts([(k, str(v)) for k, v in more], width)
        if metric_name:
            click.echo()
            _explain_metric(metric_name)


_CURVES = {
    "precision_recall": "pr",
    "reliability": "calibration",
    "detection_error_tradeoff": "det",
    "detection_error_trade_off": "det",
    "receiver_operating_characteristic": "roc",
    "cumulative_gain": "gain",
    "cumulative_gains": "gain",
    "cumulative_lift": "lift",
    "net_benefit": "decision",
}
"""Aliases of curves, without the word curve."""


def _look_up(name: str) -> tuple[dict[str, Any], str]:
    """Return the facts of a metric, a curve or an alias, and the metric to explain, if any."""
    from tallymark.metric import get
    from tallymark.metric.glossary import GLOSSARY, SEVERAL, with_arguments
    from tallymark.metric.registry import plain

    key = plain(name)
    if key in SEVERAL:
        definitions = [get(m) for m in SEVERAL[key]]
        several = f"{name} has several definitions, whose values differ"
        return {
            "title": several,
            **{m.name: f"{m.title}: {m.words.formula}" for m in definitions},
        }, ""
    try:
        made_one = get(name)
    except InputError:
        curve = _curve(key)
        if curve is not None:
            return curve, ""
        if (words := GLOSSARY.get(key) or numbers().get(key)) is not None:
            return {"title": name, "meaning": words}, ""
        if (preset := with_arguments(name)) is None:
            raise
        made_one, arguments = preset
        spoken = f"{made_one.name} with {arguments}" if arguments else made_one.name
        return {"title": name, "is": spoken}, made_one.name
    return _facts(made_one), made_one.name


def _curve(key: str) -> dict[str, Any] | None:
    """Return the facts of a curve by its name; None if there is no such curve."""
    from tallymark.curve import CURVES
    from tallymark.metric import get

    for word in ("curve", "diagram", "plot", "chart"):
        key = key.removesuffix(f"_{word}")
    curve = CURVES.get(_CURVES.get(key, key))
    if curve is None:
        return None
    facts = {
        "title": f"{curve.title or curve.name} (curve {curve.name})",
        "meaning": curve.meaning,
        "how to read it": curve.words,
        "x": curve.x.title,
        "y": curve.y.title,
        "summed up by": get(curve.beside[0]).name if curve.beside[0] else "",
        "its points": f"tallymark curve FILE {curve.name}",
    }
    return {k: v for k, v in facts.items() if v}


def _width() -> int:
    return max(min(room() or PLAIN_WIDTH, PLAIN_WIDTH), 40)


def _print_facts(facts: Iterable[tuple[str, str]], width: int) -> None:
    """Print names and texts in two columns; the text goes below a name that is too long."""
    for fact, words in facts:
        if words:
            start, rest = f"{fact:15} ", " " * 16
            if len(fact) > 15:
                click.echo(fact)
                start = rest
            click.echo(textwrap.fill(words, width, initial_indent=start, subsequent_indent=rest))


def _explain_metric(name: str) -> None:
    import inspect

    from tallymark.metric import get
    from tallymark.metric.registry import CAUTION
    from tallymark.metric.skew import balance
    from tallymark.metric.skew import in_words as balance_in_words
    from tallymark.metric.sources import cite
    from tallymark.report.words import chance

    m = get(name)
    low, high = (f"{x:g}".replace("inf", "∞") for x in m.range)
    better = {"high": "higher is better", "low": "lower is better", "neither": "no direction"}
    width = _width()
    click.echo(f"{m.title} ({m.name})")
    docstring = inspect.cleandoc(m._function.__doc__ or "").split(">>>")[0].strip()
    more = [p for p in docstring.split("\n\n")[1:] if not p.startswith(CAUTION)]
    for part in (m.words.meaning, *more):
        click.echo()
        click.echo(textwrap.fill(" ".join(part.split()), width))
    facts = [
        ("misleads when", m.words.misleads),
        ("formula", m.words.formula),
        ("range", f"{low} to {high}, {better[m.better]}"),
        ("guessing", chance(m.chance)),
        ("needs", m._needs.replace("_", " ")),
        ("class balance", balance_in_words(balance(m))),
        ("undefined when", "; ".join(m.undefined)),
        ("also called", ", ".join(m.aliases)),
        ("parameters", ", ".join(f"{k}={v!r}" for k, v in m.params.items())),
        ("preset of", m._preset_of or ""),
        ("relatives", ", ".join(m.words._relatives)),
        *(("source", cite(key)) for key in m.words.sources),
    ]
    click.echo()
    _print_facts(facts, width)


@main.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print a shell script that completes commands, options, metrics and columns of FILE.

    bash: add eval "$(tallymark completion bash)" to ~/.bashrc

    zsh: add eval "$(tallymark completion zsh)" to ~/.zshrc

    fish: tallymark completion fish > ~/.config/fish/completions/tallymark.fish
    """
    from click.shell_completion import get_completion_class

    of_shell = get_completion_class(shell)
    assert of_shell is not None
    click.echo(of_shell(main, {}, "tallymark", "_TALLYMARK_COMPLETE").source())
