"""Change the code one operator at a time and see whether the tests notice.

python tools/mutants.py [MODULE | FOLDER ...] [--sample N] [-o docs/mutants.md]

Modules are named as in the package, such as metric.rank or infer; without a name all of FOLDERS
are changed. Each mutant is put into a fork of this process, by exchanging the code of one function
or the value of one constant, and the tests of its module run there until one fails. What survives
among the metrics is computed on up to 1,500 random and degenerate inputs beside the original: a
survivor that changes a value or a reason is a gap in the tests; one that changes none cannot be
told from the original by any test of values. Survivors of other folders are to be read by a person.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import importlib
import inspect
import io
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from tallymark.metric import METRICS
from tallymark.metric.measure import Statistic
from tallymark.tally.labels import Counts
from tallymark.tally.scores import ScoreCounts, ScoreTally
from tallymark.tally.sums import Sums, class_tallies

ROOT = Path(__file__).parents[1]
FOLDERS = ("metric", "curve", "tally", "infer", "parts")
LEAST_SECONDS = 60
"""A mutant may take at least so long, and ten times as long as the tests without it."""

TESTS = {
    "metric.combined": ["metric/test_threshold.py"],
    "metric.cost": ["metric/test_threshold.py"],
    "metric.matrix": ["metric/test_matrix.py", "metric/test_threshold.py"],
    "metric.association": ["metric/test_matrix.py", "metric/test_threshold.py"],
    "metric.probability": ["metric/test_probability.py", "metric/test_calibration.py"],
    "metric.proportion": ["metric/test_proportion.py", "infer/test_intervals.py"],
    "metric.measure": ["metric/test_measure.py", "metric/test_laws.py"],
    "metric.skew": ["metric/test_skew.py", "metric/test_registry.py"],
}
"""The tests of modules that have more, or others, than the test file of their own name."""


def tests_of(module: str) -> list[str]:
    """Return the test files of a module: its mirror, else those of its folder that name it."""
    home, _, name = module.rpartition(".")
    folder = home.replace(".", "/")
    listed = TESTS.get(module, [f"{folder}/test_{name}.py"])
    if existing := [t for t in listed if (ROOT / "tests" / t).is_file()]:
        return existing
    files = sorted((ROOT / "tests" / folder).glob("test_*.py"))
    naming = [f for f in files if f"{home}.{name} import" in f.read_text(encoding="utf-8")]
    return [f"{folder}/{f.name}" for f in naming or files]


def modules_of(names: list[str]) -> list[str]:
    """Return the modules that are named, each folder as all of its modules."""
    out: list[str] = []
    for name in names:
        folder = ROOT / "src/tallymark" / name.replace(".", "/")
        if folder.is_dir():
            files = (f.relative_to(folder) for f in sorted(folder.rglob("*.py")))
            out += [".".join((name, *f.with_suffix("").parts)) for f in files if f.stem[0] != "_"]
        elif "." in name and source_of(name).is_file():
            out.append(name)
        else:
            raise SystemExit(f"no module {name}; name one such as metric.rank, or a folder")
    return out


def source_of(module: str) -> Path:
    """Return the file of a module."""
    return ROOT / "src/tallymark" / f"{module.replace('.', '/')}.py"


SWAPS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}  # fmt: skip
NAMES = {
    "tp": "fp", "fp": "tp", "fn": "tn", "tn": "fn", "pos": "neg", "neg": "pos",
    "positives": "negatives", "negatives": "positives", "max": "min", "min": "max",
    "called_positive": "called_negative", "called_negative": "called_positive",
    "argmax": "argmin", "maximum": "minimum", "minimum": "maximum", "log2": "log",
    "floor": "ceil",
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """One change of one function, or of one constant of a module."""

    module: str
    function: str
    line: int
    change: str
    place: tuple[str, int]
    code: CodeType | float


class _Mutate(ast.NodeTransformer):
    """Make the n-th possible change of a function, or count them all."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.seen = -1
        self.change = ""
        self.line = 0

    def _now(self, node: ast.AST, change: str) -> bool:
        self.seen += 1
        if self.seen == self.wanted:
            self.change, self.line = change, getattr(node, "lineno", 0)
            return True
        return False

    def _operator(self, node: Any, operator: ast.AST) -> ast.AST:
        new = SWAPS.get(type(operator))
        if new and self._now(node, f"{type(operator).__name__} -> {new.__name__}"):
            return new()
        return operator

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        node.op = self._operator(node, node.op)  # type: ignore[assignment]
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        node.op = self._operator(node, node.op)  # type: ignore[assignment]
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        node.ops = [self._operator(node, op) for op in node.ops]  # type: ignore[misc]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.UAdd) and self._now(
            node, f"without {type(node.op).__name__}"
        ):
            return node.operand
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._now(node, "branches exchanged"):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool):
            if self._now(node, f"{node.value} -> {not node.value}"):
                return ast.Constant(not node.value)
        elif isinstance(node.value, int | float) and self._now(node, f"{node.value} -> +1"):
            return ast.Constant(node.value + 1)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr in NAMES and self._now(node, f".{node.attr} -> .{NAMES[node.attr]}"):
            node.attr = NAMES[node.attr]
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # words, not values

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        return node


