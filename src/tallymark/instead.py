"""Suggestions for attributes that the package or a result does not have.

Users try the names of other libraries first. ``STANDS_FOR`` has their equivalents here; any other
name is answered with similar spellings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tallymark.errors import choices

TO_SAVE = ("to_json('result.json')", "to_csv('result.csv')", "to_dict()")
AS_FRAME = ("to_pandas()", "table().to_pandas()")
AS_PAGE = ("report('page.html')", "to_html()")
OF_ROWS = ("rows",)

STANDS_FOR: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("save", "dump", "write", "export", "to_file", "to_disk"), TO_SAVE),
    **dict.fromkeys(("df", "frame", "to_df", "to_frame", "to_dataframe"), AS_FRAME),
    **dict.fromkeys(("html", "page", "to_report", "html_report", "save_report"), AS_PAGE),
    **dict.fromkeys(("n", "n_rows", "n_samples", "num_rows", "support"), OF_ROWS),
    **dict.fromkeys(("confusion", "cm", "matrix", "crosstab"), ("confusion_matrix()",)),
    **dict.fromkeys(("subgroups", "groups", "groupby", "group_by", "slices"), ("by('column')",)),
    **dict.fromkeys(("ci", "interval", "bounds"), ("low and .high", "value('f1')")),
    **dict.fromkeys(("confidence_interval", "conf_int"), ("low and .high", "value('f1')")),
    **dict.fromkeys(("lower", "ci_low", "ci_lower"), ("low",)),
    **dict.fromkeys(("upper", "ci_high", "ci_upper"), ("high",)),
    **dict.fromkeys(("std", "stderr", "std_error", "standard_error"), ("se",)),
    **dict.fromkeys(("p", "pvalue"), ("p_value",)),
    **dict.fromkeys(("score", "scores", "results", "metric"), ("values()", "value")),
    **dict.fromkeys(("advice", "recommend", "recommendations"), ("advise()",)),
    **dict.fromkeys(("warnings", "cautions"), ("notes",)),
    **dict.fromkeys(("best_threshold", "threshold"), ("optimal_threshold()",)),
    **dict.fromkeys(("cv", "cross_validation", "cross_val_score"), ("folds()",)),
    **dict.fromkeys(("dict", "asdict", "as_dict"), ("to_dict()", "to_dicts()")),
    **dict.fromkeys(("json", "as_json"), ("to_json()", "to_dict()")),
    **dict.fromkeys(("precision_recall_curve", "precision_recall"), ("curve('pr')",)),
    **dict.fromkeys(("reliability_curve", "reliability_diagram"), ("curve('calibration')",)),
    **dict.fromkeys(("winner", "best", "best_model"), ("verdicts", "compare()")),
    **dict.fromkeys(("significance", "mcnemar", "delong", "diff"), ("compare()",)),
    "class_names": ("classes", "labels"),
    "labels": ("classes",),
    "classification_report": ("table(per_class=True)",),
    "model_names": ("names",),
    "show": ("plot()", "summary()"),
    "to_csv": ("table().to_csv('values.csv')",),
    "to_json": ("to_dict()", "to_dicts()"),
    "to_excel": ("to_pandas().to_excel('values.xlsx')", "table().to_pandas()"),
    "to_md": ("to_markdown()",),
    "to_pandas": ("table().to_pandas()",),
    "to_polars": ("table().to_polars()",),
    "to_tex": ("to_latex()",),
}
"""Equivalents of a name in results; the first one that the result has is suggested."""

OF_FILE = "evaluate('predictions.csv')"
OF_SAVED = "read('result.json')"
OF_MODELS = "evaluate(y_true, y_score={'first': ..., 'second': ...}).compare()"

IN_PACKAGE: Mapping[str, str] = {
    **dict.fromkeys(("read_csv", "from_csv", "load_csv", "read_parquet", "read_excel"), OF_FILE),
    **dict.fromkeys(("read_table", "read_file", "from_file", "from_pandas"), OF_FILE),
    **dict.fromkeys(("load", "open", "loads", "read_json", "from_json", "load_json"), OF_SAVED),
    **dict.fromkeys(("compare", "compare_models"), OF_MODELS),
    **dict.fromkeys(("ci", "bootstrap", "confidence_interval"), "interval(evaluation, 'f1')"),
    **dict.fromkeys(("sample_size", "power"), "plan"),
    **dict.fromkeys(("load_dataset", "load_iris", "datasets", "data"), "example('iris')"),
    **dict.fromkeys(("make_metric", "register_metric", "Metric"), "Statistic(function)"),
    "metric": "metrics",
}
"""Equivalents of a name in the package."""


class Sentence:
    """A text that is built on demand: ``hasattr`` raises the error and drops its message."""

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


def missing(owner: str, name: str, instead: Callable[[str], str]) -> AttributeError:
    """Return the AttributeError for a missing name, with a suggestion.

    Names that begin with an underscore get no suggestion: Python and notebooks probe for them.

    >>> print(missing("'Evaluation' object", "save", lambda name: "use ev.to_json()"))
    'Evaluation' object has no attribute 'save'; use ev.to_json()
    """
    plain = f"{owner} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(plain, name=name)
    return AttributeError(Sentence(lambda: f"{plain}; {instead(name)}"), name=name)


def stands_for(name: str, kind: type) -> list[str]:
    """Return the equivalents of a name in results of a class; empty if there are none.

    >>> from tallymark.tables import Table
    >>> stands_for("df", Table), stands_for("colour", Table)
    (['.to_pandas()'], [])
    """
    there = (e for e in STANDS_FOR.get(name, ()) if hasattr(kind, re.split(r"\W", e)[0]))
    return [f".{expression}" for expression in there][:1]


def use(variable: str, expressions: Sequence[str]) -> str:
    """Return the advice to use some expressions on a variable.

    >>> use("ev", ["['f1']", "['f2']"])
    "use ev['f1'] or ev['f2'], whose definitions differ"
    """
    several = ", whose definitions differ" if len(expressions) > 1 else ""
    return "use " + " or ".join(variable + e for e in expressions) + several


def without_ending(name: str) -> list[str]:
    """Return a scikit-learn name, and its possible name here.

    >>> without_ending("brier_score_loss")
    ['brier_score_loss', 'brier']
    """
    return list(dict.fromkeys((name, re.sub("(_score)?(_loss)?(_curve)?$", "", name))))


def in_package(name: str, names: Iterable[str], metrics: Any, evaluation: Any) -> str:
    """Return a suggestion for a name that the package does not define.

    ``metrics`` is the module of all metrics. ``evaluation`` is the class whose methods users look
    for in the package.
    """
    if name in IN_PACKAGE:
        return f"use tm.{IN_PACKAGE[name]}"
    for word in without_ending(name):
        metric = getattr(metrics, word, None)
        if metric is not None:
            argument = "y_pred" if metric.wanted == "decisions" else "y_score"
            return f"use tm.metrics.{word}(y_true, {argument})"
    suggestions = evaluation._instead(name)
    if hasattr(evaluation, name):
        suggestions = [f".{name}()" if callable(getattr(evaluation, name)) else f".{name}"]
    return use("tm.evaluate(...)", suggestions) if suggestions else choices(name, names)
