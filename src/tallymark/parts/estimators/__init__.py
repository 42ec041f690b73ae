"""Estimators: what fitted models and cross-validations predict is judged as arrays are."""

from tallymark.part import Part

PART = Part(__name__, inputs=("judge:judged",), findings=("findings",))
