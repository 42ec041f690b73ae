"""Leaderboards of models that answered the same questions, with what the questions can show."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from os import PathLike
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tallymark import InputError, Value
from tallymark.core import (
    TEXT,
    Display,
    Document,
    Floats,
    Listing,
    check_name,
    checked,
    fields_of,
    holm,
    listed,
    many,
    maximal_sets,
    pair_of,
    plain_data,
    proved_pairs,
    quantile,
    rank_ranges,
    whole,
    write_text,
)
from tallymark.parts.evals.page import render
from tallymark.parts.evals.reading import Read
from tallymark.parts.evals.tally import GradeTally
from tallymark.parts.evals.units import (
    FEWEST_CLUSTERS,
    FEWEST_QUESTIONS,
    Bounds,
    Units,
    consistency,
    pass_all,
    pass_at,
    questions_needed,
    smallest_difference,
)
from tallymark.parts.evals.words import verdict

POWER = 0.8
"""The power with which the smallest difference is shown."""

MOST_MODELS = 200
MOST_QUESTIONS = 10**15

Weigh = Literal["items", "tasks"]


@dataclass(frozen=True, slots=True, repr=False)
class Standing(Display):
    """A model of a leaderboard: its mean grade, and the ranks that it may have.

    ``rank_low`` is 1 plus the number of models proved better, ``rank_high`` the number of models
    minus those proved worse. ``answers`` are the fewest and the most to a question, ``missing`` the
    questions that the model lacks and others have, ``left_out`` and ``wrong`` its answers without
    a grade that are left out, or counted as wrong.
    """

    model: str
    value: Value
    rank_low: int
    rank_high: int
    answers: tuple[int, int]
    missing: int = 0
    left_out: int = 0
    wrong: int = 0


@dataclass(frozen=True, slots=True, repr=False)
class GradedPair(Display):
    """Two models on the same questions: the difference of their mean grades, first minus second.

    ``adjusted`` is the p-value by Holm's method over all pairs, and decides about ``winner``, None
    where no difference is proved. ``first_better``, ``equal`` and ``second_better`` count
    questions. ``disagreement`` is the mean squared difference: of grades of 0 and 1 the share of
    questions that only one model solves. ``smallest`` is the smallest difference that these
    questions show with a power of 80 %, None if they show none.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    level: float
    p_value: float
    adjusted: float
    winner: str | None
    first_better: int
    equal: int
    second_better: int
    disagreement: float
    smallest: float | None
    method: str

    def _reversed(self) -> GradedPair:
        """Return the comparison with the two models swapped."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=0.0 - self.difference,  # not -0
            low=0.0 - self.high,
            high=0.0 - self.low,
            first_better=self.second_better,
            second_better=self.first_better,
        )


@checked
@dataclass(frozen=True, eq=False, repr=False)
class Leaderboard(Document):
    """A ranking of models by mean grade over the questions that all of them answered.

    ``models`` are from the best mean down. ``groups`` are the largest sets of models of which no
    two are proved different; they may overlap. ``weigh`` says whether each question or each task
    counts the same. ``solved_by_all`` and ``solved_by_none`` are numbers of questions that cannot
    tell the models apart. Printing it shows all of this; ``verdict`` says it in sentences.
    """

    source: str
    level: float
    weigh: Weigh
    questions: int
    clusters: int | None
    tasks: tuple[str, ...]
    models: tuple[Standing, ...]
    pairs: tuple[GradedPair, ...]
    groups: tuple[tuple[str, ...], ...]
    solved_by_all: int
    solved_by_none: int
    least: float | None
    read_as: tuple[str, ...]
    warnings: tuple[str, ...]
    _tally: GradeTally = field(repr=False)
    _method: str = "auto"

    @property
    def tally(self) -> GradeTally:
        """The counts of all questions, those that only some models answered too."""
        return self._tally

    @cached_property
    def _common(self) -> GradeTally:
        return self._tally._kept(_answered_by_all(self._tally))

    @property
    def verdict(self) -> str:
        """The result in sentences."""
        return verdict(self)

    def pair(self, first: str, second: str) -> GradedPair:
        """Return the comparison of two models, first minus second.

        Raises
        ------
        InputError
            A model that is not there, or the same model twice.

        """
        return pair_of(self.pairs, [m.model for m in self.models], first, second)

    @checked(task=TEXT)
    def on(self, task: str) -> Leaderboard:
        """Return the leaderboard of one task.

        Raises
        ------
        InputError
            A task that is not there.

        """
        check_name("task", task, self.tasks)
        label = next(t for t in self._tally.tasks if str(t) == task)
        read = Read(self._tally.on(label), f"{self.source}, {task}", self.read_as)
        return leaderboard(
            read, level=self.level, weigh="items", least=self.least, method=self._method
        )

    @cached_property
    def by_task(self) -> dict[str, dict[str, Value]]:
        """The mean grade of each model on each task: {task: {model: value}}."""
        if len(self.tasks) == 1:
            return {self.tasks[0]: {m.model: m.value for m in self.models}}
        common, out = self._common, {}
        for label, name in zip(self._tally.tasks, self.tasks, strict=True):
            if not np.any(common.task == self._tally.tasks.index(label)):
                continue  # no question of the task was answered by all models
            part = common.on(label)
            units = _units(part, "items") if _has_clusters(part) else Units(len(part.items))
            out[name] = {
                str(m): _value(units.mean(x, self.level, shares=_shares(part)), self.level)
                for m, x in zip(part.models, part.means, strict=True)
            }
        return out

    @checked(k=whole(1))
    def pass_at(self, k: int) -> dict[str, Value]:
        """Return pass@k of each model: the probability that one of k answers is right.

        It is the mean over questions of 1 - C(n-c, k) / C(n, k), with c of n answers right.

        Raises
        ------
        InputError
            Grades other than 0 and 1, or a question with fewer than k answers.

        """
        return self._of_answers("pass_at_k", k, pass_at)

    @checked(k=whole(1))
    def pass_all(self, k: int) -> dict[str, Value]:
        """Return pass^k of each model: the probability that k answers are all right.

        Raises
        ------
        InputError
            Grades other than 0 and 1, or a question with fewer than k answers.

        """
        return self._of_answers("pass_hat_k", k, pass_all)

    def consistency(self) -> dict[str, Value]:
        """Return the share of pairs of answers to one question that are both right or both wrong.

        Raises
        ------
        InputError
            Grades other than 0 and 1, or a question with one answer.

        """
        return self._of_answers("epoch_consistency", 2, lambda c, n, _: consistency(c, n))

    def _of_answers(self, name: str, k: int, of: Any) -> dict[str, Value]:
        tally = self._common
        if not tally.shares:
            raise InputError(f"{name} counts right answers, and these are grades between 0 and 1")
        fewest = int(tally.answers.min())
        if fewest < k:
            i = int(tally.answers.min(1).argmin())
            raise InputError(
                f"{name} with k = {k} needs {k} answers to each question, and {tally.models[i]} "
                f"has {fewest} to some; give k=... of at most {fewest}"
                if fewest > 1 or name != "epoch_consistency"
                else f"{name} needs two answers to each question, and {tally.models[i]} has one to "
                "some; give the answers of several epochs"
            )
        units, out = _units(tally, self.weigh), {}
        for model, right, answers in zip(tally.models, tally.sums, tally.answers, strict=True):
            values = of(right, answers, k)
            shares = bool(((values == 0) | (values == 1)).all())
            bounds = units.mean(values, self.level, shares=shares and k == 1 == answers.max())
            out[str(model)] = _value(bounds, self.level, name, {"k": k})
        return {m.model: out[m.model] for m in self.models}

    def smallest_difference(self, power: float = POWER) -> float:
        """Return the smallest difference of the first two models that these questions show.

        It solves Connor's equation for the observed disagreement of the two; NaN where they never
        disagree, or where these questions show no difference at all.
        """
        if not self.pairs:
            raise InputError("one model has no difference to another; give the answers of two")
        units = _units(self._common, self.weigh)
        return _smallest(self.pairs[0].disagreement, units, self.level, power)

    @checked
    def questions_for(self, least: float, power: float = POWER) -> int:
        """Return the number of questions that show a difference of the first two models.

        Raises
        ------
        InputError
            One model, models that never disagree, a difference above their disagreement.

        """
        if not self.pairs:
            raise InputError("one model has no difference to another; give the answers of two")
        q = self.pairs[0].disagreement
        if not least <= math.sqrt(q) or (self.clusters is None and least > q):
            raise InputError(
                f"the first two models disagree on {100 * q:.3g} % of the questions, so a "
                f"difference of {least:g} is impossible; give a smaller least=..."
            )
        z = NormalDist().inv_cdf(power)
        n = questions_needed(least, q, quantile(self.level), z)
        if not n <= MOST_QUESTIONS:
            raise InputError(f"no number of questions shows {least:g}; give a larger least=...")
        return math.ceil(n)

    @checked
    def compare(self, *, least: float | None = None) -> Leaderboard:
        """Return the leaderboard with a verdict on the smallest difference that matters."""
        return replace(self, least=least)

    def table(self) -> Listing:
        """Return a row for each model: its mean with the interval, and its ranks."""
        names = ("value", "low", "high", "level", "se", "method")
        return Listing(
            tuple(
                {"model": m.model}
                | {n: getattr(m.value, n) for n in names}
                | {"rank_low": m.rank_low, "rank_high": m.rank_high}
                | {"answers_low": m.answers[0], "answers_high": m.answers[1]}
                | {"missing": m.missing, "left_out": m.left_out, "wrong": m.wrong}
                for m in self.models
            )
        )

    def table_of_pairs(self) -> Listing:
        """Return a row for each pair of models."""
        return Listing(tuple(p.to_dict() for p in self.pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data for JSON, with its format and version."""
        return {
            **self._heading("leaderboard"),
            **fields_of(self),
            "by_task": plain_data(self.by_task),
            "verdict": self.verdict,
        }

    def report(self, path: str | PathLike[str] = "leaderboard.html") -> Path:
        """Write one self-contained HTML file, which needs no network."""
        return write_text(path, render(self))


