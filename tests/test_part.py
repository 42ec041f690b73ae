"""Parts are found in the package and in other distributions, and add what they declare."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import tallymark as tm
from tallymark.part import BESIDE, OURS, Part, Role, added, folder_of, kept_roles, names, parts

PACKAGE = """
from tallymark.part import Part, Role

PART = Part(
    __name__,
    roles=(
        Role("wait", plural="waits", such_as="its minutes", about="How long a caller waits.",
             tally="waiting:WaitTally"),
    ),
    names={"calls_by_hour": "calls:calls_by_hour"},
    inputs=("calls:judged",),
    openers=("calls:table_of",),
    results=("calls:shifts",),
    results_options=("command:shifted",),
    tables=("calls:counted",),
    without_columns=("calls",),
    commands=("command",),
    numbers={"calls_a_day": "The mean number of calls."},
    readers=("files:READERS",),
    layouts=("files:LAYOUT",),
    metrics={"numbers": "f1", "waits": "roc_auc"},
    headline={"share_called": "f1"},
    curves={"curves": "lift"},
    in_use={"ranking": {"share_called": "roc_auc", "calls": "pr"}},
    panels={"day": "answers:day"},
    questions={"busiest": "answers:busiest"},
    methods={"calls_of": "answers:calls_of"},
    uses={"calls": "answers:CALLS"},
    judged_elsewhere=("answers:of_hours",),
    also_read=("answers:also",),
    few_truths=("answers:of_few",),
    definitions=("answers:definitions_of",),
    plots={"hours": "blocks:drawn"},
)
"""
CALLS = """
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import tallymark as tm
from tallymark.core import Display, FrameTable, Source, from_tallies


@dataclass(frozen=True)
class Log:
    truth: list
    calls: list


@dataclass(frozen=True, repr=False)
class Hours(Display):
    hours: dict

    def to_dict(self):
        return self.hours


def calls_by_hour(log):
    return Hours({"9": sum(log.calls)})


def judged(asked):
    if isinstance(asked.data, Log):
        return tm.evaluate(asked.data.truth, asked.data.calls, **asked.arguments(name="the log"))
    if asked.small_file is not None and asked.small_file.text.startswith("calls:"):
        return asked.judged(after=judged) or tm.evaluate([0, 1], [0, 1])
    return None


def counted(request):
    if "right calls" in request.table.columns:
        tally = tm.LabelTally((0, 1), [[3, 0], [0, 4]])
        return from_tallies({"desk": tally}, Source("calls", "calls", {"truth": "right calls"}))
    return None


class Archive(FrameTable):
    name = "the archive"
    in_place = True

    def counted(self, counter):
        for chunk in self.chunks(**counter.job.columns):
            yield replace(chunk, count=np.array([20, 30, 40]))


def table_of(data):
    if isinstance(data, str) and data == "today.calls":
        return Archive(pd.DataFrame({"truth": [0, 1, 1], "calls": [0, 1, 0]}))
    return None


class Shifts:
    def metrics(self, asked=None):
        return asked or ["calls", "waits"]

    def table(self, **options):
        return {"dataset": ["desk"], "algorithm": ["night"], "calls": [7], "waits": [2]}


def shifts(source, kept):
    return Shifts() if source == "the shifts" else None
"""
ANSWERS = """
from tallymark.core import Account, Grid, Panel, Paragraph, Section, Use, once, only
from calls_by_hour.calls import Hours


@once
def busiest(ev):
    "Return the hour with most calls."
    return {name: Hours({"9": 7}) for name in ev.names if ev.source.use == "calls"}


def calls_of(ev, label, *, times=1):
    "Return the calls of a class."
    return times * (label == only(ev.models).labels.labels[1])


def day(ev, best):
    text = f"{best} <calls> at 9."
    return Panel("The day", "9 < 10.", [Paragraph(text)], "overview", ["wilson1927"]) if "calls" in ev.source.use else None


def account(ev):
    section = Section("morning", Grid(("hour", "calls"), [("9", "7")]), ["Seven is a lot."])
    return Account("calls of a day", "7 at 9", "Most calls come at 9.", "By hour", [section])


CALLS = Use(account=account, needs="scores of calls")


def definitions_of(ev, metric):
    yield ev.names[0], "the share of calls", 7.0


def of_hours(columns):
    return "the columns are hours; judge them with calls_by_hour" if "hour" in columns else None


