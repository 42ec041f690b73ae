from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_pairs(
    truth: NDArray[Any], called: NDArray[Any]
) -> tuple[int, NDArray[np.uint64]] | None: ...
def pack(
    labels: NDArray[Any],
    negative: int,
    positive: int,
    scores: NDArray[np.float64],
    keys: NDArray[np.uint64],
) -> tuple[int, int, int, int]: ...
def order_pairs(keys: NDArray[np.uint64], below_zero: int) -> tuple[int, int, int]: ...
def count_groups(keys: NDArray[np.uint64], below_zero: int) -> int: ...
def fill_groups(
    keys: NDArray[np.uint64],
    below_zero: int,
    scores: NDArray[np.float64],
    negatives: NDArray[np.float64],
    positives: NDArray[np.float64],
) -> None: ...
def place(
    scores: NDArray[np.float64], cuts: NDArray[np.float64], places: NDArray[np.uint16]
) -> None: ...
def find_bins(
    scores: NDArray[np.float64],
    breaks: NDArray[np.float64],
    scale: NDArray[np.float64],
    per: int,
    bins: NDArray[np.int64],
) -> None: ...
def add_to_bins(
    codes: NDArray[np.int64],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    breaks: NDArray[np.float64],
    scale: NDArray[np.float64],
    per: int,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    counts: NDArray[np.float64],
    squares: NDArray[np.float64] | None,
) -> None: ...
def pool(pos: NDArray[np.float64], neg: NDArray[np.float64]) -> None: ...
