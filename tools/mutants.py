"""Change the code in one place at a time and see whether the tests notice.

python tools/mutants.py [MODULE | FOLDER ...] [--sample N] [--seed S] [--near] [-o docs/mutants.md]

Modules are named as in the package, such as metric.rank, infer or api; without a name all modules
are changed. A change is an operator, a number, a name, an argument that is left out or two that are
exchanged: see ``mutated/changes.py``. Each mutant is tested in processes of its own, which import
the changed code in place of the module, until a test fails: first those quick tests of its folder
and of whole sentences that call the changed function, then all tests of the module itself, then the
quick tests of all that call the function. With --near, slow tests and the last step are left out.
Which tests call which functions is found once, and kept in out/reached.

What survives among the metrics is computed on up to 1,500 random and degenerate inputs beside the
original: a survivor that changes no value and no reason cannot be told from it by any test of
values. Other survivors are to be read by a person. Verdicts are kept in out/mutants.json, so that a
run that was stopped goes on where it was; what lived is tried again when a test has changed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import marshal
import os
import pickle
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Any

ROOT = Path(__file__).parents[1]
MUTATED = ROOT / "tools" / "mutated"
sys.path[:0] = [str(MUTATED), str(ROOT)]  # beside this file, however it is run

from battery import differs  # noqa: E402
from benchmarks.pages import write_page  # noqa: E402
from changes import ON_IMPORT, Change, changed, changes, drawn  # noqa: E402

SOURCE = ROOT / "src" / "tallymark"
TESTS = ROOT / "tests"
LONGEST = 900
"""Seconds after which tests that do not end have noticed a change."""

ALSO = {
    "metric.combined": ["metric/test_threshold.py"],
    "metric.cost": ["metric/test_threshold.py"],
    "metric.matrix": ["metric/test_threshold.py"],
    "metric.association": ["metric/test_matrix.py", "metric/test_threshold.py"],
    "metric.probability": ["metric/test_calibration.py"],
    "metric.proportion": ["infer/test_intervals.py"],
    "metric.measure": ["metric/test_laws.py"],
    "metric.skew": ["metric/test_registry.py"],
}
"""The tests of modules that have more, or others, than the test file of their own name."""

SENTENCES = ["test_sentences.py", "test_sentences_of_advice.py"]
NO_SENTENCES = ("kernels", "metric", "parts", "sklearn", "tally")
"""Folders of which no user reads a sentence that the tests of whole sentences hold."""

QUICK = "--quick"
LEFT_OUT = "not browser and not r and not engines"


def source_of(module: str) -> Path:
    """Return the file of a module."""
    return SOURCE / f"{module.replace('.', '/')}.py"


def modules_of(names: Sequence[str]) -> list[str]:
    """Return the modules that are named, each folder as all of its modules; all without a name."""
    out: list[str] = []
    for name in names or [""]:
        folder = SOURCE / name.replace(".", "/")
        if name and source_of(name).is_file():
            out.append(name)
        elif folder.is_dir():
            files = (f.relative_to(SOURCE) for f in sorted(folder.rglob("*.py")))
            out += [".".join(f.with_suffix("").parts) for f in files if f.stem[:2] != "__"]
        else:
            raise SystemExit(f"no module {name}; name one such as metric.rank, or a folder")
    return out


def folder_of(module: str) -> str:
    """Return the folder of a module as the page lists it; "." beside all folders."""
    return module.partition(".")[0] if "." in module else "."


# -- which tests -------------------------------------------------------------------------------


def own_tests(module: str) -> list[str]:
    """Return the test files of a module: its mirror, and those near it that import from it."""
    *home, name = module.split(".")
    mirror = "/".join([*home, f"test_{name}.py"])
    near = [t for t in folder_tests(module) if f"tallymark.{module} import" in _text(t)]
    return [t for t in dict.fromkeys([mirror, *ALSO.get(module, []), *near]) if _text(t)]


def folder_tests(module: str) -> list[str]:
    """Return the test files of the folder that mirrors a module's; of its part, if it is one's."""
    home = module.split(".")[:-1]
    home = home[:2] if home[:1] == ["parts"] else ["parts", *home] if home == ["sklearn"] else home
    while home and not (TESTS / "/".join(home)).is_dir():
        home = home[:-1]
    if home:
        found = (TESTS / "/".join(home)).glob("test_*.py")
        return sorted(f.relative_to(TESTS).as_posix() for f in found)
    prefix = f"test_{module.partition('.')[0]}*.py"  # test_cli_plan.py is of cli
    return sorted(f.name for f in TESTS.glob(prefix))


@cache
def _text(test: str) -> str:
    path = TESTS / test
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def stages(module: str, *, near: bool = False) -> list[list[str]]:
    """Return the arguments of pytest one by one: near tests, the module's own ones, all quick ones.

    Of a stage with --quick only those tests are run that call the changed function.
    """
    sentences = [] if folder_of(module) in NO_SENTENCES else SENTENCES
    around = _paths(dict.fromkeys([*sentences, *folder_tests(module)]))
    own = _paths(own_tests(module))
    found = [[QUICK, *around]] if around else []
    left_out = f"not slow and {LEFT_OUT}" if near else LEFT_OUT
    found += [["-m", left_out, *own]] if own else []
    return found if near else [*found, [QUICK, "tests"]]


def _paths(tests: Iterable[str]) -> list[str]:
    return [f"tests/{t}" for t in tests]


def reaching(change: Change, stage: Sequence[str]) -> list[str]:
    """Return the tests of a stage that call the changed function, the fastest first."""
    name = f"{change.module}:{change.function}"
    found = {}
    for traced in _traced(tuple(stage[1:])):
        for test, of in traced["tests"].items():
            if name in traced["shared"] or name in of["calls"]:
                found[test] = of["seconds"]
    return sorted(found, key=found.__getitem__)


@cache
def _traced(paths: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return which functions the quick tests of each file call, traced once for its contents."""
    folder = ROOT / "out" / "reached"
    folder.mkdir(parents=True, exist_ok=True)
    files = [f for p in paths for f in ([p] if p.endswith(".py") else _files(p))]
    kept = {
        f: folder / f"{hashlib.sha256((ROOT / f).read_bytes()).hexdigest()}.json" for f in files
    }
    new = [f for f, path in kept.items() if not path.exists()]
    if new:
        with tempfile.TemporaryDirectory() as place:
            written = Path(place, "reached")
            how = [*PYTEST, "--maxfail=999", "-p", "reached", QUICK, *new]
            Run(more={"REACHED": str(written)})(how, 7200)
            found = json.loads(written.read_text(encoding="utf-8"))
        for f in new:
            tests = {t: of for t, of in found["tests"].items() if t.partition("::")[0] == f}
            of_file = {"tests": tests, "shared": found["shared"].get(f, [])}
            kept[f].write_text(json.dumps(of_file), encoding="utf-8")
    return [json.loads(path.read_text(encoding="utf-8")) for path in kept.values()]


