"""Judge a verification system by its comparison scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from tallymark import Evaluation, InputError
from tallymark.core import (
    ANY,
    CLUSTERS,
    NOT_PROBABILITIES,
    TEXT,
    TEXTS,
    THRESHOLD_CHOSEN,
    Label,
    Source,
    as_scores,
    checked,
    is_path,
    is_table,
    listed,
    many,
    names_of,
    one_of,
    whole,
)
from tallymark.parts.verification.findings import NO_THRESHOLD, WRONG_WAY, note_of_people
from tallymark.parts.verification.intervals import PEOPLE, UNKNOWN
from tallymark.parts.verification.people import with_people
from tallymark.parts.verification.trials import Trials, names_distance, read_trials


@checked(
    genuine=ANY,
    impostor=ANY,
    kind=TEXTS,
    probe=TEXT,
    reference=TEXT,
    people=whole(2),
    higher_is=one_of("genuine", "impostor"),
)
def verify(
    genuine: Any,
    impostor: Any = None,
    *,
    score: str | Sequence[str] | None = None,
    kind: str | Sequence[str] | None = None,
    positive: Label | None = None,
    cluster: str | Literal[False] | None = None,
    probe: str | None = None,
    reference: str | None = None,
    people: int | None = None,
    higher_is: Literal["genuine", "impostor"] | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    missing: Literal["error", "drop"] = "error",
    source: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
) -> Evaluation:
    """Judge a verification system by its comparison scores, in the words of ISO/IEC 19795.

    Parameters
    ----------
    genuine : array of scores, {system: array}, a frame or the path of a file
        Comparisons of two samples of one person (mated, client, target). A frame or file without
        ``impostor`` holds both kinds: columns ``genuine`` and ``impostor`` side by side, or scores
        beside a column of the ``kind`` of each comparison, or beside the claimed and the real
        identity. Score files without a header, separated by blanks, are read by what they hold.
    impostor : array of scores, {system: array}, a frame or the path of a file
        Comparisons of samples of different people (non-mated, non-target). Several systems are
        compared on the same trials, so that all have as many scores.
    score, kind : str or sequence of str, optional
        Columns of a frame or file: the scores, one or several systems', and what tells genuine and
        impostor, mated and non-mated, target and nontarget, or 1 and 0; or the two columns of
        identities, which are equal in genuine comparisons.
    positive : label, optional
        The value of genuine comparisons, where the words of the two kinds do not tell.
    cluster : str or False, optional
        Column of a frame or file that says which comparisons belong together, such as the site.
        With False each comparison has people of its own.
    probe, reference : str, optional
        Columns of a frame or file with the person of either side. They are found if they have
        usual names and are equal in genuine comparisons alone. Comparisons that share a person are
        not independent, and intervals then allow for it.
    people : int, optional
        How many people there are, if they recur and nothing says who is compared: the intervals
        count half as many comparisons, since so many can share none.
    higher_is : {"genuine", "impostor"}, optional
        "genuine" for similarities, as unless given; "impostor" for distances, whose sign is then
        changed, and so is that of ``threshold``.
    threshold : float, optional
        Scores at or above it (distances at or below it) are accepted: FMR and FNMR are given there.
    level, seed, missing, source, header, sheet
        As in :func:`evaluate`.

    Raises
    ------
    InputError
        Scores missing or infinite, an empty side, systems that differ between both sides.

    Examples
    --------
    >>> import tallymark as tm
    >>> ev = tm.verify([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.5], threshold=0.45)
    >>> ev["FMR"].value, ev["FNMR"].value
    (0.3333333333333333, 0.25)
    >>> ev["EER"].value
    0.25
    >>> [rates.fnmr.value for rates in ev.verification()["system"].at_fmr]
    [0.25, 0.25, 0.25]

    """
    trials = _both_kinds(
        genuine,
        impostor,
        score=score,
        kind=kind,
        positive=positive,
        cluster=cluster,
        probe=probe,
        reference=reference,
        header=header,
        sheet=sheet,
    )
    _refuse_people(people, trials)
    read = trials.source
    column = read._roles.get("score")
    if higher_is is None and isinstance(column, str) and names_distance(column):
        raise InputError(
            f"{column!r} is a name of distances, which are low for genuine pairs; say "
            "higher_is='impostor', or higher_is='genuine' if they are similarities"
        )
    sign = -1.0 if higher_is == "impostor" else 1.0
    y_true, scores = _side_by_side(trials.genuine, trials.impostor)
    _refuse_missing(scores, missing)
    sides = trials.people
    ev = tm.evaluate(
        y_true,
        y_score={name: sign * columns for name, columns in scores.items()},
        positive="genuine",
        cluster=None if trials.clusters is None else np.concatenate(trials.clusters),
        threshold=None if threshold is None else sign * threshold,
        level=level,
        seed=seed,
        missing=missing,
    )
    repeat = UNKNOWN if trials.repeated and people is None else people
    read = replace(
        read,
        name=source or read.name,
        positive=read.positive or "genuine",
        use="similarities" if sign > 0 else "distances",
        checks=read.checks if repeat is None else {**read.checks, PEOPLE: repeat},
    )
    left_out = (THRESHOLD_CHOSEN.code, NOT_PROBABILITIES.code)
    notes = [n for n in ev._counted.notes if n.rule not in left_out]
    counted = replace(ev._one_column, source=read)
    if sides is not None:
        counted = with_people(counted, sides[_complete(scores)])
        notes = [n for n in notes if n.rule != CLUSTERS.code]
    if threshold is None:
        notes.append(NO_THRESHOLD.finding())
    for m in ev.models:
        if tm.metrics.roc_auc(m.scores[0]) < 0.5:
            notes.append(WRONG_WAY.finding(m.name))
    if cluster is None:
        notes.append(note_of_people(counted, trials.repeated))
    return replace(ev, _counted=replace(counted, notes=tuple(notes)))


def _refuse_people(people: int | None, trials: Trials) -> None:
    """Refuse a number of people where it is known which comparisons belong together."""
    if people is None or trials.clusters is None:
        return
    columns = trials.source._roles.get("people") or trials.source._roles["cluster"]
    raise InputError(
        f"people says how many there are where nothing tells who is compared, and "
        f"{listed(names_of(columns))} tells it; leave people out"
    )


def _complete(scores: Mapping[str, NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Tell which comparisons have a score of every system."""
    return np.asarray(~np.any([np.isnan(column) for column in scores.values()], 0))


