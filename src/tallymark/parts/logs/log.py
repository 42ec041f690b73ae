"""Read logs of evaluations of language models into one table of scores of items."""

from __future__ import annotations

import math
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from sys import intern
from typing import Any, Literal

from tallymark import InputError
from tallymark.core import (
    ANY,
    TEXTS,
    Document,
    Listing,
    check_name,
    checked,
    enumerated,
    fields_of,
    many,
    one_of,
    plain_data,
    quantile,
    wilson,
)
from tallymark.parts.logs.log_files import ENDINGS, LogFile
from tallymark.parts.logs.records import Aggregate, LogRow, Score, text_of
from tallymark.parts.logs.tools import TOOLS, Tool, tool_of

Errors = Literal["wrong", "left-out"]

SHARES = ("acc", "acc_norm", "accuracy", "exact_match", "em", "resolved", "pass@1")
"""Names of aggregates that are shares of items, also before a filter: "acc,none"."""


@dataclass(frozen=True)
class LogScore:
    """The scores of a model by one scorer on a task.

    ``rows`` are ``scored``, ``unscored`` or ``errors``; of these, errors that count as wrong are
    among ``scored`` too. ``epochs`` is the largest number of scored rows of an item. ``mean`` is
    the mean over items of an item's mean, ``mean_rows`` that over rows. ``right`` and ``ties``
    count values of 1 and 0.5, if there are no others except 0. ``low`` and ``high`` are Wilson's
    interval where each item has one value of 0 or 1; else ``reason`` says why there is none.
    """

    model: str
    task: str | None
    scorer: str
    rows: int
    scored: int
    unscored: int
    errors: int
    items: int
    items_scored: int
    epochs: int
    mean_rows: float
    mean: float
    right: int | None
    ties: int | None
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None


@dataclass(frozen=True)
class LogNumber:
    """A finished number of a file, with an interval where the file says how many items there were.

    Where it is a share of ``n`` items, ``low`` and ``high`` are Wilson's interval; else ``reason``
    says why there is none. ``se`` is the standard error that the file states.
    """

    model: str
    task: str | None
    scorer: str
    value: float
    n: int | None
    se: float | None
    low: float = math.nan
    high: float = math.nan
    reason: str | None = None


