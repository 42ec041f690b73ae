"""Write the stubs that editors and type checkers read: python tools/stubs.py src/tallymark.

``__init__.pyi`` comes from the package's names and those that parts add, ``core.pyi`` from what
parts may use, ``report/part_methods.pyi`` from what they answer, ``reading/role_arguments.pyi``
from the roles that they declare, and ``metrics.pyi`` from the registry, each metric and alias with
its own parameters. A part whose names have a stub of their own writes it by
``tests/parts/NAME/stub.py``: its ``stub()`` returns that of ``FILE``.
"""

from __future__ import annotations

import inspect
import keyword
import runpy
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import tallymark.core
from tallymark.contract import CONTRACT
from tallymark.metric import METRICS, Metric
from tallymark.metric.measure import ONE_CLASS_AT_A_TIME
from tallymark.metric.registry import OF_WHOLE_ROWS, plain
from tallymark.part import names, part_roles, part_words

HEAD = '''"""{about}

Made by `make stubs`; a test keeps it current.
"""

'''

METRICS_HEAD = '''
from collections.abc import Sequence
from typing import Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from tallymark.metric import Metric
from tallymark.tally.arrays import Label
from tallymark.tally.labels import LabelTally
from tallymark.tally.scores import ScoreTally
from tallymark.tally.sums import Sums

class _Column(Protocol):
    """A list, an array, a series or a frame."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: Any, /) -> Any: ...
'''

LABELS = "Sequence[Label] | NDArray[Any] | None"
TYPES = {
    "y_pred": "_Column | None",
    "positive": "Label | None",
    "labels": LABELS,
    "classes": LABELS,
    "sample_weight": "_Column | None",
    "undefined": 'Literal["nan", "raise"] | float',
    "skip_undefined": "bool",
    "missing": 'Literal["error", "drop"]',
}
"""The types of what every metric is called with; those of its own parameters are its function's."""

TALLIES = {"counts": "LabelTally", "matrix": "LabelTally", "rows": "ScoreTally | Sums"}
TALLIES |= {"label_sets": "Sums", "label_rankings": "Sums"}


def metrics() -> str:
    """Return the stub of tallymark.metrics."""
    parts = [
        HEAD.format(about="Every metric as a function: ``tallymark.metrics.mcc(y_true, y_pred)``."),
        METRICS_HEAD,
    ]
    for m in METRICS.values():
        kind = "_" + "".join(word.title() for word in m.name.split("_"))
        parts.append(f"\nclass {kind}(Metric):\n")
        parts += _calls(m)
        names = dict.fromkeys([m.name, *(n for alias in m.aliases for n in _spellings(alias))])
        shown = docstring(f"{m.title}: {m.words.formula}.\n\n{m.words.meaning}", 0)
        parts.append("\n" + "".join(f"{name}: {kind}\n{shown}\n" for name in names))
    return "".join(parts)


def _about(m: Metric) -> str:
    told = [f"{m.title}: {m.words.formula}.", m.words.meaning]
    told += [f"Misleading: {m.words.misleads}"] if m.words.misleads else []
    told += [f"Undefined where {'; '.join(m.undefined)}."] if m.undefined else []
    return "\n\n".join(told)


def _spellings(alias: str) -> Iterator[str]:
    """Yield an alias as Python can spell it: as it is published, and in lower case."""
    published = alias.replace("'s ", " ").replace("'", "").replace("-", "_").replace(" ", "_")
    for name in (published, plain(alias)):
        if name.isidentifier() and not keyword.iskeyword(name):
            yield name


def _calls(m: Metric) -> Iterator[str]:
    if m._needs in OF_WHOLE_ROWS:
        words: tuple[str, ...] = ("overall",)
    elif m._needs == "probabilities":
        words = ("overall", "binary")
    else:
        words = CONTRACT["average"].among
        words = tuple(w for w in words if w != "overall" or m._needs not in ONE_CLASS_AT_A_TIME)
    one = literal(w for w in words if w != "per_class")
    if "per_class" not in words:
        yield _call(m, f"{one} | None = None", "float", _about(m))
        return
    yield "    @overload\n" + _call(m, f"{one} | None = None", "float", _about(m))
    each = f"{m.title} of each class, in the order of the classes: {m.words.formula}."
    yield "    @overload\n" + _call(m, 'Literal["per_class"]', "NDArray[np.float64]", each)


def _call(m: Metric, average: str, returned: str, words: str) -> str:
    own = inspect.signature(m._function).parameters
    tallies = TALLIES.get(m._needs, "ScoreTally | Sequence[ScoreTally]")
    given = []
    for p in inspect.signature(m).parameters.values():
        if p.name == "y_true":
            given.append(f"y_true: _Column | {tallies}")
        elif p.name == "average":
            given.append(f"average: {average}")
        else:
            kind = own[p.name].annotation if p.name in m.params else TYPES[p.name]
            given.append(f"{p.name}: {kind} = {code_of(p.default)}")
    given.insert(2, "*")
    lines = filled(["self", *given], 8)
    return f"    def __call__(\n{lines}\n    ) -> {returned}:\n{docstring(words, 8)}\n"


