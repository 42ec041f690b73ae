"""Rows on an accelerator, such as tensors of PyTorch on a GPU, counted there.

Equal rows become one line with its number of rows, by a sort on the device. Only the distinct lines
are copied to memory; what follows treats them like the grouped counts of a database.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_LABELS = 1 << 12
"""Integer labels with a wider range are counted in memory."""

_LABELS = ("bool", "uint8", "int8", "int16", "int32", "int64")
_SCORES = ("float16", "bfloat16", "float32", "float64")
_HIGHEST = 0x7FFFFFFF


class Lines(NamedTuple):
    """Distinct rows, and how many rows each line counts."""

    y_true: NDArray[Any]
    y_pred: dict[str, NDArray[Any]]
    y_score: dict[str, NDArray[Any]]
    rows: NDArray[np.int64]


def on_device(values: Any) -> bool:
    """Return whether values are a tensor that is not in the memory of the CPU."""
    device = getattr(values, "device", None)
    return hasattr(values, "detach") and getattr(device, "type", "cpu") != "cpu"


def as_tensor(values: Any) -> Any:
    """Return an array on a device as a tensor of PyTorch by DLPack, without a copy.

    Values are returned unchanged if they are a tensor or in memory, or if PyTorch is not imported.
    """
    torch = sys.modules.get("torch")
    if torch is None or hasattr(values, "detach") or not hasattr(values, "__dlpack_device__"):
        return values
    cpu = 1
    if isinstance(values, np.ndarray) or int(values.__dlpack_device__()[0]) == cpu:
        return values
    return torch.from_dlpack(values)


def counted(y_true: Any, predictions: Mapping[str, Any], scores: Mapping[str, Any]) -> Lines | None:
    """Return the distinct rows of tensors on a device, or None if they must be copied.

    That is the case for columns in memory, several models (their differences need the rows), more
    than one column of scores, labels other than small integers and booleans, and missing or
    infinite scores, which are then refused row by row.
    """
    columns = _columns_of(y_true, predictions, scores)
    if columns is None:
        return None
    first = columns[0]
    of_labels = columns[: 1 + len(predictions)]
    codes = [_Codes.of(c) for c in of_labels] if len(first) else []
    labels = [c for c in codes if c is not None]
    combinations = math.prod(c.size for c in labels)
    if len(labels) < len(of_labels) or combinations > MOST_LABELS**2:
        return None
    key = labels[0].codes
    for column in labels[1:]:
        key = key * column.size + column.codes
    if scores:
        ranked = _ranks(columns[-1].detach())
        if ranked is None:
            return None
        ranks, score_of = ranked
        key = (ranks * combinations + key).sort().values
        key, count = key.unique_consecutive(return_counts=True)
        score = [_to_host(score_of(key // combinations)).astype(np.float64)]
        key = key % combinations
    else:
        count = key.bincount(minlength=combinations)
        key, score = count.nonzero().reshape(-1), []
        count = count[key]
    decoded: list[NDArray[Any]] = []
    for column in reversed(labels):
        decoded.append(column.decoded(key % column.size))
        key = key // column.size
    truth, *predicted = reversed(decoded)
    return Lines(
        truth,
        dict(zip(predictions, predicted, strict=True)),
        dict(zip(scores, score, strict=True)),
        _to_host(count),
    )


def _columns_of(
    y_true: Any, predictions: Mapping[str, Any], scores: Mapping[str, Any]
) -> list[Any] | None:
    """Return the columns of one model as tensors of one length on one device, or None."""
    if len({*predictions, *scores}) > 1:
        return None
    columns = [as_tensor(c) for c in (y_true, *predictions.values(), *scores.values())]
    if not all(map(on_device, columns)):
        return None
    first = columns[0]
    if any(c.ndim != 1 or c.device != first.device or len(c) != len(first) for c in columns):
        return None
    return columns


class Batch(NamedTuple):
    """A copy of some rows of one model, on their device."""

    y_true: Any
    predictions: dict[str, Any]
    scores: dict[str, Any]

    @classmethod
    def of(
        cls, y_true: Any, predictions: Mapping[str, Any], scores: Mapping[str, Any]
    ) -> Batch | None:
        """Return the rows, or None if they must be copied to memory.

        No value is looked at, so that nothing waits for the device.
        """
        columns = _columns_of(y_true, predictions, scores)
        if columns is None or not len(columns[0]):
            return None
        kinds = [*[_LABELS] * (1 + len(predictions)), *[_SCORES] * len(scores)]
        if any(_type_of(c) not in kind for c, kind in zip(columns, kinds, strict=True)):
            return None
        truth, *others = (c.detach().clone() for c in columns)
        predicted = dict(zip(predictions, others, strict=False))
        return cls(truth, predicted, dict(zip(scores, others[len(predicted) :], strict=True)))

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """Return several batches of the same columns as one."""
        cat = sys.modules["torch"].cat
        first = batches[0]
        return cls(
            cat([b.y_true for b in batches]),
            {name: cat([b.predictions[name] for b in batches]) for name in first.predictions},
            {name: cat([b.scores[name] for b in batches]) for name in first.scores},
        )

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.y_true)

    @property
    def kind(self) -> tuple[str, ...]:
        """The device and the types of the columns."""
        columns = (self.y_true, *self.predictions.values(), *self.scores.values())
        return str(self.y_true.device), *map(_type_of, columns)


class _Codes(NamedTuple):
    """Labels of a column as codes from 0 on."""

    codes: Any
    lowest: int
    size: int
    boolean: bool

    @classmethod
    def of(cls, column: Any) -> _Codes | None:
        """Return the codes of a tensor of labels, or None for other types and wide ranges."""
        kind = _type_of(column)
        if kind not in _LABELS:
            return None
        column = column.detach().long()
        low, high = int(column.min()), int(column.max())
        if high - low >= MOST_LABELS:
            return None
        return cls(column - low, low, high - low + 1, kind == "bool")

    def decoded(self, codes: Any) -> NDArray[Any]:
        labels = _to_host(codes + self.lowest)
        return labels.astype(bool) if self.boolean else labels


def _ranks(scores: Any) -> tuple[Any, Any] | None:
    """Return whole numbers in the order of finite scores, and the function that reverses it."""
    kind = _type_of(scores)
    if kind not in _SCORES or not bool(scores.isfinite().all()):
        return None
    if kind == "float64":
        distinct, ranks = (scores + 0.0).unique(return_inverse=True)
        return ranks, lambda found: distinct[found]
    scores = scores.float() + 0.0  # -0.0 equals 0.0
    bits = _in_order(_viewed(scores, "int32")).long() + _HIGHEST + 1

    def reverse(found: Any) -> Any:
        return _viewed(_in_order((found - _HIGHEST - 1).int()), "float32")

    return bits, reverse


def _in_order(bits: Any) -> Any:
    """Return the bits of floats as integers of the same order, and back: its own inverse."""
    return bits ^ ((bits >> 31) & _HIGHEST)


def _viewed(tensor: Any, kind: str) -> Any:
    return tensor.contiguous().view(getattr(sys.modules["torch"], kind))


def _type_of(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _to_host(tensor: Any) -> NDArray[Any]:
    return np.asarray(tensor.cpu().numpy())
