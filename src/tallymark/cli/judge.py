"""Commands that judge the predictions in a file: a report, or single questions."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import tallymark as tm
from tallymark.cli.group import (
    NUMBER_OR_PERCENT,
    as_options,
    columns_of_rows,
    format_option,
    goes_to_a_file,
    how_sure,
    in_words,
    json_flag,
    main,
    one_of,
    option,
    page_and_json,
    predictions_of,
    print_format,
    print_json,
    progress,
    room,
    share,
    show,
    show_blocks,
    show_results,
    show_rows,
    tell,
    try_outputs,
    words_given,
    words_of_parts,
    write_results,
)
from tallymark.contract import CONTRACT, read
from tallymark.errors import InputError, NotPredictionsError, harmless
from tallymark.output import STANDARD_OUTPUT, ready, write_text
from tallymark.quantities import to_width
from tallymark.reading.question import Question, Say

Columns = dict[str, Any]
USES = list(CONTRACT["use"].among)
COST_RULES = ("costs-known", "costs-of-guessing", "cheapest-threshold")
"""The codes of the advice rules about costs."""


MOST_LINES = 40
"""Thresholds shown in a terminal."""


budget_option = option(
    "--budget BUDGET",
    "With --use marketing, how many rows can be contacted, best scores first: a share such as 20% "
    "or 0.2, or a number of rows such as 500 (default: 10%).",
)
costs_of_errors = option(
    "--costs FALSE_ALARM MISSED",
    "What each error costs, in any unit, such as: --costs 1 10.",
    type=float,
    nargs=2,
)


noun_of_rows = option(
    "--noun WORD",
    "What sentences call a row, such as loan; with a plural that is not regular: child/children.",
)


formulas_as_printed = option(
    "--as-printed",
    "Also print what formulas that a source prints wrongly would give, and what is right.",
    is_flag=True,
)


whole_text = option(
    "--full",
    "Print all headline metrics with their methods, and matrices, verdicts and subgroups.",
    is_flag=True,
)


@main.command(section="Judge")
@click.argument("file", type=click.Path())
@click.argument("more", type=click.Path(), nargs=-1)
@columns_of_rows
@words_of_parts
@how_sure("Confidence level of the intervals, between 0 and 1.", "Seed of the resampled intervals.")
@option(
    "--keep-pairs/--no-keep-pairs",
    "Whether the JSON keeps the rows of several models side by side, which a later comparison "
    "needs (default: if they take at most 1 MB).",
    default=None,
)
@option(
    "--subgroup COLUMN",
    "Column whose values define subgroups that are judged as well; repeat it for combinations "
    "of values.",
    multiple=True,
)
@share(
    "--prevalence", "The prevalence in the field, such as 0.01 or 1%, at which to judge the rows."
)
@one_of(
    "--use",
    USES,
    "What the classifier is for; decides which metrics come first and what they are called.",
)
@costs_of_errors
@noun_of_rows
@budget_option
@formulas_as_printed
@whole_text
@page_and_json("report.html")
def report(
    file: str, columns: Columns, output: str | None, json_path: str | None, **options: Any
) -> None:
    """Judge the predictions in FILE: CSV, Parquet, JSON, Arrow or ARFF.

    Columns are found by their usual names unless you name them; every assumption is printed.

    FILE may be what --json wrote. Several such files, from sites that judged the same models, are
    added up and compared: tallymark report north.json south.json

    A log of an evaluation of language models, or a table of right and wrong answers, gives the
    mean of each model and their leaderboard.
    """
    _report(file, output, json_path, **columns, **options)


@main.command(section="Start")
@click.argument("file", type=click.Path())
@columns_of_rows
@words_of_parts
@json_flag
def inspect(file: str, columns: Columns, as_json: bool) -> None:
    """Show how FILE would be read: each column's role and why, and what a report would do."""
    from tallymark.reading.saved import is_saved

    if is_saved(file):  # saved counts have no columns
        show(tm.read(file), as_json=as_json)
        return
    from tallymark.reading.inspection import inspection_of
    from tallymark.reading.source import ROLES, has_columns

    source = reading = None
    try:
        ev = tm.evaluate(file, **columns)
    except NotPredictionsError:
        raise  # no column of the file has a role
    except InputError as refused:
        why = as_options(click.get_current_context().find_root(), str(refused))
        run = f"A report would be refused: {why}.".replace("tallymark inspect", "tallymark report")
    else:
        if not isinstance(ev, tm.Evaluation):  # judged by a part, which says how it read the file
            show(ev, as_json=as_json)
            return
        source, reading = ev.source, ev.reading
        if not has_columns(source):
            show(ev, as_json=as_json)
            return
        models = ", ".join(ev.names)
        classes = ", ".join(map(str, ev.classes[:8]))
        kind = "labels" if ev.labels else "classes"
        run = f"A report judges {ev.rows:,} rows of {len(ev.classes)} {kind} ({classes}): {models}."
    words = words_given(columns)
    roles = {r: name for r, name in words.items() if r in ROLES and isinstance(name, str | list)}
    options = {word: words.get(word) for word in ("header", "sheet")}
    show(inspection_of(file, source, run, roles, reading, **options), as_json=as_json)


