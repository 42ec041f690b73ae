"""Tables of ratings: columns of raters, of categories, and lines of single ratings."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark import quantities
from tallymark.cli import main

REAL = Path(__file__).parents[4] / "shared" / "real-files"

FLEISS = [
    [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
]  # fmt: skip
"""A worked example of Fleiss' kappa: fourteen raters put ten subjects into five categories."""


def kappa_by_hand(table):
    n = sum(table[0])
    agreement = sum(Fraction(sum(x * x for x in row) - n, n * (n - 1)) for row in table)
    shares = [Fraction(sum(column), n * len(table)) for column in zip(*table, strict=True)]
    chance = sum(p * p for p in shares)
    return (agreement / len(table) - chance) / (1 - chance)


def kappa(tally):
    return tm.agree(tally, "fleiss_kappa").value


def frame(**first):
    table = pd.DataFrame(FLEISS, columns=list("12345"))
    return pd.concat([pd.DataFrame(first), table], axis=1)


def run(*arguments):
    return CliRunner().invoke(main, ["agree", *map(str, arguments)])


def test_counts_give_the_worked_example():
    by_hand = kappa_by_hand(FLEISS)
    assert round(float(by_hand), 3) == 0.21
    assert kappa(tm.RatingTally.from_counts(FLEISS)) == pytest.approx(float(by_hand), abs=1e-15)
    ratings = [[c + 1 for c, n in enumerate(row) for _ in range(n)] for row in FLEISS]
    rows = tm.RatingTally.from_arrays(ratings, labels=[1, 2, 3, 4, 5])
    assert tm.RatingTally.from_counts(FLEISS, labels=[1, 2, 3, 4, 5]) == rows
    assert tm.RatingTally.from_table(frame()) == rows


@pytest.mark.parametrize("first", [{}, {"subject": list("abcdefghij")}, {"row": range(10)}])
@pytest.mark.slow
def test_a_table_of_counts_is_recognised(first, tmp_path):
    path = tmp_path / "r.csv"
    frame(**first).to_csv(path, index=False)
    tally = tm.RatingTally.from_table(path)
    assert tally.labels == (1, 2, 3, 4, 5)
    assert tally.counts.tolist() == FLEISS
    told = run(path).output
    ignored = f"; ignored: `{next(iter(first))}`" if first else ""
    assert told.startswith(
        "Read as: count = `1`, `2`, `3`, `4`, `5`; format: how many raters chose each category "
        f"(each line adds up to 14){ignored}. Change with --no-counts.\n10 subjects, 140 ratings"
    )
    assert run(path, "--counts").output.startswith("Read as: count = ")
    assert run(path, "--no-counts").output.startswith("Read as: pred = ")


def test_ratings_stay_ratings():
    wide = pd.DataFrame({"id": [7, 8, 9, 10], "ann": [1, 2, 3, 3], "bob": [1, 2, 3, 1]})
    tally = tm.RatingTally.from_table(wide)
    assert tally.counts.tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 2], [1, 0, 1]]
    alike = pd.DataFrame({"ann": [1, 1, 1], "bob": [1, 1, 1]})  # lines add up, and are the same
    assert tm.RatingTally.from_table(alike).labels == (1,)
    two = pd.DataFrame({"ann": [1, 2], "bob": [2, 1]})
    assert tm.RatingTally.from_table(two).counts.tolist() == [[1, 1], [1, 1]]
    assert tm.RatingTally.from_table(two, counts=True).counts.tolist() == [[1, 2], [2, 1]]


def test_more_subjects_than_there_can_be_classes():
    many = pd.concat([pd.DataFrame(FLEISS, columns=list("12345"))] * 120, ignore_index=True)
    many.insert(0, "subject", [f"s{i}" for i in range(len(many))])
    assert kappa(tm.RatingTally.from_table(many)) == pytest.approx(float(kappa_by_hand(FLEISS)))


def test_uneven_counts_when_they_are_named():
    table = pd.DataFrame({"who": ["x", "y"], "no": [2, 0], "yes": [1, 4]})
    tally = tm.RatingTally.from_table(table, subject="who", counts=True)
    assert tally.labels == ("no", "yes")
    assert tally.counts.tolist() == [[2, 1], [0, 4]]
    assert tm.RatingTally.from_table(table, counts=True) == tally


