"""The truth in another file: what joins it to the predictions, and what refuses a wrong join."""

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main
from tallymark.errors import InputError
from tallymark.reading.join import TruthFile

REAL = Path(__file__).parents[3] / "shared" / "real-files"
N = 60
RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, N)
P = np.clip(Y * 0.4 + RNG.random(N) * 0.6, 0, 1).round(4)
CALLED = (P >= 0.5).astype(int)
IDS = [f"r{i:04d}" for i in range(N)]
PRED = pd.DataFrame({"id": IDS, "score": P})
GOLD = pd.DataFrame({"id": IDS, "label": Y})
ALONE = tm.evaluate(Y, y_score=P)
ACCURACY = tm.evaluate(Y, CALLED)["accuracy"].value
KINDS = ["csv", "parquet", "json", "pandas", "polars", "polars lazy"]


def shuffled(frame):
    return frame.sample(frac=1, random_state=5).reset_index(drop=True)


def given(kind, frame, path):
    """Return rows as a frame, or the path of a file of them."""
    if kind == "pandas":
        return frame
    if kind == "arrays":
        return {name: column.to_numpy() for name, column in frame.items()}
    if kind.startswith("polars"):
        made = pl.from_pandas(frame)
        return made.lazy() if kind == "polars lazy" else made
    path = path.with_suffix(f".{kind}")
    write = {"csv": frame.to_csv, "parquet": frame.to_parquet, "json": frame.to_json}[kind]
    write(path, **({"orient": "records"} if kind == "json" else {"index": False}))
    return path


def judged(tmp_path, pred, gold, /, *, kinds=("csv", "csv"), truth=None, **options):
    """Return the evaluation of predictions and a truth of some kinds."""
    a, b = (
        given(k, f, tmp_path / n)
        for k, f, n in zip(kinds, (pred, gold), ("pred", "gold"), strict=True)
    )
    return tm.evaluate(a, truth=tm.file(b, truth=truth) if isinstance(b, Path) else b, **options)


def refused(tmp_path, pred, gold, /, **options):
    with pytest.raises(InputError) as caught:
        judged(tmp_path, pred, gold, **options)
    return str(caught.value)


@pytest.mark.parametrize("truth", KINDS)
@pytest.mark.parametrize("pred", [*KINDS, "arrays"])
def test_a_key_joins_tables_of_every_kind(tmp_path, pred, truth):
    ev = judged(tmp_path, PRED, shuffled(GOLD), kinds=(pred, truth))
    assert (ev.rows, ev["roc_auc"].value) == (N, ALONE["roc_auc"].value)
    called = "the frame of the truth" if truth[0] == "p" and truth != "parquet" else f"gold.{truth}"
    assert f"truth from {called}, by `id`" in ev.source.format
    assert ev.source._ignored == ()


@pytest.mark.parametrize("pred", KINDS)
def test_rows_without_a_key_are_joined_by_their_order(tmp_path, pred):
    ev = judged(tmp_path, PRED[["score"]], GOLD[["label"]], kinds=(pred, "csv"))
    assert ev["roc_auc"].value == ALONE["roc_auc"].value
    assert "truth from gold.csv, by order" in ev.source.read_as


def test_a_truth_of_a_packed_file_in_other_columns_and_types(tmp_path):
    gold = shuffled(GOLD).assign(label=lambda f: np.where(f.label, "yes", "no"), site="north")
    gold.to_csv(tmp_path / "gold.csv.gz", index=False, sep=";")
    PRED.to_parquet(tmp_path / "pred.parquet")
    ev = tm.evaluate(tmp_path / "pred.parquet", truth=tm.file(tmp_path / "gold.csv.gz"))
    assert (ev.classes, ev["roc_auc"].value) == (("no", "yes"), ALONE["roc_auc"].value)


