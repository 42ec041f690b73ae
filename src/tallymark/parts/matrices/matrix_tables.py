"""Tables of counts: a confusion matrix, or four counts a line, of a study or a model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tallymark import Counts, InputError, LabelTally
from tallymark.core import (
    CountedRows,
    Key,
    Label,
    Missing,
    Request,
    Source,
    SubgroupCounts,
    SubgroupModel,
    Table,
    all_rows,
    as_counts,
    combined,
    from_tallies,
    keep_complete,
    listed,
    meaning,
    must_have,
    read_whole,
    refuse_beyond_percent,
    settle_classes,
)
from tallymark.parts.matrices.squares import (
    FOUR,
    Side,
    Square,
    axes_of,
    from_square,
    is_total,
    labels_of,
    same_names,
    turning,
)

STUDIES = (
    "study",
    "site",
    "author",
    "authors",
    "trial",
    "centre",
    "center",
    "hospital",
    "paper",
    "reference",
    "name",
    "dataset",
    "cohort",
)
MODELS = ("model", "classifier", "algorithm", "method", "system", "predictor", "learner")
CUTS = ("threshold", "cutoff", "cut")
"""Names of columns that identify the counts of a line: study, model or threshold."""


def counted(request: Request) -> CountedRows | None:
    """Return the counts of a table of matrices, or None for a table of rows."""
    if request.fold is not None:
        return None
    rows_counted = counted_table(request.table, request.named, request.subgroups, **request.options)
    if rows_counted is not None and request.options["percent"]:
        refuse_beyond_percent((), ())
    return rows_counted


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
    """Return the counts of a table of matrices, or None for a table of rows.

    It is one matrix if the first column names the same classes as the other columns, and a matrix
    a line if columns are named TP, FN, FP and TN.
    """
    roles = {role: name for role, name in named.items() if name}
    folded = {c: re.sub("[^a-z]", "", c.lower()).removesuffix("s") for c in table.columns}
    four = [
        [c for c in folded if folded[c] in (short, "".join(words))] for short, words in FOUR.items()
    ]
    if not roles and all(four):
        for several in (c for c in four if len(c) > 1):
            raise InputError(
                f"{table.name} has the columns {listed(several)}, which could all be the same one "
                "of the four counts; keep one"
            )
        columns = [c for (c,) in four]
        return _lines(table, columns, subgroups, missing, labels=labels, positive=positive)
    if subgroups or not set(roles) <= {"truth", "pred"} or len(table.columns) < 3:
        return None
    return _square(table, roles, labels, positive, rows_are)


def _square(
    table: Table,
    roles: Mapping[str, Any],
    labels: Sequence[Label] | None,
    positive: Label | None,
    rows_are: Side | None,
) -> CountedRows | None:
    """Return the matrix that a table is, or None."""
    lines = all_rows(table, len(table.columns))
    if not lines:
        return None
    values = dict(zip(table.columns, zip(*lines, strict=True), strict=True))
    others = {c: [o for o in table.columns if o != c] for c in table.columns}
    corners = [c for c in table.columns if same_names([str(v) for v in values[c]], others[c])]
    corner = corners[0] if corners else table.columns[0]
    rows = _row_names(table, corner)
    alone = all(name in (corner, [corner]) for name in roles.values())
    if not alone or not same_names(rows, others[corner]):
        return None
    columns = others[corner]
    chunk = read_whole(table, [], columns)
    counts = np.stack([chunk.numbers[c] for c in columns], 1)
    if _are_scores(columns, counts):
        return None
    for i, j in np.argwhere(np.isnan(counts)).tolist():
        if not is_total(rows[i]) and not is_total(columns[j]):
            raise InputError(
                f"{table.name} has no count in row {rows[i]!r}, column {columns[j]!r}; write 0 "
                "there"
            )
    if roles:
        rows_are = "prediction" if "pred" in roles else "truth"
    row_labels, column_labels = (labels_of(n.strip() for n in side) for side in (rows, columns))
    axes = ("", "") if re.fullmatch(r"column\d+|Unnamed: 0|", corner) else axes_of(corner)
    square = Square(np.nan_to_num(counts), row_labels, column_labels, axes)
    return from_square(
        square, table.name, turning("..."), labels=labels, positive=positive, rows_are=rows_are
    )


def _are_scores(columns: Sequence[str], counts: Any) -> bool:
    """Tell whether columns are named like scores, such as p_yes, and contain fractions."""
    says = [meaning(c) for c in columns]
    fractions = (counts != np.trunc(counts)) & np.isfinite(counts)
    return all(s is not None and s.role == "score" for s in says) and bool(fractions.any())


def _row_names(table: Table, corner: str) -> list[str]:
    """Return the values of a column as texts; none if they cannot be class names."""
    try:
        names = read_whole(table, [corner], [], subgroups=[corner]).labels[corner]
    except InputError:  # then this is a table of rows, and the message is about those
        return []
    return [str(names.labels[c]) if c >= 0 else "" for c in names.codes.tolist()]


def _lines(
    table: Table,
    four: Sequence[str],
    subgroups: Sequence[str],
    missing: Missing,
    labels: Sequence[Label] | None,
    positive: Label | None,
) -> CountedRows:
    """Return studies, or models on the same rows, with four counts a line."""
    beside = [c for c in table.columns if c not in four]
    if labels is not None and len(labels) != 2:
        raise InputError(
            f"classes names {len(labels)} classes, and {listed(four)} are counts of two; name two"
        )
    if overlap := [c for c in subgroups if c in four]:
        raise InputError(
            f"{overlap[0]!r} holds counts and cannot name subgroups; name another column"
        )
    names, role = (list(subgroups), "subgroup") if subgroups else _whose(beside, table.name)
    must_have(table.columns, names, table.name)
    chunk = read_whole(table, names, four, subgroups=names)
    keep = keep_complete({c: chunk.numbers[c] for c in four}, missing, chunk.first_row)
    rows_kept = chunk if keep is None else chunk.kept(keep)
    tp, fn, fp, tn = (as_counts(rows_kept.numbers[c], c) for c in four)
    values = [
        [[*of.labels, None][c] for c in of.codes] for of in (rows_kept.labels[n] for n in names)
    ]
    keys: list[Key] = list(zip(*(values or [list(range(1, rows_kept.rows + 1))]), strict=True))
    if not keys or not (tp + fn + fp + tn).any():
        raise InputError(f"there is no row to count in {table.name}; give at least one")
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
        table.name,
        table.kind,
        roles,
        _why={} if subgroups or not names else {role: "its name"},
        _ignored=tuple(c for c in table.columns if c not in used),
        format=(how,),
    )
    if role == "pred" or len(keys) < 2:
        each = {str(key[0]): LabelTally(classes, m) for key, m in zip(keys, matrices, strict=True)}
        return from_tallies(each, source, positive=positive)
    rows = matrices.sum((1, 2)).astype(np.intp)
    of = SubgroupCounts(
        tuple(names or ("line",)), tuple(keys), rows, classes, (SubgroupModel("model", matrices),)
    )
    studies = combined([of], of.columns)
    source = replace(source, checks={"studies": len(studies)})
    rows_counted = from_tallies(
        {"model": LabelTally(classes, matrices.sum(0))},
        source,
        positive=positive,
        subgroups=studies,
    )
    return replace(rows_counted, dropped=chunk.rows - rows_kept.rows)


def _whose(beside: Sequence[str], table: str) -> tuple[list[str], str]:
    """Return the columns that identify the counts of a line, and their role."""
    words = {c: {w.removesuffix("s") for w in re.findall("[a-z]+", c.lower())} for c in beside}
    cuts, models, studies = (
        [c for c in beside if words[c] & set(known)] for known in (CUTS, MODELS, STUDIES)
    )
    if cuts:
        raise InputError(
            f"{table} holds counts at each {cuts[0]!r}, all of the same rows; keep one line and "
            f"leave {cuts[0]!r} out, or give the scores"
        )
    naming = models or studies or (list(beside) if len(beside) == 1 else [])
    if len(naming) > 1 or (models and studies) or (beside and not naming):
        among = [*models, *(c for c in studies if c not in models)] or list(beside)
        raise InputError(
            f"several columns of {table} could name what each line counts: {listed(among)}; say "
            f"which names the studies with subgroup={among[0]!r}, or leave the others out"
        )
    return naming, "pred" if models else "subgroup"


def _refuse_doubtful(
    keys: Sequence[tuple[Any, ...]], names: Sequence[str], alike: bool, table: str
) -> None:
    """Refuse lines with the same name, and lines that may be models on the same rows."""
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
