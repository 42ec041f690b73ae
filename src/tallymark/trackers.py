"""An evaluation handed to what keeps track of experiments: MLflow, and DVC."""

from __future__ import annotations

import math
import re
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from tallymark.api import evaluate
from tallymark.contract import FLAG, PATH, checked
from tallymark.display import load
from tallymark.errors import InputError
from tallymark.listing import Rows
from tallymark.metric import get
from tallymark.output import write_text
from tallymark.report.evaluation import Evaluation, score_tallies
from tallymark.report.words import headline

PLOTTED = ("roc", "pr", "calibration")
"""The curves that DVC draws."""

OF_MLFLOW = (
    "positive", "classes", "threshold", "missing", "reading", "level", "seed",
)  # fmt: skip
"""What MLflow's ``evaluator_config`` may say of the rows."""


def _numbers(ev: Evaluation, metrics: Sequence[str] | None) -> dict[str, float]:
    """Return the finite numbers and their bounds by name: "roc_auc", "roc_auc.low" and so on.

    Of several models each name begins with the model's: "forest/roc_auc".
    """
    before, values = _by_model(ev), ev.values()
    wanted = headline(ev) if metrics is None else [get(m).name for m in metrics]
    for name in wanted:
        if not any(name in of_model for of_model in values.values()):
            raise InputError(f"{name} cannot be computed from these predictions; leave it out")
    found = {
        f"{before[model]}{name}{end}": x
        for model, of_model in values.items()
        for name in wanted
        if (v := of_model.get(name)) is not None
        for end, x in (("", v.value), (".low", v.low), (".high", v.high))
    }
    return {name: x for name, x in found.items() if math.isfinite(x)}


def _by_model(ev: Evaluation) -> dict[str, str]:
    """Return what stands before the names of each model's numbers: nothing of a lone one."""
    if len(ev.names) == 1:
        return {ev.names[0]: ""}
    before = {name: re.sub(r"[^\w.-]", "_", name, flags=re.ASCII) + "/" for name in ev.names}
    if len(set(before.values())) < len(before):
        raise InputError(
            f"the models {', '.join(map(repr, ev.names))} get the same name with only letters, "
            "digits and ._-; rename them"
        )
    return before


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
    found = [Metric(name, x, now, 0) for name, x in _numbers(ev, metrics).items()]
    tags = {"source": ev.source.name, "rows": f"{ev.rows}", "level": f"{ev.level:g}"}
    if ev.positive is not None:
        tags["positive"] = f"{ev.positive}"
    marks = [RunTag(f"tallymark.{name}", text) for name, text in tags.items()]
    texts = {}
    if page:
        texts = {"report.html": load("page:render")(ev), "evaluation.json": ev.to_json()}
    try:
        run_id = run_id or (mlflow.active_run() or mlflow.start_run()).info.run_id
        client = mlflow.MlflowClient()
        client.log_batch(run_id, metrics=found, tags=marks)
        for name, text in texts.items():
            client.log_text(run_id, text, f"tallymark/{name}")
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
        """Tell whether it is a classifier that is evaluated."""
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
        """Judge a model on MLflow's data set, or the predictions that the data set holds."""
        from mlflow import models

        config = evaluator_config or {}
        options = {name: config[name] for name in OF_MLFLOW if name in config}
        numbers: dict[str, float] = {}
        try:
            if model is None:
                ev = evaluate(dataset.labels_data, dataset.predictions_data, **options)
            else:
                inner = getattr(model, "get_raw_model", lambda: model)()
                ev = evaluate(inner, dataset.features_data, dataset.labels_data, **options)
            numbers = _numbers(ev, config.get("metrics"))
            log_to_mlflow(ev, run_id=run_id, metrics=config.get("metrics"))
        except InputError as error:
            warnings.warn(f"tallymark cannot evaluate this: {error}", stacklevel=2)
        result: Any = models.EvaluationResult  # MLflow types only a part of itself
        return result(metrics=numbers, artifacts={}, run_id=run_id)


@checked
def write_dvc(
    ev: Evaluation, path: str | PathLike[str], *, metrics: Sequence[str] | None = None
) -> list[Path]:
    """Write an evaluation into a folder as DVC reads it, and return the files.

    ``metrics.json`` holds the numbers that :func:`log_to_mlflow` logs; ``plots/roc.csv`` and so on
    hold the curves that there are, a line a point, of several models in a folder for each.

    Parameters
    ----------
    ev : Evaluation
        Of one model or several.
    path : path
        The folder, which is made if it is not there.
    metrics : sequence of str, optional
        The metrics, by default those that a report shows first.

    Raises
    ------
    InputError
        A metric that cannot be computed; a place that cannot be written.

    Examples
    --------
    >>> import tallymark as tm, tempfile
    >>> ev = tm.evaluate([0, 1, 0, 1], y_score=[0.1, 0.9, 0.4, 0.3])
    >>> [file.name for file in tm.write_dvc(ev, tempfile.mkdtemp(), metrics=["roc_auc"])]
    ['metrics.json', 'roc.csv', 'pr.csv', 'calibration.csv']

    """
    import json

    before, folder = _by_model(ev), Path(path)
    files = {"metrics.json": json.dumps(_numbers(ev, metrics), indent=1) + "\n"}
    files |= {
        f"plots/{before[model]}{name}.csv": listing.to_csv() for model, name, listing in _curves(ev)
    }
    for name in files:
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the folder {str(folder)!r} cannot be created: {error.strerror}; name another"
            ) from None
    return [write_text(folder / name, text) for name, text in files.items()]


def _curves(ev: Evaluation) -> Iterator[tuple[str, str, Rows]]:
    """Yield the curves of each model of two classes, thinned for drawing."""
    for key in score_tallies(ev) if ev.binary else ():
        for name, curve in ev.curves(*PLOTTED)[key].items():
            yield key, name, curve.table()
