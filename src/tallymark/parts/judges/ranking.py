"""Compare models by a judge's verdicts on all answers and labels of a few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from tallymark import InputError
from tallymark.core import (
    ANY,
    TEXT,
    TEXTS,
    Label,
    checked,
    code_names,
    find_positive,
    listed,
    many,
    names_of,
    one_of,
)
from tallymark.parts.judges import findings
from tallymark.parts.judges.board import BoardRows, JudgedBoard, judged_board
from tallymark.parts.judges.joined_labels import (
    ITEM,
    MODEL,
    OF_LOGS,
    Source,
    from_logs,
    from_tables,
    with_labels,
)
from tallymark.parts.judges.rates import unit_codes
from tallymark.parts.judges.rows import Columns, Read, read
from tallymark.parts.judges.strata import Codes


@checked(
    data=ANY,
    truth=TEXT | TEXTS,
    judge=TEXT | TEXTS,
    model=TEXT,
    item=TEXT,
    cluster=TEXT,
    sampled_by=one_of("judge"),
    labels=ANY,
    scorer=TEXT,
)
def judged_evals(
    data: Any,
    *,
    truth: str | Sequence[str] | None = None,
    judge: str | Sequence[str] | None = None,
    model: str | None = None,
    item: str | None = None,
    cluster: str | None = None,
    positive: Label | None = None,
    classes: Sequence[Label] | None = None,
    weight: str | None = None,
    sampled_by: Literal["judge"] | None = None,
    labels: Any = None,
    scorer: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    header: bool | None = None,
    sheet: str | None = None,
) -> JudgedBoard:
    """Rank models by a judge's pass rates, corrected by human labels of a few answers.

    The rate of a model is P = Σ_s (N_s / n) · (M_s / m_s): of its n answers, N_s have the judge's
    value s, m_s of them have a label, and M_s of these pass. Models are compared on the same items:
    their verdicts and their labels on one item go together, so a difference is surer than the
    intervals of two rates say.

    Parameters
    ----------
    data : frame, path, several paths, or {name: array}
        A row for each answer, with the columns below; or a row for each item, with a column of the
        judge and one of labels for each model. Of several files without a column of models, each
        is a model. Logs of evaluations, or folders of them, need no columns: the judge is their
        scorer.
    truth : str or sequence of str
        Column of the label of people, which is missing in most rows; with ``labels`` one of
        theirs. Of several models side by side, a column for each.
    judge : str or sequence of str
        Column of the judge's value, in every row. Of several models side by side, a column for
        each, which names the model.
    model : str, optional
        Column of the model; ``model`` unless given.
    item : str, optional
        Column that names the item, which is the same for all models; ``item`` unless given. Items
        of several values of a column ``task`` differ.
    cluster : str, optional
        Column that says which items belong together, such as those about one text.
    positive : label, optional
        The class that the rate counts, such as "pass".
    classes : sequence of labels, optional
        The classes; by default those of labels and judge.
    weight : str, optional
        Column with the weight of each labelled row, the inverse of the probability with which it
        was chosen.
    sampled_by : {"judge"}, optional
        Whether the judge's value decided which rows were labelled. None means at random among the
        rows of a model.
    labels : frame, path or {name: array}, optional
        A table of the labels, with the item of each. They are joined by item, and by model, task
        and epoch where both have them.
    scorer : str, optional
        Of logs with several scorers, the one that is the judge.
    level, seed, header, sheet
        As in :func:`tallymark.few_labels`.

    Returns
    -------
    JudgedBoard
        The rate of each model with the ranks that it may have, and the difference of each pair. The
        variance of a difference sums the squared contribution of each item (or cluster): of the
        judge's values, and of the labels within each of its values, with one more label placed by
        chance. Its interval is that of a beta posterior, in clusters Student's t, and p is one
        minus the level of the interval that ends at 0. A difference is proved if p by Holm's method
        over all pairs is below 1 - level. A rate has the interval of :func:`tallymark.few_labels`,
        unless there are clusters or several answers to an item.

    Raises
    ------
    InputError
        No model with 10 labelled rows; a judge that equals all of 100 or more labels; no item that
        the judge saw of all models; labels that match no row, or of which two are for one row.

    Notes
    -----
    Sources: angelopoulos2023, holm1979, neyman1934.

    Examples
    --------
    >>> import tallymark as tm
    >>> rows = {"item": [*range(200)] * 2, "model": ["crow"] * 200 + ["wren"] * 200,
    ...         "gpt": [1, 1, 1, 1, 0] * 40 + [1, 0] * 100}
    >>> right = [v if i % 9 else 1 - v for i, v in enumerate(rows["gpt"])]
    >>> rows["human"] = [v if i % 200 < 80 else None for i, v in enumerate(right)]
    >>> board = tm.judged_evals(rows, truth="human", judge="gpt")
    >>> print(board.verdict)
    crow beats wren.

    """
    judges, truths = names_of(judge), names_of(truth)
    if not judges:
        source = from_logs(data, scorer)
        if source is None:
            raise InputError(
                "judge is not given; name its column with judge=..., or give logs of evaluations"
            )
        judges = [OF_LOGS]
    else:
        if scorer is not None:
            raise InputError("scorer is for logs, and judge names a column; leave scorer=... out")
        names = [n for n in (item, model, cluster) if n is not None]
        of_rows = [*judges, *(truths if labels is None else [])]
        weights = [] if weight is None else [weight]
        source = from_tables(data, of_rows, weights, names, header=header, sheet=sheet)
    judged_by = scorer or ("judge" if len(judges) > 1 else judges[0])
    if len(judges) > 1:
        if model is not None:
            raise InputError(
                "model is for rows of one answer each, and there are several columns of the "
                "judge, which are models; leave model=... out"
            )
        source = _end_to_end(source, judges, truths, item, labels is None)
        truths, judges = truths if labels is not None else ["truth"], ["judge"]
    if len(truths) > 1:
        raise InputError(
            f"truth names {many(len(truths), 'column')} and judge one; give one of each for every "
            "model, in the same order"
        )
    item, model = item or ITEM, model or MODEL
    for role, column in (("item", item), ("model", model)):
        if column not in source.arrays:
            raise InputError(
                f"{source.name} has no column {column!r}; name that of the {role} with {role}=..."
            )
    if labels is not None:
        source, of_labels = with_labels(source, labels, next(iter(truths), None), item, model)
        truths = [of_labels]
    if not truths:
        raise InputError(
            "truth is not given; name the column of labels with truth=..., or give a table of them "
            "with labels=..."
        )
    columns = Columns(truths[0], judges[0], (), (), weight, None, None, None, ())
    rows = read(
        source.table,
        columns,
        positive=positive,
        classes=classes,
        threshold=None,
        header=None,
        sheet=None,
    )
    dropped = [findings.INCOMPLETE.finding(rows=rows.dropped)] if rows.dropped else []
    return judged_board(
        _board_rows(rows, source, item, model, cluster),
        positive=_positive(rows, positive),
        sampled_by=sampled_by,
        level=level,
        seed=seed,
        source=source.name,
        judged_by=judged_by,
        read_as=source.how,
        notes=(*source.notes, *dropped),
    )


def _end_to_end(
    source: Source, judges: Sequence[str], truths: Sequence[str], item: str | None, labelled: bool
) -> Source:
    """Return a row for each answer of a table with a row for each item."""
    if labelled and len(truths) != len(judges):
        raise InputError(
            f"there are {many(len(judges), 'column')} of the judge and {len(truths)} of labels; "
            "give one of each for every model, in the same order"
        )
    arrays = source.arrays
    rows, models = len(arrays[judges[0]]), len(judges)
    sides = {*judges, *truths}
    out = {name: np.tile(column, models) for name, column in arrays.items() if name not in sides}
    for role, names in (("judge", judges), ("truth", truths)):
        if role == "judge" or labelled:
            out[role] = np.concatenate([arrays[name] for name in names])
    out[MODEL] = np.repeat(np.array(judges, dtype=object), rows)
    if (item or ITEM) not in out:
        out[ITEM] = np.tile(np.arange(1, rows + 1), models)
    return Source(out, source.name, source.how, source.notes)


def _board_rows(
    rows: Read, source: Source, item: str, model: str, cluster: str | None
) -> BoardRows:
    """Return the rows that the judge saw, with their items, models and clusters."""
    kept = rows.numbers - 1

    def coded(column: str) -> tuple[Codes, Any]:
        found = code_names(source.arrays[column], column)
        return np.asarray(found.codes[kept], dtype=np.intp), found.labels

    items, names = coded(item)
    named = items
    if "task" in source.arrays and "task" not in (item, model, cluster):
        task, _ = coded("task")
        items = task * len(names) + items
    items, _ = unit_codes(items)
    models, of_models = coded(model)
    clusters = None
    if cluster is not None:
        clusters, of_clusters = coded(cluster)
        one = np.zeros(int(items.max(initial=-1)) + 1, dtype=np.intp)
        one[items] = clusters
        if (other := one[items] != clusters).any():
            row = int(np.argmax(other))
            name, both = names[named[row]], (clusters[row], one[items[row]])
            first, second = (of_clusters[i] for i in both)
            raise InputError(
                f"the item {name!r} is in the clusters {first!r} and {second!r}; each item has one"
            )
    return BoardRows(
        rows.labels,
        rows.classes,
        rows.codes,
        rows.weights,
        items,
        models,
        tuple(map(str, of_models)),
        clusters,
    )


def _positive(rows: Read, positive: Label | None) -> Label:
    """Return the class that the rate counts."""
    classes = rows.labels[: rows.classes]
    if len(classes) == 2:
        return find_positive(classes, rows.positive)
    if positive is None:
        raise InputError(
            f"there are {len(classes)} classes, {listed(classes)}; say which one the rate counts "
            "with positive=..."
        )
    return rows.positive  # type: ignore[return-value]
