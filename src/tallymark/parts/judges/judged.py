"""Judge models by few true classes and a judge on every row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from tallymark import Evaluation, InputError, Value
from tallymark.core import (
    ANY,
    TEXT,
    Coded,
    Finding,
    Floats,
    Label,
    checked,
    join_labels,
    listed,
    many,
    must_have,
    one_of,
    open_table,
    p_value,
    read_whole,
    typed,
    use_called,
)
from tallymark.parts.judges import findings
from tallymark.parts.judges.estimate import (
    Estimator,
    estimator,
    labels_only,
    positive_of,
    statistic_of,
)
from tallymark.parts.judges.planning import Rows
from tallymark.parts.judges.results import (
    FewLabels,
    JudgedDifference,
    JudgedMetric,
    JudgedShare,
)
from tallymark.parts.judges.strata import LEAST, Pairs
from tallymark.parts.judges.tally import NO_TRUTH, JudgedTally

FEWEST = 10
"""Labels without which nothing is estimated."""

MANY_EQUAL = 100
"""With so many labels, a judge that is never wrong is likely a copy of them."""

FEW = 30
FEW_ERRORS = 60
NEARLY_ALWAYS = 0.98
SUSPICIOUS = 0.001
"""The p-value below which rows do not seem to be labelled at random."""

TWO_CLASSES = (
    "accuracy",
    "precision",
    "sensitivity",
    "specificity",
    "f1",
    "matthews_corrcoef",
)
MORE_CLASSES = ("accuracy", "balanced_accuracy", "f1", "matthews_corrcoef")

SampledBy = Literal["judge", "pred", "both"]


@checked(
    data=ANY,
    judge=TEXT,
    sampled_by=one_of("judge", "pred", "both"),
    subgroup=TEXT,
)
def few_labels(
    data: Any,
    *,
    truth: str | None = None,
    judge: str | None = None,
    pred: str | Sequence[str] | None = None,
    positive: Label | None = None,
    classes: Sequence[Label] | None = None,
    weight: str | None = None,
    sampled_by: SampledBy | None = None,
    subgroup: str | None = None,
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
    s. Any metric of predicted classes is computed from these shares.

    Parameters
    ----------
    data : frame, path, {name: array} or JudgedTally
        Rows with the columns below. A tally needs none of them.
    truth : str
        Column of the true class, which is missing in most rows.
    judge : str
        Column of the judge's value, in every row.
    pred : str or sequence of str, optional
        Columns of predicted classes, of one model each. Without them the result is the share of
        each class, such as a pass rate.
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

    Raises
    ------
    InputError
        Fewer than 10 labelled rows; a judge that equals the true class in all of 100 or more of
        them; a column that is missing, or whose values are of another type.

    Notes
    -----
    Sources: tenenbein1970, angelopoulos2023, neyman1934.

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
            "weight": weight,
            "classes": classes,
            "subgroup": subgroup,
            "header": header,
            "sheet": sheet,
        }
        for name, value in named.items():
            if value is not None:
                raise InputError(f"{name} is for rows, and these are counted; leave it out")
        return _result(data, positive=positive, source="a tally", judged_by="judge", **options)
    for name, value in (("truth", truth), ("judge", judge)):
        if value is None:
            raise InputError(f"{name} is not given; name its column with {name}=...")
    assert truth is not None
    assert judge is not None
    models = [pred] if isinstance(pred, str) else list(pred or ())
    _refuse_twice({"truth": [truth], "judge": [judge], "pred": models})
    table = open_table(data, header=header, sheet=sheet, labels=classes)
    named_columns = [truth, judge, *models, *filter(None, [weight, subgroup])]
    must_have(table.columns, named_columns, table.name)
    beside = [subgroup] if subgroup else []
    read = [truth, judge, *models, *beside]
    chunk = read_whole(table, read, [weight] if weight else [], subgroups=beside)
    columns = {name: chunk.labels[name] for name in (truth, judge, *models)}
    labels, size, codes = _codes(columns, classes)
    weights = chunk.numbers[weight] if weight else None
    _refuse_weights(weights, weight, codes[:, 0])
    whole = (codes[:, 1:] >= 0).all(1)
    known = codes[whole]
    kept = None if weights is None else weights[whole]
    if positive is not None:
        (positive,) = typed([positive], labels)
    tally = JudgedTally._of_codes(labels, size, models, known, kept)
    source = table.name
    rows = Rows(known, np.flatnonzero(whole) + 1)
    parts = {}
    left_out = []
    if subgroup:
        for value, mask in _masks(chunk.labels[subgroup], whole):
            part = JudgedTally._of_codes(
                labels, size, models, known[mask], None if kept is None else kept[mask]
            )
            if part.labelled < FEWEST:
                left_out.append((value, part.labelled))
                continue
            parts[f"{subgroup} = {value}"] = _result(
                part, positive=positive, source=source, judged_by=judge, **options
            )
    return _result(
        tally,
        positive=positive,
        source=source,
        judged_by=judge,
        dropped=int((~whole).sum()),
        rows=rows,
        subgroups=parts,
        left_out=left_out,
        **options,
    )


# -- rows ----------------------------------------------------------------------------------------


def _refuse_twice(columns: Mapping[str, Sequence[str]]) -> None:
    seen: dict[str, str] = {}
    for role, names in columns.items():
        for name in names:
            if name in seen:
                raise InputError(
                    f"the column {name!r} is {seen[name]} and {role}; name a column of its own for "
                    "each"
                )
            seen[name] = role


def _codes(
    columns: Mapping[str, Coded], classes: Sequence[Label] | None
) -> tuple[tuple[Label, ...], int, Any]:
    """Return the labels, how many of them are classes, and the codes [row, column] of all rows."""
    names = list(columns)
    everything, joined = join_labels(dict(columns))
    codes = np.column_stack(joined)
    judge = names[1]
    occurring = {
        n: {everything[i] for i in np.unique(c) if i >= 0}
        for n, c in zip(names, joined, strict=True)
    }
    if classes is None:
        wanted = set().union(*(occurring[n] for n in names if n != judge))
        if len(names) == 2 or len(wanted) < 2:
            wanted |= occurring[judge]
        order = [label for label in everything if label in wanted]
    else:
        order = list(typed(classes, everything))
        for name in (n for n in names if n != judge):
            for label in sorted(occurring[name] - {*order}, key=str):
                raise InputError(
                    f"{name} holds the label {label!r}, which classes does not list; classes are "
                    f"{listed(order)}"
                )
    if len(order) < 2:
        raise InputError(
            f"there is only the class {listed(order)}; name all classes with classes=[...]"
        )
    beyond = sorted(occurring[judge] - {*order}, key=str)
    labels = (*order, *beyond)
    place = np.array(
        [labels.index(v) if v in labels else NO_TRUTH for v in everything] + [NO_TRUTH]
    )
    return labels, len(order), place[codes]


def _refuse_weights(weights: Floats | None, name: str | None, truth: Any) -> None:
    """Raise InputError unless every labelled row has a weight above 0."""
    if weights is None:
        return
    wrong = (truth != NO_TRUTH) & ~(weights > 0)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = "missing" if math.isnan(weights[at]) else f"{weights[at]:g}"
        raise InputError(
            f"{name} is {what} at row {at + 1}, which has a true class; give the inverse of the "
            "probability with which it was chosen"
        )


def _masks(column: Coded, whole: Any) -> list[tuple[str, Any]]:
    codes = column.codes[whole]
    groups = [(str(label), codes == i) for i, label in enumerate(column.labels)]
    return [*groups, *([("(missing)", codes < 0)] if (codes < 0).any() else [])]


# -- results -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Case:
    """A tally, and how it is judged."""

    tally: JudgedTally
    positive: Label | None
    sampled_by: str | None
    level: float
    seed: int

    @property
    def random(self) -> bool:
        return self.sampled_by is None and not self.tally._weighted

    def of(self, *models: str, of_judge: bool = False) -> Estimator:
        return estimator(
            self.tally,
            models,
            self.positive,
            sampled_by=self.sampled_by,
            level=self.level,
            seed=self.seed,
            of_judge=of_judge,
        )

    def alone(self, column: int) -> Evaluation | None:
        """Return the evaluation of the labelled rows, if they are a random sample."""
        if not self.random:
            return None
        return labels_only(self.tally, column, self.positive, self.level)


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
    dropped: int = 0,
    rows: Rows | None = None,
    subgroups: Mapping[str, FewLabels] | None = None,
    left_out: Sequence[tuple[str, int]] = (),
) -> FewLabels:
    """Return everything that a tally says."""
    _refuse(tally, judged_by)
    if not tally.models and sampled_by in ("pred", "both"):
        raise InputError(
            f"sampled_by is {sampled_by!r}, and there are no predictions; say sampled_by='judge', "
            "or name their column with pred=..."
        )
    case = _Case(tally, positive_of(tally, positive), sampled_by, level, seed)
    names = _metrics(metrics, use, case)
    judged: list[JudgedMetric] = []
    for i, model in enumerate(tally.models):
        judged += _of_model(case, model, i, names)
    of_judge = case.of(*tally.models[:1], of_judge=True)
    alone = case.alone(1) if len(tally.labels) == tally.classes else None
    judge = tuple(
        of_judge.value(n, alone=None if alone is None else alone[n]) for n in _of_the_judge(case)
    )
    notes = [*_notes(case, dropped), *_near_one(case, judged)]
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
        tuple(_shares(case)),
        judge,
        tuple(_differences(case, judged)),
        tuple(notes),
        case.positive,
        level,
        seed,
        sampled_by,
        subgroups or {},
        rows,
    )


def _refuse(tally: JudgedTally, judge: str) -> None:
    if tally.labelled < FEWEST:
        raise InputError(
            f"{many(tally.labelled, 'row has', 'rows have')} a true class; label at least {FEWEST}"
        )
    if tally.labelled >= MANY_EQUAL and _equal(tally):
        raise InputError(
            f"{judge!r} equals the true class in all {tally.labelled:,} labelled rows, so one is "
            "likely a copy of the other; give a judge that has not seen the true classes"
        )


def _equal(tally: JudgedTally) -> bool:
    """Tell whether the judge is right in every labelled row."""
    known = tally._has_truth
    return bool((tally.cells[known, 0] == tally.cells[known, 1]).all())


def _metrics(metrics: str | Sequence[str] | None, use: str | None, case: _Case) -> list[str]:
    """Return the names of the metrics: those given, those of a use, or the usual ones."""
    labels = case.tally._classes
    if metrics is not None:
        given = [metrics] if isinstance(metrics, str) else list(metrics)
        return [statistic_of(m, labels, case.positive).metric.name for m in given]
    two = case.positive is not None
    if use is None:
        return [*(TWO_CLASSES if two else MORE_CLASSES)]
    of_use = use_called(use)
    names = of_use.headline if two else of_use.headline_many
    return [n for n in names if _of_classes(n)] or [*(TWO_CLASSES if two else MORE_CLASSES)]


def _of_classes(name: str) -> bool:
    try:
        statistic_of(name, (0, 1), 1)
    except InputError:
        return False
    return True


def _of_the_judge(case: _Case) -> list[str]:
    two = case.positive is not None
    return ["accuracy", "cohen_kappa", *(("sensitivity", "specificity") if two else ())]


def _of_model(case: _Case, model: str, i: int, names: Sequence[str]) -> list[JudgedMetric]:
    estimate, alone = case.of(model), case.alone(2 + i)
    matrix = _judge_as_truth(estimate.pairs)
    out = []
    for name in names:
        only = None if alone is None else alone[name]
        value = estimate.value(name, alone=only)
        s = statistic_of(name, case.tally._classes, case.positive)
        with np.errstate(all="ignore"):
            naive = float(s.of_matrix(matrix, case.tally._classes))
        worth = None
        if only is not None and value.high > value.low and not math.isnan(only.low):
            ratio = (only.high - only.low) / (value.high - value.low)
            worth = case.tally.labelled * ratio**2
        out.append(JudgedMetric(model, value, only, naive, worth))
    return out


def _judge_as_truth(pairs: Pairs) -> Floats:
    """Return the rows by the judge's class and the prediction."""
    out = np.zeros((pairs.classes, pairs.classes))
    inside = pairs.judged < pairs.classes
    np.add.at(out, (pairs.judged[inside], pairs.predicted[inside, 0]), pairs.rows[inside])
    return out


