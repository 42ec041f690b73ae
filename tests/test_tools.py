"""Tools of the checkout: what the set-up lacks is one sentence, and reports count what is there."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[1] / "tools"


def tool(name):
    spec = spec_from_file_location(name, TOOLS / f"{name}.py")
    module = module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def test_code_lines_are_those_that_a_reader_reads():
    report = tool("code_report")
    python = '''"""Return nothing.

Twice.
"""

# a comment
def f():  # another
    """Return nothing."""
    x = """a text

    of three lines, one of them blank"""
    return x
'''
    assert report.code_lines(python) == 4
    cpp = """// a comment
/* and
   another */
int f() { return 1; }  // one

const char* s = "// no comment";
"""
    assert report.cpp_code_lines(cpp) == 2


def test_cycles_of_imports_are_found_with_and_without_those_of_types(tmp_path):
    report = tool("code_report")
    sources = {
        "p/__init__.py": "",
        "p/a.py": "from p import b",
        "p/b.py": "def f():\n    from .c import g",
        "p/c.py": "import p.a\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    from p.d import x",
        "p/d.py": "from p.c import g\nimport os",
    }
    files = {}
    for name, text in sources.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        files[report.module_name(path, tmp_path)] = path
    runtime, typed = report.import_graphs(files)
    assert runtime == {"p": set(), "p.a": {"p.b"}, "p.b": {"p.c"}, "p.c": {"p.a"}, "p.d": {"p.c"}}
    assert report.cycles(runtime) == [["p.a", "p.b", "p.c"]]
    assert report.cycles(typed) == [["p.a", "p.b", "p.c", "p.d"]]


def test_a_circle_of_five_modules_is_refused_hidden_imports_counted(tmp_path):
    report = tool("code_report")
    package = tmp_path / "src" / "tallymark"
    package.mkdir(parents=True)
    for name, other in zip("abcd", "bcde", strict=True):
        (package / f"{name}.py").write_text(f"from tallymark import {other}\n", encoding="utf-8")
    last = package / "e.py"
    last.write_text("", encoding="utf-8")
    assert report.too_large(tmp_path) == []
    last.write_text("import_module('tallymark.a')\n", encoding="utf-8")
    assert report.too_large(tmp_path) == [[f"tallymark.{name}" for name in "abcde"]]


def test_exemptions_are_counted_by_the_imports_that_they_free():
    report = tool("code_report")
    graph = {"tallymark.a.x": {"tallymark.b", "tallymark.c"}, "tallymark.a.y": {"tallymark.b"}}
    contract = {
        "name": "layers",
        "ignore_imports": ["tallymark.a.* -> tallymark.b", "tallymark.a.x -> duckdb"],
    }
    assert list(report.exempted([contract], graph)) == [("layers", 2, 3)]


def test_a_wheel_holds_kernels_and_no_sources_of_them(tmp_path):
    dist = tool("dist")

    def wheel(*names):
        path = tmp_path / f"{len(names)}.whl"
        with zipfile.ZipFile(path, "w") as made:
            for name in names:
                made.writestr(name, "")
        return path

    dist.check_contents(wheel("tallymark/_kernels.cpython-313.so", *dist.TYPED))
    with pytest.raises(SystemExit, match=r"holds no types: tallymark/py\.typed"):
        dist.check_contents(wheel("tallymark/_kernels.cpython-313.so"))
    with pytest.raises(SystemExit, match="holds no compiled kernels"):
        dist.check_contents(wheel())
    with pytest.raises(SystemExit, match=r"holds C\+\+ sources: tallymark/kernels/bind.cpp"):
        dist.check_contents(wheel("tallymark/_kernels.pyd", "tallymark/kernels/bind.cpp"))


def test_the_lowest_versions_are_those_that_pyproject_names():
    dist = tool("dist")
    assert dist.lowest(["numpy>=2.0", "rich>=13.7,<16"]) == ["numpy==2.0", "rich==13.7"]
    with pytest.raises(SystemExit, match="each dependency needs a lowest version"):
        dist.lowest(["numpy"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no programs named python3.X")
def test_every_python_that_starts_and_is_allowed_is_found(tmp_path, monkeypatch):
    def program(path, version):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f"#!/bin/sh\necho {version}\n" if version else "#!/bin/sh\nexit 127\n", encoding="utf-8"
        )
        path.chmod(0o755)
        return path

    program(tmp_path / "bin" / "python3.10", "3.10")
    on_path = program(tmp_path / "bin" / "python3.11", "3.11")
    program(tmp_path / "bin" / "python3.12", "")  # a launcher without what it launches
    among = program(tmp_path / "versions" / "3.12.1" / "bin" / "python3.12", "3.12")
    program(tmp_path / "versions" / "3.13.0" / "bin" / "python3.13", "")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    dist = tool("dist")
    assert dist.pythons(">=3.11") == {"3.11": on_path, "3.12": among}
    assert dist.pythons(">=3.13") == {}


@pytest.mark.slow
def test_the_page_of_dependencies_names_what_is_installed_and_what_scipy_is_for():
    weights, root = tool("sizes"), TOOLS.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    page = (root / "docs" / "dependencies.md").read_text("utf-8")
    wanted = {weights.bare(need) for need in project["dependencies"]}
    assert wanted == set(weights.WHY) - {"tallymark"}
    for name in wanted:
        assert f"\n| {name} | " in page
    for extra in project["optional-dependencies"]:
        assert f"`{extra}`" in page
    used = weights.used_of_scipy()
    assert "ndtri" in used["scipy.special"]
    for module, names in used.items():
        assert f"\n| `{module}` | {', '.join(sorted(names))} |\n" in page
    sizes = dict(re.findall(r"^\| (\w+) \| [\d.]+ \| ([\d.]+) \|", page, re.M))
    assert max(sizes, key=lambda name: float(sizes[name])) == "scipy"


def test_the_page_of_dependencies_says_what_extras_groups_and_builds_ask_for():
    root, bare = TOOLS.parent, tool("sizes").bare
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    page = (root / "docs" / "dependencies.md").read_text("utf-8")
    rows = {
        extra: line
        for line in page.partition("## Extras")[2].partition("## ")[0].splitlines()
        for extra in re.findall(r"`(\w+)`", line.partition(" | ")[0])
    }
    extras = project["project"]["optional-dependencies"]
    assert set(extras) == set(rows)
    for extra in ("plot", "sklearn", "mlflow", "zstd"):
        assert bare(extras[extra][0]) in rows[extra].split(" | ")[1]
    groups = {
        name: {bare(need) for need in needs if isinstance(need, str)}
        for name, needs in project["dependency-groups"].items()
    }
    told = page.partition("## Building and the site")[2].lower().replace("\n", " ")
    asked = {bare(need) for need in project["build-system"]["requires"]} | groups["dist"] - {
        "build"
    }
    asked |= {"sphinx", "myst", "numpydoc", "sphinx-click", "furo", "sphinx-copybutton"}
    asked |= {"pytest", "hypothesis", "pandas", "polars", "pyarrow", "jsonschema", "basedpyright"}
    asked |= {"nbclient", "selenium", "axe-core"}
    listed = str(project["build-system"]) + str(project["dependency-groups"])
    for name in asked:
        assert name in told, name
        assert name in listed.lower(), name
    assert not asked & {bare(need) for need in project["project"]["dependencies"]}


def test_mpmath_takes_one_number_at_a_time_and_has_no_quantile_of_the_beta_distribution():
    mpmath = pytest.importorskip("mpmath")
    assert not [name for name in dir(mpmath) if "beta" in name and "inv" in name]
    with pytest.raises(TypeError):
        mpmath.betainc(80.5, 20.5, 0, [0.2, 0.3], regularized=True)


KINDS_OF_CHANGES = {
    "operator": "Sub -> Add",
    "number": "2 -> 3",
    "truth value": "True -> False",
    "attribute": ".tp -> .fp",
    "key": "'cost_fp' -> 'cost_fn'",
    "all": "all -> any",
    "parameter": "low -> high",
    "argument": "g() without level=",
    "neighbours": "c.tp and c.fn exchanged in g()",
    "branches": "branches exchanged",
}


def test_mutants_are_each_one_change_that_a_mistake_would_make():
    module = tool("mutants")
    source = """def f(c, low: float, high: float, costs):
    \"\"\"Return a text.\"\"\"
    if all(costs.values()):
        raise ValueError(1)
    x = g(c.tp, c.fn, level=0.8) if low else costs["cost_fp"] - 2
    return f"{x:.3f}", True