def _both_kinds(genuine: Any, impostor: Any, **named: Any) -> Trials:
    """Return the scores of both kinds of comparisons, of arrays or as tables hold them."""
    both = (genuine, impostor)
    tables = [is_path(v) or (is_table(v) and not isinstance(v, Mapping)) for v in both]
    if tables[0] and (impostor is None or tables[1]):
        return read_trials(genuine, impostor, **named)
    if impostor is None or any(tables):
        raise InputError(
            "genuine and impostor are two arrays, two files or frames, or one file or frame of "
            "both kinds; give impostor=... in the same form as genuine"
        )
    for name, value in named.items():
        if value is not None:
            instead = "{system: array} for several systems"
            if name in ("probe", "reference"):
                instead = "one table with the score, the kind and the people of each comparison"
            raise InputError(f"{name} does not go with arrays; give {instead}")
    systems = tuple(map(str, genuine)) if isinstance(genuine, Mapping) else "system"
    source = Source("verification", _roles={"score": systems}, positive="genuine")
    return Trials(genuine, impostor, source)


def _side_by_side(genuine: Any, impostor: Any) -> tuple[list[str], dict[str, NDArray[np.float64]]]:
    """Return the kind of each comparison, and the scores of every system."""
    systems = [s if isinstance(s, Mapping) else {"system": s} for s in (genuine, impostor)]
    if not systems[0] or set(systems[0]) != set(systems[1]):
        raise InputError(
            f"genuine names the systems {list(systems[0])} and impostor {list(systems[1])}; give "
            "scores of the same systems"
        )
    y_true: list[str] = []
    scores: dict[str, list[NDArray[np.float64]]] = {name: [] for name in systems[0]}
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
    for columns in scores.values():
        marks = [np.array_equal(np.unique(v), (0, 1)) for v in columns]
        if sum(marks) == 1:
            side, other = ("genuine", "impostor") if marks[0] else ("impostor", "genuine")
            raise InputError(
                f"{side} holds 0 and 1 alone, as the labels of a list of trials do, and {other} "
                "holds scores; give one table that has the label and the score of each comparison"
            )
    return y_true, {name: np.concatenate(columns) for name, columns in scores.items()}


def _refuse_missing(scores: Mapping[str, NDArray[np.float64]], missing: str) -> None:
    """Refuse comparisons without a score: both kinds are apart, so no place in a file is named."""
    for name, column in scores.items():
        lost = int(np.isnan(column).sum())
        if lost and missing == "error":
            raise InputError(
                f"the score {name!r} is missing in {many(lost, 'comparison')} of {len(column):,}; "
                "correct the data, or say missing='drop' to leave them out"
            )