@main.command(section="Start")
@option("-o --output PAGE", "Where to write the page.", type=click.Path(), default="demo.html")
@whole_text
def demo(output: str, full: bool) -> None:
    """Judge three models on real data: 1,000 credits, good or bad."""
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    scores, groups = ["logistic", "forest", "bayes"], ("age_group",)
    _report(
        str(tm.example("credit")),
        output,
        truth="outcome",
        positive="bad",
        score=scores,
        subgroup=groups,
        costs=(1.0, 5.0),  # from the documentation of the data
        full=full,
    )


@main.command(section="Start")
@click.argument("name", required=False)
@option("-o --output FILE", "Where to write it (default: NAME.csv).", type=click.Path())
def example(name: str | None, output: str | None) -> None:
    """Write the example data NAME as a CSV file; without a name, list what there is.

    Where standard output is a file or a pipe, the data go there.
    """
    from tallymark.reading.shipped import shipped

    if name is None:
        for e in shipped().values():
            click.echo(f"{e.name:<14}{e.title}")
        click.echo("\nWrite one with: tallymark example NAME")
        return
    path = tm.example(name)
    if output is None and goes_to_a_file():
        click.echo(path.read_text("utf-8"), nl=False)
        click.echo(shipped()[name].title, err=True)
        return
    output = output or f"{name}.csv"
    if Path(output).exists():
        raise InputError(f"{output!r} exists; give another file with -o")
    write_text(output, path.read_text("utf-8"))
    e = shipped()[name]
    tell(f"csv: {output}")
    whose = f"{e.authors} ({e.year})" if e.year else e.authors
    click.echo(f"{e.title}. {whose}, {e.source}; {e.licence}.")
    tell(f"Judge it with: tallymark {e.command.replace('FILE', output)}")