def also(look):
    if "first" not in look.columns:
        return None
    return {"hours": [*look.columns]}, "they are named like hours" if "third" in look.columns else ""


def of_few(truth, ignored):
    return f"or ask those who called why {truth} is missing" if "caller" in ignored else None
"""
BLOCKS = """
from tallymark.core import Bullets, Paragraph


def hours(found):
    yield Paragraph(f"{found.hours['9']} calls at 9")


def hours_card(found):
    yield Bullets([f"{found.hours['9']} calls"])


def drawn(found):
    "Draw calls by hour."
    return f"drawn: {found.hours['9']}"
"""
FILES = """
from tallymark.core import Coded, Layout, Reader, Written


def write(opened, target):
    lines = open(opened.path, encoding="utf-8").read().split("calls ")[1].split()
    target.write_text("".join(line.replace(":", ",") + "\\n" for line in lines), encoding="utf-8")
    columns = (("truth", ("no", "yes", "never")), ("pred", ("no", "yes")))
    return Written(columns=columns, missing="-")


def meant(classes):
    return {c: Coded(v.codes, tuple(n.upper() for n in v.labels)) for c, v in classes.items()}


READERS = (Reader("calls", (".calls",), "CSV", write, text="calls ", declares=True),)
LAYOUT = Layout("Phone", "log", ("real", "said", "sure"), "real", "said", "sure", "phone", meant)
"""
NUMBERS = """
from tallymark.core import metric


@metric(title="Share called", formula="(TP + FP) / n", undefined={}, aliases=("SC",))
def share_called(c):
    "Share of the rows that are called."
    return (c.tp + c.fp) / c.total
"""
WAITS = """
import numpy as np

from tallymark.core import ranking


@ranking(title="Share of waiting", formula="waiting of positives / all", role="wait", role_needed=True,
         undefined={"nobody waits": lambda r: ((r.pos + r.neg) * r.wait).sum(-1) == 0})
def share_of_waiting(r):
    "Share of all waiting that positives do."
    with np.errstate(all="ignore"):
        return (r.pos * r.wait).sum(-1) / ((r.pos + r.neg) * r.wait).sum(-1)
"""
CURVES = """
from tallymark.core import DEPTH, FPR, TPR, curve


@curve(FPR, TPR, no_band="it is a line")
def calls(tally):
    "Return a line."
    return {"x": [0.0, 1.0], "y": [0.0, 1.0]}


@curve(DEPTH, TPR, no_band="it is a line", role="wait", role_needed=True)
def waiting(tally):
    "Return the longest wait."
    return {"x": [0.0, 1.0], "y": [0.0, float(tally._score_counts.wait.max())]}
"""
COMMAND = '''
import click

import tallymark as tm
from tallymark.cli import main
from tallymark.cli.group import option


def shifted(command):
    return option("--shift N", "Hours of a shift.")(command)


@main.command()
@click.option("--at", "hour")
def hours(hour):
    """Count calls by hour."""
    if hour:
        raise tm.InputError("no calls; say tm.hours('a b', hour='9') or tm.days('c', hour='9')")
    print("nine")
'''


GUIDE = Path(__file__).parents[1] / "docs" / "adding-a-part.md"


def modules_of_the_guide():
    """Return the files of the part that the guide makes: name and text."""
    page = GUIDE.read_text(encoding="utf-8")
    return re.findall(r"```python\n# (calls_by_hour/\w+\.py)\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def elsewhere(tmp_path):
    """Return a folder where a distribution with a part is installed."""
    part = tmp_path / "calls_by_hour"
    part.mkdir()
    files = {
        "__init__": PACKAGE,
        "calls": CALLS,
        "answers": ANSWERS,
        "blocks": BLOCKS,
        "command": COMMAND,
        "files": FILES,
        "numbers": NUMBERS,
        "waits": WAITS,
        "waiting": dict(modules_of_the_guide())["calls_by_hour/waiting.py"],
        "curves": CURVES,
    }
    for name, text in files.items():
        (part / f"{name}.py").write_text(text, encoding="utf-8")
    info = tmp_path / "calls_by_hour-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: calls-by-hour\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        "[tallymark.parts]\ncalls-by-hour = calls_by_hour:PART\n", encoding="utf-8"
    )
    return tmp_path


def python(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={"PYTHONPATH": str(folder)}, capture_output=True,
        text=True, encoding="utf-8", timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_each_of_our_parts_is_found():
    package = Path(tm.__file__).parent
    folders = {p.parent.name for p in package.glob("parts/*/__init__.py")}
    folders |= {name for name in BESIDE if (package / name / "__init__.py").exists()}
    assert folders <= {*OURS}
    ours = [p.package for p in parts() if p.package.startswith("tallymark.")]
    assert ours == [f"tallymark.{folder_of(n).replace('/', '.')}" for n in OURS if n in folders]


def test_what_parts_add_is_loaded():
    assert all(map(callable, added("inputs")))
    for name in names():
        assert name in tm.__all__
        assert getattr(tm, name) is not None


def test_a_name_of_no_part_is_no_name():
    with pytest.raises(
        AttributeError, match="^module 'tallymark' has no attribute 'zebra'; there are .*'Counts'"
    ):
        tm.zebra  # noqa: B018


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_name_and_its_results(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from calls_by_hour.calls import Log
print("calls_by_hour" in tm.__all__, "calls_by_hour" in dir(tm))
found = tm.calls_by_hour(Log([0, 1], [1, 1]))
print(found)
print(found._repr_html_().endswith("</style><ul><li>2 calls</li></ul></div>"))
""")  # fmt: skip
    assert told == "True True\n2 calls at 9\nTrue\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_plot(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from calls_by_hour.calls import Log
