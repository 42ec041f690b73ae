"""What all commands share: error handling, options for columns, progress and output."""

from __future__ import annotations

import ast
import csv
import os
import re
import shlex
import shutil
import signal
import stat
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial, wraps
from inspect import cleandoc
from pathlib import Path
from typing import Any, NoReturn

import click

from tallymark.display import dialect, load, text
from tallymark.errors import (
    InputError,
    TallymarkError,
    harmless,
    out_of_memory,
    without_credentials,
)
from tallymark.output import STANDARD_OUTPUT, is_file, ready, write_text
from tallymark.part import Word, part_roles, part_words

NOTHING_FOUND = 1
BAD_INPUT = 2
INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 plus the number of the signal, as for every signal."""

PLAIN_WIDTH = 88
"""Output width in columns if there is no terminal, or if its size is unknown."""

BAR_AFTER = 1.0
"""Seconds of work after which a progress bar is shown."""


SECTIONS = (
    "Start",
    "Judge",
    "Compare",
    "Decide",
    "Plan and check",
    "Language models and raters",
    "Look up",
    OTHER := "Other",
)
"""Headings of the list of commands in the help, by task."""


class _Command(click.Command):
    """A command with the section of the help that lists it."""

    def __init__(self, *args: Any, section: str = OTHER, **options: Any) -> None:
        super().__init__(*args, **options)
        self.section = section


class _Commands(_Command, click.Group):
    """A command with commands of its own, such as plan."""


class _Group(click.Group):
    """A command group whose errors are one sentence and exit code 2."""

    command_class = _Command
    group_class = _Commands

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands of each section in the order of their declaration."""
        width = max(map(len, self.commands))
        for section in SECTIONS:
            listed = [
                (name.ljust(width), command.get_short_help_str(formatter.width - width - 6))
                for name, command in self.commands.items()
                if getattr(command, "section", OTHER) == section
            ]
            if listed:
                with formatter.section(section):
                    formatter.write_dl(listed)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta.setdefault(_GIVEN, [*args])
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            _misused(ctx, error)

    def invoke(self, ctx: click.Context) -> Any:
        python = dialect.set(partial(as_options, ctx))
        ended: list[int] = []
        try:
            with _ended_by_signals(ended):
                return super().invoke(ctx)
        except TallymarkError as error:
            _stop(ctx, str(error), BAD_INPUT)
        except MemoryError as error:
            _stop(ctx, str(out_of_memory(error)), BAD_INPUT)
        except click.UsageError as error:
            _misused(ctx, error)
        except BrokenPipeError:
            _discard_output()
            ctx.exit(0)
        except OSError as error:
            about = f" {str(error.filename)!r}" if error.filename else ""
            if not about:
                _discard_output()  # a full disk would refuse the flush at exit again
            _stop(ctx, f"system error{about}: {error.strerror or error}", BAD_INPUT)
        except (KeyboardInterrupt, Exception) as error:
            if not _is_interrupt(error):
                raise
            code = 128 + ended[0] if ended else INTERRUPTED
            _stop(ctx, "interrupted; no partial file is left", code)
        finally:
            dialect.reset(python)