def _report(
    file: str,
    output: str | None,
    json_path: str | None = None,
    *,
    more: tuple[str, ...] = (),
    keep_pairs: bool | None = None,
    subgroup: tuple[str, ...] = (),
    prevalence: float | None = None,
    costs: tuple[float, float] | None = None,
    as_printed: bool = False,
    noun: str | None = None,
    budget: str | None = None,
    full: bool = False,
    **options: Any,
) -> None:
    from tallymark.api import judged_by_part
    from tallymark.findings.advice import Answers

    if costs is not None:
        Answers(cost_fp=costs[0], cost_fn=costs[1])  # fail before the long work
    if noun is not None:
        read("noun", noun)
    if budget is not None:
        read("budget", budget)
    for place in (file, *more):
        try_outputs(place, output, json_path)
    if (subgroup or options.get("fold")) and prevalence is not None:
        raise InputError(
            "subgroups and folds are only computed at the sample's own prevalence; leave "
            "prevalence=... out"
        )
    with progress() as update:
        files = [file, *more]
        if more:
            ev = judged_by_part(files, subgroup=subgroup or None, **options)
            ev = _of_sites(files, subgroup=subgroup, **options) if ev is None else ev
        else:
            options["options"] = {**(options.get("options") or {}), "progress": update}
            ev = tm.evaluate(file, subgroup=subgroup or None, **options)
        if not isinstance(ev, tm.Evaluation):
            _refuse_of_predictions(
                costs=costs,
                prevalence=prevalence,
                as_printed=as_printed,
                keep_pairs=keep_pairs,
                noun=noun,
                budget=budget,
            )
            _show_part(ev, output, json_path)
            return
        cost_fp, cost_fn = costs or (None, None)
        ev = ev.at(
            prevalence=prevalence, cost_fp=cost_fp, cost_fn=cost_fn, noun=noun, budget=budget
        )
        parts = _more_parts(ev, subgroup, prevalence) if full else []
        parts += [in_words(ev.folds())] if options.get("fold") else []
        parts += [_paragraphs(_advised(ev, COST_RULES))] if full and ev.costs else []
        parts += [errata(ev)] if as_printed else []
        how: dict[str, Any] = {"page": {"as_printed": as_printed}, "keep_pairs": keep_pairs}
        written = results(ev, parts, output, json_path, full=full, file=file, **how)
    show_results(*written, json_path)


def _more_parts(ev: Any, subgroup: tuple[str, ...], prevalence: float | None) -> list[str]:
    """Return the texts on subgroups, and on studies."""
    if not subgroup and not ev.source.checks.get("studies"):
        return []
    if prevalence is not None:
        return ["Studies are summarized at their own prevalence: leave --prevalence out."]
    return [_parts(ev)]


def _refuse_of_predictions(**given: Any) -> None:
    """Raise InputError for options that need predictions of classes."""
    for name, value in given.items():
        if value not in (None, False, ()):
            raise InputError(
                f"{name} is for predictions of classes, and this is something else; leave "
                f"{name}=... out"
            )


def _show_part(result: Any, output: str | None, json_path: str | None) -> None:
    """Print what a part made of files, and write its page and its JSON."""
    text = result.to_json() if json_path == "-" else in_words(result)
    show_results(text, write_results(result, output, json_path), json_path)


def _of_files(files: list[str], **how: Any) -> Any:
    """Return the evaluation of the first file, or what a part makes of all of them."""
    from tallymark.api import judged_by_part

    several = len(files) > 1
    if several and (result := judged_by_part(files, **how)) is not None:
        return result
    first: Any = tm.evaluate(files[0], **how)
    if several and not isinstance(first, tm.Evaluation):
        return judged_by_part(files, **how, has_truth=False)
    return first


def _of_several(choices: Sequence[Say]) -> list[Say]:
    """Return the choices that name several models, which alone can be compared."""
    named = [[say.get(role, ()) for role in ("score", "pred")] for say in choices]
    models = [sum(1 if isinstance(v, str) else len(v) for v in of) for of in named]
    return [say for say, n in zip(choices, models, strict=True) if n > 1]


def _of_sites(files: list[str], *, level: float, seed: int, use: str | None, **options: Any) -> Any:
    """Return the pooled counts of several sites; refuse options about rows."""
    threshold = options.pop("threshold")
    for name, value in words_given(options).items():
        if value:
            raise InputError(
                f"{name} says how rows are read, and several files are counts that --json wrote; "
                f"leave {name}=... out"
            )
    ev = tm.read(list(files), use=use)
    ev = replace(ev, level=level, seed=seed)
    return ev if threshold is None else ev.at(threshold=threshold)