def mutants(module: str) -> Iterator[Mutant]:
    """Make every mutant of a module's functions, constants and tests for what is undefined."""
    tree = ast.parse(source_of(module).read_text(encoding="utf-8"))
    for statement in tree.body:
        yield from _of_constant(module, statement)
        # Functions inside functions are changed with the one around them.
        if isinstance(statement, ast.FunctionDef):
            yield from _of_function(module, statement)
            around: list[ast.AST] = list(statement.decorator_list)
        elif isinstance(statement, ast.ClassDef):
            for method in statement.body:
                if isinstance(method, ast.FunctionDef):
                    yield from _of_function(module, method)
            continue
        else:
            around = [statement]
        for part in around:
            for node in ast.walk(part):
                if isinstance(node, ast.Lambda):
                    yield from _of_function(module, node)


def _of_constant(module: str, node: ast.stmt) -> Iterator[Mutant]:
    """Make one mutant of a module's number, such as a limit: a tenth more, or 1 more if whole."""
    if not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
        return
    name, value = node.targets[0].id, node.value
    if isinstance(value, ast.Constant) and type(value.value) in (int, float):
        old = value.value
        new = old + 1 if isinstance(old, int) else old * 1.1 + (old == 0)
        yield Mutant(module, name, node.lineno, f"{old} -> {new:g}", (name, node.lineno), new)