@contextmanager
def _ended_by_signals(ended: list[int]) -> Iterator[None]:
    """Make SIGTERM and SIGHUP raise KeyboardInterrupt, so that they clean up as Ctrl-C does."""

    def end(number: int, _: Any) -> None:
        ended.append(number)
        raise KeyboardInterrupt

    before = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            # nohup ignores SIGHUP: keep it ignored.
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _is_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C caused an error; during a query DuckDB raises errors of its own."""
    stopped = type(error) is RuntimeError and "interrupted" in str(error).lower()
    names = ("KeyboardInterrupt", "InterruptException")
    return stopped or type(error).__name__ in names


_QUOTED = re.compile(r"'([^']*)'")
_GIVEN = "tallymark.given"
_CALL = "tm.evaluate(..., "
_ARGUMENT = re.compile(
    r"\b([a-z][a-z_]*)=(\.\.\.|\[\.\.\.\]|True\b|False\b|"
    r"\[(?:'[^']*'(?:, )?)+\]|'[^']*'|(?=['\"0-9-]))"
)
"""An argument in a Python message: positive='yes', score=['a', 'b'], truth=..."""

_INSIDE = re.compile(r"\b(?:options|reading)=\{'(\w+)': (\.\.\.|'[^']*'|\"[^\"]*\"|[\w.+-]+)\}")
"""A key of a reading or of the file options in a Python message."""

_COMMAND = re.compile(r"tm\.(\w+)\((?:'([^']*)'|\.\.\.)((?:, \w+='\w+')+)\)")
"""A Python call in a message for which there may be a command."""

_TRUTH_FILE = re.compile(r"truth=tm\.file\((?:'([^']*)'|\.\.\.)(?:, )?([^()]*)\)")
"""The file of the truth in a Python message, with its other arguments."""

_ONE_MODEL = re.compile(r"\.model\('([^']*)'\)(?:, or take \.values\(\) or \.table\(\) of all)?")
"""The suggestion in a Python message to select one of several models."""


_PAIR = re.compile(r"\.pair\('[^']*', '[^']*'\)")
"""The call in a Python message that shows two models, which the JSON holds too."""


_METRIC = re.compile(r"say ev(?:\.value\('(\w+)'[^)]*\)(?: or ev\.value\([^)]*\))*|\['(\w+)'\])")
"""The call in a Python message that computes a metric."""


def as_options(ctx: click.Context, sentence: str) -> str:
    """Return a message with its Python arguments replaced by options of the current command."""
    command = main.commands.get(ctx.invoked_subcommand or "")
    commands = [command] if command else []
    commands += [c for g in commands if isinstance(g, click.Group) for c in g.commands.values()]
    flags = {option for c in commands for p in c.params for option in (*p.opts, *p.secondary_opts)}

    def as_option(argument: re.Match[str]) -> str:
        flag = ("--no-" if argument[2] == "False" else "--") + argument[1].replace("_", "-")
        if flag not in flags:
            return argument[0]
        values = [shlex.quote(value) for value in _QUOTED.findall(argument[2])]
        if not values:
            return flag if argument[2] else f"{flag} "
        return " ".join(f"{flag} {value}" for value in values)

    sentence = _INSIDE.sub(r"\1=\2", _as_commands(ctx, sentence))

    def as_file(argument: re.Match[str]) -> str:
        named = shlex.quote(argument[1]) if argument[1] else "" if argument[2] else "FILE"
        return " ".join(filter(None, (named and f"--truth-file {named}", argument[2])))

    sentence = _TRUTH_FILE.sub(as_file, sentence)
    sentence = sentence.replace("optimal_threshold()", "tallymark threshold")
    sentence = _COMMAND.sub(_as_command, sentence)
    sentence = _METRIC.sub(lambda m: f"use {m[1] or m[2]}", sentence)
    sentence = sentence.replace("tm.evaluate(...)", "tallymark report FILE")
    if "--score" in flags:  # a column of one model
        sentence = _ONE_MODEL.sub(lambda m: f"--score {shlex.quote(m[1])}", sentence)
    if "--format" in flags:
        sentence = _PAIR.sub("--json", sentence.replace(".table()", "--format csv"))
    if "--costs" in flags:  # one option for two arguments
        sentence = sentence.replace("cost_fp and cost_fn", "--costs")
        sentence = sentence.replace("cost_fp", "FALSE_ALARM of --costs")
        sentence = sentence.replace("cost_fn", "MISSED of --costs")
    return _ARGUMENT.sub(as_option, sentence)


def _as_command(call: re.Match[str]) -> str:
    """Return the command equivalent to a Python call; the call itself if there is none."""
    command = main.commands.get(call[1])
    if command is None:
        return call[0]
    flags = {p.name: p.opts[0] for p in command.params}
    options = [f"{flags[name]} {word}" for name, word in re.findall(r"(\w+)='(\w+)'", call[3])]
    return " ".join(["tallymark", call[1], shlex.quote(call[2] or "FILE"), *options])


def _as_commands(ctx: click.Context, sentence: str) -> str:
    """Return a message with each Python call replaced by the equivalent complete command."""
    before, *calls = sentence.split(_CALL)
    out = [before]
    for rest in calls:
        ends = (i for i, c in enumerate(rest) if c == ")")
        call = next(
            ((i, arguments) for i in ends if (arguments := _arguments(rest[:i])) is not None), None
        )
        if call is None:
            out.append(_CALL + rest)
            continue
        end, arguments = call
        words = [word for name, value in arguments.items() for word in _words_of(name, value)]
        command_line = _without(ctx.meta.get(_GIVEN) or ["report", "FILE"], words)
        out.append(shlex.join(["tallymark", *command_line, *words]) + rest[end + 1 :])
    return "".join(out)


def _without(arguments: Sequence[str], words: Sequence[str]) -> list[str]:
    """Return the arguments of the command line without passwords and without the new options.

    >>> _without(["report", "a.csv", "--score=p", "--truth", "y", "--seed", "1"],
    ...          ["--truth", "x", "--score", "q"])
    ['report', 'a.csv', '--seed', '1']
    """
    flags = {f"--{w.removeprefix('--').removeprefix('no-')}" for w in words if w[:2] == "--"}
    remaining, values = [], iter(arguments)
    for word in values:
        name = word.partition("=")[0]
        if name in flags:
            if name == word:
                next(values, None)
        elif f"--{name.removeprefix('--no-')}" not in flags:
            remaining.append(without_credentials(word))
    return remaining


def _arguments(source: str) -> dict[str, Any] | None:
    """Return the keyword arguments of a call from its source; None if it is incomplete."""
    try:
        call = ast.parse(f"f({source})", mode="eval").body
        assert isinstance(call, ast.Call)
        arguments = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
        return words_given(arguments)
    except (SyntaxError, ValueError, AssertionError):
        return None


def _words_of(name: str, value: Any) -> list[str]:
    """Return an argument as words of the command line."""
    flag = "--" + name.replace("_", "-")
    if value is False:
        return [f"--no-{flag[2:]}"]
    if value is True:
        return [flag]
    if name == "missing" and isinstance(value, list):
        return [word for code in value for word in ("--missing-code", f"{code:g}")]
    if isinstance(value, list) and name == "classes":
        return [flag, ",".join(map(str, value))]
    values = value if isinstance(value, list) else [value]
    return [word for v in values for word in (flag, str(v))]


def _misused(ctx: click.Context, error: click.UsageError) -> NoReturn:
    if isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
        raise error  # Click then shows the help
    message = error.format_message()
    if takes := _takes(ctx, error):
        why = error.message.replace("valid float", "number")
        message = f"{takes}; {why}" if isinstance(error, click.BadParameter) else takes
    message = without_credentials(message)  # it may repeat an argument
    of_command = " ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand)))
    help_of = error.ctx.command_path if error.ctx else of_command
    _stop(ctx, f"{' '.join(message.split()).removesuffix('.')}; see {help_of} -h", BAD_INPUT)


def _takes(ctx: click.Context, error: click.UsageError) -> str:
    """Return the values of the option in an error, in their order; empty unless it has several."""
    named = getattr(error, "possibilities", None) or [getattr(error, "option_name", None)]
    command = error.ctx.command if error.ctx else main.commands.get(ctx.invoked_subcommand or "")
    options = command.params if command else []
    p = getattr(error, "param", None) or next((p for p in options if named[0] in p.opts), None)
    if not isinstance(p, click.Option) or p.nargs < 2:
        return ""
    values, example = str(p.metavar).split(), str(p.help).split("such as: ")[-1].removesuffix(".")
    return f"{p.opts[0]} takes {len(values)} numbers, {' then '.join(values)}, such as {example}"


def _stop(ctx: click.Context, sentence: str, code: int) -> NoReturn:
    tell(f"tallymark: {as_options(ctx, without_credentials(sentence))}", err=True)
    ctx.exit(code)


def tell(sentence: str, *, err: bool = False) -> None:
    """Print a sentence; control characters in names are escaped for the terminal."""
    click.echo(harmless(sentence, keep="\n"), err=err)


def goes_to_a_file() -> bool:
    """Return whether standard output is a file or a pipe, as after > and before |."""
    with suppress(OSError, ValueError, AttributeError):  # not a file, or closed
        mode = os.fstat(sys.stdout.fileno()).st_mode
        return stat.S_ISREG(mode) or stat.S_ISFIFO(mode)
    return False


def _discard_output() -> None:
    """Redirect standard output to the null device, so that closing a broken pipe is no error."""
    with suppress(OSError, ValueError, AttributeError):  # not a file, or closed
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}


@click.group(cls=_Group, context_settings=_SETTINGS)
@click.version_option(package_name="tallymark", prog_name="tallymark")
def main() -> None:
    """Judge classifiers: count the rows once, then compute everything from the counts."""
    _keep_memory()
    # OpenBLAS's threads spin between two products, which costs more time than they save. NumPy
    # reads this variable when a command imports it.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        # Escape characters that the terminal cannot encode, such as the infinity sign.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


_OPTIONS = ((-8, 1), (-3, 1 << 25), (-1, 1 << 28))
"""glibc's mallopt options: one arena, arrays below 32 MB on the heap, 256 MB of it kept."""