def test_a_frame_names_its_categories():
    made = tm.RatingTally.from_counts(pd.DataFrame({"no": [1, 3], "yes": [2, 0]}))
    assert made.labels == ("no", "yes")
    with pytest.raises(tm.InputError, match=r"counts has shape \(3,\); give one row per subject"):
        tm.RatingTally.from_counts([1, 2, 3])
    with pytest.raises(tm.InputError, match="labels names 1 categories and counts has 2 columns"):
        tm.RatingTally.from_counts([[1, 2]], labels=["a"])
    with pytest.raises(tm.InputError, match="counts holds a fraction"):
        tm.RatingTally.from_counts([[0.5, 1]])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--counts"],
            "values other than counts in the columns 'a', 'b'; name the column",
        ),
        (["--subject", "a"], "needs both columns; say --rating, too"),
        (["--rating", "a"], "needs both columns; say --subject, too"),
        (["--subject", "a", "--rating", "b", "--counts"], "--counts is for one line per subject"),
        (["--rater", "a", "--rating", "b"], "each column of --rater holds one rater's ratings"),
        (["--subject", "c"], "has no column 'c'; there are 'a', 'b'"),
    ],
)
def test_refusals(arguments, words, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("a,b\n1,x\n1,y\n2,y\n", encoding="utf-8")
    refused = run(path, *arguments)
    assert refused.exit_code == 2
    assert words in refused.stderr


@pytest.mark.slow
def test_ratings_without_a_header(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("a,b\nb,b\na,a\na,b\n", encoding="utf-8")
    told = "begins with 'a', 'b', which looks like a row, not like column names; give "
    assert f"{told}--no-header if it is one" in run(path).stderr
    assert "4 subjects, 8 ratings" in run(path, "--no-header").output
    assert tm.RatingTally.from_table(path, header=True).counts.tolist() == [[0, 2], [2, 0], [1, 1]]
    path.write_text("a,a\nb,b\na,b\n", encoding="utf-8")
    told = "two columns called 'a'; rename one of them, or give --no-header if its first row is one"
    assert told in run(path).stderr
    tally = tm.RatingTally.from_table(path, header=False)
    assert tally.counts.tolist() == [[2, 0], [0, 2], [1, 1]]
    assert "format: no header, one column per rater" in run(path, "--no-header").output


ANNOTATED = [
    f'"He said; ""no"" {i}";{gold};{anna};{ben}'
    for i, (gold, anna, ben) in enumerate([("neg", "neg", "neg"), ("neu", "pos", "neu")] * 3)
]


@pytest.mark.slow
def test_texts_and_the_truth_are_no_raters(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["text;gold;anna;ben", *ANNOTATED]) + "\n", encoding="utf-8")
    told = run(path).output
    assert told.startswith(
        "Read as: pred = `anna`, `ben`; format: one column per rater; ignored: `text`, `gold`. "
        "Change with --rater.\n6 subjects, 12 ratings"
    )
    tally = tm.RatingTally.from_table(path)
    assert tally.labels == ("neg", "neu", "pos")
    assert tally.counts.tolist() == [[2, 0, 0], [0, 1, 1]] * 3
    named = tm.RatingTally.from_table(path, rater=["gold", "ben"])
    assert named.counts.tolist() == [[2, 0], [0, 2]] * 3
    assert run(path, "--rater", "gold", "--rater", "ben").output.startswith(
        "Read as: pred = `gold`, `ben`; format: one column per rater; ignored: `text`, `anna`.\n"
    )
    # Beside one rater alone, the truth is what the rater agrees with.
    one = "\n".join(line.rpartition(";")[0] for line in ["text;gold;anna;ben", *ANNOTATED])
    path.write_text(one + "\n", encoding="utf-8")
    assert run(path).output.startswith("Read as: pred = `gold`, `anna`; ")
    many = pd.DataFrame(
        {"text": [f"no {i}" for i in range(12_000)], "a": "x", "b": ["x", "y"] * 6000}
    )
    assert tm.RatingTally.from_table(many).labels == ("x", "y")


def test_one_line_a_rating_is_recognised(tmp_path):
    path = tmp_path / "r.csv"
    lines = [f"{i},{who},{said}" for who in ("ann", "ben") for i, said in enumerate("yyn")]
    path.write_text("\n".join(["item,rater,rating", *lines]) + "\n", encoding="utf-8")
    assert run(path).output.startswith(
        "Read as: pred = `rating`, subgroup = `item`; format: one line per rating; ignored: "
        "`rater`. Change with --subject and --rating.\n3 subjects, 6 ratings"
    )
    assert tm.RatingTally.from_table(path).counts.tolist() == [[0, 2], [0, 2], [2, 0]]
    path.write_text(path.read_text(encoding="utf-8") + "0,ann,n\n", encoding="utf-8")
    twice = run(path)
    assert twice.exit_code == 2
    assert "has a column 'rater', so each line seems to be one rating; say --subject item" in (
        twice.stderr
    )
    assert "one line per rating" in run(path, "--subject", "item", "--rating", "rating").output
    path.write_text(path.read_text(encoding="utf-8").replace("item", "thing"), encoding="utf-8")
    assert "which columns hold the subject and the rating, --subject and --rating, or" in (
        run(path).stderr
    )


def test_a_rater_called_reader_is_a_rater():
    three = pd.DataFrame({"case": [1, 2, 3], "reader": list("xyx"), "second": list("xyy")})
    assert tm.RatingTally.from_table(three).raters() == 2
    assert (
        tm.RatingTally.from_table(three.drop(columns="case").assign(ai=list("yyx"))).raters() == 3
    )


def test_more_subjects_than_classes_one_line_a_rating():
    long = pd.DataFrame({"who": [*range(1500), *range(1500)], "said": ["x", "y"] * 1500})
    assert tm.RatingTally.from_table(long, subject="who", rating="said").rows == 1500


# -- votes for categories ------------------------------------------------------------------------


def votes(lines=40, categories=3, raters=3, seed=0, more=4):
    """Return counts of votes that mostly agree, of which ``more`` lines have other totals."""
    rng = np.random.default_rng(seed)
    totals = np.full(lines, raters)
    totals[:more] = raters + 1 + np.arange(more) % 3
    chosen = rng.integers(0, categories, lines)
    shares = np.where(np.eye(categories)[chosen] > 0, 0.8, 0.2 / (categories - 1))
    return np.array([rng.multinomial(n, p) for n, p in zip(totals, shares, strict=True)])


def frame_of_votes(counts, names, total="count", majority="class", index="Unnamed: 0"):
    frame = pd.DataFrame(counts, columns=names)
    if total:
        frame.insert(0, total, counts.sum(1))
    if majority:
        best = counts.argmax(1)
        frame[majority] = best if majority == "class" else [names[i] for i in best]
    if index:
        frame.insert(0, index, np.arange(len(frame)) + 7)
    return frame


VOTES = [
    (["hate", "offensive", "neither"], {}),
    (["yes", "no"], {"total": "n_votes", "majority": "label", "index": None}),
    (["a", "b", "c", "d"], {"total": None, "index": "id"}),
    (["toxic", "fine", "unsure"], {"total": "annotators", "majority": None}),
    (["spiral", "smooth", "other"], {"total": None, "majority": "winner", "index": None}),
]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("names", "beside"), VOTES)
@pytest.mark.parametrize("door", ["pandas", "polars", "csv"])
def test_votes_for_categories_with_unequal_totals(names, beside, door, seed, tmp_path):
    counts = votes(categories=len(names), raters=3 + seed, seed=seed)
    frame = frame_of_votes(counts, names, **beside)
    data = {"pandas": frame, "polars": pl.from_pandas(frame), "csv": tmp_path / "v.csv"}[door]
    frame.to_csv(tmp_path / "v.csv", index=False)
    tally = tm.RatingTally.from_table(data)
    most = counts[counts.sum(1) == 3 + seed]
    assert (tally.labels, tally.left_out, tally.rows) == (tuple(names), 4, 36)
    right = tm.agree(tm.RatingTally.from_counts(most), "fleiss_kappa")
    found = tm.agree(tally, "fleiss_kappa")
    assert found == right.value
    assert found.warning.startswith("4 subjects with another number of ratings left out; counts=T")
    whole = tm.RatingTally.from_table(data, counts=True)
    assert (whole.labels, whole.left_out, whole.rows) == (tuple(names), 0, 40)
    assert tm.agree(whole).warning is None


