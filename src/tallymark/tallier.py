"""Predictions that come in batches: counted as they come, judged whenever somebody asks."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from tallymark.data import chunk_of_arrays
from tallymark.data.ingest import Job
from tallymark.data.stream import Batch, Buffer, Counted, Known, known_after
from tallymark.errors import InputError
from tallymark.metric import get
from tallymark.metric.measure import Statistic
from tallymark.metric.proportion import quantile
from tallymark.report.evaluation import Evaluation
from tallymark.tally import io
from tallymark.tally.arrays import Label, plain_label
from tallymark.tally.bins import Bins
from tallymark.tally.labels import Missing

_LEAST = 1 << 21
"""So many scores wait before they are counted, or as many as there are distinct ones: then every
score is merged once or twice in all, however small the batches."""


_FEWEST_BINS = 1024
"""With fewer bins the brackets say little."""


@dataclass(frozen=True, slots=True)
class _Options:
    """What was asked for once, of all batches."""

    positive: Label | None
    labels: tuple[Label, ...] | None
    threshold: float | None
    level: float
    seed: int
    missing: Missing
    bins: int | Bins | None

    @property
    def kept(self) -> tuple[float, ...]:
        """Thresholds that stay exact in bins."""
        return (0.0, 0.5) if self.threshold is None else (self.threshold,)


@dataclass(frozen=True, slots=True)
class _Saved:
    """What a file holds of a Tallier."""

    options: dict[str, Any]
    counted: dict[str, Any] | None


class Tallier:
    """Counts predictions batch by batch; what is asked of it is asked of all rows so far.

    Threads may update one Tallier together; processes each fill their own and send it back to be
    added up. Only counts are kept: memory grows with the number of distinct scores, not of rows.

    Parameters
    ----------
    positive : label, optional
        The positive class of two; not needed for {0, 1}, {False, True} and {-1, 1}.
    labels : sequence, optional
        The classes in the order wanted, and of the columns of scores. Without it classes are
        taken as they come.
    threshold : float, optional
        Scores at or above it are called positive: 0.5 of probabilities unless given.
    level, seed
        Of the intervals, as in :func:`tallymark.evaluate`.
    missing : {"error", "drop"}
        What to do with rows where a label or a score is missing.
    bins : int or Bins, optional
        How many distinct scores to keep: of more, neighbours are counted together in about so many
        bins, and every number comes with the bracket within which it must lie. Talliers to be added
        up need the same :class:`Bins`.

    Raises
    ------
    InputError
        A batch that cannot be counted, or is of another kind than those before. It then changes
        nothing.

    Examples
    --------
    >>> import tallymark as tm
    >>> tally = tm.Tallier()
    >>> tally.update([0, 0, 0], y_score=[0.1, 0.4, 0.2])
    >>> tally.update([1, 0, 1], y_score=[0.8, 0.5, 0.3])
    >>> tally.rows, tally.value("roc_auc")
    (6, 0.75)
    >>> tally.result()["sensitivity"].value
    0.5

    """

    def __init__(
        self,
        positive: Label | None = None,
        labels: Sequence[Label] | None = None,
        threshold: float | None = None,
        *,
        level: float = 0.95,
        seed: int = 0,
        missing: Missing = "error",
        bins: int | Bins | None = None,
    ) -> None:
        if bins is not None and not isinstance(bins, Bins):
            if not isinstance(bins, int) or isinstance(bins, bool) or bins < _FEWEST_BINS:
                raise InputError(
                    f"bins is {bins!r}; give a whole number, at least {_FEWEST_BINS:,}, or Bins"
                )
            bins = int(bins)
        if threshold is not None and math.isnan(threshold):
            raise InputError(
                "threshold is NaN; give the number at or above which scores are positive"
            )
        if missing not in ("error", "drop"):
            raise InputError(f"missing is {missing!r}; say 'error' or 'drop'")
        quantile(level)
        named = None if labels is None else tuple(plain_label(label) for label in labels)
        if named is not None and len(set(named)) < len(named):
            raise InputError(f"labels names a class twice: {list(named)}")
        chosen = None if positive is None else plain_label(positive)
        cut = None if threshold is None else float(threshold)
        self._options = _Options(chosen, named, cut, float(level), int(seed), missing, bins)
        self._counted: Counted | None = None
        self._start()

    def _start(self) -> None:
        self._lock = threading.RLock()
        self._saving = threading.Lock()
        self._buffer = Buffer()
        o = self._options
        self._job = Job(
            source="a stream", truth="y_true", models=(), weight="sample_weight",
            labels=o.labels, positive=o.positive, threshold=o.threshold, missing=o.missing,
        )  # fmt: skip
        # Of all batches, those still waiting to be counted too.
        self._kind = None if self._counted is None else self._counted.kind
        self._known = Known() if self._counted is None else self._counted.known

    # -- counting ------------------------------------------------------------------------------

    def update(
        self, y_true: Any, y_pred: Any = None, *, y_score: Any = None, sample_weight: Any = None
    ) -> None:
        """Count a batch: all of it, or nothing where it is refused.

        The arguments are those of :func:`tallymark.evaluate`, of one model; tensors of PyTorch and
        of TensorFlow and JAX are taken as they are, also from a device or with a gradient.

        >>> import tallymark as tm
        >>> tally = tm.Tallier()
        >>> tally.update(["a", "b"], ["a", "a"])
        >>> tally.update(["c", "b"], ["c", "b"])
        >>> tally.value("accuracy")
        0.75
        """
        for name, given in (("y_pred", y_pred), ("y_score", y_score)):
            if isinstance(given, Mapping):
                raise InputError(f"{name} is a mapping of models; count one model a Tallier")
        chunk, (model,) = chunk_of_arrays(y_true, y_pred, y_score, sample_weight=sample_weight)
        batch = Batch.of(chunk, model, self._job)
        with self._lock:
            if self._kind is not None:
                self._kind.refuse_other(batch.kind)
            known = known_after(self._known, batch, self._job)
            self._buffer.add(batch, known)
            self._kind, self._known = batch.kind, known
            groups = self._counted.groups if self._counted is not None else 0
            if self._buffer.rows >= max(_LEAST // max(batch.kind.columns, 1), groups):
                self._count()

    def _count(self) -> Counted | None:
        """Count the rows that wait, and return all counts; None before the first batch."""
        if self._buffer.batches and self._kind is not None:
            made = Counted.of(self._buffer, self._kind, self._known, self._job)
            whole = made if self._counted is None else self._counted.plus(made, self._job)
            self._counted, self._buffer = self._bounded(whole), Buffer()
        return self._counted

    def _bounded(self, counts: Counted) -> Counted:
        return counts.binned(self._options.bins, self._options.kept)

    def merge(self, other: Tallier) -> None:
        """Add the counts of another Tallier, which stays as it is.

        >>> import tallymark as tm
        >>> here, there = tm.Tallier(), tm.Tallier()
        >>> here.update([0, 1], [0, 1])
        >>> there.update([1, 1], [0, 1])
        >>> here.merge(there)
        >>> here.value("accuracy")
        0.75
        """
        if not isinstance(other, Tallier):
            raise InputError(f"a Tallier adds up with another Tallier, not {type(other).__name__}")
        if other._options != self._options:
            name = next(
                n for n in _Options.__slots__
                if getattr(other._options, n) != getattr(self._options, n)
            )  # fmt: skip
            mine, its = (repr(getattr(o, name)) for o in (self._options, other._options))
            raise InputError(
                f"{name} is {mine} in one Tallier and {its} in the other; make both alike"
            )
        with other._lock:
            counts = other._count()
        if counts is None:
            return
        with self._lock:
            own = self._count()
            whole = counts if own is None else own.plus(counts, self._job)
            self._counted = self._bounded(whole)
            self._kind, self._known = self._counted.kind, self._counted.known

    def __add__(self, other: object) -> Tallier:
        if not isinstance(other, Tallier):
            return NotImplemented
        made = self.copy()
        made.merge(other)
        return made

    def reset(self) -> None:
        """Forget all rows; what was asked for stays."""
        with self._lock:
            self._counted, self._buffer = None, Buffer()
            self._kind, self._known = None, Known()

    # -- asking --------------------------------------------------------------------------------

    @property
    def rows(self) -> int:
        """Rows counted."""
        with self._lock:
            return self._buffer.rows + (self._counted.rows if self._counted else 0)

    @property
    def batches(self) -> int:
        """Batches counted: where a stream that was resumed goes on."""
        with self._lock:
            return self._buffer.batches + (self._counted.batches if self._counted else 0)

    def result(self, *, source: str = "a stream") -> Evaluation:
        """Return the evaluation of all rows so far: what :func:`tallymark.evaluate` gives of them.

        Counts agree to the last bit where every weight is 1; sums of weights, and of the losses of
        rows of more than two classes, agree to rounding. Models of different Talliers are compared
        as models on different rows are, since rows are not kept.
        """
        with self._lock:
            counts = self._count()
        if counts is None or not counts.rows:
            lost = f" ({counts.dropped:,} rows were left out)" if counts is not None else ""
            raise InputError(f"nothing is counted yet{lost}; update() with at least one row first")
        job = replace(self._job, source=source)
        return Evaluation(counts.settled(job), self._options.level, self._options.seed)

    def value(self, metric: str, *, average: str | None = None, **params: Any) -> float:
        """Return one metric of all rows so far, without an interval: NaN where it is undefined.

        ``average`` and ``params`` as in :meth:`Evaluation.value`.
        """
        ev, found = self.result(), get(metric)
        (model,) = ev.models
        if not model.holds(found):
            raise InputError(f"{found.name} needs {found.wanted}, and these batches have none")
        if average == "per_class":
            raise InputError("average='per_class' is many values; take .result().per_class()")
        statistic = Statistic.of(found, ev.classes, ev.positive, average, **params)
        tally: Any = model.scores
        if found.needs in ("counts", "matrix"):
            tally = model.labels
        elif found.needs == "rows" and model.sums is not None:
            tally = model.sums
        return float(statistic.measure(tally))

    def metric(self, name: str, **params: Any) -> StreamedMetric:
        """Return one metric of this Tallier with the methods that training loops call."""
        get(name).check(params)
        return StreamedMetric(self, name, params)

    def __repr__(self) -> str:
        return f"<Tallier of {self.rows:,} rows in {self.batches:,} batches>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tallier):
            return NotImplemented
        mine, its = self._snapshot(), other._snapshot()
        return self._options == other._options and mine == its

    __hash__ = None  # type: ignore[assignment]

    # -- keeping -------------------------------------------------------------------------------

    def _snapshot(self) -> Counted | None:
        with self._lock:
            return self._count()

    def copy(self) -> Tallier:
        """Return a Tallier of the same counts, which goes its own way."""
        made = object.__new__(type(self))
        made.__setstate__(self.__getstate__())
        return made

    __copy__ = copy

    def __getstate__(self) -> dict[str, Any]:
        return {"_options": self._options, "_counted": self._snapshot()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start()

    def to_dict(self) -> dict[str, Any]:
        """Return the Tallier as plain data for JSON, with its format and version."""
        counts = self._snapshot()
        options = {n: getattr(self._options, n) for n in _Options.__slots__}
        if options["labels"] is not None:
            options["labels"] = list(options["labels"])
        if isinstance(options["bins"], Bins):
            options["bins"] = options["bins"].to_dict()
        return io.pack("tallier", _Saved(options, None if counts is None else counts.to_dict()))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Read what :meth:`to_dict` wrote."""
        saved = _Saved(**io.unpack("tallier", data, _Saved))
        try:
            options = dict(saved.options)
            if isinstance(options.get("bins"), dict):
                options["bins"] = Bins(**options["bins"])
            made = cls(**options)
            made._counted = None if saved.counted is None else Counted.from_dict(saved.counted)
        except (AttributeError, KeyError, TypeError) as error:
            raise InputError(
                f"this tallymark/tallier was changed ({error}); give what to_dict() wrote"
            ) from None
        made._start()
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all counts to a file, whole or not at all, also when the machine goes down.

        Saved after every batch, a crash loses at most the batch at work; :attr:`batches` tells
        where to go on.
        """
        with self._saving:  # of two at once the later counts are written last
            io.write(path, self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what :meth:`save` wrote."""
        data = io.read(path)
        try:
            return cls.from_dict(data)
        except InputError as error:
            raise InputError(f"{os.fspath(path)!r}: {error}") from None

    @classmethod
    def resume(cls, path: str | os.PathLike[str], **options: Any) -> Self:
        """Return what a file holds, or a new Tallier where there is none yet.

        ``options`` are those of a new one; a file of others is refused.
        """
        new = cls(**options)
        if not Path(path).exists():
            return new
        found = cls.load(path)
        for name in _Options.__slots__:
            kept, asked = getattr(found._options, name), getattr(new._options, name)
            if kept != asked:
                raise InputError(
                    f"{os.fspath(path)!r} was counted with {name}={kept!r} and {name}={asked!r} "
                    "is asked for; go on as it was begun, or start with another file"
                )
        return found


class StreamedMetric:
    """One metric of a Tallier, with the three methods that Keras calls: no Keras is needed.

    What is predicted is taken for scores: of the positive class, or one column a class.

    >>> import tallymark as tm
    >>> auc = tm.Tallier().metric("roc_auc")
    >>> auc.update_state([0, 1, 1], [[0.2], [0.1], [0.7]])
    >>> auc.result()
    0.5
    """

    def __init__(self, tallier: Tallier, name: str, params: Mapping[str, Any]) -> None:
        self.tallier, self.name, self._params = tallier, name, dict(params)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        """Count a batch of true classes and scores."""
        self.tallier.update(y_true, y_score=y_pred, sample_weight=sample_weight)

    def result(self) -> float:
        """Return the metric of all rows so far; NaN before the first."""
        return self.tallier.value(self.name, **self._params) if self.tallier.rows else math.nan

    def reset_state(self) -> None:
        """Forget all rows."""
        self.tallier.reset()