found = tm.calls_by_hour(Log([0, 1], [1, 1]))
print(tm.plot.hours(found), "hours" in dir(tm.plot), "hours" in tm.plot.__all__)
ev = tm.evaluate([0, 1], [0, 1])
print("hours" in dir(ev.plot), ev.plot.hours.__doc__)
try:
    tm.plot.nothing
except AttributeError as refused:
    print(refused)
""")  # fmt: skip
    first, second, third = told.splitlines()
    assert first == "drawn: 2 True True"
    assert second == "False Draw calls by hour."
    assert third.startswith("there is no plot 'nothing'; there are 'calibration', ")


@pytest.mark.slow
def test_a_part_of_another_distribution_tells_what_its_input_means(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from calls_by_hour.calls import Log
ev = tm.evaluate(Log(["a", "b", "b"], ["a", "b", "a"]), positive="b")
print(ev.source.name, ev["sensitivity"].value)
""")  # fmt: skip
    assert told == "the log 0.5\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_opens_a_table_that_counts_itself(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
ev = tm.evaluate("today.calls", truth="truth", pred="calls")
print(ev.source.name, ev.rows, ev["specificity"].value)
""")  # fmt: skip
    assert told == "the archive 90 1.0\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_makes_a_table_of_results(elsewhere):
    told = python(elsewhere, """
from tallymark.part import answer
made = answer("results", "the shifts", None)
print(made.metrics(), made.table()["calls"], answer("results", {"calls": [7]}, None))
""")  # fmt: skip
    assert told == "['calls', 'waits'] [7] None\n"


def test_a_part_of_another_distribution_declares_the_options_of_its_results(elsewhere):
    told = python(elsewhere, """
import click
from tallymark.cli.group import together
from tallymark.part import added
command = click.command()(together(*added("results_options"))(lambda: None))
print(command.params[-1].opts)
""")  # fmt: skip
    assert told == "['--shift']\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_command(elsewhere):
    told = python(elsewhere, "from tallymark.cli import main; main(['hours'])")
    assert told == "nine\n"
    assert "Count calls by hour." in python(elsewhere, """
from tallymark.cli import main
main(["--help"])
""")  # fmt: skip


@pytest.mark.slow
def test_a_part_of_another_distribution_says_what_its_numbers_mean(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from tallymark.cli import main
print(tm.Value("calls_a_day", 2.0, 1.0, 3.0, 0.95, se=0.5))
print(tm.Value("calls_an_hour", 2.0, 1.0, 3.0, 0.95, se=0.5))
main(["explain", "calls a day"])
""")  # fmt: skip
    value, other, *words = told.splitlines()
    assert value == f"{other}, SE 0.5"
    assert " ".join(" ".join(words).split()) == "calls a day meaning The mean number of calls."