def _shares(case: _Case) -> list[JudgedShare]:
    """Return the share of each class; with labels only by Wilson's interval."""
    t = case.tally
    values = case.of(*t.models[:1]).shares()
    judged = np.bincount(t.cells[:, 1], t.rows, len(t.labels)) / t.rows.sum()
    alone = t._matrix(1).sum(1)
    return [
        JudgedShare(
            label,
            values[label],
            _wilson(alone[i], alone.sum(), case.level) if case.random else None,
            float(judged[i]),
        )
        for i, label in enumerate(t._classes)
    ]


def _wilson(k: float, n: float, level: float) -> Value:
    from tallymark.core import quantile, wilson

    low, high = wilson(k, n, quantile(level))
    return Value("share", float(k / n), float(low), float(high), level, "Wilson")


def _differences(case: _Case, judged: Sequence[JudgedMetric]) -> list[JudgedDifference]:
    """Return the differences of all pairs of models where both numbers are defined."""
    out, values = [], {(m.model, m.value.metric): m.value.value for m in judged}
    for first, second in combinations(case.tally.models, 2):
        both = case.of(first, second)
        for name in dict.fromkeys(m.value.metric for m in judged):
            difference = values[first, name] - values[second, name]
            if math.isfinite(difference):
                value = both.difference(name, difference)
                out.append(JudgedDifference(first, second, value))
    return out