"""
    made = module.changes("m", source)
    found = [c.what for c in made]
    assert set(KINDS_OF_CHANGES.values()) <= set(found)
    assert not [c for c in made if c.line in (2, 4)]  # what a docstring or a refusal holds
    texts = {ast.unparse(module.changed(c, source)) for c in made}
    assert len(texts) == len(made)
    assert {c.function for c in made} == {"f"}
    inner = "@d(x=1)\nclass A:\n    y: int = 2\n\n    def f(self, n=3):\n        return n + 4\n"
    places = [(c.function, c.what) for c in module.changes("m", inner)]
    assert places == [
        ("<import>", "1 -> 2"),
        ("<import>", "d() without x="),
        ("A.<import>", "2 -> 3"),
        ("A.<import>", "3 -> 4"),
        ("A.f", "4 -> 5"),
        ("A.f", "Add -> Sub"),
    ]


def test_mutants_are_drawn_from_all_folders_one_of_a_line():
    module = tool("mutants")
    every = module.modules_of([])
    folders = {module.folder_of(m) for m in every}
    there = {f.parent.relative_to(module.SOURCE).parts[:1] for f in module.SOURCE.rglob("*.py")}
    assert folders == {*(parts[0] for parts in there if parts), "."}
    changes = [module.Change("m", n, n // 3, "f", "") for n in range(30)]
    drawn = list(module.drawn(changes, 8, module.random.Random(1)))
    assert len({c.line for c in drawn}) == len(drawn) == 8
    assert drawn == list(module.drawn(changes, 8, module.random.Random(1)))
    assert list(module.drawn(changes, None, None)) == changes


def test_each_module_has_tests_that_are_run_first():
    module = tool("mutants")
    for name in module.modules_of([]):
        stages = module.stages(name)
        assert stages[-1][-1] == "tests", name
        for path in (a for stage in stages for a in stage if a.startswith("tests/")):
            assert (TOOLS.parent / path).is_file(), path
        near = [test for stage in module.stages(name, near=True) for test in stage]
        assert any(test.startswith("tests/") for test in near), name
    (folder, own) = module.stages("metric.rank", near=True)
    assert own[-1] == "tests/metric/test_rank.py"
    assert "tests/metric/test_laws.py" in folder
    assert "tests/test_sentences.py" in module.stages("report.words", near=True)[0]


@pytest.mark.slow
def test_tests_that_call_a_changed_function_come_first(tmp_path):
    module = tool("mutants")
    traced = tmp_path / "reached.json"
    test = "tests/test_tools.py::test_code_lines_are_those_that_a_reader_reads"
    shows = "tests/metric/test_number.py"
    arguments = [*module.PYTEST, "-p", "reached", test, shows]
    assert module.Run(more={"REACHED": str(traced)})(arguments, 120)[0] == 0
    found = json.loads(traced.read_text("utf-8"))
    calls = {name for of in found["tests"].values() for name in of["calls"]}
    assert found["tests"][test]["calls"] == []
    assert {n.partition(":")[0] for n in calls} >= {"metric.number"}, calls
    assert not [n for n in calls if "<" in n]


@pytest.mark.slow
def test_a_mutant_runs_in_every_process_and_a_test_notices(tmp_path):
    module = tool("mutants")
    source = module.source_of("quantities").read_text("utf-8")
    percent = [c for c in module.changes("quantities", source) if c.function == "percent"]
    (change,) = [c for c in percent if c.what == "100 -> 101"]
    tree, code = module.changed(change, source), tmp_path / "code"
    code.write_bytes(module.marshal.dumps(compile(tree, "quantities.py", "exec")))
    shows = "from tallymark.quantities import percent; print(percent(0.5))"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {shows!r}])"
    for program in (shows, starts):
        assert module.Run("quantities", code)(["-c", program], 60) == (0, "50.5 %\n")
        assert module.Run()(["-c", program], 60) == (0, "50.0 %\n")
    assert module.Run("quantities", code)(["-c", "import time; time.sleep(9)"], 0.1)[0] == -1


def test_the_page_of_mutants_has_a_line_a_folder_and_what_lived():
    module = tool("mutants")
    every = [module.Change(m, 0, 7, "f", "Add -> Sub") for m in ("report.a", "report.b", "api")]
    verdicts = {every[0]: "lived", every[1]: "killed tests/test_a.py::test", every[2]: "lived"}
    lines = module.page(every, verdicts).splitlines()
    assert lines[-5:] == [
        "| report | 2 | 2 | 1 | 0 | 1 |",
        "| . | 1 | 1 | 0 | 0 | 1 |",
        "",
        "- api:7 f: Add -> Sub",
        "- report.a:7 f: Add -> Sub",
    ]
    for tests in module.ALSO.values():
        assert all((module.TESTS / path).is_file() for path in tests)


def test_mutants_of_metrics_are_judged_on_random_and_degenerate_inputs():
    tool("mutants")
    many = sys.modules["battery"].INPUTS["counts"][0]
    page = " ".join((TOOLS.parent / "docs" / "mutants.md").read_text("utf-8").split())
    assert f"on up to {many.tp.size:,} random and degenerate inputs" in page
    assert ((many.tp + many.fn == 0) & (many.fp + many.tn > 0)).any()
    assert (many.tp + many.fn + many.fp + many.tn == 0).any()


def test_sizes_stand_beside_what_asked_for_them():
    weights = tool("sizes")
    found = {name: ("1.0", 1_000_000, []) for name in weights.WHY}
    found["rich"] = ("1.0", 2_000_000, ["markdown-it-py>=2.2"])
    found |= {"markdown-it-py": ("2.2", 400_000, ["mdurl~=0.1"]), "mdurl": ("0.1", 100_000, [])}
    found["pip"] = ("26", 9_000_000, [])
    lines = weights.sizes(found).splitlines()
    assert lines[7] == "| rich | 1.0 | 2.0 | the tables and the progress bar of the terminal |"
    assert lines[8:10] == ["| ↳ markdown-it-py | 2.2 | 0.4 | for rich |",
                           "| ↳ mdurl | 0.1 | 0.1 | for rich |"]  # fmt: skip
    assert lines[-1] == "| together |  | 10 |  |"


CHANGES = """# Changelog