@pytest.mark.parametrize(
    "kinds",
    [("csv", "csv"), ("pandas", "pandas"), ("csv", "pandas"), ("pandas", "parquet"),
     ("arrays", "csv")],
)  # fmt: skip
def test_rows_without_a_partner_are_counted_and_said(tmp_path, kinds):
    ev = judged(tmp_path, PRED.head(55), shuffled(GOLD.tail(50)), kinds=kinds)
    (text,) = [note.text for note in ev.notes if note.rule == "rows-without-partner"]
    assert ev.rows == 45
    assert text.startswith("10 of 55 rows of ")
    assert "5 of 50 rows of " in text
    kept = slice(10, 55)
    assert ev["roc_auc"].value == tm.evaluate(Y[kept], y_score=P[kept])["roc_auc"].value


# -- what a key is -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mine", "theirs", "how"),
    [
        ([str(i) for i in range(N)], range(N), "by `id`"),
        ([float(i) for i in range(N)], range(N), "by `id`"),
        (range(95, 95 + N), [f"{i:03d}" for i in range(95, 95 + N)], "by `id` as numbers"),
        ([f" {i}" for i in IDS], IDS, "by `id`"),
    ],
)
@pytest.mark.parametrize("kinds", [("csv", "csv"), ("pandas", "pandas"), ("json", "csv")])
def test_a_key_may_be_written_in_two_ways(tmp_path, kinds, mine, theirs, how):
    ev = judged(
        tmp_path, PRED.assign(id=list(mine)), shuffled(GOLD.assign(id=list(theirs))), kinds=kinds
    )
    assert ev["roc_auc"].value == ALONE["roc_auc"].value
    assert ev.source.format[-1].endswith(how)


def test_007_and_7_are_two_where_one_table_has_both(tmp_path):
    gold = GOLD.assign(id=["007", "7", *map(str, range(100, 98 + N))])
    ev = judged(tmp_path, PRED.assign(id=[7, 8, *range(100, 98 + N)]), gold)
    assert ev.rows == N - 1
    assert "as numbers" not in ev.source.read_as


@pytest.mark.parametrize("on", [None, "id"])
@pytest.mark.parametrize("kinds", [("csv", "csv"), ("pandas", "parquet")])
def test_values_that_repeat_are_refused_and_named(tmp_path, kinds, on):
    twice = pd.concat([GOLD, GOLD.head(2)])
    text = refused(tmp_path, PRED, twice, kinds=kinds, on=on)
    assert text.startswith("'id' must name each row once to join the truth, and gold.")
    assert "has 'r0000', 'r0001' more than once; leave out the rows that repeat" in text
    text = refused(tmp_path, pd.concat([PRED, PRED.head(1)]), GOLD, kinds=kinds, on=on)
    assert "has 'r0000' more than once" in text


def test_keys_without_a_common_value_are_refused(tmp_path):
    text = refused(tmp_path, PRED, GOLD.assign(id=[f"img/{i}" for i in IDS]))
    assert text == (
        "no value of 'id' is in both pred.csv (which begins with 'r0000') and gold.csv "
        "('img/r0000'); write them alike, or name another column with on=..."
    )


@pytest.mark.slow
def test_a_key_under_two_names_joins_but_ranks_do_not(tmp_path):
    ev = judged(
        tmp_path,
        PRED.rename(columns={"id": "image"}),
        shuffled(GOLD).rename(columns={"id": "file"}),
    )
    assert ev["roc_auc"].value == ALONE["roc_auc"].value
    assert ev.source.format == ("truth from gold.csv, by `image` = `file`",)
    ranked = PRED.assign(id=P.argsort().argsort() + 1).rename(columns={"id": "rank"})
    ev = judged(tmp_path, ranked, GOLD.assign(id=range(1, N + 1)))
    assert ev["roc_auc"].value == ALONE["roc_auc"].value
    assert ev.source.format == ("truth from gold.csv, by order",)


def test_a_number_of_the_row_yields_to_names_under_two_names(tmp_path):
    named = PRED.assign(index=range(N), image=[f"img_{i}" for i in PRED.id]).drop(columns="id")
    gold = GOLD.assign(file=[f"img_{i}" for i in GOLD.id]).drop(columns="id")
    ev = judged(tmp_path, named, shuffled(gold).assign(index=range(N)))
    assert ev["roc_auc"].value == ALONE["roc_auc"].value
    assert "truth from gold.csv, by `image` = `file`" in ev.source.format


