"""Editors and type checkers know every metric, and what parts add to them."""

from __future__ import annotations

import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tallymark as tm
from tallymark.metric import METRICS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = ROOT / "src" / "tallymark"
MARK = re.compile(r"# mypy: ([\w-]+), pyright: (\w+)")
OF_PARTS = sorted(HERE.parent.glob("parts/*/typed_*.py"))
SCRIPTS = [str(HERE / "good.py"), str(HERE / "bad.py"), *map(str, OF_PARTS)]
"""What passes and what is refused; of parts typed_good.py and typed_bad.py."""


@pytest.fixture(scope="module")
def stubs():
    spec = importlib.util.spec_from_file_location("stubs", ROOT / "tools" / "stubs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_stub_of_the_package_is_what_make_stubs_writes(stubs):
    assert (PACKAGE / "__init__.pyi").read_text(encoding="utf-8") == stubs.package()


def test_the_stub_of_what_parts_may_use_is_what_make_stubs_writes(stubs):
    assert (PACKAGE / "core.pyi").read_text(encoding="utf-8") == stubs.core()


def test_the_stub_of_what_parts_answer_is_what_make_stubs_writes(stubs):
    written = (PACKAGE / "report" / "part_methods.pyi").read_text(encoding="utf-8")
    assert written == stubs.questions()


def test_the_stub_of_what_roles_add_is_what_make_stubs_writes(stubs):
    written = (PACKAGE / "reading" / "role_arguments.pyi").read_text(encoding="utf-8")
    assert written == stubs.role_arguments()


def test_the_stub_of_metrics_is_what_make_stubs_writes(stubs):
    assert (PACKAGE / "metrics.pyi").read_text(encoding="utf-8") == stubs.metrics()


def test_every_name_in_the_stub_is_that_metric():
    text = (PACKAGE / "metrics.pyi").read_text(encoding="utf-8")
    names = re.findall(r"^(\w+): (\w+)$", text, re.MULTILINE)
    assert {name for name, _ in names} >= set(METRICS)
    for name, kind in names:
        found = getattr(tm.metrics, name).name
        assert kind == "_" + "".join(word.title() for word in found.split("_")), name


def test_a_metric_has_its_own_signature_where_it_runs():
    parameters = inspect.signature(tm.metrics.f_beta).parameters
    assert list(parameters)[:4] == ["y_true", "y_pred", "beta", "positive"]
    assert parameters["beta"].default == 1.0
    assert parameters["beta"].kind is inspect.Parameter.KEYWORD_ONLY
    assert "beta" not in inspect.signature(tm.metrics.mcc).parameters
    assert tm.metrics.f_beta([1, 0, 1], [1, 1, 1], beta=2) == pytest.approx(10 / 11)


AVERAGES = {"overall", "binary", "macro", "micro", "weighted", "per_class"}
TRUE = [0, 1, 2, 1]
OF_CLASSES = [[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.2, 0.2, 0.6], [0.4, 0.5, 0.1]]


@pytest.mark.parametrize(("name", "predicted"), [
    ("f1", TRUE), ("accuracy", TRUE), ("roc_auc", OF_CLASSES), ("brier", OF_CLASSES),
    ("hand_till_auc", OF_CLASSES), ("top_k_accuracy", OF_CLASSES),
])  # fmt: skip
def test_averages_are_taken_exactly_where_the_stub_has_them(name, predicted):
    text = (PACKAGE / "metrics.pyi").read_text(encoding="utf-8")
    kind = re.search(rf"^{name}: (\w+)$", text, re.MULTILINE)[1]
    body = text.partition(f"\nclass {kind}(")[2].partition("\nclass ")[0]
    listed = set(re.findall(r"\w+", " ".join(re.findall(r"average: Literal\[(.*?)\]", body))))
    metric = METRICS[name]
    for average in AVERAGES & listed:
        value = metric(TRUE, predicted, average=average, positive=1)
        assert isinstance(value, float) == (average != "per_class")
    for average in AVERAGES - listed:
        with pytest.raises(tm.InputError, match=rf"average={average!r}|no overall value"):
            metric(TRUE, predicted, average=average, positive=1)


def marked(place: int) -> dict[tuple[str, int], str]:
    """Return the rule that each line of the wrong scripts breaks, for one of the checkers."""
    found = {
        (script, i): MARK.search(line)
        for script in SCRIPTS
        for i, line in enumerate(Path(script).read_text(encoding="utf-8").splitlines(), 1)
    }
    return {place_of: m.group(place) for place_of, m in found.items() if m}


@pytest.mark.slow
def test_mypy_passes_what_runs_and_refuses_what_is_mistyped():
    # The settings and the cache are those of `make types`, so that little is read again.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--output", "json", *SCRIPTS],
        cwd=ROOT, env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    assert not done.stderr
    errors = [json.loads(line) for line in done.stdout.splitlines()]
    found = {
        (str(ROOT / e["file"]), e["line"]): e["code"] for e in errors if e["severity"] == "error"
    }
    assert found == marked(1)


@pytest.mark.slow
def test_pyright_passes_what_runs_and_refuses_what_is_mistyped(tmp_path):
    settings = {
        "typeCheckingMode": "standard",
        "extraPaths": [str(ROOT / "src")],
        "include": SCRIPTS,
    }
    project = tmp_path / "pyrightconfig.json"
    project.write_text(json.dumps(settings), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "basedpyright", "--outputjson", "--project", str(project),
         "--pythonpath", sys.executable],
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False,
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert told["summary"]["filesAnalyzed"] == len(SCRIPTS)
    found = {
        (e["file"], e["range"]["start"]["line"] + 1): e["rule"]
        for e in told["generalDiagnostics"]
        if e["severity"] == "error"
    }
    assert found == marked(2)


def test_the_good_script_runs():
    scope = {"__name__": "good"}
    exec(compile((HERE / "good.py").read_text(encoding="utf-8"), "good.py", "exec"), scope)
    assert scope["f2"] == pytest.approx(5 / 7)
