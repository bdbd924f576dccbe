"""The site: every link works, nothing on it is active, and its pages show the history."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any, Final
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from support.changing import ATOM
from support.events import EVENTS
from support.hostile_site import HOSTILE
from support.odd_api import ODD
from support.site_pages import Site, SitePage, find_broken_links
from support.sources import VERSIONS, folder

from dateline.changes import Changes
from dateline.changes.record import Period
from dateline.filters import ESCAPES
from dateline.load import load
from dateline.project import Projector
from dateline.render import builtin_templates, render, render_site
from dateline.site import Marker, ReferenceSite, SiteNews

ROOT: Final = Path(__file__).parents[2]

STARTER: Final = ROOT / "src" / "dateline" / "starter" / "schemas"


def make_site(schemas: Path) -> Site:
    """Return the pages of the site of the definitions in *schemas*, by path below the site."""
    api = load(schemas)
    api = replace(api, table=replace(api.table, site=True))
    artifacts = render(api, models=False).artifacts
    return {
        artifact.path.removeprefix("site/"): SitePage(artifact.content.decode())
        for artifact in artifacts
        if artifact.path.startswith("site/") and artifact.path.endswith(".html")
    }


@pytest.fixture(scope="module")
def starter() -> Site:
    return make_site(STARTER)


@pytest.fixture(scope="module", params=["starter", "payments", "odd", "hostile"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Site:
    if request.param in ("odd", "hostile"):
        files = ODD if request.param == "odd" else HOSTILE
        return make_site(folder(tmp_path_factory.mktemp(request.param), files))
    return make_site({"starter": STARTER, "payments": ROOT / "schemas"}[request.param])


def test_every_link_leads_to_a_page_and_an_existing_id(site: Site) -> None:
    assert list(find_broken_links(site)) == []
    assert len(site) > 5


def test_ids_on_a_page_are_unique(site: Site) -> None:
    twice = {path: page.ids for path, page in site.items() if len({*page.ids}) < len(page.ids)}
    assert twice == {}


def test_nothing_is_requested_from_elsewhere_and_nothing_is_active(site: Site) -> None:
    for path, page in site.items():
        up = "/".join([".."] * path.count("/")) or "."
        assert sorted(page.loads) == sorted(["data:,", f"{up}/site.css", f"{up}/site.js"])
        assert page.tags.isdisjoint({"img", "iframe", "object", "style", "b"})
        assert not [name for name in page.attributes if name.startswith("on") or name == "style"]
        assert not [link for link in page.links if link.lower().startswith(("javascript", "data"))]


def test_page_has_one_top_heading_and_landmarks(site: Site) -> None:
    for page in site.values():
        assert {"header", "main", "nav", "footer", "h1", "title"} <= page.tags


def test_operation_folds_its_errors_and_links_to_each_part() -> None:
    shown = ROOT / "generated" / "site" / "2026-08-01" / "operations" / "POST-autoramps.html"
    page = SitePage(shown.read_text("utf-8"))
    parts = re.findall(r"<h2 id=\"(response-\w+-title)", page.source)
    folded = re.findall(r"<summary>\s*<h2 id=\"(response-\w+-title)", page.source)
    assert folded == [part for part in parts if part[9] in "45d"] != []
    assert {f"#{part}" for part in parts} <= {*page.links}


def test_variant_shows_its_first_version_wherever_it_is_listed() -> None:
    shown = ROOT / "generated" / "site" / "2026-08-01"
    for page in ("operations/POST-autoramps.html", "schemas/DepositRail.html"):
        text = SitePage((shown / page).read_text("utf-8")).text
        assert "Swift variant" in text
        assert "FedNow variant Since 2026-07-01. Deposits can arrive by FedNow." in text


def test_field_with_words_of_its_own_links_to_its_component() -> None:
    shown = ROOT / "generated" / "site" / "2026-08-01" / "schemas" / "AutorampTransaction.html"
    page = SitePage(shown.read_text("utf-8"))
    assert "source_amount object Amount Amount taken in. destination_amount" in page.text
    assert "Amount.html" in page.links


def test_schema_links_to_the_operations_and_schemas_that_show_it() -> None:
    shown = ROOT / "generated" / "site" / "2026-08-01" / "schemas" / "DepositRail.html"
    links = SitePage(shown.read_text("utf-8")).links
    assert {"../operations/GET-autoramps-autoramp_id.html", "Autoramp.html"} <= {*links}
    assert "DepositRail.html" not in links


def test_field_shows_its_old_name_and_the_reason(starter: Site) -> None:
    newer = starter["2025-09-01/schemas/Loan.html"].text
    older = starter["2025-01-15/schemas/Loan.html"].text
    why = "The word that librarians use."
    assert f"borrower string required Called reader before 2025-09-01. {why}" in newer
    assert f"reader string required Called borrower from 2025-09-01 on. {why}" in older


def test_value_shows_its_first_version_and_what_older_callers_see(starter: Site) -> None:
    newer = starter["2025-09-01/schemas/LoanState.html"].text
    assert '"paused" Since 2025-09-01' in newer
    assert "Versions before 2025-09-01 show active instead" in newer
    assert "paused" not in starter["2025-01-15/schemas/LoanState.html"].text


def test_operation_of_one_environment_says_so(starter: Site) -> None:
    page = starter["2025-09-01/operations/POST-sandbox-loans-id-expire.html"]
    assert "Only in sandbox" in page.text


def test_operation_has_its_history_and_a_comparison(starter: Site) -> None:
    page = starter["2025-09-01/operations/GET-loans-id.html"]
    assert "../../compare/2025-01-15...2025-09-01/GET-loans-id.html" in page.links
    assert "History 2025-09-01" in page.text


def test_comparison_shows_only_differences(starter: Site) -> None:
    text = starter["compare/2025-01-15...2025-09-01/GET-loans-id.html"].text
    assert "reader string required removed" in text
    assert "borrower string required added" in text
    assert '"paused" added' in text
    assert "channel" not in text


def test_version_starts_with_its_contents(site: Site) -> None:
    for path, page in site.items():
        if path.endswith("/index.html"):
            linked = [unquote(link[1:]) for link in page.links if link.startswith("#")]
            headings = [name for name in page.ids if name.startswith("tag.")]
            contents = [name for name in linked if name.startswith("tag.")]
            assert contents == (headings if len(headings) > 1 else []), path


def test_parts_of_a_row_are_named(tmp_path: Path) -> None:
    field = {"type": "object", "properties": {"a": {}, "b": {}}}
    rows = {
        "fields": (field, "fields"),
        "field": ({"type": "object", "properties": {"a": {}}}, "fields"),
        "list": ({"type": "array", "items": {"type": "string"}}, "items"),
        "pair": ({"type": "array", "prefixItems": [{}, {}]}, "items"),
        "map": ({"type": "object", "additionalProperties": {"type": "string"}}, "other members"),
        "both": ({**field, "additionalProperties": {}}, "fields and other members"),
        "patterns": ({"type": "object", "patternProperties": {"^a": {}, "^b": {}}}, "members"),
        "union": ({"oneOf": [{"type": "object"}, {"type": "array"}]}, "variants"),
    }
    whole = {"type": "object", "properties": {name: schema for name, (schema, _) in rows.items()}}
    api = json.loads(HOSTILE["api.yaml"])
    api["components"]["schemas"]["A"] = whole
    page = make_site(folder(tmp_path, {**HOSTILE, "api.yaml": json.dumps(api)}))
    shown = re.findall(r"<summary>(.+?)</summary>", page["2025-06-01/schemas/A.html"].source)
    assert [each for each in shown if not each.startswith("Version")] == [
        contents for _, contents in rows.values()
    ]


def test_older_version_says_that_it_is_one(starter: Site) -> None:
    notice = "This is version 2025-01-15, the default."
    for path, page in starter.items():
        assert (notice in page.text) == path.startswith("2025-01-15/")


ANNOUNCED: Final = """
site: true
announcements:
  - { default: 2025-09-01, from: 2027-06-01, announced: 2025-09-01 }
  - { ends: 2025-01-15, from: 2027-12-01, announced: 2025-09-01 }
