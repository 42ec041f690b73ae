"""Parts: capabilities in folders of their own, which the rest of the package does not know.

A part is a package with an object ``PART`` that says what it adds, and where: ``"module"`` or
``"module:function"`` below the part. Each is imported when it is first needed. A part uses the
public names of tallymark and those of :mod:`tallymark.core`; nothing imports a part, and a part
imports no other, so that its folder can be deleted.

Parts of other distributions are found by their entry points::

    [project.entry-points."tallymark.parts"]
    calls-by-hour = "calls_by_hour:PART"
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from tallymark.errors import InputError

OURS = (
    "agreement",
    "effort",
    "engines",
    "estimators",
    "experiments",
    "formats",
    "gate",
    "lab",
    "reconcile",
    "relations",
    "reports",
    "results",
    "matrices",
    "sklearn",
    "trackers",
    "verification",
    "weka",
)
"""Our parts, in the order in which they are asked."""

BESIDE = ("sklearn",)
"""Those that users import by name, whose folders lie beside ``tallymark/parts`` and not in it."""

_GROUP = "tallymark.parts"
"""The entry points of parts of other distributions."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a part adds.

    A file ``sources.txt`` in its folder adds works to the bibliography, as that of
    ``tallymark/metric`` lists them.

    Attributes
    ----------
    package : str
        The package of the part, ``__name__`` where it is declared.
    names : {str: str}
        Public names of ``tallymark``, each with the function or class that it stands for.
    inputs : sequence of str
        Functions that ``evaluate()`` asks, before it counts arrays and tables, what its input is,
        unless that is NumPy's labels beside predictions or scores. Of the
        :class:`~tallymark.reading.asked.Asked` they return an evaluation, or None where the input
        is of another kind. The first that knows it answers: ``Asked.judged(after=...)`` asks those
        after a function.
    openers : sequence of str
        Functions that are asked to open a text or a frame before it is taken for a file or a frame
        in memory: they return a :class:`~tallymark.reading.chunks.FrameTable`, which may count its
        rows itself, or None of what they do not know.
    tables : sequence of str
        Functions that are asked whether the lines of an open table are other than predictions: of
        the :class:`~tallymark.reading.readers.Request` they return what was counted, or None.
    results : sequence of str
        Functions that are asked whether a table of results is to be made of a source first, as by
        training models on data sets: of the source, and the file that keeps the results if one is
        named, they return an object whose ``metrics(asked)`` names the metrics of the table and
        whose ``table(...)`` makes it; None of a source that is a table.
    without_columns : sequence of str
        The kinds of sources, ``Source.kind``, of which the part counts what has no columns.
    commands : sequence of str
        Modules that declare commands of the command line.
    readers : sequence of str
        Tables of :class:`~tallymark.reading.kinds.Reader`: kinds of files, and what reads each.
    metrics, curves : {str: str}
        Modules that declare metrics, by :func:`tallymark.metric.metric` and what is made of it, or
        curves, by :func:`tallymark.curve.curve`; each with the name of ours after which its own
        are listed.
    headline : {str: str}
        Metrics that are shown first, each with the one after which it stands.
    layouts : sequence of str
        Each a :class:`~tallymark.reading.layouts.Layout`: columns of predictions by whose names
        alone it is known what they hold.
    blocks : str
        The module that shows the part's results: for a class ``CallsByHour`` its function
        ``calls_by_hour`` turns one into blocks, and ``calls_by_hour_card``, where there is one,
        into those that a notebook shows in place of these.
    plots : {str: str}
        Functions of ``tallymark.plot`` that draw the part's results on the axes of matplotlib.
    numbers : {str: str}
        Numbers that the part computes and that are no metrics, each with what it means, which
        ``tallymark explain`` says. A standard error of theirs is printed beside the interval.
    questions : {str: str}
        Methods of an evaluation: ``ev.NAME()`` calls the function with the evaluation. It returns
        {model: result}, empty where the question does not arise. ``ev.help()`` lists it where it
        does, and the JSON of a model has its result under the name, null where there is none.
    methods : {str: str}
        Methods of an evaluation of one model: ``ev.NAME(...)`` calls the function with the
        evaluation and the arguments. ``ev.help()`` lists it where there are two classes.
    uses : {str: str}
        Words of ``use=``, each with its :class:`~tallymark.report.uses.Use`.
    own_uses : {str: str}
        Uses too, which functions of the part write into the source, and nobody else can name.
    judged_elsewhere : sequence of str
        Functions that are asked of a table without true classes: of the names of its columns they
        return the sentence that says what judges it, or None.
    findings : sequence of str
        Modules that declare rules of notes, by :func:`tallymark.findings.rules.rule`.

    """

    package: str
    names: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    tables: Sequence[str] = ()
    openers: Sequence[str] = ()
    results: Sequence[str] = ()
    without_columns: Sequence[str] = ()
    commands: Sequence[str] = ()
    readers: Sequence[str] = ()
    metrics: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, str] = field(default_factory=dict)
    headline: Mapping[str, str] = field(default_factory=dict)
    layouts: Sequence[str] = ()
    blocks: str = "blocks"
    plots: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    own_uses: Mapping[str, str] = field(default_factory=dict)
    judged_elsewhere: Sequence[str] = ()
    findings: Sequence[str] = ()

    def load(self, place: str) -> Any:
        """Return the module, or the function or class of a module, of that name in this part."""
        module, _, name = place.partition(":")
        loaded = import_module(f"{self.package}.{module}")
        return getattr(loaded, name) if name else loaded


@cache
def parts() -> tuple[Part, ...]:
    """Return our parts whose folders are there, and those of other distributions."""
    here = Path(__file__).parent
    folders = [folder for folder in map(folder_of, OURS) if (here / folder).is_dir()]
    ours = [import_module(f"tallymark.{folder.replace('/', '.')}").PART for folder in folders]
    return (*ours, *_of_others())


def folder_of(name: str) -> str:
    """Return the folder of one of our parts, in that of the package."""
    return name if name in BESIDE else f"parts/{name}"


def _of_others() -> Iterator[Part]:
    """Yield the parts of other distributions.

    ``importlib.metadata`` takes as long to import as the help of the command line takes in all,
    so it is asked only where some file of entry points has our group.
    """
    files = (f for folder in sys.path for f in Path(folder).glob("*-info/entry_points.txt"))
    if any(f"[{_GROUP}]".encode() in file.read_bytes() for file in files):
        for entry in import_module("importlib.metadata").entry_points(group=_GROUP):
            yield entry.load()


@cache
def added(what: str) -> tuple[Any, ...]:
    """Return what parts add of a kind, such as "inputs", loaded."""
    return tuple(part.load(place) for part in parts() for place in getattr(part, what))


def answer(what: str, *asked: Any) -> Any:
    """Return the first answer of the functions that parts add of a kind; None where none knows."""
    answers = (function(*asked) for function in added(what))
    return next((found for found in answers if found is not None), None)


def in_their_places(what: str, registry: dict[str, Any]) -> None:
    """Load the modules of parts that fill a registry, and put what each adds where it says.

    ``what`` is a field of :class:`Part` that maps modules to names of the registry, "metrics" or
    "curves". What is to stand after an unknown name comes last.
    """
    for part in parts():
        for module, before in getattr(part, what).items():
            known = list(registry)
            part.load(module)
            after = known[known.index(before) + 1 :] if before in known else []
            for name in after:
                registry[name] = registry.pop(name)


def with_added(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return names with those that parts add, each after the one that it stands after.

    ``what`` is a field of :class:`Part` that maps the added to the others, such as "headline".
    """
    found = list(names)
    for part in parts():
        for name, before in getattr(part, what).items():
            found.insert(found.index(before) + 1 if before in found else len(found), name)
    return tuple(found)


def part_of(made: type) -> Part | None:
    """Return the part that a class is of; None of the core's."""
    return next((p for p in parts() if made.__module__.startswith(f"{p.package}.")), None)


@cache
def names(what: str = "names") -> Mapping[str, tuple[Part, str]]:
    """Return the public names that parts add, each with its part and its place in that part.

    ``what`` is another field of :class:`Part` that maps names to places, such as "questions".
    """
    found: dict[str, tuple[Part, str]] = {}
    for part in parts():
        for name, place in getattr(part, what).items():
            if name in found:
                raise InputError(
                    f"{name!r} is added by two parts, {found[name][0].package} and {part.package}; "
                    "remove one of them"
                )
            found[name] = part, place
    return found


@cache
def numbers() -> Mapping[str, str]:
    """Return the numbers that parts compute beside the metrics, each with what it means."""
    return {name: meaning for part in parts() for name, meaning in part.numbers.items()}