# -- what is computed --------------------------------------------------------------------------


def leaderboard(
    read: Read,
    *,
    level: float,
    weigh: Weigh | None,
    least: float | None,
    method: str,
) -> Leaderboard:
    """Return the leaderboard of counted answers."""
    tally = read.tally
    if len(tally.models) > MOST_MODELS:
        raise InputError(
            f"there are {len(tally.models):,} models; compare at most {MOST_MODELS}, or name the "
            "column of the model with model=..."
        )
    of_all = _answered_by_all(tally)
    common = tally._kept(of_all)
    _refuse_empty(tally, common)
    tasks = tuple(str(t) for t in tally.tasks)
    weigh = weigh or ("tasks" if len(tasks) > 1 else "items")
    units, means, shares = _units(common, weigh), common.means, _shares(common)
    names = [str(m) for m in tally.models]
    exact = method == "clopper-pearson"
    values = [_value(units.mean(x, level, shares=shares, exact=exact), level) for x in means]
    order = sorted(range(len(names)), key=lambda i: (-values[i].value, i))
    pairs = _pairs(order, names, means, units, level, shares=shares)
    apart = set(proved_pairs(pairs))
    ranks = rank_ranges(names, apart)
    left_out: Any = tally.left_out
    wrong: Any = tally.wrong
    models = []
    for i in order:
        answers = common.answers[i]
        models.append(
            Standing(
                names[i],
                values[i],
                *ranks[names[i]],
                (int(answers.min()), int(answers.max())),
                int(np.count_nonzero(tally.answers[i] == 0)),
                int(left_out[i]),
                int(wrong[i]),
            )
        )
    by_all, by_none = (
        int(np.count_nonzero((common.sums == most).all(0))) for most in (common.answers, 0)
    )
    result = Leaderboard(
        read.name,
        level,
        weigh,
        len(common.items),
        units.number if units.cluster is not None else None,
        tasks,
        tuple(models),
        pairs,
        tuple(maximal_sets([m.model for m in models], apart)),
        by_all,
        by_none,
        least,
        read.how,
        (),
        tally,
        method,
    )
    return replace(result, warnings=(*read.warnings, *_warnings(result)))