def test_numbers_of_two_names_in_another_order_contradict_the_order(tmp_path):
    gold = GOLD.assign(patient=range(N)).drop(columns="id")
    told = refused(tmp_path, PRED.assign(case=range(N)).drop(columns="id"), shuffled(gold))
    assert told == (
        "'case' of pred.csv and 'patient' of gold.csv hold the same values in another order, so "
        "they may name the rows; give both one name, and say it with on=..."
    )


@pytest.mark.slow
def test_rows_named_in_other_words_are_not_joined_by_their_order(tmp_path):
    pred = PRED.assign(path=[f"test/{i}.png" for i in PRED.id]).drop(columns="id")
    gold = GOLD.assign(file=[f"{i}.png" for i in GOLD.id]).drop(columns="id")
    told = refused(tmp_path, pred, shuffled(gold))
    assert told == (
        "'path' of pred.csv and 'file' of gold.csv each name the rows, in other words, so nothing "
        "says that both are in one order; write them alike, or leave one out if they are"
    )
    assert judged(tmp_path, pred, gold[["label"]])["roc_auc"].value == ALONE["roc_auc"].value


def test_indexes_of_pandas_in_another_order_are_refused():
    told = "hold the same values in another order; put both into one order, or give .reset_index"
    pred, gold = PRED.set_index("id")[["score"]], GOLD.set_index("id")[["label"]]
    with pytest.raises(InputError, match=f"the indexes of the predictions and the truth {told}"):
        tm.evaluate(pred, truth=shuffled(GOLD).set_index("id")[["label"]])
    assert tm.evaluate(pred, truth=gold)["roc_auc"].value == ALONE["roc_auc"].value
    truth, score = GOLD.label, PRED.score
    for name in ("y_pred", "y_score"):
        with pytest.raises(InputError, match=f"the indexes of y_true and {name} of model {told}"):
            tm.evaluate(truth, **{name: score.sample(frac=1, random_state=1).gt(0.5)})
    assert tm.evaluate(truth, y_score=score.to_numpy()).rows == N


def test_a_file_given_as_the_column_of_the_truth_is_named(tmp_path):
    PRED.to_csv(tmp_path / "pred.csv", index=False)
    GOLD.to_csv(gold := tmp_path / "gold.csv", index=False)
    with pytest.raises(InputError) as caught:
        tm.evaluate(tmp_path / "pred.csv", truth=str(gold))
    assert str(caught.value) == (
        f"{str(gold)!r} is a file, and truth= names a column; say truth=tm.file({str(gold)!r})"
    )


@pytest.mark.slow
def test_a_number_of_the_row_yields_to_an_id_and_may_have_begun_anew(tmp_path):
    ev = judged(tmp_path, PRED.assign(index=range(N)), shuffled(GOLD).assign(index=range(N)))
    assert (ev["roc_auc"].value, ev.source.format[-1]) == (
        ALONE["roc_auc"].value,
        "truth from gold.csv, by `id`",
    )
    PRED[["score"]].to_csv(tmp_path / "pred.csv")  # as pandas writes an index, without a name
    kept = np.random.default_rng(0).permutation(500)[:N]
    GOLD[["label"]].set_index(kept).to_csv(tmp_path / "gold.csv")
    ev = tm.evaluate(tmp_path / "pred.csv", truth=tm.file(tmp_path / "gold.csv"))
    assert (ev.rows, ev["roc_auc"].value) == (N, ALONE["roc_auc"].value)


def test_two_keys_that_join_different_rows_are_asked(tmp_path):
    pred = PRED.assign(no=[f"n{i}" for i in np.random.default_rng(0).permutation(N)])
    gold = GOLD.assign(no=[f"n{i}" for i in range(N)])
    text = refused(tmp_path, pred, gold)
    assert text.endswith("and join different ones; say on='id' or on='no'")
    assert judged(tmp_path, pred, gold, on="id")["roc_auc"].value == ALONE["roc_auc"].value