def _of_function(module: str, node: ast.FunctionDef | ast.Lambda) -> Iterator[Mutant]:
    name = node.name if isinstance(node, ast.FunctionDef) else "<lambda>"
    n = 0
    while True:
        changed = copy.deepcopy(node)
        mutate = _Mutate(n)
        if isinstance(changed, ast.FunctionDef):
            changed.decorator_list = []
            body = changed.body[1:] if ast.get_docstring(changed) else changed.body
            changed.body = [mutate.visit(statement) for statement in body]
            wrapped: ast.stmt = changed
        else:
            changed.body = mutate.visit(changed.body)
            wrapped = ast.Expr(changed)
        if mutate.seen < n:
            return
        made = ast.fix_missing_locations(ast.Module([wrapped], []))
        code = compile(made, str(source_of(module)), "exec")
        (inner,) = (c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
        yield Mutant(module, name, mutate.line, mutate.change, (name, node.lineno), inner)
        n += 1


def functions(module: str) -> dict[tuple[str, int], list[FunctionType]]:
    """Return the live functions of a module by name and first line (after decorators)."""
    found: dict[tuple[str, int], list[FunctionType]] = {}
    seen: set[int] = set()

    def add(f: Any) -> None:
        if isinstance(f, FunctionType) and id(f) not in seen:
            seen.add(id(f))
            if Path(f.__code__.co_filename) == source_of(module):
                lines, first = inspect.getsourcelines(f)
                skip = next((i for i, s in enumerate(lines) if s.lstrip().startswith("def ")), 0)
                found.setdefault((f.__name__, first + skip), []).append(f)
            for value in (f.__defaults__ or ()) + tuple((f.__kwdefaults__ or {}).values()):
                add(value)

    def add_all(value: Any) -> None:
        """Add a function, or those inside what wraps it: a decorator, a property, a cache."""
        add(value)
        for name in ("__wrapped__", "__func__", "fget", "func", "make"):
            add(getattr(value, name, None))

    for m in METRICS.values():
        for f in (
            m.function,
            m._sampling.proportion,
            m._sampling.operating_point,
            m.range_given,
            *m.undefined.values(),
        ):
            add(f)
    loaded = importlib.import_module(f"tallymark.{module}")
    for value in vars(loaded).values():
        add_all(value)
        for inner in vars(value).values() if isinstance(value, type) else ():
            add_all(inner)
        for inner in value.values() if isinstance(value, dict) else ():
            add_all(inner)
    return found


def put(mutant: Mutant) -> bool:
    """Put a mutant in place; False where its function cannot be reached from outside."""
    name, _ = mutant.place
    if not isinstance(mutant.code, CodeType):
        loaded = importlib.import_module(f"tallymark.{mutant.module}")
        old = getattr(loaded, name)
        for other in [m for n, m in sys.modules.items() if n.startswith("tallymark")]:
            if vars(other).get(name) is old:
                setattr(other, name, mutant.code)
        return True
    put_in = False
    for f in functions(mutant.module).get(mutant.place, []):
        if len(f.__code__.co_freevars) == len(mutant.code.co_freevars):
            f.__code__ = mutant.code
            put_in = True
    return put_in


def _survives(tests: list[str]) -> bool:
    import pytest

    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pytest.main([
            "-x", "-q", "-W", "ignore::pytest.PytestAssertRewriteWarning",
            "-p", "no:cacheprovider", "--no-header", "--tb=no", "-m", "not slow",
            *(str(ROOT / "tests" / t) for t in tests),
        ])  # fmt: skip
    return int(code) == 0


def judge(module: str, mutant: Mutant | None, unchanged: list[Any], seconds: float) -> str:
    """Return "killed", "same", "survived" or "unreached", found in a fork.

    Without a mutant the tests run on the code as it is.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(int(seconds))
        verdict = "killed"
        try:
            if mutant is not None and not put(mutant):
                verdict = "unreached"
            elif _survives(tests_of(module)):
                of_metrics = mutant is None or module.startswith("metric.")
                verdict = "survived"
                if of_metrics and not differs(unchanged, battery()):
                    verdict = "same"
        except BaseException:
            verdict = "killed"
        os.write(write, verdict.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as result:
        verdict = result.read()
    os.waitpid(child, 0)
    return verdict or "killed"  # it ran for ever, or took the process down


# -- the inputs on which survivors are compared ------------------------------------------------

PARAMS: dict[str, list[dict[str, Any]]] = {
    "f_beta": [{"beta": 0.0}, {"beta": 2.0}, {"beta": float("inf")}],
    "effectiveness": [{"beta": 3.0}],
    "discriminant_power": [{"base": 10}],
    "adjusted_geometric_mean": [{"counts": True}],
    "iba": [{"alpha": 1.0}, {"alpha": 0.0}],
    "cohen_kappa": [{"weights": "linear"}, {"weights": "quadratic"}],
    "expected_agreement": [{"pooled": True}],
    "mutual_information": [{"base": 2}],
    "normalized_mutual_information": [
        {"mean": m} for m in ("geometric", "min", "max", "true", "predicted")
    ],
    "expected_cost": [{"cost_fp": 2.0, "cost_fn": 7.0}, {"prevalence": 0.1, "cost_fn": 3.0}],
    "normalized_expected_cost": [{"cost_fp": 2.0, "cost_fn": 7.0}, {"prevalence": 0.1}],
    "net_benefit": [{"p_t": 0.2}, {"p_t": 0.0}],
    "standardized_net_benefit": [{"p_t": 0.2}],
    "interventions_avoided": [{"p_t": 0.2}],
    "partial_roc_auc": [
        {"low": 0.2, "high": 0.7}, {"low": 0.3, "high": 1.0, "axis": "tpr", "standardized": True},
    ],
    "h_measure": [{"alpha": 2.0, "beta": 2.0}, {"alpha": 1.0, "beta": 4.0}],
    "gain_at": [{"depth": 0.37}, {"depth": 1.0}],
    "precision_at_k": [{"k": 3}],
    "recall_at_k": [{"k": 3}],
    "recall_at_precision": [{"precision": 0.5}, {"precision": 1.0}],
    "precision_at_recall": [{"recall": 0.5}, {"recall": 1.0}],
    "sensitivity_at_fpr": [{"fpr": 0.5}, {"fpr": 1.0}],
    "specificity_at_sensitivity": [{"sensitivity": 0.5}, {"sensitivity": 1.0}],
    "log_loss": [{"clip": 0.1, "base": 2}],
    "expected_calibration_error": [
        {"bins": 3, "strategy": "mass"}, {"norm": "l2", "debiased": True, "bins": 2},
    ],
    "hosmer_lemeshow": [{"bins": 3}],
    "calibration_slope": [{"clip": 0.1}],
    "calibration_intercept": [{"clip": 0.1}],
    "cllr": [{"prior": 0.2}],
    "top_k_accuracy": [{"k": 1}, {"k": 3}],
}  # fmt: skip


def _inputs() -> dict[str, list[Any]]:
    rng = np.random.default_rng(0)
    out: dict[str, list[Any]] = {"counts": [], "matrix": [], "ranking": [], "probabilities": [],
                                 "class_scores": [], "rows": []}  # fmt: skip
    cells = rng.integers(0, 9, (4, 1500)) * (rng.random((4, 1500)) < 0.8)
    out["counts"] = [Counts(*cells.astype(float)), Counts(70, 23, 31, 410)]
    for k in (1, 2, 3, 5):
        m = rng.integers(0, 9, (300, k, k)) * (rng.random((300, k, k)) < 0.6)
        out["matrix"].append(m.astype(float))
    for g in (1, 2, 5, 40):
        scores = np.sort(rng.choice(1001, g, replace=False)) / 1000
        if g == 5:
            scores[[0, -1]] = 0.0, 1.0
        pos = rng.integers(0, 5, (200, g)) * (rng.random((200, g)) < 0.7)
        neg = rng.integers(0, 5, (200, g)) * (rng.random((200, g)) < 0.7)
        r = ScoreCounts(scores, pos.astype(float), neg.astype(float))
        out["ranking"] += [r, ScoreCounts(scores, r.pos[0], r.neg[0])]
    out["probability"] = out["ranking"]
    out["probabilities"] = [(r,) for r in out["ranking"]]
    out["probabilities"].append(tuple(out["ranking"][-1] for _ in range(3)))
    for k in (2, 3, 4):
        y, s = rng.integers(0, k, 40), rng.dirichlet(np.ones(k), 40).round(1)
        out["class_scores"] += [class_tallies(y, s), class_tallies(y * 0, s, labels=list(range(k)))]
        out["rows"] += [Sums._of_rows(y, s), Sums._of_rows(y[:0], s[:0])]
    out["class_scores"].append((ScoreTally.from_arrays([0, 1, 1, 0], [0.1, 0.4, 0.3, 0.3]),))
    return out


INPUTS = _inputs()


def battery() -> list[Any]:
    """Return every metric's values and reasons on all inputs; an error is a value, too."""
    out: list[Any] = []
    for m in METRICS.values():
        for params in ({}, *PARAMS.get(m.name, [])):
            for data in INPUTS[m.needs]:
                try:
                    fresh = (
                        ScoreCounts(data.scores, data.pos, data.neg)
                        if isinstance(data, ScoreCounts)
                        else data
                    )
                    out.append(m.compute(fresh, **params))
                    out += list(m._cases(fresh, **params).values())
                    if m._sampling.proportion is not None:
                        out += list(m._sampling.proportion(fresh))
                except Exception as error:
                    out.append(type(error).__name__)
    return out + _of_helpers() + _of_averages()


def _of_helpers() -> list[Any]:
    from tallymark.metric import correlation, matrix, proportion

    rng = np.random.default_rng(1)
    out: list[Any] = []

    def keep(call: Any) -> None:
        try:
            out.append(np.asarray(call(), dtype=object if isinstance(call(), str) else float))
        except Exception as error:
            out.append(type(error).__name__)

    for kappa in (-0.1, 0.0, 0.2, 0.21, 0.4, 0.5, 0.6, 0.7, 0.8, 0.81, 1.0):
        keep(lambda k=kappa: matrix.landis_koch(k))
    for n in (1, 2, 3, 8):
        for _ in range(10):
            x, y = rng.integers(0, 4, (2, n)).astype(float)
            keep(lambda a=x, b=y: correlation.pearson(a, b))
            keep(lambda a=x, b=y: correlation.spearman(a, b))
            keep(lambda a=x, b=y: correlation.midranks(np.stack([a, b - 2])))
    keep(lambda: proportion.wilson(np.array([0.0, 1, 3, 8]), np.array([8.0, 8, 8, 8]), 1.96))
    keep(lambda: [proportion.quantile(v) for v in (0.5, 0.9, 0.99)])
    return out


def _of_averages() -> list[Any]:
    import tallymark as tm
    from tallymark.metric import skew

    rng = np.random.default_rng(2)
    weights = np.arange(25.0)
    out: list[Any] = []
    for m in METRICS.values():
        skew.balance.cache_clear()
        found = skew.balance(m)
        out += [found.kind, np.array([found.before, found.after])]
    for k, average in ((2, "binary"), (2, "macro"), (3, "macro"), (4, "weighted"), (3, "micro")):
        names = tuple(range(k))
        for name in ("f1", "sensitivity", "precision", "accuracy", "matthews_corrcoef"):
            m = METRICS[name]
            of = average if m.needs == "counts" else None
            s = Statistic.of(m, names, 1 if of in ("binary", None) and k == 2 else None, of)
            out.append(s.gradient(rng.integers(1, 30, (k, k)).astype(float), names))
            if m._sampling.proportion is not None and s.average in ("binary", "overall"):
                out.append(str(s.mixes_classes(names)))
    for k in (1, 2, 3):
        y, p = rng.integers(0, k, (2, 25))
        s = rng.dirichlet(np.ones(k + 1), 25)[:, :k].round(1)
        for name in (
            "f1",
            "accuracy",
            "roc_auc",
            "brier",
            "ece",
            "spherical_score",
            "hand_till_auc",
        ):
            metric = METRICS[tm.metric.get(name).name]
            second = p if metric.needs in ("counts", "matrix") else (s if k > 2 else s[:, -1])
            for average in (None, "binary", "macro", "micro", "weighted", "per_class", "overall"):
                for options in ({}, {"skip_undefined": True}, {"over": [0]}, {"undefined": 7.0},
                                {"undefined": "raise"}, {"positive": 1}, {"labels": [0, 1, 2]},
                                {"labels": [2, 1, 0], "sample_weight": weights}):  # fmt: skip
                    try:
                        out.append(np.asarray(metric(y, second, average=average, **options)))
                    except Exception as error:
                        out.append(str(error))
            for given in (tm.LabelTally.from_arrays(y, p), 3):
                try:
                    out.append(np.asarray(metric(given)))
                except Exception as error:
                    out.append(str(error))
    return out


def differs(a: list[Any], b: list[Any]) -> bool:
    """Tell whether any value differs by more than rounding."""
    if len(a) != len(b):
        return True
    for x, y in zip(a, b, strict=True):
        if isinstance(x, str | None) or isinstance(y, str | None):
            if type(x) is not type(y) or x != y:
                return True
            continue
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape:
            return True
        if x.dtype == object or y.dtype == object:
            if not (x == y).all():
                return True
        elif not np.allclose(x, y, rtol=1e-9, atol=1e-12, equal_nan=True):
            return True
    return False


HEAD = (
    "| module | mutants | noticed | change no value | change a value unnoticed, or survive |",
    "|---|---|---|---|---|",
)


def main() -> None:
    """Judge the mutants of the modules named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", default=FOLDERS, metavar="MODULE | FOLDER")
    parser.add_argument("--sample", type=int, help="at most so many mutants, drawn from all")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    os.environ["HYPOTHESIS_PROFILE"] = "mutants"
    for name in (
        "hypothesis",
        "_hypothesis_pytestplugin",
        "sklearn.isotonic",
        "scipy.stats",
        "scipy.optimize",
        "pandas",
    ):
        importlib.import_module(name)
    made = {module: list(mutants(module)) for module in modules_of(list(asked.modules))}
    if asked.sample is not None:
        every = [m for each in made.values() for m in each]
        drawn = random.Random(0).sample(every, min(asked.sample, len(every)))
        made = {module: [m for m in drawn if m.module == module] for module in made}
    unchanged = battery()
    lines: list[str] = []
    survivors: list[str] = []
    for module, each in made.items():
        if not each:
            continue
        start = time.monotonic()
        if judge(module, None, unchanged, 3600) != "same":
            raise SystemExit(f"the tests of {module} fail without any mutant")
        seconds = max(LEAST_SECONDS, 10 * (time.monotonic() - start))
        with ThreadPoolExecutor(asked.jobs) as pool:
            verdicts = list(pool.map(lambda m: judge(m.module, m, unchanged, seconds), each))  # noqa: B023
        counts = [verdicts.count(v) for v in ("killed", "same")]
        lines.append(
            f"| {module} | {len(each)} | {counts[0]} | {counts[1]} | {len(each) - sum(counts)} |"
        )
        print(lines[-1], flush=True)
        for m, verdict in zip(each, verdicts, strict=True):
            if verdict in ("survived", "unreached"):
                survivors.append(f"- {verdict}: {m.module}:{m.line} {m.function}: {m.change}")
                print(survivors[-1], flush=True)
        if asked.output:
            _write(asked.output, lines, survivors)


def _write(output: Path, lines: list[str], survivors: list[str]) -> None:
    """Write the table; modules that were not judged now keep their line."""
    known = {}
    if output.exists():
        for line in output.read_text(encoding="utf-8").splitlines():
            if line.startswith("| ") and "." in line.split()[1]:
                known[line.split()[1]] = line
    known.update({line.split()[1]: line for line in lines})
    text = "\n".join([
        "# Mutants", "",
        "The code is changed in one place at a time (an operator, a number, a name such as tp for",
        "fp), and the tests of its module have to notice: `make measure WHAT=mutants`.",
        "What they do not notice",
        "of the metrics is computed beside the original on up to 1,500 random and degenerate",
        "inputs; what changes no value there cannot be told from the original by its values. A",
        "survivor of another folder may be either, and is listed. Modules that are not in the",
        "table have not been judged.", "",
        *HEAD, *(known[m] for m in modules_of(list(FOLDERS)) if m in known), "", *survivors,
    ]).rstrip()  # fmt: skip
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