def results(
    ev: Any,
    more: list[str],
    output: str | None,
    json_path: str | None,
    *,
    full: bool = False,
    file: str | None = None,
    page: dict[str, Any] | None = None,
    **how: Any,
) -> tuple[str, list[tuple[str, str]]]:
    """Write the JSON and the page; return the text to print, and the paths of the other files.

    The text is a summary with what more was asked for; ``full`` has all headline metrics.
    ``file`` is what was judged, for a command that explains the summary.
    """
    more = [*filter(None, more)] if print_format() == "text" else []
    written = write_results(ev, output, json_path, page=page, **how)
    if json_path == "-":
        return ev.to_json(**how), written
    if full or print_format() != "text":
        return "\n\n".join([in_words(ev), *more]), written
    pages = [path for kind, path in written if kind == "page" and path != STANDARD_OUTPUT]
    others = [one for one in written if one[1] not in pages]
    return "\n\n".join([_summary(ev, file, *pages), *more]), others


MOST_ROWS, WIDEST = 28, 80
"""Lines and columns of a summary."""


def _summary(ev: Any, file: str | None, page: str | None = None) -> str:
    """Return an evaluation in few lines, with fewer steps if it would have too many lines."""
    from tallymark.display import load
    from tallymark.report.subjects.outline import outline
    from tallymark.report.subjects.steps import MOST_STEPS

    color = load("terminal:wants_color")()
    if color:  # keep Click from removing the color if a pipe should get it
        click.get_current_context().color = True
    width = min(room() or WIDEST, WIDEST)
    links = [
        f"page: {harmless(page)}" if page else "page: add -o report.html",
        "all metrics: --full",
    ]
    links += [] if file is None else ["why: tallymark advise FILE ..."]
    last = "   ".join(links)
    lines: list[str] = []
    for most in range(MOST_STEPS, -1, -1):
        lines = load("terminal:as_text")(outline(ev, most), width, color).split("\n")
        lines += ["", *([last] if len(last) <= width else links)]
        if len(lines) <= MOST_ROWS:
            break
    return "\n".join(lines)


def errata(ev: Any) -> str:
    """Return, for every model, the values of formulas that a source misprints."""
    from tallymark.report.blocks import Paragraph
    from tallymark.report.evaluation import refuse_errata
    from tallymark.report.subjects import grids
    from tallymark.report.terminal import as_text

    refuse_errata(ev)
    texts = []
    for name in ev.names:
        title = [Paragraph(name, "title")] if len(ev.names) > 1 else []
        texts.append(as_text([*title, *grids.errata(ev.model(name).as_printed())]))
    return "\n\n".join(texts)


def _warn_of_dependence(ev: Any) -> None:
    """Print on standard error why rows may not be independent."""
    from tallymark.infer.cautions import dependence
    from tallymark.report import words

    for note in () if ev.labels else dependence(ev._counted):
        tell(f"warning: {words.said(note.text)}", err=True)


def _warn(ev: Any) -> None:
    """Print on standard error that rows depend on each other, and which scores are reversed."""
    _warn_of_dependence(ev)
    if getattr(ev, "positive", None) is None:
        return
    for m in ev.models:
        area = ev.model(m.name)["roc_auc"] if m.scores else None
        if area is not None and area.high < 0.5:
            other = next(label for label in ev.classes if label != ev.positive)
            value, *_ = to_width(area.value, area.low, area.high)
            tell(
                f"warning: ROC area of {m.name} is {value}, below 0.5: its scores rank "
                f"the classes in reverse; if they are of {str(other)!r}, say --score-of "
                f"{shlex.quote(str(other))}",
                err=True,
            )


def _advised(ev: Any, rules: Collection[str], **answers: Any) -> list[str]:
    """Return the sentences of some rules of advice."""
    return [s.text for s in ev.advise(**answers).statements if s.rule in rules]


def _paragraphs(sentences: Sequence[str]) -> str:
    from tallymark.report.blocks import Paragraph
    from tallymark.report.terminal import as_text

    return as_text(map(Paragraph, sentences))