@pytest.mark.slow
def test_votes_are_told(tmp_path):
    path = tmp_path / "v.csv"
    frame_of_votes(votes(), ["x", "y", "z"]).to_csv(path, index=False)
    done = run(path).output
    assert "(`count` is their sum); 36 lines of 3 ratings, and 4 lines of 4, 5, 6 left out" in done
    assert "(--counts keeps all); ignored: `Unnamed: 0`, `count`, `class`" in done
    assert "warning: 4 subjects with another number of ratings left out" in done
    assert "lines add up to 3 to 6" in run(path, "--counts").output
    assert json.loads(run(path, "--json").stdout)[0]["warning"].startswith("4 subjects")


@pytest.mark.parametrize("seed", range(5))
def test_raters_who_say_0_and_1_are_no_votes(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 60)
    raters = {n: np.where(rng.random(60) < 0.85, truth, 1 - truth) for n in "abc"}
    assert tm.RatingTally.from_table(pd.DataFrame(raters)).counts.sum() == 180
    scale = {n: np.clip(rng.poisson(1.2, 60), 0, 3) for n in "abc"}
    assert tm.RatingTally.from_table(pd.DataFrame(scale)).labels == (0, 1, 2, 3)


@pytest.mark.skipif(not REAL.is_dir(), reason="the real files lie beside the project")
def test_votes_of_a_real_file():
    tally = tm.RatingTally.from_table(REAL / "hate_votes.csv")
    assert (tally.rows, tally.left_out) == (1866, 134)
    assert tally.labels == ("hate_speech", "offensive_language", "neither")
    assert tm.agree(tally, "fleiss_kappa").value == pytest.approx(0.549512, abs=5e-7)


