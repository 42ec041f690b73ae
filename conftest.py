"""Let pytest run one module of the registry alone, with the examples of its metrics.

The registry is imported first: a module that pytest imported by its path would register its
metrics a second time. A metric is no function, so that doctest finds its example in ``__test__``.
"""

import sys

from tallymark.metric import METRICS

for metric in METRICS.values():
    module = sys.modules[metric._function.__module__]
    vars(module).setdefault("__test__", {})[metric.name] = metric.__doc__