def _of_costs(ev: Any, choice: Any) -> list[str]:
    """Return the cost of the current decisions, and the saving at the cheapest threshold."""
    from tallymark.metric import get

    metric = get(choice.best.metric)
    if metric.name != "expected_cost":
        return []
    rules = ("costs-known", *["cheapest-threshold"] * (not choice.limits))
    return _advised(ev, rules, **{**metric.params, **choice.params})


def _parts(ev: Any) -> str:
    """Return which model leads in each subgroup, and the rates of studies."""
    from tallymark.report.blocks import Paragraph
    from tallymark.report.evaluation import studies_of, subgroups_of_models
    from tallymark.report.subjects.comparison import leaders_table
    from tallymark.report.subjects.subgroups import studies
    from tallymark.report.terminal import as_text

    texts = []
    if ev.leaders():
        line, table = leaders_table(ev)
        texts.append(as_text([Paragraph(line), table]))
    for s in subgroups_of_models(ev):
        if heterogeneity := studies_of(s):
            texts.append(as_text(studies(s, heterogeneity)))
    return "\n\n".join(texts)


@main.command(section="Judge")
@click.argument("file", type=click.Path())
@columns_of_rows
@option(
    "--subgroup COLUMN",
    "Column whose values define the subgroups; repeat it for combinations of values.",
    multiple=True,
    required=True,
)
@option(
    "--metric METRIC",
    "Metric to show; the first one ranks the subgroups; repeatable.",
    "metrics",
    multiple=True,
)
@how_sure(
    "Confidence level of the intervals; a subgroup differs where its corrected p is below 1 "
    "− level.",
    "Seed of the random draws.",
)
@json_flag
def subgroups(
    file: str, columns: Columns, metrics: tuple[str, ...], as_json: bool, **options: Any
) -> None:
    """Judge the subgroups in FILE, such as regions, and say which differ from the rest.

    A subgroup is every combination of the columns' values; missing values are a subgroup too.
    Without --metric, decisions on two classes are judged by sensitivity and specificity. P-values
    are corrected for all tests: of every subgroup, in every metric (Holm).
    """
    from tallymark.metric import get

    names = [get(m).name for m in metrics]  # fail before the long work
    judged = predictions_of(file, **columns, **options).by(*options["subgroup"])
    if as_json:
        print_json(judged.to_dict(names or None))
    elif print_format() == "csv":
        show_rows(judged.table(names or None))
    else:
        show_blocks("subgroups:subgroups", judged, names or None)


