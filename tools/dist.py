"""Install built packages as a user would, run the demo from each, and print their sizes.

python tools/dist.py dist/*.whl dist/*.tar.gz
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

SOURCES = (".cpp", ".hpp", ".h")
TYPED = ("tallymark/py.typed", "tallymark/metrics.pyi", "tallymark/sklearn/__init__.pyi")


def names(package: Path) -> list[str]:
    """Return the names of the files in a wheel or an sdist."""
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as wheel:
            return wheel.namelist()
    with tarfile.open(package) as sdist:
        return sdist.getnames()


def check_contents(package: Path) -> None:
    """Refuse a wheel with C++ sources or without kernels or types, an sdist without sources."""
    inside = names(package)
    sources = [name for name in inside if name.endswith(SOURCES)]
    if package.suffix != ".whl":
        if not sources:
            raise SystemExit(f"{package.name} holds no C++ sources, so nobody can build it")
        return
    if sources:
        raise SystemExit(f"{package.name} holds C++ sources: {', '.join(sources[:5])}")
    if not any("_kernels." in name and name.endswith((".so", ".pyd")) for name in inside):
        raise SystemExit(f"{package.name} holds no compiled kernels")
    missing = [name for name in TYPED if name not in inside]
    if missing:
        raise SystemExit(f"{package.name} holds no types: {', '.join(missing)} is missing")


def run_demo(package: Path, folder: Path) -> None:
    """Install a package in a new environment and let it write the demo's page."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, package.resolve()], check=True)
    page = folder / "demo.html"
    demo = [programs / "tallymark", "demo", "-o", page]
    subprocess.run(demo, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    if not page.is_file() or "</html>" not in page.read_text(encoding="utf-8"):
        raise SystemExit(f"the demo of {package.name} wrote no page")


def main() -> None:
    """Check every package that is named."""
    packages = [Path(argument) for argument in sys.argv[1:]]
    if not packages:
        raise SystemExit("name the wheels and sdists to check, such as dist/*")
    for package in packages:
        check_contents(package)
        with tempfile.TemporaryDirectory() as folder:
            run_demo(package, Path(folder))
        print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB, installs and runs the demo")


if __name__ == "__main__":
    main()