@pytest.mark.slow
def test_an_order_that_something_contradicts_is_refused(tmp_path):
    text = refused(tmp_path, PRED[["score"]], GOLD[["label"]].head(50))
    assert text == (
        "pred.csv has 60 rows and gold.csv 50, and no column names each row in both; give both an "
        "id column and name it with on=..."
    )
    site = list("abc") * 20
    pred, gold = (
        PRED.assign(site=site)[["site", "score"]],
        GOLD.assign(site=site)[["site", "label"]],
    )
    assert judged(tmp_path, pred, gold)["roc_auc"].value == ALONE["roc_auc"].value
    text = refused(tmp_path, pred, shuffled(gold))
    assert text.startswith("'site' differs between pred.csv and gold.csv at row ")
    assert "so their rows are not in one order; give both an id column" in text


# -- which column is what ------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [("csv", "csv"), ("pandas", "pandas"), ("parquet", "csv")])
def test_a_name_of_both_that_is_not_the_key_is_prediction_here_and_truth_there(tmp_path, kinds):
    ev = judged(tmp_path, GOLD.assign(label=CALLED), shuffled(GOLD), kinds=kinds)
    assert (ev["accuracy"].value, ev.source._roles["pred"]) == (ACCURACY, "label")
    assert ev.source._roles["truth"].startswith("label of ")
    ev = judged(tmp_path, GOLD.assign(label=P), shuffled(GOLD), kinds=kinds)
    assert (ev["roc_auc"].value, ev.source._roles["score"]) == (ALONE["roc_auc"].value, "label")


def test_a_label_beside_a_confidence_is_the_predicted_class(tmp_path):
    said = np.where(CALLED, "yes", "no")
    pred = pd.DataFrame({"id": IDS, "label": said, "confidence": np.where(CALLED, P, 1 - P)})
    ev = judged(tmp_path, pred, shuffled(GOLD.assign(label=np.where(Y, "yes", "no"))))
    assert (ev["accuracy"].value, ev["roc_auc"].value) == (ACCURACY, ALONE["roc_auc"].value)
    assert "`confidence` is the probability of the predicted class" in ev.source.read_as


def test_a_credit_score_beside_a_label_is_its_score_only_without_a_better_one(tmp_path):
    pred, kinds = GOLD.assign(label=CALLED, forest_score=P), ("pandas", "pandas")
    ev = judged(tmp_path, pred, shuffled(GOLD), kinds=kinds)
    roles = ev.reading.roles
    assert (roles["pred"], roles["score"]) == ("label", "forest_score")
    both = pred.assign(forest_score=300 + 5 * np.arange(N), p=P)
    ev = judged(tmp_path, both, shuffled(GOLD), kinds=kinds)
    roles = ev.reading.roles
    assert (roles["pred"], roles["score"]) == ("label", "p")


def test_a_copy_of_the_truth_beside_a_score_is_no_prediction(tmp_path):
    ev = judged(tmp_path, PRED.assign(label=Y), shuffled(GOLD))
    assert (ev["accuracy"].value, ev.source._ignored) == (ALONE["accuracy"].value, ("label",))


def test_two_truths_that_differ_are_refused(tmp_path):
    gold = shuffled(GOLD).rename(columns={"label": "y_true"})
    text = refused(tmp_path, PRED.assign(y_true=CALLED), gold)
    assert text == (
        "'y_true' of pred.csv differs from that of gold.csv; say pred='y_true' if it holds "
        "predictions, or leave it out"
    )
    ev = judged(tmp_path, PRED.assign(y_true=CALLED), gold, pred="y_true")
    assert ev["accuracy"].value == ACCURACY


