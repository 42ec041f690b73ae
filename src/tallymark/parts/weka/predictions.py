"""The table of Weka's option ``-p``: classes with their index, and the probability of one class."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tallymark import InputError
from tallymark.core import WHOLE, Coded, Label, Layout, Opened, Reader, Written, code_labels


def _meant(classes: Mapping[str, Coded]) -> dict[str, Coded]:
    """Return labels with "2:name" read as "name" and "2:?" as missing."""
    names = [_name(v) for c in classes.values() for v in c.labels if ":" in str(v)]
    # Both columns' names are judged together: integers only if they all are.
    whole = any(names) and all(n is None or WHOLE.fullmatch(n) for n in names)
    return {
        c: _stripped(coded, whole)
        for c, coded in classes.items()
        if any(isinstance(label, str) for label in coded.labels)
    }


def _name(label: Label) -> str | None:
    """Return the name of a class as Weka writes it, None if it is missing."""
    text = str(label)
    index, colon, name = text.partition(":")
    name = name if colon and index.isdecimal() else text
    return None if name == "?" else name


def _stripped(coded: Coded, whole: bool) -> Coded:
    names = [_name(label) for label in coded.labels]
    classes = code_labels([n if n is None or not whole else int(n) for n in names], "classes")
    return Coded(np.append(classes.codes, -1)[coded.codes], classes.labels)


LAYOUT = Layout(
    program="Weka",
    option="-p",
    columns=("inst#", "actual", "predicted", "prediction"),
    truth="actual",
    pred="predicted",
    score="prediction",
    model="weka",
    meant=_meant,
)


def _refuse_text(opened: Opened, _: Path) -> Written:
    raise InputError(
        f"{opened.name} is Weka's output as plain text; give Weka the option -classifications "
        "weka.classifiers.evaluation.output.prediction.CSV and save what it then prints"
    )


def _refuse_distribution(opened: Opened, _: Path) -> Written:
    raise InputError(
        f"{opened.name} was made by Weka with -distribution, whose rows have more fields than its "
        "header; run Weka with -p and without -distribution"
    )


REFUSED = (
    Reader(
        "Weka's output as plain text",
        (),
        "CSV",
        _refuse_text,
        text=r"(?:[^\n]*\n){0,16}?[ \t]*inst#[ \t]+actual[ \t]+predicted",
    ),
    Reader(
        "Weka's -distribution",
        (),
        "CSV",
        _refuse_distribution,
        text=r"inst#[,;\t][^\n]*\bdistribution\b",
    ),
)
