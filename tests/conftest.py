import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

# The width of the terminal that runs the tests must not change what they print.
os.environ.pop("COLUMNS", None)

fixed = settings(
    derandomize=True,
    deadline=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("fixed", fixed)
# A mutant needs one failing example, not the smallest one.
settings.register_profile("mutants", fixed, phases=[Phase.explicit, Phase.generate])
# Laws on a sixth of the examples: make quick has two minutes.
settings.register_profile("quick", fixed, max_examples=10)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))

collect_ignore_glob = ["parts/*/typed_*.py"]
"""Scripts for type checkers, which tests/typed looks at and nobody runs."""

ENGINES = ("tests/parts/engines/",)
PAGES = ("tests/report/", "tests/test_strings.py")
TOGETHER = (ENGINES, PAGES)
"""Files that share what takes long: started systems, and the evaluations of tests/report/pages.py."""

LONGEST = (
    *ENGINES, "tests/test_deletion.py", "tests/test_site.py", *PAGES,
    "tests/parts/sklearn/test_their_tests.py", "tests/peers/test_oracles.py", "tests/typed/",
    "tests/infer/", "tests/reading/",
)  # fmt: skip
"""What takes longest runs first: no processor waits for one long file at the end."""

LEFT_TO_MAKE_TEST = ("slow", "browser", "r", "engines")
"""The marks of tests that take long or need another system."""


def pytest_addoption(parser):
    """Add the option of make quick."""
    told = "no slow test, none that needs another system, the first and last case of each other"
    parser.addoption("--quick", action="store_true", help=told)


def pytest_configure(config):
    """Take fewer examples of each law where the tests are to be quick."""
    if config.getoption("quick"):
        settings.load_profile("quick")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out files in the order of the tests, and files that belong TOGETHER as one."""
    if config.option.dist != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class Files(LoadFileScheduling):
        def _split_scope(self, nodeid):
            shared = (group[0] for group in TOGETHER if nodeid.startswith(group))
            return next(shared, super()._split_scope(nodeid))

    config.option.loadscopereorder = False  # which would begin with the file of the most tests
    return Files(config, log)


def turn(item):
    """Return when a test takes its turn: the place of its file in LONGEST."""
    places = (i for i, start in enumerate(LONGEST) if item.nodeid.startswith(start))
    return next(places, len(LONGEST))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Begin with what takes longest; leave out what --quick leaves to make test."""
    items.sort(key=turn)
    if not config.getoption("quick"):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not any(map(item.get_closest_marker, LEFT_TO_MAKE_TEST)):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {id(item) for of_one in cases.values() for item in (of_one[0], of_one[-1])}
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = [item for item in items if id(item) in kept]


CHROMIUM = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """Return a Chromium without a window, one for all tests of a process."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    chromium, helper = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and helper):
        if os.environ.get("CI"):
            pytest.fail("chromium and chromedriver are missing; CI must not skip the page")
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*CHROMIUM, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(helper))
    found.get("about:blank")  # ends what the browser's own first page asks for
    yield found
    found.quit()


def _written(folder: Path, name: str, data: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.fixture
def write(tmp_path: Path):
    """Return a function that writes a file of a name and returns its path."""
    return lambda name, data: _written(tmp_path, name, data)


@pytest.fixture
def written(tmp_path: Path):
    """Return a function that writes a file, called results.txt unless named, and returns its path."""
    return lambda data, name="results.txt": _written(tmp_path, name, data)