@pytest.mark.slow
def test_the_column_of_the_truth_is_found_or_asked(tmp_path):
    wide = shuffled(GOLD).assign(age=RNG.integers(20, 80, N), amount=RNG.random(N))
    assert judged(tmp_path, PRED, wide)["roc_auc"].value == ALONE["roc_auc"].value
    odd = wide.rename(columns={"label": "species"})
    assert judged(tmp_path, PRED, odd).source._roles["truth"] == "species"
    two = wide.assign(target=1 - wide.label)
    text = refused(tmp_path, PRED, two)
    assert text == (
        "several columns of gold.csv could be the true class: 'label', 'target'; say "
        "truth=tm.file(..., truth='label') or truth=tm.file(..., truth='target')"
    )
    assert judged(tmp_path, PRED, two, truth="label")["roc_auc"].value == ALONE["roc_auc"].value
    text = refused(tmp_path, PRED, two, kinds=("pandas", "pandas"))
    assert "and has 'label', 'age', 'amount', 'target'; give a frame of those two" in text
    assert "gold.csv has no column beside 'id'; add one of the true class" in refused(
        tmp_path, PRED, GOLD[["id"]]
    )


@pytest.mark.slow
def test_the_values_of_predictions_tell_the_truth_from_features(tmp_path):
    kinds = np.array(["ant", "bee", "cat"])[RNG.integers(0, 3, N)]
    gold = pd.DataFrame({"id": IDS, "sex": list("mf") * 30, "species": kinds})
    ev = judged(tmp_path, pd.DataFrame({"id": IDS, "pred": np.roll(kinds, 1)}), shuffled(gold))
    assert ev.source._roles["truth"] == "species"
    scores = pd.DataFrame({"id": IDS} | {f"p_{c}": RNG.random(N) for c in ("ant", "bee", "cat")})
    assert judged(tmp_path, scores, shuffled(gold)).source._roles["truth"] == "species"


@pytest.mark.slow
def test_missing_truths(tmp_path):
    gone = GOLD.assign(label=[None, None, *map(str, Y[2:])])
    assert "label is missing in 2 rows" in refused(tmp_path, PRED, gone)
    assert judged(tmp_path, PRED, gone, missing="drop").rows == N - 2


# -- engines, streams, other doors ---------------------------------------------------------------


@pytest.mark.slow
def test_a_large_file_is_joined_within_its_memory(tmp_path):
    rows = 400_000
    duckdb.sql(
        f"select 'case ' || range as id, range % 2 as label, (hash(range) % 1000) / 1000 as score "
        f"from range({rows})"
    ).create("wide")
    duckdb.sql("select id, score from wide").write_csv(str(tmp_path / "pred.csv"))
    duckdb.sql("select id, label from wide order by hash(id)").write_csv(str(tmp_path / "gold.csv"))
    duckdb.sql("from wide").write_csv(str(tmp_path / "both.csv"))
    duckdb.sql("drop table wide")
    joined = tm.evaluate(
        tmp_path / "pred.csv", truth=tm.file(tmp_path / "gold.csv"), options={"memory": "400MB"}
    )
    alone = tm.evaluate(tmp_path / "both.csv", options={"memory": "400MB"})
    assert (joined.rows, joined["roc_auc"].value) == (rows, alone["roc_auc"].value)


def test_what_is_no_truth_and_no_key(tmp_path):
    for truth in (1.5, {"a": 1}, np.array([0, 1]), ["a", 1]):
        with pytest.raises(
            InputError, match=r"give the name of a column, or the true classes of another"
        ):
            tm.evaluate(PRED, truth=truth)
    with pytest.raises(InputError, match="on=... names the column that joins the true classes"):
        tm.evaluate(PRED.assign(label=Y), on="id")
    with pytest.raises(InputError, match="on does not go with arrays"):
        tm.evaluate(Y, y_score=P, on="id")
    with pytest.raises(InputError, match="truth does not go with arrays"):
        tm.evaluate(Y, y_score=P, truth=GOLD)
    assert "has no column 'idd' for on; did you mean 'id'?" in refused(
        tmp_path, PRED, GOLD, on="idd"
    )
    assert "gold.csv has no column 'lab' for truth; did you" in refused(
        tmp_path, PRED, GOLD, truth="lab"
    )
    assert "named as the key and as the true class" in refused(
        tmp_path, PRED, GOLD, truth="id", on="id"
    )
    assert tm.file("a.csv", "label", False, "s") == TruthFile("a.csv", "label", False, "s")


