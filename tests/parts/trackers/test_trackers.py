"""What trackers of experiments get: MLflow by a local store, DVC by its files."""

from __future__ import annotations

import csv
import json
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.linear_model import LogisticRegression

import tallymark as tm

# MLflow calls pandas as pandas 4 will not be called.
pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")


@pytest.fixture(scope="module")
def mlflow(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # MLflow's own imports warn
        patch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
        import mlflow
        import mlflow.models
        import mlflow.models.evaluation.evaluator_registry
        import mlflow.pyfunc
        import mlflow.sklearn

        mlflow.set_tracking_uri((tmp_path_factory.mktemp("ml") / "runs").as_uri())
        yield mlflow


@pytest.fixture(autouse=True)
def no_run_is_left(request):
    yield
    if "mlflow" in request.fixturenames:
        request.getfixturevalue("mlflow").end_run()


def rows(n=200, seed=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(0, 1.5, n))))


def kept(mlflow, run_id):
    data = mlflow.get_run(run_id).data
    return data.metrics, {k: v for k, v in data.tags.items() if k.startswith("tallymark")}


@pytest.mark.slow
def test_numbers_bounds_page_and_json_are_logged_to_the_active_run(mlflow, tmp_path):
    y, p = rows()
    ev = tm.evaluate(y, y_score=p)
    with mlflow.start_run() as run:
        assert tm.log_to_mlflow(ev) == run.info.run_id
    metrics, tags = kept(mlflow, run.info.run_id)
    for name in ("roc_auc", "f1", "brier"):
        v = ev[name]
        assert (metrics[name], metrics[f"{name}.low"], metrics[f"{name}.high"]) == (
            v.value,
            v.low,
            v.high,
        )
    assert tags == {
        "tallymark.source": "arrays",
        "tallymark.rows": "200",
        "tallymark.level": "0.95",
        "tallymark.positive": "1",
    }
    files = mlflow.artifacts.download_artifacts(
        run_id=run.info.run_id, artifact_path="tallymark", dst_path=str(tmp_path)
    )
    assert json.loads((Path(files) / "evaluation.json").read_text("utf-8"))["rows"] == 200
    assert (Path(files) / "report.html").read_text("utf-8").startswith("<!doctype html>")


@pytest.mark.slow
def test_several_models_and_metrics_by_name(mlflow):
    y, p = rows()
    ev = tm.evaluate(y, y_score={"a b": p, "c": 1 - p})
    run_id = tm.log_to_mlflow(ev, metrics=["AUC"], page=False)
    metrics, _ = kept(mlflow, run_id)
    assert set(metrics) == {
        f"{m}/roc_auc{end}" for m in ("a_b", "c") for end in ("", ".low", ".high")
    }
    assert metrics["c/roc_auc"] == ev.model("c")["roc_auc"].value
    assert mlflow.MlflowClient().list_artifacts(run_id) == []


def test_another_run_may_be_named(mlflow):
    ev = tm.evaluate([0, 1, 1, 0], [0, 1, 0, 0])
    run_id = tm.log_to_mlflow(ev, metrics=["accuracy"], page=False)
    mlflow.end_run()
    with mlflow.start_run() as active:
        assert tm.log_to_mlflow(ev, metrics=["recall"], page=False, run_id=run_id) == run_id
    assert kept(mlflow, run_id)[0].keys() >= {"accuracy", "sensitivity"}
    assert kept(mlflow, active.info.run_id)[0] == {}


