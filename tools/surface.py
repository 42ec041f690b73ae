"""Write tests/surface.txt: every public name, argument, command, option and JSON key.

    python tools/surface.py tests/surface.txt

Whatever a user can reach from ``tallymark.__all__`` is listed: functions with their arguments,
classes with their fields, properties and methods, and the classes that those return; the metrics
with their parameters; the commands with their options; and the keys of the JSON schemas. Options
that many commands share, such as those that say how a file of rows is read, are a group of
``tallymark.cli.group.OPTION_GROUPS``: it is listed once, and of a command that takes all of it,
with the same names and values, the group is named. What a class has from a base of the package,
with the same arguments, is listed once, with the base. A change of the file is a change of the
interface, and needs a line in the changelog.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import MethodType, ModuleType
from typing import Any

import click

import tallymark
from tallymark.cli import main
from tallymark.cli.group import OPTION_GROUPS
from tallymark.part import BESIDE, names, parts

MODULES = ("plot", "plan")
HEADING = ("format", "version", "tallymark")
"""The keys that every JSON document begins with."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")


def lines() -> list[str]:
    """Return the lines of the file, sorted."""
    return sorted({*_python(), *_metrics(), *_groups(), *_commands(main, "tallymark"), *_schemas()})


def _python() -> Iterator[str]:
    waiting: list[type] = []
    for name in tallymark.__all__:
        made = getattr(tallymark, name)
        if isinstance(made, ModuleType):
            continue
        yield from _of(f"python {name}", made, waiting)
    modules = {name: getattr(tallymark, name) for name in MODULES}
    ours = {f"tallymark.{name}": name for name in BESIDE}
    modules |= {ours[p.package]: import_module(p.package) for p in parts() if p.package in ours}
    for home, module in modules.items():
        for name in sorted(getattr(module, "__all__", None) or _own(module)):
            yield from _of(f"python {home}.{name}", getattr(module, name), waiting)
    homes = (tallymark, *modules.values())
    named = (getattr(m, n) for m in homes for n in getattr(m, "__all__", None) or _own(m))
    seen = {each for each in named if inspect.isclass(each)}
    while waiting:
        made = waiting.pop()
        if made not in seen:
            seen.add(made)
            yield from _of(f"python {made.__name__}", made, waiting)


def _own(module: ModuleType) -> list[str]:
    return [
        n
        for n, v in vars(module).items()
        if not n.startswith("_") and callable(v) and getattr(v, "__module__", "") == module.__name__
    ]


def _of(name: str, made: Any, waiting: list[type]) -> Iterator[str]:
    if inspect.isclass(made):
        yield name
        bases = [b for b in made.__mro__[1:] if b.__module__.startswith("tallymark")]
        inherited = {line for base in bases for line in _members(base, [])}
        waiting += [b for b in bases if any(_members(b, []))]
        own = _members(made, waiting)
        yield from (f"{name}.{line}" for line in own if line not in inherited)
    elif callable(made):
        yield f"{name}{_arguments(made)}"
        _returned(getattr(made, "__annotations__", {}).get("return"), made, waiting)
    else:
        yield name


def _members(made: type, waiting: list[type]) -> Iterator[str]:
    """Yield the public members of a class, without its name."""
    for member in sorted(dir(made)):
        if member.startswith("_") or (issubclass(made, Exception) and hasattr(Exception, member)):
            continue
        held = inspect.getattr_static(made, member)
        if member in (*names("questions"), *names("methods")):  # loaded when first asked
            held = MethodType(getattr(made, member), made)
        yield from _member(member, held, waiting)
    if dataclasses.is_dataclass(made):
        for field in dataclasses.fields(made):
            if not field.name.startswith("_"):
                yield field.name
                _returned(field.type, made, waiting)


