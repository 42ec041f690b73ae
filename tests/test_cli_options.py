"""Every option of every command refuses wrong values in one sentence, with exit code 2 and no file."""

from functools import cache

import click
import pytest
from click.testing import CliRunner

from of_parts import by_name
from tallymark.cli import group, main
from tallymark.reading import readers
from tallymark.reading.files import open_file

CSV = "label,score,site\n" + "".join(
    f"{i % 2},{(i * 7) % 10 / 10},{'ab'[i % 2]}\n" for i in range(40)
)
TABLE = "dataset,classifier,auc\na,net,0.9\na,tree,0.8\nb,net,0.7\nb,tree,0.6\n"
NEEDED = {
    "metrics": [], "demo": [], "plan": [], "report": ["f.csv"], "subgroups": ["f.csv", "--subgroup", "site"],
    "explain": ["f1"], "curve": ["f.csv", "roc"],
    "sql": ["f.csv"],
    "proportion": ["0.9"], "auc": ["0.8"], "auc-difference": ["0.8", "0.85"], "mcnemar": ["0.1", "0.05"],
    "kappa": ["0.7", "0.3"], "validation": ["0.8", "0.1"],
    **by_name("COMMANDS"),
}  # fmt: skip
WRONG = ("", "x", "-1", "nan", "1e400", "\udcff")
SHARED = {p.name for p in main.commands["report"].params}
"""Options of many commands, which are tried with the first alone."""


def commands(group=main, path=()):
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = {" ".join(path): (path, command) for path, command in commands()}


def test_every_command_that_reads_a_table_may_be_told_that_it_has_no_header():
    reading = {"file", "table", "source"}
    for name, (_, command) in COMMANDS.items():
        if any(isinstance(p, click.Argument) and p.name in reading for p in command.params):
            flags = {o for p in command.params for o in p.secondary_opts}
            assert "--no-header" in flags, name


def test_every_command_that_judges_rows_of_a_file_takes_its_memory():
    def those_with(option):
        return {n for n, c in main.commands.items() if any(option in p.opts for p in c.params)}

    # Of rows without a true class nothing is counted in bins, and sql counts nothing.
    other = {"sql", "judge", "label-next"}
    judging = (those_with("--truth") & those_with("--score")) - other
    assert those_with("--memory") == those_with("--tolerance") == judging
    assert {"report", "compare", "subgroups"} <= judging


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder of the files to judge, which are opened once: that takes most of the time."""
    folder = tmp_path_factory.mktemp("options")
    (folder / "f.csv").write_text(CSV, "utf-8")
    (folder / "t.csv").write_text(TABLE, "utf-8")
    opened = cache(open_file)

    def once(path, named=None, **how):
        table = opened(path, **how)
        table.close = lambda: None
        return table

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(readers, "open_file", once)
        yield folder


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_values_of_options_are_one_sentence(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    path, command = COMMANDS[name]
    problems = []
    for option in command.params:
        if not isinstance(option, click.Option) or option.is_flag or option.name == "output":
            continue
        if option.name in SHARED and name != "report":
            continue
        for value in WRONG:
            values = [value] * option.nargs
            args = [*path, *NEEDED.get(path[-1], ["f.csv"]), option.opts[0], *values]
            result = CliRunner().invoke(main, args, prog_name="tallymark")
            told = f"{args} -> {result.exit_code} {result.exception!r} {result.stderr[:200]!r}"
            made = {p.name for p in folder.iterdir()} - {"f.csv", "t.csv"}
            if (
                (result.exception is not None and not isinstance(result.exception, SystemExit))
                or result.exit_code not in (0, 1, 2)
                or (result.exit_code == 2 and "tallymark" not in result.stderr)
            ):
                problems.append(told)
            elif result.exit_code == 2 and made:
                problems.append(f"{told} left {sorted(made)}")
            for file in made:
                (folder / file).unlink()
    assert not problems, "\n".join(problems)


def test_options_for_a_command_that_no_part_has_are_left_out():
    def function():
        """Return nothing."""

    before = {name: list(command.params) for name, command in main.commands.items()}
    assert group.also("no-such-command", group.option("--more", "More."))(function) is function
    assert {name: list(command.params) for name, command in main.commands.items()} == before
    assert "no-such-command" not in group.ADDED
