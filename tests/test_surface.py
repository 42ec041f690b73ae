import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_interface_is_the_one_that_is_written_down():
    spec = importlib.util.spec_from_file_location("surface", ROOT / "tools" / "surface.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "tests" / "surface.txt").read_text("utf-8").splitlines()
    told = "make surface writes tests/surface.txt anew; its change needs a line in CHANGELOG.md"
    assert module.lines() == written, told
