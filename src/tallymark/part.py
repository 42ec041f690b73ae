"""Parts: optional features, each in its own folder.

A part is a package with an object ``PART`` that declares what it adds, and where: ``"module"`` or
``"module:function"`` below the part. Each is imported on first use. A part uses the public names
of tallymark and those of :mod:`tallymark.core`. Neither the rest of the package nor another part
imports it, so its folder can be deleted.

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
    "evals",
    "experiments",
    "formats",
    "gate",
    "judges",
    "lab",
    "libraries",
    "logs",
    "reconcile",
    "relations",
    "reports",
    "results",
    "risk",
    "matrices",
    "sklearn",
    "trackers",
    "verification",
    "watch",
    "weka",
)
"""The parts of this distribution, in the order in which they are consulted."""

BESIDE = ("sklearn",)
"""Parts that users import by name; their folders are beside ``tallymark/parts``, not in it."""

_GROUP = "tallymark.parts"
"""The entry point group for parts of other distributions."""


@dataclass(frozen=True, slots=True, eq=False)
class Role:
    """A column of numbers of 0 or more, one for each row; it needs scores of two classes.

    Attributes
    ----------
    name : str
        The argument, the option and the word of ``reading=``.
    plural : str
        The name for the numbers of several rows; the key of the tally in JSON.
    such_as : str
        An example, for messages: "its lines of code".
    about : str
        The documentation of the argument: what the numbers are, and what reads them.
    tally : str
        Its :class:`~tallymark.tally.role_tally.RoleTally` of the part: ``"module:class"``.
    of_rows : bool
        Whether it is an argument of all that reads rows. Otherwise a function of the part adds the
        numbers to what it counted.

    """

    name: str
    plural: str
    such_as: str
    about: str
    tally: str
    of_rows: bool = True

    @property
    def of_each_row(self) -> str:
        """The role for use within a sentence: "the wait of each row, such as ..."."""
        return f"the {self.name} of each row, such as {self.such_as}"

    def missing_for(self, what: str, in_batches: bool = False) -> InputError:
        """Return the error for a metric or a curve that needs the role where it is missing."""
        remedy = "give {}=..., and scores of two classes"
        if in_batches:
            remedy = "give every batch {}=..."
        return InputError(f"{what} needs {self.of_each_row}; {remedy.format(self.name)}")


@dataclass(frozen=True, slots=True, eq=False)
class Word:
    """An argument of ``evaluate`` that only the part reads, in its ``inputs``.

    It is an option of the commands that judge, show and compare files too.

    Attributes
    ----------
    name : str
        The argument and the option.
    about : str
        Its documentation and help.
    metavar : str
        What the help calls its value.
    several : bool
        Whether it may be a list.
    among : sequence of str
        The words that it accepts; none if any text will do.

    """

    name: str
    about: str
    metavar: str = "COLUMN"
    several: bool = False
    among: Sequence[str] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The features that a part adds.

    A file ``sources.txt`` in its folder adds works to the bibliography, in the format of
    ``tallymark/metric/sources.txt``.

    Attributes
    ----------
    package : str
        The package of the part: ``__name__`` where it is declared.
    names : {str: str}
        Public names of ``tallymark``, each with its function or class.
    inputs : sequence of str
        Functions that ``evaluate()`` calls with the :class:`~tallymark.api.Asked` before
        it counts arrays and tables, unless these are NumPy labels with predictions or scores. Each
        returns an evaluation or another :class:`~tallymark.display.Document`, or None for other
        input. The first result is used; ``Asked.judged(after=...)`` calls only the functions after
        a given one.
    words : sequence of Word
        Arguments of ``evaluate`` that these functions read; all others refuse them.
    without_truth : sequence of str
        Functions that ``evaluate()`` calls with the :class:`~tallymark.api.Asked` if its table has
        no true class and the user named no column of predictions. Each returns a result, or None.
    openers : sequence of str
        Functions that are called with a text or a frame before it is opened as a file or as a frame
        in memory. Each returns a :class:`~tallymark.reading.chunks.FrameTable`, which may count its
        rows itself, or None for other input.
    tables : sequence of str
        Functions that are called with the :class:`~tallymark.reading.readers.Request` for an open
        table. If its lines are not predictions, they return what was counted, else None.
    results : sequence of str
        Functions that create a table of results from a source, such as by training models on data
        sets. They are called with the source and the file that stores the results, if any. Each
        returns an object whose ``metrics(asked)`` lists the metrics of the table and whose
        ``table(...)`` creates it, or None for a source that already is a table.
    results_options : sequence of str
        Functions that add the options of that ``table(...)`` to a command: its arguments, and
        ``results`` for the file.
    without_columns : sequence of str
        The kinds of sources, ``Source.kind``, without columns that the part counts.
    checks : sequence of str
        Functions that are called with an open table of predictions and what was counted of it. Each
        yields findings on its rows, such as what unused columns say about them.
    commands : sequence of str
        Modules that declare commands of the command line.
    readers : sequence of str
        Tables of :class:`~tallymark.reading.kinds.Reader`: file formats and their readers.
    roles : sequence of Role
        Columns of numbers beside the rows, which metrics and curves of the part read: arguments of
        ``evaluate`` and options of the command line. Each names its tally.
    intervals : {str: str}
        Functions that give the intervals of statistics whose rows depend on each other in a way
        that the part knows, each by the role, or the key of ``Source.checks``, that shows it. Each
        is called with the counted rows, a model, {key: statistic} and the level, and returns {key:
        value} for those that it judges.
    metrics, curves : {str: str}
        Modules that declare metrics, with :func:`tallymark.metric.metric` and its relatives, or
        curves, with :func:`tallymark.curve.curve`. Each maps to the name of the core metric or
        curve after which its own are listed.
    headline : {str: str}
        Metrics that are shown first, each with the metric that it follows.
    in_use : {str: {str: str}}
        Metrics and curves that a use of the core shows first too, each with what it follows there.
    layouts : sequence of str
        Each a :class:`~tallymark.reading.layouts.Layout`: names of columns of predictions that
        determine what the columns contain.
    blocks : str
        The module that renders the part's results, "" if there is none. For a class
        ``CallsByHour``, its function ``calls_by_hour`` returns blocks, and ``calls_by_hour_card``,
        if it exists, returns the blocks for notebooks.
    panels : {str: str}
        Sections of the page that ``tallymark report`` writes, each by its anchor. The function is
        called with the evaluation and the name of its best model. It returns a
        :class:`~tallymark.report.blocks.Panel`, which says after which section it comes, or None
        if the page shows none, such as for some values of ``use=``.
    plots : {str: str}
        Functions of ``tallymark.plot`` that draw the part's results on matplotlib axes.
    numbers : {str: str}
        Numbers that the part computes and that are not metrics, each with its meaning, which
        ``tallymark explain`` prints. Their standard errors are printed beside the intervals.
    questions : {str: str}
        Methods of an evaluation: ``ev.NAME()`` calls the function with the evaluation. It returns
        {model: result}, or an empty dictionary if it does not apply. ``ev.help()`` lists it if it
        applies; the JSON of a model has its result under the name, or null if there is none.
    methods : {str: str}
        Methods of an evaluation of one model: ``ev.NAME(...)`` calls the function with the
        evaluation and the arguments. ``ev.help()`` lists it if there are two classes.
    uses : {str: str}
        Values of ``use=``, each with its :class:`~tallymark.report.uses.Use`.
    own_uses : {str: str}
        Uses that functions of the part write into the source; users cannot select them.
    judged_elsewhere : sequence of str
        Functions that are called with the column names of a table without true classes. Each
        returns a sentence that names the command or function for it, or None.
    also_read : sequence of str
        Functions that are called with a :class:`~tallymark.reading.profile.Look` at a table in
        which the user named no truth, prediction or score. Each returns the arguments of
        ``evaluate`` with which a part judges it, and in words why its names suggest so, "" if they
        do not; or None. A question about the columns lists these arguments. Where names suggest
        them, columns that would be read as truth and predictions are asked about.
    few_truths : sequence of str
        Functions that are called with the column of the true class, if it is missing in most rows,
        and the names of the columns that are not read. Each returns what else to do than to leave
        those rows out, to follow a semicolon, or None.
    graded : sequence of str
        Functions that are called with paths of evaluation logs, and with "wrong", "left-out" or
        None for how to count samples that failed. Each returns a table with a row for each graded
        answer and the columns item, epoch, model, task, scorer and value, or None if it does not
        read such logs.
    of_graded : sequence of str
        Functions that are called with such a table and the :class:`~tallymark.api.Asked`. Each
        returns the result that ``evaluate()`` gives.
    definitions : sequence of str
        Functions that are called with an evaluation and a :class:`~tallymark.metric.Metric`. Each
        yields definitions of the metric that :func:`tallymark.which_definition` tries too: the name
        of a model, words for the definition, and its value.
    findings : sequence of str
        Modules that declare rules of notes with :func:`tallymark.findings.rules.rule`.

    """

    package: str
    names: Mapping[str, str] = field(default_factory=dict)
    inputs: Sequence[str] = ()
    words: Sequence[Word] = ()
    without_truth: Sequence[str] = ()
    tables: Sequence[str] = ()
    openers: Sequence[str] = ()
    results: Sequence[str] = ()
    results_options: Sequence[str] = ()
    without_columns: Sequence[str] = ()
    checks: Sequence[str] = ()
    commands: Sequence[str] = ()
    readers: Sequence[str] = ()
    roles: Sequence[Role] = ()
    intervals: Mapping[str, str] = field(default_factory=dict)
    metrics: Mapping[str, str] = field(default_factory=dict)
    curves: Mapping[str, str] = field(default_factory=dict)
    headline: Mapping[str, str] = field(default_factory=dict)
    in_use: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    layouts: Sequence[str] = ()
    blocks: str = "blocks"
    panels: Mapping[str, str] = field(default_factory=dict)
    plots: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    questions: Mapping[str, str] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    uses: Mapping[str, str] = field(default_factory=dict)
    own_uses: Mapping[str, str] = field(default_factory=dict)
    judged_elsewhere: Sequence[str] = ()
    also_read: Sequence[str] = ()
    few_truths: Sequence[str] = ()
    graded: Sequence[str] = ()
    of_graded: Sequence[str] = ()
    definitions: Sequence[str] = ()
    findings: Sequence[str] = ()

    def load(self, place: str) -> Any:
        """Return the module of that name in this part, or a function or class of the module."""
        module, _, name = place.partition(":")
        loaded = import_module(f"{self.package}.{module}")
        return getattr(loaded, name) if name else loaded


