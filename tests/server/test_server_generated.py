"""The generated server: canonical models, Protocols of handlers, operations, contract data."""

from __future__ import annotations

import inspect
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError
from support import odd_api
from support.generated_server import Generated, ask, generate_payments
from support.sources import LIBRARY, VERSIONS, loaded

import dateline_runtime
from dateline.load import load
from dateline.model import SourceError
from dateline.openapi import METHODS
from dateline.project import Projector
from dateline.render import render

SCHEMAS = Path(__file__).parents[2] / "schemas"
ID = "00000000-0000-4000-8000-000000000000"
AUTORAMP = {"id": ID, "deposit_rails": [{"type": "FedNow"}, {"type": "Iban"}]}


@pytest.fixture(scope="module")
def paynet() -> Generated:
    return generate_payments()


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("odd")
    return Generated(folder, loaded(folder, odd_api.ODD))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("library")
    return Generated(folder, loaded(folder, LIBRARY))


def signature(package: Generated, protocol: str, method: str) -> str:
    """Return the signature of the handler *method* as written."""
    found = getattr(package.module("server.handlers"), protocol)
    return str(inspect.signature(getattr(found, method))).replace("'", "")


class Answering:
    """Handlers with one answer for everything, which record their arguments."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls: list[tuple[str, Any, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        async def handle(call: Any, **arguments: Any) -> Any:
            self.calls.append((name, call.account, arguments))
            return self.answer

        return handle


ACCOUNT = SimpleNamespace(identity="partner")


async def authenticate(credentials: Any) -> Any:
    return ACCOUNT if "right" in credentials.values.values() else None


def create_app(
    package: Generated, handlers: Any, environment: str = "production", **more: Any
) -> Any:
    """Return an application with *handlers* for every operation."""
    server = package.module("server")
    groups = {each.name: handlers for each in fields(server.Handlers)}
    return server.create_app(
        server.Handlers(**groups), environment=environment, authenticate=authenticate, **more
    )


# Canonical models


def test_canonical_model_equal_to_a_type_of_a_version_is_that_type(paynet: Generated) -> None:
    models = paynet.module("server.models")
    old, new = paynet.module("v2025_03_13"), paynet.module("v2026_08_01")
    assert models.Customer is old.Customer
    assert models.AutorampTransaction is old.AutorampTransaction
    assert models.Autoramp is new.Autoramp is not old.Autoramp
    assert [
        name for name in models.__all__ if getattr(models, name) is not getattr(new, name)
    ] == []
    assert {*new.__all__} - {"API_VERSION"} == {*models.__all__}


def test_canonical_models_contain_what_any_version_shows(library: Generated) -> None:
    models = library.module("server.models")
    loan = {
        "id": ID,
        "item": {"kind": "AudioBook", "title": "b", "minutes": 3},
        "author_name": "a",
        "fine_cents": 3,
        "due": "2025-01-01T00:00:00Z",
        "state": "paused",
    }
    assert json.loads(models.Loan.model_validate(loan).model_dump_json()) == loan
    assert type(models.Loan.model_validate(loan).item) is models.AudioBook


def test_callers_of_old_versions_may_omit_later_fields(odd: Generated) -> None:
    models = odd.module("server.models")
    newest = odd.module("v2025_06_01")
    assert models.Part is newest.Part
    with pytest.raises(ValidationError, match="size"):
        models.Part.model_validate({"kind": "a"})
    sent = models.PartSent.model_validate({"kind": "a"})
    assert (sent.kind, sent.size) == (models.Kind.A, odd.module("types").ABSENT)


def test_component_keeps_its_name_if_a_body_would_have_it(odd: Generated) -> None:
    models = odd.module("server.models")
    assert models.PostThingsBody is odd.module("v2024_01_15").PostThingsBody
    body = models.PostThingsBodyValue.model_validate({"part": {"kind": "b"}, "class": "u"})
    assert body.class_ is models.PostThingsBodyClass.U


# Protocols of handlers


def test_handler_takes_typed_keywords_with_defaults(paynet: Generated) -> None:
    assert signature(paynet, "CustomerHandlers", "update_customer") == (
        "(self, call: Call[A_contra], *, id: UUID, x_sub_partner_id: UUID | None = None, "
        "body: models.UpdateCustomerParams) -> Handled[Reply[None] | None]"
    )
    listing = signature(paynet, "AutorampHandlers", "list_autoramp_transactions")
    for each in (
        "page_size: int = 10",
        "ramp_type: models.RampType | None = None",
        "from_date: datetime | None = None",
        "status: list[models.AutorampTransactionStatus] | None = None",
        "sort_order: models.SortOrder = <SortOrder.DESC: desc>",
        "-> Handled[Result[models.AutorampTransactionPage]]",
    ):
        assert each in listing


def test_handler_has_the_documentation_of_its_operation(paynet: Generated) -> None:
    handlers = paynet.module("server.handlers")
    reported = inspect.getdoc(handlers.AddressesHandlers.retry_fiat_address_auth)
    assert reported is not None
    assert reported.splitlines()[0] == "Retry the authentication of a fiat address"
    assert "Deprecated. Intended to retry the authentication process" in reported
    assert "- `id`: Id of the fiat address." in reported
    assert reported.endswith("`POST /addresses/fiat/{id}/retry-auth`")


def test_reserved_and_colliding_names_are_made_distinct(odd: Generated) -> None:
    assert signature(odd, "DefaultHandlers", "get_things") == (
        "(self, call: Call[A_contra], *, "
        "class_: models.ClassParameter = <ClassParameter.X: x>, from_: list[date] | None = None, "
        "self_query: int = 3, since: str | None = None, list: list[int], "
        "x_trace: models.GetThingsXTrace | None = None, body: bool = True)"
        " -> Handled[Result[list[models.Thing]]]"
    )
    assert signature(odd, "DefaultHandlers", "post_things") == (
        "(self, call: Call[None], *, class_: models.ClassParameter = <ClassParameter.X: x>, "
        "body: models.PostThingsBodyValue)"
        " -> Handled[Result[models.PostThingsResponse] | Reply[None] | None]"
    )
    assert signature(odd, "ClassHandlers", "import_") == (
        "(self, call: Call[A_contra | None], *, id: UUID, class_: str, "
        "id_query: int | None = None, body: Upload | None = None)"
        " -> Handled[Bytes | Reply[Bytes] | Reply[None] | None]"
    )
    assert signature(odd, "ClassHandlers", "list_") == (
        "(self, call: Call[A_contra], *, id: UUID, class_: str) -> Handled[Reply[None] | None]"
    )


def test_text_of_the_definitions_is_escaped(odd: Generated) -> None:
    handlers = odd.module("server.handlers")
    reported = inspect.getdoc(handlers.DefaultHandlers.post_things)
    assert reported == 'Says """hello""", and \\ends with a quote "\n\n`POST /things`'
    reported = inspect.getdoc(handlers.ClassHandlers.import_)
    assert reported == "- `id_query`: Deprecated.\n\n`PUT /things/{id}/import/{class}`"


def test_group_of_one_environment_may_be_omitted(paynet: Generated) -> None:
    server = paynet.module("server")
    everywhere = {"addresses": Answering({}), "autoramp": Answering({}), "customer": Answering({})}
    server.create_app(
        server.Handlers(**everywhere), environment="production", authenticate=authenticate
    )
    with pytest.raises(server.MissingHandlerError) as caught:
        server.create_app(
            server.Handlers(**everywhere), environment="sandbox", authenticate=authenticate
        )
    assert str(caught.value) == (
        "no handler for sandbox.simulate_deposit, sandbox.advance_transaction"
    )
    assert isinstance(caught.value, TypeError)


def test_unknown_environment_is_refused_with_the_known_ones(paynet: Generated) -> None:
    with pytest.raises(ValueError, match="unknown environment 'staging'; this API has prod"):
        create_app(paynet, Answering({}), "staging")


def test_converter_is_required_by_name(odd: Generated, caplog: pytest.LogCaptureFixture) -> None:
    protocol = odd.module("server.handlers").Converters
    returned = protocol.older_thing_due.fget.__annotations__["return"]
    assert returned == "Convert[str, str]"
    assert inspect.getdoc(protocol.older_thing_due) == (
        "Return `Thing.due` as it was before 2025-06-01: string (date), not string (date-time)."
    )
    create_app(odd, Answering([]), converters=object())
    assert "Thing.due (the method older_thing_due)" in caplog.text
    assert "operations that need one answer 501" in caplog.text


# Requests


def test_one_handler_serves_every_version(paynet: Generated) -> None:
    handlers = Answering(AUTORAMP)
    app = create_app(paynet, handlers)
    for version, rails in (
        ("2025-03-13", [{"type": "Iban"}]),
        ("2026-07-01", AUTORAMP["deposit_rails"]),
        ("2026-08-01", AUTORAMP["deposit_rails"]),
    ):
        headers = {"X-API-Key": "right", "X-API-Version": version}
        found = ask(app, "GET", f"/api/autoramps/{ID}", headers=headers)
        assert (found.status_code, found.json()) == (200, {"id": ID, "deposit_rails": rails})
        assert found.headers["x-api-version"] == version
    [uuid] = {str(call[2]["autoramp_id"]) for call in handlers.calls}
    assert uuid == ID
    assert ask(app, "GET", f"/api/autoramps/{ID}").status_code == 401


def test_every_kind_of_parameter_reaches_the_handler(odd: Generated) -> None:
    class Convert:
        def older_thing_due(self, value: str, /) -> str:
            return value[:10]

    part = {"kind": "a", "size": 1}
    handlers = Answering([{"id": "x", "due": "2025-01-02T03:04:05Z", "part": part}])
    app = create_app(odd, handlers, converters=Convert())
    found = ask(
        app,
        "GET",
        "/v1/things?key=right&class=y&from=2025-01-01&from=2025-01-02&self=7&list=1",
        headers={"X-Trace": "new", "Cookie": "body=false"},
    )
    assert found.json() == [{"id": "x", "due": "2025-01-02", "part": {"kind": "a"}}]
    [(name, account, arguments)] = handlers.calls
    assert (name, account) == ("get_things", ACCOUNT)
    assert {key: str(value) for key, value in arguments.items()} == {
        "class_": "y",
        "from_": "[datetime.date(2025, 1, 1), datetime.date(2025, 1, 2)]",
        "self_query": "7",
        "since": "None",
        "list": "[1]",
        "x_trace": "new",
        "body": "False",
    }


def test_environments_have_their_own_operations_and_documents(paynet: Generated) -> None:
    made = Answering({})
    paths = ["/spec/versions", "/spec", "/spec/2025-03-13", "/spec/2026-08-01"]
    for environment, status in (("production", 404), ("sandbox", 401)):
        app = create_app(paynet, made, environment)
        assert ask(app, "POST", f"/api/sandbox/autoramps/{ID}/deposits").status_code == status
        files = ("versions", "latest", "2025-03-13", "2026-08-01")
        for path, file in zip(paths, files, strict=True):
            published = paynet.files[f"spec/{environment}/{file}.json"]
            assert ask(app, "GET", path).content == published
    assert made.calls == []


def test_framework_is_invisible_to_callers(paynet: Generated) -> None:
    app = create_app(paynet, Answering({}))
    paths = ("/docs", "/redoc", "/openapi.json", "/api/docs", "/api/openapi.json")
    assert {ask(app, "GET", path).status_code for path in paths} == {404}


# The table of operations


def operations(package: Generated) -> dict[tuple[str, str], Any]:
    rows = package.module("server.routes").OPERATIONS
    return {(each.method.lower(), each.path): each for each in rows}


def test_table_lists_every_operation_of_each_environment(paynet: Generated) -> None:
    projector = Projector(load(SCHEMAS))
    found: dict[tuple[str, str], list[str]] = {}
    for environment in ("production", "sandbox"):
        document = projector.contract("2026-08-01", environment).document
        for path, item in document["paths"].items():
            for method in METHODS:
                if method in item and not path.startswith("/spec"):
                    found.setdefault((method, path), []).append(environment)
    assert {key: [*each.environments] for key, each in operations(paynet).items()} == found


@pytest.mark.parametrize("name", ["paynet", "odd", "library"])
def test_table_and_protocols_agree(name: str, request: pytest.FixtureRequest) -> None:
    package: Generated = request.getfixturevalue(name)
    handlers = package.module("server.handlers")
    groups = {each.name: str(each.type) for each in fields(handlers.Handlers)}
    rows = operations(package).values()
    for row in rows:
        protocol = getattr(handlers, re.split(r"\W", groups[row.group])[0])
        taken = [*inspect.signature(getattr(protocol, row.handler)).parameters]
        given = [each.keyword for each in row.parameters] + ["body"] * (row.body is not None)
        assert taken == ["self", "call", *given]
        for each in filter(None, (row.body, *row.responses.values())):
            for type_ in each.values():
                if type_ is not package.module("server").Upload:
                    TypeAdapter(type_)
    assert len({(row.group, row.handler) for row in rows}) == len(rows) > 0


def test_security_is_listed_as_alternatives(odd: Generated) -> None:
    routes = odd.module("server.routes")
    assert {key: each.security for key, each in operations(odd).items()} == {
        ("get", "/things"): (("Key",), ("Token", "Login")),
        ("post", "/things"): (),
        ("put", "/things/{id}/import/{class}"): ((), ("Token",)),
        ("delete", "/things/{id}/import/{class}"): (("Certificate",),),
    }
    assert {name: (s.place, s.name, s.prefix) for name, s in routes.SCHEMES.items()} == {
        "Key": ("query", "key", ""),
        "Token": ("header", "Authorization", "Bearer "),
        "Login": ("header", "Authorization", "Basic "),
        "Certificate": ("header", "Client-Cert", ""),
    }
    assert routes.PREFIXES == {"production": "/v1", "sandbox": "/v1"}


# The files


def test_runtime_is_copied_unchanged(paynet: Generated) -> None:
    source = Path(dateline_runtime.__file__).parent
    start = f"python/{paynet.name}/server/runtime/"
    copied = {path: content for path, content in paynet.files.items() if path.startswith(start)}
    assert copied == {f"{start}{file.name}": file.read_bytes() for file in source.glob("*.py")}


def test_drafts_are_not_served(library: Generated) -> None:
    start = f"python/{library.name}/server/documents/production/"
    served = {path.removeprefix(start) for path in library.files if path.startswith(start)}
    assert served == {"versions.json", "2024-01-15.json", "2024-09-01.json", "2025-06-01.json"}


def test_generated_files_are_deterministic(odd: Generated, tmp_path: Path) -> None:
    api = loaded(tmp_path, odd_api.ODD)
    api = replace(api, table=replace(api.table, package=odd.name))
    again = render(api, validate=False, changes=False)
    assert {each.path: each.content for each in again.artifacts} == odd.files


def test_api_without_operations_has_a_server_with_documents(tmp_path: Path) -> None:
    bare = "openapi: 3.1.0\ninfo: { title: Bare, version: canonical }\npaths: {}\n"
    package = Generated(tmp_path, loaded(tmp_path, {"versions.yaml": VERSIONS, "api.yaml": bare}))
    server = package.module("server")
    app = server.create_app(server.Handlers(), environment="production")
    assert ask(app, "GET", "/spec/versions").json()["default"] == "2024-01-15"


def refused(folder: Path, paths: str, schemas: str = "{}") -> list[str]:
    text = (
        "openapi: 3.1.0\ninfo: { title: T, version: canonical }\n"
        f"paths:\n{paths}\ncomponents: {{ schemas: {schemas} }}\n"
    )
    files = {"versions.yaml": odd_api.VERSIONS, "api.yaml": text}
    api = loaded(folder, files)
    authored = replace(api, table=replace(api.table, adopted=False))
    with pytest.raises(SourceError) as caught:
        render(authored, validate=False, changes=False)
    return [str(problem).partition("/")[2] for problem in caught.value.problems]


OK = "responses: { '200': { description: ok } }"


def test_colliding_names_are_refused_together(tmp_path: Path) -> None:
    query = "{{ name: {}, in: query, schema: {{ type: string }} }}"
    listed = ", ".join(query.format(name) for name in ("a-b", "a_b", "aB"))
    paths = (
        f"  /a: {{ get: {{ operationId: get-a, parameters: [{listed}], {OK} }} }}\n"
        f"  /b: {{ get: {{ operationId: get_a, tags: [default], {OK} }},\n"
        f"        put: {{ operationId: x, tags: [fooBar], {OK} }} }}\n"
        f"  /c: {{ get: {{ operationId: y, tags: [foo_bar], {OK} }} }}"
    )
    assert refused(tmp_path, paths) == [
        "api.yaml:4:9: parameter-name-taken: the parameters 'a_b' and 'aB' would both be the "
        "keyword a_b_query: rename one",
        "api.yaml:5:9: handler-name-taken: the handlers of get-a and get_a would both be called "
        "default.get_a: rename one",
        "api.yaml:7:9: group-name-taken: the tags 'fooBar' and 'foo_bar' would both be the group "
        "foo_bar: rename one",
    ]


def test_adopted_operations_with_one_name_are_named_by_method_and_path(tmp_path: Path) -> None:
    shown = "responses: { '200': { description: x, content: { application/json: {} } } }"
    added = "{ name: n, in: query, schema: { type: integer }, x-added: 2025-06-01 }"
    api = (
        "openapi: 3.1.0\ninfo: { title: T, version: canonical }\npaths:\n"
        f"  /a: {{ get: {{ operationId: find, {shown} }} }}\n"
        f"  /b: {{ get: {{ operationId: find, tags: [t], parameters: [{added}], {shown} }} }}\n"
        f"  /c: {{ get: {{ operationId: read-it, {shown} }} }}\n"
        f"  /d: {{ get: {{ operationId: readIt, {shown} }} }}\n"
        f"  /e: {{ get: {{ operationId: other, {shown} }} }}\n"
    )
    files = {"versions.yaml": odd_api.VERSIONS, "api.yaml": api}
    package = Generated(tmp_path, loaded(tmp_path, files))
    requests = json.loads(package.text("server/contracts.json"))["requests"]
    assert sorted(requests) == ["GET /a", "GET /b", "other", "read-it", "readIt"]
    untagged, tagged = Answering("untagged"), Answering("tagged")
    server = package.module("server")
    app = server.create_app(server.Handlers(default=untagged, t=tagged), environment="production")
    answers = [ask(app, "GET", f"/v1/{path}?n=1").json() for path in "abcde"]
    assert answers == ["untagged", "tagged", "untagged", "untagged", "untagged"]
    assert [name for name, _, _ in untagged.calls] == ["get_a", "get_c", "get_d", "other"]
    newest = {"X-API-Version": "2025-06-01"}
    assert ask(app, "GET", "/v1/b?n=x", headers=newest).status_code == 400
    assert [(name, said) for name, _, said in tagged.calls] == [("get_b", {"n": None})]


def test_unreadable_request_is_refused(tmp_path: Path) -> None:
    moved = (
        "{ name: n, in: query, schema: { type: string }, x-was: { 2025-06-01: { in: header } } }"
    )
    [said] = refused(tmp_path, f"  /b: {{ get: {{ parameters: [{moved}], {OK} }} }}")
    assert "gate-out-of-reach: `x-was` moves a parameter from one part of the request" in said
