"""Judge models by few true classes and a judge on every row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

from tallymark import InputError
from tallymark.core import ANY, TEXT, TEXTS, Finding, Label, checked, one_of, use_called
from tallymark.parts.judges import findings
from tallymark.parts.judges.case import Case
from tallymark.parts.judges.cautions import FEWEST, SUSPICIOUS, near_one, notes_of, rare, refuse
from tallymark.parts.judges.dependence import dependence
from tallymark.parts.judges.estimate import positive_of
from tallymark.parts.judges.joined_labels import ITEM, from_tables, paths_of, with_labels
from tallymark.parts.judges.results import FewLabels
from tallymark.parts.judges.rows import Columns, Read, read
from tallymark.parts.judges.tally import JudgedTally

TWO_CLASSES = (
    "accuracy",
    "precision",
    "sensitivity",
    "specificity",
    "f1",
    "matthews_corrcoef",
)
MORE_CLASSES = ("accuracy", "balanced_accuracy", "f1", "matthews_corrcoef")

OF_SCORES_SHOWN = ("roc_auc", "average_precision", "brier")

SampledBy = Literal["judge", "pred", "both"]


@checked(
    data=ANY,
    judge=TEXT,
    sampled_by=one_of("judge", "pred", "both"),
    subgroup=TEXT,
    order=TEXT,
    length=TEXT,
    inputs=TEXTS,
    labels=ANY,
    item=TEXT,
)
def few_labels(
    data: Any,
    *,
    truth: str | None = None,
    judge: str | None = None,
    pred: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    threshold: float | None = None,
    positive: Label | None = None,
    classes: Sequence[Label] | None = None,
    weight: str | None = None,
    sampled_by: SampledBy | None = None,
    subgroup: str | None = None,
    order: str | None = None,
    length: str | None = None,
    inputs: str | Sequence[str] = (),
    labels: Any = None,
    item: str | None = None,
    metrics: str | Sequence[str] | None = None,
    use: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    header: bool | None = None,
    sheet: str | None = None,
) -> FewLabels:
    """Judge models by true classes of few rows and a judge on all rows.

    The judge may be a language model, a second model or a cheap test. It need not be right: the
    labelled rows show how often each class is true for every pair of prediction and judge's value,
    and all rows show how frequent the pair is: P[y, h] = Σ_s (N_s / n) · (M_s[y, h] / m_s),
    with N of n rows and m labelled ones, of which M have true class y and prediction h, in stratum
    s. Any metric of predicted classes is computed from these shares. Metrics of scores, such as the
    ROC area, are those of the labelled rows, each with the weight N_s / m_s of its stratum s.

    Parameters
    ----------
    data : frame, path, several paths, {name: array} or JudgedTally
        Rows with the columns below; those of several files are judged together. A tally needs no
        columns.
    truth : str
        Column of the true class, which is missing in most rows; with ``labels`` one of theirs.
    judge : str
        Column of the judge's value, in every row.
    pred : str or sequence of str, optional
        Columns of predicted classes, of one model each. Without them and scores the result is the
        share of each class, such as a pass rate.
    score : str or sequence of str, optional
        Columns of the score of the positive one of two classes, one for each model, in the order of
        ``pred``.
    threshold : float, optional
        From which score on a row is predicted positive, if ``pred`` is not given: 0.5 unless given.
    positive : label, optional
        The positive one of two classes.
    classes : sequence of labels, optional
        The classes; by default the true and predicted ones, and without predictions also the
        judge's. Other values of the judge, such as "unsure", may stand beside them.
    weight : str, optional
        Column with the weight of each labelled row, the inverse of the probability with which it
        was chosen. Weights of other rows are not read.
    sampled_by : {"judge", "pred", "both"}, optional
        What decided which rows were labelled; within it they were chosen at random. None means at
        random among all rows.
    subgroup : str, optional
        Column whose values define subgroups; each is judged by its own rows.
    order : str, optional
        Column with two values, such as which of two answers the judge saw first: whether its
        errors depend on it.
    length : str, optional
        Column with the length of what was judged: whether the judge's errors differ between rows
        above and up to the median.
    inputs : str or sequence of str, optional
        Columns that the model reads. A judge among them is refused.
    labels : frame, path or {name: array}, optional
        A table of the true classes, with the item of each. They are joined by item, and by model,
        task and epoch where both have them.
    item : str, optional
        With ``labels``, the column of both that names the item; ``item`` unless given.
    metrics : str or sequence of str, optional
        The metrics; by default those of the use.
    use : str, optional
        As in :func:`tallymark.evaluate`.
    level, seed, header, sheet
        As in :func:`tallymark.evaluate`.

    Returns
    -------
    FewLabels
        Each metric from labels and judge with its interval, from labels alone, and with the judge
        taken for the truth. Intervals are for the population that the rows come from, and hold the
        percentiles of 2,000 draws from the posterior: Dirichlet(N) of the pairs, and within each
        stratum Dirichlet(M + a), where a pair has (2 / K) √(N_hj / N_h) prior rows, half of them of
        the predicted class. A pair with fewer than 5 labelled rows is merged with others of its
        prediction, then with any, but never one where prediction and judge agree with one where
        they differ. If fewer than 5 labelled rows show prediction and judge to differ, the interval
        covers that of labels alone too.

        Strata of scores are the judge's values in each quarter of the score; neighbours with fewer
        than 5 labelled rows merge. The variance is the delete-one jackknife's within strata plus
        [Σ p g² - (Σ p g)²] / n, with g the metric's derivative by the share p of a stratum. Metrics
        of a bounded range have a beta posterior with one more row placed by chance, the others
        Student's t corrected for skewness.

    Raises
    ------
    InputError
        Fewer than 10 labelled rows, or of scores fewer than 2 of a class; a judge that equals the
        true class in all of 100 or more of them, or the prediction in all of 100 or more rows; a
        judge that the model reads; a column that is missing, or whose values are of another type;
        labels that match no row, or of which two are for one row.

    Notes
    -----
    Sources: tenenbein1970, angelopoulos2023, neyman1934, rubin1981.

    Examples
    --------
    >>> import tallymark as tm
    >>> people = ["good", "bad", "good", "bad", "good", "good"] * 10 + [None] * 540
    >>> gpt = ["good", "bad", "good", "good", "good", "bad"] * 100
    >>> judged = tm.few_labels({"people": people, "gpt": gpt}, truth="people", judge="gpt",
    ...                        positive="good")
    >>> print(judged.shares[1].value)
    0.67 (95 % CI 0.55 to 0.77)

    """
    options: dict[str, Any] = {"sampled_by": sampled_by, "metrics": metrics, "use": use}
    options |= {"level": level, "seed": seed}
    if isinstance(data, JudgedTally):
        named = {
            "truth": truth,
            "judge": judge,
            "pred": pred,
            "score": score,
            "threshold": threshold,
            "weight": weight,
            "classes": classes,
            "subgroup": subgroup,
            "order": order,
            "length": length,
            "inputs": inputs or None,
            "labels": labels,
            "item": item,
            "header": header,
            "sheet": sheet,
        }
        for name, value in named.items():
            if value is not None:
                raise InputError(f"{name} is for rows, and these are counted; leave it out")
        return _result(data, positive=positive, source="a tally", judged_by="judge", **options)
    required = {"judge": judge} if labels is not None else {"truth": truth, "judge": judge}
    for name, value in required.items():
        if value is None:
            raise InputError(f"{name} is not given; name its column with {name}=...")
    assert judge is not None
    if item is not None and labels is None:
        raise InputError("item is for a table of labels; give labels=..., or leave it out")
    read_as: tuple[str, ...] = ()
    joined: tuple[Finding, ...] = ()
    if labels is not None or len(paths_of(data) or ()) > 1:
        of_rows = [judge, truth if labels is None else None, *_names(pred), subgroup, order]
        source = from_tables(
            data,
            _present(*of_rows, *_names(inputs)),
            _present(*_names(score), weight, length),
            _present(item),
            header=header,
            sheet=sheet,
        )
        if labels is not None:
            source, truth = with_labels(source, labels, truth, item or ITEM)
        data, header, sheet = source.table, None, None
        read_as, joined = source.how, source.notes
    assert truth is not None
    columns = Columns(
        truth, judge, _names(pred), _names(score), weight, subgroup, order, length, _names(inputs)
    )
    rows = read(
        data,
        columns,
        positive=positive,
        classes=classes,
        threshold=threshold,
        header=header,
        sheet=sheet,
    )
    options |= {"positive": rows.positive, "source": rows.source, "judged_by": judge}
    parts, left_out = {}, []
    for value, mask in () if subgroup is None else rows.groups(subgroup):
        part = rows.tally(mask)
        if part.labelled < FEWEST:
            left_out.append((value, part.labelled))
        else:
            parts[f"{subgroup} = {value}"] = _result(part, **options)
    result = _result(rows.tally(), rows=rows, subgroups=parts, left_out=left_out, **options)
    return replace(result, read_as=read_as, notes=(*joined, *result.notes))


def _present(*names: str | None) -> list[str]:
    return [name for name in names if name is not None]


def _names(given: str | Sequence[str] | None) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given or ())


def _result(
    tally: JudgedTally,
    *,
    positive: Label | None,
    sampled_by: str | None,
    metrics: str | Sequence[str] | None,
    use: str | None,
    level: float,
    seed: int,
    source: str,
    judged_by: str,
    rows: Read | None = None,
    subgroups: Mapping[str, FewLabels] | None = None,
    left_out: Sequence[tuple[str, int]] = (),
) -> FewLabels:
    """Return everything that a tally says."""
    refuse(tally, judged_by)
    if not tally.models and sampled_by in ("pred", "both"):
        raise InputError(
            f"sampled_by is {sampled_by!r}, and there are no predictions; say sampled_by='judge', "
            "or name their column with pred=..."
        )
    case = Case(tally, positive_of(tally, positive), sampled_by, level, seed)
    names = _metrics(metrics, use, case)
    judged = [case.metric(model, name) for model in tally.models for name in names]
    errors, untested = ([], []) if rows is None else dependence(case, rows)
    notes = [*notes_of(case, 0 if rows is None else rows.dropped), *near_one(case, judged)]
    notes += [
        findings.UNLABELLED_GROUP.finding(
            column=column, values=" or ".join(values[:3]), named=repr(column)
        )
        for column, values in (() if rows is None or subgroups else rows.unlabelled(SUSPICIOUS))
    ]
    notes += [
        findings.FEW_LABELLED.worded(
            "the subgroup {name} has {labelled} labelled rows, fewer than 10, and is left out"
        ).finding(name=name, labelled=n)
        for name, n in left_out
    ]
    return FewLabels(
        tally,
        source,
        judged_by,
        tuple(judged),
        tuple(case.shares()),
        tuple(case.of_the_judge()),
        tuple(case.differences(judged)),
        tuple(errors),
        (*notes, *rare(case, judged), *untested),
        case.positive,
        level,
        seed,
        sampled_by,
        subgroups or {},
        _rows=None if rows is None else rows.rows,
    )


def _metrics(metrics: str | Sequence[str] | None, use: str | None, case: Case) -> list[str]:
    """Return the names of the metrics: those given, those of a use, or the usual ones."""
    if metrics is not None:
        return [case.statistic(m).metric.name for m in _names(metrics)]
    two = case.positive is not None
    usual = [*TWO_CLASSES, *OF_SCORES_SHOWN] if two else [*MORE_CLASSES]
    wanted = usual
    if use is not None:
        wanted = [*(use_called(use).headline if two else use_called(use).headline_many)]
    return [n for n in wanted if _can(case, n)] or [n for n in usual if _can(case, n)]


def _can(case: Case, name: str) -> bool:
    """Tell whether a metric can be estimated."""
    try:
        case.statistic(name)
    except InputError:
        return False
    return True
