"""Read tallies that the user counted, as if their rows had been counted here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from tallymark.errors import InputError, listed
from tallymark.reading.classes import match_label, settle_classes, typed
from tallymark.reading.columns import ModelRoles
from tallymark.reading.ingest import Job, count_tallies
from tallymark.reading.models import CountedRows
from tallymark.reading.source import Source
from tallymark.tally.arrays import Floats, Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.merge import merged_labels
from tallymark.tally.scores import ScoreTally

if TYPE_CHECKING:
    from tallymark.tally.subgroups import SubgroupCounts

_MOST_TOLD = 8


def tallies_of(data: Any) -> Mapping[str, LabelTally | ScoreTally] | None:
    """Return tallies by model name if the data are one or more tallies, else None."""
    kinds = (LabelTally, ScoreTally)
    if isinstance(data, kinds):
        return {"model": data}
    if isinstance(data, Mapping) and data and all(isinstance(t, kinds) for t in data.values()):
        return {str(name): t for name, t in data.items()}
    return None


def from_tallies(
    tallies: Mapping[str, LabelTally | ScoreTally],
    source: Source,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    subgroups: SubgroupCounts | None = None,
) -> CountedRows:
    """Return the models of tallies that were counted on the same rows.

    Raises
    ------
    InputError
        Tallies of different rows, scores of different classes, no tally, or no row.

    """
    if not tallies:
        raise InputError("there is no tally; give at least one")
    occurring = reduce(merged_labels, (t.labels for t in tallies.values()))
    occurring = typed(labels, occurring) if labels is not None else occurring
    tallies = {name: t.reorder(occurring) for name, t in tallies.items()}
    requested = match_label(occurring, positive)
    for t in tallies.values():
        if not isinstance(t, ScoreTally):
            continue
        if len(occurring) > 2:
            raise InputError(
                f"scores were counted only for {t.positive!r}, and there are {len(occurring)} "
                "classes; count one class against the rest, or evaluate the rows"
            )
        requested = t.positive if requested is None else requested
        if requested != t.positive:
            raise InputError(
                f"positive is {requested!r} and scores were counted for {t.positive!r}; name the "
                "class that all scores are of"
            )
    classes, requested = settle_classes(occurring, requested)
    (first, first_tally), *others = tallies.items()
    for name, other in others:
        if not np.allclose(_true(other), _true(first_tally), rtol=1e-12, atol=0):
            one_has, other_has = (
                " and ".join(f"{n:g}" for n in _true(t)) for t in (first_tally, other)
            )
            raise InputError(
                f"{first!r} has {one_has} rows of the classes {listed(occurring)} and {name!r} "
                f"{other_has}, so they were not judged on the same rows; evaluate each separately, "
                "and compare them with ev.compare_with(other)"
            )
    models = tuple(ModelRoles(name) for name in tallies)
    job = Job(source, "", models, positive=positive, threshold=threshold)
    counted = count_tallies(list(tallies.values()), job, classes, requested, subgroups)
    notes = () if subgroups else _cells(counted)
    return replace(counted, source=replace(counted.source, format=(*source.format, *notes)))


def _true(tally: LabelTally | ScoreTally) -> Floats:
    """Return the number of rows of each true class."""
    return np.asarray(tally.counts.sum(1 if isinstance(tally, LabelTally) else 0))


def _cells(counted: CountedRows) -> tuple[str, ...]:
    """Return the four counts of each model as read; the class order if there are more classes."""
    if counted.positive is None:
        return (f"classes in the order {', '.join(map(str, counted.classes[:_MOST_TOLD]))}",)
    notes = []
    for m in counted.models[:_MOST_TOLD]:
        c = m.labels.binary(counted.positive)
        text = ", ".join(
            f"{name.upper()} {getattr(c, name):.15g}" for name in ("tp", "fn", "fp", "tn")
        )
        notes.append(f"{m.name}: {text}" if len(counted.models) > 1 else text)
    return tuple(notes)
