"""The option --like of tallymark explain."""

from __future__ import annotations

from typing import Any

import tallymark as tm
from tallymark import InputError
from tallymark.cli.group import (
    also,
    columns_of_rows,
    json_flag,
    option,
    predictions_of,
    show_each,
    words_given,
)


@also(
    "explain",
    option(
        "--like LIBRARY",
        "Judge FILE under the definitions of sklearn, pycm, weka (3.8 and 3.9), weka-3.7, "
        "yardstick or torchmetrics.",
        "library",
    ),
    columns_of_rows,
    json_flag,
)
def like(name: str, library: str | None, columns: dict[str, Any], as_json: bool) -> None:
    """With --like, judge the predictions in a FILE under another library's definitions.

    Ours stand beside them. The other options name its columns.
    """
    from tallymark.core import check_name
    from tallymark.parts.libraries.like import LIBRARIES
    from tallymark.parts.libraries.like import like as judged

    if library is None:
        flag = next(iter(words_given(columns))).replace("_", "-")
        raise InputError(f"--{flag} needs --like LIBRARY, and {name!r} was read as a metric")
    check_name("library", library, LIBRARIES)  # before the long work
    ev, opposite = predictions_of(name, **columns), None
    if ev.binary and len(columns.get("score") or ev.source._roles.get("score") or ()) == 2:
        other = next(label for label in ev.classes if label != ev.positive)
        opposite = tm.evaluate(name, **columns | {"positive": other})
        opposite = opposite if opposite.names == ev.names == (ev.names[0],) else None
    show_each(judged(ev, library, opposite=opposite), as_json=as_json)
