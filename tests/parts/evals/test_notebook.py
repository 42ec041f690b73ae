"""The example notebook runs, and shows what its headings promise."""

import json
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import tallymark as tm

NOTEBOOK = Path(__file__).parents[3] / "examples" / "evals.ipynb"


def test_the_example_notebook_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    names, printed = {}, StringIO()
    with redirect_stdout(printed):
        for cell in cells:
            if cell["cell_type"] == "code":
                assert cell["outputs"] == []
                exec("".join(cell["source"]), names)
    board = names["board"]
    assert board.to_dict() == tm.evals(tm.example("answers"), cluster="text", least=0.05).to_dict()
    assert board.verdict in printed.getvalue()
    for task in ("code", "law", "math"):
        assert task in printed.getvalue()
    assert board.verdict.split(". ")[0] in (tmp_path / "leaderboard.html").read_text("utf-8")