# -- every way of reading, word by word ------------------------------------------------------------

FEW = ["no,so,yes", "0,3,1", "2,2,0", "4,0,0", "1,1,2"]
RATED = ["text,ann,ben,gold", "t1,a,a,a", "t2,b,a,b", "t3,b,b,b", "t4,a,b,b"]
GAPS = ["case,ann,ben,cat", "1,a,a,", "2,b,a,b", "3,b,b,b", "4,a,,b"]
VOTED = ["id,n_votes,no,yes,label", *(
    f"{i},{a + b},{a},{b},{'no' if a > b else 'yes'}"
    for i, (a, b) in enumerate([(3, 0), (0, 3), (2, 1), (3, 0), (0, 3)] * 2 + [(4, 1)])
)]  # fmt: skip
LONG = ["item,rater,said", "1,ann,y", "2,ann,y", "3,ann,n", "1,ben,y", "2,ben,n", "3,ben,y"]
HOW_MANY = "how many raters chose each category"


def beside(name, lines):
    return [f"{name},{lines[0]}", *(f"{i + 7},{line}" for i, line in enumerate(lines[1:]))]


WAYS = {
    "counts": (
        FEW, [], f"count = `no`, `so`, `yes`; format: {HOW_MANY} (each line adds up to 4). "
        "Change with --no-counts.", "4 subjects, 16 ratings, 3 categories, at most 4",
    ),
    "counts beside subjects": (
        beside("subject", FEW), [], f"count = `no`, `so`, `yes`; format: {HOW_MANY} (each line "
        "adds up to 4); ignored: `subject`. Change with --no-counts.",
        "4 subjects, 16 ratings, 3 categories, at most 4",
    ),
    "counts that were asked for": (
        beside("who", FEW), ["--counts", "--subject", "who"], "count = `no`, `so`, `yes`; "
        f"format: {HOW_MANY}; ignored: `who`.", "4 subjects, 16 ratings, 3 categories, at most 4",
    ),
    "no counts": (
        FEW, ["--no-counts"], "pred = `no`, `so`, `yes`; format: one column per rater.",
        "4 subjects, 12 ratings, 5 categories, at most 3",
    ),
    "votes": (
        VOTED, [], f"count = `no`, `yes`; format: {HOW_MANY} (`n_votes` is their sum); 10 lines "
        "of 3 ratings, and 1 line of 5 left out (--counts keeps all); ignored: `id`, `n_votes`, "
        "`label`. Change with --no-counts.", "10 subjects, 30 ratings, 2 categories, at most 3",
    ),
    "all votes": (
        VOTED, ["--counts"], f"count = `no`, `yes`; format: {HOW_MANY} (`n_votes` is their sum); "
        "lines add up to 3 to 5; ignored: `id`, `n_votes`, `label`.",
        "11 subjects, 35 ratings, 2 categories, at most 5",
    ),
    "votes of one total": (
        VOTED[:-1], [], f"count = `no`, `yes`; format: {HOW_MANY} (`n_votes` is their sum) (each "
        "line adds up to 3); ignored: `id`, `n_votes`, `label`. Change with --no-counts.",
        "10 subjects, 30 ratings, 2 categories, at most 3",
    ),
    "raters": (
        RATED, [], "pred = `ann`, `ben`; format: one column per rater; ignored: `text`, `gold`. "
        "Change with --rater.", "4 subjects, 8 ratings, 2 categories, at most 2",
    ),
    "raters by name": (
        RATED, ["--rater", "gold", "--rater", "ann"], "pred = `gold`, `ann`; format: one column "
        "per rater; ignored: `text`, `ben`.", "4 subjects, 8 ratings, 2 categories, at most 2",
    ),
    "gaps": (
        GAPS, [], "pred = `ann`, `ben`, `cat`; format: one column per rater; ignored: `case`.",
        "4 subjects, 10 ratings, 2 categories, at most 3",
    ),
    "lines of ratings": (
        LONG, [], "pred = `said`, subgroup = `item`; format: one line per rating; ignored: "
        "`rater`. Change with --subject and --rating.",
        "3 subjects, 6 ratings, 2 categories, at most 2",
    ),
    "lines of ratings by name": (
        LONG, ["--subject", "rater", "--rating", "said"], "pred = `said`, subgroup = `rater`; "
        "format: one line per rating; ignored: `item`.",
        "2 subjects, 6 ratings, 2 categories, at most 3",
    ),
    "without a header": (
        RATED[1:], ["--no-header"], "pred = `column1`, `column2`, `column3`; format: no header, "
        "one column per rater; ignored: `column0`. Change with --rater.",
        "4 subjects, 12 ratings, 2 categories, at most 3",
    ),
}  # fmt: skip


