"""Builds the site: sphinx-build docs out/site."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import logging
import re
import shlex
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import tallymark
from tallymark.cli import main

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import behaviour  # noqa: E402
import reference  # noqa: E402

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

project = "tallymark"
author = PROJECT["authors"][0]["name"]
release = PROJECT["version"]
extensions = [
    "myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_click",
    "matplotlib.sphinxext.plot_directive", "sphinx_copybutton",
]  # fmt: skip
plot_formats = ["svg"]
plot_pre_code = "import tallymark"
plot_html_show_formats = plot_html_show_source_link = False
plot_rcparams = {"svg.fonttype": "none", "svg.hashsalt": "tallymark"}
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)  # of fonts that are not here
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["site.css"]
copybutton_prompt_text, copybutton_prompt_is_regexp = r">>> |\.\.\. ", True
html_show_copyright = False
smartquotes = False  # two hyphens begin an option
html_title = f"tallymark {release}"
myst_heading_anchors = 4
numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

PAGES = {"../README.md": "start.md", "../CONTRIBUTING.md": "contributing.md",
         "../CHANGELOG.md": "changes.md", "../examples/README.md": "examples.md"}  # fmt: skip
"""Files beside the pages that are pages of the site, too."""


def names() -> str:
    """Return a table of every public name: the first line of its docstring, and a link."""
    rows = []
    for name in sorted(tallymark.__all__, key=str.lower):
        what = getattr(tallymark, name)
        about = (inspect.getdoc(what) or "").partition("\n")[0]
        kind, target = (
            ("doc", MODULES[name]) if name in MODULES else ("py:obj", f"tallymark.{name}")
        )
        link = f":{kind}:`{name} <{target}>`"
        rows.append(f"   * - {link}\n     - {about}")
    return "\n".join(
        [".. list-table::", "   :header-rows: 1\n", "   * - name", "     - about", *rows]
    )


MODULES = {"metrics": "metrics", "plan": "planning", "plot": "curves"}
"""The public modules, and the page of each."""


def plots() -> str:
    """Return the functions that draw, with their arguments, and a picture of those of scores."""
    parts = []
    for name in tallymark.plot.__all__:
        parts.append(f".. autofunction:: tallymark.plot.{name}\n")
        if name in PICTURED:
            parts.append(
                f".. plot::\n   :alt: what {name} draws\n\n"
                f"   import reference; tallymark.plot.{name}(reference.credit(){PICTURED[name]})\n"
            )
    return "\n".join(parts)


PICTURED = dict.fromkeys(
    ("calibration", "cost", "decision", "det", "error_rates", "gain", "kappa", "ks", "lift", "pr",
     "pr_gain", "roc", "scores"), "",
) | {"confusion": '.model("forest")', "deciles": '.model("forest")', "forest": ', "roc_auc"',
     "metric": ', "mcc"', "prevalence": ', ["precision"]'}  # fmt: skip
"""The functions that have a picture, and what follows the evaluation there."""

FILLED = {
    "api": {"EVERY PUBLIC NAME": names},
    "metrics": {"EVERY METRIC": lambda: deeper(behaviour.text())},
    "curves": {"EVERY CURVE": lambda: deeper(reference.curves()), "EVERY PLOT": plots},
    "gate": {"EVERY CODE": lambda: deeper(reference.gate())},
    "cli": {"EVERY FIELD": lambda: deeper(reference.fields())},
}
"""The pages with lines in place of which stands what is written from the code."""


def deeper(text: str) -> str:
    """Return Markdown whose headings are one level lower."""
    return re.sub(r"(?m)^(#+ )", r"#\1", text)


ERRATA = {"T": "tharwat", "S": "shin", "B": "shin", "R": "shin", "L": "liu2014"}
"""The page of the errata whose numbers begin with a letter."""


GALLERY = re.compile(r"(?m)^tallymark (.+?)(?: -o ([\w-]+\.html))?$")
"""A command of the gallery, and the report that it writes."""


def gallery(app: Any, exception: Exception | None) -> None:
    """Run the commands of the gallery, and put their reports beside its page."""
    if exception or app.builder.format != "html":
        return
    made = Path(app.outdir) / "gallery"
    made.mkdir(exist_ok=True)
    commands = GALLERY.findall((ROOT / "docs" / "gallery.md").read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for words, report in commands:
            target = ["-o", str(made / report)] if report else []
            with contextlib.redirect_stdout(io.StringIO()):
                main([*shlex.split(words), *target], standalone_mode=False)


def adapt(_: Any, name: str, source: list[str]) -> None:
    """Fill in the reference, and turn links to files outside the site into their names."""
    for placeholder, text in FILLED.get(name, {}).items():
        assert placeholder in source[0], f"{name}.md has no line {placeholder}"
        source[0] = source[0].replace(placeholder, text())
    if name == "gallery":
        source[0] = re.sub(
            r"(?m)^(tallymark .+ -o ([\w-]+)\.html\n```)$",
            r'\1\n\n<a href="gallery/\2.html">Open the report</a>', source[0],
        )  # fmt: skip
    number = itertools.count(1)  # since each block of reStructuredText counts from 1
    source[0] = re.sub(
        r"^\.\. plot::$",
        lambda _: f".. plot::\n   :filename-prefix: {name}-{next(number)}",
        source[0], flags=re.M,
    )  # fmt: skip
    for file, page in PAGES.items():
        source[0] = source[0].replace(f"]({file})", f"]({page})")
    # Each erratum in a list is a place, which the chapters lead to.
    source[0] = re.sub(r"(?m)^\| ([TSBRL]\d\d) \|", r'| <span id="\1">\1</span> |', source[0])
    source[0] = re.sub(
        r"\(([TSBRL])(\d\d)\)",
        lambda m: f'(<a href="{ERRATA[m[1]]}.html#{m[1]}{m[2]}">{m[1]}{m[2]}</a>)',
        source[0],
    )
    # Tables of commands and of errata become lists on a phone.
    for kind, heads in {"commands": r"[^|]+ \| command", "errata": "no \\| where"}.items():
        source[0] = re.sub(
            rf"(?m)((?:^\|.*\n)*^\| {heads} \|.*\n(?:^\|.*\n)+)",
            rf'<div class="{kind}">\n\n\1\n</div>\n', source[0],
        )  # fmt: skip
    # The empty line at the end of an example is for doctest alone.
    source[0] = re.sub(r"(```python\n(?:(?!```).)*?)\n\n```", r"\1\n```", source[0], flags=re.S)
    source[0] = re.sub(r"\[([^\]]+)\]\(\.\./([\w./-]+)\)", r"\1 (`\2`)", source[0])


def setup(app: Any) -> None:
    """Connect what adapts the pages, and forget the pictures of the last build.

    The plot directive draws a picture again only where its page has changed, not the code.
    """
    shutil.rmtree(Path(app.doctreedir).parent / "plot_directive", ignore_errors=True)
    app.connect("source-read", adapt)
    app.connect("build-finished", gallery)
