"""An evaluation handed to a run of MLflow, and MLflow's evaluator "tallymark"."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tallymark as tm
from tallymark import Evaluation, InputError
from tallymark.core import FLAG, PATH, checked
from tallymark.parts.trackers.numbers import numbers_of

OF_MLFLOW = (
    "positive",
    "classes",
    "threshold",
    "missing",
    "reading",
    "level",
    "seed",
)
"""Keys of MLflow's ``evaluator_config`` that describe the rows."""


@checked(run_id=PATH, page=FLAG)
def log_to_mlflow(
    ev: Evaluation,
    *,
    run_id: str | None = None,
    metrics: Sequence[str] | None = None,
    page: bool = True,
) -> str:
    """Log an evaluation to an MLflow run and return the run's id.

    Numbers become metrics, such as ``roc_auc`` with its bounds ``roc_auc.low`` and
    ``roc_auc.high``; of several models each name begins with the model's, ``forest/roc_auc``. What
    is undefined or infinite is left out. The page and the JSON, which :func:`tallymark.read` reads,
    are the artifacts ``tallymark/report.html`` and ``tallymark/evaluation.json``.

    Parameters
    ----------
    ev : Evaluation
        Of one model or several.
    run_id : str, optional
        The run, unless given the active one; without one MLflow starts one.
    metrics : sequence of str, optional
        The metrics, by default those that a report shows first.
    page : bool
        Whether the page and the JSON are logged too.

    Raises
    ------
    InputError
        MLflow is not installed or refuses; a metric that cannot be computed.

    """
    try:
        import mlflow
    except ModuleNotFoundError:
        raise InputError(
            "MLflow is not installed; install it with: pip install 'tallymark[mlflow]'"
        ) from None
    from mlflow.entities import Metric, RunTag

    now = round(1000 * time.time())
    logged = [Metric(name, x, now, 0) for name, x in numbers_of(ev, metrics).items()]
    tags = {"source": ev.source.name, "rows": f"{ev.rows}", "level": f"{ev.level:g}"}
    if ev.positive is not None:
        tags["positive"] = f"{ev.positive}"
    marks = [RunTag(f"tallymark.{name}", text) for name, text in tags.items()]
    try:
        run_id = run_id or (mlflow.active_run() or mlflow.start_run()).info.run_id
        client = mlflow.MlflowClient()
        client.log_batch(run_id, metrics=logged, tags=marks)
        if page:
            with TemporaryDirectory() as folder:
                ev.report(Path(folder, "report.html"))
                ev.to_json(Path(folder, "evaluation.json"))
                client.log_artifacts(run_id, folder, "tallymark")
    except mlflow.exceptions.MlflowException as error:
        first = str(error).strip().splitlines()[0]
        raise InputError(
            f"MLflow refuses: {first} Look at the run and at its tracking URI"
        ) from None
    return str(run_id)


class MLflowEvaluator:
    """The evaluator "tallymark" of ``mlflow.models.evaluate``, which MLflow finds by itself.

    Its results are those of :func:`log_to_mlflow`. ``evaluator_config`` may hold the arguments of
    :func:`tallymark.evaluate` in :data:`OF_MLFLOW`, and ``metrics``; others are for MLflow's own
    evaluators. What cannot be judged is a warning, since MLflow runs every evaluator that is
    installed unless its user names one.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str, evaluator_config: Any, **_: Any) -> bool:
        """Tell whether MLflow evaluates a classifier."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        dataset: Any,
        run_id: str,
        evaluator_config: Mapping[str, Any] | None,
        model: Any = None,
        **_: Any,
    ) -> Any:
        """Return the evaluation of a model on MLflow's data set, or of predictions in it."""
        from mlflow import models

        config = evaluator_config or {}
        options = {name: config[name] for name in OF_MLFLOW if name in config}
        numbers: dict[str, float] = {}
        try:
            if model is None:
                ev = tm.evaluate(dataset.labels_data, dataset.predictions_data, **options)
            else:
                inner = getattr(model, "get_raw_model", lambda: model)()
                ev = tm.evaluate(inner, dataset.features_data, dataset.labels_data, **options)
            numbers = numbers_of(ev, config.get("metrics"))
            log_to_mlflow(ev, run_id=run_id, metrics=config.get("metrics"))
        except InputError as error:
            warnings.warn(f"tallymark cannot evaluate this: {error}", stacklevel=2)
        result: Any = models.EvaluationResult  # MLflow types only a part of itself
        return result(metrics=numbers, artifacts={}, run_id=run_id)