def _keep_memory() -> None:
    """Let the allocator keep freed memory: a command is short and creates many arrays of a few MB.

    By default, glibc returns the memory and requests it again page by page, which takes a fifth of
    the time of a report. Other C libraries are left alone.
    """
    import ctypes

    try:
        set_option = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    for option, value in _OPTIONS:
        set_option(option, value)


Command = Callable[..., None]
Decorator = Callable[[Any], Any]


def together(*options: Decorator) -> Decorator:
    """Return a decorator that adds several options, shown in this order in the help."""

    def given(command: Any) -> Any:
        for decorate in reversed(options):
            command = decorate(command)
        return command

    return given


ADDED: dict[str, list[click.Parameter]] = {}
"""Options that parts add to other commands, by the name of the command."""


def also(name: str, *options: Decorator) -> Decorator:
    """Return a decorator: its function replaces the command's if one of its options is used.

    The function also gets the command's own values, and its docstring is added to the help. If no
    installed part has the command, there is nothing to add to.
    """
    command = main.commands.get(name)
    if command is None:
        return lambda function: function
    plain, own = command.callback, [p.name for p in command.params]

    def given(function: Any) -> Any:
        answer = together(*options)(function)
        more = [p for p in answer.__click_params__[::-1] if p.name not in own]

        def either(**values: Any) -> None:
            context = click.get_current_context()
            default = click.core.ParameterSource.DEFAULT
            if any(context.get_parameter_source(p.name) is not default for p in more):
                answer(**values)
            elif plain is not None:
                plain(**{word: value for word, value in values.items() if word in own})

        command.params += more
        ADDED.setdefault(name, []).extend(more)
        command.callback = either
        command.help = f"{cleandoc(command.help or '')}\n\n{cleandoc(function.__doc__)}"
        return function

    return given