def shown(lines, options, written):
    return run(written("\n".join(lines) + "\n", "r.csv"), *options)


@pytest.mark.slow
def test_columns_are_read_as_they_are_said_to_be(written):
    for name, (lines, options, told, size) in WAYS.items():
        first, second, *_ = shown(lines, options, written).output.splitlines()
        assert (first, second) == (f"Read as: {told}", f"{size} ratings a subject"), name


REFUSED = {
    "a gap": (
        GAPS, ["--missing", "error"], "ben is missing in 1 row, first at index 3, and cat in 1 "
        "row, first at index 0; correct the data, or say --missing skip to leave those ratings out",
    ),
    "texts that count": (
        RATED, ["--counts"], "r.csv holds values other than counts in the columns 'ann', 'ben', "
        "'gold'; name the column of subjects with --subject, and write 0 where no rater chose a "
        "category",
    ),
    "no rating": (
        RATED, ["--subject", "ann"], "one line per rating needs both columns; say --rating, too",
    ),
    "no subject": (
        RATED, ["--rating", "ann"], "one line per rating needs both columns; say --subject, too",
    ),
    "counts of ratings": (
        LONG, ["--subject", "item", "--rating", "said", "--counts"],
        "one line per rating needs both columns; --counts is for one line per subject",
    ),
    "raters and a rating": (
        LONG, ["--rater", "said", "--rating", "said"], "each column of --rater holds one rater's "
        "ratings; leave --rating and --counts out",
    ),
    "raters and counts": (
        LONG, ["--rater", "said", "--counts"], "each column of --rater holds one rater's "
        "ratings; leave --rating and --counts out",
    ),
    "no such column": (
        RATED, ["--subject", "an", "--counts"], "r.csv has no column 'an'; did you mean 'ann'?",
    ),
    "a category left out": (
        RATED, ["--classes", "a"],
        "classes is 'a' and leaves out 'b'; list every category once, in their order",
    ),
    "a subject rated twice by one": (
        [*LONG, "3,ben,n"], [], "r.csv has a column 'rater', so each line seems to be one rating; "
        "say --subject item, --rating said if a rater may rate a subject twice, or --rater for "
        "each column that holds the ratings of one rater",
    ),
    "a line a rating of unknown subjects": (
        [line.replace("item", "thing") for line in LONG], [], "r.csv has a column 'rater', so each "
        "line seems to be one rating; say which columns hold the subject and the rating, --subject "
        "and --rating, or --rater for each column that holds the ratings of one rater",
    ),
}  # fmt: skip