@pytest.mark.slow
def test_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PRED.to_csv("pred.csv", index=False)
    shuffled(GOLD).assign(target=1 - shuffled(GOLD).label).to_csv("gold.csv", index=False)

    def run(*words):
        return CliRunner().invoke(main, [*words], env={"COLUMNS": "200"})

    done = run("report", "pred.csv", "--truth-file", "gold.csv")
    assert "say --truth label or --truth target" in done.stderr
    done = run("report", "pred.csv", "--truth-file", "gold.csv", "--truth", "label", "--on", "id")
    assert "truth from gold.csv, by `id`" in done.output
    for command in (["inspect"], ["threshold"], ["advise"], ["curve"]):
        more = ["roc"] if command == ["curve"] else []
        done = run(*command, "pred.csv", *more, "--truth-file", "gold.csv", "--truth", "label")
        assert done.exit_code == 0, done.output
    done = run("report", "pred.csv", "--on", "id")
    assert "--on names the column that joins" in done.stderr
    assert "give --truth-file FILE too, or leave --on out" in done.stderr
    done = run("report", "pred.csv", "--truth-file", "gold.csv", "--truth", "a", "--truth", "b")
    assert "--truth-file holds one column of the true class, and --truth names 2" in done.stderr
    assert (
        "there is no file 'none.csv'"
        in run("report", "pred.csv", "--truth-file", "none.csv").stderr
    )


@pytest.mark.slow
def test_files_without_a_header_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    GOLD.assign(label=CALLED).to_csv("pred.txt", index=False, header=False, sep="\t")
    shuffled(GOLD).to_csv("gold.txt", index=False, header=False, sep="\t")
    shuffled(GOLD).rename(columns={"id": "column0"}).to_parquet("gold.parquet")
    for gold in ("gold.txt", "gold.parquet"):
        words = ["report", "pred.txt", "--truth-file", gold, "--no-header"]
        done = CliRunner().invoke(main, words, env={"COLUMNS": "200"})
        assert f"truth from {gold}, by `column0`" in " ".join(done.output.split())


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files lie beside the checkout")
@pytest.mark.slow
def test_real_files_of_acoustic_scenes():
    truth = tm.file(REAL / "sed_scene_ref.txt", header=False)
    # One label was written with a blank behind it, which is asked.
    with pytest.raises(InputError, match="differ only in surrounding blanks: 'busystreet' and"):
        tm.evaluate(REAL / "sed_scene_est.txt", truth=truth, options={"header": False})
    ev = tm.evaluate(
        REAL / "sed_scene_est.txt",
        truth=truth,
        options={"header": False},
        reading={"ignore_case": False},
    )
    assert (ev.rows, round(ev["accuracy"].value, 6)) == (30, 0.6)
    assert "by `column0`" in ev.source.read_as


# -- what every join says ----------------------------------------------------------------------

TWELVE = np.arange(12)
OF_ROW = np.array([0, 1, 1, 0, 1, 0, 0, 0, 1, 0, 1, 1])
SAID = np.array([0, 1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1])
WORDS = np.array([f"k{i:02}" for i in TWELVE])
MIXED = TWELVE * 5 % 12
MINE, THEIRS = "the data frame", "the frame of the truth"
COMPLETE = "Complete both if the results shall hold for all rows"
ID_COLUMN = "give both an id column and name it with on=..."
MORE_THAN_ONCE = (
    "more than once; leave out the rows that repeat, or name another column with on=..."
)

