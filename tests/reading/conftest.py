from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path: Path):
    """Return a function that writes a file of a name and returns its path."""

    def write(name: str, data: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return write
