"""The values that every public argument accepts, and the decorator that checks them.

An argument has one meaning wherever it occurs, so its name is looked up in :data:`CONTRACT`. A
function that accepts fewer values, such as other words, declares that: ``@checked(test=...)``.
"""

from __future__ import annotations

import inspect
import operator
import os
import re
import reprlib
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from keyword import iskeyword
from typing import Any, TypeVar, overload

from tallymark.errors import InputError, choices, out_of_memory
from tallymark.part import Role, Word, names, part_roles, part_words, parts

Read = Callable[[Any], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """The values that an argument accepts: a description, and a function that parses them.

    ``read`` returns plain Python, and raises TypeError, ValueError or OverflowError for any other
    value, or its own InputError. ``among`` are the accepted words, where these are known.
    """

    words: str
    read: Read
    among: tuple[str, ...] = ()

    def __or__(self, other: Kind) -> Kind:
        """Return the kind of values that are of either kind."""

        def read(value: Any) -> Any:
            try:
                return self.read(value)
            except _UNSUITABLE:
                return other.read(value)

        return Kind(f"{self.words}, or {other.words}", read)

    def of(self, name: str, value: Any) -> Any:
        """Return a value as plain Python; refuse an unsuitable one under the argument's name."""
        try:
            return self.read(value)
        except InputError:
            raise
        except _UNSUITABLE:
            raise self.refusal(name, value) from None

    def refusal(self, name: str, value: Any) -> InputError:
        """Return the error for a value: what it is, where, and what to give instead."""
        as_shown = shown(value)
        remedy = choices(as_shown.strip("'"), self.among) if self.among else f"give {self.words}"
        return InputError(f"{name} is {as_shown}; {remedy}")


_UNSUITABLE = (TypeError, ValueError, OverflowError, AttributeError)


def shown(value: Any) -> str:
    """Return a value shortened to one line for an error message.

    >>> shown({"a": list(range(100))})
    "{'a': [0, 1, 2, 3, 4, 5, ...]}"
    """
    try:
        return " ".join(_SHORT.repr(value).split())
    except Exception:  # its repr failed, or a number has too many digits
        return f"of type {type(value).__name__}"


_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60


# -- kinds ---------------------------------------------------------------------------------------


def number(limits: str, words: str) -> Kind:
    """Return the kind of numbers in an interval: ``number("[0, 1)", "a share below 1")``.

    >>> number("(0, 1)", "a number between 0 and 1").read(0.5)
    0.5
    """
    low, high = (float(end) for end in limits[1:-1].split(","))
    above, below = (
        (operator.gt if limits[0] == "(" else operator.ge),
        (operator.lt if limits[-1] == ")" else operator.le),
    )

    def read(value: Any) -> Any:
        plain = _plain_number(value)
        if not (above(plain, low) and below(plain, high)):
            raise ValueError
        return value if type(value) is int and abs(value) < _EXACT_INTEGERS else plain

    return Kind(words, read)


_EXACT_INTEGERS = 1 << 53
"""All integers below this are exact as floats."""


def _plain_number(value: Any) -> float:
    """Return a number from any library as a Python number; booleans and texts are refused."""
    if type(value) is float:
        return value
    if isinstance(value, bool | str | bytes | bytearray) or getattr(value, "ndim", 0) != 0:
        raise TypeError
    if hasattr(value, "mask") or getattr(getattr(value, "dtype", None), "kind", "f") not in "iuf":
        raise TypeError  # NumPy also has texts and dates
    return float(value)


def whole(least: int, most: int | float = 2**63 - 1, words: str = "") -> Kind:
    """Return a kind of argument: integers in a range.

    >>> whole(1).words
    'a whole number, at least 1'
    """
    limits = f"at least {least:,}" if most >= 2**63 - 1 else f"from {least:,} to {most:,}"

    def read(value: Any) -> int:
        if isinstance(value, bool) or getattr(value, "ndim", 0) != 0:
            raise TypeError
        plain = operator.index(value)
        if not least <= plain <= most:
            raise ValueError
        return plain

    return Kind(words or f"a whole number, {limits}", read)


def one_of(*words: str) -> Kind:
    """Return the kind of an argument that accepts a fixed set of words."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise ValueError
        return value

    return Kind("one of " + ", ".join(map(repr, words)), read, words)


def made_by(words: str, *classes: str) -> Kind:
    """Return the kind of a tallymark result, by class name to avoid imports of upper layers."""
    accepted: set[type] = set()

    def read(value: Any) -> Any:
        if type(value) not in accepted:
            if not any(c.__name__ in classes for c in type(value).__mro__):
                raise TypeError
            accepted.add(type(value))
        return value

    return Kind(words, read)


def several(kind: Kind, words: str) -> Kind:
    """Return the kind of a list of such values; a single value is accepted too."""

    def read(value: Any) -> list[Any]:
        if isinstance(value, str) or not isinstance(value, Iterable):
            return [kind.read(value)]
        if isinstance(value, Mapping | bytes | bytearray) or getattr(value, "ndim", 1) != 1:
            raise TypeError
        if hasattr(type(value), "_keys"):  # a result, which iterates over its names
            raise TypeError
        return [kind.read(v) for v in value]

    return Kind(words, read)


def pair_of(kind: Kind) -> Kind:
    """Return the kind of a pair of such values."""

    def read(value: Any) -> tuple[Any, ...]:
        one, other = value
        return kind.read(one), kind.read(other)

    return Kind(f"two: each {kind.words}", read)


def mapping(words: str) -> Kind:
    """Return the kind of mappings; their contents are checked by the code that reads them."""
    return Kind(words, _instance_of(Mapping))


def _instance_of(*types: Any) -> Read:
    def read(value: Any) -> Any:
        if not isinstance(value, types):
            raise TypeError
        return value

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return str(value)


def _noun(value: Any) -> str:
    """Return a word and, after a slash, its plural: letters, blanks and hyphens."""
    words = [word.strip() for word in _text(value).split("/")]
    if len(words) > 2 or not all(re.fullmatch(r"[^\W\d_]([^\W\d_]|[ -]){0,29}", w) for w in words):
        raise ValueError
    return "/".join(words)


def _flag(value: Any) -> bool:
    if type(value).__name__ not in ("bool", "bool_"):
        raise TypeError
    return bool(value)


def _budget(value: Any) -> float | int:
    """Return a share of the rows as a float, or a number of rows as an integer."""
    if isinstance(value, str) and value.strip().endswith("%"):
        number: float = float(value.strip()[:-1]) / 100
        rows = False
    else:
        plain = (float if "." in value else int)(value) if isinstance(value, str) else value
        number = _plain_number(plain)
        rows = number > 1 or (number == 1 and not isinstance(plain, float))
    if not number > 0 or (rows and not number.is_integer()) or (number > 1 and not rows):
        raise ValueError
    return int(number) if rows else number


def _false(value: Any) -> bool:
    if _flag(value):
        raise TypeError
    return False


def _path(value: Any) -> Any:
    if not isinstance(value, str | os.PathLike) or b"\0" in os.fsencode(value):
        raise TypeError
    return value


def _label(value: Any) -> Any:
    if not isinstance(value, str | bytes | int | float) and not hasattr(value, "item"):
        raise TypeError
    if getattr(value, "ndim", 0) != 0 or hasattr(value, "mask"):
        raise TypeError
    plain = value.item() if hasattr(value, "item") else value  # np.float64 is also a float
    if isinstance(plain, float) and not plain.is_integer():  # also refuses NaN and infinity
        raise ValueError
    return value


def _labels(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str | bytes | Mapping) or getattr(value, "ndim", 1) != 1:
        raise TypeError
    return tuple(_label(v) for v in value)


def _numbers(value: Any) -> Any:
    import numpy as np  # not needed by the help of the command line

    with np.errstate(all="ignore"):
        return np.asarray(value, dtype=np.float64)


def _function(value: Any) -> Any:
    if not callable(value):
        raise TypeError
    return value


ANY = Kind("what its reader takes", lambda value: value)
"""Rows of data, and other arguments that are checked as a whole where they are read."""

SHARE = number("(0, 1)", "a number between 0 and 1, such as 0.5")
RATE = number("[0, 1]", "a number from 0 to 1")
ABOVE_0 = number("(0, inf)", "a finite number above 0")
FINITE = number("(-inf, inf)", "a finite number")
COST = number("[0, inf)", "a finite number, zero or more")
CORRELATION = number("[-1, 1]", "a number from -1 to 1")
COUNT = whole(1)
TEXT = Kind("a text", _text)
TEXTS = several(TEXT, "a string or a list of strings")
MODELS = Kind("names of models, each by itself: ev.compare('a', 'b')", _text)
FLAG = Kind("True or False", _flag)
PATH = Kind("a path, as a string or pathlib.Path", _path)
LABEL = Kind("one label, a string or a whole number", _label)
LABELS = Kind("a list of labels, such as ['no', 'yes']", _labels)
FUNCTION = Kind("a function", _function)
NUMBERS = Kind("numbers", _numbers)
EVALUATION = made_by("an evaluation, such as tm.evaluate(y_true, y_pred)", "Evaluation")
METRIC = Kind("a metric by its name, such as 'f1'", (TEXT | made_by("", "Metric")).read)
METRICS = several(METRIC, "metrics by their names, such as ['f1', 'mcc']")

REAL = Kind(
    "a number", lambda value: float(value) if isinstance(value, float) else FINITE.read(value)
)
NUMBER = number("[-inf, inf]", "a number")
THRESHOLD = number("[-inf, inf]", "the number at or above which scores are called positive")

_OF_THE_CORE: Mapping[str, Kind] = {
    # rows and their columns
    **dict.fromkeys(
        (
            "data",
            "y_true",
            "y_pred",
            "y_score",
            "sample_weight",
            "cluster",
            "fold",
            "subgroup",
            "pos",
            "neg",
            "memory",
            "table",
            "stated",
            "weights",
            "statistic",
            "index",
            "against",
        ),
        ANY,
    ),
    **dict.fromkeys(
        (
            "truth",
            "weight",
            "dataset",
            "value",
            "name",
            "first",
            "second",
            "sheet",
            "source",
            "on",
        ),
        TEXT,
    ),
    "count": TEXT | Kind("False where each line is one row", _false),
    "model": TEXT | Kind("False where no column names models", _false),
    "pred": TEXTS,
    "score": TEXTS,
    "columns": TEXTS,
    "positive": LABEL,
    "score_of": Kind("a class, 'prediction' or a class for each column", (LABEL | LABELS).read),
    "labels": LABELS,
    "classes": LABELS,
    "reading": mapping("words such as {'score_is': 'logit'}")
    | PATH
    | made_by("the reading of an evaluation", "Reading"),
    "options": mapping("words such as {'header': False}"),
    "missing": one_of("error", "drop") | several(NUMBER, "codes such as [-100]"),
    **dict.fromkeys(
        ("ignore_case", "percent", "header", "keep_pairs", "per_class", "as_printed"), FLAG
    ),
    "first_row": whole(0),
    "progress": FUNCTION,
    "path": PATH,
    # what is computed
    "metric": METRIC,
    "metrics": METRICS,
    "names": METRICS,
    "claims": mapping("numbers by metric, such as {'accuracy': '0.93'}"),
    "params": mapping("a dictionary of parameters"),
    "average": one_of("overall", "binary", "macro", "micro", "weighted", "per_class"),
    "skip_undefined": FLAG,
    "method": TEXT,
    "band": TEXT,
    "undefined": Kind("'nan', 'raise' or a number", (one_of("nan", "raise") | NUMBER).read),
    "over": one_of("threshold", "prevalence"),
    "adjust": one_of("holm", "bonferroni", "none"),
    "rounding": one_of("half", "truncate", "either"),
    "score_is": one_of("probability", "percent", "logit", "log_probability", "score", "lower"),
    "better": one_of("high", "low"),
    "use": one_of(
        "medicine",
        *names("uses"),
        "marketing",
        "defects",  # fields
        "ranking",
        "decisions",
        "probabilities",
        "teaching",
    ),
    "worse": one_of("missed", "false alarms"),
    "noun": Kind("a word for a row, such as 'loan' or 'child/children'", _noun),
    "budget": Kind(
        "a share of the rows such as '20%' or 0.2, or a number of rows such as 500", _budget
    ),
    "within": mapping("limits by metric, such as {'fpr': 0.01}"),
    **dict.fromkeys(("a", "b", "ev", "other"), EVALUATION),
    # numbers
    "level": number("(0, 1)", "a number between 0 and 1, such as 0.95"),
    "seed": whole(0),
    "threshold": THRESHOLD,
    "tolerance": SHARE,
    "margin": number("(0, inf)", "a number above 0: how much worse still counts as no worse"),
    "mute": several(TEXT, "codes of rules such as ['mean-of-two-rates']"),
    "least": number("(0, inf)", "a number above 0: the smallest difference that matters"),
    "permutations": whole(0, 1_000_000),
    "draws": whole(1, 1_000_000),
    "points": whole(2),
    "parts": whole(1, 100_000),
    "bounds": one_of("interval", "consistency"),
    "ratio": number("[0, inf)", "test rows over training rows, such as 1/9 for ten folds"),
    "differences": FLAG,
    "null": FINITE,
    "width": whole(1, 10_000),
    **dict.fromkeys(("most", "n", "k", "bins"), COUNT),
    **dict.fromkeys(("power", "prevalence", "prior", "assurance"), SHARE),
    **dict.fromkeys(("cost_fp", "cost_fn"), COST),
}


def _with_roles(arguments: Mapping[str, Kind]) -> Mapping[str, Kind]:
    """Return the arguments with those that roles of parts add; refuse a name with two meanings."""
    added: list[tuple[str, str]] = []
    for part in parts():
        added += [(part.package, role.name) for role in part.roles]
        added += [(part.package, word.name) for word in part.words]
    for package, name in added:
        if not name.isidentifier() or iskeyword(name):
            raise InputError(
                f"{package} adds the role {name!r}, which cannot be the name of an argument; "
                "name it with letters, digits and underscores, unlike a word of Python"
            )
        if name in arguments or name == "self":
            raise InputError(
                f"{package} adds the role {name!r}, which is an argument of tallymark "
                "already; give the role another name"
            )
    return {**arguments, **dict.fromkeys(part_roles(), ANY)}


CONTRACT = _with_roles(_OF_THE_CORE)
"""The values that each public argument accepts, by argument name."""


NAMED_HERE: Mapping[str, str] = {
    "labels": "classes",
    "sample_weight": "weight",
    "y": "truth",
    "cv": "fold",
    **{w: f"reading={{'{w}': ...}}" for w in ("ignore_case", "percent", "score_is")},
    **{w: f"options={{'{w}': ...}}" for w in ("header", "sheet", "memory", "tolerance")},
    "progress": "options={'progress': ...}",
    "source": "options={'name': ...}",
    "pos_label": "positive",
    "y_prob": "y_score",
    "y_proba": "y_score",
}
"""Names that an argument has in other libraries or once had, each with its name here."""

STATED_LATER: Mapping[str, str] = {
    "costs": ".at(cost_fp=..., cost_fn=...) of the result",
    **{
        w: f".at({w}=...) of the result"
        for w in ("cost_fp", "cost_fn", "prevalence", "budget", "noun")
    },
}
"""What is stated of counted rows, not while they are read."""


# -- the decorator -------------------------------------------------------------------------------

Checked = TypeVar("Checked", bound=Callable[..., Any])


@overload
def checked(target: Checked, /) -> Checked: ...
@overload
def checked(**own: Kind) -> Callable[[Checked], Checked]: ...


def checked(target: Any = None, /, **own: Kind) -> Any:
    """Return a public function, or a class with public methods, that checks its arguments.

    Each argument is looked up by its name in :data:`CONTRACT`, unless ``own`` gives its kind. The
    default of an argument is always accepted, including None.

    >>> @checked
    ... def rows(level=0.95): return level
    >>> rows("x")
    Traceback (most recent call last):
        ...
    tallymark.errors.InputError: level is 'x'; give a number between 0 and 1, such as 0.95
    """
    if target is None:
        return lambda function_or_class: _checked(function_or_class, own)
    return _checked(target, own)


def _checked(target: Any, own: Mapping[str, Kind]) -> Any:
    if not isinstance(target, type):
        return checked_function(target, own)
    for name, member in list(vars(target).items()):
        if name[0] == "_":
            continue
        if isinstance(member, classmethod | staticmethod):
            setattr(target, name, type(member)(checked_function(member.__func__, own)))
        elif inspect.isfunction(member):
            setattr(target, name, checked_function(member, own))
    return target


def trusted(method: Checked) -> Checked:
    """Return a method whose arguments are not checked again: the core has checked them."""
    method.contract = {}  # type: ignore[attr-defined]
    return method


def read(name: str, value: Any) -> Any:
    """Return an argument as plain Python; refuse an unsuitable value.

    >>> read("seed", 1.5)
    Traceback (most recent call last):
        ...
    tallymark.errors.InputError: seed is 1.5; give a whole number, at least 0
    """
    return CONTRACT[name].of(name, value)


def _reader(name: str, kind: Kind, default: Any) -> Read:
    of_kind = kind.read

    def reader(value: Any) -> Any:
        try:
            return value if value is default else of_kind(value)
        except InputError:
            raise
        except _UNSUITABLE:
            raise kind.refusal(name, value) from None

    return reader


def checked_function(function: Any, own: Mapping[str, Kind]) -> Any:
    """Return a function that checks its arguments first; a checked one is returned as it is."""
    if hasattr(function, "contract"):
        return function
    parameters = inspect.signature(function).parameters.values()
    kinds = {p.name: own.get(p.name) or CONTRACT.get(p.name) for p in parameters}
    readers = {
        p.name: _reader(p.name, kind, p.default)
        for p in parameters
        if (kind := kinds[p.name]) is not None and kind is not ANY
    }
    positional = [readers.get(p.name) for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    variadic = next((readers.get(p.name) for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    has_positional, n = variadic is not None or any(positional), len(positional)
    keywords = {p.name for p in parameters if p.kind is not p.VAR_KEYWORD}
    renamed = {
        w: new for w, new in NAMED_HERE.items() if w not in kinds and new.split("=")[0] in keywords
    }
    if "data" in keywords:
        renamed |= {w: at for w, at in STATED_LATER.items() if w not in keywords}
    contract = {n: k for n, k in kinds.items() if n not in ("self", "cls")}
    if not readers and not renamed:
        function.contract = contract
        return function

    @wraps(function)
    def with_checks(*args: Any, **named: Any) -> Any:
        if has_positional:
            readers_of = (
                positional if len(args) <= n else [*positional, *[variadic] * (len(args) - n)]
            )
            args = tuple([r(v) if r else v for r, v in zip(readers_of, args, strict=False)])
        for name, value in named.items():
            if (reader := readers.get(name)) is not None:
                named[name] = reader(value)
            elif name in renamed:
                new = renamed[name] if "=" in renamed[name] else f"{renamed[name]}="
                raise InputError(f"there is no argument {name}; use {new}")
            elif name == "y_true" and name not in kinds and "data" in keywords:
                raise InputError(_of_truth(function.__name__, named))
        try:
            return function(*args, **named)
        except MemoryError as error:
            raise out_of_memory(error) from None
        except TypeError as error:
            if remedy := _remedy(function, args, named):
                said = str(error).split(". Did you mean")[0]  # Python's own guess, from 3.13 on
                raise TypeError(f"{said}; {remedy}") from None
            raise

    with_checks.contract = contract  # type: ignore[attr-defined]
    return with_checks


def _of_truth(function: str, named: Mapping[str, Any]) -> str:
    """Return how to give the truth that was given as ``y_true``."""
    words = {"y_true": "truth", "y_pred": "pred", **dict.fromkeys(("y_score", *_SCORES), "score")}
    if isinstance(named["y_true"], str):
        columns = [f"{w}={named[n]!r}" for n, w in words.items() if isinstance(named.get(n), str)]
        return f"y_true is {named['y_true']!r}, the name of a column; say {', '.join(columns)}"
    arrays = [f"{NAMED_HERE.get(n, n)}=..." for n in words if n in named and n != "y_true"]
    call = f"{function}({', '.join(['y_true', *arrays])})"
    return f"y_true is the first argument, without a name; say {call}"


_SCORES = ("y_prob", "y_proba")


def _remedy(function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Return how to call a function, or an empty text if the arguments fit its signature."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args, **named)
    except TypeError:
        given = {n: p for n, p in signature.parameters.items() if n not in ("self", "cls")}
        unknown = next((n for n in named if n not in given), None)
        if unknown is not None:
            return choices(unknown, given)
        words = [_written(p) for p in given.values()]
        more = ["..."] if len(words) > MOST_WRITTEN else []
        return f"write {function.__qualname__}({', '.join([*words[:MOST_WRITTEN], *more])})"
    return ""


MOST_WRITTEN = 4
"""Arguments of a function that an error message lists."""


def _written(p: inspect.Parameter) -> str:
    """Return an argument as a call has it."""
    stars = "*" * ((p.kind is p.VAR_POSITIONAL) + 2 * (p.kind is p.VAR_KEYWORD))
    return f"{stars}{p.name}{'=...' * (p.kind is p.KEYWORD_ONLY)}"


# -- roles of parts ------------------------------------------------------------------------------


def takes_roles(after: str, *, words: bool = False) -> Callable[[Checked], Checked]:
    """Return a decorator for a function of ``**roles``: its arguments include the roles of parts.

    With ``words`` they include the words of parts too. Its signature lists them after the argument
    ``after``, its docstring instead of ``**roles``.
    """

    def listing(function: Any) -> Any:
        signature = inspect.signature(function)
        *declared, _ = signature.parameters.values()
        index = [p.name for p in declared].index(after) + 1
        roles = part_roles().values()
        more = part_words().values() if words else ()
        named = [argument.name for argument in (*roles, *more)]
        added = [inspect.Parameter(n, declared[-1].KEYWORD_ONLY, default=None) for n in named]
        parameters = [*declared[:index], *added, *declared[index:]]
        function.__signature__ = signature.replace(parameters=parameters)
        if function.__doc__:
            documentation = "".join((*map(_documentation, roles), *map(_of_word, more)))
            function.__doc__ = _OF_ROLES.sub(lambda _: documentation, function.__doc__)
        return function

    return listing


_OF_ROLES = re.compile(r"^ +\*\*roles : .*\n(?: {8}.*\n)+", re.MULTILINE)


def _documentation(role: Role) -> str:
    """Return the entry of a role in the parameters section of a docstring."""
    about = textwrap.fill(f"{role.about} Needs a score of two classes.", 92)
    return (
        f"    {role.name} : array of n numbers, or the name of a column, optional\n"
        f"{textwrap.indent(about, ' ' * 8)}\n"
    )


def _of_word(word: Word) -> str:
    """Return the entry of a word in the parameters section of a docstring."""
    type_ = "str or sequence of str" if word.several else "str"
    if word.among:
        type_ = "{" + ", ".join(f'"{w}"' for w in word.among) + "}"
    about = textwrap.fill(word.about, 92)
    return f"    {word.name} : {type_}, optional\n{textwrap.indent(about, ' ' * 8)}\n"


def kinds_of_words() -> dict[str, Kind]:
    """Return the accepted values of each argument that parts add to ``evaluate``, by name."""
    return {
        w.name: one_of(*w.among) if w.among else TEXT | TEXTS if w.several else TEXT
        for w in part_words().values()
    }


def given_roles(function: str, roles: Mapping[str, Any], *, words: bool = False) -> dict[str, Any]:
    """Return the argument of each role, and of each word with ``words``, None if it is missing.

    Other arguments raise TypeError.
    """
    known = (*part_roles(), *(part_words() if words else ()))
    for name in roles:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    return {name: roles.get(name) for name in known}