JOINED = {
    "one name": (
        {"id": TWELVE, "pred": SAID}, {"id": TWELVE[MIXED], "y": OF_ROW[MIXED]},
        "`id`", TWELVE, {"pred": "pred"}, "",
    ),
    "numbers": (
        {"id": [f"{i:03}" for i in TWELVE], "pred": SAID}, {"id": TWELVE[MIXED], "y": OF_ROW[MIXED]},
        "`id` as numbers", TWELVE, {"pred": "pred"}, "",
    ),
    "two names": (
        {"case": WORDS, "pred": SAID}, {"patient": WORDS[MIXED], "y": OF_ROW[MIXED]},
        "`case` = `patient`", TWELVE, {"pred": "pred"}, "",
    ),
    "rows without a truth": (
        {"id": TWELVE, "pred": SAID}, {"id": TWELVE[:9], "y": OF_ROW[:9]},
        "`id`", TWELVE[:9], {"pred": "pred"},
        f"3 of 12 rows of {MINE} have no true class in {THEIRS} and are left out. {COMPLETE}",
    ),
    "rows without a prediction": (
        {"id": TWELVE[:9], "pred": SAID[:9]}, {"id": TWELVE, "y": OF_ROW},
        "`id`", TWELVE[:9], {"pred": "pred"},
        f"3 of 12 rows of {THEIRS} have no prediction in {MINE}. {COMPLETE}",
    ),
    "rows of either without the other": (
        {"id": TWELVE[:9], "pred": SAID[:9]}, {"id": TWELVE[2:], "y": OF_ROW[2:]},
        "`id`", TWELVE[2:9], {"pred": "pred"},
        f"2 of 9 rows of {MINE} have no true class in {THEIRS} and are left out; 3 of 10 rows of "
        f"{THEIRS} have no prediction in {MINE}. {COMPLETE}",
    ),
    "a row without a key": (
        {"id": [None, *TWELVE[1:]], "pred": SAID}, {"id": TWELVE, "y": OF_ROW},
        "`id`", TWELVE[1:], {"pred": "pred"},
        f"1 of 12 rows of {MINE} have no true class in {THEIRS} and are left out; 1 of 12 rows of "
        f"{THEIRS} have no prediction in {MINE}. {COMPLETE}",
    ),
    "order": ({"pred": SAID}, {"y": OF_ROW}, "order", TWELVE, {"pred": "pred"}, ""),
    "order beside equal sites": (
        {"site": ["n", "s"] * 6, "pred": SAID}, {"site": ["n", "s"] * 6, "y": OF_ROW},
        "order", TWELVE, {"pred": "pred"}, "",
    ),
    "order beside fractions": (
        {"x": TWELVE / 2, "pred": SAID}, {"x": TWELVE / 2, "y": OF_ROW},
        "order", TWELVE, {"pred": "pred"}, "",
    ),
    "a key beside row numbers": (
        {"index": TWELVE, "id": WORDS, "pred": SAID},
        {"index": TWELVE, "id": WORDS[MIXED], "y": OF_ROW[MIXED]},
        "`id`", TWELVE, {"pred": "pred"}, "",
    ),
    "predictions called label": (
        {"id": TWELVE, "label": SAID}, {"id": TWELVE, "label": OF_ROW},
        "`id`", TWELVE, {"pred": "label"}, "",
    ),
    "scores beside a copy of the truth": (
        {"id": TWELVE, "label": OF_ROW, "score": SAID / 2 + 0.2}, {"id": TWELVE, "label": OF_ROW},
        "`id`", TWELVE, {"score": "score"}, "",
    ),
    "a lone column of classes": (
        {"id": TWELVE, "out": SAID}, {"id": TWELVE, "y": OF_ROW}, "`id`", TWELVE, {"pred": "out"}, "",
    ),
    "a lone column of fractions": (
        {"id": TWELVE, "out": SAID / 2 + 0.2}, {"id": TWELVE, "y": OF_ROW},
        "`id`", TWELVE, {"score": "out"}, "",
    ),
    "a truth by its name": (
        {"id": TWELVE, "pred": SAID}, {"id": TWELVE, "label": OF_ROW, "site": list("nse") * 4},
        "`id`", TWELVE, {"pred": "pred"}, "",
    ),
}  # fmt: skip


