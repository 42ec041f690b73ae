"""Trackers of experiments: an evaluation is handed to MLflow, and to DVC."""

from tallymark.part import Part

PART = Part(__name__, names={"log_to_mlflow": "mlflow:log_to_mlflow", "write_dvc": "dvc:write_dvc"})
