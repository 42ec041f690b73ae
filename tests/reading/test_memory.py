"""Files larger than their room: exact while scores fit, else in bins whose brackets hold."""

import json
import re
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import duckdb
import jsonschema
import numpy as np
import pytest

import tallymark as tm
from tallymark.errors import InputError
from tallymark.reading.memory import Room, memory_left, width_of
from tallymark.reading.scan import ahead

ROWS = 30_000
SCHEMA = json.loads(
    (Path(tm.__file__).parent / "schema" / "evaluation.schema.json").read_text("utf-8")
)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    score = rng.random(ROWS) * rng.random(ROWS)
    return (rng.random(ROWS) < score).astype(int), score


@pytest.fixture
def files(rows, tmp_path):
    """Return one set of rows as one Parquet file, as several, and as CSV."""
    y, s = rows
    c = duckdb.connect()
    c.execute("CREATE TABLE t AS SELECT unnest($1) AS label, unnest($2) AS score", [y, s])
    c.execute(f"COPY t TO '{tmp_path}/one.parquet' (ROW_GROUP_SIZE 4096)")
    c.execute(f"COPY t TO '{tmp_path}/rows.csv'")
    for i in range(3):
        part = f"SELECT * FROM t WHERE rowid % 3 = {i}"
        c.execute(f"COPY ({part}) TO '{tmp_path}/part{i}.parquet'")
    return [str(tmp_path / name) for name in ("one.parquet", "part*.parquet", "rows.csv")]


@pytest.fixture
def little(monkeypatch):
    """Make room for some 2,000 bins, and chunks of 7,000 rows."""
    for size in ("_OF_A_SCORE", "_OF_A_BIN"):
        monkeypatch.setattr(f"tallymark.reading.memory.{size}", 1_900_000)
    monkeypatch.setattr(Room, "rows", 7000)
    monkeypatch.setattr("tallymark.reading.memory.SAMPLED", 5000)


@pytest.mark.usefixtures("little")
@pytest.mark.slow
def test_more_scores_than_fit_are_binned_and_the_brackets_hold(rows, files):
    y, s = rows
    exact = tm.evaluate(y, y_score=s)
    for file in files:
        ev = tm.evaluate(file)
        (tally,) = ev.models[0].scores
        assert len(tally.scores) <= len(tally.bins) <= 2000
        assert tally.rows == ROWS
        assert ev.models[0].labels == exact.models[0].labels  # 0.5 is an edge of bins
        low, high = ev["roc_auc"].binning_bounds
        assert low <= exact["roc_auc"].value <= high
        assert 0 < high - low < 2e-3
        assert ev["roc_auc"].low <= exact["roc_auc"].low
        for name in ("brier", "average_precision", "kolmogorov_smirnov", "log_loss"):
            low, high = ev[name].binning_bounds
            assert low <= exact[name].value <= high
            assert high - low < 0.01
        written = json.loads(ev.to_json())
        jsonschema.validate(written, SCHEMA)
        assert written["models"][0]["values"]["roc_auc"]["binning_bounds"] == [
            *ev["roc_auc"].binning_bounds
        ]
        (note,) = [n for n in ev.notes if n.rule == "binned"]
        assert f"{len(tally.bins):,} bins" in note.text


@pytest.mark.usefixtures("little")
def test_scores_that_fit_stay_exact(files, tmp_path):
    c = duckdb.connect()
    c.execute(
        f"COPY (SELECT label, round(score, 2) AS score FROM '{files[0]}') TO "
        f"'{tmp_path}/rounded.parquet'"
    )
    ev = tm.evaluate(tmp_path / "rounded.parquet")
    assert ev.models[0].scores[0].bins is None
    assert ev["roc_auc"].binning_bounds is None


@pytest.mark.slow
def test_a_tolerance_lays_narrower_bins_where_they_matter(rows, files, monkeypatch, little):
    y, s = rows
    first = width_of(tm.evaluate(files[0]).models[0].scores[0])
    seen = []
    found = tm.evaluate(
        files[0],
        options={
            "tolerance": first * 0.97,
            "progress": lambda done, total: seen.append((done, total)),
        },
    )
    assert width_of(found.models[0].scores[0]) <= first * 0.97
    assert seen.count((0, ROWS)) == seen.count((ROWS, ROWS)) == 2  # two passes
    low, high = found["roc_auc"].binning_bounds
    assert low <= tm.metrics.roc_auc(y, s) <= high
    with pytest.raises(InputError, match=r"'tolerance': 1e-06\} needs about .* bins of score and "):
        tm.evaluate(files[0], options={"tolerance": 1e-6})