def _answered_by_all(tally: GradeTally) -> NDArray[np.bool_]:
    return np.asarray((tally.answers > 0).all(0), dtype=np.bool_)


def _refuse_empty(tally: GradeTally, common: GradeTally) -> None:
    if len(common.items):
        return
    if not tally.answers.any():
        raise InputError("no answer has a grade; errors='wrong' counts such answers as wrong")
    fewest = int((tally.answers > 0).sum(1).argmin())
    raise InputError(
        f"no question was answered by all {len(tally.models)} models; leave "
        f"{str(tally.models[fewest])!r}, which answered the fewest, out"
    )


def _shares(common: GradeTally) -> bool:
    """Tell whether every question has one grade, 0 or 1."""
    return common.shares and bool((common.answers == 1).all())


def _has_clusters(tally: GradeTally) -> bool:
    return tally.cluster is not None and len(set(tally.cluster.tolist())) > 1


def _units(common: GradeTally, weigh: Weigh) -> Units:
    """Return the units of the questions that all models answered."""
    n = len(common.items)
    cluster = None if common.cluster is None else np.unique(common.cluster, return_inverse=True)[1]
    tasks: Any = common.task
    task = np.unique(tasks, return_inverse=True)[1]
    if weigh == "items" or not task.any():
        return Units(n, cluster=cluster)
    sizes = np.bincount(task)
    return Units(n, n / (len(sizes) * sizes[task]), cluster, task)


