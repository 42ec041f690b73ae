"""Print the section of CHANGELOG.md that a release's page shows.

python tools/notes.py [TAG]

A tag such as v1.2.0 must name the version of pyproject.toml, and that version must have a dated
section that is not empty. Without a tag the version of pyproject.toml is taken.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def notes(changelog: str, version: str, tag: str) -> str:
    """Return what the changelog says of a version."""
    if tag != f"v{version}":
        raise SystemExit(
            f"the tag {tag} is not v{version}, the version of pyproject.toml: set the version "
            "there, or move the tag"
        )
    parts = re.split(r"^## \[(.+?)\](.*)$", changelog, flags=re.MULTILINE)
    each = zip(parts[1::3], parts[2::3], parts[3::3], strict=True)
    sections = {name: (rest, text.strip()) for name, rest, text in each}
    if version not in sections:
        raise SystemExit(
            f"CHANGELOG.md has no section '## [{version}] - DATE': make release VERSION={version}"
        )
    rest, text = sections[version]
    if not re.fullmatch(r" - \d{4}-\d\d-\d\d", rest):
        raise SystemExit(
            f"the section of {version} in CHANGELOG.md has no date: write '## [{version}] - DATE'"
        )
    if not text:
        raise SystemExit(f"the section of {version} in CHANGELOG.md is empty: say what changed")
    return text


def main() -> None:
    """Print the notes of the version of pyproject.toml."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    tag = sys.argv[1] if len(sys.argv) > 1 else f"v{version}"
    print(notes((ROOT / "CHANGELOG.md").read_text("utf-8"), version, tag))


if __name__ == "__main__":
    main()
