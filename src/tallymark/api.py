"""The entry points: ``evaluate`` for data of any kind, and ``read`` for saved evaluations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

import numpy as np

from tallymark.contract import (
    ANY,
    PATH,
    TEXT,
    TEXTS,
    checked,
    given_roles,
    kinds_of_words,
    several,
    shown,
    takes_roles,
)
from tallymark.display import Document
from tallymark.errors import InputError, NotPredictionsError
from tallymark.findings.notes import OTHER_LEVELS
from tallymark.part import added, answer, part_roles, part_words
from tallymark.reading.believed import Reading, as_arguments, options_of, words_of
from tallymark.reading.given_arrays import from_arrays, sets_of_arrays
from tallymark.reading.given_tallies import from_tallies, tallies_of
from tallymark.reading.indicators import LabelSets, has_several_labels
from tallymark.reading.models import CountedRows, of_percent
from tallymark.reading.question import NoTruth
from tallymark.reading.role_arguments import InputArguments
from tallymark.reading.saved import is_saved, pooled, read_saved
from tallymark.reading.source import ROLES, Source, is_path
from tallymark.report.evaluation import Evaluation
from tallymark.tally.arrays import Label, is_table
from tallymark.tally.labels import Missing

if TYPE_CHECKING:
    from tallymark.reading.small import SmallFile


@checked(truth=ANY, pred=TEXT | TEXTS, weight=ANY, **kinds_of_words())
@takes_roles(after="fold", words=True)
def evaluate(
    data: Any,
    y_pred: Any = None,
    truth: Any = None,
    *,
    y_score: Any = None,
    pred: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weight: Any = None,
    count: str | bool | None = None,
    model: str | bool | None = None,
    cluster: Any = None,
    fold: Any = None,
    subgroup: str | Sequence[str] | Mapping[str, Any] | None = None,
    classes: Sequence[Label] | None = None,
    positive: Label | None = None,
    missing: Missing | Sequence[float] | None = None,
    score_of: Any = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    use: str | None = None,
    on: str | None = None,
    reading: Mapping[str, Any] | str | os.PathLike[str] | Reading | None = None,
    options: Mapping[str, Any] | None = None,
    **roles: Unpack[InputArguments],
) -> Evaluation:
    """Count predictions and return an :class:`Evaluation` of them.

    Parameters
    ----------
    data : array of n true classes, or a frame, or the path of a file, or a tally, or an estimator
        An estimator, {name: estimator} or the result of scikit-learn's ``cross_validate`` is
        followed by the rows X and their true classes: ``evaluate(model, X, y)``.
        A file is CSV, Parquet, JSON, Arrow, ARFF or Excel, and ``-`` is standard input. Columns of
        frames and files are found by their usual names, else by their contents;
        ``Evaluation.reading`` says how. A table may also contain counts: a confusion matrix under
        the names of its classes, or the columns TP, FN, FP and TN with one study per line. A
        LabelTally or a ScoreTally, or {model: tally}, is already counted. Rows with any number of
        labels have one column of 0 and 1 per label, (n, L), or are sets of labels;
        ``Evaluation.labels`` lists the labels.
    y_pred : array of n classes, or {model: array}, optional
        Predicted classes. Numbers with fractions, and one float column for each of several classes
        as from scikit-learn's ``predict_proba``, are not classes: they are read as ``y_score``, and
        a note says so.
    truth : str, or a file or frame, or array of n classes, optional
        The column of the true class; several columns, one per label, where rows have any number of
        labels. The truth may be elsewhere: in a file, ``tm.file("gold.csv")``, or a frame. With an
        estimator, the true classes of the rows X, or the column of X that contains them.
    y_score : array of n numbers, or (n, K), or {model: array}, optional
        Scores of the positive class, or one column per class. Numbers from 0 to 1 are taken as
        probabilities.
    pred, score : str or sequence of str, optional
        Columns of a frame or file. ``pred`` may name several columns, one per model, and ``score``
        one per model or one per class. ``rf_pred`` and ``rf_prob`` belong to the same model. Where
        rows have any number of labels, both may name one column per label.
    weight : array of n numbers, or the name of a column, optional
        Sampling weights.
    count : str or False, optional
        The column with the number of rows that each line stands for; False where each line is one
        row. By default, a column called ``n`` or ``count`` is used if it contains whole numbers and
        each combination of the other columns has one line.
    model : str or False, optional
        The column with the name of the model, where a table has one line per case and model. Lines
        are matched by a column that identifies each case once per model, or by their order where
        the truths agree. By default, a column called ``model``, ``classifier`` and so on is used
        where lines match; False if there is none.
    cluster : array of n texts or integers, or the name of a column, optional
        Which rows belong together, such as those of one patient. Intervals and tests then resample
        whole clusters: rows of one cluster are similar, so they carry less information than as many
        independent rows.
    fold : array of n texts or integers, or the name of a column, or a way to split, optional
        The cross-validation fold in which a row was predicted, for :meth:`Evaluation.folds`. With
        an estimator it may be a number of folds, a splitter or (train, test) pairs: each row is
        then predicted by a clone of the estimator that is fitted on the other folds. A number of
        folds means stratified folds without shuffling that keep clusters whole; ``seed`` does not
        affect them.
    **roles : array of n numbers, or the name of a column, optional
        Numbers of each row that metrics and curves of parts read.
    subgroup : str or sequence of str, or {name: array of n texts}, optional
        Columns of a frame or file, or arrays for array input, such as a region or an age band. The
        rows of each value are also counted separately, for :meth:`Evaluation.by`.
    classes : sequence, optional
        The classes in the wanted order, including those that do not occur. By default, columns
        named ``p_CLASS`` for more classes than occur declare all classes.
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    missing : {"error", "drop"} or sequence of numbers, optional
        What to do with rows that lack a class, a score or a cluster: "error", the default, refuses
        them. Numbers such as [-100] are codes for missing values; rows with such a code are
        dropped.
    score_of : label, "prediction" or sequence of labels, optional
        The class that a score belongs to: a class, the predicted class of each row, or the classes
        of several columns in order. By default, names suggest it and the decisions beside the score
        must agree.
    threshold : float, optional
        Scores at or above it are called positive. The default for probabilities is 0.5.
    level : float
        Confidence level of all intervals.
    seed : int
        Seed of the resampled intervals.
    use : str, optional
        What the classifier is for: "medicine", "biometrics", "marketing", "defects", "ranking",
        "decisions", "probabilities" or "teaching". It selects what is shown first, the terms used
        and what advice considers; no number depends on it.
    on : str, optional
        The column that identifies each row once, both here and in the file or frame of the truth.
        By default, it is found automatically; without one, rows are joined by their order.
    reading : mapping, or the path of a file, or the reading of an evaluation, optional
        How to interpret the input: ``Evaluation.reading`` of other data with the same format, the
        file that ``tallymark inspect FILE --json`` wrote, or a mapping. It may contain ``truth``,
        ``pred``, ``score``, ``weight``, ``count``, ``model``, ``cluster``, ``fold``, ``subgroup``,
        ``classes``, ``positive``, ``missing``, ``score_of`` and the roles of parts; an argument of
        that name takes precedence. Three keys exist only here. ``score_is`` is the kind of scores:
        "probability", "percent", "logit", "log_probability", "score", or "lower" where low scores
        indicate the positive class. ``percent`` is True where scores are percentages: numbers from
        0 to 100, with or without the sign, which are divided by 100, as ``threshold`` then is.
        ``ignore_case`` states whether labels that differ only in case, surrounding blanks, Unicode
        form or the spelling of a number ("1" and "1.0") are one class, which is then written as in
        the truth; by default, such labels are refused.
    options : mapping, optional
        How a file is opened and counted. ``header``: whether the first row of a CSV or Excel file
        names the columns; without one they are called column0, column1 and so on. By default, a
        first row that looks like data is refused. ``sheet``: which table to read where a file
        contains several: a sheet, a table of a database, a list of a JSON file, a file in a zip
        archive. ``memory``: the memory limit for counting, such as "1GB"; the default is the least
        of 4 GB and half of the memory that the machine or the container has left. All
        distinct scores are kept if they fit; otherwise scores are counted in bins, and every number
        has proven bounds on the value computed from the rows (``Value.binning_bounds``).
        ``tolerance``: the largest width of these bounds for the ROC area, such as
        1e-6; a file is read again, and an engine counts again, with narrower bins where they
        matter. ``progress``: a function
        that is called with the rows done and the total number of rows. ``name``: the name of the
        data.

    Returns
    -------
    Evaluation
        Data that hold no predictions of classes, but what a part judges, give the result of that
        part instead: graded answers, which say right or wrong, give what ``tm.evals`` returns.

    Raises
    ------
    InputError
        The input cannot be counted as it is; the message is one sentence.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.evaluate(["no", "yes", "yes", "no"], y_score=[0.1, 0.8, 0.4, 0.3], positive="yes")
    >>> ev["roc_auc"].value, ev["sensitivity"].value
    (1.0, 0.5)

    """
    words: dict[str, Any] = {
        "truth": truth,
        "pred": pred,
        "score": score,
        "weight": weight,
        "count": count,
        "model": model,
        "cluster": cluster,
        "fold": fold,
        **given_roles("evaluate", roles, words=True),
        "subgroup": subgroup,
        "classes": classes,
        "positive": positive,
        "missing": missing,
        "score_of": score_of,
    }
    try:
        inference = {"level": level, "seed": seed}
        request = _asked(data, words, reading, options, on, threshold, inference, y_pred, y_score)
        result = _evaluated(request)
        if not isinstance(result, Evaluation):
            return cast("Evaluation", _of_part(result, use))
        _refuse_words(request)
        return for_use(result, use)
    except InputError as error:  # layers below do not know about reading= and options=
        error.args = (as_arguments(str(error)),)
        raise


def evaluation_of(data: Any, **arguments: Any) -> Evaluation:
    """Evaluate class predictions; raise an error for other kinds of data.

    Raises
    ------
    NotPredictionsError
        A part judges the data as something else.

    """
    result: Any = evaluate(data, **arguments)
    if not isinstance(result, Evaluation):
        raise NotPredictionsError(
            f"{result.source} holds no predictions of classes; what it holds is judged by "
            "tm.evaluate(...)"
        )
    return result


def judged_by_part(
    files: Sequence[str | os.PathLike[str]],
    *,
    has_truth: bool = True,
    reading: Any = None,
    options: Any = None,
    on: str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    use: str | None = None,
    **words: Any,
) -> Document | None:
    """Return what a part makes of several files, None if no part judges them together.

    The arguments are those of :func:`evaluate`. With ``has_truth=False`` the files are known to be
    tables without a true class.
    """
    inference = {"level": level, "seed": seed}
    request = _asked(list(files), words, reading, options, on, threshold, inference)
    result = request.judged() if has_truth else answer("without_truth", request)
    return None if result is None else _of_part(cast("Document", result), use)


def _asked(
    data: Any,
    words: Mapping[str, Any],
    reading: Any,
    options: Mapping[str, Any] | None,
    on: str | None,
    threshold: float | None,
    inference: Mapping[str, Any],
    y_pred: Any = None,
    y_score: Any = None,
) -> Asked:
    """Return the arguments of ``evaluate`` as one object."""
    earlier = {} if reading is None else words_of(reading)
    words = earlier | {w: v for w, v in words.items() if v is not None}
    opened = (_NO_OPTIONS if options is None else options_of(options)) | {"on": on}
    name, progress = opened.pop("name"), opened.pop("progress")
    return Asked(data, y_pred, y_score, words, opened, threshold, inference, name, progress)


def _of_part(result: Document, use: str | None) -> Document:
    if use is not None:
        raise InputError(f"use is {use!r}, which is for predictions of classes; leave use out")
    return result


def _refuse_words(request: Asked) -> None:
    """Raise InputError for arguments of parts, none of which judged these data."""
    for name in part_words():
        if request.reading.get(name) is not None:
            raise InputError(
                f"{name} does not go with predictions of classes; leave {name}=... out"
            )


_NO_OPTIONS = options_of(None)
_COLUMNS = ("truth", "pred", "score", "count", "model")
_BESIDE = ("weight", "cluster", "fold")
"""Arguments that name a column of a table, or are an array for array input."""


def _evaluated(request: Asked) -> Evaluation | Document:
    """Return the evaluation of data of any kind, or what a part makes of them."""
    data, y_pred, y_score = request.data, request.y_pred, request.y_score
    if isinstance(data, str) and data == "-" and not request.names_predictions:
        from tallymark.reading.unpacking import standard_input

        with standard_input() as copy:  # what holds no predictions is read again by parts
            return _evaluated(replace(request, data=copy))
    if request.of_plain_arrays:
        return Evaluation(
            cast("CountedRows", _of_arrays(data, y_pred, y_score, request)), **request.inference
        )
    if is_path(data) and is_saved(data):
        return _read_again(data, {"y_pred": y_pred, "y_score": y_score}, request)
    if (tallies := tallies_of(data)) is not None:
        return _of_counts(tallies, {"y_pred": y_pred, "y_score": y_score}, request)
    if (ev := request.judged()) is not None:
        return cast("Evaluation | Document", ev)
    alone = y_pred is None and y_score is None
    if is_path(data) or (alone and (is_table(data) or _are_columns(data))):
        try:
            counted = _of_table(data, {"y_pred": y_pred, "y_score": y_score}, request)
        except NoTruth:
            other = None if request.names_predictions else answer("without_truth", request)
            if other is None:
                raise
            return cast("Document", other)
    else:
        counted = _of_arrays(data, y_pred, y_score, request)
    return Evaluation(counted, **request.inference)


def _of_counts(tallies: Any, arrays: Mapping[str, Any], request: Asked) -> Evaluation:
    """Return the evaluation of counts; arguments that describe rows are refused."""
    about_rows = (*_COLUMNS, *_BESIDE, *part_roles(), "subgroup", "ignore_case")
    others = {**arrays, **request.words(*about_rows), **request.opened}
    others["percent"] = request.reading.get("percent") or None
    _refuse(others, "counts, whose rows are not known", "the rows themselves")
    counted = from_tallies(
        tallies,
        Source(request.name or "tally", "tally"),
        labels=request.reading.get("classes"),
        positive=request.reading.get("positive"),
        threshold=request.threshold,
    )
    return Evaluation(counted, **request.inference)


def _of_table(data: Any, arrays: Mapping[str, Any], request: Asked) -> CountedRows | LabelSets:
    """Return the counted rows of a frame or a file with named columns."""
    beside = request.words(*_BESIDE, *part_roles())
    arrays_beside = {name: v for name, v in beside.items() if not isinstance(v, str)}
    columns = ("truth", "score", "weight", "cluster", *part_roles())
    by_name = f"its columns by name ({', '.join(f'{column}=' for column in columns)})"
    _refuse({**arrays, **arrays_beside}, "a frame or file", by_name)
    fold = beside.pop("fold")
    from tallymark.reading.readers import from_table

    counted = from_table(
        data,
        named=request.words(*_COLUMNS) | beside,
        fold=fold,
        progress=request.progress,
        subgroups=_columns(request.reading.get("subgroup")),
        **request.opened,
        **request.counting,
    )
    if request.name is None:
        return counted
    return replace(counted, source=replace(counted.source, name=request.name))


def _of_arrays(y_true: Any, y_pred: Any, y_score: Any, request: Asked) -> CountedRows | LabelSets:
    """Return the counts of the rows in arrays."""
    opened = dict(request.opened)
    room = {word: opened.pop(word) for word in ("memory", "tolerance")}
    _refuse(opened, "arrays", "the path of a file")
    _refuse(room, "arrays, which are in memory and keep every score", "files")
    beside = request.words(*_BESIDE)
    of_roles = request.words(*part_roles())
    named = {name: v for name, v in {**beside, **of_roles}.items() if isinstance(v, str)}
    if isinstance(y_pred, str) and is_table(y_true):
        raise InputError(
            f"{y_pred!r} is the name of a column; name the columns of a frame with truth= and "
            "score= or pred=, such as truth='y', score='p'"
        )
    *arrays, last = (f"{word}=" for word in ("y_pred", "y_score", "weight", "cluster", *of_roles))
    instead = f"{', '.join(arrays)} and {last} as arrays"
    _refuse({**request.words(*_COLUMNS), **named}, "arrays", instead)
    several = not request.of_plain_arrays and has_several_labels(y_true)
    counting = sets_of_arrays if several else from_arrays
    counted: CountedRows | LabelSets = counting(
        y_true,
        y_pred,
        y_score,
        source=request.name or "arrays",
        subgroups=request.reading.get("subgroup"),
        roles=of_roles,
        **beside,
        **request.counting,
    )
    return counted


def _are_columns(data: Any) -> bool:
    """Return whether the input is a mapping of column names to arrays, read like a frame."""
    return isinstance(data, Mapping) and all(isinstance(name, str) for name in data)


def for_use(ev: Evaluation, use: str | None) -> Evaluation:
    """Return the evaluation with the display settings of a use."""
    if use is None:
        return ev
    if ev.labels:
        raise InputError(f"use is {use!r}, and these rows have several labels; leave use out")
    from tallymark.report.uses import use_called

    needs = use_called(use).needs
    if needs and not (ev.binary and all(m.scores for m in ev.models)):
        raise InputError(f"use={use!r} needs {needs}; give y_score")
    counted = ev._counted
    ev = replace(ev, _counted=replace(counted, source=replace(counted.source, use=use)))
    return ev._at_assumed_budget() if use_called(use).profit and ev.budget is None else ev


def _read_again(
    path: str | os.PathLike[str], arrays: Mapping[str, Any], request: Asked
) -> Evaluation:
    """Return the evaluation saved in a file; refuse arguments that need its rows."""
    ev = read(path)
    saved: dict[str, Any] = {"missing": "error", **ev.reading.arguments, **ev.source._roles}
    saved |= {"classes": ev.classes, "positive": ev.positive}
    arguments = {word: value for word, value in request.reading.items() if word != "subgroup"}
    for name, value in {**arrays, **arguments, **request.opened}.items():
        if value is not None and value is not False and _texts(value) != _texts(saved.get(name)):
            raise InputError(
                f"{name} says how rows are read, and {os.fspath(path)!r} holds rows that are "
                f"counted; leave {name}= out, or give the rows"
            )
    if subgroups := _columns(request.reading.get("subgroup")):
        ev.model(ev.names[0]).by(*subgroups)  # refuses columns that were not counted
    # The default level of evaluate() keeps the level saved in the file.
    level, seed = request.inference["level"], request.inference["seed"]
    ev = replace(ev, level=ev.level if level == 0.95 else level, seed=seed or ev.seed)
    ev = ev if request.threshold is None else ev.at(threshold=request.threshold)
    if request.name is None:
        return ev
    named = replace(ev._counted, source=replace(ev._counted.source, name=request.name))
    return replace(ev, _counted=named)


def _texts(value: Any) -> list[str]:
    return list(map(str, value)) if isinstance(value, list | tuple) else [str(value)]


@checked(path=several(PATH, "a path, or a list of paths"))
def read(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], *, use: str | None = None
) -> Evaluation:
    """Return the evaluation that ``ev.to_json(path)`` or ``tallymark report --json`` wrote.

    It answers the same questions: numbers, intervals, curves, thresholds, subgroups.

    Parameters
    ----------
    path : str or path, or a list of such
        The file. Files of several sites, with the same models judged in the same way, are pooled:
        each site becomes a subgroup of the column ``site``, named after its file.
    use : str, optional
        What the classifier is for, as in :func:`evaluate`; by default, the use saved in the file.

    Raises
    ------
    InputError
        The file does not exist, has another format or schema, or contains damaged counts; sites
        differ in classes, models or thresholds.

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
        return for_use(_sites(files), use)
    counted, options = read_saved(files[0])
    return for_use(Evaluation(counted, **options), use)


