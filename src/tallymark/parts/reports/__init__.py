"""Reports made elsewhere: counts are rebuilt of their numbers, and numbers alone are refused."""

from tallymark.part import Part

PART = Part(__name__, inputs=("judge:judged",), without_columns=("matrix",), findings=("findings",))