@pytest.mark.slow
def test_mlflow_runs_every_evaluator_that_is_installed(mlflow):
    y, p = rows(40)
    frame = pd.DataFrame({"y": y, "p": (p > 0.5).astype(int)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = mlflow.models.evaluate(
            data=frame, targets="y", predictions="p", model_type="classifier",
            evaluator_config={"tallymark": {"metrics": ["mcc"]}},
        )  # fmt: skip
    mcc = tm.evaluate(y, frame["p"])["mcc"]
    assert found.metrics["matthews_corrcoef.low"] == mcc.low
    assert "accuracy_score" in found.metrics  # of MLflow's own


def test_undefined_and_infinite_numbers_are_left_out(mlflow):
    ev = tm.evaluate([1, 1, 0, 0], [0, 0, 0, 0], positive=1)
    metrics, _ = kept(mlflow, tm.log_to_mlflow(ev, metrics=["precision", "accuracy"], page=False))
    assert set(metrics) == {"accuracy", "accuracy.low", "accuracy.high"}


@pytest.mark.slow
def test_predictions_of_a_frame_by_the_plugin(mlflow):
    y, p = rows()
    found = mlflow.models.evaluate(
        data=pd.DataFrame({"y": y, "p": p}), targets="y", predictions="p", model_type="classifier", evaluators="tallymark",
        evaluator_config={"threshold": 0.3, "metrics": ["recall", "roc_auc"], "log_model_explainability": False},
    )  # fmt: skip
    ev = tm.evaluate(y, y_score=p, threshold=0.3)
    assert found.metrics["sensitivity"] == ev["recall"].value
    assert found.metrics["roc_auc.high"] == ev["roc_auc"].high
    assert kept(mlflow, found.run_id)[0] == found.metrics


@pytest.mark.slow
def test_a_logged_model_is_judged_by_its_probabilities(mlflow):
    y, p = rows()
    frame = pd.DataFrame({"x": p})
    model = LogisticRegression().fit(frame[:100], y[:100])
    with mlflow.start_run(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its signature, of environments
        logged = mlflow.sklearn.log_model(model, name="model", serialization_format="cloudpickle")
        found = mlflow.models.evaluate(
            logged.model_uri,
            frame[100:].assign(y=y[100:]),
            targets="y",
            model_type="classifier",
            evaluators="tallymark",
        )
    mine = tm.evaluate(y[100:], y_score=model.predict_proba(frame[100:])[:, 1])
    assert found.metrics["brier"] == pytest.approx(mine["brier"].value, abs=1e-12)


@pytest.mark.slow
def test_what_the_plugin_cannot_judge_is_a_warning(mlflow):
    frame = pd.DataFrame({"y": ["a", "b"] * 5, "p": ["a", "a"] * 5})
    with pytest.warns(UserWarning, match="tallymark cannot evaluate this: .*positive="):
        found = mlflow.models.evaluate(
            data=frame,
            targets="y",
            predictions="p",
            model_type="classifier",
            evaluators="tallymark",
        )
    assert found.metrics == {}


def test_a_run_that_is_not_there(mlflow):
    with pytest.raises(
        tm.InputError, match="MLflow refuses: Run 'nobody' not found.* Look at the run"
    ):
        tm.log_to_mlflow(tm.evaluate([0, 1], [0, 1]), run_id="nobody")


def test_without_mlflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(
        tm.InputError, match="MLflow is not installed; install it with: pip install"
    ):
        tm.log_to_mlflow(tm.evaluate([0, 1], [0, 1]))


def test_files_of_dvc(tmp_path):
    y, p = rows()
    ev = tm.evaluate(y, y_score={"a b": p, "c": 1 - p})
    files = tm.write_dvc(ev, tmp_path / "new" / "eval", metrics=["roc_auc", "log_loss"])
    assert [str(f.relative_to(tmp_path / "new" / "eval")) for f in files] == [
        "metrics.json", *(f"plots/{m}/{c}.csv" for m in ("a_b", "c") for c in ("roc", "pr", "calibration"))
    ]  # fmt: skip
    numbers = json.loads(files[0].read_text(encoding="utf-8"))
    assert numbers["a_b/roc_auc.low"] == ev.model("a b")["roc_auc"].low
    with files[1].open(newline="", encoding="utf-8") as file:
        points = list(csv.DictReader(file))
    curve = ev.curves("roc")["a b"]["roc"]
    assert [float(r["sensitivity"]) for r in points] == curve.y.tolist()


PAGE = (Path(__file__).parents[3] / "docs" / "tables.md").read_text("utf-8")


def test_the_yaml_of_the_page_names_columns_of_the_files(tmp_path):
    y, p = rows()

    def columns(name):
        return (tmp_path / name).read_text(encoding="utf-8").splitlines()[0].split(",")

    one, several = (yaml.safe_load(y) for y in re.findall(r"```yaml\n(.*?)```", PAGE, re.S))
    tm.write_dvc(tm.evaluate(y, y_score=p), tmp_path / "eval")
    assert len(one["plots"]) == 2
    for plot in one["plots"]:
        ((name, axes),) = plot.items()
        assert set(axes.values()) <= set(columns(name))
    tm.write_dvc(tm.evaluate(y, y_score={"forest": p, "logistic": 1 - p}), tmp_path / "eval")
    ((_, of_models),) = several["plots"][0].items()
    assert len(of_models["y"]) == 2
    for name, column in of_models["y"].items():
        assert {column, of_models["x"]} <= set(columns(name))
    for shown in (one, several):
        numbers = json.loads((tmp_path / shown["metrics"][0]).read_text(encoding="utf-8"))
        assert all(isinstance(x, float) for x in numbers.values())


@pytest.mark.slow
def test_weights_and_biases_gets_what_the_page_hands_over(monkeypatch, tmp_path):
    class Run:
        def __init__(self, **named):
            self.summary, self.logged = {}, {}
            self.log = self.logged.update
            made.append(self)

        __enter__ = lambda self: self  # noqa: E731
        __exit__ = lambda self, *error: None  # noqa: E731

    made = []
    wandb = SimpleNamespace(init=Run, Table=lambda dataframe: dataframe, Html=Path)
    monkeypatch.setitem(sys.modules, "wandb", wandb)
    monkeypatch.chdir(tmp_path)
    y, p = rows()
    ev = tm.evaluate(y, y_score={"forest": p, "logistic": 1 - p})
    (code,) = (b for b in re.findall(r"```python\n(.*?)```", PAGE, re.S) if "import wandb" in b)
    exec(code, {"ev": ev})
    (run,) = made
    for model in ev.names:
        v = ev.model(model)["roc_auc"]
        names = [f"{model}/roc_auc{end}" for end in ("", ".low", ".high")]
        assert [run.summary[name] for name in names] == [v.value, v.low, v.high]
    assert len(run.logged["metrics"]) == len(ev.table())
    assert run.logged["report"].read_text("utf-8").startswith("<!doctype html>")


def test_decisions_alone_have_no_curves(tmp_path):
    assert [f.name for f in tm.write_dvc(tm.evaluate([0, 1, 1], [0, 1, 0]), tmp_path)] == [
        "metrics.json"
    ]


def test_refusals(tmp_path):
    y, p = rows()
    ev = tm.evaluate(y, y_score={"a b": p, "a_b": 1 - p})
    with pytest.raises(tm.InputError, match="'a b', 'a_b' get the same name with only letters"):
        tm.write_dvc(ev, tmp_path)
    with pytest.raises(
        tm.InputError, match=("brier cannot be computed from these predictions; leave")
    ):
        tm.write_dvc(tm.evaluate([0, 1, 1], [0, 1, 0]), tmp_path, metrics=["brier"])
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(tm.InputError, match="the folder .* cannot be created: .*; name another"):
        tm.write_dvc(tm.evaluate([0, 1, 1], [0, 1, 0]), tmp_path / "file")