def _sites(files: Sequence[str | os.PathLike[str]]) -> Evaluation:
    """Return the pooled counts of several sites as one evaluation."""
    names = [Path(f).stem for f in files]
    if len(set(names)) < len(names):
        names = [os.fspath(f) for f in files]
    if not files or len(set(names)) < len(names):
        raise InputError(
            f"path names {'a file twice' if files else 'no file'}; give each site's file once"
        )
    saved = [read_saved(f) for f in files]
    sites = {name: c for name, (c, _) in zip(names, saved, strict=True)}
    for name, (c, options) in zip(names, saved, strict=True):
        if not isinstance(c, CountedRows) or options.get("stratified"):
            raise InputError(
                f"{name!r} holds rows with several labels, or at another class balance, which "
                "cannot be added up; read it alone"
            )
    counted, first_options = pooled(cast("dict[str, CountedRows]", sites)), saved[0][1]
    if any(options["costs"] != first_options["costs"] for _, options in saved):
        first_options["costs"] = None
    others = {name: o["level"] for name, (_, o) in zip(names, saved, strict=True)}
    if len(set(others.values())) > 1:
        levels = ", ".join(f"{level:g} in {name!r}" for name, level in others.items())
        note = OTHER_LEVELS.finding(levels=levels, level=float(first_options["level"]))
        counted = replace(counted, notes=(*counted.notes, note))
    return Evaluation(counted, **first_options)


