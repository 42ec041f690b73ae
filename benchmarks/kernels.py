"""How near the kernels are to the limit of the machine: python -m benchmarks.kernels.

Ratios of medians of alternating runs. A peer that is not installed is told, not measured.
"""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from benchmarks.timing import Row, alternate, seconds, table

ROWS = 10**7
FEW = 100
SIZES = (10**5, 10**6, 10**7, 10**8)
Peers = dict[str, Callable[[], object]]


def rows() -> list[Row]:
    """Every kernel beside its peers."""
    return [*counting(), *ordering(), *means(), *types(), *growth(), *few()]


def _data(n: int = ROWS) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(0)
    score = rng.random(n)
    return (rng.random(n) < score).astype(np.int64), score


def _beside(work: str, ours: Callable[[], object], peers: Peers, runs: int) -> dict[str, float]:
    """Return how many times as long as ours each peer takes; say which peer is missing."""
    there: Peers = {}
    for name, peer in peers.items():
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                peer()
            there[name] = peer
        except ImportError as error:
            print(f"({work}: {name} is not measured: {error})")
    mine, *theirs = alternate(ours, *there.values(), runs=runs)
    return {name: took / mine for name, took in zip(there, theirs, strict=True)}


def _row(work: str, ratios: dict[str, float], names: tuple[str, ...], least: float) -> Row:
    """Return the line of the fastest of these peers."""
    found = {k: v for k, v in ratios.items() if k in names}
    if not found:
        return Row(work, "no peer installed", f"at least {least:g} ×", holds=False)
    name = min(found, key=lambda k: found[k])
    return Row(work, f"{found[name]:.1f} × {name}", f"at least {least:g} ×", found[name] >= least)


def _limit(work: str, ratio: float, than: str, most: float) -> Row:
    """Return the line of what takes at most so many times as long as something else."""
    return Row(work, f"{ratio:.2f} × the time of {than}", f"at most {most:g} ×", ratio <= most)


def counting() -> list[Row]:
    """Pairs of labels: integers, and texts."""
    import polars as pl
    from sklearn.metrics import confusion_matrix

    true, score = _data()
    pred = (score > 0.5).astype(np.int64)
    frame = pl.DataFrame({"true": true, "pred": pred})
    work = "LabelTally of 10^7 int64 pairs"
    ratios = _beside(
        work,
        lambda: tm.LabelTally.from_arrays(true, pred),
        {
            "scikit-learn": lambda: confusion_matrix(true, pred),
            "Polars group_by": lambda: frame.group_by("true", "pred").len(),
            "numpy summing both arrays": lambda: (true.sum(), pred.sum()),
        },
        runs=5,
    )
    found = [
        _row(work, ratios, ("scikit-learn",), 150),
        _row(work, ratios, ("Polars group_by",), 5),
        _limit(
            work, 1 / ratios["numpy summing both arrays"], "numpy summing both arrays", 1.2
        ),
    ]  # fmt: skip

    names = np.array(["cat", "dog"])
    texts = frame.select(
        pl.when(pl.all() == 1).then(pl.lit("dog")).otherwise(pl.lit("cat")).name.keep()
    )
    work = "LabelTally of 10^7 pairs of texts of Polars"
    first = slice(10**6)
    fixed_true, fixed_pred = names[true[first]], names[pred[first]]
    ratios = _beside(
        work,
        lambda: tm.LabelTally.from_arrays(texts["true"], texts["pred"]),
        {"Polars group_by": lambda: texts.group_by("true", "pred").len()},
        runs=5,
    )
    found.append(_row(work, ratios, ("Polars group_by",), 0.5))
    work = "LabelTally of 10^6 pairs of NumPy's texts"
    ratios = _beside(
        work,
        lambda: tm.LabelTally.from_arrays(fixed_true, fixed_pred),
        {"scikit-learn": lambda: confusion_matrix(fixed_true, fixed_pred)},
        runs=3,
    )
    found.append(_row(work, ratios, ("scikit-learn",), 20))
    return found


def _intelex(true: NDArray[Any], score: NDArray[Any]) -> object:
    from sklearnex.metrics import roc_auc_score

    return roc_auc_score(true, score)


def _polars_ds(frame: Any) -> object:
    import polars_ds as pds

    return frame.select(pds.query_roc_auc("true", "score"))


def _torchmetrics(true: NDArray[Any], score: NDArray[Any]) -> object:
    import torch
    from torchmetrics.functional.classification import binary_auroc

    return binary_auroc(torch.from_numpy(score), torch.from_numpy(true))


def ordering() -> list[Row]:
    """The exact ROC area."""
    import polars as pl
    from sklearn.metrics import roc_auc_score

    true, score = _data()
    frame = pl.DataFrame({"true": true, "score": score})
    work = "exact roc_auc of 10^7 float64 scores"
    ratios = _beside(
        work,
        lambda: tm.metrics.roc_auc(true, score),
        {
            "scikit-learn": lambda: roc_auc_score(true, score),
            "scikit-learn-intelex": lambda: _intelex(true, score),
            "polars_ds": lambda: _polars_ds(frame),
            "torchmetrics": lambda: _torchmetrics(true, score),
            "numpy.sort of the scores": lambda: np.sort(score),
        },
        runs=7,
    )
    weights = np.random.default_rng(1).random(ROWS)
    slower = []
    for n in (10**6, ROWS):
        area = partial(tm.metrics.roc_auc, true[:n], score[:n])
        weighted, plain = alternate(partial(area, sample_weight=weights[:n]), area, runs=9)
        work = f"roc_auc of 10^{math.log10(n):.0f} weighted rows"
        slower.append(_limit(work, weighted / plain, "the same unweighted", 3.0))
    others = ("scikit-learn-intelex", "polars_ds", "torchmetrics")
    for name in others:
        if name in ratios:
            print(f"({work}: {ratios[name]:.1f} × {name})")
    sort = 1 / ratios["numpy.sort of the scores"]
    return [
        _row(work, ratios, ("scikit-learn",), 40),
        _row(f"{work}, the best of {', '.join(others)}", ratios, others, 8),
        _limit(work, sort, "numpy.sort of the scores", 1.0),
        *slower,
    ]


