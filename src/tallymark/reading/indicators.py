"""Multi-label data: rows with any number of labels, from one 0/1 column per label."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from tallymark.display import Display
from tallymark.errors import InputError, check_name, check_word, listed
from tallymark.findings.finding import Finding, read_note
from tallymark.findings.notes import LABELS_NOT_PROBABILITIES, ONE_LABEL_A_ROW
from tallymark.metric import Metric
from tallymark.metric.label_sets import Flags, flags_of
from tallymark.metric.measure import Statistic
from tallymark.reading.chunks import FrameTable, joined
from tallymark.reading.columns import code_subgroups
from tallymark.reading.ingest import MOST_KEPT
from tallymark.reading.meaning import FEWEST
from tallymark.reading.names import meaning, must_have, named_after_labels
from tallymark.reading.question import Question
from tallymark.reading.source import Source
from tallymark.reading.totals import read_subgroups
from tallymark.tally.arrays import (
    MAX_CLASSES,
    Coded,
    Floats,
    Label,
    as_array,
    as_list,
    as_scores,
    as_weights,
    code_groups,
    first_come,
    is_table,
    keep_complete,
    matrix_to_numpy,
    plain_label,
    same_length,
    unmistakable,
)
from tallymark.tally.io import EVERY_ROW, Saved, array, part

if TYPE_CHECKING:
    from tallymark.tally.subgroups import SubgroupCounts

_TRUE = "true|truth|y_true|actual|target|label|gold"
_TRUE_COLUMN = rf"(?i)(?:{_TRUE})_(?P<before>.+)|(?P<behind>.+)_(?:{_TRUE})"
"""Patterns for the names of true label columns: true_cat or cat_true."""


@dataclass(frozen=True, eq=False, repr=False)
class SetModel(Saved, Display):
    """The predictions of one model: sets ``decided`` (n, L), ``scores`` (n, L), or both.

    ``threshold`` is None if sets were given; otherwise labels with scores at or above it are
    predicted. ``probabilities`` says whether all scores are within 0 and 1.
    """

    name: str
    decided: Flags = field(metadata=array("decided", np.bool_, (EVERY_ROW, "all")))
    scores: Floats | None = field(metadata=array("scores", axes=(EVERY_ROW, "all"), signed=True))
    threshold: float | None
    rule: str
    probabilities: bool = False

    def _available(self, metrics: Iterable[Metric]) -> list[Metric]:
        """Return the metrics that the predictions can compute."""
        return [m for m in metrics if self._holds(m)]

    def _holds(self, metric: Metric) -> bool:
        """Return whether the predictions have what a metric of labels needs."""
        if not is_of_labels(metric):
            return False
        if metric.wanted == "probabilities":
            return self.scores is not None and self.probabilities
        return metric.wanted == "decisions" or self.scores is not None

    def _facts(self) -> Iterator[tuple[str, bool]]:
        s, cut = self.scores, self.threshold
        yield "scores", not self.probabilities or (s is not None and bool((s <= 1).all()))
        yield "rows", cut is None or (s is not None and np.array_equal(s >= cut, self.decided))


AVERAGES = ("macro", "micro", "weighted", "samples")
"""Averages of a metric of one label: the mean over labels, the labels of all rows pooled, the mean
over labels weighted by their rows, and the mean over rows."""


HAS_IT: tuple[Label, Label] = (0, 1)
"""The classes of one label."""


def is_of_labels(metric: Metric) -> bool:
    """Return whether a metric judges whole sets of labels, or one label against the rest."""
    return metric.family == "multi-label" or (metric._of_one_class and not metric._role)


@dataclass(frozen=True, eq=False, repr=False)
class LabelSets(Saved, Display):
    """Rows that each have any number of the ``labels``, with the predictions of the models.

    ``true`` (n, L) marks the labels of each row; ``weights`` is (n,) or None; ``cluster_codes``
    (n,) are codes from 0 up, or None if rows are independent. It offers an evaluation the same
    interface as :class:`~tallymark.reading.models.CountedRows`.
    """

    _kind: ClassVar[str] = "label-sets"
    source: Source = field(metadata=part(Source.from_dict))
    labels: tuple[Label, ...]
    true: Flags = field(metadata=array("true", np.bool_, (EVERY_ROW, "labels")))
    models: tuple[SetModel, ...] = field(metadata=part(SetModel.from_dict, many=True))
    weights: Floats | None = field(default=None, metadata=array("weights", axes=(EVERY_ROW,)))
    cluster_codes: NDArray[Any] | None = field(
        default=None, metadata=array("clusters", np.intp, (EVERY_ROW,))
    )
    dropped: int = 0
    notes: tuple[Finding, ...] = field(default=(), metadata=part(read_note, many=True))
    subgroup_counts: SubgroupCounts | None = field(default=None, metadata=part(read_subgroups))
    """The subgroup of each row, if requested; tallies of models are computed from the rows."""

    def _facts(self) -> Iterator[tuple[str, bool]]:
        yield "rows", self.rows > 0
        yield "labels", 0 < len(self.labels) == len(set(self.labels))
        yield "models", 0 < len(self.models) == len({m.name for m in self.models})
        for m in self.models:
            arrays = [m.decided, m.decided if m.scores is None else m.scores]
            yield "rows", all(a.shape == self.true.shape for a in arrays)
        of_rows = None if self.subgroup_counts is None else self.subgroup_counts.of_rows
        yield "subgroups", self.subgroup_counts is None or of_rows is not None
        yield "subgroups", of_rows is None or len(of_rows) == self.rows
        codes = self.cluster_codes
        yield "clusters", codes is None or len(np.unique(codes)) == self.clusters

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.true)

    @property
    def classes(self) -> tuple[Label, ...]:
        """The labels; each is judged separately, like a class against the rest."""
        return self.labels

    @property
    def one_column(self) -> NoReturn:
        """Raises InputError: there is no single column of classes.

        Whatever requires one column of classes reads this property, so the refusal is here alone.
        """
        raise InputError(
            f"this is a question about one label, and these rows have {len(self.labels)}; ask "
            f"ev.label({self.labels[0]!r}), or name the columns of one label with truth=... and "
            "score=... or pred=..."
        )

    @property
    def positive(self) -> None:
        """None: every label is positive in its own column."""
        return

    @property
    def weighted(self) -> bool:
        """Whether rows have sampling weights."""
        return self.weights is not None

    @cached_property
    def clusters(self) -> int | None:
        """The number of clusters; None if rows are independent."""
        return None if self.cluster_codes is None else int(self.cluster_codes.max()) + 1

    @property
    def codes_of_clusters(self) -> NDArray[Any] | None:
        """The cluster of each row; None if rows are independent."""
        return self.cluster_codes

    @property
    def side_by_side(self) -> bool:
        """Whether the rows of all models were kept; always true here."""
        return True

    @cached_property
    def support(self) -> dict[Label, int]:
        """The number of rows with each label."""
        return dict(zip(self.labels, self.true.sum(0).tolist(), strict=True))

    def model(self, name: str) -> SetModel:
        """Return the predictions of one model."""
        names = [m.name for m in self.models]
        check_name("model", name, names)
        return self.models[names.index(name)]

    def take(self, rows: Flags) -> LabelSets:
        """Return some of the rows, without the counts by subgroup."""
        weights, codes = (
            None if v is None else v[rows] for v in (self.weights, self.cluster_codes)
        )
        models = (
            replace(m, decided=m.decided[rows], scores=None if m.scores is None else m.scores[rows])
            for m in self.models
        )
        return replace(
            self,
            true=self.true[rows],
            models=tuple(models),
            weights=weights,
            cluster_codes=None if codes is None else first_come(codes).astype(np.int32),
            subgroup_counts=None,
        )

    def label(self, name: object) -> Label:
        """Return a label by its value or its text."""
        by_text = {str(label): label for label in self.labels}
        if str(name) not in by_text:
            check_name("label", name, by_text)
        return by_text[str(name)]

    def statistic(
        self,
        metric: Metric,
        *,
        average: str | None = None,
        skip_undefined: bool = False,
        positive: Label | None = None,
        classes: Sequence[Label] | None = None,
        **params: Any,
    ) -> Statistic:
        """Return the statistic of a metric over all labels.

        A metric of whole sets is a mean over rows. A metric of one label is averaged: "macro",
        unless another of :data:`AVERAGES` is given.
        """
        refuse_beside_labels(positive=positive, classes=classes)
        metric._check(params)
        if metric.family == "multi-label":
            if average is not None:
                raise InputError(f"{metric.name} is a mean over rows already; leave average out")
            return Statistic(metric, "overall", params=params)
        if not is_of_labels(metric):
            raise InputError(
                f"{metric.name} is not a metric of one label; use a metric of one class against "
                "the rest, such as f1 or roc_auc"
            )
        average = average or "macro"
        check_word("average", average, AVERAGES)
        if average == "samples" and metric.wanted != "decisions":
            raise InputError(
                f"average='samples' is for decisions, and {metric.name} uses scores; use "
                "label_ranking_average_precision or ranking_loss"
            )
        return Statistic(metric, average, None, params, skip_undefined)

    def saved(self, keep_pairs: bool | None = None) -> LabelSets:
        """Return the data for a file: with several labels, always the rows."""
        if keep_pairs is False:
            raise InputError(
                "the numbers of several labels need the rows; leave keep_pairs=False out"
            )
        return self


def refuse_beside_labels(**arguments: Any) -> None:
    """Refuse arguments that apply only to data with one class column."""
    for name, value in arguments.items():
        nothing = name != "positive" and isinstance(value, bool | list | tuple) and not value
        if value is not None and not nothing:
            raise InputError(
                f"{name} is for one column of classes, and these rows have a true column for each "
                f"of several labels; leave {name} out, or judge one label separately"
            )


# -- arrays ----------------------------------------------------------------------------------------


def has_several_labels(y_true: Any) -> bool:
    """Return whether true labels have several columns, or a set, for each row.

    >>> has_several_labels([[1, 0], [0, 1]]), has_several_labels([{"a"}, set()])
    (True, True)
    >>> has_several_labels([[1], [0]]), has_several_labels(["a", "b"])
    (False, False)
    """
    if is_table(y_true):
        return len(FrameTable(y_true).columns) > 1
    if _as_sets(y_true) is not None:
        return True
    shape = getattr(y_true, "shape", None)
    if shape is None and isinstance(y_true, list | tuple) and len(y_true):
        first = y_true[0]
        own = [len(first)] if isinstance(first, list | tuple) else []
        shape = (len(y_true), *getattr(first, "shape", own))
    return shape is not None and len(shape) == 2 and shape[1] > 1


def _is_row(value: Any) -> bool:
    """Return whether a value is a set or list of labels instead of a single label."""
    kinds = (set, frozenset, list, tuple, np.ndarray)
    return isinstance(value, kinds) and getattr(value, "ndim", 1) > 0


def _as_sets(values: Any, labels: int = 0) -> list[frozenset[Any]] | None:
    """Return rows as sets of labels; None if they are not.

    ``labels`` is the number of labels in the true sets, if predictions are read.
    """
    if not isinstance(values, list | tuple):
        dtype = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
        if not dtype.startswith(("object", "list", "large_list")) or getattr(values, "ndim", 1) > 1:
            return None
        values = as_list(values)
    if not len(values) or not _is_row(values[0]):
        return None
    lists = [row for row in values if _is_row(row) and not isinstance(row, set | frozenset)]
    if lists and not _are_labels(lists, labels):
        return None
    for i, row in enumerate(values):
        if not _is_row(row):
            raise InputError(
                f"a row of labels is {row!r} at index {i}; give a list or a set of labels, empty "
                "where a row has none"
            )
        if any(label is None or label != label for label in row):
            raise InputError(
                f"a row of labels holds a missing one at index {i}; leave it out of the list"
            )
    return [frozenset(map(plain_label, row)) for row in values]


def _are_labels(lists: Sequence[Any], labels: int) -> bool:
    """Return whether lists hold labels instead of numbers.

    Texts are labels. Integers are labels if rows differ in length, and beside true sets unless
    there is a 0 or a 1 for each label.

    >>> _are_labels([[3, 7], [3]], 0), _are_labels([[3], [7]], 0), _are_labels([[3], [7]], labels=2)
    (True, False, True)
    """
    if any(len(row) and isinstance(row[0], str) for row in lists):
        return True
    if not all(isinstance(v, int | np.integer) and type(v) is not bool for r in lists for v in r):
        return False
    sizes = {len(row) for row in lists}
    flags = sizes == {labels} and all(v in (0, 1) for row in lists for v in row)
    return len(sizes) > 1 or (labels > 0 and not flags)


def count_arrays(
    y_true: Any,
    predictions: Mapping[str, Any],
    scores: Mapping[str, Any],
    *,
    source: Source,
    weight: Any = None,
    clusters: Any = None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    missing: str = "error",
    subgroup: Any = None,
    **beside: Any,
) -> LabelSets:
    """Count rows with any number of labels: predicted sets, scores, or both, by model."""
    refuse_beside_labels(**beside)
    parts = dict(zip(subgroup or (), code_subgroups(subgroup).values(), strict=True))
    sets, read_as = _as_sets(y_true), [*source.format]
    names = _labels(y_true, sets, labels, [*predictions.values()])
    true = _columns("y_true", y_true, names, sets, renamed=True)
    flags_of(np.nan_to_num(true), "y_true")
    decided, scored = dict[str, Floats](), dict[str, Floats]()
    for word, arrays, into in (("y_pred", predictions, decided), ("y_score", scores, scored)):
        for name, values in arrays.items():
            title = f"{word}[{name!r}]" if len(arrays) > 1 else word
            as_sets = _as_sets(values, len(names) if sets else 0)
            into[name] = _columns(title, values, names, as_sets)
            if word == "y_pred" and name not in scores and not _are_flags(into[name]):
                scored[name] = decided.pop(name)
                read_as.append(f"{title} holds fractions and was read as scores")
    weights = None if weight is None else as_scores(weight, "weight")
    groups = None if clusters is None else code_groups(clusters, "cluster")
    roles: dict[str, Any] = {
        "truth": "y_true",
        "pred": "y_pred" if decided else "",
        "score": "y_score" if scored else "",
        "weight": "" if weight is None else "weight",
        "cluster": "" if clusters is None else "cluster",
        "subgroup": _one_or_all(parts),
    }
    roles = {role: column for role, column in roles.items() if column}
    source = replace(source, _roles=roles, format=tuple(read_as))
    return _counted(
        source,
        names,
        true,
        decided,
        scored,
        weights,
        groups,
        parts,
        threshold,
        missing,
        bool(labels),
    )


def _labels(
    y_true: Any,
    sets: Sequence[frozenset[Any]] | None,
    requested: Sequence[Label] | None,
    predictions: Sequence[Any],
) -> tuple[Label, ...]:
    """Return the labels: the requested ones, the members of sets, or the column names."""
    result: Iterable[Any]
    if requested is not None:
        result = requested
    elif sets is not None:
        present = set[Any]().union(*sets)
        others = [_as_sets(p, len(present)) or () for p in predictions]
        present = present.union(*(row for rows in others for row in rows))
        texts = [label for label in present if isinstance(label, str)]
        if 0 < len(texts) < len(present):
            raise InputError(
                f"some labels are texts ({listed(sorted(texts), 3)}) and some are numbers; write "
                "them all as texts or all as numbers"
            )
        result = sorted(present)
    else:
        tabled = is_table(y_true)
        result = (
            FrameTable(y_true).columns if tabled else range(_numbers("y_true", y_true).shape[1])
        )
    names = tuple(map(plain_label, result))
    if sets is not None and len(names) < 2:
        raise InputError(
            f"y_true holds sets of {len(names)} labels; several labels need two or more, and one "
            "is a column of 0 and 1"
        )
    if len(set(names)) < len(names):
        raise InputError(f"classes are {listed(names, 8)}; name each label once")
    if len(names) > MAX_CLASSES:
        raise InputError(f"y_true has {len(names):,} labels; give at most {MAX_CLASSES:,}")
    return names


def _columns(
    name: str,
    values: Any,
    labels: tuple[Label, ...],
    sets: Sequence[frozenset[Any]] | None,
    *,
    renamed: bool = False,
) -> Floats:
    """Return numbers with one column per label, in the order of the labels.

    Columns of a frame are matched by name, unless labels are numbers or the names differ.
    """
    if sets is not None:
        return _of_sets(name, sets, labels)
    matrix, columns = matrix_to_numpy(values) if is_table(values) else (_numbers(name, values), ())
    label_names = [str(label) for label in labels]
    if set(columns) == set(label_names):
        return matrix[:, [columns.index(label) for label in label_names]]
    renamed = renamed or isinstance(labels[0], int)
    if columns and (set(columns) & set(label_names) or not renamed):
        raise InputError(
            f"{name} has the columns {listed(columns, 8)} and the labels are "
            f"{listed(label_names, 8)}; give both the same names"
        )
    if matrix.shape[1] != len(labels):
        raise InputError(
            f"{name} has {matrix.shape[1]} columns and there are {len(labels)} labels; give one "
            f"column per label: {listed(label_names, 8)}"
        )
    return matrix


def _of_sets(name: str, sets: Sequence[frozenset[Any]], labels: Sequence[Label]) -> Floats:
    """Return sets of labels as a matrix of 0 and 1."""
    place = {label: i for i, label in enumerate(labels)}
    matrix = np.zeros((len(sets), len(place)))
    for i, row in enumerate(sets):
        for label in row:
            if label not in place:
                raise InputError(
                    f"{name} holds the label {label!r} at index {i}, which is none of the classes "
                    f"named: {listed(list(labels))}; name it too, or leave its rows out"
                )
            matrix[i, place[label]] = 1
    return matrix


def _numbers(name: str, values: Any) -> Floats:
    """Return a matrix of numbers, NaN for missing.

    From scikit-learn's list of one (n, 2) array per label, it takes the second columns.
    """
    array = as_array(values, name)
    if array.ndim == 3 and array.shape[2] == 2:
        array = array[:, :, 1].T
    if array.ndim != 2 or array.dtype.kind not in "biufO":
        raise InputError(
            f"{name} has shape {array.shape} of {array.dtype}; rows of several labels have one "
            "column of numbers for each label"
        )
    with suppress(InputError):  # else say in which column
        return as_scores(array.ravel(), name).reshape(array.shape)
    columns = [as_scores(np.ascontiguousarray(c), f"{name}[:, {j}]") for j, c in enumerate(array.T)]
    return np.stack(columns, 1) if columns else np.empty(array.shape)


def _are_flags(matrix: Floats) -> bool:
    return bool(((matrix == 0) | (matrix == 1) | np.isnan(matrix)).all())


# -- tables ----------------------------------------------------------------------------------------


Several = tuple[tuple[str, ...], dict[str, tuple[str, ...]]]
"""The labels, and the columns of each role in their order."""


def find_indicators(columns: Sequence[str], named: Mapping[str, Any]) -> Several | None:
    """Return the labels and their columns, where there is a true column for each label.

    Either several columns were named, or there are at least two columns true_LABEL (or LABEL_true),
    each with a prediction or score named after the label. None for other tables.

    >>> find_indicators(["id", "true_a", "true_b", "score_b", "score_a"], {})
    (('a', 'b'), {'truth': ('true_a', 'true_b'), 'score': ('score_a', 'score_b')})
    """
    requested = {role: named[role] for role in ("truth", "pred", "score") if named.get(role)}
    truth = requested.get("truth")
    if isinstance(truth, list | tuple) and len(truth) > 1:
        return _of_named(
            {r: (n,) if isinstance(n, str) else tuple(n) for r, n in requested.items()}
        )
    if requested:
        return None
    by_role = {role: _by_label(columns, role) for role in ("truth", "pred", "score")}
    labels = tuple(by_role["truth"])
    both = {
        r: by_label
        for r, by_label in by_role.items()
        if r == "truth" or set(by_label) >= set(labels)
    }
    if len(labels) < 2 or len(both) < 2:
        return None
    return labels, {r: tuple(by_label[label] for label in labels) for r, by_label in both.items()}


def _by_label(columns: Sequence[str], role: str) -> dict[str, str]:
    """Return the columns of a role by the label in their names; empty if two share a label."""
    pairs = []
    for column in columns:
        if role == "truth":
            match = re.fullmatch(_TRUE_COLUMN, column)
            label = match and (match["before"] or match["behind"])
        else:
            says = meaning(column)
            label = says.of if says and says.role == role else None
        if label:
            pairs.append((label, column))
    result = dict(pairs)
    return result if len(result) == len(pairs) else {}


def _of_named(requested: dict[str, tuple[str, ...]]) -> Several:
    truth = requested["truth"]
    for role, names in requested.items():
        if len(names) != len(truth):
            raise InputError(
                f"truth names {len(truth)} columns and {role} {len(names)}; name one per label, in "
                "the same order"
            )
        if len(set(names)) < len(names):
            raise InputError(f"{role} names a column twice: {listed(names)}")
    if len(requested) < 2:
        raise InputError(
            f"truth names {len(truth)} columns and no prediction; give pred=[...] or score=[...], "
            "one column per label"
        )
    by_label = tuple(_by_label(truth, "truth"))
    labels = by_label if len(by_label) == len(truth) else truth
    for role, names in requested.items():
        if role != "truth" and (own := named_after_labels(labels, names)) not in (None, names):
            raise Question(
                f"the columns of {role} are named in another order than the labels "
                f"({listed(labels)})",
                [{**{r: [*of] for r, of in requested.items()}, role: [*own]}],
            )
    return labels, requested


def count_table(
    table: Any,
    several: Several,
    *,
    detected: bool,
    weight: str | None,
    cluster: str | None,
    labels: Sequence[Label] | None = None,
    threshold: float | None = None,
    missing: str = "error",
    subgroup: Sequence[str] = (),
    **beside: Any,
) -> LabelSets:
    """Count rows of a frame or file with a true column for each label."""
    refuse_beside_labels(**beside)
    names, columns = several
    if labels is not None:
        if set(map(str, labels)) != set(names):
            raise InputError(
                f"classes are {listed(list(labels))} and the columns are of {listed(names)}; name "
                "the same labels, or leave labels out"
            )
        order = [names.index(str(label)) for label in labels]
        names = tuple(names[i] for i in order)
        columns = {
            role: tuple(role_columns[i] for i in order) for role, role_columns in columns.items()
        }
    read = [*(c for role_columns in columns.values() for c in role_columns), *subgroup]
    must_have(table.columns, read, table.name)
    flags = [*columns["truth"], *columns.get("pred", ())]
    numbers = [*columns.get("score", ()), *([weight] if weight else [])]
    texts = list(dict.fromkeys([*flags, *subgroup]))
    chunks = list(
        table.chunks(texts, numbers, groups=[cluster] if cluster else [], subgroups=subgroup)
    )
    rows = sum(c.rows for c in chunks)
    if rows * (len(flags) + 8 * len(numbers)) > MOST_KEPT:
        raise InputError(
            f"{table.name} is too large to keep the labels of its {rows:,} rows side by side; "
            "judge fewer rows or labels"
        )
    chunk = joined(chunks)
    values = {**chunk.numbers, **{c: _flag(chunk.labels[c], c, table.name) for c in flags}}
    matrices = {
        role: np.stack([values[c] for c in columns_of_role], 1)
        for role, columns_of_role in columns.items()
    }
    roles: dict[str, Any] = dict(columns)
    beside_labels = (("weight", weight), ("cluster", cluster), ("subgroup", _one_or_all(subgroup)))
    roles |= {role: c for role, c in beside_labels if c}
    source = Source(
        table.name,
        table.kind,
        roles,
        _why=dict.fromkeys(columns, "its name") if detected else {},
        _ignored=tuple(c for c in table.columns if c not in {*texts, *numbers, cluster}),
    )
    decided, scored = ({"model": matrices[r]} if r in matrices else {} for r in ("pred", "score"))
    weights, groups = values.get(weight or ""), chunk.groups.get(cluster or "")
    is_named = bool(labels) or not detected
    return _counted(
        source,
        names,
        matrices["truth"],
        decided,
        scored,
        weights,
        groups,
        {c: chunk.labels[c] for c in subgroup},
        threshold,
        missing,
        is_named,
    )


def _one_or_all(columns: Iterable[str]) -> str | tuple[str, ...]:
    """Return the columns of a role, one by itself."""
    names = tuple(columns)
    return names[0] if len(names) == 1 else names


def _flag(column: Coded, name: str, where: str) -> Floats:
    """Return a two-valued column as 0 and 1, NaN for missing."""
    positive = unmistakable(column.labels)
    if positive is None:
        raise InputError(
            f"{where} has the values {listed(column.labels, 4)} in {name!r}; several true columns "
            "hold 0 and 1, one per label: to judge classes, name one true column, such as "
            f"truth={name!r}"
        )
    values = np.array([float(label == positive) for label in column.labels] + [np.nan])
    return np.asarray(values[column.codes])


# -- both ------------------------------------------------------------------------------------------


def _counted(
    source: Source,
    names: tuple[Label, ...],
    true: Floats,
    decided: Mapping[str, Floats],
    scored: Mapping[str, Floats],
    weights: Floats | None,
    groups: NDArray[Any] | None,
    parts: Mapping[str, Coded],
    threshold: float | None,
    missing: str,
    is_named: bool,
) -> LabelSets:
    """Return the complete rows with the predictions of each model."""
    columns = {"y_true": true} | {
        f"{word}[{name!r}]" if len(matrices) > 1 else word: values
        for word, matrices in (("y_pred", decided), ("y_score", scored))
        for name, values in matrices.items()
    }
    of_parts = {f"subgroup[{c!r}]": of.codes for c, of in parts.items()}
    same_length(**columns, weight=weights, cluster=groups, **of_parts)
    gaps: dict[str, Any] = {
        name: np.where(np.isnan(v).any(1), np.nan, 0.0) for name, v in columns.items()
    }
    keep = keep_complete(gaps if groups is None else {**gaps, "cluster": groups}, missing)
    weights = as_weights(weights, "weight")
    dropped = 0
    if keep is not None:
        dropped = int((~keep).sum())
        true, weights, groups = (None if v is None else v[keep] for v in (true, weights, groups))  # type: ignore[assignment]
        decided, scored = (
            {n: v[keep] for n, v in matrices.items()} for matrices in (decided, scored)
        )
        parts = {column: of.kept(keep) for column, of in parts.items()}
    if not len(true):
        raise InputError(f"there is no row to count in {source}; give at least one")
    if weights is not None and not weights.any():
        raise InputError(f"the weight is 0 in every row of {source}; correct it or leave it out")
    flags, notes = true == 1, list[Finding]()
    if (flags.sum(1) == 1).all():
        if not is_named and len(flags) >= FEWEST:
            raise Question(
                "every row has exactly one label, so the classes are mutually exclusive (one-hot)",
                [{"classes": [*names]}],
                "give the true class of each row as one column, y_true.argmax(axis=1) of an "
                "array; classes=[...] says that rows may have several",
            )
        notes.append(ONE_LABEL_A_ROW.finding())
    models = tuple(
        _model(name, decided.get(name), scored.get(name), threshold, notes)
        for name in dict.fromkeys([*scored, *decided])
    )
    clusters = None if groups is None else first_come(groups).astype(np.int32)
    counts = None
    if parts:
        from tallymark.tally.subgroups import SubgroupCounter

        counter = SubgroupCounter(tuple(parts), names)
        counter.add(list(parts.values()), np.empty(0), (), None, None, None, keep=True)
        counts = counter.result()
    return LabelSets(source, names, flags, models, weights, clusters, dropped, tuple(notes), counts)


def _model(
    name: str,
    decided: Floats | None,
    scores: Floats | None,
    cut: float | None,
    notes: list[Finding],
) -> SetModel:
    """Return a model's sets, as given or by thresholding the scores of all labels."""
    low, high = (0.0, 1.0) if scores is None else (float(scores.min()), float(scores.max()))
    within = scores is not None and 0 <= low <= high <= 1
    if decided is not None and (scores is None or cut is None):
        sets = flags_of(decided, "y_pred")
        return SetModel(name, sets, scores, None, "predictions as given", within)
    assert scores is not None
    if not within:
        notes.append(LABELS_NOT_PROBABILITIES.finding(name, score=low if low < 0 else high))
    if cut is None and not within and not low < 0 < high:
        raise InputError(
            f"the scores of {name} are from {low:.6g} to {high:.6g} and have no natural threshold; "
            "give threshold=... or the predicted sets as well"
        )
    cut = float(cut if cut is not None else 0.5 if within else 0.0)
    return SetModel(name, scores >= cut, scores, cut, f"scores at or above {cut:g}", within)