def _member(name: str, made: Any, waiting: list[type]) -> Iterator[str]:
    if isinstance(made, classmethod | staticmethod):
        made = made.__func__
    if isinstance(made, property | functools.cached_property):
        function = made.fget if isinstance(made, property) else made.func
        yield name
        _returned(getattr(function, "__annotations__", {}).get("return"), function, waiting)
    elif inspect.isfunction(made) or inspect.ismethod(made):
        yield f"{name}{_arguments(made)}"
        _returned(made.__annotations__.get("return"), made, waiting)
    elif not inspect.ismodule(made):
        yield name


def _arguments(made: Any) -> str:
    try:
        given = inspect.signature(made).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    names = [marks.get(p.kind, "") + p.name for p in given if p.name not in ("self", "cls")]
    return f"({', '.join(names)})"


def _returned(annotation: Any, made: Any, waiting: list[type]) -> None:
    """Note the classes of the package that an annotation names."""
    module = import_module(made.__module__)
    for word in _NAME.findall(annotation if isinstance(annotation, str) else repr(annotation)):
        found = getattr(module, word, None) or _imported(module, word)
        if inspect.isclass(found) and found.__module__.startswith("tallymark"):
            waiting.append(found)


@functools.cache
def _imported(module: ModuleType, word: str) -> Any:
    """Return a class that a module imports for its annotations alone."""
    text = inspect.getsource(module)
    for path, listed in re.findall(r"from (tallymark[\w.]*) import (\([^)]*\)|[\w, ]+)", text):
        if word in _NAME.findall(listed):
            return getattr(import_module(path), word, None)
    return None


def _metrics() -> Iterator[str]:
    from tallymark.metric import METRICS

    for m in METRICS.values():
        yield f"metric {m.name}({', '.join(m.params)})"
        for alias in m.aliases:
            yield f"metric {m.name}, alias {alias}"


def _groups() -> Iterator[str]:
    for name, options in OPTION_GROUPS.items():
        for given in options:
            yield f"options of {name} {_flags(given)}"


def _commands(command: click.Command, path: str) -> Iterator[str]:
    yield f"command {path}"
    own = {_flags(given): _value(given) for given in command.params}
    for name, options in OPTION_GROUPS.items():
        of_group = {_flags(given): _value(given) for given in options}
        if of_group.items() <= own.items():
            yield f"command {path}, options of {name}"
            own = {flags: value for flags, value in own.items() if flags not in of_group}
    yield from (f"command {path} {flags}" for flags in own)
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from _commands(inner, f"{path} {name}")


def _flags(given: click.Parameter) -> str:
    """Return an option as the command line has it; an argument's name."""
    if not isinstance(given, click.Option):
        return str(given.name)
    return ", ".join(given.opts + given.secondary_opts)


def _value(given: click.Parameter) -> str | None:
    """Return what the command line says an option takes; None of a flag and of an argument."""
    takes_one = isinstance(given, click.Option) and not given.is_flag
    return (given.metavar or repr(given.type)) if takes_one else None


def _schemas() -> Iterator[str]:
    for file in Path(tallymark.__file__).parent.rglob("*.schema.json"):
        for key in _keys(json.loads(file.read_text("utf-8"))):
            document = "document" if key in HEADING else file.name.split(".")[0]
            yield f"json {document} {key}"


def _keys(schema: Any, path: str = "") -> Iterator[str]:
    if isinstance(schema, list):
        for part in schema:
            yield from _keys(part, path)
    if not isinstance(schema, dict):
        return
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}".lstrip(".")
        yield from _keys(inner, f"{path}.{name}")
    for name, inner in schema.get("$defs", {}).items():
        yield from _keys(inner, f"<{name}>")
    for word, mark in (
        ("items", "[]"),
        ("additionalProperties", ".*"),
        ("anyOf", ""),
        ("oneOf", ""),
    ):
        if word in schema:
            yield from _keys(schema[word], path + mark)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path)
    text = "\n".join(lines()) + "\n"
    parser.parse_args().file.write_text(text, encoding="utf-8")