@pytest.mark.usefixtures("little")
@pytest.mark.slow
def test_weights_and_several_classes_in_bins(tmp_path):
    rng = np.random.default_rng(1)
    y, w = rng.integers(0, 3, ROWS), rng.random(ROWS)
    p = rng.dirichlet(np.ones(3), ROWS) * 0.8 + np.eye(3)[y] * 0.2
    c = duckdb.connect()
    c.execute(
        "CREATE TABLE t AS SELECT unnest($1) AS label, unnest($2) AS w, unnest($3) AS p_0, "
        "unnest($4) AS p_1, unnest($5) AS p_2",
        [y, w, *(np.ascontiguousarray(p[:, k]) for k in range(3))],
    )
    c.execute(f"COPY t TO '{tmp_path}/three.parquet'")
    ev = tm.evaluate(tmp_path / "three.parquet", weight="w")
    exact = tm.evaluate(y, y_score=p, weight=w)
    assert all(
        t.bins is not None and t.sum_squared_weights is not None for t in ev.models[0].scores
    )
    for name in ("roc_auc", "log_loss", "brier"):
        low, high = ev[name].binning_bounds
        assert low <= exact[name].value <= high


@pytest.mark.usefixtures("little")
def test_a_file_that_changes_while_it_is_read(files):
    def shorten(done, rows):
        if not done:
            half = f"SELECT * FROM read_parquet('{files[1]}') LIMIT {rows // 2}"
            duckdb.connect().execute(f"COPY ({half}) TO '{files[0]}' (ROW_GROUP_SIZE 4096)")

    with pytest.raises(InputError, match=r"one.parquet changed while it was read: .* rows from"):
        tm.evaluate(files[0], options={"progress": shorten})


@pytest.mark.usefixtures("little")
def test_a_file_cut_off_in_the_middle(files, tmp_path):
    whole = Path(files[0]).read_bytes()
    for cut in (len(whole) // 2, len(whole) - 9):
        (tmp_path / "cut.parquet").write_bytes(whole[:cut])
        with pytest.raises(InputError, match="cut.parquet cannot be read as Parquet"):
            tm.evaluate(tmp_path / "cut.parquet")


def test_the_next_range_is_read_while_one_is_counted():
    read = threading.Event()

    def ranges():
        yield 1
        read.set()
        yield 2

    with closing(ahead(ranges())) as chunks:
        assert next(chunks) == 1
        assert read.wait(5)
        assert next(chunks) == 2


def test_reading_ahead_ends_when_counting_fails():
    before = threading.active_count()

    def endless():
        while True:
            yield 1

    def count(rows):
        with closing(ahead(rows)) as chunks:
            return next(chunks) / 0

    with pytest.raises(ZeroDivisionError):
        count(endless())
    for _ in range(50):
        if threading.active_count() == before:
            break
        time.sleep(0.02)
    assert threading.active_count() == before

    def failing():
        raise InputError("the file is torn")
        yield

    with pytest.raises(InputError, match="torn"):
        count(failing())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"memory": "much"}, "memory is 'much'; give an amount such as '1GB' or '500MB'"),
        ({"memory": "1 PB"}, "memory is '1 PB'; give an amount"),
        ({"memory": "20MB"}, "{'memory': '20MB'} is too small for counting; give at least 400MB"),
        ({"tolerance": 0}, "tolerance is 0; give a number between 0 and 1"),
        ({"tolerance": float("nan")}, "tolerance is nan; give a number between 0 and 1"),
    ],
)
def test_refused(files, options, told):
    with pytest.raises(InputError, match=told):
        tm.evaluate(files[0], options=options)


def test_arrays_have_no_room():
    for options in ({"memory": "1GB"}, {"tolerance": 1e-6}):
        with pytest.raises(InputError, match="does not go with arrays, which are in memory"):
            tm.evaluate([0, 1], y_score=[0.1, 0.2], options=options)


def test_sizes():
    assert Room.of("500mb").memory == Room.of(500_000_000).memory == Room.of("0.5 G").memory
    assert Room.of("1GB").scores() == 2 * Room.of("1GB").scores(2)
    assert Room.of("1GB").scores() > 10**6
    assert Room.of() == Room.of("4GB")


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("given", [None, 0.37])
@pytest.mark.slow
def test_the_given_threshold_and_the_tenths_are_edges_of_bins(rows, files, given):
    y, s = rows
    ev, exact = tm.evaluate(files[0], threshold=given), tm.evaluate(y, y_score=s)
    (tally,) = ev.models[0].scores
    for cut in [*(np.arange(11) / 10), *([given] if given else [])]:
        assert cut in tally.bins.breaks
        at, wanted = (e.at(threshold=cut).models[0].labels for e in (ev, exact))
        assert at == wanted


@pytest.mark.slow
def test_decisions_alone_are_grouped_and_missing_ones_are_told_by_their_row(tmp_path):
    rng = np.random.default_rng(2)
    y = rng.choice(["a", "b", "c"], 5000)
    said = np.where(rng.random(5000) < 0.7, y, "a")
    c = duckdb.connect()
    c.execute("CREATE TABLE t AS SELECT unnest($1) AS label, unnest($2) AS pred", [y, said])
    exact = tm.LabelTally.from_arrays(y, said)
    for kind in ("parquet", "csv"):
        file = str(tmp_path / f"t.{kind}")
        c.execute(f"COPY t TO '{file}'")
        assert tm.evaluate(file).models[0].labels == exact
        assert tm.evaluate(file).rows == 5000
    c.execute("INSERT INTO t VALUES ('a', NULL)")
    c.execute(f"COPY t TO '{tmp_path}/gap.parquet'")
    with pytest.raises(InputError, match=r"row 5001"):
        tm.evaluate(tmp_path / "gap.parquet")
    ev = tm.evaluate(tmp_path / "gap.parquet", missing="drop")
    assert (ev.rows, ev.dropped) == (5000, 1)
    assert ev.models[0].labels == exact