# -- what to watch -------------------------------------------------------------------------------


def _notes(case: _Case, dropped: int) -> list[Finding]:
    t = case.tally
    pairs = case.of(*t.models[:1]).pairs
    out = []
    if dropped:
        out.append(findings.INCOMPLETE.finding(rows=dropped))
    if len(t.labels) > t.classes:
        beyond = t.cells[:, 1] >= t.classes
        values = listed(t.labels[t.classes :])
        out.append(findings.NO_CLASS.finding(values=values, rows=int(t.rows[beyond].sum())))
    if t.labelled == t.rows.sum():
        out.append(findings.ALL_LABELLED.finding())
    elif _equal(t):
        out.append(findings.EQUAL.finding(labelled=t.labelled))
    if t.labelled < FEW:
        out.append(findings.FEW_LABELLED.finding(labelled=t.labelled))
    merged = sum(len(s) for s in pairs.strata if len(s) > 1)
    if merged:
        sparse = int((pairs.labelled < LEAST).sum())
        out.append(findings.MERGED.finding(pairs=sparse, all=len(pairs.rows)))
    for s in pairs.strata:
        if not pairs.labelled[s].sum():
            what = "agree" if pairs.agree[s[0]] else "differ"
            unknown = int(pairs.rows[s].sum())
            out.append(findings.NO_LABELS.finding(rows=unknown, what=what))
    p = random_labelling(pairs)
    if p < SUSPICIOUS and not t._weighted and case.sampled_by != "both":
        out.append(findings.NOT_RANDOM.finding(p=p_value(p)))
    what = "prediction and judge" if t.models else "judge's value"
    if t._weighted:
        what = "the given weights, prediction and judge" if t.models else "the given weights"
    out.append(findings.CORRECTED_FOR.finding(what=what))
    return out


