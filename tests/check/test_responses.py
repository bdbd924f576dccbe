"""Responses that are new for some callers: the findings, and what callers of each version get."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Final

import pytest
from support.commands import dateline
from support.generated_server import Generated, ask
from support.histories import NEW, OLD, VERSIONS, I, S, api
from support.sources import folder, loaded
from support.tables import cases

from dateline.check.servable import check_servable
from dateline.model import Verdict

Json = Any

ADDED: Final = {"x-added": NEW}
REMOVED: Final = {"x-removed": NEW}
BODY: Final[Json] = {"a": 1}
_OBJECT: Final = {"type": "object", "properties": {"a": I}}
_OTHER: Final = {"type": "object", "required": ["b"], "properties": {"b": I}}
_VENDOR: Final = "application/vnd.library+json"
_JSON: Final = "application/json"


def response(*content: tuple[str, Json, dict[str, str]], **gates: Json) -> Json:
    """Return a response with *content*: media types with their schemas and gates."""
    media_types = {name: {"schema": schema, **gate} for name, schema, gate in content}
    return {"description": "one", "content": media_types, **gates}


def json(schema: Json = _OBJECT, **gates: Json) -> Json:
    return response((_JSON, schema, {}), **gates)


# The responses of an operation, and the findings for those that older callers can't be sent.
SENDABLE: Final[dict[str, Json]] = {
    "every version has it": {"200": json(), "409": json()},
    "an error within a range": {"200": json(), "409": json(**ADDED), "4XX": json()},
    "an error within a shared range": {
        "200": json(),
        "409": json(**ADDED),
        "4XX": {"$ref": "#/components/responses/Error"},
    },
    "an error beside a default": {"200": json(), "409": json(**ADDED), "default": json()},
    "a success within a range": {"200": json(), "202": json(**ADDED), "2XX": json()},
    "a success in place of another": {"200": json(**REMOVED), "201": json(**ADDED)},
    **{
        f"{status} in place of a success beside a default": {
            "200": json(**REMOVED),
            status: json(**ADDED),
            "default": json(_OTHER),
        }
        for status in ("201", "2XX")
    },
    "no content in place of some beside a default": {
        "200": json(**REMOVED),
        "204": {"description": "none", **ADDED},
        "default": json(_OTHER),
    },
    "added content beside a default": {
        "204": {"description": "none", **REMOVED},
        "200": json(**ADDED),
        "default": json(_OTHER),
    },
    "a success that a default declares": {
        "200": json(),
        "202": json(**ADDED),
        "default": json(),
    },
    "no content in place of some": {"204": json(**REMOVED), "200": json(**ADDED)},
    "removed content": {
        "200": json(**REMOVED),
        "204": {"description": "none", **ADDED},
    },
    "content with x-removed": {"200": response((_JSON, _OBJECT, REMOVED))},
    "an error without a body": {"200": json(), "409": {"description": "no", **ADDED}},
    "a redirect in place of another": {"302": json(**REMOVED), "303": json(**ADDED)},
    "a media type in place of another": {
        "200": response((_VENDOR, _OBJECT, ADDED), (_JSON, _OBJECT, REMOVED))
    },
    "a media type in place of the first": {
        "200": response((_JSON, _OBJECT, REMOVED), (_VENDOR, _OBJECT, ADDED))
    },
    "another media type at the end": {
        "200": response((_JSON, _OBJECT, {}), (_VENDOR, _OBJECT, ADDED))
    },
    "another media type at the start": {
        "200": response((_VENDOR, _OBJECT, ADDED), (_JSON, _OBJECT, {}))
    },
    "another media type that is sent by none": {
        "200": response(("text/csv", S, ADDED), (_JSON, _OBJECT, {}))
    },
    "the only media type": {"200": response((_JSON, _OBJECT, ADDED))},
    "a removed error": {"200": json(), "409": json(**REMOVED)},
    **{
        f"{status} with another body that nobody gets": {
            "200": json(),
            status: response((_VENDOR, _OBJECT, ADDED), (_JSON, _OTHER, REMOVED)),
        }
        for status in ("204", "205", "304")
    },
    "a field of the body": {
        "200": json({"type": "object", "properties": {"a": I, "b": {**I, **ADDED}}})
    },
}

UNSENDABLE: Final[dict[str, tuple[Json, list[str]]]] = {
    "another success": (
        {"200": json(), "202": json(**ADDED)},
        [f"202 is not declared in {OLD}"],
    ),
    "an error": (
        {"200": json(), "409": json(**ADDED)},
        [f"409 is not declared in {OLD}"],
    ),
    "an error beside another range": (
        {"200": json(), "409": json(**ADDED), "5XX": json()},
        [f"409 is not declared in {OLD}"],
    ),
    "a range": (
        {"200": json(), "409": json(), "4XX": json(**ADDED)},
        [f"4XX is not declared in {OLD}"],
    ),
    "a default": (
        {"200": json(), "default": json(**ADDED)},
        [f"default is not declared in {OLD}"],
    ),
    "a success with another body": (
        {"200": json(_OTHER, **REMOVED), "201": json(**ADDED)},
        [f"201 {_JSON} has no counterpart with the same schema in {OLD}"],
    ),
    **{
        f"{status} with another body beside a default": (
            {"200": json(_OTHER, **REMOVED), status: json(**ADDED), "default": json()},
            [f"{status} {_JSON} has no counterpart with the same schema in {OLD}"],
        )
        for status in ("201", "2XX")
    },
    **{
        f"another success beside a {key} with another body": (
            {"200": json(), "202": json(**ADDED), key: json(_OTHER)},
            [f"202 {_JSON} has no counterpart with the same schema in {OLD}"],
        )
        for key in ("2XX", "default")
    },
    "a media type with another body": (
        {"200": response((_VENDOR, _OBJECT, ADDED), (_JSON, _OTHER, REMOVED))},
        [f"200 {_VENDOR} has no counterpart with the same schema in {OLD}"],
    ),
    "JSON in place of text": (
        {"200": response((_JSON, _OBJECT, ADDED), ("text/plain", S, REMOVED))},
        [f"200 {_JSON} has no counterpart with the same schema in {OLD}"],
    ),
}

CASES: Final = {**SENDABLE, **{name: responses for name, (responses, _) in UNSENDABLE.items()}}


def sources(cases: dict[str, Json]) -> dict[str, str]:
    """Return definitions with an operation for each of *cases*, named by its number."""
    paths = {
        f"/{number}": {
            "get": {"operationId": f"get{number}", "tags": ["All"], "responses": responses}
        }
        for number, responses in enumerate(cases.values())
    }
    components = {"responses": {"Error": json()}}
    return {"versions.yaml": VERSIONS, "api.yaml": api(paths=paths, components=components)}


_GATED: Final = response((_JSON, _OBJECT, REMOVED), ("text/plain", S, ADDED))


def operation(responses: Json) -> Json:
    return {"operationId": "getThing", "tags": ["All"], "responses": responses}


@cases(
    ("item", "components", "fact"),
    [
        (
            {"$ref": "#/components/pathItems/Thing"},
            {"pathItems": {"Thing": {"get": operation({"200": json(), "202": json(**ADDED)})}}},
            "202 is not declared",
        ),
        (
            {"$ref": "#/components/pathItems/Thing"},
            {"pathItems": {"Thing": {"get": operation({"200": _GATED})}}},
            "200 text/plain has no counterpart with the same schema",
        ),
        (
            {"get": operation({"200": {"$ref": "#/components/responses/Thing"}})},
            {"responses": {"Thing": _GATED}},
            "200 text/plain has no counterpart with the same schema",
        ),
        (
            {"$ref": "#/components/pathItems/Thing"},
            {"pathItems": {"Thing": {"get": operation({"200": json(), "4XX": json()})}}},
            None,
        ),
    ],
)
def test_referenced_responses_are_checked(
    tmp_path: Path, item: Json, components: Json, fact: str | None
) -> None:
    table = VERSIONS + "lint: adopted\n"
    text = api(paths={"/thing": item}, components=components)
    findings = [*check_servable(loaded(tmp_path, {"versions.yaml": table, "api.yaml": text}))]
    expected = [] if fact is None else [("GET /thing",)]
    assert [finding.operations for finding in findings] == expected
    assert [finding.message for finding in findings] == (
        [] if fact is None else [f"GET /thing: {fact} in {OLD}"]
    )


@cases("is_draft", [True, False])
@cases("content", [{"application/xml": {"schema": _OBJECT}}, None])
def test_only_additions_of_a_draft_must_be_sendable_in_adopted_definitions(
    tmp_path: Path, is_draft: bool, content: Json
) -> None:
    date = "next" if is_draft else NEW
    table = VERSIONS.replace(f"date: {NEW}", f"date: {date}, draft: {str(is_draft).lower()}")
    changed = {**json(), "content": content, "x-was": {date: {"content": json()["content"]}}}
    responses = {"200": changed} if content else {"200": json(), "409": json(**{"x-added": date})}
    text = api(paths={"/thing": {"get": operation(responses)}})
    files = {"versions.yaml": f"{table}lint: adopted\n", "api.yaml": text}
    [finding] = check_servable(loaded(tmp_path, files))
    assert finding.verdict is (Verdict.GATED if is_draft else Verdict.INFORMATION)


class Handlers:
    """Handlers that answer with what a test sets."""

    answer: Any = None

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("get"):
            raise AttributeError(name)

        async def handle(_: Any) -> Any:
            if isinstance(self.answer, Exception):
                raise self.answer
            return self.answer

        return handle


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Return the findings of each case."""
    definitions = loaded(tmp_path_factory.mktemp("found"), sources(CASES))
    said: dict[str, list[str]] = {name: [] for name in CASES}
    for finding in check_servable(definitions):
        if finding.rule == "response-without-way-down":
            route, _, fact = finding.message.partition(": ")
            said[list(CASES)[int(route.rpartition("/")[2])]].append(fact)
    return said


