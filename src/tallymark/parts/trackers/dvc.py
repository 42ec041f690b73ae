"""An evaluation as files of DVC."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from tallymark import Evaluation, InputError
from tallymark.core import checked, write_text
from tallymark.parts.trackers.numbers import by_model, numbers_of

PLOTTED = ("roc", "pr", "calibration")
"""The curves that DVC draws."""


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
    before, folder = by_model(ev), Path(path)
    files = {"metrics.json": json.dumps(numbers_of(ev, metrics), indent=1) + "\n"}
    files |= {
        f"plots/{before[model]}{name}.csv": curve.table().to_csv()
        for model, of_model in (ev.curves(*PLOTTED) if ev.binary else {}).items()
        for name, curve in of_model.items()
    }
    for name in files:
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"the folder {str(folder)!r} cannot be created: {error.strerror}; name another"
            ) from None
    return [write_text(folder / name, text) for name, text in files.items()]
