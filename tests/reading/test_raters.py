"""Tables of ratings: columns of raters, of categories, and lines of single ratings."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from click.testing import CliRunner

import tallymark as tm
from tallymark.cli import main

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
    path.write_text("a,b\n1,x\n1,y\n2,y\n")
    refused = run(path, *arguments)
    assert refused.exit_code == 2
    assert words in refused.stderr


def test_ratings_without_a_header(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("a,b\nb,b\na,a\na,b\n")
    told = "begins with 'a', 'b', which looks like a row, not like column names; give "
    assert f"{told}--no-header if it is one" in run(path).stderr
    assert "4 subjects, 8 ratings" in run(path, "--no-header").output
    assert tm.RatingTally.from_table(path, header=True).counts.tolist() == [[0, 2], [2, 0], [1, 1]]
    path.write_text("a,a\nb,b\na,b\n")
    told = "two columns called 'a'; rename one of them, or give --no-header if its first row is one"
    assert told in run(path).stderr
    tally = tm.RatingTally.from_table(path, header=False)
    assert tally.counts.tolist() == [[2, 0], [0, 2], [1, 1]]
    assert "format: no header, one column per rater" in run(path, "--no-header").output


ANNOTATED = [
    f'"He said; ""no"" {i}";{gold};{anna};{ben}'
    for i, (gold, anna, ben) in enumerate([("neg", "neg", "neg"), ("neu", "pos", "neu")] * 3)
]


def test_texts_and_the_truth_are_no_raters(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("\n".join(["text;gold;anna;ben", *ANNOTATED]) + "\n")
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
    path.write_text(one + "\n")
    assert run(path).output.startswith("Read as: pred = `gold`, `anna`; ")
    many = pd.DataFrame(
        {"text": [f"no {i}" for i in range(12_000)], "a": "x", "b": ["x", "y"] * 6000}
    )
    assert tm.RatingTally.from_table(many).labels == ("x", "y")


def test_one_line_a_rating_is_recognised(tmp_path):
    path = tmp_path / "r.csv"
    lines = [f"{i},{who},{said}" for who in ("ann", "ben") for i, said in enumerate("yyn")]
    path.write_text("\n".join(["item,rater,rating", *lines]) + "\n")
    assert run(path).output.startswith(
        "Read as: pred = `rating`, subgroup = `item`; format: one line per rating; ignored: "
        "`rater`. Change with --subject and --rating.\n3 subjects, 6 ratings"
    )
    assert tm.RatingTally.from_table(path).counts.tolist() == [[0, 2], [0, 2], [2, 0]]
    path.write_text(path.read_text() + "0,ann,n\n")
    twice = run(path)
    assert twice.exit_code == 2
    assert "has a column 'rater', so each line seems to be one rating; say --subject item" in (
        twice.stderr
    )
    assert "one line per rating" in run(path, "--subject", "item", "--rating", "rating").output
    path.write_text(path.read_text().replace("item", "thing"))
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