@pytest.mark.slow
def test_refusals_word_by_word(written):
    for name, (lines, options, told) in REFUSED.items():
        refused = shown(lines, options, written)
        assert refused.exit_code == 2, name
        assert " ".join(refused.stderr.split()).removeprefix("tallymark: ") == told, name


@pytest.mark.slow
def test_what_is_said_below_the_coefficients(written):
    tail = "Landis and Koch's scale calls this kappa"
    said = " ".join(shown(VOTED, [], written).output.split())
    assert said.endswith(
        "warning: 1 subject with another number of ratings left out; --counts keeps all. "
        f"{tail} substantial; the scale is a convention"
    )
    said = shown(FEW, [], written).output
    assert said.endswith(f"{tail} fair; the scale is a convention\n")
    assert "fleiss_kappa         0.21  −0.53 to 0.95  standard error 0.231\n" in said
    alike = shown(["ann,ben", "a,a", "a,a", "a,a"], [], written).output
    assert tail not in alike


# -- the order of categories ---------------------------------------------------------------------

GRADES = {
    "ann": ["low", "medium", "high", "high", "low", "medium"] * 3,
    "bob": ["low", "high", "high", "medium", "low", "medium"] * 3,
}
LEVELS = ["low", "medium", "high"]
AS_NUMBERS = {n: [LEVELS.index(v) for v in column] for n, column in GRADES.items()}


@pytest.mark.parametrize("weights", ["ordinal", "linear", "interval"])
@pytest.mark.parametrize("frame", [
    lambda c: pd.DataFrame(c).astype(pd.CategoricalDtype(LEVELS, ordered=True)),
    lambda c: pl.DataFrame(c, schema=dict.fromkeys(c, pl.Enum(LEVELS))),
])  # fmt: skip
def test_ordered_categories_of_raters_keep_their_order(frame, weights):
    right = tm.agree(tm.RatingTally.from_table(pd.DataFrame(AS_NUMBERS)), weights=weights)
    table = frame(GRADES)
    for tally in (tm.RatingTally.from_table(table), tm.RatingTally.from_arrays(table)):
        found = tm.agree(tally, weights=weights)
        assert (found.value, found.warning) == (right.value, None)


@pytest.mark.parametrize("weights", ["ordinal", "linear", "interval", "ratio"])
def test_an_order_of_the_alphabet_is_told_beside_the_number(weights, tmp_path):
    path = tmp_path / "g.csv"
    pd.DataFrame(GRADES).to_csv(path, index=False)
    tally = tm.RatingTally.from_table(path)
    told = "the order of the categories is alphabetical ('high', 'low', 'medium'); if theirs is an"
    assert tm.agree(tally, weights=weights).warning.startswith(told)
    assert tm.agree(tally).warning is None
    right = tm.agree(tm.RatingTally.from_table(pd.DataFrame(AS_NUMBERS)), weights=weights)
    given = tm.RatingTally.from_table(path, classes=LEVELS)
    for one in (given, tally.reorder(LEVELS)):
        found = tm.agree(one, weights=weights)
        assert (found.value, found.warning) == (right.value, None)
    done = " ".join(run(path, "--weights", weights).output.split())
    assert f"warning: {told}" in done
    assert "give it with --classes." in done
    done = run(path, "--weights", weights, "--classes", ",".join(LEVELS)).output
    assert "alphabetical" not in done
    assert f"{quantities.to_width(right.value, right.low, right.high)[0]}  " in done


def test_texts_of_numbers_are_the_numbers_they_are():
    texts = pd.DataFrame({"ann": ["1", "2", "9", "10"] * 4, "bob": ["1", "9", "9", "10"] * 4})
    tally = tm.RatingTally.from_table(texts)
    assert tally.labels == ("1", "2", "9", "10")
    right = tm.agree(tm.RatingTally.from_table(texts.astype(int)), weights="interval")
    assert tm.agree(tally, weights="interval") == right.value