"""


def test_pages_of_a_version_say_what_is_announced_for_it(tmp_path: Path) -> None:
    schemas = tmp_path / "schemas"
    copytree(STARTER, schemas)
    with (schemas / "versions.yaml").open("a") as table:
        table.write(ANNOUNCED)
    site = make_site(schemas)
    ends = "Version 2025-01-15 ends on 2027-12-01."
    older = {path: page for path, page in site.items() if path.startswith("2025-01-15/")}
    assert all(f" {ends}" in page.text for page in older.values())
    newer = site["2025-09-01/index.html"].text
    assert "ends on" not in newer
    start = site["index.html"].text
    assert ends in start
    assert "Version 2025-09-01 becomes the default on 2027-06-01." in start


def test_time_line_shows_the_life_of_each_version(tmp_path: Path) -> None:
    copytree(STARTER, tmp_path / "schemas")
    table = tmp_path / "schemas" / "versions.yaml"
    table.write_text(
        table.read_text("utf-8").replace(
            "environments:", "  - { date: next, title: X, draft: true }\nenvironments:"
        )
        + """
announcements:
  - { default: 2025-09-01, from: 2027-01-01, announced: 2026-01-01 }
  - ends: 2025-01-15
    from: 2027-12-31
    announced: 2026-01-01
    brownouts: [{ from: 2027-06-01T10:00Z, to: 2027-06-01T11:00Z }]