@pytest.mark.slow
def test_a_part_of_another_distribution_tells_what_an_open_table_means(elsewhere):
    told = python(elsewhere, """
import pandas as pd
import tallymark as tm
ev = tm.evaluate(pd.DataFrame({"right calls": [7], "calls": [7]}))
print(ev.names, ev.rows, ev.reading.arguments)
""")  # fmt: skip
    assert told == "('desk',) 7 {'positive': 1}\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_reads_a_small_file_whole(elsewhere):
    (elsewhere / "a.txt").write_text("calls: many")
    told = python(elsewhere, f"""
import tallymark as tm
print(tm.evaluate({str(elsewhere / "a.txt")!r}).rows)
""")  # fmt: skip
    assert told == "2\n"


def test_a_call_in_a_refusal_is_named_as_the_command_of_a_part(elsewhere):
    told = python(elsewhere, """
import contextlib, io, sys
from tallymark.cli import main
sys.stderr = sys.stdout
main(["hours", "--at", "9"], standalone_mode=False)
""")  # fmt: skip
    assert told == (
        "tallymark: no calls; say tallymark hours 'a b' --at 9 or tm.days('c', hour='9')\n"
    )


@pytest.mark.slow
def test_a_part_of_another_distribution_reads_a_kind_of_file(elsewhere):
    (elsewhere / "a.calls").write_text("calls yes:yes\nno:-\nno:yes\n", encoding="utf-16")
    (elsewhere / "b").write_text("calls no:no\nyes:yes\n", encoding="utf-8")
    told = python(elsewhere, f"""
import tallymark as tm
for name in ("a.calls", "b"):
    ev = tm.evaluate({str(elsewhere)!r} + "/" + name, missing="drop")
    print(ev.source.kind, ev.rows, ev.classes, ev["accuracy"].value)
""")  # fmt: skip
    assert told == "calls 2 ('never', 'no', 'yes') 0.5\ncalls 2 ('never', 'no', 'yes') 1.0\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_knows_the_columns_of_a_program(elsewhere):
    (elsewhere / "l.csv").write_text("said,real,sure\na,a,0.9\nb,a,0.6\nb,b,0.8\n")
    told = python(elsewhere, f"""
import tallymark as tm
ev = tm.evaluate({str(elsewhere / "l.csv")!r}, positive="B")
print(ev.names, ev.classes, ev["accuracy"].value, ev["roc_auc"].value, *ev.source.format)
""")  # fmt: skip
    assert told.startswith("('phone',) ('A', 'B') 0.666")
    assert told.endswith(" 1.0 Phone's log output\n")


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_metric_where_it_says(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from tallymark.metric import METRICS
from tallymark.metric.headlines import HEADLINE
ev = tm.evaluate([0, 1, 1, 0], [0, 1, 1, 1])
print(tm.metrics.sc([0, 1, 1, 0], [0, 1, 1, 1]), ev["share called"].value, "Share called" in str(ev))
for names in (list(METRICS), HEADLINE, list(ev.values()["model"])):
    print(names.index("share_called") - names.index("f1"))
""")  # fmt: skip
    assert told == "0.75 0.75 True\n1\n1\n1\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_curve_where_it_says(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from tallymark.curve import CURVES
ev = tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4])
names = list(CURVES)
print(*ev.curve("calls").y, names.index("calls") - names.index("lift"))
""")  # fmt: skip
    assert told == "0.0 1.0 1\n"


