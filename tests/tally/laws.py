"""The laws of every tally, in one helper."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any


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