def test_classes_name_every_category_once(tmp_path):
    path = tmp_path / "g.csv"
    pd.DataFrame(GRADES).to_csv(path, index=False)
    with pytest.raises(tm.InputError, match="classes is 'low', 'high' and leaves out 'medium'; li"):
        tm.RatingTally.from_table(path, classes=["low", "high"])
    with pytest.raises(tm.InputError, match="names a category twice; list every category once"):
        tm.RatingTally.from_table(path, classes=[*LEVELS, "low"])
    pd.DataFrame(AS_NUMBERS).to_csv(path, index=False)
    assert tm.RatingTally.from_table(path, classes=["2", "1", "0", "3"]).labels == (2, 1, 0, 3)


@pytest.mark.parametrize("first", ["50,1,3", "yes,0.9", "2,9,1", "0.5,1.5"])
def test_a_first_line_of_numbers_is_a_row(first, tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "\n".join([first] * 2 + [",".join("1" * (first.count(",") + 1))]) + "\n", encoding="utf-8"
    )
    assert "looks like a row, not like column names; give --no-header" in run(path).stderr
    path.write_text("1,2,3\n2,1,0\n1,1,1\n0,3,0\n", encoding="utf-8")  # categories
    assert tm.RatingTally.from_table(path).labels == (1, 2, 3)
    path.write_text("3,2,1\n2,1,0\n1,1,1\n0,3,0\n", encoding="utf-8")
    assert tm.RatingTally.from_table(path).labels == (3, 2, 1)


def test_an_index_without_a_name_is_no_rater(tmp_path):
    path = tmp_path / "r.csv"
    pd.DataFrame({"ann": [1, 2, 3, 0], "bob": [1, 2, 0, 0]}).to_csv(path)
    assert tm.RatingTally.from_table(path).counts.sum() == 8
    pd.DataFrame({"ann": [1, 2, 3, 0], "bob": [1, 2, 0, 0]}).to_csv(path, header=False, index=False)
    assert tm.RatingTally.from_table(path, header=False).counts.sum() == 8


def compared(seed=4, n=150):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 3, n)
    second = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), first)
    return first, second, rng


def test_raters_and_ratings_may_be_numbered_alike(tmp_path):
    first, second, _ = compared()
    n = len(first)
    right = tm.RatingTally.of_raters({"r1": first, "r2": second})
    long = pd.DataFrame(
        {"case": [*range(n)] * 2, "reader": [1] * n + [2] * n, "birads": [*first, *second]}
    )
    assert tm.RatingTally.from_table(long).counts.tolist() == right.counts.tolist()
    crowd = long.set_axis(["unit_id", "worker_id", "judgment"], axis=1)
    assert tm.RatingTally.from_table(crowd).counts.tolist() == right.counts.tolist()
    other = long.astype(str).radd(["o", "w", ""]).set_axis(["Objekt", "Wer", "Urteil"], axis=1)
    told = "the columns 'Objekt', 'Wer', 'Urteil' share no category, so they are not ratings of one"
    with pytest.raises(tm.InputError, match=told):
        tm.RatingTally.from_table(other)


def test_missing_ratings_are_refused_with_the_word_that_skips_them():
    frame = pd.DataFrame({"r1": list("ABA"), "r2": ["A", None, "B"]})
    told = (
        "r2 is missing in 1 row, first at index 1; correct the data, or say missing='skip' to leave "
        "those ratings out"
    )
    with pytest.raises(tm.InputError) as caught:
        tm.RatingTally.from_table(frame, missing="error")
    assert str(caught.value) == told
    assert tm.RatingTally.from_table(frame, missing="skip").counts.sum() == 5


def test_what_shares_no_category_or_was_made_from_ratings_is_no_rater():
    first, second, rng = compared()
    n = len(first)
    alone = tm.RatingTally.of_raters({"r1": first, "r2": second})
    beside = {
        "age": rng.integers(20, 60, n),
        "language": rng.choice(["en", "de"], n),
        "consensus": first,
    }
    for name, values in beside.items():
        frame = pd.DataFrame({"id": range(n), name: values, "r1": first, "r2": second})
        assert tm.RatingTally.from_table(frame).counts.tolist() == alone.counts.tolist(), name