def test_a_part_of_another_distribution_is_shown_in_a_use_where_it_says(elsewhere):
    told = python(elsewhere, """
from tallymark.report.uses import USES
print(USES["ranking"].brief[:2], USES["ranking"].headline[:2], USES["ranking"].first[1:3])
print("share_called" in USES["teaching"].brief, "calls" in USES["teaching"].first)
""")  # fmt: skip
    first = "('roc_auc', 'share_called')"
    assert told == f"{first} {first} ('pr', 'calls')\nFalse False\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_reads_numbers_of_rows_by_every_route(elsewhere):
    """Arrays, batches, frames, files, the command line and JSON; rows alone, in clusters, by subgroup."""
    told = python(elsewhere, """
import inspect
import numpy as np, pandas as pd
import tallymark as tm
from tallymark.cli import main
y, s, wait = [0, 1, 1, 0, 1, 0], [0.1, 0.7, 0.4, 0.4, 0.9, 0.2], [1, 2, 3, 4, 5, 10]
data = pd.DataFrame({"y": y, "s": s, "minutes": wait, "who": [0, 0, 1, 1, 2, 2], "at": list("aabbcc")})
data.to_csv("f.csv", index=False)
batches = tm.Tallier()
for part in (slice(3), slice(3, 6)):
    batches.update(y[part], y_score=s[part], wait=wait[part])
ev = tm.evaluate(y, y_score=s, wait=wait)
ev.to_json("waits.json")
named = {"truth": "y", "score": "s", "wait": "minutes"}
grouped = tm.evaluate(data, **named, cluster="who", subgroup="at")
routes = [ev, batches.result(), tm.evaluate(data, **named), tm.evaluate("f.csv", **named), grouped,
          tm.evaluate(data, reading=named), tm.read("waits.json"), tm.Tallier.from_dict(batches.to_dict()).result()]
print({ev["share_of_waiting"].value for ev in routes}, batches.value("share_of_waiting"))
v = ev["share_of_waiting"]
print(0 < v.low < v.value < v.high < 1, *grouped.by("at").values(["share_of_waiting"])["b"])
print([found["share_of_waiting"].value for found in grouped.by("at").values(["share_of_waiting"]).values()])
both = tm.evaluate(y, y_score={"a": s, "b": s[::-1]}, wait=wait)
print(both.values()["b"]["share_of_waiting"].value, *ev.curve("waiting").y)
print(ev.at(prevalence=0.25)["share_of_waiting"].value)
for function in (tm.evaluate, tm.Tallier.update):
    print("wait" in inspect.signature(function).parameters)
print("How long a caller waits. Needs a score" in tm.evaluate.__doc__, grouped.source.read_as)
for asked in (
    lambda: tm.evaluate(y, y_score=s)["share_of_waiting"],
    lambda: tm.evaluate(y, y_score=s).curve("waiting"),
    lambda: tm.evaluate(y, y_score=s, wait=[-1, *wait[1:]]),
    lambda: tm.evaluate(y, y, wait=wait),
    lambda: batches.update([0], y_score=[0.1]),
):
    try:
        print(asked())
    except tm.InputError as refused:
        print(refused)
main(["curve", "f.csv", "waiting", "--truth", "y", "--score", "s", "--wait", "minutes"], standalone_mode=False)
""")  # fmt: skip
    numbers, *refusals = told.split("share_of_waiting needs")
    assert numbers.splitlines() == [
        "{0.4} 0.4", "True share_of_waiting", "[0.6666666666666666, 0.42857142857142855, 0.3333333333333333]",
        "0.4 0.0 10.0", "0.18181818181818182", "True", "True",
        "True Read as: truth = `y` (1 is positive), score = `s`, cluster = `who`, wait = `minutes`, subgroup = `at`.",
    ]  # fmt: skip
    assert "".join(refusals).splitlines() == [
        " the wait of each row, such as its minutes; give wait=..., and scores of two classes",
        "the curve 'waiting' needs the wait of each row, such as its minutes; give wait=..., and scores of two classes",
        "wait is -1 at index 0; the wait of a row, such as its minutes, is 0 or more",
        "wait is the wait of rows, which is read with their score for two classes, and there is no such score; "
        "give one, or leave wait= out",
        "there is no wait and earlier batches had it; give every batch the same",
        "predicted_positive_rate,sensitivity", "0.0,0.0", "1.0,10.0",
    ]  # fmt: skip


def test_two_parts_that_declare_one_role_are_refused(monkeypatch):
    role = Role("wait", plural="waits", such_as="its minutes", about="", tally="waiting:WaitTally")
    both = tuple(Part(name, roles=(role,)) for name in ("a", "b"))
    monkeypatch.setattr("tallymark.part.parts", lambda: both)
    with pytest.raises(
        tm.InputError, match="'wait' is added by two parts, a and b; remove one of them"
    ):
        kept_roles.__wrapped__()


@pytest.mark.slow
def test_a_role_that_cannot_be_a_new_argument_is_refused(elsewhere):
    for name, told in (
        ("level", "which is an argument of tallymark already; give the role another name"),
        ("self", "which is an argument of tallymark already; give the role another name"),
        *((name, "which cannot be the name of an argument; name it with letters, digits and "
                 "underscores, unlike a word of Python") for name in ("waiting time", "class")),
    ):  # fmt: skip
        (elsewhere / "calls_by_hour" / "__init__.py").write_text(
            "from tallymark.part import Part, Role\n"
            f"ROLE = Role({name!r}, plural='waits', such_as='its minutes', about='', tally='w:W')\n"
            "PART = Part('calls_by_hour', roles=(ROLE,))\n",
            encoding="utf-8",
        )
        refused = python(elsewhere, """
try:
    import tallymark as tm
    tm.evaluate([0, 1], [0, 1])
except ValueError as error:
    print(error)
""")  # fmt: skip
        assert refused == f"calls_by_hour adds the role {name!r}, {told}\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_answers_a_question(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
