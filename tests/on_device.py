"""Tensors in memory that say they are on a GPU."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

WAITING = {"__bool__", "__float__", "__int__", "cpu", "item", "nonzero", "numpy", "tolist"}
"""What makes a program wait for a device."""


class OnDevice(torch.Tensor):
    """A tensor in memory that says it is on a GPU, and counts how often one waited for it."""

    waited = 0

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        OnDevice.waited += getattr(function, "__name__", "") in WAITING
        return super().__torch_function__(function, types, args, kwargs or {})

    @property
    def device(self):
        return torch.device("cuda")


def moved(values):
    """Return an array, or each array of a mapping, as a tensor on a device."""
    if isinstance(values, dict):
        return {name: moved(column) for name, column in values.items()}
    return torch.as_tensor(values).as_subclass(OnDevice)
