"""The public functions: tallymark.evals and tallymark.win_rate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from tallymark import InputError, Value
from tallymark.core import ANY, FLAG, TEXT, TEXTS, checked, one_of, whole
from tallymark.parts.evals.leaderboard import Leaderboard, Weigh, leaderboard
from tallymark.parts.evals.reading import Errors, Read, read_graded
from tallymark.parts.evals.tally import GradeTally
from tallymark.parts.evals.units import win_bounds


@checked(
    item=ANY,
    task=ANY,
    graded=TEXT | TEXTS,
    **dict.fromkeys(("epoch", "model", "scorer"), TEXT),
    errors=one_of("wrong", "left-out"),
    weigh=one_of("items", "tasks"),
    method=one_of("auto", "clopper-pearson"),
    header=FLAG,
)
def evals(
    data: Any,
    graded: str | Sequence[str] | None = None,
    *,
    item: Any = None,
    epoch: str | None = None,
    model: str | None = None,
    task: Any = None,
    cluster: Any = None,
    scorer: str | None = None,
    errors: Errors | None = None,
    weigh: Weigh | None = None,
    least: float | None = None,
    method: Literal["auto", "clopper-pearson"] = "auto",
    level: float = 0.95,
    header: bool | None = None,
    sheet: str | None = None,
) -> Leaderboard:
    """Rank models by their graded answers, and compare those that answered the same questions.

    Parameters
    ----------
    data : array (n,) or (n, epochs), or {model: array}, or a frame, a path, or several paths
        Grades from 0 (wrong) to 1 (right): numbers, true and false, or words such as correct and
        incorrect. A frame or a file has one row per answer, or one row per question with one
        column of grades for each model. Of several files, or {model: file or frame}, each without
        a column of models is a model. A ``GradeTally`` is already counted.
    graded : str, or sequence of str, optional
        The column of grades of rows that are one answer each. By default a column called
        ``correct``, ``acc``, ``score``, ``passed``, ``match``, ``value`` or the like. Several
        columns are those of several models, in rows that are one question each.
    item : str, or array (n,), optional
        The column that names the question: it matches the answers of several models and epochs.
        By default ``item``, ``question_id``, ``doc_id`` or the like; else each row is a question.
    epoch : str, optional
        The column that tells repeated answers to one question apart. Without it, rows of one
        question and model are repeated answers.
    model : str, optional
        The column of the model.
    task : str, or array (n,), optional
        The column of the task, such as the data set of a question.
    cluster : str, or array (n,), optional
        Which questions belong together, such as those about one text. Intervals and tests then
        treat clusters as independent, not questions.
    scorer : str, optional
        Whose grades to use, where a column ``scorer`` or ``metric`` has several.
    errors : {"left-out", "wrong"}, optional
        What to do with answers that have no grade: missing ones, and those whose column ``state``
        says ``error`` or ``unscored``. By default they are left out with a warning.
    weigh : {"tasks", "items"}, optional
        Whether each task (the default with several tasks) or each question counts the same.
    least : float, optional
        The smallest difference that matters, such as 0.02: the verdict says how many questions
        would show it.
    method : {"auto", "clopper-pearson"}
        The interval of independent grades of 0 and 1: Wilson's, or one that always covers as often
        as its level.
    level : float
        Confidence level of intervals; two models are proved different if p, by Holm's method over
        all pairs, is below 1 - level.
    header, sheet : optional
        Of a file, as in :func:`tallymark.evaluate`.

    Returns
    -------
    Leaderboard
        The mean of each model is over questions, the mean of its epochs at each. Intervals are
        Wilson's for one independent grade of 0 or 1 per question, else the beta posterior with one
        more question (or cluster) placed by chance. Pairs are judged by McNemar's mid-p test, the
        same posterior of (d + 1) / 2, or, in clusters, Student's t with a delete-one-cluster
        jackknife. Sources: wilson1927, fagerland2013, holm1979, chen2021.

    Raises
    ------
    InputError
        Grades outside 0 to 1, no column of grades, several answers without a column of questions,
        no question that all models answered, one cluster.

    Examples
    --------
    >>> import tallymark as tm
    >>> board = tm.evals({"a": [1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1],
    ...                   "b": [0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 1]})
    >>> print(board.models[0].value)
    0.92 (95 % CI 0.65 to 0.99), SE 0.08
    >>> board.pair("a", "b").winner
    'a'

    """
    named = {"graded": graded, "item": item, "epoch": epoch, "model": model, "task": task}
    named |= {"cluster": cluster, "scorer": scorer}
    if isinstance(data, GradeTally):
        read = Read(data, "tally")
    else:
        read = read_graded(data, named, errors, header=header, sheet=sheet)
    return leaderboard(read, level=level, weigh=weigh, least=least, method=method)


@checked(wins=whole(0), losses=whole(0), ties=whole(0))
def win_rate(wins: int, losses: int, ties: int = 0, *, level: float = 0.95) -> Value:
    """Return the share of comparisons that a model wins, with ties as half a win.

    Parameters
    ----------
    wins, losses, ties : int
        Independent comparisons with another model. If both orders of each pair of answers were
        judged, they are no independent comparisons: give ``tm.evals`` the grades 1, 0.5 and 0 with
        ``cluster=`` the pair.
    level : float
        Confidence level of the interval.

    Returns
    -------
    Value
        With the beta posterior with one more case placed by chance. ``definition["p_value"]`` is
        that of the sign test (mid-p) of equal models.

    Raises
    ------
    InputError
        No comparison at all.

    Examples
    --------
    >>> print(win_rate(48, 40, 5))
    0.54 (95 % CI 0.44 to 0.64), SE 0.05

    """
    n = wins + losses + ties
    if not n:
        raise InputError("there is no comparison; give wins, losses and ties")
    b = win_bounds(wins, losses, ties, level)
    definition = {"wins": wins, "losses": losses, "ties": ties, "p_value": b.p_value}
    error = math.sqrt(b.variance)
    return Value(
        "win_rate", b.value, b.low, b.high, level, b.method, definition=definition, se=error or None
    )