ev = tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4], use="calls")
print("busiest" in dir(ev), ev.busiest()["model"].hours, ev.busiest() is ev.busiest())
print(ev.to_dict()["models"][0]["busiest"])
print("ev.busiest(): The hour with most calls." in str(ev.help()))
plain = tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4])
print(plain.busiest(), plain.to_dict()["models"][0]["busiest"], "busiest" in str(plain.help()))
""")  # fmt: skip
    assert told == "True {'9': 7} True\n{'9': 7}\nTrue\n{} None False\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_method_that_takes_arguments(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
ev = tm.evaluate([0, 1, 1], y_score={"a": [0.1, 0.7, 0.4], "b": [0.2, 0.1, 0.9]})
print("calls_of" in dir(ev), ev.model("a").calls_of(1, times=5))
print("ev.model('a').calls_of(label, times): The calls of a class." in str(ev.help()))
print("calls_of" in ev.to_json(), "calls_of" in str(tm.evaluate([0, 1, 2], [0, 1, 2]).help()))
try:
    ev.calls_of(1)
except tm.InputError as refused:
    print(str(refused)[:28])
""")  # fmt: skip
    assert told == "True 5\nTrue\nFalse False\nthis evaluation holds 2 mode\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_use_and_what_is_said_of_it(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
ev = tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4], use="calls")
ev.report("page.html")
page = open("page.html", encoding="utf-8").read()
for text in (str(ev), ev._repr_html_(), page):
    print(*(word in text for word in ("calls of a day", "Most calls come at 9.", ">9<", "hour")))
print("By hour" in page, "Seven is a lot." in page, "Seven is a lot." in str(ev))
try:
    tm.evaluate([0, 1, 1], [0, 1, 1], use="calls")
except tm.InputError as refused:
    print(refused)
""")  # fmt: skip
    assert told.splitlines() == [
        "True True False True", "True True True True", "True True True True", "True True True",
        "use='calls' needs scores of calls; give y_score",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_a_section_to_the_page(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
for use in ("calls", None):
    ev = tm.evaluate([0, 1, 1], y_score={"a": [0.1, 0.7, 0.4]}, use=use)
    page = ev.report("page.html").read_text("utf-8")
    print('<a href="#day">The day</a>' in page, "<p>a &lt;calls&gt; at 9.</p>" in page)
    print("<summary>The day: 9 &lt; 10.</summary>" in page)
    print(page.find('id="overview"') < page.find('<section id="day"') < page.find('id="curves"'))
    print("Probable inference" in page)
""")  # fmt: skip
    assert told.splitlines()[:6] == ["True True", "True", "True", "True", "False False", "False"]


@pytest.mark.slow
def test_a_use_whose_part_is_gone_is_shown_plainly(elsewhere):
    python(elsewhere, """
import tallymark as tm
tm.evaluate([0, 1, 1], y_score=[0.1, 0.7, 0.4], use="calls").to_json("calls.json")
""")  # fmt: skip
    ev = tm.read(elsewhere / "calls.json")
    assert ev.source.use == "calls"
    assert "3 rows, positive class '1'" in str(ev)


@pytest.mark.slow
def test_a_part_of_another_distribution_says_what_judges_a_table_without_truth(elsewhere):
    told = python(elsewhere, """
import tallymark as tm, pandas as pd
try:
    tm.evaluate(pd.DataFrame({"hour": [0.5, 1.5, 2.5], "other": [1.25, 2.5, 3.5]}))
except tm.InputError as refused:
    print(refused)
""")  # fmt: skip
    assert told == "the columns are hours; judge them with calls_by_hour\n"


@pytest.mark.slow
def test_a_part_of_another_distribution_lists_how_else_columns_are_read(elsewhere):
    told = python(elsewhere, """
import tallymark as tm, pandas as pd
for names in (("first", "second"), ("label", "pred", "first", "third")):
    values = [0, 1, 1] * 20, [0, 1, 0] * 20, ["x"] * 60, ["y"] * 60
    try:
        tm.evaluate(pd.DataFrame(dict(zip(names, values))))
    except tm.InputError as asked:
        print(asked)
""")  # fmt: skip
    first, second = told.splitlines()
    assert "tm.evaluate(..., hours=['first', 'second']) or tm.evaluate(..., truth=" in first
    assert second == (
        "they are named like hours, and may also be a true class and a prediction; say "
        "tm.evaluate(..., hours=['label', 'pred', 'first', 'third']) or tm.evaluate(..., "
        "truth='label', pred='pred')"
    )


