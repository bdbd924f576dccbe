"""The website of dateline: every guide, rule and command has a page, and all links work."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import sys
from pathlib import Path

import pytest
from support.site_pages import Site, SitePage, find_broken_links

from dateline.cli import main as command
from dateline.presets import PRESETS
from dateline.rules import RULES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def website(tmp_path_factory: pytest.TempPathFactory) -> Path:
    goal = tmp_path_factory.mktemp("built") / "website"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["website.py", str(goal)])
        runpy.run_path(str(ROOT / "integrations" / "website.py"), run_name="__main__")
    return goal


@pytest.fixture(scope="module")
def pages(website: Path) -> Site:
    return {
        path.relative_to(website).as_posix(): SitePage(path.read_text(encoding="utf-8"))
        for path in website.rglob("*.html")
    }


def test_every_guide_rule_preset_and_command_has_a_page(pages: Site) -> None:
    assert sorted(pages) == sorted(
        [
            *("index.html", "guides.html", "rules/index.html", "commands/index.html"),
            *(f"{path.stem}.html" for path in (ROOT / "docs").glob("*.md")),
            *(f"rules/{name}.html" for name in (*RULES, *PRESETS)),
            *(f"commands/{name}.html" for name in command.commands),
        ]
    )


def test_every_link_leads_to_a_page_and_an_existing_id(pages: Site) -> None:
    assert list(find_broken_links(pages)) == []


def test_nothing_is_requested_from_elsewhere(website: Path, pages: Site) -> None:
    files = {path.relative_to(website).as_posix() for path in website.rglob("*")}
    for page in pages.values():
        local = {load.removeprefix("./").removeprefix("../") for load in page.loads}
        assert local <= {"data:,", *files}


def test_code_can_be_scrolled_by_keyboard_and_nothing_has_inline_styles(website: Path) -> None:
    for path in website.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<pre>|<[^>]* style=", text), path


def test_rule_is_explained_on_its_page(pages: Site) -> None:
    rule = RULES["value-added"]
    text = pages["rules/value-added.html"].text
    for said in (rule.summary, rule.reason, rule.callers, rule.breaks_readers):
        assert said in text


def test_search_finds_headings_and_rules(website: Path) -> None:
    index = (website / "search.js").read_text(encoding="utf-8")
    assert '"value-added (gated)"' in index
    entries = json.loads(index[index.index("[") : index.rindex("]") + 1])
    [versions] = [words for *_, at, _, _, words in entries if at == "versions"]
    assert {"naming", "retiring"} <= {*versions.split()}


def test_existing_files_are_replaced(website: Path) -> None:
    again = website.parent / "again"
    shutil.copytree(website, again)
    (again / "rules" / "gone.html").write_text("old", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["website.py", str(again)])
        runpy.run_path(str(ROOT / "integrations" / "website.py"), run_name="__main__")
    made, first = (
        {path.relative_to(root): path.read_bytes() for path in root.rglob("*") if path.is_file()}
        for root in (again, website)
    )
    assert made == first