@cache
def parts() -> tuple[Part, ...]:
    """Return the installed parts of this distribution, and those of other distributions."""
    here = Path(__file__).parent
    folders = [folder for folder in map(folder_of, OURS) if (here / folder).is_dir()]
    ours = [import_module(f"tallymark.{folder.replace('/', '.')}").PART for folder in folders]
    return (*ours, *_of_others())


def folder_of(name: str) -> str:
    """Return the folder of a part, relative to that of the package."""
    return name if name in BESIDE else f"parts/{name}"


def _of_others() -> Iterator[Part]:
    """Yield the parts of other distributions.

    Importing ``importlib.metadata`` doubles the time that the help of the command line takes, so
    it is imported only if a file of entry points contains our group.
    """
    files = (f for folder in sys.path for f in Path(folder).glob("*-info/entry_points.txt"))
    if any(f"[{_GROUP}]".encode() in file.read_bytes() for file in files):
        for entry in import_module("importlib.metadata").entry_points(group=_GROUP):
            yield entry.load()


@cache
def added(what: str) -> tuple[Any, ...]:
    """Return the loaded additions of all parts in a field of :class:`Part`, such as "inputs"."""
    return tuple(part.load(place) for part in parts() for place in getattr(part, what))


def answer(what: str, *arguments: Any) -> Any:
    """Return the first result of the functions in a field that is not None, else None."""
    answers = (function(*arguments) for function in added(what))
    return next((result for result in answers if result is not None), None)


