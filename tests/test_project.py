"""What stands beside the code agrees with it: citation, versions, templates."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import metadata
from pathlib import Path
from runpy import run_path

import pytest
import yaml

import tallymark as tm
from tallymark.part import BESIDE

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = SETTINGS["project"]
RELEASE = run_path(f"{ROOT}/tools/release.py")
prepared, notes = RELEASE["prepared"], run_path(f"{ROOT}/tools/notes.py")["notes"]


def test_the_version_and_the_licence_are_the_same_everywhere():
    installed = metadata("tallymark")
    assert installed["Version"] == PROJECT["version"] == tm.__version__
    assert f"\nlicense: {PROJECT['license']}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


# -- one version, one date, one address ----------------------------------------------------------


def files_of_a_release():
    return {name: (ROOT / name).read_text("utf-8") for name in RELEASE["FILES"]}


def test_no_file_differs_from_the_version_and_the_address_that_are_set():
    files = files_of_a_release()
    assert prepared(files) == files


def test_a_release_is_prepared_in_every_file():
    address, before = "https://example.org/one/tallymark", files_of_a_release()
    before["pyproject.toml"] += f'\n[project.urls]\nRepository = "{address}"\n'
    files = prepared(before, "1.2.0", "2030-01-31")
    settings = tomllib.loads(files["pyproject.toml"])
    assert settings["project"]["version"] == "1.2.0"
    assert "\n## [1.2.0] - 2030-01-31\n" in files["CHANGELOG.md"]
    assert notes(files["CHANGELOG.md"], "1.2.0", "v1.2.0")
    cited = yaml.safe_load(files["CITATION.cff"])
    assert (cited["version"], f"{cited['date-released']}") == ("1.2.0", "2030-01-31")
    assert cited["repository-code"] == address
    recipe = yaml.safe_load(files["conda/recipe.yaml"])
    assert (recipe["context"]["version"], recipe["about"]["repository"]) == ("1.2.0", address)
    links = re.findall(r"\]\(([^)]+)\)", long_description(settings))
    assert f"{address}/blob/main/docs/recipes.md" in links
    assert all(link.startswith("https://") for link in links)
    assert prepared(files) == files
    files["pyproject.toml"] = files["pyproject.toml"].replace(f'Repository = "{address}"', "")
    assert not any(address in text for text in prepared(files).values())


@pytest.mark.parametrize(
    ("version", "changelog", "told"),
    [
        ("next", "## [Unreleased]\n", "'next' is no version; give one such as 1.2.0 or 1.2.0rc1"),
        ("1.2.0", "## [1.1.0] - 2030-01-31\n", "CHANGELOG.md has no section '## [Unreleased]'"),
    ],
)
def test_what_cannot_be_released_is_one_sentence(version, changelog, told):
    files = files_of_a_release() | {"CHANGELOG.md": changelog}
    with pytest.raises(SystemExit, match=re.escape(told)):
        prepared(files, version, "2030-01-31")


def test_pages_for_people_name_no_repository_but_that_of_the_project():
    address = PROJECT.get("urls", {}).get("Repository", "")
    for page in [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")]:
        named = re.findall(
            r"https://(?:github|gitlab)\.com/[\w.-]+/tallymark\b", page.read_text(encoding="utf-8")
        )
        assert set(named) <= {address}, page.name


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"])
def test_links_and_named_files_of_the_project_pages_exist(name):
    text = (ROOT / name).read_text("utf-8")
    linked = [t for t in re.findall(r"\]\(([^)#]+)\)", text) if "://" not in t]
    named = re.findall(r"`((?:tests|docs|src|tools)/[\w./-]+)`", text)
    assert linked or named
    for target in (*linked, *named):
        assert of_a_part_that_is_not_here(target) or (ROOT / target).exists(), target


PACKAGE = ROOT / "src" / "tallymark"


def of_a_part_that_is_not_here(place):
    """Return whether a place lies in the folder of a part that was taken out of this tree."""
    part = re.search(r"(?:^|/)parts/(\w+)/", place)
    return bool(part) and not (PACKAGE / "parts" / part[1]).is_dir()


HERE = [p.as_posix() for f in ("src", "tests", "tools", "docs", "benchmarks") for p in (ROOT / f).rglob("*.*")]  # fmt: skip
PAGES = (
    "CONTRIBUTING.md", "docs/design.md", "docs/adding-a-metric.md", "docs/adding-a-curve.md",
    "docs/adding-a-part.md",
)  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_for_developers_names_exist(page):
    text = (ROOT / page).read_text("utf-8")
    named = set(re.findall(r"`([\w/]+\.(?:py|pyi|hpp|cpp|js|txt|toml))`", text))
    assert len(named) > 1
    missing = {
        n for n in named
        if not (of_a_part_that_is_not_here(n) or any(f"/{h}".endswith(f"/{n}") for h in HERE))
    }  # fmt: skip
    assert missing <= {"pyproject.toml", "examples.py"}  # beside the tests of each part


DESIGN = (ROOT / "docs" / "design.md").read_text("utf-8")


def test_the_design_has_a_line_on_every_folder_and_module():
    table = re.search(r"^## The folders\n(.*?)^## ", DESIGN, re.M | re.S)[1]
    lines = re.findall(r"^\| (`.+?) \| (.+) \|$", table, re.M)
    first = {n for places, _ in lines for n in re.findall(r"`([^`]+)`", places)}
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert {f"{f}/" for f in folders | {*BESIDE}} == {n for n in first if n.endswith("/")}
    top = {p.name for p in PACKAGE.glob("*.py")} - {"__init__.py", "__main__.py"}
    assert top == {n for n in first if n.endswith(".py")}
    for places, text in lines:
        for folder in re.findall(r"`(\w+)/`", places):
            modules = {p.stem for p in (PACKAGE / folder).glob("*.*")}
            assert set(re.findall(r"`([a-z_]+)`", text)) <= modules | set(tm.__all__), places


def test_names_in_the_design_are_those_of_the_code():
    words = set(re.findall(r"`([A-Za-z_]+)`", DESIGN))
    designs = {"paired", "unpaired", "against_others"}
    assert designs <= words
    assert designs <= {p.stem for p in (PACKAGE / "infer").glob("*.py")}


def test_every_python_that_is_promised_is_one_that_is_asked_for():
    promised = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    assert promised
    least = PROJECT["requires-python"].removeprefix(">=")
    assert promised[0] == least
    assert promised == sorted(promised, key=lambda v: int(v.split(".")[1]))


def test_the_extras_that_pages_name_add_what_they_say():
    extras = PROJECT["optional-dependencies"]
    texts = [p.read_text("utf-8") for p in (ROOT / "README.md", *(ROOT / "docs").glob("*.md"))]
    named = {n for t in texts for n in re.findall(r"pip install '(?:tallymark|\.)\[(\w+)\]'", t)}
    assert {"plot"} < named <= set(extras)
    assert [need.split(">")[0] for n in ("plot", "sklearn") for need in extras[n]] == [
        "matplotlib",
        "scikit-learn",
    ]


MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_contributing_lists_the_targets_of_the_makefile():
    (targets,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.M)
    rows = dict(re.findall(r"^\| `make (\w+)` \| (.+) \|$", CONTRIBUTING, re.M))
    assert sorted(rows) == sorted(targets.split())
    recipes = dict(re.findall(r"^([a-z0-9-]+):.*\n((?:\t.*\n)+)", MAKEFILE, re.M))
    for target, row in rows.items():
        for page in re.findall(r"writes `(docs/[\w.-]+|tests/[\w.]+)`", row):
            assert page in recipes[target]
    assert "-n 2 --dist loadfile" in recipes["unit"]
    assert "pytest --quick " in recipes["quick"]
    assert "FUZZ_SECONDS ?= 60\nFUZZ_FROM ?= 0\n" in MAKEFILE
    assert SETTINGS["tool"]["mypy"]["strict"]


def test_contributing_lists_what_is_measured_and_where():
    programs = dict(re.findall(r"^measure\.([\w-]+) += (.+)$", MAKEFILE, re.M))
    rows = dict(re.findall(r"^\| `([\w-]+)` \| (.+) \|$", CONTRIBUTING, re.M))
    assert sorted(rows) == sorted(programs)
    for what, program in programs.items():
        for page in re.findall(r"docs/[\w-]+\.md", program):
            assert f"`{page}`" in rows[what]
        place = re.match(r"(?:-m )?(\S+)", program)[1]
        assert (ROOT / place).exists() or (ROOT / f"{place.replace('.', '/')}.py").exists()


def test_make_quick_leaves_out_what_is_marked_and_so_does_the_workflow():
    marked = {line.split(":")[0] for line in SETTINGS["tool"]["pytest"]["ini_options"]["markers"]}
    told = run_path(f"{ROOT}/tests/conftest.py")["LEFT_TO_MAKE_TEST"]
    assert set(told) == marked
    assert "pytest --quick tests\n" in WORKFLOWS["test.yml"].read_text("utf-8")


def test_what_pages_and_workflows_ask_of_make_exists():
    (targets,) = re.findall(r"^\.PHONY: (.+)$", MAKEFILE, re.M)
    measured = re.findall(r"^measure\.([\w-]+) ", MAKEFILE, re.M)
    places = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / ".github").rglob("*.*")]
    for place in places:
        text = place.read_text("utf-8")
        for words in re.findall(r"(?:`|run: )make ([a-z][a-z ]*)", text):
            assert set(words.split()) <= set(targets.split()), place.name
        for what in re.findall(r"WHAT=([\w-]+)", text):
            assert what in measured, place.name


def test_the_places_that_contributing_names_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text[text.index("| you want to | change |") : text.index("`tests/peers` holds")]
    src = ROOT / "src" / "tallymark"
    named = re.findall(r"`((?:[\w-]+/)*(?:[\w-]+\.\w+|[\w-]+/))[ `]", table)
    assert len(named) > 15
    for place in named:
        if of_a_part_that_is_not_here(place):
            continue
        found = [p for p in (src / place, ROOT / place, src / "kernels" / place) if p.exists()]
        assert found, place
    for name, file in (
        ("choose", "infer/methods.py"), ("Subgroups", "infer/by_subgroup.py"),
        ("checked", "contract.py"), ("Vector", "kernels/arrays.hpp"), ("Table", "kernels/arrays.hpp"),
    ):  # fmt: skip
        assert f"`{name}`" in table or f"`{name}()`" in table or f"`@{name}`" in table
        assert re.search(rf"^(def|class) {name}\b", (src / file).read_text("utf-8"), re.M)
    assert "\nNO_PEER" in (ROOT / "tests" / "peers" / "test_complete.py").read_text("utf-8")


def test_every_folder_of_code_has_a_line_in_the_design_and_tests_of_its_own():
    package = ROOT / "src" / "tallymark"
    folders = {
        p.relative_to(package).parts[0] for s in ("py", "cpp") for p in package.glob(f"*/**/*.{s}")
    }
    assert len(folders) > 9
    design = (ROOT / "docs" / "design.md").read_text("utf-8")
    assert not {name for name in folders if f"`{name}/`" not in design}
    elsewhere = {"cli": "test_cli.py", "examples": "test_examples.py"}
    elsewhere |= {name: f"parts/{name}" for name in BESIDE}
    for name in folders:
        assert (ROOT / "tests" / elsewhere.get(name, name)).exists(), name


def test_the_templates_of_issues_ask_for_what_is_needed():
    forms = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
    assert len(forms) == 3
    for form in forms:
        text = form.read_text("utf-8")
        assert re.match(r"name: .+\ndescription: .+\n", text)
        assert "required: true" in text


def long_description(settings=SETTINGS):
    """Return what a package index shows: README.md after the substitutions of pyproject.toml."""
    hook = settings["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "".join((ROOT / f["path"]).read_text("utf-8") for f in hook["fragments"])
    for rule in hook["substitutions"]:
        text = re.sub(rule["pattern"], rule["replacement"], text)
    return text


def test_the_long_description_has_no_link_that_leads_nowhere_on_a_package_index():
    readme, told = (ROOT / "README.md").read_text("utf-8"), long_description()
    targets = re.findall(r"\]\(([^)]+)\)", readme)
    assert len(targets) > 15
    for target in targets:
        assert (ROOT / target).exists(), target
    assert re.findall(r"\]\((?!https?:)|<img|!\[", told) == []
    for kept in (
        "# tallymark\n",
        "pip install .\n",
        ">>> import tallymark as tm\n",
        "How do I …",
    ):
        assert kept in told
    assert "The page: a verdict" not in told
    assert PROJECT["dynamic"] == ["readme"]
    assert "readme" in SETTINGS["tool"]["scikit-build"]["metadata"]


def test_the_conda_recipe_asks_for_what_pyproject_does():
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text("utf-8"))
    assert recipe["package"]["name"] == PROJECT["name"]
    about = recipe["about"]
    assert (about["summary"], about["license"]) == (PROJECT["description"], PROJECT["license"])
    assert [about["license_file"]] == PROJECT["license-files"]
    needed = ["python" + PROJECT["requires-python"], *PROJECT["dependencies"]]
    theirs = {"duckdb": "python-duckdb"}  # conda-forge's name of it
    needed = [re.match(r"([\w.-]+)(.*)", need).groups() for need in needed]
    assert recipe["requirements"]["run"] == [f"{theirs.get(n, n)} {rest}" for n, rest in needed]
    assert set(SETTINGS["build-system"]["requires"]) <= {
        need.replace(" ", "") for need in recipe["requirements"]["host"]
    }
    entries = recipe["build"]["python"]["entry_points"]
    assert entries == [f"{name} = {what}" for name, what in PROJECT["scripts"].items()]


WORKFLOWS = {p.name: p for p in sorted((ROOT / ".github" / "workflows").glob("*.yml"))}


@pytest.mark.parametrize("name", WORKFLOWS)
def test_workflows_may_only_read_and_use_what_is_pinned(name):
    text = WORKFLOWS[name].read_text("utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for job, what in workflow["jobs"].items():
        extra = {"publish": {"id-token": "write"}, "announce": {"contents": "write"}}
        allowed = extra.get(job) if name == "release.yml" else None
        assert what.get("permissions") == allowed, job
        for step in what["steps"]:
            assert re.fullmatch(
                r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", step.get("uses", "a/b@" + 40 * "0")
            )
    assert len(re.findall(r"uses: ", text)) == len(re.findall(r"@[0-9a-f]{40} # v[\d.]+\n", text))
    assert "secrets." not in text
    for tool in re.findall(r"\b(tools/[\w.-]+\.\w+)", text):
        assert (ROOT / tool).is_file()
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for target in re.findall(r"run: make (\w+)", text):
        assert f"\n{target}:" in makefile


def test_only_a_tag_that_is_the_version_is_published():
    jobs = yaml.safe_load(WORKFLOWS["release.yml"].read_text("utf-8"))["jobs"]
    assert set(jobs["publish"]["needs"]) == {"notes", "wheels", "sdist"}
    assert "push" in jobs["publish"]["if"]
    assert "tag" in jobs["publish"]["if"]
    assert jobs["publish"]["environment"] == "pypi"
    assert jobs["publish"]["steps"][-1]["with"] == {"attestations": True}
    assert jobs["announce"]["needs"] == "publish"
    assert "--notes-file notes.md" in jobs["announce"]["steps"][-1]["run"]
    assert any("tools/notes.py" in step.get("run", "") for step in jobs["notes"]["steps"])
    uploads = [s for job in jobs.values() for s in job["steps"] if "upload-artifact" in str(s)]
    assert sum(s["with"]["name"].startswith("packages-") for s in uploads) == 2


def test_wheels_are_built_for_every_python_that_is_promised():
    promised = [c.rsplit(" ", 1)[1] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    built = SETTINGS["tool"]["cibuildwheel"]["build"].split()
    assert built == [f"cp{version.replace('.', '')}-*" for version in promised]
    assert SETTINGS["tool"]["cibuildwheel"]["test-skip"] == "*-musllinux_*"
    assert "musllinux_x86_64" not in SETTINGS["tool"]["cibuildwheel"]["skip"], "built, not tried"
    # one wheel of the stable ABI serves all but the oldest
    assert (
        SETTINGS["tool"]["scikit-build"]["wheel"]["py-api"] == f"cp{promised[1].replace('.', '')}"
    )
