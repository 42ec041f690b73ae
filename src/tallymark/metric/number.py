"""Base class of results that behave like a float."""

from __future__ import annotations


class Number:
    """A result with a ``value`` that can be formatted, rounded, compared and computed with.

    Arithmetic returns plain floats without an interval. For differences with intervals use
    :func:`tallymark.interval`, :func:`tallymark.test` or :meth:`tallymark.Evaluation.compare`.
    """

    __slots__ = ()

    def __float__(self) -> float:
        number: float = self.value  # type: ignore[attr-defined]
        return number

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __lt__(self, other: float | Number) -> bool:
        return float(self) < other

    def __le__(self, other: float | Number) -> bool:
        return float(self) <= other

    def __gt__(self, other: float | Number) -> bool:
        return float(self) > other

    def __ge__(self, other: float | Number) -> bool:
        return float(self) >= other

    def __neg__(self) -> float:
        return -float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    def __add__(self, other: float | Number) -> float:
        return float(self) + other

    def __radd__(self, other: float) -> float:
        return other + float(self)

    def __sub__(self, other: float | Number) -> float:
        return float(self) - other

    def __rsub__(self, other: float) -> float:
        return other - float(self)

    def __mul__(self, other: float | Number) -> float:
        return float(self) * other

    def __rmul__(self, other: float) -> float:
        return other * float(self)

    def __truediv__(self, other: float | Number) -> float:
        return float(self) / other

    def __rtruediv__(self, other: float) -> float:
        return other / float(self)

    def __pow__(self, other: float | Number) -> float:
        return float(float(self) ** float(other))

    def __rpow__(self, other: float) -> float:
        return float(other ** float(self))
