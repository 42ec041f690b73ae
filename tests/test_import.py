import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "src" / "tallymark" / "examples" / "breast_cancer.csv"
LATER = ["scipy", "pandas", "polars", "pyarrow", "matplotlib", "duckdb", "narwhals", "jinja2",
         "rich", "click", "sklearn"]  # fmt: skip


def python(code: str, *args: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, encoding="utf-8",
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded(code: str) -> set[str]:
    told = python(code + "\nimport json, sys; print(json.dumps(sorted(sys.modules)))")
    return set(json.loads(told))


def test_importing_loads_nothing_that_is_needed_later():
    assert not loaded("import tallymark") & {*LATER, "numpy"}


@pytest.mark.parametrize("code", [
    "import tallymark as tm; tm.evaluate",
    "import tallymark as tm; tm.metrics.mcc([0, 1, 1], [0, 1, 0])",
    "import tallymark as tm; tm.metrics.roc_auc([0, 1, 1], [0.1, 0.2, 0.05])",
    "import tallymark as tm; tm.LabelTally.from_arrays(['a'], ['b'])",
    "import tallymark as tm; tm.plot.roc",
])  # fmt: skip
@pytest.mark.slow
def test_arrays_need_numpy_alone(code):
    assert not loaded(code) & set(LATER)


@pytest.mark.slow
def test_evaluate_loads_no_statistics_and_no_reader_of_files():
    found = loaded("from tallymark import evaluate, metrics")
    assert not {m for m in found if m.startswith("tallymark.infer.")}
    later = {"tallymark.reading.readers", "tallymark.reading.files", "numpy.ma", "zipfile", "csv",
             "tallymark.curve", "tallymark.listing", "tallymark.tables", "tallymark.report.uses",
             "tallymark.metric.errata", "tallymark.tally.subgroups", "statistics",
             "decimal"}  # fmt: skip
    assert not found & later


def test_the_help_loads_click_alone():
    found = loaded("""
import contextlib, io
from tallymark.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["--help"])
""")
    assert found & {*LATER, "numpy"} == {"click"}


UNUSED = ["narwhals", "pandas", "polars", "pyarrow", "matplotlib", "sklearn", "rich.console",
          "scipy.stats", "scipy.integrate", "scipy.optimize", "scipy.cluster", "scipy.sparse",
          "scipy.linalg", "scipy.spatial"]  # fmt: skip


@pytest.mark.slow
def test_the_report_of_a_small_file_loads_what_it_needs_alone(tmp_path):
    loads = f"""
import contextlib, io
from tallymark.cli import main
with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
    main(["report", {str(EXAMPLE)!r}, "--truth", "diagnosis", "--positive", "malignant", "--score",
          "forest", "--score", "logistic", "--score", "bayes", "-o", {str(tmp_path / "p.html")!r}])
"""
    found = loaded(loads)
    assert (tmp_path / "p.html").exists()
    assert {"scipy.special", "duckdb", "jinja2"} <= found
    assert not found & set(UNUSED)


def test_every_public_name_is_there():
    import tallymark

    assert sorted(tallymark.__all__) == tallymark.__all__ == dir(tallymark)
    for name in tallymark.__all__:
        home = {"plot": "plots"}.get(name, name)
        assert getattr(tallymark, name).__name__.rpartition(".")[2] == home
    with pytest.raises(AttributeError, match="no attribute 'evalute'"):
        tallymark.evalute  # noqa: B018


@pytest.mark.slow
def test_the_main_job_opens_no_connection(tmp_path):
    code = """
import socket, sys

def refuse(*args, **options):
    raise AssertionError("a socket was opened")

socket.socket.__init__ = refuse
socket.create_connection = refuse
socket.getaddrinfo = refuse
from tallymark.cli import main
main(["report", sys.argv[1], "--truth", "diagnosis", "--positive", "malignant", "--score",
      "forest", "--score", "bayes", "-o", sys.argv[2], "--json", sys.argv[3]])
"""
    page, data = tmp_path / "page.html", tmp_path / "out.json"
    python(code, str(EXAMPLE), str(page), str(data))
    assert json.loads(data.read_text("utf-8"))["rows"] == 569
    assert page.stat().st_size > 10_000


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="counts calls by Linux's strace")
@pytest.mark.slow
def test_the_kernel_is_asked_for_no_connection(tmp_path):
    strace = shutil.which("strace")
    if strace is None or subprocess.run([strace, "true"], capture_output=True).returncode:
        pytest.skip("strace is not installed, or may not trace here")
    log = tmp_path / "calls"
    done = subprocess.run(
        [strace, "-f", "-e", "trace=connect,sendto", "-o", str(log), sys.executable, "-m",
         "tallymark", "demo", "-o", str(tmp_path / "demo.html")],
        capture_output=True, text=True, encoding="utf-8", timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "AF_INET" not in log.read_text(encoding="utf-8")
