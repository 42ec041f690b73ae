"""The way in: arrays, frames, files or pairs of scores, and out comes an Evaluation."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from tallymark.contract import ANY, PATH, TEXT, TEXTS, checked, several
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.reading.estimators import Predicted, has_estimators, predicted
from tallymark.reading.indicators import LabelSets, has_several_labels
from tallymark.reading.matrices import from_matrices, from_tallies, is_crosstab, tallies_of
from tallymark.reading.models import CountedRows, Note
from tallymark.reading.readers import Progress, from_arrays, from_table, is_path, sets_of_arrays
from tallymark.reading.saved import is_saved, pooled, read_saved
from tallymark.reading.source import Source
from tallymark.reading.trials import DISTANCES, plain, read_trials
from tallymark.report.evaluation import Evaluation
from tallymark.report.multi_label import MultiLabelEvaluation
from tallymark.tally.arrays import Floats, Label, as_scores, is_table
from tallymark.tally.labels import Missing


@checked(truth=TEXT | TEXTS, pred=TEXT | TEXTS)
def evaluate(
    data: Any,
    y_pred: Any = None,
    y: Any = None,
    *,
    cv: Any = None,
    y_score: Any = None,
    truth: str | Sequence[str] | None = None,
    pred: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weight: str | None = None,
    count: str | bool | None = None,
    model: str | bool | None = None,
    cluster: Any = None,
    fold: Any = None,
    effort: Any = None,
    sample_weight: Any = None,
    positive: Label | None = None,
    labels: Sequence[Label] | None = None,
    ignore_case: bool | None = None,
    percent: bool = False,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    missing: Missing = "error",
    subgroup: str | Sequence[str] | Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    source: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    memory: str | int | None = None,
    tolerance: float | None = None,
    use: str | None = None,
) -> Evaluation:
    """Count predictions and return an :class:`Evaluation` of them.

    Parameters
    ----------
    data : array of n true labels, or a frame, or the path of a file, or a tally, or an estimator
        An estimator, {name: estimator} or the result of scikit-learn's ``cross_validate`` is
        followed by the rows X and their true classes y: ``evaluate(model, X, y)``.
        A file is CSV, Parquet, JSON, Arrow, ARFF or Excel, and ``-`` is standard input. Of frames
        and files, the columns are found by their usual names, else by what they hold;
        ``Evaluation.source`` says how. A table may also hold counts: a confusion matrix under the
        names of its classes, or the columns TP, FN, FP and TN with a study a line. A LabelTally or
        a ScoreTally, or {model: tally}, was counted before. Rows that have any number
        of labels have a column of 0 and 1 for each, (n, L), or are sets of labels; the result is
        then a :class:`MultiLabelEvaluation`.
    y_pred : array of n labels, or {model: array}, optional
        Predicted labels. Numbers with fractions, and a float column for each of several classes as
        of scikit-learn's ``predict_proba``, are not labels: they are read as ``y_score``, which is
        noted.
    y : array of n true labels, or the name of a column of X, optional
        Of the rows that an estimator predicts.
    cv : int, splitter or iterable of (train, test), optional
        Predict each row by a clone of the estimator that is fitted on the other folds. A number of
        folds is stratified and not shuffled, and keeps clusters whole; ``seed`` has no part in it.
    y_score : array of n numbers, or (n, K), or {model: array}, optional
        Scores of the positive class, or one column per class. Numbers from 0 to 1 are taken as
        probabilities.
    truth, pred, score, weight : str, optional
        Column names of a frame or file; ``pred`` may be several, one a model, and ``score`` too,
        one a model or one a class. ``rf_pred`` and ``rf_prob`` are one model's. All three
        may be several, one a label of rows with any number of labels.
    count : str or False, optional
        The column that says how many rows each line stands for; False where each line is one row.
        Unless given, a column called ``n`` or ``count`` is taken for it where it holds whole
        numbers and each combination of the other columns has one line.
    model : str or False, optional
        The column that says which model made each prediction, where a table has a line for each
        model's prediction of a case: lines are matched by a column that names each case once with
        each model, or by their order where the truths agree. Unless given, a column called
        ``model``, ``classifier`` and so on is taken for it where lines match; False where none is.
    sample_weight : array of n numbers, optional
        Sampling weights.
    cluster : array of n texts or integers, or the name of a column, optional
        Which rows belong together, such as those of one patient. Intervals and tests then draw
        whole clusters: rows of one cluster are alike, and say less than as many independent rows.
    fold : array of n texts or integers, or the name of a column, optional
        Of cross-validation: which fold a row was predicted in, for :meth:`Evaluation.folds`.
    effort : array of n numbers, or the name of a column, optional
        What looking at a row takes, such as its lines of code or its cost: for
        ``recall_at_effort``, ``p_opt``, ``initial_false_alarms`` and the curve "effort", which go
        through the rows from the highest score down. Needs a score of two classes.
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    labels : sequence, optional
        The classes in the order wanted, those that do not occur too. Without them, columns that
        are named ``p_CLASS`` after more classes than occur declare them all.
    ignore_case : bool, optional
        Whether labels that differ only in upper and lower case, blanks around them, Unicode form or
        in how a number is written ("1" and "1.0") are one class, which is then written as in the
        truth. Unless given, such labels are refused.
    percent : bool
        Whether scores are in percent: numbers from 0 to 100, with or without the sign, which are
        divided by 100.
    threshold : float, optional
        Scores at or above it are called positive: 0.5 of probabilities unless given.
    level : float
        Of all intervals.
    seed : int
        Seed of the resampled intervals.
    missing : {"error", "drop"}
        What to do with rows where a label, a score or a cluster is missing.
    subgroup : str or sequence of str, or {name: array of n labels}, optional
        Columns of a frame or file, or arrays beside arrays, such as a region or an age band: the
        rows of each of their values are counted separately too, for :meth:`Evaluation.by`.
    progress : callable, optional
        Called with the rows done and the rows in all.
    source : str, optional
        What to call the data.
    header : bool, optional
        Whether the first row of a CSV or Excel file names the columns. Without one they are called
        column0, column1 and so on. Unless given, a first row that looks like data is refused.
    sheet : str, optional
        Which sheet of an Excel file to read; not needed where only one holds data.
    memory : str or int, optional
        What counting a file may take, such as "1GB"; 4 GB by default. Every distinct score is kept
        while it fits; of more, scores are counted in bins, and every number carries the bracket
        within which that of the rows is proved to lie (``Value.binning_bounds``).
    tolerance : float, optional
        How wide the bracket of the area under the ROC curve may be, such as 1e-6: the file is read
        again with narrower bins where they matter.
    use : str, optional
        What the classifier is for: "medicine", "biometrics", "marketing", "defects", "ranking",
        "decisions", "probabilities" or "teaching". It chooses what is shown first, in whose words,
        and what advice looks at; no number depends on it.

    Raises
    ------
    InputError
        Whatever cannot be counted as it stands, in one sentence.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate(["no", "yes", "yes", "no"], y_score=[0.1, 0.8, 0.4, 0.3], positive="yes")
    >>> ev["roc_auc"].value, ev["sensitivity"].value
    (1.0, 0.5)

    """
    of_models: Predicted | None = None
    if y is not None or cv is not None or has_estimators(data):
        of_models = predicted(
            data, y_pred, y, cv=cv, cluster=cluster, fold=fold, y_score=y_score,
            positive=positive, labels=labels, progress=progress,
        )  # fmt: skip
        data, y_pred, y_score = of_models.y_true, of_models.y_pred, of_models.y_score
        labels, source = of_models.labels, source or "estimators"
        fold = fold if of_models.folds is None else of_models.folds
    columns: dict[str, Any] = {
        "truth": truth,
        "pred": pred,
        "score": score,
        "weight": weight,
        "count": count,
        "model": model,
    }
    options: dict[str, Any] = {"labels": None if labels is None else tuple(labels)}
    options |= {"positive": positive, "threshold": threshold, "missing": missing}
    options |= {"ignore_case": ignore_case, "percent": percent}
    room: dict[str, Any] = {"memory": memory, "tolerance": tolerance}
    reading: dict[str, Any] = {"header": header, "sheet": sheet}
    beside = {"cluster": cluster, "effort": effort, "fold": fold}
    named = {name: v for name, v in beside.items() if isinstance(v, str)}
    if is_path(data) and is_saved(data):
        others = {"y_pred": y_pred, "y_score": y_score, "sample_weight": sample_weight}
        others |= columns | beside | room | reading | options
        others["threshold"] = None
        again = _read_again(data, others, _columns(subgroup), level=level, seed=seed)
        again = again if threshold is None else again.at(threshold=threshold)
        return _for_use(again if source is None else _named(again, source), use)
    tallies = tallies_of(data)
    if tallies is not None or is_crosstab(data):
        others = {"y_pred": y_pred, "y_score": y_score, "sample_weight": sample_weight}
        others |= (
            columns | beside | room | reading | {"subgroup": subgroup, "ignore_case": ignore_case}
        ) | {"percent": percent or None}
        _refuse(others, "counts, whose rows are not known", "the rows themselves")
        if tallies is None:
            return matrix(
                data, labels=labels, positive=positive, level=level, seed=seed,
                source=source or "matrix", use=use,
            )  # fmt: skip
        found = from_tallies(
            tallies, Source(source or "tally", "tally"), labels=labels, positive=positive,
            threshold=threshold,
        )  # fmt: skip
        return _for_use(Evaluation(found, level, seed), use)
    if is_path(data) or (y_pred is None and y_score is None and is_table(data)):
        arrays = {"y_pred": y_pred, "y_score": y_score, "sample_weight": sample_weight}
        arrays |= {name: v for name, v in beside.items() if name not in named}
        by_name = "its columns by name (truth=, score=, weight=, cluster=, effort=)"
        _refuse(arrays, "a frame or file", by_name)
        columns |= {"cluster": cluster, "effort": effort}
        names = _columns(subgroup)
        counted: CountedRows | LabelSets = from_table(
            data, named=columns, subgroups=names, fold=fold, progress=progress,
            **room, **reading, **options,
        )  # fmt: skip
        if source is not None:
            counted = replace(counted, source=replace(counted.source, name=source))
    else:
        _refuse(reading, "arrays", "the path of a file")
        _refuse(room, "arrays, which are in memory and keep every score", "files")
        instead = "y_pred=, y_score=, sample_weight=, cluster= and effort= as arrays"
        _refuse(columns | named, "arrays", instead)
        counting = sets_of_arrays if has_several_labels(data) else from_arrays
        counted = counting(
            data, y_pred, y_score, sample_weight=sample_weight, clusters=cluster, effort=effort,
            fold=fold, subgroups=subgroup, source=source or "arrays", **options,
        )  # fmt: skip
    if of_models is not None:
        read = replace(counted.source, format=of_models.read_as + counted.source.format)
        counted = replace(counted, source=read, notes=counted.notes + of_models.notes)
    if isinstance(counted, LabelSets):
        return _for_use(cast("Evaluation", MultiLabelEvaluation(counted, level, seed)), use)
    return _for_use(Evaluation(counted, level, seed), use)


def _for_use(ev: Evaluation, use: str | None) -> Evaluation:
    """Return an evaluation that is shown for a use."""
    if use is None:
        return ev
    if not isinstance(ev, Evaluation):
        raise InputError(f"use is {use!r}, and these rows have several labels; leave use out")
    if use == "biometrics" and not (ev.binary and all(m.scores for m in ev.models)):
        raise InputError(
            "use='biometrics' needs scores of two classes, genuine and impostor; give y_score"
        )
    counted = ev.counted
    return replace(ev, counted=replace(counted, source=replace(counted.source, use=use)))


def _named(ev: Evaluation, name: str) -> Evaluation:
    counted = ev.counted
    return replace(ev, counted=replace(counted, source=replace(counted.source, name=name)))


def _read_again(
    path: str | os.PathLike[str], given: Mapping[str, Any], subgroups: list[str], *,
    level: float, seed: int,
) -> Evaluation:  # fmt: skip
    """Return the evaluation that a file holds, and refuse what would have to read its rows."""
    ev = read(path)
    known: dict[str, Any] = {"missing": "error", **ev.source.roles}
    if isinstance(ev, MultiLabelEvaluation):
        known |= {"labels": ev.labels}
    else:
        known |= {"labels": ev.classes, "positive": ev.positive}
    for name, value in given.items():
        if value is not None and value is not False and _texts(value) != _texts(known.get(name)):
            raise InputError(
                f"{name} says how rows are read, and {os.fspath(path)!r} holds rows that are "
                f"counted; leave {name}= out, or give the rows"
            )
    if subgroups:
        ev.model(ev.names[0]).by(*subgroups)  # refuses what was not counted
    # What is the default of evaluate() asks for no other level than that of the file.
    return replace(ev, level=ev.level if level == 0.95 else level, seed=seed or ev.seed)


def _texts(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list | tuple) else [str(value)]


@checked(path=several(PATH, "a path, or a list of paths"))
def read(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, use: str | None = None
) -> Evaluation:
    """Return the evaluation that ``ev.to_json(path)`` or ``tallymark report --json`` wrote.

    It answers every question as the first did: numbers, intervals, curves, thresholds, subgroups.

    Parameters
    ----------
    path : str or path, or a list of such
        The file. Files of several sites, with the same models judged in the same way, are added
        up: each site is a subgroup of the column ``site``, under the name of its file.
    use : str, optional
        What the classifier is for, as of :func:`evaluate`; what the file says unless given.

    Raises
    ------
    InputError
        No such file, another format, a file of another schema, damaged counts; sites whose
        classes, models or thresholds differ.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate([0, 1, 0, 1] * 20, y_score=[0.1, 0.9, 0.4, 0.3] * 20)
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> file = Path(mkdtemp(), "run.json")
    >>> _ = ev.to_json(file)
    >>> print(ev["roc_auc"], "|", tm.read(file)["roc_auc"])
    0.75 (95 % CI 0.63 to 0.85) | 0.75 (95 % CI 0.63 to 0.85)

    """
    files = [path] if isinstance(path, str | os.PathLike) else list(path)
    if len(files) != 1:
        return _for_use(_sites(files), use)
    counted, options = read_saved(files[0])
    if isinstance(counted, LabelSets):
        return _for_use(cast("Evaluation", MultiLabelEvaluation(counted, **options)), use)
    return _for_use(Evaluation(counted, **options), use)


def _sites(files: Sequence[str | os.PathLike[str]]) -> Evaluation:
    """Return what several sites have counted as one evaluation."""
    names = [Path(f).stem for f in files]
    if len(set(names)) < len(names):
        names = [os.fspath(f) for f in files]
    if not files or len(set(names)) < len(names):
        raise InputError(
            f"path names {'a file twice' if files else 'no file'}; give each site's file once"
        )
    found = [read_saved(f) for f in files]
    sites = {name: c for name, (c, _) in zip(names, found, strict=True)}
    for name, (c, options) in zip(names, found, strict=True):
        if not isinstance(c, CountedRows) or options.get("stratified"):
            raise InputError(
                f"{name!r} holds rows with several labels, or at another class balance, which "
                "cannot be added up; read it alone"
            )
    return Evaluation(pooled(cast("dict[str, CountedRows]", sites)), **found[0][1])


@checked(counts=ANY)
def matrix(
    counts: Any,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    level: float = 0.95,
    seed: int = 0,
    source: str = "matrix",
    use: str | None = None,
) -> Evaluation:
    """Judge a confusion matrix: every number, interval and page that its rows would give.

    Parameters
    ----------
    counts : (K, K) whole numbers, or {model: (K, K)}
        Rows are the true classes, columns the predicted ones, in the same order: a list of lists,
        an array, or a frame of pandas whose index and columns name the classes, such as
        ``pandas.crosstab(y_true, y_pred)``. Several models were judged on the same rows.
    labels : sequence, optional
        The classes in the order of the rows: 0, 1, 2 and so on unless given. Of the classes 0 and
        1 the second, 1, is positive, so that the table is [[TN, FP], [FN, TP]].
    positive : label, optional
        The positive class of two; ``positive=0`` reads [[TP, FN], [FP, TN]].
    level, seed, source, use
        As in :func:`evaluate`.

    Raises
    ------
    InputError
        A table that is not square, counts with fractions, models judged on different rows.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.matrix([[70, 30], [20, 80]], labels=["sick", "healthy"], positive="sick")
    >>> print(ev["sensitivity"])
    0.70 (95 % CI 0.60 to 0.78)
    >>> ev.source.format
    ('TP 70, FN 30, FP 20, TN 80',)

    """
    made = from_matrices(counts, Source(source, "matrix"), labels, positive)
    return _for_use(Evaluation(made, level, seed), use)


@checked
def verify(
    genuine: Any,
    impostor: Any = None,
    *,
    score: str | Sequence[str] | None = None,
    kind: str | None = None,
    positive: Label | None = None,
    higher_is: Literal["genuine", "impostor"] | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    missing: Missing = "error",
    source: str | None = None,
) -> Evaluation:
    """Judge a verification system by its comparison scores, in the words of ISO/IEC 19795.

    Parameters
    ----------
    genuine : array of scores, {system: array}, a frame or the path of a file
        Comparisons of two samples of one person (mated, client, target). A frame or file without
        ``impostor`` holds both kinds: columns ``genuine`` and ``impostor`` side by side, or scores
        beside a column of the ``kind`` of each comparison.
    impostor : array of scores, {system: array}, a frame or the path of a file
        Comparisons of samples of different people (non-mated, non-target). Several systems are
        compared on the same trials, so that all have as many scores.
    score, kind : str, optional
        Columns of a frame or file: the scores, one or several systems', and what tells genuine and
        impostor, mated and non-mated, target and nontarget, or 1 and 0.
    positive : label, optional
        The value of genuine comparisons, where the words of the two kinds do not tell.
    higher_is : {"genuine", "impostor"}, optional
        "genuine" for similarities, as unless given; "impostor" for distances, whose sign is then
        changed, and so is that of ``threshold``.
    threshold : float, optional
        Scores at or above it (distances at or below it) are accepted: FMR and FNMR are given there.
    level, seed, missing, source
        As in :func:`evaluate`.

    Raises
    ------
    InputError
        Scores missing or infinite, an empty side, systems that differ between both sides.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.verify([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.5], threshold=0.45)
    >>> ev["FAR"].value, ev["FRR"].value
    (0.3333333333333333, 0.25)
    >>> ev["EER"].value
    0.25
    >>> [rates.fnmr.value for rates in ev.verification()["system"].at_fmr]
    [0.25, 0.25, 0.25]

    """
    genuine, impostor, read = _both_kinds(genuine, impostor, score, kind, positive)
    column = read.roles.get("score")
    if higher_is is None and isinstance(column, str) and plain(column) in DISTANCES:
        raise InputError(
            f"{column!r} is a name of distances, which are low for genuine pairs; say "
            "higher_is='impostor', or higher_is='genuine' if they are similarities"
        )
    sign = -1.0 if higher_is == "impostor" else 1.0
    y_true, scores = _side_by_side(genuine, impostor)
    ev = evaluate(
        y_true,
        y_score={name: sign * columns for name, columns in scores.items()},
        positive="genuine",
        threshold=None if threshold is None else sign * threshold,
        level=level, seed=seed, missing=missing,
    )  # fmt: skip
    read = replace(
        read, name=source or read.name, positive=read.positive or "genuine",
        use="similarities" if sign > 0 else "distances",
    )  # fmt: skip
    notes = [n for n in ev.counted.notes if n.code not in ("threshold-chosen", "not-probabilities")]
    if threshold is None:
        notes.append(Note("threshold-chosen", "assumed", _NOT_STATED))
    for m in ev.models:
        if get("roc_auc").compute(m.scores[0].score_counts) < 0.5:
            notes.append(Note("wrong-way", "warning", _WRONG_WAY.format(name=m.name), m.name))
    return replace(ev, counted=replace(ev.counted, source=read, notes=tuple(notes)))


def _both_kinds(
    genuine: Any,
    impostor: Any,
    score: str | Sequence[str] | None,
    kind: str | None,
    positive: Label | None,
) -> tuple[Any, Any, Source]:
    """Return the scores of both kinds of comparisons, of arrays or as tables hold them."""
    both = (genuine, impostor)
    tables = [is_path(v) or (is_table(v) and not isinstance(v, Mapping)) for v in both]
    if tables[0] and (impostor is None or tables[1]):
        trials, read = read_trials(genuine, impostor, score=score, kind=kind, positive=positive)
        return trials["genuine"], trials["impostor"], read
    if impostor is None or any(tables):
        raise InputError(
            "genuine and impostor are two arrays, two files or frames, or one file or frame of "
            "both kinds; give impostor=... in the same form as genuine"
        )
    named = {"score": score, "kind": kind, "positive": positive}
    _refuse(named, "arrays", "{system: array} for several systems")
    systems = tuple(map(str, genuine)) if isinstance(genuine, Mapping) else "system"
    return genuine, impostor, Source("verification", roles={"score": systems}, positive="genuine")


def _side_by_side(genuine: Any, impostor: Any) -> tuple[list[str], dict[str, Floats]]:
    """Return the kind of each comparison, and the scores of every system."""
    systems = [s if isinstance(s, Mapping) else {"system": s} for s in (genuine, impostor)]
    if not systems[0] or set(systems[0]) != set(systems[1]):
        raise InputError(
            f"genuine names the systems {list(systems[0])} and impostor {list(systems[1])}; give "
            "scores of the same systems"
        )
    y_true: list[str] = []
    scores: dict[str, list[Floats]] = {name: [] for name in systems[0]}
    for side, of_side in zip(("genuine", "impostor"), systems, strict=True):
        for name, columns in scores.items():
            columns.append(as_scores(of_side[name], side))
        (first, n), *others = ((name, len(columns[-1])) for name, columns in scores.items())
        for name, size in others:
            if size != n:
                raise InputError(
                    f"{side} has {n} scores of {first!r} and {size} of {name!r};"
                    " systems are compared on the same trials"
                )
        if not n:
            raise InputError(f"{side} holds no score; both kinds of comparison are needed")
        y_true += [side] * n
    return y_true, {name: np.concatenate(columns) for name, columns in scores.items()}


_NOT_STATED = (
    "no threshold is stated, so FMR and FNMR are given at the equal error rate and at fixed FMR "
    "only"
)
_WRONG_WAY = (
    "genuine scores of {name} are mostly lower than impostor scores. If they are distances, say "
    "higher_is='impostor'; otherwise check whether the two kinds were swapped"
)


def _columns(subgroup: str | Sequence[str] | Mapping[str, Any] | None) -> list[str]:
    if isinstance(subgroup, Mapping):
        raise InputError(
            "subgroup names columns of a frame or file; give names, such as subgroup=['region']"
        )
    if subgroup is not None and not isinstance(subgroup, Iterable):
        raise InputError(f"subgroup is {subgroup!r}; name columns, such as subgroup=['region']")
    return [subgroup] if isinstance(subgroup, str) else list(subgroup or ())


def _refuse(given: Mapping[str, Any], kind: str, instead: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} does not go with {kind}; give {instead}")
