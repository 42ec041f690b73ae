"""Read arrays, frames and files, each as chunks of rows to count."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from tallymark.errors import InputError, listed
from tallymark.part import added, answer, part_roles
from tallymark.reading.checks import table_checks
from tallymark.reading.choose import TITLES, also_read, find_roles
from tallymark.reading.chunks import (
    ArrayTable,
    Chunk,
    FrameTable,
    joined,
    released,
)
from tallymark.reading.columns import (
    ModelRoles,
    Roles,
    models_of,
    refuse_twice,
    unused,
)
from tallymark.reading.files import MEMORY, FileTable, open_file
from tallymark.reading.forecasts import with_pairs
from tallymark.reading.indicators import LabelSets, count_table, find_indicators
from tallymark.reading.ingest import Job, RowCounter, count_tallies
from tallymark.reading.join import TruthFile, is_elsewhere, join_truth
from tallymark.reading.layouts import layout_of
from tallymark.reading.long_form import LongTable, long_table
from tallymark.reading.look import Look, look_at
from tallymark.reading.memory import Room, Scoring
from tallymark.reading.models import CountedRows
from tallymark.reading.names import Named, is_count, is_model, names_of
from tallymark.reading.profile import Table
from tallymark.reading.question import Question, Say
from tallymark.reading.scan import FileScan, ahead
from tallymark.reading.source import Source, is_path
from tallymark.tally.arrays import (
    Label,
)
from tallymark.tally.scores import ScoreTally

Progress = Callable[[int, int], None]


def open_table(
    data: Any,
    *,
    memory: int = MEMORY,
    header: bool | None = None,
    sheet: str | None = None,
    named: Collection[str] | None = None,
    labels: Sequence[Label] | None = None,
) -> Table:
    """Return a frame, a file, or the input of a part, as a table; see :func:`open_file`.

    In text files, words such as NA are missing unless they are among the ``labels``.
    """
    table: Table | None
    if isinstance(data, Table):  # already open, after a join
        return data
    table = answer("openers", data)
    if table is None and is_path(data):
        table = open_file(data, memory=memory, header=header, sheet=sheet, named=named)
        table.classes = frozenset(map(str, labels or ()))
    elif header is not None or sheet is not None:
        if table is not None:
            table.close()
        raise InputError(f"{'sheet' if header is None else 'header'} is for files; leave it out")
    elif table is None:
        table = ArrayTable(data) if isinstance(data, Mapping) else FrameTable(data)
    table.layout = layout_of(table.columns)
    return table


def read_whole(table: Table, labels: Sequence[str], numbers: Sequence[str], **beside: Any) -> Chunk:
    """Return all rows of the named columns as one chunk."""
    return joined(list(table.chunks(labels, numbers, **beside)))


# -- tables --------------------------------------------------------------------------------------


def from_table(
    data: Any,
    *,
    named: Mapping[str, Any],
    on: str | None = None,
    memory: str | int | None = None,
    tolerance: float | None = None,
    subgroups: Sequence[str] = (),
    fold: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> CountedRows | LabelSets:
    """Return the counts of a table, with columns as ``named`` or detected.

    The true classes may be in another file or frame, which is joined ``on`` a column of both or by
    a detected key. ``options`` are the labels, the positive class, the threshold and ``missing`` of
    a Job.
    """
    truth, elsewhere = named["truth"], is_elsewhere(named["truth"])
    if elsewhere:
        named = {**named, "truth": None}
    elif on is not None:
        raise InputError(
            "on=... names the column that joins the true classes of another file; give "
            "truth=tm.file(...) too, or leave on=... out"
        )
    room = Room.of(memory, tolerance)
    named_columns = [n for names in (on, *named.values(), subgroups, fold) for n in names_of(names)]
    how = {
        "memory": room.reading,
        "sheet": sheet,
        "named": named_columns,
        "labels": options["labels"],
    }
    try:
        table = open_table(data, header=header, **how)
    except Question as question:
        if elsewhere:  # the rows lack the truth so far
            raise question.with_choices([{"header": False}, {"header": True}]) from None
        beside = {"subgroups": subgroups, "fold": fold}
        raise _with_header(question, data, how, named, options, beside) from None
    with released(table):
        if isinstance(table, FrameTable) and table.in_place and memory is not None:
            raise InputError(
                f"memory is for files; {table.name} is counted in place, where tolerance says how "
                "narrow the bins are"
            )
        if isinstance(table, FrameTable) and not (table.in_place or memory is tolerance is None):
            raise InputError(
                f"memory and tolerance are for files; {table.name} is already in memory"
            )
        request = Request(table, named, subgroups, fold, options, room, progress)
        if not elsewhere:
            return request.count()
        other, column = _table_of_truth(truth, on, room.reading)
        with released(other):
            join = join_truth(table, other, on, column, named)
        counted = replace(request, named={**named, **join.roles}, because=join.why).count()
    ignored = tuple(c for c in counted.source._ignored if c != join.key)
    source = replace(counted.source, _ignored=ignored)
    return replace(counted, source=source, notes=counted.notes + join.notes)


def _with_header(
    question: Question,
    data: Any,
    how: Mapping[str, Any],
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    beside: Mapping[str, Any],
) -> Question:
    """Return a question on the header, with each choice tried on the data."""
    choices: list[Say] = []
    for header in (False, True):
        try:
            table = open_table(data, header=header, **how)
        except InputError:
            continue
        with released(table):
            look = look_of(table, named)
            result = completed(Question("", [{}]), look, named, options, beside)
            choices += [{**say, "header": header} for say in result.choices]
    return question.with_choices(choices)


def _table_of_truth(truth: Any, on: str | None, memory: int) -> tuple[Table, str | None]:
    """Return the table with the truth and the name of its column, if the user gave it."""
    if isinstance(truth, TruthFile):
        columns = [name for name in (on, truth._truth) if name is not None]
        table = open_table(
            truth._path, memory=memory, header=truth._header, sheet=truth._sheet, named=columns
        )
        return table, truth._truth
    frame = answer("openers", truth) or FrameTable(truth)
    frame.name = "the frame of the truth"
    return frame, None


@dataclass(frozen=True)
class Request:
    """A request to count an open table.

    ``named`` are the columns of the roles, ``because`` the reasons for roles that were detected
    earlier, and ``options`` those of a Job.
    """

    table: Table
    named: Mapping[str, Any]
    subgroups: Sequence[str]
    fold: str | None
    options: Mapping[str, Any]
    room: Room
    progress: Progress | None
    because: Mapping[str, str] | None = None

    def count(self) -> CountedRows | LabelSets:
        """Return the counts of the table as the first kind of input that fits."""
        if (sets := _label_sets(self)) is not None:
            return sets
        if (counted := answer("tables", self)) is not None:
            return _as_read(counted, self.table)
        return _score_counts_or_rows(self)


def _label_sets(request: Request) -> LabelSets | None:
    """Return the label sets of a table with one true column per label, or None."""
    several = find_indicators(request.table.columns, request.named)
    if several is None:
        return None
    beside = {role: request.named[role] for role in ("weight", "cluster", *part_roles(), "count")}
    is_found = request.named["truth"] is None
    return count_table(
        request.table,
        several,
        detected=is_found,
        subgroup=request.subgroups,
        fold=request.fold,
        **beside,
        **request.options,
    )


def _score_counts_or_rows(request: Request) -> CountedRows:
    """Return the counts of a table whose roles follow from names and rows."""
    table, named, options, fold = request.table, request.named, request.options, request.fold
    if fold is not None:
        refuse_twice(fold, request.subgroups)
    if isinstance(named["truth"], list) and len(named["truth"]) == 1:
        named = {**named, "truth": named["truth"][0]}
    subgroups = [*request.subgroups, *([fold] if fold else [])]
    look = look_of(table, named, subgroups, percent=options["percent"])
    if look is not None:
        table, look, named = with_pairs(table, look, named)
    columns = {"subgroups": request.subgroups, "fold": fold, "because": request.because}
    roles = roles_of(table.columns, look, named, options, **columns)
    of_roles = {role: named[role] for role in part_roles() if named[role]}
    beside = [c for c in (named["cluster"], *of_roles.values(), *subgroups) if c]
    roles = _with_elements(table, roles, options["labels"])
    long = long_table(table, roles, named["model"], unused(table.columns, roles, beside))
    if options["percent"]:
        table.in_percent([c for c, _ in roles.scores])
    if roles.pos_neg:
        return _as_read(_count_of_scores(table, roles, beside, options), table)
    models, source = models_of(roles), _source(table, roles, beside)
    if long is not None:
        models, source = long.spread(models), long.source(source, roles, named["model"])
    job = Job(
        source,
        roles.truth,
        models,
        roles.weight,
        roles.counted,
        named["cluster"],
        of_roles,
        subgroups={c: c for c in subgroups},
        fold=fold,
        **options,
    )
    try:
        return _count_table(table if long is None else long, job, request.room, request.progress)
    except Question as question:
        raise completed(question, look, named, options, columns) from None
    except InputError as error:
        raise _explained(error, roles, table) from None


def look_of(
    table: Table, named: Mapping[str, Any], beside: Sequence[str] = (), *, percent: bool = False
) -> Look | None:
    """Return a sample of a table; None if it counts itself and all columns are ``named``.

    Then no row is read, unless a column of counts or of models is still to be detected.
    """
    named_columns = {name for names in named.values() for name in names_of(names)}
    outputs = named.get("pred") or named.get("score")
    if table.in_place and named.get("truth") and outputs:
        rest = [c for c in table.columns if c not in named_columns]
        settled = named.get("count") is not None and named.get("model") is not None
        if settled or not any(is_count(c) or is_model(c, surely=True) for c in rest):
            return None
    look = look_at(table, {*named_columns, *beside})
    return look.in_percent() if percent else look


def roles_of(
    columns: Sequence[str],
    look: Look | None,
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    **beside: Any,
) -> Roles:
    """Return the role of each column, or raise a question with choices that were tried."""
    try:
        return find_roles(columns, look, **named, **beside)
    except Question as question:
        found = completed(question, look, named, options, beside)
        if look is None or any(named.get(word) for word in ("truth", "pred", "score")):
            raise found from None
        judged = [say for say, _ in also_read(look)]
        raise found.with_choices([*judged, *found.choices]) from None


def completed(
    question: Question,
    look: Look | None,
    named: Mapping[str, Any],
    options: Mapping[str, Any],
    beside: Mapping[str, Any],
    depth: int = 3,
) -> Question:
    """Return a question with complete choices: each counts the sampled rows."""
    if look is None:
        return question
    choices: list[Say] = []
    for say in question.choices:
        columns = {k: say.get(k, v) for k, v in named.items()}
        more = {"labels" if k == "classes" else k: v for k, v in say.items() if k not in named}
        more = {**options, **more}
        try:
            if find_indicators(look.columns, columns) is None:  # one column of classes
                _try(look, find_roles(look.columns, look, **columns, **beside), more)
        except Question as again:
            if depth:
                result = completed(again, look, columns, more, beside, depth - 1)
                choices += [{**say, **other} for other in result.choices]
        except InputError:
            continue
        else:
            choices.append(say)
    return question.with_choices([say for i, say in enumerate(choices) if say not in choices[:i]])


def _try(look: Look, roles: Roles, options: Mapping[str, Any]) -> None:
    """Count the sampled rows under a reading; raise an error if that fails."""
    source = Source(look.name, look.kind, _why=roles.why)
    usual = {**options, "missing": "drop", "percent": False}
    models = models_of(roles)
    job = Job(source, roles.truth, models, roles.weight, roles.counted, **usual)
    vectors = any(look.contents[c].is_vector for c, _ in roles.scores if c in look.contents)
    if not vectors and all(c in look.contents for names in roles.columns.values() for c in names):
        RowCounter(job).count(look.chunks(**job.columns)).result()


def _with_elements(table: Table, roles: Roles, labels: Sequence[Label] | None) -> Roles:
    """Return the roles with vectors, such as Spark's, replaced by one score per class.

    The elements are of the ``labels`` in order, by default of the classes 0, 1 and so on.
    """
    scores: list[Named] = []
    for column, target in roles.scores:
        names = table.split(column)
        in_order = labels if labels and len(labels) == len(names) else range(len(names))
        scores += (
            zip(names, map(str, in_order), strict=True) if len(names) > 1 else [(column, target)]
        )
    return replace(roles, scores=tuple(scores))


def _explained(error: InputError, roles: Roles, table: Table) -> InputError:
    """Return an error with the assumptions that led to it: a role, or a missing word."""
    words = sorted(table.absent) if isinstance(table, FileTable) else ()
    if words and any(phrase in str(error) for phrase in (" missing='drop' ", "only class is")):
        are = "is not a class" if len(words) == 1 else "are not classes"
        return InputError(
            f"{error}; {listed(words)} {are} unless classes=[...] lists all classes and names it"
        )
    for role, names in roles.columns.items():
        for name in names if role in roles.why else ():
            if str(error).startswith(f"{name} holds "):
                return InputError(
                    f"{error}; if {name!r} is not the {TITLES[role]}, name the column that is with "
                    f"{role}=..."
                )
    return error


def _count_table(
    table: Table | LongTable, job: Job, room: Room, progress: Progress | None
) -> CountedRows:
    if isinstance(table, FileTable) and not table.layout:
        counted = _count_file(FileScan(table, **job.columns), job, room, progress)
    else:
        counter = RowCounter(job, tolerance=room.tolerance)
        counted = counter.count(_reporting(table.counted(counter), table, progress)).result()
    checks = {**counted.source.checks, **table_checks(table, counted)}
    counted = replace(counted, source=replace(counted.source, checks=checks))
    notes = (note for check in added("checks") for note in check(table, counted))
    return _as_read(replace(counted, notes=(*counted.notes, *notes)), table)


def _as_read(counted: CountedRows, table: Table | LongTable) -> CountedRows:
    """Return the counts with notes on the format that are known only after reading."""
    source = counted.source
    how = tuple(dict.fromkeys((*table.format, *source.format)))
    return replace(counted, source=replace(source, format=how))


def _source(table: Table, roles: Roles, beside: Sequence[str]) -> Source:
    """Return the source of the rows, with the unused columns."""
    notes = [f"{roles.layout.made_by} output"] if roles.layout else []
    notes += roles.notes
    ignored = tuple(unused(table.columns, roles, beside))
    return Source(table.name, table.kind, _why=roles.why, _ignored=ignored, format=tuple(notes))


def _count_of_scores(
    table: Table, roles: Roles, beside: Sequence[str], options: Mapping[str, Any]
) -> CountedRows:
    """Return the counts of a table with positives and negatives per score."""
    if beside:
        raise InputError(
            f"{table.name} holds counts per score, which do not keep their {beside[0]}; give one "
            "line per row"
        )
    score = roles.scores[0][0]
    columns = (score, *(roles.pos_neg or ()))
    tally = ScoreTally._empty()
    for chunk in table.chunks([], columns):
        tally += ScoreTally.from_counts(*(chunk.numbers[c] for c in columns))
    source = _source(table, roles, ())
    source = replace(source, _roles={"score": score, "count": roles.pos_neg or ()})
    job = Job(source, "", (ModelRoles(score),), **{**options, "positive": tally.positive})
    return count_tallies([tally], job, tally.labels, tally.positive)


def _count_file(scan: FileScan, job: Job, room: Room, progress: Progress | None) -> CountedRows:
    """Return the counts of a file, repeated with narrower bins until they are narrow enough."""
    if not (scan.numbers or scan.groups or job.subgroups) and len(job.models) == 1:
        # For decisions alone, DuckDB counts the cells.
        lines = scan.grouped()
        if lines is not None:
            return RowCounter(job).count(_reporting([lines], scan, progress)).result()
    scoring: Scoring | None = Scoring(room, scan.sample, job)
    while scoring is not None:
        counter = RowCounter(job, scoring=scoring, most_kept=room.joint)
        with closing(ahead(scan.chunks(room.rows))) as chunks:
            result = counter.count(_reporting(chunks, scan, progress)).result()
        tallies = {(m.name, t.positive): t for m in result.models for t in m.scores}
        scoring = scoring.refined(tallies)
    return result


def _reporting(
    chunks: Iterable[Chunk], table: Table | LongTable | FileScan, progress: Progress | None
) -> Iterator[Chunk]:
    counted = 0
    if progress:
        progress(counted, table.rows)
    for chunk in chunks:
        yield chunk
        if progress and not chunk.again:
            counted += chunk.total
            progress(counted, table.rows)
