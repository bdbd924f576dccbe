"""The site in a real browser: no errors, no requests elsewhere, accessible.

Needs Chromium (`apt-get install chromium`) and `pip install playwright axe-playwright-python`, and
is skipped without them.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import pytest
from support.hostile_site import HOSTILE
from support.sources import folder
from support.tables import cases

from dateline.load import load
from dateline.model import Api
from dateline.render import render

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

CHROMIUM: Final = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")

ROOT: Final = Path(__file__).parents[2]
SITE: Final = ROOT / "generated" / "site"
STARTER: Final = ROOT / "src" / "dateline" / "starter" / "schemas"
LATEST: Final = "2026-08-01"
OPERATION: Final = f"{LATEST}/operations/GET-autoramps"

PAGES: Final = (
    "index.html",
    f"{LATEST}/index.html",
    f"{OPERATION}.html",
    f"{LATEST}/schemas/Autoramp.html",
    "compare/2025-03-13...2026-07-01/GET-autoramps.html",
    "compare/2025-03-13...2026-08-01/POST-autoramps.html",
    *(each.relative_to(SITE).as_posix() for each in sorted(SITE.glob("changes/*.html"))),
    *(f"../changes/{each.name}" for each in sorted(SITE.parent.glob("changes/*.html"))),
)
SIZES: Final = {"wide": (1280, 900), "narrow": (390, 800)}
LEVELS: Final = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "preload": False}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


class Visit:
    """A page in the browser, and its errors."""

    def __init__(self, browser: Any, site: Path, **context: Any) -> None:
        self._site = site
        self.failures: list[str] = []
        self.page = browser.new_context(**context).new_page()
        self.page.on("pageerror", lambda error: self.failures.append(str(error)))
        self.page.on("dialog", lambda dialog: self.failures.append(f"dialog {dialog.message}"))
        self.page.on("console", self._note)
        self.page.on("request", self._hold_inside)

    def open(self, path: str) -> Any:
        """Open the page of the site at *path*."""
        self.page.goto((self._site / path).as_uri())
        return self.page

    def address(self, path: str) -> str:
        """Return the address of *path* in the site."""
        path, _, fragment = path.partition("#")
        return (self._site / path).as_uri() + f"#{fragment}" * bool(fragment)

    def _note(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.failures.append(message.text)

    def _hold_inside(self, request: Any) -> None:
        if not request.url.startswith(("data:", self._site.parent.as_uri())):
            self.failures.append(f"requested {request.url}")


def list_violations(page: Any) -> list[tuple[str, str]]:
    found = axe.Axe().run(page, options=LEVELS).response["violations"]
    return [(each["id"], each["nodes"][0]["html"]) for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_site_is_accessible_in_every_size_without_errors(browser: Any, scheme: str) -> None:
    for path, (width, height) in product(PAGES, SIZES.values()):
        size = {"width": width, "height": height}
        visit = Visit(browser, SITE, color_scheme=scheme, viewport=size)
        page = visit.open(path)
        page.evaluate("document.querySelectorAll('details').forEach((each) => (each.open = true))")
        assert list_violations(page) == [], path
        # nothing is wider than the window
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert visit.failures == []


def test_search_finds_every_operation(browser: Any) -> None:
    visit = Visit(browser, SITE)
    page = visit.open(f"{LATEST}/index.html")
    text = (SITE / "search.js").read_text(encoding="utf-8")
    index = json.loads(text[text.index("[") : text.rindex("]") + 1])
    operations = [entry for entry in index if entry[3].startswith("operations/")]
    assert len(operations) > 10
    for title, name, _, address, names, *_ in operations:
        for called in (name, *names.split()):
            first = search(page, called)[0]
            assert first[0] == title
            assert first[2] == (SITE / LATEST / f"{address}.html").as_uri()
    assert list_violations(page) == []
    assert visit.failures == []


def search(page: Any, text: str) -> list[list[str]]:
    """Return the link, the remark beside it and the address of each result for *text*."""
    page.fill("#search", text)
    page.wait_for_function("() => document.querySelector('.search .status').textContent")
    found: list[list[str]] = page.eval_on_selector_all(
        "#found li",
        "all => all.map((each) => [each.firstChild.textContent, each.lastChild.textContent,"
        " each.firstChild.href])",
    )
    return found


@pytest.fixture(scope="module")
def starter(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Visit:
    api = load(STARTER)
    api = replace(api, table=replace(api.table, site=True))
    return Visit(browser, write_site(tmp_path_factory.mktemp("starter"), api))


OLD: Final = "2025-01-15"
NEW: Final = "2025-09-01"
EXPIRE: Final = "operations/POST-sandbox-loans-id-expire.html"


@cases(
    "version, text, about, address",
    [
        # the name of a schema comes before fields, and before words that contain it
        (NEW, "loan", f" schema · {NEW}", f"{NEW}/schemas/Loan.html"),
        (OLD, "loan", f" schema · {OLD}", f"{OLD}/schemas/Loan.html"),
        (NEW, "/sandbox/loans/{id}/EXPIRE", f" Sandbox · {NEW}", f"{NEW}/{EXPIRE}"),
        # fields and values, in the version that is read if it has them
        (NEW, "state", f" schema · state · {NEW}", f"{NEW}/schemas/Loan.html#schema.state"),
        (OLD, "State", f" schema · state · {OLD}", f"{OLD}/schemas/Loan.html#schema.state"),
        (
            OLD,
            "desk",
            f" schema · channel: desk · {OLD}",
            f"{OLD}/schemas/Loan.html#schema.channel",
        ),
        (OLD, "paused", f" schema · paused · {NEW}", f"{NEW}/schemas/LoanState.html#schema"),
        # both names of a field
        (
            OLD,
            "borrower",
            f" schema · borrower · {NEW}",
            f"{NEW}/schemas/Loan.html#schema.borrower",
        ),
        (NEW, "reader", f" schema · reader · {OLD}", f"{OLD}/schemas/Loan.html#schema.reader"),
        # parts of names, what code calls an operation, words of a description
        (NEW, "channel des", f" schema · {NEW}", f"{NEW}/schemas/Loan.html"),
        (NEW, "expireLoan", f" Sandbox · {NEW}", f"{NEW}/{EXPIRE}"),
        (NEW, "expire_loan", f" Sandbox · {NEW}", f"{NEW}/{EXPIRE}"),
        (NEW, "has expired", f" Sandbox · {NEW}", f"{NEW}/{EXPIRE}"),
    ],
)
def test_search_finds_names_values_and_words(
    starter: Visit, version: str, text: str, about: str, address: str
) -> None:
    page = starter.open(f"{version}/index.html")
    assert search(page, text)[0][1:] == [about, starter.address(address)]
    assert starter.failures == []


def test_version_picker_leads_to_the_same_operation(browser: Any) -> None:
    visit = Visit(browser, SITE)
    page = visit.open(f"{OPERATION}.html")
    heading = page.inner_text("h1")
    page.click("details.picker summary")
    page.click("details.picker a:has-text('2025-03-13')")
    assert page.url.endswith("/2025-03-13/operations/GET-autoramps.html")
    assert page.inner_text("h1") == heading
    assert "This is version 2025-03-13" in page.inner_text(".notice")
    assert visit.failures == []


def test_start_page_leads_to_the_version_that_was_read_last(starter: Visit) -> None:
    page = starter.open(f"{OLD}/index.html")
    page = starter.open("index.html")
    page.click("text=which you read last")
    assert page.url == starter.address(f"{OLD}/index.html")
    page = starter.open(f"{NEW}/index.html")
    page = starter.open("index.html")
    assert page.query_selector("text=which you read last") is None
    assert starter.failures == []


def test_links_open_the_errors_they_lead_to(browser: Any) -> None:
    page = Visit(browser, SITE).open(f"{OPERATION}.html")
    assert not page.is_visible("section:has(#response-400-title) h3")
    page.click("nav.contents a:has-text('400')")
    page.wait_for_selector("section:has(#response-400-title) h3")
    page.reload()
    page.wait_for_selector("section:has(#response-400-title) h3")


@cases(
    "path, count",
    [
        (f"{LATEST}/operations/GET-autoramps-autoramp_id.html", 10),
        ("2025-03-13/operations/GET-autoramp-transactions.html", 3),
        ("compare/2025-03-13...2026-07-01/GET-autoramps.html", 2),
    ],
)
def test_fields_link_to_their_place_on_the_page_of_their_schema(
    browser: Any, path: str, count: int
) -> None:
    page = Visit(browser, SITE).open(path)
    links = page.eval_on_selector_all(
        ".rows[data-home] li > a:first-child[href*='#']", "all => all.map((each) => each.href)"
    )
    assert len(links) >= count
    for link in links:
        file, _, anchor = unquote(link).partition("#")
        assert f' id="{anchor}"' in Path(file.removeprefix("file://")).read_text("utf-8"), link


def test_site_works_without_scripts(browser: Any) -> None:
    visit = Visit(browser, SITE, java_script_enabled=False)
    page = visit.open(f"{OPERATION}.html")
    assert not page.is_visible("form.search")
    page.click("details.picker summary")
    page.click("details.picker a:has-text('2025-03-13')")
    assert page.url.endswith("/2025-03-13/operations/GET-autoramps.html")


@pytest.mark.parametrize("count", [25, 60])
def test_long_list_of_changes_can_be_filtered(browser: Any, tmp_path: Path, count: int) -> None:
    fields = {
        f"field_{number}": {"type": "string", "x-removed": "2025-06-01"} for number in range(count)
    }
    api = json.loads(HOSTILE["api.yaml"])
    del api["paths"]["/gone"], api["paths"]["/a"]["get"]["responses"]["410"]
    schemas = api["components"]["schemas"]
    del schemas["Gone"]
    schemas["A"]["properties"] = {**fields, "b": {"$ref": "#/components/schemas/B"}}
    schemas["B"] = {"type": "object", "properties": fields}
    files = {**HOSTILE, "api.yaml": json.dumps(api)}
    visit = Visit(browser, write_site(tmp_path, load(folder(tmp_path, files))))
    page = visit.open("changes/2024-01-15...2025-06-01.html")
    # groups of very long lists are folded
    assert len(list_shown(page, "main article")) == (0 if count > 50 else 2 * count)
    page.fill(".filter input", "A.field_17 gone")
    assert list_shown(page, "main article h4") == [
        "A.field_17 is gone from responses and webhooks."
    ]
    assert len(list_shown(page, "main section h3")) == 1
    assert re.search(rf"1 of {2 * count}", page.inner_text(".filter"))
    page.fill(".filter input", "")
    assert len(list_shown(page, "main section h3")) == 2
    assert list_violations(page) == []
    assert visit.failures == []


def list_shown(page: Any, selector: str) -> list[str]:
    """Return the texts of the elements that can be seen."""
    return [each.inner_text() for each in page.query_selector_all(selector) if each.is_visible()]


def test_hostile_texts_have_no_effect(browser: Any, tmp_path: Path) -> None:
    site = write_site(tmp_path, load(folder(tmp_path, HOSTILE)))
    visit = Visit(browser, site)
    for path in sorted(site.rglob("*.html")):
        visit.open(path.relative_to(site).as_posix())
    assert visit.failures == []


def write_site(root: Path, api: Api) -> Path:
    """Write the site of *api*, and return its folder."""
    for artifact in render(api, models=False).artifacts:
        if artifact.path.startswith("site/"):
            path = root / artifact.path
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(artifact.content)
    return root / "site"