def _value(bounds: Bounds, level: float, name: str = "mean_grade", definition: Any = None) -> Value:
    error = math.sqrt(bounds.variance)
    return Value(
        name,
        bounds.value,
        bounds.low,
        bounds.high,
        level,
        bounds.method,
        definition=definition or {},
        se=error if error > 0 else None,
    )


def _smallest(disagreement: float, units: Units, level: float, power: float) -> float:
    most = None if units.plain else math.sqrt(max(disagreement, 0.0))
    of_power = NormalDist().inv_cdf(power)
    return smallest_difference(units.questions, disagreement, quantile(level), of_power, most)


def _pairs(
    order: Sequence[int],
    names: Sequence[str],
    means: Floats,
    units: Units,
    level: float,
    *,
    shares: bool,
) -> tuple[GradedPair, ...]:
    """Return all pairs of models, the better one first, with Holm's correction."""
    chosen = list(combinations(order, 2))
    results = [units.difference(means[i], means[j], level, shares=shares) for i, j in chosen]
    adjusted = holm(np.array([b.p_value for b in results])) if chosen else np.zeros(0)
    out = []
    for (i, j), b, p in zip(chosen, results, adjusted.tolist(), strict=True):
        proved = p < 1 - level and b.value != 0
        winner = (names[i] if b.value > 0 else names[j]) if proved else None
        d = means[i] - means[j]
        more, equal, less = (int(np.count_nonzero(of)) for of in (d > 0, d == 0, d < 0))
        q = units.disagreement(b)
        smallest = _smallest(q, units, level, POWER)
        out.append(
            GradedPair(
                names[i],
                names[j],
                b.value,
                b.low,
                b.high,
                level,
                b.p_value,
                p,
                winner,
                more,
                equal,
                less,
                q,
                None if math.isnan(smallest) else smallest,
                b.method,
            )
        )
    return tuple(out)


def _warnings(board: Leaderboard) -> Iterator[str]:
    """Yield warnings about the data, such as questions that some models did not answer."""
    if (g := board.clusters) is not None and g < FEWEST_CLUSTERS:
        shows = many(g, "cluster shows", "clusters show")
        yield f"{shows} little about how clusters vary; add clusters"
    elif board.questions < FEWEST_QUESTIONS:
        shows = many(board.questions, "question shows", "questions show")
        yield f"{shows} little; add questions"
    unequal = [m for m in board.models if m.answers[0] < m.answers[1]]
    if unequal:
        low = min(m.answers[0] for m in unequal)
        high = max(m.answers[1] for m in unequal)
        yield (
            f"questions have {low} to {high} answers ({listed([m.model for m in unequal])}); each "
            "question counts the same, and those with few answers add more chance"
        )
    lacking = [m for m in board.models if m.missing]
    if lacking and len(board.models) > 1:
        of = ", ".join(f"{m.model} lacks {m.missing:,}" for m in lacking)
        yield (
            f"models are compared on the {many(board.questions, 'question')} that all of them "
            f"answered: {of}"
        )
