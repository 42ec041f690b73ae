"""Let pytest run one module of the registry alone, with the examples of its metrics; limit threads.

The registry is imported first: a module that pytest imported by its path would register its
metrics a second time. A metric is no function, so that doctest finds its example in ``__test__``.
"""

import os
import sys

# Before NumPy is loaded: threads that wait for each other, in two processes on two processors, take
# most of the time of small matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

from tallymark.metric import METRICS

for metric in METRICS.values():
    module = sys.modules[metric._function.__module__]
    vars(module).setdefault("__test__", {})[metric.name] = metric.__doc__