def _files(folder: str) -> list[str]:
    return sorted(f.relative_to(ROOT).as_posix() for f in (ROOT / folder).rglob("test_*.py"))


# -- one mutant --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Run:
    """Runs programs on the code of one module: changed, or as it is without one."""

    module: str = ""
    code: Path | None = None
    more: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, program: Sequence[str], seconds: float) -> tuple[int, str]:
        """Return the exit status of a program, -1 where it ran out of time, and what it printed."""
        env = os.environ | {"PYTHONPATH": str(MUTATED), "HYPOTHESIS_PROFILE": "mutants"}
        env |= self.more
        if self.code is not None:
            env |= {"MUTANT": f"tallymark.{self.module}", "MUTANT_CODE": str(self.code)}
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
            both = {"stdout": printed, "stderr": subprocess.STDOUT, "start_new_session": True}
            with subprocess.Popen([sys.executable, *program], env=env, cwd=ROOT, **both) as process:
                try:
                    status = process.wait(seconds)
                except subprocess.TimeoutExpired:
                    status = -1
                finally:
                    with suppress(ProcessLookupError):  # with the processes that tests started
                        os.killpg(process.pid, signal.SIGKILL)
            printed.seek(0)
            return status, printed.read()

    def noticed(self, stage: Sequence[str], broken: set[str]) -> str:
        """Return the first test that fails, nothing where all pass; leave out those broken."""
        left = (f"--deselect={test}" for test in broken)
        status, printed = self([*PYTEST, *stage, *left], LONGEST)
        if status in (0, NO_TESTS):
            return ""
        if status == NO_SUCH_TEST:
            return STALE
        found = re.search(r"^(?:FAILED|ERROR) (\S+?\.py(?:::.*?)?)(?: - |$)", printed, re.M)
        return found[1] if found else UNKNOWN