@main.command(section="Decide")
@click.argument("file", type=click.Path())
@columns_of_rows
@option(
    "--best METRIC",
    "The metric that the threshold optimises (default: expected_cost, which is minimised, with "
    "--costs, else youden_j).",
    "metric",
)
@costs_of_errors
@option(
    "--within METRIC NUMBER",
    "A limit to keep, such as: --within fpr 0.01, or --within predicted_positive_rate 5% "
    "where 5 % of the rows can be acted on; repeatable.",
    type=(str, NUMBER_OR_PERCENT),
    multiple=True,
)
@option(
    "--param NAME NUMBER",
    "A parameter of the metric, such as: --param cost_fn 10; repeatable.",
    type=(str, float),
    multiple=True,
)
@noun_of_rows
@how_sure("Confidence level of the intervals.", "Seed of the random halves.")
@json_flag
def threshold(
    file: str,
    columns: Columns,
    metric: str | None,
    costs: tuple[float, float] | None,
    within: Any,
    param: Any,
    noun: str | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Choose a threshold for the scores in FILE, and say how it will do on new rows.

    With --costs it also says what that saves over the threshold in force, which is 0.5 for
    probabilities unless --threshold names another, and over acting on every row or on none.
    """
    from tallymark.metric import get

    params = dict(param)
    if noun is not None:
        read("noun", noun)
    if costs is not None:
        if metric is not None and "cost_fp" not in get(metric).params:
            raise InputError(f"--best {metric} uses no costs; leave --costs out")
        params |= {"cost_fp": costs[0], "cost_fn": costs[1]}
    ev = predictions_of(file, **columns, **options).at(noun=noun)
    _warn(ev)
    choices = {
        name: ev.model(name).optimal_threshold(metric, within=dict(within), **params)
        for name in ev.names
    }
    if as_json:
        print_json({name: choice.to_dict() for name, choice in choices.items()})
        return
    if print_format() == "csv":
        show_rows({"model": n} | row for n, choice in choices.items() for row in choice.table())
        return
    for name, choice in choices.items():
        said = _of_costs(ev.model(name), choice)
        show_blocks("thresholds:optimal_threshold", choice, name, said)


def number_or_word(text: str) -> float | str:
    """Return a parameter as a number or a word, such as 10 or density."""
    try:
        return float(text)
    except ValueError:
        return text


@main.command(section="Decide")
@click.argument("file", type=click.Path())
@columns_of_rows
@option(
    "--metric METRIC",
    "A metric of the decisions to print instead of the usual rates; repeatable.",
    "metrics",
    multiple=True,
)
@option("-o --output PATH", "Write all thresholds to this file as CSV.", type=click.Path())
@json_flag
def thresholds(
    file: str, columns: Columns, metrics: tuple[str, ...], output: str | None, as_json: bool
) -> None:
    """Print the four counts and the rates at every threshold of the scores in FILE.

    Rows at or above a threshold are called positive. The terminal shows at most 40 thresholds,
    evenly spaced among all of them; other formats and -o have all.
    """
    from tallymark.display import plain_data
    from tallymark.listing import Listing

    if output:
        ready(output)
    ev = predictions_of(file, **columns)
    _warn(ev)
    tables = {name: ev.model(name).thresholds(metrics or None) for name in ev.names}
    rows = [{"model": name} | row for name, table in tables.items() for row in table.rows]
    if output:
        write_text(output, Listing(tuple(rows)).to_csv())
        tell(f"csv: {output}")
    elif as_json:
        print_json(plain_data(rows))
    elif print_format() != "text":
        show_rows(rows)
    else:
        for i, (name, table) in enumerate(tables.items()):
            last = len(table.rows) - 1
            steps = sorted({round(k * last / (MOST_LINES - 1)) for k in range(MOST_LINES)})
            more = f", {len(steps)} shown; -o FILE has all" if len(steps) <= last else ""
            tell(f"{chr(10) * bool(i)}{name}: {last + 1:,} thresholds{more}")
            show_rows(table.rows[k] for k in steps)


@main.command(section="Judge")
@click.argument("file", type=click.Path())
@click.argument("name")
@columns_of_rows
@one_of(
    "--over",
    ["threshold", "prevalence"],
    "The axis that metrics are drawn against.",
    default="threshold",
)
@one_of(
    "--band",
    ["pointwise", "vertical", "simultaneous"],
    "Confidence band: of each point at its threshold, of y at each x, or of the whole curve "
    "at once.",
)
@how_sure("Confidence level of the bounds.", "Seed of the random draws.")
@option(
    "--param NAME VALUE",
    "A parameter of the curve or the metric, such as: --param revenue 10; repeatable.",
    type=(str, number_or_word),
    multiple=True,
)
@option("-o --output PATH", "Write the points to this file instead.", type=click.Path())
@format_option
def curve(
    file: str,
    name: str,
    columns: Columns,
    over: str,
    band: str | None,
    output: str | None,
    param: Any,
    shape: str,
    **options: Any,
) -> None:
    """Print the points of a curve, as CSV unless --format says otherwise.

    NAME is a curve (roc, pr, det, gain, lift, deciles, cost, decision, calibration and so on), a
    metric of the decisions, computed at every threshold, or passes: the ROC curve as it is worked
    out by hand. With --over prevalence any metric is computed against the prevalence. With --band
    there are columns low and high, also for x if it is a rate; standard error says what they
    are. Of several models the first column names the model.
    """
    import json

    from tallymark.display import plain_data
    from tallymark.listing import Listing

    if output:
        ready(output)
    if name == "passes" and band:
        raise InputError("passes has no band: it shows how the curve is computed; use roc")
    ev = predictions_of(file, **columns, **options)
    _warn(ev)
    points, bounds = [], []
    for model in ev.names:
        one = ev.model(model)
        result = None if name == "passes" else one.curve(name, over=over, band=band, **dict(param))
        table = one.passes() if result is None else result.table()
        points += [{"model": model} | r if len(ev.names) > 1 else r for r in table.to_dicts()]
        bounds += [result.method] if result is not None and result.method else []
    for method in dict.fromkeys(bounds):
        click.echo(f"bounds: {ev.level:g}, {method}", err=True)
    table = Listing(tuple(points))
    if shape == "json":
        text = json.dumps(plain_data(points), indent=1, allow_nan=False) + "\n"
    elif shape in ("markdown", "latex"):
        text = str(getattr(table, f"to_{shape}")())
    else:
        shape, text = "csv", table.to_csv()
    if output:
        write_text(output, text)
        tell(f"{shape}: {output}")
    else:
        click.echo(text, nl=False)


def _at_costs(
    costs: tuple[float, float], metric: str | None, also: tuple[str, ...], fold: Any
) -> str:
    """Return the metric that decides at these costs; refuse costs that nothing uses."""
    from tallymark.findings.advice import Answers
    from tallymark.metric import get

    Answers(cost_fp=costs[0], cost_fn=costs[1])
    if metric is not None and not any("cost_fp" in get(n).params for n in (metric, *also)):
        raise InputError(f"--metric {metric} uses no costs; leave --costs out")
    if fold:
        raise InputError("folds are not compared at costs; leave --fold out, or leave --costs out")
    return metric or "expected_cost"


@main.command(section="Compare")
@click.argument("file", type=click.Path())
@click.argument("more", type=click.Path(), nargs=-1)
@columns_of_rows
@words_of_parts
@option(
    "--with OTHER",
    "Compare each model with itself on the rows of another file, with the same columns.",
    "other",
    type=click.Path(),
)
@option("--against MODEL", "Compare every other model with this one.")
@option(
    "--metric METRIC",
    "The metric that decides (default: expected_cost with --costs, else ROC area if there are "
    "scores, else MCC).",
)
@option(
    "--also METRIC", "Another metric to show, instead of the usual ones; repeatable.", multiple=True
)
@option(
    "--margin SIZE",
    "The non-inferiority margin, in units of the metric, such as 0.02 or 2%.",
    type=NUMBER_OR_PERCENT,
)
@option(
    "--least SIZE",
    "The smallest difference that matters: say how many rows would show it.",
    type=NUMBER_OR_PERCENT,
)
@costs_of_errors
@how_sure("Confidence level of the intervals.", "Seed of the random draws.")
@option("-o --output PAGE", "Write the page of graded answers.", type=click.Path())
@json_flag
def compare(
    file: str,
    more: tuple[str, ...],
    columns: Columns,
    other: str | None,
    against: str | None,
    metric: str | None,
    also: tuple[str, ...],
    margin: float | None,
    least: float | None,
    costs: tuple[float, float] | None,
    output: str | None,
    as_json: bool,
    **inference: Any,
) -> None:
    """Say which of several models in FILE is better, and how certain that is.

    Models are columns of one file, so all are judged on the same rows, such as:
    tallymark compare FILE --score a --score b

    With another file the same models are judged on other rows, such as those of two hospitals, or
    before and after a change: tallymark compare FILE --with OTHER --score a

    Files may be what report --json wrote: tallymark compare old.json new.json

    Logs of evaluations of language models, or tables of right and wrong answers, give the
    leaderboard of their models, however many files there are: tallymark compare a.eval b.eval
    """
    from tallymark.infer.compare import check
    from tallymark.reading.saved import is_saved

    if more and other is not None:
        raise InputError("--with names the other file, and so does a second one; give one of them")
    more = (other,) if other is not None else more
    if costs is not None:
        metric = _at_costs(costs, metric, also, columns["fold"])
    check(metric, also, margin, least)  # fail before the long work
    if output:
        try_outputs(file, output, None)
    other = more[0] if more else None
    if other is not None and Path(other).resolve() == Path(file).resolve():
        raise InputError(f"{other!r} is on both sides; give --with the predictions on other rows")
    options: dict[str, Any] = {
        "metric": metric,
        "metrics": also or None,
        "margin": margin,
        "least": least,
    }
    try:
        ev, folds = _of_files([file, *more], **columns, **inference), None
    except Question as asked:
        raise asked.with_choices(_of_several(asked.choices) or asked.choices) from None
    if not isinstance(ev, tm.Evaluation):
        _refuse_of_predictions(
            costs=costs, against=against, metric=metric, also=also, margin=margin
        )
        board = ev.compare(least=least)
        text = board.to_json() if as_json else in_words(board)
        show_results(text, write_results(board, output, None), "-" if as_json else None)
        return
    if output is not None:
        raise InputError(
            "output=... writes the page of graded answers; that of predictions is written by "
            "tallymark report"
        )
    if len(more) > 1:
        raise InputError(
            "predictions of more than two files are not compared; give one file with a column for "
            "each model, or two files"
        )
    if costs is not None:
        ev = ev.at(cost_fp=costs[0], cost_fn=costs[1])
    if other is None:
        comparison = ev.compare(against=against, **options)
        folds = ev.folds([comparison.metric]) if columns["fold"] else None
    elif against is not None:
        raise InputError(
            "--against compares models on the same rows; leave it out, or leave --with out"
        )
    else:
        if not is_saved(other):
            columns |= {"positive": ev.positive, "classes": ev.classes}
        try:
            theirs = predictions_of(other, **columns, **inference)
        except InputError as refused:  # with two files, the message must name the file
            named = other in str(refused)
            raise InputError(str(refused) if named else f"{other}: {refused}") from None
        comparison = ev.compare_with(theirs, **options)
    if as_json:
        print_json(comparison.to_dict() | ({"folds": folds.to_dict()} if folds else {}))
    else:
        printed = (comparison,) if print_format() == "csv" else (comparison, folds)
        text = "\n\n".join(in_words(result) for result in printed if result)
        click.echo(text, nl=not text.endswith("\n"))


@main.command(section="Judge")
@click.argument("file", type=click.Path())
@columns_of_rows
@one_of("--use", USES, "What the classifier is for.")
@costs_of_errors
@share("--prevalence", "The prevalence in the field, such as 0.01 or 1%.")
@one_of("--worse", ["missed", "false-alarms"], "Which error hurts more, where costs are not known.")
@budget_option
@option("--mute CODE", "The code of a rule to silence; repeatable.", multiple=True)
@json_flag
def advise(
    file: str,
    columns: Columns,
    costs: tuple[float, float] | None,
    worse: str | None,
    budget: str | None,
    mute: tuple[str, ...],
    as_json: bool,
    **answers: Any,
) -> None:
    """Say which numbers to look at for the predictions in FILE, and which could mislead.

    Four answers sharpen the advice; none is needed.
    """
    from tallymark.findings.advice import Answers

    answers["cost_fp"], answers["cost_fn"] = costs or (None, None)
    answers["worse"] = worse and worse.replace("-", " ")
    Answers(**answers)  # fail before the long work
    if budget is not None:
        read("budget", budget)
        columns["use"] = answers["use"]
    ev = predictions_of(file, **columns).at(budget=budget)
    _warn_of_dependence(ev)
    show(ev.advise(**answers, mute=mute), as_json=as_json)