retired: [{ date: 2024-02-01, title: Books., ended: 2026-01-01 }]
""",
        "utf-8",
    )
    start = make_site(tmp_path / "schemas")["index.html"].source
    [words] = re.findall('<title id="line-title">(.*)</title>', start)
    assert words.split("; ") == [
        "2024-02-01, retired, ended 2026-01-01",
        "2025-01-15, supported, default, ends 2027-12-31, brownout 2027-06-01",
        "2025-09-01, supported, latest, default from 2027-01-01",
        "next, draft",
    ]


def test_every_page_of_changes_has_a_link_from_both_versions(site: Site) -> None:
    for path in site:
        if path.startswith("changes/"):
            older, _, newer = path.removeprefix("changes/").removesuffix(".html").partition("...")
            for version in (older, newer):
                assert f"../{path}" in site[f"{version}/index.html"].links


def test_older_version_links_to_what_changed_until_the_latest(starter: Site) -> None:
    links = starter["2025-01-15/schemas/Loan.html"].links
    assert "../../changes/2025-01-15...2025-09-01.html" in links


def test_feed_of_the_site_links_to_its_pages() -> None:
    feeds = [
        ElementTree.parse(ROOT / "generated" / folder / "feed.xml")
        for folder in ("changes", "site/changes")
    ]
    ids, (links, linked) = (
        [[each.get(key) or each.text for each in feed.iter(f"{ATOM}{name}")] for feed in feeds]
        for name, key in (("id", "text"), ("link", "href"))
    )
    assert ids[0] == ids[1]
    assert linked == [f"../{link}" if link == "index.html" else link for link in links]


def test_additions_to_all_versions_have_a_page_and_are_in_the_feed() -> None:
    api = load(STARTER)
    projector = Projector(api)
    entries = Changes(api, projector).pages[0].entries[:1]
    periods = [
        Period(since="2025-01-15", until="2025-09-01", environments=(), entries=entries),
        Period(since="2025-09-01", until=None, environments=(), entries=()),
    ]
    changes = Changes(api, projector, periods)
    artifacts, _ = render_site(api, projector, [builtin_templates()], changes, Marker(api))
    pages = {each.path.removeprefix("site/"): each.content.decode() for each in artifacts}
    added = "changes/added-since-2025-01-15.html"
    assert [each for each in pages if each.startswith("changes/added")] == [added]
    effect = ESCAPES["html"](entries[0].explanation.effect)
    said = "Added to all versions after 2025-01-15 and before 2025-09-01 was cut"
    assert f"<h4>{effect}</h4>" in pages[added]
    assert added in SitePage(pages["index.html"]).links
    assert f"<p>{said}</p>\n        <ul>\n          <li>{effect}" in pages["changes/feed.xml"]


def test_picker_leads_to_the_same_operation_of_another_version(starter: Site) -> None:
    page = starter["2025-09-01/operations/GET-loans-id.html"]
    assert "../../2025-01-15/operations/GET-loans-id.html" in page.links


def test_sample_request_names_its_version_and_can_be_sent(starter: Site) -> None:
    text = starter["2025-01-15/operations/GET-loans-id.html"].text
    assert "curl https://api.library.example/api/loans/" in text
    assert "-H 'X-API-Version: 2025-01-15'" in text


def test_webhook_has_pages_without_a_call(tmp_path: Path) -> None:
    site = make_site(folder(tmp_path, EVENTS))
    assert list(find_broken_links(site)) == []
    assert "operations/WEBHOOK-loan-started.html" in site["2025-06-01/index.html"].links
    assert "2024-01-15/operations/WEBHOOK-loan-paused.html" not in site
    page = site["2025-06-01/operations/WEBHOOK-loan-paused.html"]
    assert "The API sends this request to your server." in page.text
    assert "end string (date) required Called until from next on" in page.text
    assert "../../compare/2025-06-01...next/WEBHOOK-loan-paused.html" in page.links
    assert "../operations/WEBHOOK-loan-started.html" in site["2025-06-01/schemas/Loan.html"].links
    assert [
        "curl" in site[f"2025-06-01/operations/{name}.html"].text
        for name in ("WEBHOOK-loan-paused", "GET-loans-id")
    ] == [False, True]
    changes = site["changes/2025-06-01...next.html"].links
    assert "../next/operations/WEBHOOK-loan-paused.html" in changes


_LISTED: Final = {"responses": {"200": {"description": "", "content": {"application/json": {}}}}}
_TEXT: Final = {"required": True, "schema": {"type": "string"}, "example": "7"}
_BY_ID: Final = {"name": "id", "in": "path", **_TEXT}
_CHOSEN: Final = {"name": "v", "in": "query", **_TEXT}
_SANDBOXED: Final = {"x-environments": ["sandbox"]}


def test_version_shows_a_typed_call_of_its_simplest_operation(tmp_path: Path) -> None:
    text = {"responses": {"200": {"description": "", "content": {"text/plain": {}}}}}
    paths: dict[str, Any] = {
        "/text": {"get": text, "delete": {"responses": {"204": {"description": ""}}}},
        "/sandboxed": {**_SANDBOXED, "get": _LISTED},
        "/by/{id}": {"put": {**_LISTED, "parameters": [_BY_ID]}},
        "/also/{id}": {"get": {**_LISTED, "parameters": [_BY_ID]}},
        "/body": {"get": {**_LISTED, "requestBody": {"content": {"application/json": {}}}}},
        "/listed": {"get": {**_LISTED, "parameters": [_CHOSEN]}},
    }
    table = VERSIONS.replace("header: X-API-Version", "query: v")
    shown = []
    for number in range(len(paths), 0, -1):
        kept = dict([*paths.items()][:number])
        api = {"openapi": "3.1.0", "info": {"title": "A", "version": "canonical"}, "paths": kept}
        files = {"versions.yaml": f"{table}lint: adopted\n", "api.yaml": json.dumps(api)}
        site = make_site(folder(tmp_path / str(number), files))
        assert "api.d.ts" not in site["next/index.html"].text
        pattern = r'type Answer = paths\["(.*?)"\]\["(.*?)"\].*fetch\("(.*?)"'
        shown.append(re.findall(pattern, site["2025-06-01/index.html"].text))
    base = "https://api.library.example/api"
    put = [("/by/{id}", "put", f"{base}/by/7?v=2025-06-01")]
    get = [("/listed", "get", f"{base}/listed?v=2025-06-01")]
    assert shown == [get, put, put, put, [], []]


def test_search_lists_drafts_last(tmp_path: Path) -> None:
    api = load(folder(tmp_path, EVENTS))
    site = ReferenceSite(api, Projector(api), Marker(api), SiteNews())
    [(_, context)] = site.fan_out("search.js")
    versions = {entry[1]: [date for date, *_ in entry[5]] for entry in context["index"]}
    assert versions["WEBHOOK loan.started"] == ["2025-06-01", "2024-09-01", "2024-01-15", "next"]
    assert versions["WEBHOOK loan.paused"] == ["2025-06-01", "next"]


DESCRIPTION: Final = """\
| a | b | c |
|--:|:-:|---|
| 1 | 2 | 3 |

```sh
x <pre> y
```

1. in a list

       z
"""


def test_code_in_descriptions_can_be_scrolled_and_tables_have_no_inline_styles() -> None:
    made = ESCAPES["commonmark"](DESCRIPTION)
    assert re.findall(r"<pre[^>]*>", made) == ['<pre tabindex="0">'] * 2
    assert re.findall(r"<t[hd]\b[^>]*>", made) == [
        *('<th class="right">', '<th class="center">', "<th>"),
        *('<td class="right">', '<td class="center">', "<td>"),
    ]


def test_site_is_only_generated_if_enabled() -> None:
    paths = [artifact.path for artifact in render(load(STARTER), models=False).artifacts]
    assert not [path for path in paths if path.startswith("site/")]
