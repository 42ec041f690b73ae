"""Run tests without some parts: python tools/without.py PART... [-- ARGUMENTS OF PYTEST].

A copy of the tree is made in a temporary folder, without the folders of the parts, their tests
and their pages; the generated files are made anew; then the tests run there. Whatever fails shows
where something else knows of a part.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

import tallymark._kernels
from tallymark.part import OURS, folder_of

ROOT = Path(__file__).parents[1]


def copied(folder: Path, parts: Sequence[str]) -> Path:
    """Return the Python that uses a copy of the tree in ``folder`` without some parts."""
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(listed, cwd=ROOT, capture_output=True, check=True).stdout
    gone = [f"src/tallymark/{folder_of(part)}/" for part in parts]
    gone += [f"tests/parts/{part}/" for part in parts]
    for name in found.decode().split("\0"):
        if name and (ROOT / name).is_file() and not name.startswith(tuple(gone)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    kernels = tallymark._kernels.__file__
    assert kernels is not None
    shutil.copy2(kernels, folder / "src" / "tallymark")
    # The environment of this Python, in which the copy takes the place of the tree.
    venv.create(folder / ".venv", symlinks=True)
    python = folder / ".venv" / "bin" / "python"
    inside = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    paths = [str(folder / "src"), *(p for p in sys.path if p.endswith("-packages"))]
    Path(inside.stdout.strip(), "copy.pth").write_text("\n".join(paths), encoding="utf-8")
    script = python.with_name("tallymark")
    script.write_text(f"#!{python}\nfrom tallymark.cli import main\n\nmain()\n", encoding="utf-8")
    script.chmod(0o755)
    for tool, made in (("stubs", "src/tallymark"), ("surface", "tests/surface.txt")):
        subprocess.run([python, folder / "tools" / f"{tool}.py", made], cwd=folder, check=True)
    return python


def main() -> int:
    """Run the tests of the command line without the parts named there."""
    parts, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    gone = parts.split()
    if not gone or not {*gone} <= {*OURS}:
        print(f"name parts, of: {', '.join(OURS)}")
        return 2
    with tempfile.TemporaryDirectory(prefix="without-") as folder:
        tree = Path(folder, "tree")
        python = copied(tree, gone)
        if (ROOT.parent / "shared").is_dir():
            (tree.parent / "shared").symlink_to(ROOT.parent / "shared")
        run = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options.split()]
        return subprocess.run(run, cwd=tree, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
