"""The laws of every tally, in one helper."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tallymark import InputError


def assert_merges(count: Callable[[slice], Any], cuts: tuple[int, int]) -> None:
    """Hold a tally, counted of any rows, to the laws of adding up and of JSON."""
    first, last = cuts
    a, b, c = (count(slice(*ends)) for ends in ((None, first), (first, last), (last, None)))
    whole = count(slice(None))
    assert a + b + c == whole == c + b + a
    assert a + (b + c) == (a + b) + c
    assert whole + count(slice(0, 0)) == whole == count(slice(0, 0)) + whole
    assert type(whole).from_dict(json.loads(json.dumps(whole.to_dict(), allow_nan=False))) == whole
    assert whole != 1


def assert_altered_is_refused(tally: Any) -> None:
    """Hold what is read back from JSON to its law: what was altered is refused or equal."""
    data = json.loads(json.dumps(tally.to_dict()))
    free = ("checks", "notes", "bins", "dropped", "source")
    unknown = []
    for path in (p for p in _places(data) if p and not set(p) & set(free)):
        *_, part = parts = [data]
        for key in path:
            parts.append(part := part[key])
        for fault in [None, *_faults(part)]:
            altered = json.loads(json.dumps(data))
            holder = altered
            for key in path[:-1]:
                holder = holder[key]
            if fault is not None:
                holder[path[-1]] = fault
            elif isinstance(holder, dict):
                del holder[path[-1]]
            try:
                again = type(tally).from_dict(altered).to_dict()
            except InputError:
                continue
            unknown += [path] if json.loads(json.dumps(again)) != data else []
    # Names, and a score that stands nowhere else, could be others: no total depends on them.
    named = {[key for key in path if isinstance(key, str)][-1] for path in unknown}
    assert named <= {
        "scores", "threshold", "labels", "keys", "highs", "positive", "seen",
        "models",
    }, unknown  # fmt: skip


def _places(data, before=()):
    """Yield the path of keys to every part of plain data, of lists to their first two."""
    yield before
    items = data.items() if isinstance(data, dict) else enumerate(data[:2])
    for key, value in items:
        if isinstance(value, dict | list):
            yield from _places(value, (*before, key))
        else:
            yield (*before, key)


def _faults(value):
    """Yield other values for a part: of other types, too short, negative, no number, huge."""
    yield from ([[[1]]], {"a": 1}, -1.5, float("nan"), 10**400)
    yield from ((1, True) if isinstance(value, str) else ("x",))
    if isinstance(value, list) and value:
        yield from (value[:-1], [*value, value[-1]], [value])
