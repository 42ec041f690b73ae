"""Counts made elsewhere: tallies, confusion matrices, and tables that hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.chunks import FrameTable, joined
from tallymark.reading.classes import match_label, settle_classes, typed
from tallymark.reading.columns import ModelRoles
from tallymark.reading.files import FileTable
from tallymark.reading.finished import FOUR
from tallymark.reading.ingest import EXACT, Job, count_tallies
from tallymark.reading.models import CountedRows, Note
from tallymark.reading.names import meaning, must_have
from tallymark.reading.profile import Table, first_rows
from tallymark.reading.source import Source
from tallymark.reading.squares import (
    Matrix,
    Side,
    Square,
    axes_of,
    is_total,
    labels_of,
    same_names,
    settled,
)
from tallymark.tally.arrays import (
    Floats,
    Label,
    as_counts,
    keep_complete,
)
from tallymark.tally.labels import Counts, LabelTally, Missing
from tallymark.tally.merge import merged_labels
from tallymark.tally.scores import ScoreTally
from tallymark.tally.subgroups import Key, SubgroupCounts, SubgroupModel, combined

STUDIES = (
    "study", "site", "author", "authors", "trial", "centre", "center", "hospital", "paper",
    "reference", "name", "dataset", "cohort",
)  # fmt: skip
MODELS = ("model", "classifier", "algorithm", "method", "system", "predictor", "learner")
CUTS = ("threshold", "cutoff", "cut")
"""What a column is called that says whose counts a row holds, or at which threshold."""

MOST_TOLD = 8


# -- tallies -------------------------------------------------------------------------------------


def tallies_of(data: Any) -> Mapping[str, LabelTally | ScoreTally] | None:
    """Return a tally, or tallies by the names of models, if that is what there is."""
    kinds = (LabelTally, ScoreTally)
    if isinstance(data, kinds):
        return {"model": data}
    if isinstance(data, Mapping) and data and all(isinstance(t, kinds) for t in data.values()):
        return {str(name): t for name, t in data.items()}
    return None


def from_tallies(
    tallies: Mapping[str, LabelTally | ScoreTally],
    source: Source,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    subgroups: SubgroupCounts | None = None,
) -> CountedRows:
    """Return models as they were counted elsewhere, all of them on the same rows.

    Raises
    ------
    InputError
        Tallies of different rows, scores of different classes, none at all, or no row.

    """
    if not tallies:
        raise InputError("there is no tally; give at least one")
    found = reduce(merged_labels, (t.labels for t in tallies.values()))
    found = typed(labels, found) if labels is not None else found
    tallies = {name: t.reorder(found) for name, t in tallies.items()}
    asked = match_label(found, positive)
    for t in tallies.values():
        if not isinstance(t, ScoreTally):
            continue
        if len(found) > 2:
            raise InputError(
                f"scores were counted only for {t.positive!r}, and there are {len(found)} classes; "
                "count one class against the rest, or evaluate the rows"
            )
        asked = t.positive if asked is None else asked
        if asked != t.positive:
            raise InputError(
                f"positive is {asked!r} and scores were counted for {t.positive!r}; name the "
                "class that all scores are of"
            )
    classes, asked = settle_classes(found, asked)
    (first, one), *others = tallies.items()
    for name, other in others:
        if not np.allclose(_true(other), _true(one), rtol=1e-12, atol=0):
            one_has, other_has = (" and ".join(f"{n:g}" for n in _true(t)) for t in (one, other))
            raise InputError(
                f"{first!r} has {one_has} rows of the classes {listed(found)} and {name!r} "
                f"{other_has}, so they were not judged on the same rows; evaluate each separately, "
                "and compare them with ev.compare_with(other)"
            )
    models = tuple(ModelRoles(name) for name in tallies)
    job = Job(source, "", models, positive=positive, threshold=threshold)
    made = count_tallies(list(tallies.values()), job, classes, asked, subgroups)
    told = () if subgroups else cells(made)
    return replace(made, source=replace(made.source, format=(*source.format, *told)))


def _true(tally: LabelTally | ScoreTally) -> Floats:
    """Return the rows of each true class."""
    return np.asarray(tally.counts.sum(1 if isinstance(tally, LabelTally) else 0))


# -- matrices ------------------------------------------------------------------------------------


def from_matrices(
    counts: Any,
    source: Source,
    labels: Sequence[Label] | None,
    positive: Label | None,
    rows_are: Side | None = None,
) -> CountedRows:
    """Return one model by its confusion matrix, or several by a mapping of names to theirs."""
    several = isinstance(counts, Mapping)
    given = dict(counts) if several else {"model": counts}
    tallies, said = {}, list[str]()
    for model, table in given.items():
        name = f"counts[{model!r}]" if several else "counts"
        if isinstance(table, LabelTally):
            tallies[str(model)] = table
            continue
        m = matrix_of(square_of(table, name, labels), name, labels, rows_are)
        said += [] if m.why.startswith(("assumed", "as this form")) else [m.said]
        said += [f"totals left out: {', '.join(m.left_out)}"] if m.left_out else []
        tallies[str(model)] = as_tally(m, name, labels)
    roles = {"truth": "rows", "pred": "columns"}
    source = replace(source, roles=roles | dict(source.roles), format=tuple(dict.fromkeys(said)))
    if labels is not None:  # which may name totals, as the rows do
        labels = [
            k for k in labels if not is_total(k) or any(k in t.labels for t in tallies.values())
        ]
    return from_tallies(tallies, source, labels=labels, positive=positive)


def from_finished(
    square: Square,
    name: str,
    remedy: str,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    rows_are: Side | None = None,
) -> CountedRows:
    """Return the counts of a matrix in a file or a table, how it was read, and what it leaves open.

    ``remedy`` is the call that reads its rows as the predicted classes.
    """
    m = matrix_of(square, name, labels, rows_are, remedy)
    roles = {"truth": "rows", "pred": "columns"}
    if m.rows_are == "prediction":
        roles = {"truth": "columns", "pred": "rows"}
    sure = "report" in square.kind or square.kind == "the four counts"
    said = (square.kind,) if sure else (square.kind, m.said)
    source = Source(name, "matrix", roles, ignored=m.left_out, format=said)
    positive = square.positive if positive is None else positive
    tally = as_tally(m, name, labels)
    made = from_tallies({"model": tally}, source, labels=labels, positive=positive)
    notes, models = list(made.notes), made.models
    if square.rounding:
        notes.append(Note("report-rounded", "warning", f"{name}: {square.rounding}; {_ROUNDED}"))
    if square.mistakes:
        notes.append(Note("report-mistakes", "warning", f"{name} {_MISTAKES}"))
        models = tuple(replace(model, rule=_ARRANGED) for model in models)
    return replace(made, notes=tuple(notes), models=models)


_ROUNDED = (
    "the one nearest to the printed numbers is judged. For exact counts give the confusion matrix, "
    "or a report that is not rounded (scikit-learn: digits=12, or output_dict=True as JSON)"
)
_ARRANGED = "rebuilt from a report: off the diagonal one of several possible matrices"
_MISTAKES = (
    "does not say which class is mistaken for which: accuracy, kappa, Matthews correlation and the "
    "numbers of each class are right, but the cells off the diagonal are only one arrangement that "
    "gives them, and intervals of averages depend on it a little. For those give the confusion "
    "matrix"
)


def cells(made: CountedRows) -> tuple[str, ...]:
    """Return the four counts as they were read, of each model; of more classes their order."""
    if made.positive is None:
        return (f"classes in the order {', '.join(map(str, made.classes[:MOST_TOLD]))}",)
    told = []
    for m in made.models[:MOST_TOLD]:
        c = m.labels.binary(made.positive)
        text = ", ".join(f"{name.upper()} {getattr(c, name):.15g}" for name in FOUR)
        told.append(f"{m.name}: {text}" if len(made.models) > 1 else text)
    return tuple(told)


def as_tally(m: Matrix, name: str, labels: Sequence[Label] | None = None) -> LabelTally:
    """Return the counts [true class, predicted class] of a matrix as a tally."""
    table = m.counts
    names = m.labels or labels
    if names is not None and len(names) != len(table):
        raise InputError(
            f"classes names {len(names)} classes and {name} has {len(table)} rows; name one per row"
        )
    bad = ~((table >= 0) & (table < EXACT) & (table == np.trunc(table)))
    if bad.any():
        i, j = np.argwhere(bad)[0].tolist()
        what = "counts are whole numbers from 0 up to 2^53"
        if (table >= 0).all() and any(_are_shares(table.sum(a)) for a in (0, 1, None)):
            what += ", and these are shares; give the matrix without normalize=..."
        raise InputError(f"{name} holds {table[i, j]:.6g} in row {i + 1}, column {j + 1}; {what}")
    return LabelTally(tuple(range(len(table)) if names is None else names), table)


def _are_shares(sums: Any) -> bool:
    """Tell whether sums are 1 or 100, but for rounding."""
    return any(np.allclose(sums, whole, atol=0.02 * whole) for whole in (1, 100))


def matrix_of(
    square: Square,
    name: str,
    labels: Sequence[Label] | None,
    rows_are: Side | None,
    remedy: str = "rows_are='prediction'",
) -> Matrix:
    """Return the matrix that a square is, or refuse one whose sides name different classes."""
    forms = [square]
    if labels is not None:  # which may stand for the names of rows and columns
        forms.append(replace(square, rows=None, columns=None))
    for form in forms:
        found = settled(form, name, labels=labels, rows_are=rows_are, remedy=remedy)
        if found is not None:
            return found
    if square.rows is None or square.columns is None:
        raise _no_square(name)
    raise InputError(
        f"{name} has the rows {listed(square.rows[:8])} and the columns "
        f"{listed(square.columns[:8])}; give one row and one column per class, or name "
        "the classes with classes=[...]"
    )


def square_of(counts: Any, name: str, labels: Sequence[Label] | None) -> Square:
    """Return a frame, an array or a list of lists with the names of its rows and columns."""
    try:
        table = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        table = np.zeros(0)
    if table.ndim != 2 or min(table.shape) < 2:
        raise _no_square(name)
    if has_names(counts):
        axes = tuple("" if a.name is None else str(a.name) for a in (counts.index, counts.columns))
        rows, columns = (tuple(a.tolist()) for a in (counts.index, counts.columns))
        return Square(table, rows, columns, axes)  # type: ignore[arg-type]
    if table.shape[0] != table.shape[1]:
        raise _no_square(name)
    named = tuple(labels) if labels is not None and len(labels) == len(table) else None
    return Square(table, named, named, rows_are="truth")


def _no_square(name: str) -> InputError:
    return InputError(
        f"{name} is not a square table of numbers; give one row per true and one column per "
        "predicted class, such as [[70, 30], [20, 80]]"
    )


def has_names(counts: Any) -> bool:
    """Tell whether it is a frame of pandas, whose rows have names as its columns have."""
    return type(counts).__module__.partition(".")[0] == "pandas" and hasattr(counts, "columns")


def is_crosstab(data: Any) -> bool:
    """Tell whether data is a frame whose rows and columns are called after the same classes."""
    if not has_names(data) or len(data.columns) < 2:
        return False
    rows, columns = list(data.index), list(data.columns)
    texts = all(isinstance(name, str) for name in rows)
    return set(rows) == set(columns) or (texts and same_names(rows, columns))


# -- tables --------------------------------------------------------------------------------------


def counted_table(
    table: Table,
    named: Mapping[str, Any],
    subgroups: Sequence[str] = (),
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Missing = "error",
    rows_are: Side | None = None,
    **_: Any,
) -> CountedRows | None:
    """Return what a table of matrices holds, or None where it holds rows.

    It is one matrix where the first column names the classes that the other columns are called
    after, and a matrix a line where columns are called TP, FN, FP and TN.
    """
    given = {role: name for role, name in named.items() if name}
    folded = {c: re.sub("[^a-z]", "", c.lower()).removesuffix("s") for c in table.columns}
    four = [
        [c for c in folded if folded[c] in (short, "".join(words))] for short, words in FOUR.items()
    ]
    if not given and all(four):
        for several in (c for c in four if len(c) > 1):
            raise InputError(
                f"{table.name} has the columns {listed(several)}, which could all be the same one "
                "of the four counts; keep one"
            )
        columns = [c for (c,) in four]
        return _lines(table, columns, subgroups, missing, labels=labels, positive=positive)
    if subgroups or not set(given) <= {"truth", "pred"} or len(table.columns) < 3:
        return None
    return _square(table, given, labels, positive, rows_are)


def _square(
    table: Table,
    given: Mapping[str, Any],
    labels: Sequence[Label] | None,
    positive: Label | None,
    rows_are: Side | None,
) -> CountedRows | None:
    """Return the matrix that a table is, or None."""
    in_memory = isinstance(table, FileTable) or (isinstance(table, FrameTable) and not table.lazy)
    most = len(table.columns)
    lines = first_rows(table, most + 1) if in_memory else ()
    if not 0 < len(lines) <= most:
        return None
    values = dict(zip(table.columns, zip(*lines, strict=True), strict=True))
    others = {c: [o for o in table.columns if o != c] for c in table.columns}
    corners = [c for c in table.columns if same_names([str(v) for v in values[c]], others[c])]
    corner = corners[0] if corners else table.columns[0]
    rows = _row_names(table, corner)
    alone = all(name in (corner, [corner]) for name in given.values())
    if not alone or not same_names(rows, others[corner]):
        return None
    columns = others[corner]
    chunk = joined(list(table.chunks([], columns)))
    counts = np.stack([chunk.numbers[c] for c in columns], 1)
    if _are_scores(columns, counts):
        return None
    for i, j in np.argwhere(np.isnan(counts)).tolist():
        if not is_total(rows[i]) and not is_total(columns[j]):
            raise InputError(
                f"{table.name} has no count in row {rows[i]!r}, column {columns[j]!r}; write 0 "
                "there"
            )
    if given:
        rows_are = "prediction" if "pred" in given else "truth"
    named, called = (labels_of(n.strip() for n in side) for side in (rows, columns))
    axes = ("", "") if re.fullmatch(r"column\d+|Unnamed: 0|", corner) else axes_of(corner)
    square = Square(np.nan_to_num(counts), named, called, axes)
    remedy = turning("...")
    return from_finished(
        square, table.name, remedy, labels=labels, positive=positive, rows_are=rows_are
    )


def _are_scores(columns: Sequence[str], counts: Any) -> bool:
    """Tell whether columns are called scores, as p_yes is, and hold fractions."""
    says = [meaning(c) for c in columns]
    fractions = (counts != np.trunc(counts)) & np.isfinite(counts)
    return all(s is not None and s.role == "score" for s in says) and bool(fractions.any())


def _row_names(table: Table, corner: str) -> list[str]:
    """Return the values of a column as texts; none if they cannot be class names."""
    try:
        names = joined(list(table.chunks([corner], [], subgroups=[corner]))).labels[corner]
    except InputError:  # then this is a table of rows, and the message is about those
        return []
    return [str(names.labels[c]) if c >= 0 else "" for c in names.codes.tolist()]


def turning(path: str) -> str:
    """Return the call that reads the rows of a matrix as the predicted classes."""
    return f"tm.matrix({path}, rows_are='prediction')"


def _lines(
    table: Table, four: Sequence[str], subgroups: Sequence[str], missing: Missing,
    labels: Sequence[Label] | None, positive: Label | None,
) -> CountedRows:  # fmt: skip
    """Return the studies, or the models on the same rows, whose four counts are in a line each."""
    beside = [c for c in table.columns if c not in four]
    if labels is not None and len(labels) != 2:
        raise InputError(
            f"classes names {len(labels)} classes, and {listed(four)} are counts of two; name two"
        )
    if taken := [c for c in subgroups if c in four]:
        raise InputError(
            f"{taken[0]!r} holds counts and cannot name subgroups; name another column"
        )
    names, role = (list(subgroups), "subgroup") if subgroups else _whose(beside, table.name)
    must_have(table.columns, names, table.name)
    chunk = joined(list(table.chunks(names, four, subgroups=names)))
    keep = keep_complete({c: chunk.numbers[c] for c in four}, missing, chunk.first_row)
    kept = chunk if keep is None else chunk.kept(keep)
    tp, fn, fp, tn = (as_counts(kept.numbers[c], c) for c in four)
    values = [[[*of.labels, None][c] for c in of.codes] for of in (kept.labels[n] for n in names)]
    keys: list[Key] = list(zip(*(values or [list(range(1, kept.rows + 1))]), strict=True))
    if not keys or not (tp + fn + fp + tn).any():
        raise InputError(f"{table.name} holds no row to count; give at least one")
    alike = len(keys) > 1 and len(set((tp + fn).tolist())) == len(set((fp + tn).tolist())) == 1
    if not subgroups:
        _refuse_doubtful(keys, names, alike and role == "subgroup", table.name)
    if labels is None and positive is None:
        positive = "positive"
    classes, positive = settle_classes(tuple(labels or ("negative", "positive")), positive)
    assert positive is not None
    negative = next(c for c in classes if c != positive)
    order = [(negative, positive).index(c) for c in classes]
    matrices = Counts(tp, fp, fn, tn).matrix()[:, order][:, :, order]
    used, how = {*four, *names}, "a model a line" if role == "pred" else "a study a line"
    roles: dict[str, str | tuple[str, ...]] = {"count": tuple(four)}
    roles |= {role: names[0] if len(names) == 1 else tuple(names)} if names else {}
    source = Source(
        table.name, table.kind, roles, why={} if subgroups or not names else {role: "its name"},
        ignored=tuple(c for c in table.columns if c not in used), format=(how,),
    )  # fmt: skip
    if role == "pred" or len(keys) < 2:
        each = {str(key[0]): LabelTally(classes, m) for key, m in zip(keys, matrices, strict=True)}
        return from_tallies(each, source, positive=positive)
    rows = matrices.sum((1, 2)).astype(np.intp)
    of = SubgroupCounts(tuple(names or ("line",)), tuple(keys), rows, classes,
                        (SubgroupModel("model", matrices),))  # fmt: skip
    found = combined([of], of.columns)
    source = replace(source, checks={"studies": len(found)})
    made = from_tallies(
        {"model": LabelTally(classes, matrices.sum(0))}, source, positive=positive, subgroups=found
    )
    return replace(made, dropped=chunk.rows - kept.rows)


def _whose(beside: Sequence[str], table: str) -> tuple[list[str], str]:
    """Return which column says whose counts a line holds, and its role."""
    words = {c: {w.removesuffix("s") for w in re.findall("[a-z]+", c.lower())} for c in beside}
    cuts, models, studies = (
        [c for c in beside if words[c] & set(known)] for known in (CUTS, MODELS, STUDIES)
    )
    if cuts:
        raise InputError(
            f"{table} holds counts at each {cuts[0]!r}, all of the same rows; keep one line and "
            f"leave {cuts[0]!r} out, or give the scores"
        )
    found = models or studies or (list(beside) if len(beside) == 1 else [])
    if len(found) > 1 or (models and studies) or (beside and not found):
        among = [*models, *(c for c in studies if c not in models)] or list(beside)
        raise InputError(
            f"several columns of {table} could name what each line counts: {listed(among)}; say "
            f"which names the studies with subgroup={among[0]!r}, or leave the others out"
        )
    return found, "pred" if models else "subgroup"


def _refuse_doubtful(
    keys: Sequence[tuple[Any, ...]], names: Sequence[str], alike: bool, table: str
) -> None:
    """Refuse lines of one name, and lines that may be models on the same rows."""
    twice = next((k for i, k in enumerate(keys) if k in keys[:i]), None)
    if twice is not None:
        raise InputError(
            f"{names[0]!r} of {table} is {twice[0]!r} in several lines; name with subgroup=... the "
            "columns that distinguish them, or only that one to add them up"
        )
    if alike:
        column = f"subgroup={names[0]!r}" if names else "subgroup=... with a column of names"
        raise InputError(
            f"all lines of {table} have the same number of positives and of negatives; if they are "
            "models on the same rows, name the column of their names 'model', and if they are "
            f"studies say {column}"
        )
