"""The numbers of an evaluation that trackers log, by the name of the metric and of the model."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from tallymark import Evaluation, InputError
from tallymark.core import get, headline


def numbers_of(ev: Evaluation, metrics: Sequence[str] | None) -> dict[str, float]:
    """Return the finite numbers and their bounds by name: "roc_auc", "roc_auc.low" and so on.

    Of several models each name begins with the model's: "forest/roc_auc".
    """
    before, values = by_model(ev), ev.values()
    names = headline(ev) if metrics is None else [get(m).name for m in metrics]
    for name in names:
        if not any(name in of_model for of_model in values.values()):
            raise InputError(f"{name} cannot be computed from these predictions; leave it out")
    numbers = {
        f"{before[model]}{name}{end}": x
        for model, of_model in values.items()
        for name in names
        if (v := of_model.get(name)) is not None
        for end, x in (("", v.value), (".low", v.low), (".high", v.high))
    }
    return {name: x for name, x in numbers.items() if math.isfinite(x)}


def by_model(ev: Evaluation) -> dict[str, str]:
    """Return the prefix of each model's numbers: empty for a single model."""
    if len(ev.names) == 1:
        return {ev.names[0]: ""}
    before = {name: re.sub(r"[^\w.-]", "_", name, flags=re.ASCII) + "/" for name in ev.names}
    if len(set(before.values())) < len(before):
        raise InputError(
            f"the models {', '.join(map(repr, ev.names))} get the same name with only letters, "
            "digits and ._-; rename them"
        )
    return before