## [Unreleased]

## [1.1.0] - 2026-02-03

### Added

- One thing.

## [1.0.1]

- No date.

## [1.0.0] - 2026-01-01
"""


def test_notes_are_the_section_of_the_version():
    notes = tool("notes").notes
    assert notes(CHANGES, "1.1.0", "v1.1.0") == "### Added\n\n- One thing."


@pytest.mark.parametrize(("version", "tag", "message"), [
    ("1.1.0", "v1.2.0", r"the tag v1\.2\.0 is not v1\.1\.0, the version of pyproject\.toml"),
    ("1.1.0", "1.1.0", r"the tag 1\.1\.0 is not v1\.1\.0"),
    ("1.2.0", "v1.2.0", r"has no section '## \[1\.2\.0\] - DATE'"),
    ("1.0.1", "v1.0.1", r"the section of 1\.0\.1 in CHANGELOG\.md has no date"),
    ("1.0.0", "v1.0.0", r"the section of 1\.0\.0 in CHANGELOG\.md is empty"),
])  # fmt: skip
def test_notes_refuse_a_tag_that_is_no_release(version, tag, message):
    with pytest.raises(SystemExit, match=message):
        tool("notes").notes(CHANGES, version, tag)


def test_a_tag_of_another_version_stops_the_command():
    command = [sys.executable, TOOLS / "notes.py", "v0"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("the tag v0 is not v")


posix = pytest.mark.skipif(os.name == "nt", reason="the set-up of a checkout is a shell script")


def bare(tmp_path, *programs):
    """Return an environment whose PATH holds only these programs."""
    for name in programs:
        found = sys.executable if name == "python3" else shutil.which(name)
        launcher = tmp_path / name
        launcher.write_text(f'#!/bin/sh\nexec "{found}" "$@"\n', encoding="utf-8")
        launcher.chmod(0o755)
    return {"PATH": str(tmp_path)}


def need_toolchain(environment):
    script = ["/bin/sh", str(TOOLS / "need-toolchain.sh")]
    done = subprocess.run(
        script, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stderr


@posix
@pytest.mark.parametrize("script", ["need-r.sh", "need-browser.sh"])
@pytest.mark.parametrize("ci", ["", "1"])
def test_what_tests_need_is_said_and_ci_insists_on_it(tmp_path, script, ci):
    # no id, no apt-get: nothing may be installed
    run = ["/bin/sh", str(TOOLS / script)]
    environment = {"PATH": str(tmp_path), "CI": ci}
    done = subprocess.run(
        run, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert done.returncode == bool(ci)
    assert "install the packages" in done.stderr.splitlines()[-1]


@posix
def test_what_is_missing_is_said_in_a_sentence(tmp_path):
    no_python = bare(tmp_path, "id", "head")
    code, told = need_toolchain(no_python)
    assert code == 1
    assert told.startswith("tallymark needs Python 3.11 or newer, and 'python3' is not there")
    no_compiler = bare(tmp_path, "id", "head", "python3")
    code, told = need_toolchain(no_compiler)
    assert code == 1
    assert told.startswith("tallymark needs a C++17 compiler and finds none")
    code, told = need_toolchain({**no_compiler, "CXX": "nosuch++"})
    assert code == 1
    assert "CXX names 'nosuch++', which is not there" in told
    assert told.count("\n") == 1


@posix
def test_an_old_python_is_named(tmp_path):
    environment = bare(tmp_path, "id", "head")
    old = tmp_path / "python3"
    old.write_text(
        '#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.1 && exit\nexit 1\n', encoding="utf-8"
    )
    old.chmod(0o755)
    code, told = need_toolchain(environment)
    assert code == 1
    assert "'python3' is Python 3.9.1: say make PYTHON=" in told
