"""Whether probabilities match what happens."""

from __future__ import annotations

from tallymark.metric import get
from tallymark.quantities import number, percent
from tallymark.report import words
from tallymark.report.blocks import Grid, Row, keyed
from tallymark.report.evaluation import Evaluation
from tallymark.report.subjects.summary import rows_of
from tallymark.report.subjects.values import value_cell
from tallymark.report.words import interval, text


def calibrated(ev: Evaluation, model: str) -> str:
    """Return how many positives a model promised, how many there were, and what the chart shows."""
    values = ev.values()[model]
    v, read = values.get("observed_expected_ratio"), CALIBRATION_WORDS
    if v is None or v.reason or not v.value:
        return read
    counts = ev.model(model).models[0].labels.binary(ev.positive)
    happened = float(counts.positives / counts.total)
    bounds = f", {percent(ev.level, 0)} CI {interval(v)}" if interval(v) else ""
    rows = rows_of(ev.positive, "positive")
    return (
        f"The mean probability that {text(model)} gives is {percent(happened / v.value)}, and "
        f"{percent(happened)} are {rows} (observed to expected {number(v.value)}{bounds}). "
        f"{read}"
    )


CALIBRATION_WORDS = (
    "Where the points lie on the diagonal, rows with a score of 0.3 are positive 30 % of the time."
)

CALIBRATION = (
    "observed_expected_ratio",
    "calibration_slope",
    "expected_calibration_error",
    "brier",
)
"""What is said of probabilities: their level, their spread, how far off they are, their loss."""


def calibration_table(ev: Evaluation) -> Grid:
    """Return a row a model: the level and the spread of its probabilities, and how far off."""
    rows: list[Row] = [
        (
            words.text(model),
            *keyed(
                [value_cell(values.get(n), brief=True) for n in CALIBRATION],
                [f"models.{i}.values.{n}" for n in CALIBRATION],
            ),
        )
        for i, (model, values) in enumerate(ev.values().items())
        if CALIBRATION[0] in values
    ]
    heads = ("Model", *(get(n).title for n in CALIBRATION))
    caption = "1 is right for the first two, 0 for the others."
    return Grid(heads, rows, caption, look="parts")
