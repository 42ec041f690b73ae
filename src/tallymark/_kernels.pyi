from typing import Any

import numpy as np
from numpy.typing import NDArray

def count_pairs(
    truth: NDArray[Any], predicted: NDArray[Any]
) -> tuple[int, NDArray[np.uint64]] | None: ...
def partition(
    labels: NDArray[Any],
    lower: int,
    upper_positive: bool,
    scores: NDArray[Any],
    keys: NDArray[Any],
    weights: NDArray[np.float64] | None = None,
    of_keys: NDArray[np.float64] | None = None,
) -> tuple[list[int], int] | None: ...
def scan(keys: NDArray[Any]) -> tuple[int, int, int, int]: ...
def scan_weighted(
    keys: NDArray[Any], weights: NDArray[np.float64]
) -> tuple[float, float, float, float]: ...
def fill_doubles(
    keys: NDArray[Any],
    upper: bool,
    scores: NDArray[np.float64],
    negatives: NDArray[np.float64],
    positives: NDArray[np.float64],
) -> None: ...

fill_floats = fill_integers = fill_naturals = fill_doubles

def group_rows(
    scores: NDArray[np.float64],
    codes: NDArray[np.int64],
    classes: int,
    weights: NDArray[np.float64] | None,
    squares: NDArray[np.float64] | None,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]: ...
def add_row_losses(
    labels: NDArray[Any],
    lower: int,
    upper_positive: bool,
    scores: NDArray[np.float64],
    loss: str,
) -> list[float] | None: ...
def add_row_bins(
    labels: NDArray[Any],
    lower: int,
    upper_positive: bool,
    scores: NDArray[np.float64],
    bins: int,
) -> tuple[list[float], list[float], list[list[float]]] | None: ...
def number_stream(stream: Any) -> tuple[NDArray[np.int16], list[str]] | None: ...
def count_few(
    truth: NDArray[Any], predicted: NDArray[Any]
) -> tuple[tuple[int, ...], tuple[float, ...]] | None: ...
def one_vs_rest(matrix: NDArray[np.float64], out: NDArray[np.float64]) -> bool: ...
def number_objects(rows: NDArray[Any]) -> tuple[NDArray[np.int16], list[str]] | None: ...
def number_characters(
    rows: NDArray[np.uint32],
) -> tuple[NDArray[np.int16], list[str]] | None: ...
def find_bins(
    scores: NDArray[np.float64],
    breaks: NDArray[np.float64],
    scale: NDArray[np.float64],
    per: int,
    bins: NDArray[np.int64] | NDArray[np.uint16],
) -> None: ...
def workers(n: int, least: int) -> int: ...
def quota(root: str) -> int: ...
def add_to_bins(
    codes: NDArray[np.int64],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    breaks: NDArray[np.float64],
    scale: NDArray[np.float64],
    per: int,
    classes: int,
    table: NDArray[np.float64],
) -> None: ...
def merge(
    scores: NDArray[np.float64],
    counts: NDArray[np.float64],
    more: NDArray[np.float64],
    more_counts: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def draw_hits(
    n: NDArray[np.float64], p: NDArray[np.float64], values: NDArray[np.float64]
) -> None: ...
def pool(pos: NDArray[np.float64], neg: NDArray[np.float64]) -> None: ...
def hulls(
    pos: NDArray[np.float64], neg: NDArray[np.float64]
) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]: ...
def subgroup_rows(
    subgroups: NDArray[np.int64],
    codes: NDArray[np.int8],
    scores: NDArray[np.float64],
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
) -> None: ...
def subgroup_order(
    subgroups: NDArray[np.int64], scores: NDArray[np.float64], size: int, order: NDArray[np.int64]
) -> None: ...
def subgroup_groups(
    keys: NDArray[np.uint64], starts: NDArray[np.int64], groups: NDArray[np.int64]
) -> None: ...
def subgroup_lines(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    scores: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> None: ...
def subgroup_cut(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    threshold: float,
    table: NDArray[np.float64],
) -> None: ...
def judge_keys(
    keys: NDArray[np.uint64],
    starts: NDArray[np.int64],
    positive: bool,
    losses: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def judge_counts(
    scores: NDArray[np.float64],
    counts: NDArray[np.float64],
    squares: NDArray[np.float64],
    ends: NDArray[np.int64],
    positive: bool,
    losses: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None: ...
def hull(
    tp: NDArray[np.float64], fp: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]: ...

Floats = NDArray[np.float64]

def condense(
    scores: Floats, columns: list[Floats], cuts: NDArray[np.int64], cumulative: bool
) -> Floats: ...
def fit(x: Floats, pos: Floats, neg: Floats, sloped: bool, out: Floats) -> None: ...
def add_losses(
    scores: Floats, rest: Floats, weights: Floats, squares: Floats, positive: bool
) -> list[float]: ...
def rank_sums(tp: Floats, fp: Floats, out: Floats) -> None: ...
def answer_sums(
    scores: Floats, pos: Floats, neg: Floats, probabilities: bool, out: Floats
) -> None: ...
def draw_blocks(times: Floats, counts: Floats, out: Floats) -> None: ...
def class_totals(pos: Floats, neg: Floats, out: Floats) -> None: ...
def cumulative_counts(pos: Floats, neg: Floats, tp: Floats, fp: Floats) -> None: ...
def trapezoids(x: Floats, y: Floats) -> float: ...
def add_placements(
    tp: Floats, fp: Floats, pos2: Floats | None, neg2: Floats | None
) -> list[float]: ...
def place_rows(
    column: Floats,
    scores: Floats,
    tp: Floats,
    fp: Floats,
    auc: float,
    positive: NDArray[np.uint8],
    out: Floats,
) -> None: ...
def add_products(
    columns: list[Floats],
    scores: list[Floats],
    tp: list[Floats],
    fp: list[Floats],
    aucs: Floats,
    positive: NDArray[np.uint8],
    weights: Floats | None,
    out: Floats,
) -> None: ...