# -- words ---------------------------------------------------------------------------------------


def literal(words: Any) -> str:
    """Return the type of some words."""
    return f"Literal[{', '.join(map(_text, words))}]"


def _text(word: str) -> str:
    return '"' + word.replace('"', '\\"') + '"'


def code_of(value: Any) -> str:
    """Return a default as code, or three dots for what is no plain value."""
    if isinstance(value, str):
        return _text(value)
    plain_value = value is None or isinstance(value, bool | int | float | tuple)
    return repr(value) if plain_value and value == value else "..."


def filled(parameters: list[str], indent: int) -> str:
    """Return parameters in lines, none of them broken."""
    lines = [""]
    for parameter in parameters:
        if lines[-1] and indent + len(lines[-1]) + len(parameter) > 98:
            lines.append("")
        lines[-1] += f" {parameter}," if lines[-1] else f"{parameter},"
    return textwrap.indent("\n".join(lines).rstrip(","), " " * indent)


def docstring(words: str, indent: int) -> str:
    """Return a docstring, its paragraphs filled unless they are examples."""
    paragraphs = inspect.cleandoc(words.replace("\\", "\\\\").replace('"""', "'''")).split("\n\n")
    filled = [p if ">>>" in p else textwrap.fill(p, 96 - indent) for p in paragraphs]
    text = "\n\n".join(filled)
    lines = f'"""{text}' + ('\n"""' if len(filled) > 1 or "\n" in text else '"""')
    return textwrap.indent(lines, " " * indent)


def package() -> str:
    """Return the stub of the package's face, whose names are loaded when first asked for."""
    homes = {**tallymark._HOMES, **{n: f"{p.package}.{at}" for n, (p, at) in names().items()}}
    imports = [f"from {home.partition(':')[0]} import {n} as {n}" for n, home in homes.items()]
    for name, module in tallymark._MODULES.items():
        base, _, last = module.rpartition(".")
        imports.append(f"from {base} import {last} as {name}")
    head = HEAD.format(about=tallymark.__doc__)
    listed = "".join(f'    "{name}",\n' for name in tallymark.__all__)
    lines = "\n".join(sorted(imports))
    return f"{head}{lines}\n\n__version__: str\n\n__all__ = [\n{listed}]\n"


def core() -> str:
    """Return the stub of what parts may use, in the order in which ruff sorts imports."""

    def place(item: tuple[str, str]) -> tuple[str, bool, bool, str]:
        name, module = item
        return module, not name.isupper(), name[0].islower(), name.lower()

    head = HEAD.format(about=(tallymark.core.__doc__ or "").strip())
    named = sorted(tallymark.core.HOMES.items(), key=place)
    return head + "".join(f"from {m} import {n} as {n}\n" for n, m in named)


def questions() -> str:
    """Return the stub of what an evaluation can be asked because a part answers it."""
    added = {**names("questions"), **names("methods")}
    found = {n: f"{p.package}.{at}".split(":") for n, (p, at) in added.items()}
    imports = [f"from {home} import {of} as _{n}" for n, (home, of) in found.items()]
    methods = "".join(f"    {n} = _{n}\n" for n in found) or "    ...\n"
    head = HEAD.format(about="Questions that parts add to an evaluation, as its methods.")
    return "\n".join([head + "\n".join(sorted(imports)), "", "class Questions:", methods])


def role_arguments() -> str:
    """Return the stub of the arguments that parts add to functions."""
    head = HEAD.format(about="The arguments that parts add to functions.")
    roles = "".join(f"    {role}: Any\n" for role in part_roles()) or "    ...\n"
    words = "".join(f"    {word}: Any\n" for word in part_words()) or "    ...\n"
    return (
        f"{head}from typing import Any, TypedDict\n\n"
        f"class RoleArguments(TypedDict, total=False):\n{roles}\n"
        f"class InputArguments(RoleArguments, total=False):\n{words}"
    )


def main() -> None:
    """Write the stubs into the package's folder."""
    folder = Path(sys.argv[1])
    (folder / "__init__.pyi").write_text(package(), encoding="utf-8")
    (folder / "core.pyi").write_text(core(), encoding="utf-8")
    (folder / "report" / "part_methods.pyi").write_text(questions(), encoding="utf-8")
    (folder / "reading" / "role_arguments.pyi").write_text(role_arguments(), encoding="utf-8")
    (folder / "metrics.pyi").write_text(metrics(), encoding="utf-8")
    for made in sorted((Path(__file__).parents[1] / "tests" / "parts").glob("*/stub.py")):
        of_part = runpy.run_path(str(made))
        (folder / of_part["FILE"]).write_text(of_part["stub"](), encoding="utf-8")


if __name__ == "__main__":
    main()
