"""Evaluations that come back from files: checked, and those of several sites put together."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tallymark import contract
from tallymark.data.indicators import LabelSets
from tallymark.data.models import CountedRows
from tallymark.errors import InputError
from tallymark.tally import io

_HEAD = re.compile(rb'\s*\{\s*"format":\s*"tallymark/(evaluation|multi-label)"')


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Tell a file that ``to_json()`` wrote from a table."""
    place = Path(path)
    try:
        if not place.is_file():  # what is read once, such as a pipe, is left to who reads tables
            return False
        with place.open("rb") as file:
            return _HEAD.match(file.read(256)) is not None
    except (OSError, ValueError):
        return False


def read_saved(path: str | os.PathLike[str]) -> tuple[CountedRows | LabelSets, dict[str, Any]]:
    """Return what a file that ``to_json()`` wrote has counted, and how it is judged."""
    place, data = os.fspath(path), io.read(path)
    name = data.get("format")
    if name not in _KINDS:
        what = f"is {name!r}" if isinstance(name, str) else "says of no format"
        raise InputError(
            f"{place!r} {what} and no evaluation; give a file that to_json() of an evaluation wrote"
        )
    if "counted" not in data:
        raise InputError(
            f"{place!r} holds the numbers of an evaluation without its counts; write it again with "
            "to_json()"
        )
    try:
        options = {o: contract.read(o, data.get(o)) for o in ("level", "seed")}
        if "stratified" in data:
            options["stratified"] = data["stratified"] is True
        made = _KINDS[name].from_dict(data["counted"])
        facts = _facts_of_sets(made) if isinstance(made, LabelSets) else _facts(made)
        fault = next((what for what, right in facts if not right), None)
    except InputError as error:
        raise InputError(f"{place!r} cannot be read: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        fault = "counts"
    if fault is not None:
        raise InputError(
            f"the {fault} in {place!r} are damaged or do not go together; write it again with "
            "to_json()"
        )
    return made, options


_KINDS: dict[Any, Any] = {
    "tallymark/evaluation": CountedRows, "tallymark/multi-label": LabelSets
}  # fmt: skip


def _facts(c: CountedRows) -> Iterator[tuple[str, bool]]:
    """Yield what must be true of counts that were read, under the name of what is wrong else."""
    k, names = len(c.classes), [m.name for m in c.models]
    yield "classes", 0 < k == len(set(c.classes)) and c.positive in (None, *c.classes)
    yield "models", 0 < len(names) == len(set(names))
    columns = [(c.positive,)] if c.positive is not None else [c.classes]
    for m in c.models:
        yield "labels", m.labels.labels == c.classes
        yield "scores", all(t.labels == c.classes for t in m.scores)
        yield "scores", tuple(t.positive for t in m.scores) in [(), *columns]
        yield "thresholds", m.threshold is None or (bool(m.scores) and c.positive is not None)
        e = m.efforts
        yield "efforts", e is None or e.scores.shape == e.effort.shape == e.counts[0].shape
    j, of = c.joint, c.subgroup_counts
    if j is not None:
        held = [a for a in j._arrays if a is not None]
        codes = [j.true, *(m.decided for m in j.models if m.decided is not None)]
        yield "rows", set(j.labels) == set(c.classes) and set(names) <= set(j.names)
        yield "rows", all(a.shape == (j.rows,) and bool(np.isfinite(a).all()) for a in held)
        yield "rows", all(int(a.max(initial=0)) < k for a in codes)
        yield "clusters", j.clusters is None or len(np.unique(j.clusters)) == j.groups
    if of is not None:
        n = len(of)
        yield "subgroups", of.classes == c.classes and set(names) <= {m.name for m in of.models}
        yield (
            "subgroups",
            of.rows.shape == (n,) and {len(key) for key in of.keys} == {len(of.columns)},
        )
        yield (
            "subgroups",
            of.of_rows is None
            or (j is not None and of.of_rows.shape == (j.rows,) and bool((of.of_rows < n).all())),
        )
        for one in of.models:
            yield "subgroups", one.counts is None or one.counts.shape == (n, k, k)
            yield "subgroups", one.sums is None or len(one.sums) == n
            for lines in (s.lines() for s in one.scores):
                g = lines.subgroups
                yield "subgroups", lines.counts.shape == (len(g), k)
                yield "subgroups", lines.scores.shape == g.shape
                yield "subgroups", bool(len(g) and g[0] >= 0 and g[-1] < n)
                yield "subgroups", bool((np.diff(g) >= 0).all())


def _facts_of_sets(c: LabelSets) -> Iterator[tuple[str, bool]]:
    """Yield what must be true of rows with several labels that were read."""
    shape = (c.rows, len(c.labels))
    columns: list[Any] = [c.true]
    columns += [a for m in c.models for a in (m.decided, m.scores) if a is not None]
    yield "models", 0 < len(c.models) == len({m.name for m in c.models})
    yield "rows", all(a.shape == shape and bool(np.isfinite(a).all()) for a in columns)
    yield "rows", all(a is None or a.shape == shape[:1] for a in (c.weights, c.clusters))
    yield "clusters", c.clusters is None or len(np.unique(c.clusters)) == c.groups
