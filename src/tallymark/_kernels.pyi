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
def pool(pos: NDArray[np.float64], neg: NDArray[np.float64]) -> None: ...
def hull(
    pos: NDArray[np.float64], neg: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...

Floats = NDArray[np.float64]

def add_ranks(
    pos: Floats, neg: Floats, tp: Floats, fp: Floats, positives: float, negatives: float
) -> list[float]: ...
def add_truths(scores: Floats, pos: Floats, neg: Floats, prior: float) -> list[float]: ...
def add_scores(
    scores: Floats, pos: Floats, neg: Floats, unit: float, low: float, high: float
) -> list[float]: ...
def add_squares(
    scores: Floats,
    pos: Floats,
    neg: Floats,
    unit: float,
    low: float,
    high: float,
    mean1: float,
    mean0: float,
) -> list[float]: ...
def add_excess(
    scores: Floats, pos: Floats, neg: Floats, total: float, widest: float
) -> list[float]: ...
def add_bends(
    scores: Floats, pos: Floats, neg: Floats, most: float, lines: Floats
) -> list[float]: ...
def add_bins(
    scores: Floats, pos: Floats, neg: Floats, starts: NDArray[np.int64], out: Floats
) -> None: ...
def add_losses(scores: Floats, weights: Floats, squares: Floats, positive: bool) -> list[float]: ...