def _metric_names(_: click.Context, __: click.Parameter, start: str) -> list[str]:
    """Return the metrics with a given prefix, for shell completion."""
    from tallymark.metric import METRICS

    return [name for name in METRICS if name.startswith(start)]


def _columns_of_file(ctx: click.Context, _: click.Parameter, start: str) -> list[str]:
    """Return the columns of FILE with a given prefix, from its first line, for shell completion."""
    with suppress(OSError, UnicodeDecodeError, csv.Error, IndexError):
        # Click has not assigned arguments to names yet if an option still lacks its value.
        place = ctx.params.get("file") or ctx.args[0]
        with Path(place).open(encoding="utf-8-sig", newline="") as file:
            head = file.readline(1 << 16)
        separator = max(",;\t|", key=head.count)
        names = next(csv.reader([head], delimiter=separator), [])
        return [name for name in map(str.strip, names) if name.startswith(start)]
    return []


_COMPLETIONS: Mapping[str | None, Callable[..., list[str]]] = {
    "COLUMN": _columns_of_file,
    "METRIC": _metric_names,
}
"""Shell completion for the value of an option, by its metavar."""


def option(usage: str, text: str, *name: str, **more: Any) -> Decorator:
    """Return an option from its help text: ``option("--score COLUMN", "Column of a score.")``."""
    words = usage.split()
    flags = [word for word in words if word.startswith("-")]
    metavar = " ".join(words[len(flags) :]) or None
    if metavar in _COMPLETIONS:
        more["shell_complete"] = _COMPLETIONS[metavar]
    return click.option(*flags, *name, metavar=metavar, help=text, **more)


def one_of(name: str, words: Sequence[str], text: str, **more: Any) -> Decorator:
    """Return an option that accepts one of several words."""
    return option(name, text, type=click.Choice(words), **more)


