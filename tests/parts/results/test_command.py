import json

import pytest
from click.testing import CliRunner

from parts.results.test_comparison import demsar, table
from tallymark.cli import main
from tallymark.parts.results.judge import compare_results


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    demsar().to_csv("demsar.csv", index=False)
    table().to_csv("folds.csv", index=False)
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, ["results", *args], prog_name="tallymark")


def done(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result


def test_a_table_gives_the_summary(folder):
    told = " ".join(done("demsar.csv").stdout.split())
    assert "C4.5+m+cf 1.96 0.8272" in told
    assert "Critical difference of mean ranks 1.25 (Nemenyi, 95 %)" in told
    assert len(list(folder.iterdir())) == 2


@pytest.mark.slow
def test_page_diagram_and_json(folder):
    result = done("demsar.csv", "--json", "c.json", "-o")
    assert result.stdout.endswith("json: c.json\npage: results.html\n")
    assert "Comparison of classifiers" in (folder / "results.html").read_text(encoding="utf-8")
    assert json.loads((folder / "c.json").read_text(encoding="utf-8"))[
        "critical_difference"
    ] == pytest.approx(1.2536, abs=1e-4)
    result = done("demsar.csv", "-o", "cd.svg")
    assert result.stdout.endswith("diagram: cd.svg\n")
    assert (folder / "cd.svg").read_text(encoding="utf-8") == compare_results(
        "demsar.csv"
    ).diagram()


@pytest.mark.slow
def test_json_can_be_printed(folder):
    result = done("demsar.csv", "--json", "-", "-o", "p.html")
    assert result.stdout == compare_results("demsar.csv").to_json() + "\n"
    assert result.stderr == "page: p.html\n"


@pytest.mark.slow
def test_options_reach_the_comparison(folder):
    told = json.loads(done("folds.csv", "--metric", "log_loss", "--control", "tree", "--rope",
                           "0.02", "--level", "0.9", "--seed", "3", "--json", "-").stdout)  # fmt: skip
    expected = compare_results(
        "folds.csv", "log_loss", control="tree", rope=0.02, level=0.9, seed=3
    )
    assert told == expected.to_dict()
    one = json.loads(done("folds.csv", "--metric", "accuracy", "--on", "d1", "--ratio", "1/9",
                          "--better", "low", "--json", "-").stdout)  # fmt: skip
    assert (
        one
        == compare_results("folds.csv", "accuracy", ratio=1 / 9, better="low").on("d1").to_dict()
    )
    assert one["datasets"][0]["ratio"] == 1 / 9


def test_columns_can_be_named(folder):
    frame = table().drop(columns="log_loss").set_axis(["set", "who", "again", "part", "x"], axis=1)
    frame.to_csv("named.csv", index=False)
    told = done("named.csv", "--dataset", "set", "--classifier", "who", "--repeat", "again",
                "--fold", "part", "--value", "x", "--metric", "accuracy", "--json", "-").stdout  # fmt: skip
    told = json.loads(told)
    assert told | {"source": ""} == compare_results("folds.csv", "accuracy").to_dict() | {
        "source": ""
    }


def test_the_test_of_one_data_set_can_be_chosen(folder):
    told = json.loads(done("folds.csv", "--metric", "accuracy", "--on", "d0", "--test", "wilcoxon",
                           "--json", "-").stdout)  # fmt: skip
    assert {p["test"]["test"] for p in told["pairs"]} == {"wilcoxon"}


@pytest.mark.parametrize(("args", "said"), [
    (["none.csv"], "there is no file 'none.csv'; check the path"),
    (["folds.csv"], "folds.csv has the metrics 'accuracy', 'log_loss'; say which one to compare by"),
    (["demsar.csv", "--control", "C45"], "there is no classifier 'C45'; did you mean 'C4.5' or 'C4.5+m' or 'C4.5+cf'?"),
    (["demsar.csv", "--ratio", "a/b"], "'a/b' is not a ratio; give a number such as 1/9 or 0.25"),
    (["demsar.csv", "--ratio", "1/0"], "'1/0' is not a ratio; give a number such as 1/9 or 0.25"),
    (["demsar.csv", "--on", "irs"], "there is no data set 'irs'; did you mean 'iris'?"),
    (["demsar.csv", "-o", "demsar.csv"], "'demsar.csv' would be both the file to judge and the page; give another name"),
    (["demsar.csv", "-o", "no/p.html"], "the folder 'no' for p.html does not exist; create it "
                                        "first"),
    (["demsar.csv", "--on", "iris", "-o", "cd.svg"], "a critical-difference diagram is of mean ranks over data sets, and here is only 'iris'"),
])  # fmt: skip
def test_refusals(folder, args, said):
    result = run(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.strip() == f"tallymark: {said}"
    assert len(list(folder.iterdir())) == 2


def test_help_says_what_a_table_is():
    assert "the columns dataset and classifier" in " ".join(done("--help").stdout.split())


@pytest.mark.slow
def test_one_data_set_needs_no_column(folder):
    one = table(datasets=1).drop(columns="dataset")
    one.to_csv("one.csv", index=False)
    told = " ".join(done("one.csv", "--metric", "accuracy").stdout.split())
    assert "all results are of one data set: no column names several" in told
    seeds = one.groupby(["algorithm", "repeat"], as_index=False)["accuracy"].mean()
    seeds.rename(columns={"repeat": "seed"}).to_csv("seeds.csv", index=False)
    told = " ".join(done("seeds.csv").stdout.split())
    assert "say test rows over training rows, such as --ratio 0.25" in told
    assert "95 % interval" in done("seeds.csv", "--ratio", "0.25").stdout
    seeds.to_csv("bare.csv", index=False, header=False)
    named = ["--classifier", "column0", "--repeat", "column1", "--value", "column2"]
    assert "give --no-header if it is one" in run("bare.csv", *named).stderr
    told = done("bare.csv", "--no-header", *named, "--metric", "accuracy").stdout
    assert told.splitlines()[1:] == done("seeds.csv").stdout.splitlines()[1:]


def test_a_metric_of_the_users_own_may_be_better_high_or_low(folder):
    table().rename(columns={"accuracy": "mine"}).to_csv("mine.csv", index=False)
    for better in ("high", "low"):
        printed = done("mine.csv", "--metric", "mine", "--better", better, "--json", "-").stdout
        assert json.loads(printed)["better"] == better