def _columns(subgroup: str | Sequence[str] | Mapping[str, Any] | None) -> list[str]:
    if isinstance(subgroup, Mapping) or type(subgroup).__name__ in _OF_ROWS:
        raise InputError(
            "subgroup names columns of a frame or file; give names, such as subgroup=['region']"
        )
    if subgroup is not None and not isinstance(subgroup, Iterable):
        raise InputError(f"subgroup is {subgroup!r}; name columns, such as subgroup=['region']")
    names = [subgroup] if isinstance(subgroup, str) else [] if subgroup is None else list(subgroup)
    for name in names:
        if not isinstance(name, str | int):
            raise InputError(
                f"subgroup holds {shown(name)}; name columns, such as subgroup=['region']"
            )
    return names


_OF_ROWS = ("Series", "DataFrame", "ChunkedArray", "Table")
"""Types with one value per row; they are accepted only with array input."""


def _refuse(arguments: Mapping[str, Any], kind: str, instead: str) -> None:
    for name, value in arguments.items():
        if value is not None:
            raise InputError(f"{name} does not go with {kind}; give {instead}")


# -- what one call asks --------------------------------------------------------------------------

_INSIDE = ("score_is", "ignore_case", "percent")
"""The words that only ``reading=`` accepts."""


@dataclass(frozen=True)
class Asked:
    """All arguments of ``evaluate``.

    Attributes
    ----------
    data, y_pred, y_score
        As given.
    reading : mapping
        The words of ``reading=`` that the user gave, there or as arguments.
    opened : mapping
        Every word of ``options=`` except ``level`` and ``seed``, and ``on``; None if not given.
    threshold : float, optional
        As given.
    inference : mapping
        ``level`` and ``seed``.
    name : str, optional
        What to call the data.
    progress : function, optional
        Called with the number of rows done and the total number of rows.
    counts : bool
        Whether the data are known to be counts instead of rows.

    """

    data: Any
    y_pred: Any
    y_score: Any
    reading: Mapping[str, Any]
    opened: Mapping[str, Any]
    threshold: float | None
    inference: Mapping[str, Any]
    name: str | None = None
    progress: Callable[[int, int], None] | None = None
    counts: bool = False

    @cached_property
    def of_plain_arrays(self) -> bool:
        """Whether the data are a NumPy array of labels, with predictions or scores beside it.

        Such input needs no interpretation, unless ``fold`` is a splitter.
        """
        alone = self.y_pred is None and self.y_score is None
        labels = isinstance(self.data, np.ndarray) and self.data.ndim == 1
        plain = labels and self.data.dtype.kind in "biuU"
        return plain and not alone and self.reading.get("fold") is None

    @property
    def names_predictions(self) -> bool:
        """Whether the user gave predictions, or named columns of predictions or of the truth."""
        named = self.words("truth", "pred", "score").values()
        return any(v is not None for v in (self.y_pred, self.y_score, *named))

    def judged(self, after: Any = None) -> Any:
        """Return the result of the first part that accepts this input, or None.

        A part that delegates passes its own function as ``after``: only later parts are tried.
        """
        inputs = added("inputs")
        inputs = inputs[inputs.index(after) + 1 if after else 0 :]
        return next((ev for judged in inputs if (ev := judged(self)) is not None), None)

    @cached_property
    def small_file(self) -> SmallFile | None:
        """The small file to search for a matrix or a report.

        None for other data, and where the user named columns, so that the file holds rows.
        """
        about_rows = [value for value in self.words(*ROLES).values() if value is not False]
        about_rows += [self.opened.get(word) for word in ("header", "sheet", "on")]
        about_rows += [self.y_pred, self.y_score]
        if not is_path(self.data) or any(value is not None for value in about_rows):
            return None
        from tallymark.reading.small import small_file

        return small_file(self.data, piped=self.counts)

    def words(self, *words: str) -> dict[str, Any]:
        """Return some words of the reading, None for those that were not given."""
        return {word: self.reading.get(word) for word in words}

    def arguments(self, *, name: str, **changes: Any) -> dict[str, Any]:
        """Return all arguments of ``evaluate`` except arrays, to call it again with changes.

        ``name`` is the name of the data unless the user gave one.
        """
        reading = {**self.reading, **changes}
        inside = {word: reading.pop(word) for word in _INSIDE if word in reading}
        opened = {k: v for k, v in self.opened.items() if v is not None and k != "on"}
        options = {"name": self.name or name, **opened}
        return {
            **reading,
            "reading": inside,
            "options": options,
            "on": self.opened.get("on"),
            "threshold": self.threshold,
            **self.inference,
        }

    @property
    def counting(self) -> dict[str, Any]:
        """The keyword arguments of a ``Job`` that do not name columns."""
        classes, missing = self.reading.get("classes"), self.reading.get("missing")
        codes = () if missing is None or isinstance(missing, str) else tuple(missing)
        scale = self.reading.get("score_is")
        percent = bool(self.reading.get("percent")) or scale == "percent"
        return {
            "labels": None if classes is None else tuple(classes),
            "threshold": of_percent(self.threshold) if percent else self.threshold,
            "missing": "drop" if codes else missing or "error",
            "codes": codes,
            "percent": percent,
            "score_is": None if scale == "percent" else scale,
        } | self.words("positive", "ignore_case", "score_of")