PYTEST = ("-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "-rfE")
NO_TESTS = 5
NO_SUCH_TEST = 4
STALE = "(no such test)"
UNKNOWN = "(none by name)"


class Judge:
    """Judges mutants; it knows which tests fail on the code as it is."""

    def __init__(self, unchanged: Path, *, near: bool) -> None:
        self.unchanged = unchanged
        """The file of what the metrics give on the code as it is."""
        self.near = near
        self.broken: set[str] = set()
        self.sound: set[str] = set()
        self.tracing = Lock()

    def __call__(self, change: Change) -> str:
        """Return "killed" and by which test, "same" or "lived"."""
        source = source_of(change.module)
        tree = changed(change, source.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            code = Path(folder, "code")
            code.write_bytes(marshal.dumps(compile(tree, str(source), "exec")))
            run = Run(change.module, code)
            for stage in stages(change.module, near=self.near):
                while test := self._noticed(run, change, stage, Path(folder, "tests")):
                    if self._is_sound(test):
                        return f"killed {test}"
            if folder_of(change.module) != "metric":
                return "lived"
            values = Path(folder, "values")
            if run([str(MUTATED / "battery.py"), str(values)], LONGEST)[0] != 0:
                return "killed battery"
            both = (pickle.loads(f.read_bytes()) for f in (self.unchanged, values))
            return "lived" if differs(*both) else "same"

    def _noticed(self, run: Run, change: Change, stage: Sequence[str], list_of: Path) -> str:
        """Return the first test of a stage that fails, nothing where all pass."""
        if stage[0] == QUICK and not change.function.endswith(ON_IMPORT):
            with self.tracing:  # once, not by each thread
                tests = reaching(change, stage)
            list_of.write_text("\n".join(tests), encoding="utf-8")
            test = run.noticed([f"@{list_of}"], self.broken) if tests else ""
            # A test whose cases have other names in each process: all tests of the stage, then.
            if test != STALE:
                return test
        test = run.noticed(stage, self.broken)
        return UNKNOWN if test == STALE else test  # a conftest.py could not be imported

    def _is_sound(self, test: str) -> bool:
        """Tell whether a test passes on the code as it is, or is not known by name."""
        if test in self.broken:
            raise SystemExit(f"{test} fails without any change, and cannot be left out")
        if test == UNKNOWN or test in self.sound:
            return True
        alone = [] if "::" in test else ["--collect-only"]  # the file could not be imported
        if Run().noticed([*alone, test], set()):
            self.broken.add(test)
            print(f"fails without any change, left out: {test}", flush=True)
            return False
        self.sound.add(test)
        return True


# -- all of them -------------------------------------------------------------------------------

HEAD = (
    "| folder | changes | tried | noticed | change no value | lived |",
    "|---|---|---|---|---|---|",
)
KEPT = ROOT / "out" / "mutants.json"


def identity(change: Change) -> str:
    """Return what a verdict is kept under: the change, and the contents of its module."""
    digest = hashlib.sha256(source_of(change.module).read_bytes()).hexdigest()[:12]
    return f"{change.n} {digest} {change}"


@cache
def tests_digest() -> str:
    """Return a digest of all tests."""
    texts = (f.read_bytes() for f in sorted(TESTS.rglob("*.py")))
    return hashlib.sha256(b"".join(texts)).hexdigest()[:12]


def page(every: Sequence[Change], verdicts: Mapping[Change, str]) -> str:
    """Return the page: a line a folder, and what lived."""
    lines = []
    for folder in dict.fromkeys(folder_of(c.module) for c in every):
        of = (v.split()[0] for c, v in verdicts.items() if folder_of(c.module) == folder)
        tried = Counter(of)
        there = sum(folder_of(c.module) == folder for c in every)
        counts = (there, tried.total(), *(tried[v] for v in ("killed", "same", "lived")))
        if tried:
            lines.append(f"| {folder} | {' | '.join(f'{n:,}' for n in counts)} |")
    lived = [f"- {c}" for c, v in verdicts.items() if v.startswith("lived")]
    text = "\n".join([
        "# Mutants", "",
        "The code is changed in one place at a time (an operator, a number, a name such as tp for",
        "fp, an argument left out), and the tests have to notice: `make measure WHAT=mutants`.",
        "What they do not notice",
        "of the metrics is computed beside the original on up to 1,500 random and degenerate",
        "inputs; what changes no value there cannot be told from the original by its values. A",
        "survivor of another folder may be either, and is listed.", "",
        *HEAD, *lines, "", *sorted(lived),
    ]).rstrip()  # fmt: skip
    return text + "\n"


def main() -> None:
    """Judge the mutants of the modules named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", metavar="MODULE | FOLDER")
    parser.add_argument("--sample", type=int, help="at most so many mutants, of as many lines")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--near", action="store_true", help="without the quick selection")
    parser.add_argument("--list", action="store_true", help="show the changes alone")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("-o", "--output", type=Path)
    asked = parser.parse_args()
    every = [
        change
        for module in modules_of(asked.modules)
        for change in changes(module, source_of(module).read_text(encoding="utf-8"))
    ]
    tried = list(drawn(every, asked.sample, random.Random(asked.seed)))
    if asked.list:
        print("\n".join(map(str, tried)))
        return
    kept = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    lived = f"lived {tests_digest()}{' near' if asked.near else ''}"
    known = ((c, kept.get(identity(c), "")) for c in tried)
    verdicts = {c: v for c, v in known if v == lived or v[:4] in ("kill", "same")}
    left = [c for c in tried if c not in verdicts]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.jobs) as pool:
        unchanged = Path(folder, "values")
        subprocess.run([sys.executable, str(MUTATED / "battery.py"), str(unchanged)], check=True)
        judge = Judge(unchanged, near=asked.near)
        started = {pool.submit(judge, change): change for change in left}
        for done in as_completed(started):
            change, verdict = started[done], done.result()
            verdict = lived if verdict == "lived" else verdict
            verdicts[change] = kept[identity(change)] = verdict
            print(f"{change}: {verdict}", flush=True)
            KEPT.parent.mkdir(exist_ok=True)
            KEPT.write_text(json.dumps(kept, indent=0), encoding="utf-8")
            if asked.output:
                write_page(asked.output, page(every, verdicts))
    print(page(every, verdicts))


if __name__ == "__main__":
    main()
