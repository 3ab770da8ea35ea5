"""Links among the pages lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

NAMING = {".py", ".pyi", ".pyx", ".pxd", ".toml", ".sh"}
FILES = sorted(
    file
    for folder in ("benchmarks", "examples", "experiments", "scripts", "src")
    for file in (ROOT / folder).rglob("*")
    if file.suffix in NAMING and "docs/" in file.read_text(encoding="utf-8")
)


def anchors(page):
    """The names by which the headings of a page can be linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("folder", ["docs", "docs/results"])
def test_every_page_is_in_the_table_of_its_folder(folder):
    table = (ROOT / folder / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in (ROOT / folder).glob("*.md")} - {"README.md"}
    assert [page for page in sorted(pages) if f"({page}" not in table] == []


@pytest.mark.parametrize("file", FILES, ids=[file.relative_to(ROOT).as_posix() for file in FILES])
def test_pages_that_code_names_exist(file):
    """Comments, docstrings and commands name pages by their path, as in `docs/structure.md`."""
    for path in re.findall(r"\bdocs/[\w/.-]+\.(?:md|svg)\b", file.read_text(encoding="utf-8")):
        assert (ROOT / path).exists(), path


# Files that pages for contributors name, in a package or from the root of the project; NAME stands for a name.
PLACE = re.compile(r"`([\w./-]+/[\w.-]*|[\w-]+\.(?:pyx|py|toml|pxd))`")


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_pages_for_contributors_name_exist(page):
    files = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if not {".git", "build"} & {*path.parts}]
    for named in PLACE.findall((ROOT / page).read_text(encoding="utf-8")):
        if "NAME" in named or named.startswith(("../", "my_")) or "my_system" in named:
            continue
        place = named.rstrip("/")
        assert any(file == place or file.endswith(f"/{place}") for file in files), named
