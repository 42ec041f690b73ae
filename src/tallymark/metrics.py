"""Every metric as a function: ``tallymark.metrics.mcc(y_true, y_pred)``.

Names and aliases are the registry's; ``dir(tallymark.metrics)`` lists them.
"""

from __future__ import annotations

from tallymark.errors import InputError
from tallymark.metric import METRICS, Metric, get


def __getattr__(name: str) -> Metric:
    try:
        return get(name)
    except InputError as error:
        raise AttributeError(str(error)) from None


def __dir__() -> list[str]:
    return sorted(METRICS)