@pytest.mark.slow
def test_a_part_of_another_distribution_says_what_to_do_if_few_rows_have_a_truth(elsewhere):
    told = python(elsewhere, """
import tallymark as tm, pandas as pd
table = {"y": [1, None, None, None, 0], "p": [1, 0, 0, 1, 1], "caller": ["a", "b", "c", "d", "e"]}
for columns in (["y", "p", "caller"], ["y", "p"]):
    try:
        tm.evaluate(pd.DataFrame(table)[columns], truth="y", pred="p")
    except tm.InputError as refused:
        print(str(refused).partition("missing=")[2])
""")  # fmt: skip
    first, second = told.splitlines()
    assert first.startswith("'drop' to leave those rows out; or ")
    assert "ask those who called why y is missing" in first or "a judge's value" in first
    assert second == "'drop' to leave those rows out"


@pytest.mark.slow
def test_a_part_of_another_distribution_adds_definitions_of_metrics(elsewhere):
    told = python(elsewhere, """
import tallymark as tm
from tallymark.metric import get
from tallymark.part import added
print(*added("definitions")[-1](tm.evaluate([0, 1], [0, 1]), get("f1")))
""")  # fmt: skip
    assert told == "('model', 'the share of calls', 7.0)\n"


def test_a_part_loads_what_it_names():
    part = Part("tallymark", names={"evaluate": "api:evaluate"})
    assert part.load("api:evaluate") is tm.evaluate
    assert part.load("api").evaluate is tm.evaluate


@pytest.fixture
def guided(tmp_path):
    """Return a folder where the part of the guide is installed, as its page has it."""
    page = GUIDE.read_text(encoding="utf-8")
    for name, text in modules_of_the_guide():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (entry,) = re.findall(r"```toml\n\[project.entry-points.*?\n(.*?)\n```", page, re.DOTALL)
    info = tmp_path / "calls_by_hour-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Name: calls-by-hour\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(
        f"[tallymark.parts]\n{entry.replace(chr(34), '')}\n", encoding="utf-8"
    )
    (tmp_path / "log.csv").write_text("hour,pred\n9,yes\n9,no\n17,yes\n9,yes\n", encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_the_part_of_the_guide_works(guided):
    told = python(guided, f"""
import tallymark as tm
print(tm.calls_by_hour([9, 9, 17], [1, 1, 0]).calls[9])
from tallymark.cli import main
words = ["hours", {str(guided / "log.csv")!r}, "--hour", "hour", "--pred", "pred", "--positive"]
main([*words, "yes"], standalone_mode=False)
main([*words, "yes", "--format", "csv"], standalone_mode=False)
""")  # fmt: skip
    number, *lines = told.splitlines()
    assert number == "2"
    assert lines[0] == "3 calls in 4 rows"
    heads, nine, five = (line.split() for line in lines[1:4])
    assert heads == ["hour", "rows", "calls", "share", "low", "high"]
    assert nine == ["9", "3", "2", "0.667", "0.208", "0.939"]  # Wilson's interval of 2 in 3
    assert five == ["17", "1", "1", "1.000", "0.207", "1.000"]
    assert lines[4] == "hour,rows,calls,share,low,high"
    assert lines[14].startswith("9,3,2,0.66666")
    assert len(lines[4:]) == 25


def test_two_parts_of_one_name_are_refused(guided):
    other = guided / "other"
    other.mkdir()
    text = (guided / "calls_by_hour" / "__init__.py").read_text(encoding="utf-8")
    (other / "__init__.py").write_text(text, encoding="utf-8")
    file = guided / "calls_by_hour-1.0.dist-info" / "entry_points.txt"
    file.write_text(file.read_text(encoding="utf-8") + "other = other:PART\n", encoding="utf-8")
    told = python(guided, """
import tallymark as tm
try:
    tm.calls_by_hour
except tm.InputError as refused:
    print(refused)
""")  # fmt: skip
    assert told == (
        "'calls_by_hour' is added by two parts, calls_by_hour and other; remove one of them\n"
    )
