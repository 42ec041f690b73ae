"""What is measured, section by section; each section is measured in a process of its own.

Apart from the program that asks for them, since a new process cannot import from a package's main.
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

import tallymark as tm
from benchmarks.timing import ROWS, Row, alternate, command, faster, seconds, slower, within

BIN = Path(sys.executable).parent


def drop_in() -> list[Row]:
    """scikit-learn's functions, and ours of the same names, on 10^7 rows."""
    import sklearn.metrics

    import tallymark.sklearn

    rng = np.random.default_rng(0)
    score = rng.random(ROWS)
    true = (rng.random(ROWS) < score).astype(np.int64)
    pred = (score > 0.5).astype(np.int64)
    rows = []
    for name, column, target in (
        ("classification_report", pred, 80),
        ("f1_score", pred, 60),
        ("roc_curve", score, 2),
        ("log_loss", score, 2),
    ):
        mine, peer = (getattr(home, name) for home in (tallymark.sklearn, sklearn.metrics))
        ours, theirs = alternate(partial(mine, true, column), partial(peer, true, column), runs=3)
        work = f"tallymark.sklearn.{name} of 10^7 rows"
        rows.append(faster(work, theirs / ours, "scikit-learn", target))
    return rows


def streams() -> list[Row]:
    """Rows counted 1,000 at a time: the batches alone, and beside the same rows counted at once."""
    rng = np.random.default_rng(0)
    many, size = 2 * 10**6, 1000
    score = rng.random(many)
    true = (rng.random(many) < score).astype(np.int64)

    def filled(name: str, column: NDArray[Any]) -> tuple[tm.Tallier, float]:
        """Return a Tallier, and the processor time of its updates, before it counts its rows."""
        tally, start = tm.Tallier(), time.thread_time()
        for i in range(0, many, size):
            tally.update(true[i : i + size], **{name: column[i : i + size]})
        return tally, time.thread_time() - start

    def counted(name: str, column: NDArray[Any]) -> float:
        return filled(name, column)[0].value("roc_auc")

    rows = []
    for kind, name, column in (
        ("distinct scores", "y_score", score),
        ("1,001 distinct scores", "y_score", score.round(3)),
        ("decisions", "y_pred", (score > 0.5).astype(np.int64)),
    ):
        work = f"Tallier, 2,000 batches of 1,000 rows, {kind}"
        took = median(filled(name, column)[1] for _ in range(5)) / (many / size) * 1e6
        figure = f"{took:.0f} µs of processor time for update()"
        rows.append(Row(work, figure, "at most 40 µs", took <= 40))
        if name == "y_score":
            at_once = partial(tm.evaluate, true, y_score=column)
            ours, once = alternate(partial(counted, name, column), at_once, runs=3)
            rows.append(slower(work, ours / once, "evaluate of all rows at once", 5))
    return rows