def means() -> list[Row]:
    """Means over 10^7 rows of probabilities beside NumPy's formulas of them."""
    true, score = _data()

    def squared() -> float:
        return float(((score - true) ** 2).mean())

    def logarithms() -> float:
        return float(-np.log(np.where(true == 1, score, 1 - score)).mean())

    def by_bins() -> float:
        bins = np.minimum((score * 10).astype(np.int64), 9)
        sums = (np.bincount(bins, column, 10) for column in (score, true))
        return float(np.abs(np.subtract(*sums)).sum() / len(true))

    found = []
    for name, formula in (
        ("brier", squared),
        ("log_loss", logarithms),
        ("expected_calibration_error", by_bins),
    ):
        ours, theirs = alternate(partial(getattr(tm.metrics, name), true, score), formula, runs=5)
        found.append(_limit(f"{name} of 10^7 rows", ours / theirs, "NumPy's formula", 2.0))
    return found


def types() -> list[Row]:
    """Scores of narrow types beside the same ones copied to float64."""
    true, score = _data()
    found = []
    for kind in ("float32", "float16", "int32", "int8"):
        narrow = (score * 100).astype(kind) if "int" in kind else score.astype(kind)
        ours, copied = alternate(
            partial(tm.metrics.roc_auc, true, narrow),
            lambda narrow=narrow: tm.metrics.roc_auc(true, narrow.astype(np.float64)),  # type: ignore[misc]
            runs=3,
        )
        work = f"roc_auc of 10^7 {kind} scores"
        found.append(_limit(work, ours / copied, "their copies in float64", 1.0))
    return found


def growth() -> list[Row]:
    """How the time of the area grows with the rows: the slope on log scales."""
    times = []
    for n in SIZES:
        true, score = _data(n)
        tm.metrics.roc_auc(true, score)
        runs = max(1, 10**7 // n)
        times.append(min(seconds(partial(tm.metrics.roc_auc, true, score)) for _ in range(runs)))
    slope = float(np.polyfit(np.log(SIZES), np.log(times), 1)[0])
    told = ", ".join(
        f"10^{math.log10(n):.0f}: {t:.3g} s" for n, t in zip(SIZES, times, strict=True)
    )
    print(f"(growth of roc_auc: {told})")
    work = "exponent of roc_auc's time from 10^5 to 10^8 rows"
    return [Row(work, f"{slope:.2f}", "at most 1.15", slope <= 1.15)]


def _small() -> Iterator[tuple[str, Callable[[], object]]]:
    """Every function of the drop-in and of the registry that takes 100 rows, as a call.

    Without scikit-learn's own functions, which the drop-in passes on.
    """
    import tallymark.sklearn as ours
    from tallymark.metric import METRICS
    from tallymark.sklearn.delegated import __all__ as theirs

    rng = np.random.default_rng(0)
    true, score = _data(FEW)
    pred = (score > 0.5).astype(np.int64)
    three, many = rng.integers(0, 3, FEW), rng.dirichlet(np.ones(3), FEW)
    rising = np.sort(score), np.sort(pred)
    functions = [f for f in ours.__all__ if not f.endswith("Display") and f not in theirs]
    named = {f"tallymark.sklearn.{f}": getattr(ours, f) for f in functions}
    named.update({f"tallymark.metrics.{f}": m for f, m in METRICS.items()})
    for name, function in named.items():
        needs = getattr(function, "needs", None)
        for arrays in ((true, pred), (true, score), (three, many), rising):
            if needs in ("counts", "matrix") and arrays[1] is not pred:
                continue
            if needs is not None and needs not in ("counts", "matrix") and arrays[1] is pred:
                continue
            try:
                function(*arrays)
            except Exception:
                continue
            yield name, partial(function, *arrays)
            break


def few(least: int = 101, most: float = 80e-6) -> list[Row]:
    """Calls on 100 rows: the slowest and the median of all functions."""
    times = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in _small():
            (times[name],) = alternate(call, runs=least)
    slowest = sorted(times, key=lambda k: -times[k])
    print("(100 rows: " + ", ".join(f"{k} {times[k] * 1e6:.0f} µs" for k in slowest[:12]) + ")")
    found = []
    for home in ("sklearn", "metrics"):
        here = [k for k in slowest if k.startswith(f"tallymark.{home}.")]
        within = sum(times[k] <= most for k in here)
        work = f"functions of tallymark.{home} on 100 rows, each within {most * 1e6:.0f} µs"
        middle = float(np.median([times[k] for k in here])) * 1e6
        told = f"{within} of {len(here)}; median {middle:.0f} µs, slowest {here[0].split('.')[-1]} "
        told += f"{times[here[0]] * 1e6:.0f} µs"
        found.append(Row(work, told, "all", within == len(here)))
    return found


if __name__ == "__main__":
    print(table(rows()))