def named_values(what: str, such: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Return a callback that reads options NAME=VALUE as {name: value}; ``such`` is an example."""

    def read(_: click.Context, parameter: click.Parameter, entries: tuple[str, ...]) -> Any:
        named = {}
        for entry in entries:
            name, sign, value = entry.partition("=")
            if not (name and sign and value):
                raise InputError(
                    f"{parameter.opts[0]} {entry!r} is not NAME={what}, such as {such}"
                )
            named[name] = value
        return named

    return read


class _Percentage(float):
    """A percentage such as 5%, held as 0.05."""


class _NumberOrPercent(click.types.FloatParamType):
    """A number such as 0.05, or a percentage such as 5%."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, of a percentage its hundredth."""
        number = str(value).strip().removesuffix("%")
        try:
            plain = float(number)
            return plain if str(value).strip() == number else _Percentage(plain / 100)
        except ValueError:
            return super().convert(value, param, ctx)  # refuses


NUMBER_OR_PERCENT = _NumberOrPercent()


def share(name: str, text: str) -> Decorator:
    """Return an option that accepts a share such as 0.05 or 5%."""
    return option(f"{name} SHARE", text, callback=read_share)


def read_share(_: click.Context, parameter: click.Parameter, entry: str | None) -> float | None:
    """Return a share given as 0.01 or 1%."""
    if entry is None:
        return None
    try:
        value: float = NUMBER_OR_PERCENT.convert(entry, None, None)
    except click.BadParameter:
        raise InputError(f"{entry!r} is not a share; give a number such as 0.01 or 1%") from None
    if parameter.name == "prevalence" and not 0 <= value <= 1:
        raise InputError(f"prevalence is {value:g}; give a number between 0 and 1, or 0% and 100%")
    return value


def _read_level(_: click.Context, parameter: click.Parameter, value: float) -> float:
    if not 0 < value < 1:
        level = value / 100 if 50 <= value < 100 else 0.95
        raise InputError(f"--level is {value:g}; give a number between 0 and 1, such as {level:g}")
    return value


def read_labels(_: click.Context, parameter: click.Parameter, line: str | None) -> Any:
    """Return labels separated by commas, in the format of a CSV line."""
    return None if line is None else next(csv.reader([line], skipinitialspace=True))


header_option = option(
    "--header/--no-header",
    "Whether the first row of a CSV or Excel file names the columns; refused where it looks like "
    "data unless you say which.",
    default=None,
)
how_files_are_read = together(
    header_option,
    option("--sheet NAME", "The table of a file that holds several: a sheet, a file in a .zip."),
)

_OF_ROWS = together(
    option(
        "--truth COLUMN",
        "Column of the true class; repeatable, one per label, for rows with several labels.",
        multiple=True,
    ),
    option(
        "--truth-file FILE",
        "File that holds the true class, if FILE does not; --truth, --header and --sheet hold "
        "for it too.",
        type=click.Path(),
    ),
    option(
        "--on COLUMN",
        "Column that names each row once in both files (default: found; without one, the order "
        "of the rows).",
    ),
    option("--score COLUMN", "Column of a score; repeatable.", multiple=True),
    option("--pred COLUMN", "Column of the predicted class; repeatable.", multiple=True),
    option("--positive LABEL", "The positive one of two classes."),
    option(
        "--classes A,B,C",
        "The classes in the order you want, including those that do not occur; put a label "
        "that holds a comma in double quotes.",
        callback=read_labels,
    ),
    option(
        "--ignore-case/--no-ignore-case",
        "Whether labels that differ only in case or in surrounding blanks are one class; "
        "refused unless you say.",
        default=None,
    ),
    option("--weight COLUMN", "Column of sampling weights."),
    option("--count COLUMN", "Column that says how many rows each line stands for."),
    option("--no-count", "Each line is one row.", is_flag=True),
    option(
        "--model COLUMN",
        "Column that says which model made each prediction, one line per case and model.",
    ),
    option("--no-model", "No column names models.", is_flag=True),
    option("--cluster COLUMN", "Column that says which rows belong together, such as the patient."),
    *(
        option(f"--{role.name} COLUMN", f"Column of {role.of_each_row}.")
        for role in part_roles().values()
    ),
    option("--fold COLUMN", "Column of the cross-validation fold."),
    one_of(
        "--missing",
        ["error", "drop"],
        text="Rows where a label, score or cluster is missing: leave them out, or refuse "
        "(as unless given).",
    ),
    option(
        "--missing-code NUMBER",
        "A number that stands for a missing label or score, such as -100; rows with it are left "
        "out. Repeatable.",
        type=float,
        multiple=True,
    ),
    option(
        "--score-of CLASS",
        "Whose score it is: a class, or 'prediction' for the predicted class of each row; "
        "repeat it for several columns, in their order.",
        multiple=True,
    ),
    one_of(
        "--score-is",
        ["probability", "percent", "logit", "log_probability", "score", "lower"],
        "What the scores are; 'lower' if low ones speak for the positive class.",
    ),
    option(
        "--percent",
        "Scores are percentages, and are divided by 100, with --threshold.",
        is_flag=True,
    ),
    option(
        "--threshold T",
        "Scores at or above it are called positive (default 0.5 for probabilities).",
        type=NUMBER_OR_PERCENT,
    ),
    option(
        "--reading JSON",
        "Read FILE as another file was read: what inspect --json wrote. Options that you give "
        "win over it.",
        type=click.Path(),
    ),
    how_files_are_read,
    option(
        "--memory SIZE",
        "Memory for counting, such as 1GB (default: 4GB, at most half of what is left). If the "
        "distinct scores do not fit, bins are counted, with proven bounds.",
    ),
    option(
        "--tolerance WIDTH",
        "How wide the proven bounds of the ROC area may be.",
        type=float,
    ),
)


def columns_of_rows(command: Command) -> Command:
    """Return a command with the options on columns, which it gets as one dictionary."""

    @wraps(command)
    def gathered(**arguments: Any) -> None:
        columns = {name: arguments.pop(name) for name in _COLUMNS}
        for role in ("score", "pred"):
            columns[role] = list(columns[role]) or None
        truth = list(columns["truth"])
        columns["truth"] = truth if len(truth) > 1 else next(iter(truth), None)
        if (file := columns.pop("truth_file")) is not None:
            columns["truth"] = _of_other_file(file, columns)
        settle_no(columns, "count", "model")
        of = list(columns["score_of"])
        columns["score_of"] = of if len(of) > 1 else next(iter(of), None)
        columns["missing"] = list(columns.pop("missing_code")) or columns["missing"]
        columns["reading"] = reading = _reading_of(columns)
        percent = reading and (reading.get("percent") or reading.get("score_is") == "percent")
        if percent and isinstance(columns["threshold"], _Percentage):  # as the scores are written
            columns["threshold"] = round(100 * columns["threshold"], 10)
        opened = {word: columns.pop(word) for word in ("header", "sheet", "memory", "tolerance")}
        columns["options"] = {word: v for word, v in opened.items() if v is not None} or None
        command(columns=columns, **arguments)

    gathered = _OF_ROWS(gathered)
    return gathered


def words_of_parts(command: Command) -> Command:
    """Add the options that parts declare to a command, which gets them among its columns."""

    @wraps(command)
    def gathered(columns: dict[str, Any], **arguments: Any) -> None:
        given = {name: arguments.pop(name) for name in part_words()}
        for name, word in part_words().items():
            if word.several:
                several = list(given[name])
                given[name] = several if len(several) > 1 else next(iter(several), None)
        command(columns=columns | given, **arguments)

    gathered = _OF_PARTS(gathered)
    return gathered


def _of_word(word: Word) -> Decorator:
    """Return the option for a word of a part."""
    if word.among:
        return one_of(f"--{word.name}", word.among, word.about)
    about = f"{word.about.removesuffix('.')}; repeatable." if word.several else word.about
    return option(f"--{word.name} {word.metavar}", about, multiple=word.several)


def _reading_of(columns: dict[str, Any]) -> dict[str, Any] | None:
    """Return the reading file and the options that have no argument of their own, as a reading."""
    options = {word: columns.pop(word) for word in ("ignore_case", "percent", "score_is")}
    options = {word: v for word, v in options.items() if v is not None and v != ()}
    if not options.get("percent"):
        options.pop("percent", None)
    if columns["reading"] is not None:
        from tallymark.reading.believed import words_of

        options = words_of(columns["reading"]) | options
    return options or None


def predictions_of(file: str, **how: Any) -> Any:
    """Return the evaluation of the predictions in a file; refuse what a part judges as others."""
    from tallymark.api import evaluation_of

    return evaluation_of(file, **how)


def words_given(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return, by name, the options on how columns, scores and files are read."""
    inside = [columns.get(word) or {} for word in ("reading", "options")]
    options = {
        w: v for w, v in columns.items() if v is not None and w not in ("reading", "options")
    }
    return {**inside[0], **inside[1], **options}


def _of_other_file(file: str, columns: Mapping[str, Any]) -> Any:
    """Return the truth of another file, with the options of the first file that apply to it."""
    from tallymark.reading.join import TruthFile
    from tallymark.reading.kinds import kind_by_name, readers

    truth, kind = columns["truth"], kind_by_name(file)
    if isinstance(truth, list):
        raise InputError(
            f"--truth-file holds one column of the true class, and --truth names {len(truth)}; "
            "name one"
        )
    reader = readers().get(kind or "CSV")
    header = columns["header"] if reader and reader.may_have_header else None
    sheet = columns["sheet"] if reader and reader.part == "sheet" else None
    return TruthFile(file, truth, header, sheet)


def settle_no(columns: dict[str, Any], *words: str) -> None:
    """Convert --no-count to count=False, and the same for other options."""
    for word in words:
        if columns.pop(f"no_{word}"):
            if columns[word] is not None:
                raise InputError(
                    f"--{word} and --no-{word} contradict each other; give one of them"
                )
            columns[word] = False


def _options(group: Decorator) -> tuple[click.Option, ...]:
    """Return the options of a group, in the order of the help."""
    return tuple(reversed(getattr(group(lambda: None), "__click_params__", ())))


_COLUMNS = tuple(o.name for o in _options(_OF_ROWS))
_OF_PARTS = together(*map(_of_word, part_words().values()))


def how_sure(level: str, seed: str | None = None) -> Decorator:
    """Return the option --level, and --seed for commands that resample, with their help texts."""
    options = [
        option("--level SHARE", level, type=NUMBER_OR_PERCENT, default=0.95, callback=_read_level)
    ]
    if seed is not None:
        natural = click.IntRange(0)
        options.append(click.option("--seed", type=natural, default=0, metavar="N", help=seed))
    return together(*options)


FORMATS = ("text", "markdown", "latex", "csv", "json")
_FORMAT = "tallymark.format"
format_option = option(
    "--format",
    "Output format; csv is only the table, with unrounded numbers.",
    "shape",
    type=click.Choice(FORMATS),
    default="text",
)
_OF_JSON = together(
    format_option,
    option("--json", "Print JSON, as --format json does.", "as_json", is_flag=True),
)


def json_flag(command: Command) -> Command:
    """Return a command with --format, and --json as a shortcut for --format json."""

    @wraps(command)
    def shaped(shape: str, as_json: bool, **arguments: Any) -> None:
        if as_json and shape not in ("text", "json"):
            raise InputError(f"--json and --format {shape} contradict each other; give one of them")
        click.get_current_context().meta[_FORMAT] = shape
        command(as_json=as_json or shape == "json", **arguments)

    with_format: Command = _OF_JSON(shaped)
    return with_format


def print_format() -> str:
    """Return the output format of the current command."""
    return str(click.get_current_context().meta.get(_FORMAT, "text"))


def print_json(data: Any) -> None:
    """Print plain data as JSON."""
    import json

    click.echo(json.dumps(data, indent=1, allow_nan=False, ensure_ascii=False))


def show_each(results: Sequence[Any], *, as_json: bool) -> None:
    """Print several results as JSON or as text."""
    from tallymark.display import plain_data

    if as_json:
        print_json(plain_data(list(results)))
    elif print_format() == "csv":
        show_rows(row for one in results for row in one.table())
    else:
        click.echo("\n\n".join(map(in_words, results)))


def show(result: Any, *, as_json: bool) -> None:
    """Print a result as JSON or as text."""
    if as_json:
        print_json(result.to_dict())
    else:
        printed = in_words(result)
        click.echo(printed, nl=not printed.endswith("\n"))


def room() -> int | None:
    """Return the width of the terminal in columns; None if the output goes elsewhere."""
    if os.environ.get("COLUMNS", "").isdigit():
        return int(os.environ["COLUMNS"])
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    return shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns


def fit(text: str, indent: str = "  ") -> str:
    """Return text wrapped to the terminal's width; a pipe gets the lines unchanged."""
    width = room()
    if width is None:
        return text
    return "\n".join(
        line
        if len(line) <= width or "\x1b" in line
        else textwrap.fill(line, max(width, 40), subsequent_indent=indent)
        for line in text.split("\n")
    )


def in_words(result: Any) -> str:
    """Return a result in the output format, with colors if the terminal supports them."""
    if (shape := print_format()) == "csv":
        return _for_terminals(result.table().to_csv())
    if shape in ("markdown", "latex"):
        return str(getattr(result, f"to_{shape}")())
    color = load("terminal:wants_color")()
    if color:  # keep Click from removing the color if a pipe should get it
        click.get_current_context().color = True
    return fit(text(result, color=color))


def _for_terminals(csv_text: str) -> str:
    """Return CSV text with control characters escaped for a terminal; unchanged elsewhere."""
    if sys.stdout is None or not sys.stdout.isatty():
        return csv_text
    return harmless(csv_text, keep="\n")


def show_rows(rows: Iterable[Mapping[str, Any]]) -> None:
    """Print a table in the requested format: CSV, Markdown, LaTeX or text."""
    from tallymark.listing import Listing

    table = Listing(tuple(map(dict, rows)))
    csv_alone = print_format() == "csv"
    printed = _for_terminals(table.to_csv()) if csv_alone else in_words(table)
    click.echo(printed, nl=not printed.endswith("\n"))


def show_blocks(renderer: str, *results: Any) -> None:
    """Print the blocks that a renderer such as "subgroups:subgroups" returns for results."""
    written = print_format()
    writer = load(f"{'terminal' if written == 'text' else 'markup'}:as_{written}")
    printed = writer(load(f"subjects.{renderer}")(*results))
    click.echo(printed, nl=not printed.endswith("\n"))


def page_and_json(page: str, what: str = "the page") -> Decorator:
    """Return the options for the paths of the page and its JSON, and --format."""
    return written_or_printed(_of_page(page, what))


def _of_page(page: str, what: str) -> Decorator:
    return together(
        click.option(
            "-o",
            "--output",
            type=click.Path(),
            is_flag=False,
            flag_value=page,
            metavar="[PAGE]",
            help=f"Write {what}; to {page} if -o comes last and names no file.",
        ),
        option(
            "--json PATH",
            "Write everything as JSON; - prints it in place of the summary.",
            "json_path",
            type=click.Path(),
        ),
        format_option,
    )


OPTION_GROUPS = {
    "rows": _options(_OF_ROWS),
    "parts": _options(_OF_PARTS),
    "json": _options(_OF_JSON),
    "page": _options(_of_page("", "")),
    "certainty": _options(how_sure("", "")),
}
"""Options that many commands share, by group name; tests/surface.txt lists them by group.

Their help may differ between commands; their names and values do not.
"""


def option_group(name: str, *options: Decorator) -> Decorator:
    """Return several options as one group, which tests/surface.txt lists once, by its name."""
    group = together(*options)
    OPTION_GROUPS[name] = _options(group)
    return group


def written_or_printed(options: Decorator) -> Decorator:
    """Return a decorator that adds output options.

    It refuses --json and --format together if both would print to standard output.
    """

    def given_places(command: Command) -> Command:
        @wraps(command)
        def shaped(shape: str, json_path: str | None, **arguments: Any) -> None:
            if shape != "text" and json_path == "-":
                raise InputError(f"--json - and --format {shape} both print; give one of them")
            if shape == "json" and json_path is not None:
                raise InputError("--format json prints, and --json writes a file; give one of them")
            click.get_current_context().meta[_FORMAT] = "text" if shape == "json" else shape
            command(json_path="-" if shape == "json" else json_path, **arguments)

        with_options: Command = options(shaped)
        return with_options

    return given_places


def write_results(
    result: Any,
    output: str | None,
    json_path: str | None,
    *,
    page: Mapping[str, Any] | None = None,
    **how: Any,
) -> list[tuple[str, str]]:
    """Write a result's JSON and page; return the kind and the path of each file.

    ``page`` and ``how`` are options for the page and for the JSON.
    """
    written = []
    if json_path not in (None, "-"):
        result.to_json(json_path, **how)
        written.append(("json", str(json_path)))
    if output:
        written.append(("page", str(result.report(output, **(page or {})))))
    return written


def show_results(text: str, written: list[tuple[str, str]], json_path: str | None) -> None:
    """Print a summary, or the JSON or the page instead, and the paths of written files."""
    piped = any(path == STANDARD_OUTPUT for _, path in written)
    if not piped:
        click.echo(text, nl=not text.endswith("\n"))
    for kind, path in written:
        if path != STANDARD_OUTPUT:
            printed_alone = json_path == STANDARD_OUTPUT or print_format() != "text"
            tell(f"{kind}: {path}", err=piped or printed_alone)


def try_outputs(
    file: str | None, output: str | None, json_path: str | None, results: str | None = None
) -> None:
    """Raise InputError for paths that cannot be written, before the long work starts."""
    places = {} if file is None else {Path(file).resolve(): "the file to judge"}
    printed = None if json_path == STANDARD_OUTPUT else json_path
    if json_path == output == STANDARD_OUTPUT:
        raise InputError("the page and the JSON cannot both be standard output; name a file of one")
    for path, what in ((output, "the page"), (printed, "the JSON"), (results, "the results")):
        if path and ready(path) and is_file(path):
            place = Path(path).resolve()
            if place in places:
                both = f"{places[place]} and {what}"
                raise InputError(f"{path!r} would be both {both}; give another name")
            places[place] = what


STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
"""The variable in which GitHub names the file of a step's summary."""


def step_summary() -> str | None:
    """Return the path of the step's summary on GitHub, None elsewhere; refuse one not writable."""
    path = os.environ.get(STEP_SUMMARY) or None
    if path:
        ready(path)
    return path


def add_to_step_summary(path: str | None, result: Any) -> None:
    """Append a result as Markdown to the step's summary on GitHub, if there is one."""
    if path:
        before = Path(path).read_text("utf-8") if Path(path).exists() else ""
        write_text(path, f"{before}{result.to_markdown()}\n")


@contextmanager
def progress(what: str = "counting rows") -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback for the rows done and the total; None if there is no terminal.

    The terminal shows a progress bar if the work takes long.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
    from rich.progress import TimeRemainingColumn as Remaining

    words, pace_column = TextColumn("{task.description}"), TextColumn("{task.fields[pace]}")
    bar = Progress(
        words,
        BarColumn(),
        pace_column,
        TimeElapsedColumn(),
        Remaining(),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(what, total=None, pace="")

    def update(done: int, total: int) -> None:
        # The evaluation starts after the last row; its duration is unknown.
        over = done >= total
        speed = bar.tasks[task].speed
        pace = f"{speed / 1e6:.1f} million rows/s" if speed and not over else ""
        bar.update(
            task,
            completed=done,
            total=None if over else total,
            pace=pace,
            description="judging" if over else what,
        )

    timer = threading.Timer(BAR_AFTER, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