@pytest.mark.slow
def test_each_join_says_by_what_it_was_made_and_whom_it_left_out():
    for case, (mine, theirs, how, rows, roles, note) in JOINED.items():
        ev = tm.evaluate(pd.DataFrame(mine), truth=pd.DataFrame(theirs))
        assert ev.source.format == (f"truth from {THEIRS}, by {how}",), case
        assert ev.rows == len(rows), case
        assert ev["accuracy"].value == pytest.approx((OF_ROW == SAID)[rows].mean()), case
        read = dict(ev.reading.roles)
        truth = (
            "label of the frame of the truth"
            if "label" in mine
            else next(c for c in theirs if c in ("y", "label"))
        )
        assert read.pop("truth") == truth, case
        assert read == roles, case
        assert [n.text for n in ev.notes if "have no" in n.text] == ([note] if note else []), case


APART = {
    "other lengths": (
        {"pred": SAID}, {"y": OF_ROW[:9]},
        f"{MINE} has 12 rows and {THEIRS} 9, and no column names each row in both; {ID_COLUMN}",
    ),
    "other values": (
        {"id": WORDS, "pred": SAID}, {"id": [f"x{w}" for w in WORDS], "y": OF_ROW},
        f"no value of 'id' is in both {MINE} (which begins with 'k00') and {THEIRS} ('xk00'); write "
        "them alike, or name another column with on=...",
    ),
    "other words": (
        {"case": WORDS, "pred": SAID}, {"patient": [f"x{w}" for w in WORDS], "y": OF_ROW},
        f"'case' of {MINE} and 'patient' of {THEIRS} each name the rows, in other words, so nothing "
        "says that both are in one order; write them alike, or leave one out if they are",
    ),
    "another order": (
        {"a": TWELVE + 1, "pred": SAID}, {"b": (TWELVE + 1)[::-1], "y": OF_ROW},
        f"'a' of {MINE} and 'b' of {THEIRS} hold the same values in another order, so they may name "
        "the rows; give both one name, and say it with on=...",
    ),
    "keys that occur twice": (
        {"id": [1, 1, 2, 2, 3, 3, 3, 4, 4, 7, 8, 9], "pred": SAID}, {"id": TWELVE, "y": OF_ROW},
        f"'id' must name each row once to join the truth, and {MINE} has '1', '2', '3' "
        f"{MORE_THAN_ONCE}",
    ),
    "true keys that occur twice": (
        {"id": TWELVE, "pred": SAID}, {"id": [0, *TWELVE[:11]], "y": OF_ROW},
        f"'id' must name each row once to join the truth, and {THEIRS} has '0' {MORE_THAN_ONCE}",
    ),
    "keys that contradict": (
        {"id": WORDS, "no": TWELVE[MIXED] + 40, "pred": SAID},
        {"id": WORDS[MIXED], "no": TWELVE[::-1] + 40, "y": OF_ROW},
        f"'id' and 'no' both name the rows of {MINE} and {THEIRS}, and join different ones; say "
        "on='id' or on='no'",
    ),
    "another truth beside scores": (
        {"id": TWELVE, "gold": SAID, "score": SAID / 2 + 0.2}, {"id": TWELVE, "gold": OF_ROW},
        f"'gold' of {MINE} differs from that of {THEIRS}; say pred='gold' if it holds predictions, "
        "or leave it out",
    ),
    "no true class": (
        {"id": TWELVE, "pred": SAID}, {"id": TWELVE},
        f"{THEIRS} must have one column of the true class beside the key, and has none; give a "
        "frame of those two columns",
    ),
    "sites in another order": (
        {"site": ["n", "s"] * 6, "pred": SAID}, {"site": ["n"] * 6 + ["s"] * 6, "y": OF_ROW},
        f"'site' differs between {MINE} and {THEIRS} at row 2, so their rows are not in one order; "
        f"{ID_COLUMN}",
    ),
}  # fmt: skip


def test_each_refusal_to_join_says_what_contradicts_it():
    for case, (mine, theirs, sentence) in APART.items():
        with pytest.raises(tm.InputError) as caught:
            tm.evaluate(pd.DataFrame(mine), truth=pd.DataFrame(theirs))
        assert str(caught.value) == sentence, case