@cases("case", CASES)
def test_responses_that_older_callers_can_not_be_sent_are_found(
    found: dict[str, list[str]], case: str
) -> None:
    assert found[case] == (UNSENDABLE[case][1] if case in UNSENDABLE else [])


class Serving:
    """A server of all cases, with handlers that a test controls."""

    def __init__(self, root: Path, cases: dict[str, Json]) -> None:
        self._module = Generated(root, loaded(root, sources(cases))).module("server")
        self._cases = cases
        self._handlers = Handlers()
        handlers = self._module.Handlers(all=self._handlers)
        self._app = self._module.create_app(handlers, environment="production")

    def statuses(self, case: str, version: str) -> dict[str, int]:
        """Return the statuses that callers of *version* get for answers of the newest version."""
        responses = self._cases[case]
        found = {}
        for status, declared in responses.items():
            if "x-removed" in declared:
                continue
            code = int(status.replace("XX", "18").replace("default", "418"))
            body = None if declared.keys() <= {"description", "x-added"} and code != 204 else BODY
            body = {"b": 1} if declared == json(_OTHER) else body
            self._handlers.answer = (
                self._module.Reply(body, status=code)
                if code < 400
                else self._module.Refusal(code, body)
            )
            url = f"/{list(self._cases).index(case)}"
            answer = ask(self._app, "GET", url, headers={"X-API-Version": version})
            found[status] = answer.status_code
        return found


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Serving:
    return Serving(tmp_path_factory.mktemp("serving"), CASES)


