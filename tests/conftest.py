import os
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