@pytest.mark.usefixtures("little")
@pytest.mark.slow
def test_several_models_share_the_room(files, tmp_path):
    c = duckdb.connect()
    c.execute(
        f"COPY (SELECT label, score AS a, score * score AS b, label AS c FROM '{files[0]}') TO "
        f"'{tmp_path}/two.parquet'"
    )
    ev = tm.evaluate(tmp_path / "two.parquet", score=["a", "b"])
    (alone,) = tm.evaluate(files[0]).models[0].scores
    for model in ev.models:
        assert len(model.scores[0].bins) <= len(alone.bins) / 1.8
    with pytest.raises(
        InputError, match=r"counted in bins, .*leave bins= out, give more options=\{'memory': "
    ):
        ev.compare(metric="roc_auc")
    with pytest.raises(
        InputError, match="c needs the rows; give more options=.'memory': .*, or leave cluster="
    ):
        tm.evaluate(tmp_path / "two.parquet", score="a", cluster="c")


@pytest.mark.usefixtures("little")
@pytest.mark.slow
def test_bins_are_laid_by_what_the_other_class_leaves_to_1(rows, tmp_path):
    y, s = rows
    path = str(tmp_path / "rows.parquet")
    duckdb.connect().execute(
        f"COPY (SELECT unnest($1) AS label, 1 - unnest($2) AS p_0) TO '{path}'", [y, s**8]
    )
    exact, ev = tm.evaluate(y, y_score=1 - (1 - s**8)), tm.evaluate(path, positive=1)
    low, high = ev["roc_auc"].binning_bounds
    assert low <= exact["roc_auc"].value <= high
    assert high - low < 2e-3


# -- the default ---------------------------------------------------------------------------------


def machine(root, available, groups, files):
    """Write what Linux says of memory: kB available, the control groups, and their files."""
    facts = {
        "proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {available} kB\n",
        "proc/self/cgroup": groups,
    }
    facts |= {f"sys/fs/cgroup/{name}": text for name, text in files.items()}
    for name, text in facts.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize(
    ("groups", "files", "left"),
    [
        ("0::/a/b\n", {}, 16e9),
        ("0::/a/b\n", {"a/b/memory.max": "max\n", "a/b/memory.current": "5\n"}, 16e9),
        ("0::/a/b\n", {"a/memory.max": "1500000000", "a/memory.current": "400000000",
                       "a/memory.stat": "anon 7\ninactive_file 100000000\n"}, 1.2e9),
        ("0::/\n", {"memory.max": "3000000000", "memory.current": "1000000000"}, 2e9),
        ("5:cpu:/x\n4:memory:/x\n0::/\n", {
            "memory/x/memory.limit_in_bytes": "2000000000",
            "memory/x/memory.usage_in_bytes": "500000000",
            "memory/x/memory.stat": "total_inactive_file 250000000"}, 1.75e9),
        ("4:memory:/elsewhere\n", {"memory/memory.limit_in_bytes": "700000000",
                                   "memory/memory.usage_in_bytes": "800000000"}, 0.0),
    ],
)  # fmt: skip
def test_memory_left_is_the_least_of_the_machine_and_its_groups(groups, files, left, tmp_path):
    machine(tmp_path, 15_625_000, groups, files)
    assert memory_left(tmp_path) == pytest.approx(left, rel=1e-6)


def test_without_such_files_memory_is_taken_as_unlimited(tmp_path):
    assert memory_left(tmp_path) == float("inf")


@pytest.mark.parametrize(
    ("left", "text"),
    [(float("inf"), "4GB"), (8e9, "4GB"), (7.5e9, "3750MB"), (1.3e9, "650MB"), (0.5e9, "400MB")],
)
def test_the_default_limit_is_half_of_what_is_left(left, text, monkeypatch):
    monkeypatch.setattr("tallymark.reading.memory.memory_left", lambda: left)
    room = Room.of()
    assert (room.text, room.memory) == (text, Room.of(text).memory)
    assert Room.of("2GB").memory == 2 * 10**9  # as the user says


def test_memory_that_runs_out_ends_in_a_sentence():
    code = """
import resource, numpy as np, tallymark as tm
tm.evaluate([0, 1, 1, 0], y_score=[0.1, 0.9, 0.8, 0.3])
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 200_000_000,) * 2)
rows = 300_000_000
try:
    tm.evaluate(np.broadcast_to(1, rows), y_score=np.broadcast_to(0.5, rows))
except tm.errors.InputError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    sentence = (
        r"there is not enough memory( \(unable to allocate \S+ [KMG]iB\))?; count the rows in "
        r"batches with tm\.Tallier, or from a file with memory='1GB'\n"
    )
    assert re.fullmatch(sentence, done.stdout), done