def _near_one(case: _Case, judged: Sequence[JudgedMetric]) -> list[Finding]:
    right = {m.model: m.value.value for m in judged if m.value.metric == "accuracy"}
    few = case.tally.labelled < FEW_ERRORS
    return [
        findings.NEAR_ONE.finding(model, labelled=case.tally.labelled)
        for model, share in right.items()
        if few and share > NEARLY_ALWAYS
    ]


def random_labelling(pairs: Pairs) -> float:
    """Return the p-value of labels at random: χ² of labelled or not by pair, within what sampled.

    NaN where there is nothing to compare.
    """
    chi2, freedom = random_labelling_test(pairs)
    if not freedom:
        return math.nan
    from scipy.special import chdtrc

    return float(chdtrc(freedom, chi2))


def random_labelling_test(pairs: Pairs) -> tuple[float, int]:
    """Return χ² and its degrees of freedom, added up over the values that rows were sampled by."""
    by: list[Any] = [0] * len(pairs.rows)
    if pairs.sampled_by == "judge":
        by = pairs.judged.tolist()
    elif pairs.sampled_by == "pred":
        by = [tuple(h) for h in pairs.predicted.tolist()]
    elif pairs.sampled_by == "both":
        by = list(range(len(pairs.rows)))
    chi2, freedom = 0.0, 0
    for value in dict.fromkeys(by):
        mine = [i for i, v in enumerate(by) if v == value]
        m, n = pairs.labelled[mine], pairs.rows[mine]
        if len(mine) < 2 or not 0 < m.sum() < n.sum():
            continue
        expected = n * m.sum() / n.sum()
        other = n - expected
        chi2 += float(((m - expected) ** 2 * (1 / expected + 1 / other)).sum())
        freedom += len(mine) - 1
    return chi2, freedom
