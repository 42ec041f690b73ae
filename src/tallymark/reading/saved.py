"""Load saved evaluations, validate them, and pool those of several sites."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from tallymark import contract
from tallymark.errors import InputError
from tallymark.part import part_roles
from tallymark.reading.indicators import LabelSets
from tallymark.reading.models import CountedRows, Model, tally_checks
from tallymark.reading.source import Source
from tallymark.reading.totals import as_subgroup
from tallymark.tally import io
from tallymark.tally.joint import PairedPredictions
from tallymark.tally.role_tally import role_tallies

_HEAD = re.compile(rb'\s*\{\s*"format":\s*"tallymark/evaluation"')


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Return whether a file was written by ``to_json()``."""
    place = Path(path)
    try:
        if not place.is_file():  # a pipe can be read only once: leave it to the readers of tables
            return False
        with place.open("rb") as file:
            return _HEAD.match(file.read(256)) is not None
    except (OSError, ValueError):
        return False


def read_saved(path: str | os.PathLike[str]) -> tuple[CountedRows | LabelSets, dict[str, Any]]:
    """Return the counts in a file that ``to_json()`` wrote, and the options of the evaluation."""
    place, data = os.fspath(path), io.read(path)
    name = data.get("format")
    if name != "tallymark/evaluation":
        what = f"is {name!r}" if isinstance(name, str) else "names no format"
        raise InputError(
            f"{place!r} {what}, so it is not an evaluation; give a file that to_json() "
            "of an evaluation wrote"
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
        options["costs"] = _costs(data.get("costs"))
        if "noun" in data:
            options["noun"] = contract.read("noun", data["noun"])
        if data.get("budget") is not None:
            options["budget"] = contract.read("budget", data["budget"])
        counted = _counted(data["counted"])
    except io.DamagedError as error:
        raise InputError(
            f"the {error.what} in {place!r} are damaged or inconsistent; write it again with "
            "to_json()"
        ) from None
    except InputError as error:
        raise InputError(f"{place!r} cannot be read: {error}") from None
    return counted, options


def _costs(data: Any) -> dict[str, float] | None:
    """Return the costs of both errors; None if none were stated."""
    if data is None:
        return None
    if not isinstance(data, Mapping) or {*data} != {"cost_fp", "cost_fn"}:
        raise io.DamagedError("costs", "evaluation")
    return {name: contract.read(name, cost) for name, cost in data.items()}


def _counted(data: Any) -> CountedRows | LabelSets:
    """Return the counts of one column of classes or of several labels, whichever were written."""
    several = isinstance(data, Mapping) and data.get("format") == f"tallymark/{LabelSets._kind}"
    kind: Any = LabelSets if several else CountedRows
    counted: CountedRows | LabelSets = kind.from_dict(data)
    return counted


# -- several sites -------------------------------------------------------------------------------


def pooled(sites: Mapping[str, CountedRows]) -> CountedRows:
    """Return the pooled rows of several sites, with each site as a subgroup ``site``."""
    (first, base), *others = sites.items()
    facts: dict[str, Callable[[CountedRows], Any]]
    facts = {
        "the classes": lambda c: c.classes,
        "the positive class": lambda c: c.positive,
        "the models": lambda c: tuple(m.name for m in c.models),
        "the thresholds": lambda c: tuple(m.threshold for m in c.models),
        "the weights of rows": lambda c: "given" if c.weighted else "none",
        "the columns of scores": lambda c: tuple(len(m.scores) for m in c.models),
    }
    for what, fact in facts.items():
        for name, c in others:
            if fact(c) != fact(base):
                raise InputError(
                    f"{first!r} and {name!r} differ in {what}: {fact(base)!r} and {fact(c)!r}; "
                    "evaluate the rows of every site in the same way"
                )
    for name, c in sites.items():
        if any(t.bins is not None for m in c.models for t in m.scores):
            raise InputError(
                f"the scores of {name!r} are in bins, which do not keep the site of a score; "
                "evaluate it with more memory, or judge the decisions"
            )
    from tallymark.tally.subgroups import SubgroupCounts, combined

    joint = _joined_rows(sites)
    by_site = []
    for name, c in sites.items():
        rows, of_rows = np.array([c.rows]), None if joint is None else np.zeros(c.rows, np.intp)
        parts = tuple(map(as_subgroup, c.models))
        by_site.append(SubgroupCounts(("site",), ((name,),), rows, c.classes, parts, of_rows))
    merged = combined(by_site, ("site",))
    models = tuple(
        _sum([c.models[i] for c in sites.values()], joint) for i in range(len(base.models))
    )
    roles = {k: v for k, v in base.source._roles.items() if k != "fold"} | {"subgroup": "site"}
    source = Source(
        ", ".join(sites),
        "counts of sites",
        roles,
        base.positive,
        checks={**tally_checks(models, base.positive), "studies": len(merged)},
    )
    notes = {
        n if all(n in c.notes for c in sites.values()) else replace(n, text=f"{name}: {n.text}"): 0
        for name, c in sites.items()
        for n in c.notes
    }
    return CountedRows(
        source,
        sum(c.rows for c in sites.values()),
        sum(c.dropped for c in sites.values()),
        base.classes,
        base.positive,
        models,
        tuple(notes),
        any(c.weighted for c in sites.values()),
        joint,
        merged,
    )


def _sum(models: Sequence[Model], joint: PairedPredictions | None) -> Model:
    """Return the summed counts of one model over all sites."""
    first_model, sums = models[0], [m._sums for m in models if m._sums is not None]
    columns = zip(*(m.scores for m in models), strict=True)
    of_roles = {}
    if joint is not None and first_model.scores:
        of_roles = role_tallies(joint, first_model.name)
    return replace(
        first_model,
        labels=reduce(add, [m.labels for m in models]),
        scores=tuple(reduce(add, tallies) for tallies in columns),
        probabilities=all(m.probabilities for m in models),
        _sums=reduce(add, sums) if len(sums) == len(models) else None,
        _role_tallies=of_roles,
    )


def _joined_rows(sites: Mapping[str, CountedRows]) -> PairedPredictions | None:
    """Return the row-level data of all sites, if every site has them."""
    parts = []
    for name, c in sites.items():
        j = c.joint
        if j is None:
            return None
        if j.clusters is not None:  # clusters of different sites are distinct
            names = tuple(f"{name} {i}" for i in range(j.groups or 0))
            j = replace(j, cluster_names=names)
        parts.append(j)
    optional_parts = {(j.clusters is None, frozenset(j.numbers)) for j in parts}
    if len(optional_parts) > 1:
        of_roles = "".join(f" or with {role.plural}" for role in part_roles().values())
        raise InputError(
            f"some sites have rows in clusters{of_roles} and others do not; evaluate the rows of "
            "every site in the same way"
        )
    return replace(reduce(add, parts), cluster_names=None)
