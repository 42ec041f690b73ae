"""Editors and type checkers know every function of tallymark.sklearn."""

from pathlib import Path

import pytest
import sklearn

import tallymark as tm

HERE = Path(__file__).parent


@pytest.mark.skipif(not sklearn.__version__.startswith("1.9."), reason="it is of scikit-learn 1.9")
def test_the_stub_is_what_make_stubs_writes():
    from parts.sklearn.stub import FILE, stub

    assert (Path(tm.__file__).parent / FILE).read_text(encoding="utf-8") == stub()


def test_the_good_script_runs():
    text = (HERE / "typed_good.py").read_text(encoding="utf-8")
    scope = {"__name__": "typed_good"}
    exec(compile(text, "typed_good.py", "exec"), scope)
    assert scope["matrix"].tolist() == [[2, 0], [1, 2]]