@checked
@dataclass(frozen=True, repr=False)
class Log(Document):
    """What :func:`tallymark.read_log` read: scores of items, and finished numbers of files.

    ``rows`` are the scores, ``scores`` their summaries, and ``aggregates`` the finished numbers of
    files that hold no scores of these items. ``errors`` is how samples that failed were counted
    where the user said so. ``notes`` are on models without a name, runs that did not finish, and
    what was left out.
    """

    tools: tuple[str, ...]
    files: tuple[str, ...]
    rows: tuple[LogRow, ...]
    scores: tuple[LogScore, ...]
    aggregates: tuple[LogNumber, ...]
    notes: tuple[str, ...]
    errors: Errors | None
    level: float

    def table(self) -> Listing:
        """Return a row for each score: item, epoch, model, task, scorer, value and state.

        The state is "scored", "unscored" or "error". The value of an error is 0 where errors count
        as wrong, and undefined where they are left out.
        """
        return Listing(tuple(fields_of(row) for row in self.rows))

    def summary(self) -> Listing:
        """Return a row for each model, task and scorer: items, errors, the mean, its interval."""
        return Listing(tuple(plain_data(s) for s in self.scores))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, the scores of items by column."""
        names = [f.name for f in fields(LogRow)]
        columns = {name: [getattr(row, name) for row in self.rows] for name in names}
        return {**self._heading("log"), **fields_of(self, "rows"), "rows": columns}


@checked(path=ANY, errors=one_of("wrong", "left-out"), scorer=TEXTS)
def read_log(
    path: Any,
    *,
    errors: Errors | None = None,
    scorer: str | Sequence[str] | None = None,
    level: float = 0.95,
) -> Log:
    r"""Return the scores of items in logs of evaluations of language models.

    The tool is recognised by the names in a file, never by the values of columns. The mean of a
    scorer is that over items, of the mean of each item's epochs. It has Wilson's interval where
    each item has one value of 0 or 1.

    Parameters
    ----------
    path : path or list of paths
        Logs, or folders, in which logs are searched for.
    errors : {"wrong", "left-out"}, optional
        How to count samples that failed: as wrong, where a scorer gives 0 and 1 alone, or not at
        all. By default as the tool counts them.
    scorer : str or list of str, optional
        The scorers to read, by default all.
    level : float
        Confidence level of the intervals.

    Returns
    -------
    Log
        With :meth:`Log.table`, a row for each score, and :meth:`Log.summary`.

    Raises
    ------
    InputError
        A file that no known tool wrote, or that is incomplete; a scorer that is not there.

    See Also
    --------
    tallymark.evaluate : for predictions of classes.

    Examples
    --------
    >>> import json, pathlib, tempfile, tallymark as tm
    >>> path = pathlib.Path(tempfile.mkdtemp(), "samples_arith_2026-05-01T10-00-00.jsonl")
    >>> _ = path.write_text("".join(
    ...     json.dumps({"doc_id": i, "resps": [], "filtered_resps": [], "filter": "none",
    ...                 "metrics": ["acc"], "acc": float(i < 8)}) + "\n" for i in range(10)))
    >>> log = tm.read_log(path)
    >>> log.table()[0]["item"], log.table()[0]["scorer"], log.table()[0]["value"]
    ('0', 'acc,none', 1.0)
    >>> [(s.items, s.mean, round(s.low, 4), round(s.high, 4)) for s in log.scores]
    [(10, 0.8, 0.4902, 0.9433)]

    """
    gathered = _Gathered()
    for log, tool in _files(path, gathered):
        gathered.add(log, tool)
    rows = gathered.rows
    if scorer is not None:
        wanted = {scorer} if isinstance(scorer, str) else set(scorer)
        there = sorted({r.scorer for r in rows} | {a.scorer for a in gathered.numbers})
        for name in wanted:
            check_name("scorer", name, there)
        rows = [r for r in rows if r.scorer in wanted]
        gathered.numbers = [a for a in gathered.numbers if a.scorer in wanted]
    if errors is not None:
        rows = _with_errors(rows, errors)
    held = {(r.model, r.task, r.scorer) for r in rows}
    numbers = [a for a in gathered.numbers if (a.model, a.task, a.scorer) not in held]
    z = quantile(level)
    return Log(
        tools=tuple(dict.fromkeys(gathered.tools)),
        files=tuple(gathered.files),
        rows=tuple(rows),
        scores=tuple(_summaries(rows, z)),
        aggregates=tuple(_with_interval(a, z) for a in numbers),
        notes=tuple(dict.fromkeys(gathered.notes)),
        errors=errors,
        level=level,
    )


@dataclass
class _Gathered:
    """What the files read so far hold."""

    rows: list[LogRow] = field(default_factory=list)
    numbers: list[LogNumber] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    epochs: dict[tuple[str, str | None, str], int] = field(default_factory=dict)

    def add(self, log: LogFile, tool: Tool) -> None:
        """Add what a file holds."""
        scores: list[Score] = []
        several: list[Score] = []
        for found in _found(log, tool):
            if isinstance(found, str):
                self.notes.append(f"{log.name}: {found}.")
            elif isinstance(found, Aggregate):
                self._add_number(log, found)
            else:
                (scores if found.scorer else several).append(found)
        names = dict.fromkeys(score.scorer for score in scores)
        scores += [score._replace(scorer=name) for score in several for name in names]
        if several and not names:
            self.notes.append(f"{log.name}: no sample has a score.")
        if any(score.model is None for score in scores):
            self.notes.append(f"{log.name} does not name the model; it is called {log.stem}.")
        self._add_rows(log, scores)
        self.tools.append(tool.name)
        self.files.append(log.name)

    def _add_number(self, log: LogFile, a: Aggregate) -> None:
        model = a.model or log.stem
        self.numbers.append(LogNumber(model, a.task, a.scorer, a.value, a.n, a.se))

    def _add_rows(self, log: LogFile, scores: Iterable[Score]) -> None:
        """Add rows; epochs go on where another file holds the same model, task and scorer."""
        before, last = dict(self.epochs), dict(self.epochs)
        times: Counter[tuple[Any, ...]] = Counter()
        for s in scores:
            model, name, item = str(s.model or log.stem), intern(str(s.scorer)), text_of(s.item)
            key = model, s.task, name
            epoch = s.epoch
            if epoch is None:
                times[(*key, item)] += 1
                epoch = times[(*key, item)]
            epoch += before.get(key, 0)
            last[key] = max(last.get(key, 0), epoch)
            self.rows.append(LogRow(item, epoch, model, s.task, name, s.value, s.state))
        again = {key[:2] for key in before if last[key] > before[key]}
        self.epochs = last
        for model, task in sorted(again, key=str):
            self.notes.append(
                f"{log.name} holds another run of {model}{f' on {task}' if task else ''}; its rows "
                "count as further epochs."
            )


def _found(log: LogFile, tool: Tool) -> Iterator[Any]:
    """Yield what the reader of a tool finds; refuse a file that is not as the tool writes it."""
    try:
        if tool.read is not None:
            yield from tool.read(log)
    except InputError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
        missing = f"; {error} is missing" if isinstance(error, KeyError) else ""
        raise InputError(
            f"{log.name} looks like a log of {tool.name}, but has a record that {tool.name} does "
            f"not write{missing}; export it again"
        ) from None


def _files(path: Any, gathered: _Gathered) -> Iterator[tuple[LogFile, Tool]]:
    """Yield the logs at paths with their tools; in folders other files are skipped."""
    paths = [path] if isinstance(path, str | os.PathLike) else path
    if not isinstance(paths, Sequence) or not all(isinstance(p, str | os.PathLike) for p in paths):
        raise InputError("read_log takes a path, or a list of paths; give the files or folders")
    if not paths:
        raise InputError("there are no paths; give at least one log or folder")
    places: dict[Path, bool] = {}
    for place in map(Path, paths):
        if place.is_dir():
            inside = sorted(f for f in place.rglob("*") if f.suffix in ENDINGS and f.is_file())
            places |= {file: True for file in inside if file not in places}
        elif place.is_file():
            places[place] = False
        else:
            raise InputError(f"there is no file {str(place)!r}; check the path")
    skipped = []
    for place, is_inside in places.items():
        log = LogFile(place)
        tool = tool_of(log)
        if tool is not None and tool.read is not None:
            yield log, tool
        elif is_inside:
            skipped += [] if tool else [log.name]
        else:
            raise InputError(unknown(log) if tool is None else f"{log.name}: {tool.instead}")
    if not gathered.files:
        raise InputError(
            f"{enumerated([str(p) for p in paths])} holds no log of a known tool; give the folder "
            "or the files that the tool wrote"
        )
    if skipped:
        gathered.notes.append(f"{many(len(skipped), 'file')} of no known tool skipped.")


def unknown(log: LogFile) -> str:
    """Return the sentence that refuses a file of no known tool."""
    if log.path.suffix == ".zip" or log.members:
        return f"{log.name} is an archive of no known tool; unpack it and give the folder"
    known = enumerated(list(dict.fromkeys(tool.name for tool in TOOLS)))
    return f"{log.name} is not a log of a known tool ({known}); give the file that the tool wrote"


# -- numbers -------------------------------------------------------------------------------------


def _grouped(rows: Iterable[LogRow]) -> dict[tuple[str, str | None, str], list[LogRow]]:
    groups: defaultdict[tuple[str, str | None, str], list[LogRow]] = defaultdict(list)
    for row in rows:
        groups[row.model, row.task, row.scorer].append(row)
    return groups


def _with_errors(rows: Sequence[LogRow], errors: Errors) -> list[LogRow]:
    """Return rows with errors as wrong, for scorers of 0 and 1 alone, or left out."""
    if errors == "left-out":
        return [replace(r, value=None) if r.state == "error" else r for r in rows]
    others = {r.scorer for r in rows if r.state == "scored" and r.value not in (0, 1)}
    return [
        replace(r, value=0.0) if r.state == "error" and r.scorer not in others else r for r in rows
    ]


def _summaries(rows: Sequence[LogRow], z: float) -> Iterator[LogScore]:
    """Yield the summary of each model, task and scorer, in the order of the files."""
    for (model, task, scorer), group in _grouped(rows).items():
        by_item: defaultdict[str, list[float]] = defaultdict(list)
        for row in group:
            if row.value is not None:
                by_item[row.item].append(row.value)
        values = [v for of_item in by_item.values() for v in of_item]
        means = [math.fsum(of_item) / len(of_item) for of_item in by_item.values()]
        grades = set(values) <= {0.0, 0.5, 1.0}
        summary = LogScore(
            model,
            task,
            scorer,
            rows=len(group),
            scored=len(values),
            unscored=sum(row.state == "unscored" for row in group),
            errors=sum(row.state == "error" for row in group),
            items=len({row.item for row in group}),
            items_scored=len(by_item),
            epochs=max(map(len, by_item.values()), default=0),
            mean_rows=math.fsum(values) / len(values) if values else math.nan,
            mean=math.fsum(means) / len(means) if means else math.nan,
            right=values.count(1.0) if grades else None,
            ties=values.count(0.5) if grades else None,
        )
        if reason := _no_interval(summary):
            yield replace(summary, reason=reason)
        else:
            low, high = wilson(summary.right, summary.items_scored, z)
            yield replace(summary, low=float(low), high=float(high))


def _no_interval(s: LogScore) -> str | None:
    """Return why a mean has no interval here; None where it is a share of independent items."""
    if not s.scored:
        return "no item has a score"
    if s.epochs > 1:
        return "items have several epochs, which are not independent"
    return "values other than 0 and 1" if s.ties or s.right is None else None


def _with_interval(a: LogNumber, z: float) -> LogNumber:
    """Return a finished number with Wilson's interval, or the reason that there is none."""
    if not a.n:
        return replace(a, reason="the file does not say how many items there were")
    right = a.value * a.n
    if a.scorer.partition(",")[0] not in SHARES:
        return replace(a, reason="not known to be a share of items")
    if abs(right - round(right)) > 1e-6 * a.n or not 0 <= a.value <= 1:
        return replace(a, reason=f"{a.value:g} is no share of {a.n:,} items")
    low, high = wilson(round(right), a.n, z)
    return replace(a, low=float(low), high=float(high))