@cases("case", CASES)
def test_responses_without_findings_are_served_to_all_versions(serving: Serving, case: str) -> None:
    assert not {500, 501} & {*serving.statuses(case, NEW).values()}
    # if no success can be sent, the request is refused before the handler runs
    assert bool({500, 501} & {*serving.statuses(case, OLD).values()}) == (case in UNSENDABLE)


def test_only_responses_of_the_version_are_sent(serving: Serving) -> None:
    assert serving.statuses("a success in place of another", OLD) == {"201": 200}
    assert serving.statuses("a success in place of another", NEW) == {"201": 201}
    assert serving.statuses("a redirect in place of another", OLD) == {"303": 302}
    for status in ("201", "2XX"):
        found = serving.statuses(f"{status} in place of a success beside a default", OLD)
        assert found == {status: 200, "default": 418}


# Each way out of the finding, for an error that only a new version documents.
WAYS_OUT: Final[dict[str, Json]] = {
    "its gate is dropped": {"200": json(), "409": json()},
    "a range is declared": {"200": json(), "409": json(**ADDED), "4XX": json()},
    "a default is declared": {"200": json(), "409": json(**ADDED), "default": json()},
}


def define(cases: dict[str, Json]) -> None:
    """Write definitions with a policy that lets a version add errors."""
    files = sources(cases)
    strict = "policy: { preset: dated-contract, rules: { error-response-added: gated } }"
    table = files["versions.yaml"].replace("policy: dated-contract", strict)
    table = table.replace("title: Everything else", "title: Everything else, undisclosed: true")
    folder(Path.cwd(), {**files, "versions.yaml": table})


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A published API without operations in the current folder."""
    monkeypatch.chdir(tmp_path)
    define({})
    assert dateline("generate").status == 0
    return tmp_path


@pytest.mark.parametrize("way", WAYS_OUT)
def test_way_out_leads_to_a_clean_check_and_a_served_answer(way: str, project: Path) -> None:
    define({way: {"200": json(), "409": json(**ADDED)}})
    outcome = dateline("check")
    assert (outcome.status, outcome.out.count("[response-without-way-down]")) == (1, 1)
    define({way: WAYS_OUT[way]})
    outcome = dateline("check")
    assert (outcome.status, outcome.err) == (0, "")
    served = Serving(project / "served", {way: WAYS_OUT[way]})
    assert served.statuses(way, OLD)["409"] == 409


@pytest.mark.usefixtures("project")
def test_waiver_is_accepted_for_an_answer_that_no_handler_gives() -> None:
    define({"extra": {"200": json(), "202": json(**ADDED)}})
    command = dateline("check").out.partition("to let one pass: dateline ")[2].partition("\n")[0]
    words = shlex.split(command.replace("TEXT", "Agreed.").replace("DATE", "2999-01-01"))
    assert dateline(*words).status == 0
    assert dateline("check").status == 0
