"""Put the version, its date and the project's address into every file that repeats them.

python tools/release.py [VERSION [DATE]]

pyproject.toml holds the version and, under [project.urls], the address. Given a VERSION, it is set
there, and the section "Unreleased" of CHANGELOG.md gets it and its DATE (today). CITATION.cff,
conda/recipe.yaml and the links of the long description follow from both files.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT, CHANGES, CITATION, CONDA = FILES = (
    "pyproject.toml", "CHANGELOG.md", "CITATION.cff", "conda/recipe.yaml"
)  # fmt: skip


def prepared(files: Mapping[str, str], version: str = "", day: str = "") -> dict[str, str]:
    """Return the texts of the files in which version, date and address are the same."""
    text = dict(files)
    if version:
        if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
            raise SystemExit(f"{version!r} is no version; give one such as 1.2.0 or 1.2.0rc1")
        if "## [Unreleased]\n" not in text[CHANGES]:
            raise SystemExit("CHANGELOG.md has no section '## [Unreleased]': say what changed")
        heading = f"## [{version}] - {day}\n"
        text[CHANGES] = text[CHANGES].replace("## [Unreleased]\n", heading)
        text[PROJECT] = _set(text[PROJECT], "version", f'"{version}"')
    project = tomllib.loads(text[PROJECT])["project"]
    number, address = project["version"], project.get("urls", {}).get("Repository", "")
    dated = re.search(rf"^## \[{re.escape(number)}\] - (.+)$", text[CHANGES], re.MULTILINE)
    links = rf"[\1]({address}/blob/main/\2)" if address else r"\1"
    head, last, rest = text[PROJECT].rpartition("\nreplacement = ")
    text[PROJECT] = head + last + f"'{links}'" + rest[rest.index("\n") :]
    cited = {"version": number, "date-released": dated[1]} if dated else {}
    cited |= {"repository-code": address} if address else {}
    kept = re.sub(r"^(version|date-released|repository-code): .*\n", "", text[CITATION], flags=re.M)
    text[CITATION] = kept + "".join(f"{key}: {value}\n" for key, value in cited.items())
    kept = re.sub(r"^  repository: .*\n", "", text[CONDA], flags=re.M)
    about = f"  repository: {address}\n" if address else ""
    text[CONDA] = _set(kept, "  version", number, ":") + about
    return text


def _set(text: str, key: str, value: str, sign: str = " =") -> str:
    return re.sub(rf"^{key}{sign} .*$", f"{key}{sign} {value}", text, count=1, flags=re.MULTILINE)


def main() -> None:
    """Write the files that differ, and name them."""
    files = {name: (ROOT / name).read_text("utf-8") for name in FILES}
    version, day = [*sys.argv[1:], "", ""][:2]
    for name, text in prepared(files, version, day or date.today().isoformat()).items():
        if text != files[name]:
            (ROOT / name).write_text(text, encoding="utf-8")
            print(f"written: {name}")


if __name__ == "__main__":
    main()