def in_their_places(what: str, registry: dict[str, Any]) -> None:
    """Load the modules of parts that fill a registry, and move their entries to the declared place.

    ``what`` is a field of :class:`Part` that maps modules to names of the registry, "metrics" or
    "curves". Entries that should follow an unknown name come last.
    """
    for part in parts():
        for module, before in getattr(part, what).items():
            order = list(registry)
            part.load(module)
            after = order[order.index(before) + 1 :] if before in order else []
            for name in after:
                registry[name] = registry.pop(name)


def with_added(what: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return names with those that parts add, each after the name that it follows.

    ``what`` is a field of :class:`Part` that maps added names to others, such as "headline".
    """
    result = list(names)
    for part in parts():
        for name, before in getattr(part, what).items():
            result.insert(result.index(before) + 1 if before in result else len(result), name)
    return tuple(result)


def part_of(result_class: type) -> Part | None:
    """Return the part that defines a class; None for a class of the core."""
    return next((p for p in parts() if result_class.__module__.startswith(f"{p.package}.")), None)


@cache
def names(what: str = "names") -> Mapping[str, tuple[Part, str]]:
    """Return the public names that parts add, each with its part and its location there.

    ``what`` is another field of :class:`Part` that maps names to locations, such as "questions".
    """
    by_name: dict[str, tuple[Part, str]] = {}
    for part in parts():
        for name, place in getattr(part, what).items():
            _refuse_second(name, part, by_name)
            by_name[name] = part, place
    return by_name


def _refuse_second(name: str, part: Part, by_name: Mapping[str, tuple[Part, Any]]) -> None:
    """Raise InputError if another part has already added a name."""
    if name in by_name:
        raise InputError(
            f"{name!r} is added by two parts, {by_name[name][0].package} and {part.package}; "
            "remove one of them"
        )


@cache
def numbers() -> Mapping[str, str]:
    """Return the numbers that parts compute besides the metrics, each with its meaning."""
    return {name: meaning for part in parts() for name, meaning in part.numbers.items()}


@cache
def part_roles() -> Mapping[str, Role]:
    """Return the roles of all installed parts that are arguments of what reads rows, by name."""
    return {name: role for name, role in kept_roles().items() if role.of_rows}


@cache
def kept_roles() -> Mapping[str, Role]:
    """Return the roles declared by all installed parts, by name."""
    by_name: dict[str, tuple[Part, Role]] = {}
    for part in parts():
        for role in part.roles:
            _refuse_second(role.name, part, by_name)
            by_name[role.name] = part, role
    return {name: role for name, (_, role) in by_name.items()}


@cache
def part_words() -> Mapping[str, Word]:
    """Return the arguments that parts add to ``evaluate`` for their inputs, by name."""
    by_name: dict[str, tuple[Part, Word]] = {}
    for part in parts():
        for word in part.words:
            _refuse_second(word.name, part, by_name)
            by_name[word.name] = part, word
    return {name: word for name, (_, word) in by_name.items()}


@cache
def tally_of(role: str) -> Any:
    """Return the class of the tallies of a role."""
    declared = ((part, own) for part in parts() for own in part.roles)
    return next(part.load(own.tally) for part, own in declared if own.name == role)
