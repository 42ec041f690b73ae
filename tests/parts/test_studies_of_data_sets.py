"""Studies that run an experiment on data sets first, where both parts are there."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from tallymark.cli import main
from tallymark.errors import InputError

experiment = pytest.importorskip("tallymark.parts.experiments.experiment")
study = pytest.importorskip("tallymark.parts.relations.study").study
made = pytest.importorskip("parts.relations.simulated")
SEVEN, simulated = made.SEVEN, made.simulated

DATASETS = Path(__file__).parents[3] / "shared" / "datasets"

RUN = "tallymark.parts.experiments.experiment.run"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "a.tsv").write_text("")
    simulated().to_csv("results.csv", index=False)
    return tmp_path


def command(*args):
    return CliRunner().invoke(main, ["study", *args], prog_name="tallymark")


def test_the_experiment_runs_on_a_folder_or_a_list(tmp_path, monkeypatch):
    asked = {}

    def run(datasets, **options):
        asked.update(options, datasets=datasets)
        frame = simulated().assign(brier_score=simulated().root_mean_squared_error ** 2)
        return {c: frame[c].tolist() for c in frame}

    monkeypatch.setattr(RUN, run)
    (tmp_path / "b.csv").write_text("")
    (tmp_path / "a.csv").write_text("")
    (tmp_path / "manifest.json").write_text("")
    s = study(tmp_path, algorithms=["j48"], repeats=3, folds=5, seed=2, jobs=1)
    assert asked == {
        "datasets": [tmp_path / "a.csv", tmp_path / "b.csv"], "algorithms": ["j48"],
        "repeats": 3, "folds": 5, "seed": 2, "jobs": 1, "results": None, "progress": None, "targets": None,
        "positive": None, "header": None,
    }  # fmt: skip
    assert s.relations().metrics == SEVEN
    assert s.source == f"the experiment on {tmp_path.name}"
    assert s.candidates.metrics == (*SEVEN, "brier_score")
    assert study(tmp_path, metrics=SEVEN).candidates.metrics == SEVEN
    assert study([str(tmp_path / "a.csv")]).source == "the experiment on 1 data set"
    assert asked["datasets"] == [tmp_path / "a.csv"]


def test_one_file_is_a_table_or_a_data_set(tmp_path, monkeypatch):
    asked = []

    def run(datasets, **_):
        asked.append(datasets)
        return {c: simulated()[c].tolist() for c in simulated()}

    monkeypatch.setattr(RUN, run)
    data, table = tmp_path / "data.csv", tmp_path / "table.csv"
    data.write_text("size,kind\n1,a\n2,b\n", encoding="utf-8")
    simulated().rename(columns=str.upper).to_csv(table, index=False)
    assert study(table).source == "table.csv"
    assert asked == []
    study(data)
    study(tmp_path, results=table)
    assert asked == [[data], [data]]


def test_what_relations_would_refuse_is_said_before_the_experiment(tmp_path, monkeypatch):
    monkeypatch.setattr(RUN, lambda *a, **k: pytest.fail("ran"))
    (tmp_path / "a.csv").write_text("size,kind\n1,a\n2,b\n", encoding="utf-8")
    for options, told in (
        ({"metrics": ["f1", "acuracy"]}, "there is no metric 'acuracy'; did you mean"),
        ({"metrics": ["f1", "hand_till_auc"]}, "hand_till_auc needs whole rows of scores"),
        ({"metrics": "f1"}, "metrics names only one; relations need two or more"),
        ({"constant": "two"}, "constant is 'two'"),
        ({"level": 2}, "level is 2"),
        ({"cut": 3}, "cut is 3"),
        ({"composites": {"x": ["f1", "acuracy"]}}, "the experiment has no metric 'acuracy'; did"),
        ({"composites": ["f1"]}, "composites is .*; give metrics by the name of their mean, {"),
        ({"against": ["f1", "acuracy"]}, "the experiment has no metric 'acuracy'; did you mean"),
        ({"against": "f1"}, "the experiment has only the metric 'f1'; relations need two"),
        ({"repeats": 2}, "repeats is 2; a correlation needs 3 or more: repeat more often, or use"),
    ):
        with pytest.raises(InputError, match=told):
            study(tmp_path, **options)


def test_a_folder_runs_the_experiment(folder, monkeypatch):
    asked = {}

    def fake(datasets, **options):
        asked.update(options, datasets=datasets)
        return {c: simulated()[c].tolist() for c in simulated()}

    monkeypatch.setattr(RUN, fake)
    done = command("sets", "--repeats", "3", "--folds", "5", "--algorithm", "tree", "--algorithm",
                   "bayes", "--jobs", "2", "--seed", "7", "--results", "kept.csv", "--positive",
                   "a=yes", "--positive", "b=1=2")  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert [p.name for p in asked.pop("datasets")] == ["a.tsv"]
    assert asked == {"algorithms": ("tree", "bayes"), "repeats": 3, "folds": 5, "jobs": 2,
                     "seed": 7, "results": "kept.csv", "progress": None, "targets": None,
                     "positive": {"a": "yes", "b": "1=2"}, "header": None}  # fmt: skip


@pytest.mark.slow
def test_the_class_of_a_data_set_can_be_named(tmp_path):
    text = "kind,size\n" + "".join(f"{'ab'[i % 2]},{i * 7 % 11}\n" for i in range(40))
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    options = ["--repeats", "3", "--folds", "2", "--algorithm", "naive_bayes", "--jobs", "1"]
    done = command(str(tmp_path), *options, "--target", "d=kind")
    assert done.exit_code == 0, done.stderr
    assert "of 7 metrics: 1 data set" in " ".join(done.stdout.split())
    wrong = command(str(tmp_path), *options)
    assert "d.csv has 11 classes" in wrong.stderr
    wrong = command(str(tmp_path), *options, "--target", "kind")
    assert "--target 'kind' is not NAME=COLUMN, such as colic=surgical_lesion" in wrong.stderr
    wrong = command(str(tmp_path), *options, "--positive", "yes")
    assert "--positive 'yes' is not NAME=CLASS, such as colic=yes" in wrong.stderr
    assert wrong.exit_code == 2


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the data sets are not here")
@pytest.mark.slow
def test_a_study_of_a_folder_runs_from_end_to_end(tmp_path):
    pytest.importorskip("tallymark.parts.formats")
    for name in ("monks1.arff", "heart.statlog.arff"):
        (tmp_path / name).write_bytes((DATASETS / name).read_bytes())
    found = study(tmp_path, algorithms=["naive_bayes", "random_forest"], repeats=4, folds=3, jobs=1,
                     results=tmp_path / "out" / "results.csv")  # fmt: skip
    r = found.relations("repeat")
    assert r.datasets == ("heart.statlog", "monks1")
    assert r.metrics == experiment.FIRST
    assert (tmp_path / "out" / "results.csv").is_file()
    again = study(tmp_path / "out" / "results.csv")
    every = again.relations("repeat")
    i, j = (every.metrics.index(m) for m in ("accuracy", "error_rate"))
    assert every.pearson[i, j] == pytest.approx(1)


@pytest.mark.parametrize(("args", "said"), [
    (["none", "--folds", "3"], "tallymark: there is no folder or file 'none'; check the path"),
    (["results.csv", "--folds", "3"], "tallymark: --folds is an option of the experiment, and 'results.csv' is a table of results; give a folder of data sets, or leave it out"),
    (["results.csv", "--algorithm", "x"], "tallymark: --algorithm is an option of the experiment, and 'results.csv' is a table of results; give a folder of data sets, or leave it out"),
    (["results.csv", "--positive", "x=y"], "tallymark: --positive is an option of the experiment, and 'results.csv' is a table of results; give a folder of data sets, or leave it out"),
    (["sets", "--results", "no/kept.csv"], "tallymark: the folder 'no' for kept.csv does not "
                                           "exist; create it first"),
    (["sets", "--results", "p.html", "-o", "p.html"], "tallymark: 'p.html' would be both the page and the results; give another name"),
    (["sets", "--results", "s.json", "--json", "s.json"], "tallymark: 's.json' would be both the JSON and the results; give another name"),
])  # fmt: skip
def test_options_of_the_experiment_that_are_refused(folder, args, said):
    refused = command(*args)
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert refused.stderr.strip() == said
    assert sorted(p.name for p in folder.iterdir()) == ["results.csv", "sets"]


def test_what_is_no_data_set_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"holds no data sets; put files of the kinds .*\.csv"):
        study(tmp_path)
    with pytest.raises(InputError, match="a list must hold paths of data sets"):
        study([{"dataset": "a"}])