def commands() -> list[Row]:
    """Whole commands, from a cold start to their end."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "predictions.parquet"
        with duckdb.connect() as connection:
            connection.execute("SELECT setseed(0.5)")
            connection.execute(
                "COPY (SELECT (random() < p)::INT AS label, p AS score FROM "
                f"(SELECT random() AS p FROM range(1000000))) TO '{file}' (FORMAT parquet)"
            )
        page = Path(folder) / "report.html"
        took, peak = command(str(BIN / "tallymark"), "report", str(file), "-o", str(page), runs=3)
    work = "tallymark report of 10^6 rows of Parquet, cold start to written page"
    rows.append(Row(work, f"{took:.2f} s", "under 3 s", took < 3))
    rows.append(Row(work, f"{peak:.0f} MB", "under 500 MB", peak < 500))

    program = (
        "import numpy as np, tallymark as tm; rng = np.random.default_rng(0); "
        "a, b = rng.random(10**7), rng.random(10**7); "
        "y = (rng.random(10**7) < a).astype(np.int64); "
        "tm.evaluate(y, y_score={'a': a, 'b': b}).compare()"
    )
    _, peak = command(sys.executable, "-c", program, runs=1)
    work = "comparing two models on 10^7 rows, the 240 MB of the rows included"
    rows.append(Row(work, f"{peak:.0f} MB", "under 1500 MB", peak < 1500))

    program = (
        "import numpy as np, tallymark as tm; rng = np.random.default_rng(0); n = 10**6; "
        "y = (rng.random(n) < 0.3).astype(np.int64); "
        "s = {f'model {i}': 1 / (1 + np.exp(-(rng.normal(size=n) + y))) for i in range(10)}; "
        "tm.evaluate(y, y_score=s, positive=1).values()"
    )
    took, peak = command(sys.executable, "-c", program, runs=1)
    work = "all values of ten models on 10^6 rows, start and making of the rows included"
    rows.append(Row(work, f"{took:.2f} s", "under 5 s", took < 5))
    rows.append(Row(work, f"{peak:.0f} MB", "under 1100 MB", peak < 1100))

    program = (
        "import numpy as np, tallymark as tm; rng = np.random.default_rng(0); n, k = 200_000, 100; "
        "y = rng.integers(0, k, n); s = rng.normal(size=(n, k)); s[np.arange(n), y] += 2; "
        "np.exp(s, out=s); s /= s.sum(1, keepdims=True); tm.evaluate(y, y_score=s).values()"
    )
    _, peak = command(sys.executable, "-c", program, runs=1)
    work = "all values of 200,000 rows of scores of 100 classes, the rows included"
    rows.append(Row(work, f"{peak:.0f} MB", "under 2000 MB", peak < 2000))

    # The second is what a program pays that does something: names are loaded when asked for.
    for program, most in (
        ("import tallymark", 1.4),
        ("from tallymark import evaluate, metrics", 2),
    ):
        pairs = [
            (
                command(sys.executable, "-c", program, runs=1)[0],
                command(sys.executable, "-c", "import numpy", runs=1)[0],
            )
            for _ in range(9)
        ]
        ratio = median(a for a, _ in pairs) / median(b for _, b in pairs)
        rows.append(slower(program, ratio, "import numpy", most))
    rows += small_reports()
    took, _ = command(str(BIN / "tallymark"), "--help", runs=9)
    rows.append(Row("tallymark --help", f"{took:.3f} s", "under 0.25 s", took < 0.25))
    return rows


def small_reports() -> list[Row]:
    """The page of 569 rows from a cold start, beside the import of what could make its numbers."""
    example = tm.example("breast_cancer")
    options = ["--truth", "diagnosis", "--positive", "malignant", "--score", "forest"]
    times: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        page = f"{folder}/page.html"
        one_model = [str(BIN / "tallymark"), "report", str(example), "-o", page, *options]
        three_models = [*one_model, "--score", "logistic", "--score", "bayes"]
        asked = [one_model, three_models, [sys.executable, "-c", "import sklearn.metrics"]]
        for _ in range(9):
            times.append([command(*words, runs=1)[0] for words in asked])
    one, three, peer = map(median, zip(*times, strict=True))
    rows = []
    for models, took, most, share in (("one model", one, 1.0, 0.5), ("three", three, 1.3, 0.65)):
        work = f"tallymark report of 569 rows of CSV, {models}, cold start to written page"
        figure = f"{took:.2f} s, {took / peer:.2f} × the time of import sklearn.metrics"
        target = f"at most {most:g} s or {share:g} ×"
        rows.append(Row(work, figure, target, took <= max(most, share * peer)))
    return rows


def many_models() -> list[Row]:
    """The whole comparison of 20 models, its permutation tests included, and its page."""
    rng = np.random.default_rng(0)
    true = (rng.random(20_000) < 0.3).astype(np.int64)
    shared = rng.normal(size=len(true)) + true
    scores = {
        f"model {i}": 1 / (1 + np.exp(-(shared + rng.normal(size=len(true)) * (0.5 + 0.05 * i))))
        for i in range(20)
    }
    (took,) = alternate(lambda: tm.evaluate(true, y_score=scores, positive=1).compare(), runs=1)
    work = "the whole comparison of 20 models on 20,000 rows, counting included"
    rows = [within(work, took, 6)]
    few = {name: of[:2000] for name, of in scores.items()}
    with tempfile.TemporaryDirectory() as folder:
        page = tm.evaluate(true[:2000], y_score=few, positive=1).report(f"{folder}/page.html")
        size = Path(page).stat().st_size / 1000
    work = "the page of 20 models on 2,000 rows"
    return [*rows, Row(work, f"{size:.0f} kB", "at most 500 kB", size <= 500)]


def many_classes() -> list[Row]:
    """All metrics of many classes or labels with their intervals."""
    rng, n = np.random.default_rng(0), 200_000
    rows = []
    for k, most, limit in ((100, 2.5, 1.5), (1000, 0.4, 20)):
        true = rng.integers(0, k, n)
        pred = np.where(rng.random(n) < 0.8, true, rng.integers(0, k, n))
        shares = np.full(k * k, 1 / (k * k))
        draws = 1000 if k == 100 else 20

        def resample(shares: NDArray[np.float64] = shares, draws: int = draws) -> object:
            return rng.multinomial(n, shares, size=draws)

        def ours(true: NDArray[np.int64] = true, pred: NDArray[np.int64] = pred) -> object:
            return tm.evaluate(true, pred).values()

        mine, peer = alternate(ours, resample, runs=3)
        work = f"all metrics of {k:,} classes with intervals, 200,000 rows, counting included"
        ratio = mine / peer * draws / 1000
        rows.append(within(work, mine, limit))
        rows.append(slower(work, ratio, "1,000 multinomial draws of all cells by NumPy", most))
    k = 10_000
    true = rng.integers(0, k, n)
    pred = np.where(rng.random(n) < 0.7, true, rng.integers(0, k, n))
    (took,) = alternate(lambda: tm.evaluate(true, pred).values(), runs=1)
    work = "all metrics of 10,000 classes with intervals, 200,000 rows, counting included"
    rows.append(within(work, took, 60))
    labels = rng.random((10**5, 100)) < rng.uniform(0.02, 0.3, 100)
    scores = 1 / (1 + np.exp(1.5 - 2 * labels - rng.normal(size=labels.shape)))
    (took,) = alternate(lambda: tm.evaluate(labels, y_score=scores).values(), runs=1)
    work = "all metrics of 100 labels with intervals, 100,000 rows of scores, counting included"
    rows.append(within(work, took, 3))
    return rows


def judgements() -> list[Row]:
    """Advice, claims, relations and comparisons: what asks the counts, not the rows."""
    from tallymark.infer.sampler import Sampler
    from tallymark.metric import METRICS
    from tallymark.metric.measure import MatrixViews, Statistic
    from tallymark.parts.reconcile.claims import reconcile
    from tallymark.parts.relations.relations import relations

    rng = np.random.default_rng(0)
    score = rng.random(ROWS)
    true = (rng.random(ROWS) < score).astype(np.int64)
    ev = tm.evaluate(true, y_score=score)
    (model,) = ev.models
    rows = []
    decided = [m for m in METRICS.values() if m._needs in ("counts", "matrix")]
    fit = [m for m in decided if m.classes != "many"]
    statistics = [Statistic.of(m, ev.classes, ev.positive) for m in fit]

    def resample() -> None:
        counts, labels = model.labels.counts[None], model.labels.labels
        Sampler().values(
            lambda block: MatrixViews(block, labels).values(statistics),
            len(statistics),
            counts,
            None,
            "bootstrap",
            10_000,
        )

    (took,) = alternate(resample, runs=3)
    rows.append(within("10,000 resamples of all metrics of decisions, of any n", took, 1))

    claims = {"sensitivity": "0.812", "specificity": "0.934", "accuracy": "0.9102"}
    (took,) = alternate(partial(reconcile, claims, n=100_000), runs=3)
    rows.append(within("three rates of 10^5 rows reconciled", took, 1))

    n = 10**6
    results = {
        "dataset": np.repeat(np.arange(100), n // 100),
        "algorithm": np.tile(np.repeat(np.arange(10), n // 1000), 100),
        "repeat": np.tile(np.arange(n // 1000), 1000),
        **{m: rng.random(n) for m in ("accuracy", "f1", "roc_auc", "brier")},
    }
    (took,) = alternate(partial(relations, results, "pooled"), runs=3)
    rows.append(within("relations of four metrics over 10^6 results", took, 1))

    y, a, b = true[:n], score[:n], rng.random(n)

    two = tm.evaluate(y, y_score={"a": a, "b": b})
    (took,) = alternate(partial(two.compare, permutations=0), runs=3)
    rows.append(within("the whole comparison of two models on 10^6 rows", took, 5))
    rows += many_models()
    rows += many_classes()
    both = {"a": score, "b": rng.random(ROWS)}
    (took,) = alternate(lambda: tm.evaluate(true, y_score=both).compare(), runs=1)
    rows.append(within("the same on 10^7 rows, with its tests and counting included", took, 6))
    return rows


def intervals() -> list[Row]:
    """Intervals and tests beside packages made for them, counting included."""
    from MLstatkit import Delong_test
    from scipy.stats import bootstrap
    from sklearn.metrics import f1_score

    from tallymark.infer.delong import areas_of

    rng = np.random.default_rng(0)
    score, other = rng.random((2, 10**6))
    true = (rng.random(len(score)) < score).astype(np.int64)
    pred = (score > 0.5).astype(np.int64)
    rows = []

    def ours() -> object:
        return tm.evaluate(true, pred).value("f1", method="bca", draws=2000)

    def theirs() -> object:  # what packages of intervals call
        def f1(some: NDArray[np.intp]) -> float:
            return float(f1_score(true[some], pred[some]))

        few = (np.arange(10**4),)
        return bootstrap(few, f1, n_resamples=2000, vectorized=False, method="BCa", rng=rng)

    (mine,) = alternate(ours, runs=9)
    work = "BCa interval of F1 of 10^6 rows, 2,000 draws"
    peer = "scipy.stats.bootstrap with scikit-learn on 10^4 rows"
    rows.append(faster(work, seconds(theirs) / mine, peer, 1000))

    def areas() -> None:
        two = tm.evaluate(true, y_score={"a": score, "b": other})
        assert two._one_column.joint is not None
        areas_of(two._one_column.joint, [m.scores[0] for m in two.models])

    mine, peers = alternate(areas, partial(Delong_test, true, score, other), runs=3)
    work = "DeLong's test of two models on 10^6 rows"
    rows.append(within(work, mine, 1))
    rows.append(faster(work, peers / mine, "MLstatkit", 5))

    some = slice(10**5)
    ev = tm.evaluate(true[some], y_score=score[some])
    of_area = partial(ev.value, "roc_auc", method="percentile", draws=2000)
    (took,) = alternate(of_area, runs=3)
    rows.append(within("2,000 bootstrap replicates of the ROC area of 10^5 rows", took, 2))
    return rows


def sections() -> dict[str, Callable[[], list[Row]]]:
    """Return what is measured, by name."""
    from benchmarks import abi, engines, kernels, large, subgroups, whole

    return {
        "kernels": kernels.rows, "drop-in": drop_in, "whole": whole.rows,
        "subgroups": subgroups.rows, "streams": streams, "judgements": judgements,
        "intervals": intervals, "commands": commands, "large": large.rows, "engines": engines.rows,
        "abi": abi.rows,
    }  # fmt: skip


def measured(name: str) -> list[Row]:
    """Measure one section: in a process of its own, so that none feels the one before it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the peers' own
        try:
            return sections()[name]()
        except ImportError as error:
            return [Row(name, f"not measured: {error}", "", False)]
