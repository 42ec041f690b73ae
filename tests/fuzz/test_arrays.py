"""Arrays of every kind and with every fault: an evaluation that holds together, or one sentence."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import tallymark as tm
from fuzzing import cases, check_evaluation, pick, refusal

SIZES = (0, 1, 2, 3, 5, 20, 60)
EXTREME = (
    np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, -0.0, 0.0, 1.0, 2.0**53 + 2, 1e16, -1.0, 1e-17,
)  # fmt: skip
ODD = (
    None, np.nan, "", " ", "1", "yes", "YES", b"1", "1\0", "\ud800", 10**30, -(2**63), 2**64 - 1,
    True, np.True_, 1.5, 1j, object, [1], (1, 2), {"a": 1}, pd.NA, pd.NaT, np.float32(0.1),
    datetime.date(2020, 1, 1), np.datetime64("NaT"), float("inf"), "nan", "None",
)  # fmt: skip


def labels(rng, n):
    """Return a plain column of classes."""
    classes = pick(rng, (
        [0, 1], [0, 1], [0, 1], [False, True], ["no", "yes"], [-1, 1], [1, 2], ["a", "b", "c"],
        [0, 1, 2, 3], [0.0, 1.0], [0.5, 1.5], ["0", "1"], ["é", "\u202e", "x" * 300], [5], [2**40, 7],
        ["yes", "Yes"], [0, 1, None], ["a", float("nan")], [10**20, 1], [b"x", b"y"],
    ))  # fmt: skip
    return [classes[i] for i in rng.integers(len(classes), size=n)]


def scores(rng, n):
    """Return a plain column of scores."""
    kind = rng.integers(9)
    if kind == 0:
        values = np.round(rng.random(n), 1)
    elif kind == 1:
        values = rng.standard_normal(n) * 10.0 ** rng.integers(-300, 300)
    elif kind == 2:
        values = np.full(n, pick(rng, EXTREME))
    elif kind == 3:
        values = rng.integers(-3, 4, n).astype(pick(rng, ("int8", "int64", "uint64", "float16")))
    elif kind == 4:
        values = rng.integers(0, 101, n)
    elif kind == 5:
        values = np.array([pick(rng, EXTREME[3:]) for _ in range(n)], dtype=np.float64)
    else:
        values = rng.random(n)
    return values.tolist() if rng.random() < 0.5 else values


def spoiled(rng, values):
    """Put something odd into a column, at times."""
    if rng.random() < 0.92 or not len(values):
        return values
    values = list(values)
    for _ in range(int(rng.integers(1, 3))):
        values[int(rng.integers(len(values)))] = pick(rng, ODD if rng.random() < 0.5 else EXTREME)
    return values


def packed(rng, values):
    """Return a column in a container of some library, of some type and shape; or spoil that."""
    values = spoiled(rng, values)
    makers = [
        list, list, list, tuple, np.array, np.array, lambda v: np.array(v, dtype=object),
        lambda v: np.array(v).reshape(-1, 1), lambda v: np.array(v)[::-1], pd.Series, pl.Series,
        lambda v: pd.Series(v, dtype="category"), pa.array, lambda v: pa.chunked_array([v]),
        lambda v: pd.Series(v).convert_dtypes(), lambda v: np.ma.array(v, mask=np.arange(len(v)) == 0),
        lambda v: np.array(v).astype(">f8"), lambda v: np.array(v).astype("float16"),
        lambda v: np.array(v).astype("datetime64[s]"), lambda v: np.array(v)[None, :],
        lambda v: np.array(v).reshape(1, 1, -1), iter, set, lambda v: dict(enumerate(v)),
        lambda v: v[0], lambda v: np.array(v[0]), lambda v: "".join(map(str, v)), str,
        lambda v: pd.DataFrame({"x": v}), lambda v: [[x] for x in v], lambda v: [v, v[:-1]],
        lambda v: np.array(v).astype("S3"), lambda v: np.array(v).astype("U"), memoryview,
        lambda v: np.lib.stride_tricks.as_strided(np.array(v), (len(v),), (0,)), pd.Index,
        lambda v: np.rec.fromarrays([v]), lambda v: pd.Series(v, index=np.arange(len(v))[::-1]),
    ]  # fmt: skip
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
            return pick(rng, makers if rng.random() < 0.2 else makers[:6])(values)
    except Exception:  # that library does not hold such values
        return values


def columns(rng, n, k):
    """Return a matrix of scores, one column a class, of some container."""
    matrix = rng.random((n, k))
    if rng.random() < 0.5:
        matrix /= matrix.sum(1, keepdims=True)
    if rng.random() < 0.2 and matrix.size:
        matrix.flat[int(rng.integers(matrix.size))] = pick(rng, EXTREME)
    return pick(rng, (np.asarray, np.asarray, np.ndarray.tolist, pd.DataFrame, np.asfortranarray,
                      lambda m: m.astype(object), lambda m: m[:, :, None], lambda m: m[:, :0]))(matrix)  # fmt: skip


def arguments(rng):
    """Return the arguments of tm.evaluate."""
    n = pick(rng, SIZES)

    def size():
        return n if rng.random() < 0.97 else max(n + int(rng.integers(-2, 3)), 0)

    y = labels(rng, n)
    args = {"data": packed(rng, y)}
    if rng.random() < 0.6:
        k = len(dict.fromkeys(map(str, y)))
        made = columns(rng, size(), k) if rng.random() < 0.3 else packed(rng, scores(rng, size()))
        args["y_score"] = (
            made if rng.random() < 0.8 else {"a": made, "b": packed(rng, scores(rng, n))}
        )
    if rng.random() < 0.5 or "y_score" not in args:
        said = [y[int(i)] for i in rng.integers(n, size=size())] if n else []
        made = packed(rng, said if rng.random() < 0.8 else labels(rng, n))
        args["y_pred"] = made if rng.random() < 0.8 else {"a": made, 5: packed(rng, said)}
    for name, make in (
        ("weight", lambda: packed(rng, scores(rng, size()))),
        ("weight", lambda: rng.integers(0, 4, n)),
        ("weight", lambda: np.exp(rng.normal(0, pick(rng, (1, 30, 100)), n))),
        ("cluster", lambda: packed(rng, rng.integers(0, max(n // 3, 1), size()).tolist())),
        ("fold", lambda: packed(rng, (np.arange(size()) % 4).tolist())),
        ("subgroup", lambda: {"g": packed(rng, rng.integers(0, 3, size()).tolist())}),
        ("classes", lambda: packed(rng, list(dict.fromkeys(y)))),
        ("positive", lambda: pick(rng, y) if y else 1),
        ("positive", lambda: pick(rng, ODD)),
        ("threshold", lambda: pick(rng, EXTREME)),
        ("missing", lambda: "drop"),
        ("level", lambda: float(rng.random())),
    ):
        if rng.random() < 0.12:
            args[name] = make()
    return args


@pytest.mark.slow
def test_arrays_are_judged_or_refused_in_a_sentence():
    judged = 0
    for case, rng in cases(220):
        args = arguments(rng)
        try:
            ev, refused = refusal(tm.evaluate, **args)
            if refused is None:
                check_evaluation(ev)
                judged += 1
        except Exception as error:
            raise AssertionError(f"case {case}: {_shown(args)}") from error
    assert judged or case < 100


def _shown(args):
    try:
        return repr(args)[:1500]
    except Exception:
        return str({name: type(v).__name__ for name, v in args.items()})
