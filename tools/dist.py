"""Build the sdist and a wheel for each Python here, check them, and use each as a user would.

python tools/dist.py [FOLDER]

Each Python 3.X that pyproject.toml allows and that starts, on the PATH or among pyenv's, gets the
wheel that fits it in a new environment without extras, and tools/smoke.py runs there. The oldest
one does it once more with the lowest version of every dependency that pyproject.toml allows.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SOURCES = (".cpp", ".hpp", ".h")
STUBS = [p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*.pyi")]
TYPED = ("tallymark/py.typed", *STUBS)


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


def lowest(requirements: list[str]) -> list[str]:
    """Return requirements that ask for the lowest version that each one allows.

    >>> lowest(["numpy>=2.0", "rich>=13.7,<16"])
    ['numpy==2.0', 'rich==13.7']
    """
    found = [re.match(r"([\w.-]+)>=([\w.]+)", requirement) for requirement in requirements]
    if not all(found):
        raise SystemExit(f"each dependency needs a lowest version, NAME>=VERSION: {requirements}")
    return [f"{each[1]}=={each[2]}" for each in found if each]


def pythons(least: str = PROJECT["requires-python"]) -> dict[str, Path]:
    """Return the programs of every Python here that the package allows, by version, rising."""
    first = int(least.removeprefix(">=3."))
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    out = {}
    for version in (f"3.{minor}" for minor in range(first, first + 20)):
        on_path = shutil.which(f"python{version}")
        among = sorted(root.glob(f"{version}.*/bin/python{version}"))
        for program in [*([Path(on_path)] if on_path else []), *among]:
            # One of pyenv's launchers may stand for a version that is not chosen; a Debian
            # without the package python3-venv makes no environments.
            trial = [program, "-c", "import ensurepip, sys; print(*sys.version_info[:2], sep='.')"]
            done = subprocess.run(
                trial, capture_output=True, text=True, encoding="utf-8", check=False
            )
            if done.stdout.strip() == version:
                out[version] = program
                break
    return out


def run(*command: str | Path, cwd: Path = ROOT) -> bool:
    """Run a command; return whether it worked."""
    return subprocess.run(command, cwd=cwd, check=False).returncode == 0


def must(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command, and stop if it fails."""
    if not run(*command, cwd=cwd):
        raise SystemExit(f"this failed: {' '.join(map(str, command))}")


def try_out(program: Path, dist: Path, constraints: list[str]) -> None:
    """Install the wheel of one Python, which is built if there is none yet, and use it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        must(program, "-m", "venv", folder / "venv")
        python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        ours = [*pip, "install", "--no-index", "--no-deps", "--find-links", dist,
                "--only-binary", ":all:", f"tallymark=={PROJECT['version']}"]  # fmt: skip
        fits = subprocess.run(ours, cwd=folder, capture_output=True, check=False).returncode == 0
        if not fits:
            sdist = next(dist.glob("*.tar.gz"))
            must(*pip, "wheel", "--no-deps", "--wheel-dir", dist, sdist, cwd=folder)
            must(*ours, cwd=folder)
        must(*pip, "install", "--only-binary", ":all:", "tallymark", *constraints, cwd=folder)
        must(*pip, "check", cwd=folder)
        must(python, "-I", ROOT / "tools" / "smoke.py", cwd=folder)


def audit(dist: Path) -> None:
    """Hold the packages to what registries and other machines ask of them."""
    tools = Path(sys.executable).parent
    packages = sorted(dist.iterdir())
    wheels = [package for package in packages if package.suffix == ".whl"]
    for package in packages:
        check_contents(package)
    must(tools / "twine", "check", "--strict", *packages)
    must(tools / "check-wheel-contents", *wheels)
    for wheel in wheels:
        if "-abi3-" in wheel.name:
            must(tools / "abi3audit", "--strict", "--summary", wheel)
    for package in packages:
        print(f"{package.name}: {package.stat().st_size / 1e6:.2f} MB")


def main() -> None:
    """Build everything anew, use it and check it."""
    dist = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist").resolve()
    shutil.rmtree(dist, ignore_errors=True)
    must(sys.executable, "-m", "build", "--sdist", "--outdir", dist)
    found = pythons()
    if not found:
        raise SystemExit(f"no Python {PROJECT['requires-python']} here can make an environment")
    for program in found.values():
        try_out(program, dist, [])
    oldest, program = next(iter(found.items()))
    print(f"Python {oldest} again, with the lowest version of every dependency")
    try_out(program, dist, lowest(PROJECT["dependencies"]))
    audit(dist)
    print(f"Built and used: Python {', '.join(found)}")


if __name__ == "__main__":
    main()
