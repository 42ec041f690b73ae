import json

import pytest
from click.testing import CliRunner

from parts.relations.simulated import simulated
from tallymark.cli import main
from tallymark.parts.relations.study import study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    simulated().to_csv("results.csv", index=False)
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, ["study", *args], prog_name="tallymark")


def done(*args):
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result


def refusal(*args):
    result = run(*args)
    assert result.exit_code == 2
    assert result.stdout == ""
    return result.stderr.strip()


@pytest.mark.slow
def test_a_table_gives_the_summary(folder):
    told = " ".join(done("results.csv").stdout.split())
    assert "3 groups of metrics: Accuracy, Cohen's kappa, F1;" in told
    assert "one result per cross-validation repeat, the mean over its folds" in told
    assert [p.name for p in folder.iterdir()] == ["results.csv"]


@pytest.mark.slow
def test_page_and_json(folder):
    result = done("results.csv", "--unit", "fold", "--json", "s.json", "-o")
    assert result.stdout.endswith("json: s.json\npage: study.html\n")
    assert json.loads((folder / "s.json").read_text(encoding="utf-8"))["unit"] == "fold"
    assert "Relations among metrics" in (folder / "study.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_json_can_be_printed(folder):
    result = done("results.csv", "--json", "-", "-o", "p.html")
    assert result.stdout == study("results.csv").to_json() + "\n"
    assert result.stderr == "page: p.html\n"


def test_options_reach_the_study(folder):
    told = json.loads(
        done("results.csv", "--constant", "one", "--large", "600", "--balanced", "0.2",
             "--cut", "-1", "--metric", "f1", "--metric", "ACC", "--json", "-").stdout
    )  # fmt: skip
    unit = told["units"]["repeat"]
    assert (unit["constant"], unit["metrics"]) == ("one", ["f1", "accuracy"])
    assert unit["clustering"]["groups"] == [["f1", "accuracy"]]
    assert (told["large_from_rows"], told["balanced_from_minority"]) == (600, 0.2)


@pytest.mark.slow
def test_composites_and_what_they_represent(folder):
    told = json.loads(
        done("results.csv", "--composite", "a=acc+roc_auc+mae", "--composite", "b=f1+auprc",
             "--against", "accuracy", "--against", "roc_auc", "--against", "mae", "--json", "-").stdout
    )  # fmt: skip
    assert told["represented"] == ["accuracy", "roc_auc", "mean_absolute_error"]
    rows = {row["name"]: row for row in told["representatives"]["repeat"]}
    assert rows["a"]["components"] == ["accuracy", "roc_auc", "mean_absolute_error"]
    assert rows["a"]["mean"] is None
    assert rows["b"]["components"] == ["f1", "average_precision"]
    text = " ".join(done("results.csv", "--composite", "a=acc+roc_auc").stdout.split())
    assert "If one number must represent 7 metrics, the best metric is" in text
    assert "mean of Accuracy, ROC area" in text


@pytest.mark.parametrize(("args", "said"), [
    (["none.csv"], "tallymark: there is no file 'none.csv'; check the path"),
    (["results.csv", "-o", "results.csv"], "tallymark: 'results.csv' would be both the file to judge and the page; give another name"),
    (["results.csv", "-o", "no/p.html"], "tallymark: the folder 'no' for p.html does not exist; "
                                         "create it first"),
    (["results.csv", "--composite", "acc+auc"], "tallymark: --composite 'acc+auc' is not NAME=METRIC+METRIC, such as both=accuracy+roc_auc"),
    (["results.csv", "--composite", "one=acc"], "tallymark: the composite 'one' is of accuracy; it is a plain mean, so give two or more metrics, each once, such as ['accuracy', 'roc_auc']"),
    (["results.csv", "--against", "acuracy"], "tallymark: results.csv has no metric 'acuracy'; did you mean 'accuracy'?"),
    (["results.csv", "--metric", "acuracy"], "tallymark: results.csv has no metric 'acuracy'; did you mean 'accuracy'?"),
    (["results.csv", "--jobs", "0"], "tallymark: Invalid value for '--jobs': 0 is not in the range x>=1; see tallymark study -h"),
    (["results.csv", "--seed", "-1"], "tallymark: Invalid value for '--seed': -1 is not in the range x>=0; see tallymark study -h"),
    (["results.csv", "--repeats", "0"], "tallymark: Invalid value for '--repeats': 0 is not in the range x>=1; see tallymark study -h"),
    (["results.csv", "--folds", "1"], "tallymark: Invalid value for '--folds': 1 is not in the range x>=2; see tallymark study -h"),
])  # fmt: skip
def test_refusals(folder, args, said):
    assert refusal(*args) == said
    assert [p.name for p in folder.iterdir()] == ["results.csv"]


def test_help_says_what_a_table_is():
    assert "columns dataset, algorithm, repeat and fold" in " ".join(done("--help").stdout.split())


def test_words_of_a_connection_are_not_repeated():
    refused = run("postgres://ann:s3cret@127.0.0.1:1/db?table=t&sslpassword=h1dden")
    assert refused.exit_code == 2
    assert "s3cret" not in refused.output
    assert "h1dden" not in refused.output
