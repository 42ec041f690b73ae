"""The simulations run, and judge by the rules that they say they judge by."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binomtest, norm

import tallymark as tm

ROOT = Path(__file__).parents[1]


def python(*arguments):
    command = [sys.executable, "-X", "utf8", *arguments]  # benchmarks print an en dash
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert not done.returncode, done.stderr
    return done.stdout


@pytest.fixture
def printed(monkeypatch, capsys):
    """Return a function that runs a benchmark in this process, and returns what it prints."""

    def run(*command):
        module = importlib.import_module(command[1])
        monkeypatch.setattr(sys, "argv", [*command[1:]])
        if hasattr(module, "ProcessPoolExecutor"):
            monkeypatch.setattr(module, "ProcessPoolExecutor", ThreadPoolExecutor)
        module.main()
        return capsys.readouterr().out

    return run


def page_of(name):
    return (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")


def numbers(pattern, text):
    return [int(n.replace(",", "")) for n in re.search(pattern, text).groups()]


def test_the_page_of_coverage_says_what_is_simulated_and_sums_up_its_tables():
    coverage = pytest.importorskip("benchmarks.coverage")
    text = page_of("coverage")
    words = " ".join(text.split())
    cells = coverage.cells()
    assert (
        f"one of {len(coverage.POPULATIONS)} populations, {len(coverage.ROWS)} numbers of rows and "
        f"{len(coverage.PREVALENCES)} shares of positives; these {len(cells)} expect "
        f"{min(c.rarest for c in cells):g} or more rows of the smaller class"
    ) in words
    for name, population in coverage.POPULATIONS.items():
        assert f"\n| {name} | {population.title} |\n" in text
    assert f"but {', '.join(coverage.OF_SIZE)}, which depend" in words
    assert f"in {coverage.LOW:.0%} to {coverage.HIGH:.0%} of samples" in words
    held, below, warned, _, few = numbers(
        r"of ([\d,]+) numbers .* and (\d+) numbers less often.*: (\d+) of those (\d+) .*"
        r"\d+ of ([\d,]+) lay", words)  # fmt: skip
    smooth, low, rates, of_rates = numbers(
        r"Of ([\d,]+) numbers that change.*?; (\d+) too low.*Of ([\d,]+) rates.*?; (\d+) too low",
        words)  # fmt: skip
    assert (smooth + rates, low + of_rates) == (held, below)
    assert warned <= below
    (bad, all_warned, good) = numbers(
        r"Of (\d+) numbers that are too low, whatever the rows, (\d+) carry .* of ([\d,]+) within",
        words)  # fmt: skip
    assert below <= bad
    assert warned <= all_warned
    assert bad + good <= held + few
    assert coverage.LOW == 0.93
    assert coverage.LEAST == 0.9


def test_the_first_sentence_on_coverage_names_every_number_that_is_too_low():
    coverage = pytest.importorskip("benchmarks.coverage")

    def counts(held, made=300):
        return coverage.Count(made=made, below=made - held)

    low = {"normal": "log_loss f1", "clustered": "log_loss brier", "t2": "log_loss", "beta": ""}
    found = {}
    for population, names in low.items():
        every = {name: counts(290) for name in ("roc_auc", "brier", "f1")}
        every |= {name: counts(200) for name in names.split()}
        found[coverage.Cell(population, 100, 0.5)] = every
    few = {coverage.Cell("beta", 30, 0.1): {"cllr": counts(100)}}  # not held to its level

    def first(found):
        words = " ".join(" ".join(coverage.page(found, {}, 300, 60)).split())
        return words.partition("smaller class, such as patients with the disease, ")[2]

    assert first(found | few).startswith(
        "trust a 95 % interval, except in several populations: log_loss; in normal: f1; in "
        "clustered: brier: of 15 numbers 67 % lay in theirs in 93% to 97% of samples, "
    )
    good = {coverage.Cell("beta", 100, 0.5): {"roc_auc": counts(286)}}
    assert first(good | few).startswith("trust a 95 % interval: of 1 numbers 100 % lay in theirs")


def test_the_page_of_levels_says_what_is_simulated_and_sums_up_its_tables():
    levels = pytest.importorskip("benchmarks.levels")
    text = page_of("levels")
    held, every = numbers(r"differed, ([\d,]+) of ([\d,]+) pairs", text)
    often = re.search(r"More often than in 6 %:\n\n((?:- .*\n)+)", text)
    assert (often[1].count("\n") if often else 0) == every - held
    flagged = text.partition("## Subgroups")[2].partition("\n## ")[0]
    assert f"{levels.SHARE:.0%} positive" in flagged
    shares = re.findall(r"\| \**([\d.]+) \([^|]*\| *$", flagged, re.M)
    (worst,) = numbers(r"falsely in up to (\d+) % of samples", text)
    assert worst == round(max(map(float, shares)))
    assert len(levels.FLAGGED) == 8
    assert "of eight metrics any one flagged" in text
    for runs, of_tests in ((levels.RUNS, "between {} and {} %"), (levels.COSTLY, "({} and {} %)")):
        low, high = (100 * v for v in binomtest(runs // 20, runs).proportion_ci(0.999, "exact"))
        assert of_tests.format(f"{low:.1f}", f"{high:.1f}") in text
    assert f"tried on {levels.RUNS:,} samples" in text
    assert f"others on {levels.COSTLY:,} (" in text
    assert f"{levels.PATIENTS} patients of {levels.EACH} rows each" in text


def test_models_of_the_simulated_comparisons_share_half_of_their_variance():
    levels = pytest.importorskip("benchmarks.levels")
    two = levels.Two(4000, 0.5, "fair", "fair")
    y, x, _ = two.draw(np.random.default_rng(0))
    assert np.corrcoef(x[:, y == 0])[0, 1] == pytest.approx(0.5, abs=0.05)
    area = (x[0][y == 1][:, None] > x[0][y == 0]).mean()
    assert area == pytest.approx(0.856, abs=0.02)
    assert f"(an area of {norm.cdf(1.5 / 2**0.5):.3f})" in page_of("levels")
    of_patients = levels.Two(4800, 0.5, "fair", "fair", 600)
    y, x, patient = of_patients.draw(np.random.default_rng(0))
    noise = x[0] - of_patients.cells[0].lift * y
    of_each = [noise[patient == k] for k in range(600)]
    within = np.mean([v.var(ddof=1) for v in of_each])
    between = np.var([v.mean() for v in of_each], ddof=1) - within / 8
    assert between / (between + within) == pytest.approx(levels.OF_PATIENT, abs=0.05)
    assert f"{levels.OF_PATIENT:.0%} of the scores' variance the patient's" in page_of("levels")


def test_models_that_are_nearly_the_same_share_scores_or_their_variance():
    levels = pytest.importorskip("benchmarks.levels")
    rng = np.random.default_rng(0)
    y, x, _ = levels.Two(4000, 0.2, "fair", "0.87", shared=0.99).draw(rng)
    assert np.corrcoef(x[:, y == 0])[0, 1] == pytest.approx(0.99, abs=0.002)
    assert (x[1][y == 1][:, None] > x[1][y == 0]).mean() == pytest.approx(0.87, abs=0.02)
    y, x, _ = levels.Two(1000, 0.2, "fair", "fair", changed=15).draw(rng)
    assert (x[0] != x[1]).sum() == 15


def test_centres_of_unequal_size_have_the_rows_that_are_asked_for():
    levels = pytest.importorskip("benchmarks.levels")
    rng = np.random.default_rng(0)
    for centres in levels.SHARES_OF_CENTRES:
        _, _, groups = levels.Two(300, 0.5, "fair", "fair", centres=centres).draw(rng)
        sizes = np.bincount(groups)
        assert (sizes.sum(), len(sizes), sizes.min() >= 1) == (300, 20, True)
    assert sizes.max() == pytest.approx(225, abs=20)


def test_models_that_are_no_better_than_chance_are_found_by_nearly_no_test():
    levels = pytest.importorskip("benchmarks.levels")
    found = levels.Cell("chance", (200, 0.2)).measure(300)
    assert all(level.bounds[0] < 0.05 for level in found.values()), found
    for lift in (0.0, 1.5):
        found = levels.Cell("moved", (200, 0.2, lift)).measure(20)
        assert all(level.share <= 0.2 for level in found.values()), found


def test_the_page_of_advice_lists_every_data_set_with_what_is_ill():
    illness = pytest.importorskip("benchmarks.illness")
    text = page_of("advice")
    assert f"\n## {len(illness.ILL)} faults\n" in text
    assert f"\n## {len(illness.HEALTHY)} healthy data sets\n" in text
    head = illness.HEAD.format(seeds=illness.SEEDS, found=illness.FOUND, alarms=illness.ALARMS)
    assert text.startswith(head)
    for name, data_set in illness.DATA_SETS.items():
        codes = " or ".join(f"`{code}`" for code in data_set.codes)
        start = f"\n| {name.replace('_', ' ')} | {data_set.what} | {codes}"
        assert start in text, name


def test_the_page_of_optimism_begins_as_its_benchmark_writes_it():
    optimism = pytest.importorskip("benchmarks.optimism")
    text, error = page_of("optimism"), 100 * (0.95 * 0.05 / optimism.RUNS) ** 0.5
    assert text.startswith(optimism.HEAD.format(runs=optimism.RUNS, error=error))
    rows = len(optimism.POPULATIONS) * len(optimism.SIZES) * len(optimism.SHARES)
    assert len(re.findall(r"^\| .*%\ \|$", text, re.M)) == 3 * rows


def test_what_is_timed_takes_turns_and_a_missed_target_is_marked():
    timing = pytest.importorskip("benchmarks.timing")
    calls = []
    timing.alternate(lambda: calls.append("a"), lambda: calls.append("b"), runs=3)
    assert calls == [*"ab" * 4]
    rows = [timing.faster("x", 4.6, "peer", 5), timing.slower("y", 0.5, "peer", 1)]
    assert timing.table([*rows, timing.within("z", 2, 1)]).splitlines()[2:] == [
        "| x | 5 × peer | at least 5 × | MISSED |",
        "| y | 0.50 × the time of peer | at most 1 × | holds |",
        "| z | 2.00 s | under 1 s | MISSED |",
    ]


def test_the_page_of_times_has_a_column_for_each_machine():
    pages = pytest.importorskip("benchmarks.pages")
    timing = pytest.importorskip("benchmarks.timing")
    rows = [timing.slower("y", 0.5, "peer", 1), timing.within("z", 2, 1)]
    times = pages.Times()
    times.measured("Old, 2 cores", "2026-01-01", [*rows, timing.within("left", 1, 2)])
    times.measured("New, 2 cores", "2026-02-01", [rows[1], timing.within("more", 1, 2)])
    times.measured(
        "Old, 2 cores", "2026-03-01", [*rows[:1], timing.within("z", 0.5, 1)], whole=True
    )
    text = times.page()
    assert text.splitlines()[5:] == [
        "- **A**: Old, 2 cores; 2026-03-01",
        "- **B**: New, 2 cores; 2026-02-01",
        "",
        "| work | target | A | B |",
        "|---|---|---|---|",
        "| y | at most 1 × | 0.50 × the time of peer | – |",
        "| z | under 1 s | 0.50 s | **missed:** 2.00 s |",
        "| more | under 2 s | – | 1.00 s |",
    ]
    assert pages.Times.read(text) == times


def test_a_measured_page_ends_with_when_and_where(tmp_path):
    pages = pytest.importorskip("benchmarks.pages")
    facts = "cpu family\t: 25\nmodel\t\t: 1\nmodel name\t: Example\nflags\t\t: sse2 avx2\n"
    assert pages.processor(facts) == "Example (family 25, model 1), 256-bit vectors"
    page, text = tmp_path / "page.md", "# Page\n\n"
    for _ in range(2):  # a page that is written again has one stamp
        pages.write_page(page, text)
        text = page.read_text("utf-8")
        assert re.fullmatch(
            r"# Page\n\nMeasured on \d{4}-\d\d-\d\d(, commit [0-9a-f]{8})?; .+, \d+ cores\.\n",
            text,
        )


def test_every_command_of_a_measured_page_writes_when_and_where():
    root = Path(__file__).parents[1]
    makers = re.findall(r"(?m)^measure\.[\w-]+ += (\S+ ?\S*) .*docs/", root.joinpath("Makefile").read_text("utf-8"))  # fmt: skip
    exact = ["tools/catalogue.py", "tools/balance.py", "tools/iris.py"]
    stamped = re.compile(r"(?m)^Measured on \d{4}-\d\d-\d\d, commit [0-9a-f]{8}; \S.*\.$")
    for name in re.findall(r"(?m)^measure\.[\w-]+ += .*?docs/([\w-]+\.md)", root.joinpath("Makefile").read_text("utf-8")):  # fmt: skip
        shown = stamped.search(root.joinpath("docs", name).read_text("utf-8"))
        assert (shown is None) == (name in ["metrics.md", "class-balance.md", "iris.md"]), name
    measured = 0
    for maker in (m.removeprefix("-m ").split()[0] for m in makers):
        path = maker if maker.endswith(".py") else f"{maker.replace('.', '/')}.py"
        source = root.joinpath(path).read_text("utf-8")
        # Pages that hold no measured number are compared with what their command writes.
        assert ("write_page(" in source or "stamp()" in source) == (path not in exact), path
        measured += path not in exact
    assert measured == 11


@pytest.mark.slow
def test_levels_are_measured_and_go_on_where_they_stopped(tmp_path, printed):
    page = tmp_path / "levels.md"
    command = ["-m", "benchmarks.levels", "--runs=2", "--costly=1", "--rows", "50",
               "--folder", str(tmp_path / "cells"), "-o", str(page)]  # fmt: skip
    assert len(python(*command).split()) > 40
    text = page.read_text(encoding="utf-8")
    for told in (
        "You may trust", "McNemar, mid-p", "all 3 by Hotelling's T²", "5x2cv F (warns)",
        "| t3, 30 of 100 |", "any of these metrics", "by just the margin", "| average_precision |",
        "`tm.plan.mcnemar`", "`tm.plan.auc_difference`, 10%", "(0.0-97.8)", "## Clusters",
        "| 600 rows, 20%, correlation 0.999 |", "with an area of 0.87:", "15 changed |",
        "| 30 rows, 95% and 99% |", "| 0.97 and 0.92, 10% |", "one with three quarters of the rows |",
        "| 500 rows, 50%, weighted |", "whose log losses are log-normal",
        "| accuracy against the majority rule |", "| gain of youden_j > 0 |",
    ):  # fmt: skip
        assert told in text, told
    levels = pytest.importorskip("benchmarks.levels")
    cells = {f"{cell.name}.json" for cell in levels.cells([50])}
    assert {file.name for file in (tmp_path / "cells").iterdir()} == cells
    assert "verdict contradicted each other in 0." in text
    assert "nan" not in text
    assert printed(*command) == ""
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_a_level_says_its_error_and_whether_it_is_too_high():
    levels = pytest.importorskip("benchmarks.levels")
    wanted = []
    for n in (100, 150, 170):
        low, high = (100 * v for v in binomtest(n, 2000).proportion_ci(0.999, "exact"))
        told = f"{n / 20:.1f} ({low:.1f}-{high:.1f})"
        wanted.append(f"**{told}**" if low > 6 else told)
    assert [str(levels.Level(2000, n)) for n in (100, 150, 170)] == wanted
    assert [line.startswith("**") for line in wanted] == [False, False, True]


@pytest.mark.slow
def test_coverage_is_measured_and_goes_on_where_it_stopped(tmp_path, printed):
    page, folder = tmp_path / "coverage.md", tmp_path / "cells"
    command = ["-m", "benchmarks.coverage", "--runs=1", "--by-methods=1", "--rows", "30",
               "--only", "t2", "clustered", "--folder", str(folder),
               "-o", str(page)]  # fmt: skip
    assert sorted(python(*command).split()) == [
        "clustered-30-0.1", "clustered-30-0.5", "t2-30-0.1", "t2-30-0.5",
    ]  # fmt: skip
    text = page.read_text(encoding="utf-8")
    told = ("# How often", "## Warnings", "## Rows in clusters", "| roc_auc | delong |")
    assert [words for words in told if words not in text] == []
    assert " nan" not in text
    assert printed(*command) == ""
    assert page.read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_coverage_of_tails_is_measured(tmp_path, printed, monkeypatch):
    populations = pytest.importorskip("benchmarks.populations")
    monkeypatch.setattr(populations, "MANY", 30_000)
    page = tmp_path / "coverage.md"
    command = ["-m", "benchmarks.coverage", "--runs=2", "--by-methods=0", "--folder",
               str(tmp_path / "cells"), "-o", str(page), "--only", *populations.TAILS]  # fmt: skip
    assert len(printed(*command).split()) == sum(len(t.rows) for t in populations.TAILS.values())
    text = page.read_text(encoding="utf-8").partition("## Clusters of unequal size")[2]
    for name, tail in populations.TAILS.items():
        assert f"\n| {name} | {tail.population.title} |\n" in text
        assert all(f"\n| {number} | {name} |" in text for number in tail.numbers), name
    assert "nan" not in text


@pytest.mark.slow
def test_a_verdict_is_simulated_by_the_rule_that_compare_goes_by():
    levels = pytest.importorskip("benchmarks.levels")
    two = levels.Two(60, 0.3, "weak", "fair")
    found = set()
    for seed in range(3):
        y, x, _ = two.draw(np.random.default_rng(seed), 3)
        rows = {k: np.exp(s) / (1 + np.exp(s)) for k, s in zip("abc", x, strict=True)}
        lifts = [c.lift / 2 for c in (*two.cells, two.cells[1])]
        said = {k: (s >= at) * 1 for k, s, at in zip("abc", x, lifts, strict=True)}
        paired = two.counted(y, x, None)
        paired.draws = 2000
        ev = tm.evaluate(y, said, y_score=rows)
        for metric in ("roc_auc", "f1", "accuracy"):
            c = ev.compare(metric=metric, metrics=[], permutations=0)
            better = any(v.kind == "better" for v in c.verdicts)
            found.add(better)
            assert levels.says_better(paired, metric) is better, (seed, metric)
    assert found == {True, False}


@pytest.mark.slow
def test_the_optimism_of_thresholds_is_measured(tmp_path, printed):
    page = tmp_path / "optimism.md"
    command = ["-m", "benchmarks.optimism", "--runs=2", "--rows", "100", "-o", str(page)]
    lines = printed(*command)
    text = page.read_text(encoding="utf-8")
    assert lines.rstrip() in text
    assert text.count("| five levels | 100 | 10% |") == 3
    assert "nan" not in text


@pytest.mark.slow
def test_illnesses_are_measured_and_go_on_where_they_stopped(tmp_path, printed):
    page, folder = tmp_path / "advice.md", tmp_path / "cells"
    command = ["-m", "benchmarks.illness", "--seeds=2", "--only", "tiny", "leak", "balanced",
               "--folder", str(folder), "-o", str(page)]  # fmt: skip
    lines = python(*command).splitlines()
    text = page.read_text(encoding="utf-8")
    assert "| tiny | 24 rows | `few-rows` | 100% (2-100) | – |" in text
    assert all(line in text for line in lines)
    (folder / "tiny.json").write_text('[["leak"], []]', encoding="utf-8")
    told = "| tiny | 24 rows | `few-rows` | **0% (0-98)** | `leak` 1, `nothing` 1 |"
    assert told in printed(*command)
