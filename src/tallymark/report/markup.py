"""Blocks as Markdown and as LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tallymark.errors import harmless
from tallymark.report.blocks import Block, Cell, Grid, Paragraph, printed


def as_markdown(blocks: Iterable[Block]) -> str:
    r"""Return blocks as Markdown.

    >>> print(as_markdown([Grid(("metric", "value"), [("roc_auc", Cell("0.5", "0.4 to 0.6"))])]))
    | metric | value |
    |:---|---:|
    | roc\_auc | 0.5 (0.4 to 0.6) |
    """
    return "\n\n".join(map(_markdown_block, printed(blocks))).replace("\n\n- ", "\n- ") + "\n"


def _markdown_block(b: Paragraph | Grid) -> str:
    return _markdown_table(b) if isinstance(b, Grid) else _markdown_text(b)


def _markdown_table(g: Grid) -> str:
    lines = [f"{_markdown(g.caption)}\n"] if g.caption else []
    lines.append(_markdown_row(map(_markdown, g.heads)))
    lines.append("".join("|" + (":---" if left else "---:") for left in _aligned(g)) + "|")
    lines += [_markdown_row(_markdown(_flat(c)) for c in row) for row in g.cells()]
    return "\n".join(lines)


def _markdown_text(p: Paragraph) -> str:
    text = _markdown(p.text)
    text = f"**{text}**" if p.style in ("title", "bold", "warning") else text
    return f"- {text}" if p.item else text


def _markdown_row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#~])", r"\\\1", harmless(text))


def _flat(c: Cell) -> str:
    return c.text + c.mark + (f" ({c.under})" if c.under else "")


def _aligned(g: Grid) -> list[bool]:
    """Return which columns are left-aligned."""
    last = len(g.heads) - 1
    return [i in g.left or (g.wrap and i == last) for i in range(last + 1)]


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "∞": r"$\infty$",
    "≠": r"$\neq$",
    "−": "$-$",
    "↓": r"$\downarrow$",
    "≥": r"$\geq$",
    "…": r"\ldots{}",
}


def as_latex(blocks: Iterable[Block]) -> str:
    r"""Return blocks as LaTeX; tables need the package booktabs.

    >>> print(as_latex([Grid(("metric", "value"), [("roc_auc", "50 %")])]), end="")
    \begin{tabular}{lr}
    \toprule
    metric & value \\
    \midrule
    roc\_auc & 50 \% \\
    \bottomrule
    \end{tabular}
    """
    return "\n\n".join(map(_latex_block, printed(blocks))) + "\n"


def _latex_block(b: Paragraph | Grid) -> str:
    return _latex_table(b) if isinstance(b, Grid) else _latex_text(b)


def _latex_table(g: Grid) -> str:
    columns = "".join("l" if left else "r" for left in _aligned(g))
    rows = [" & ".join(_latex(_flat(c)) for c in row) + r" \\" for row in g.cells()]
    lines = [_latex(g.caption), ""] if g.caption else []
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(map(_latex, g.heads)) + r" \\", r"\midrule"]
    return "\n".join([*lines, *rows, r"\bottomrule", r"\end{tabular}"])


def _latex_text(p: Paragraph) -> str:
    return rf"\textbf{{{_latex(p.text)}}}" if p.style == "title" else _latex(p.text)


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in harmless(text))
