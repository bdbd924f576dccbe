"""The modules `events` and `components` of a generated package, as users call them."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from standardwebhooks import Webhook
from support.events import EVENTS
from support.generated_server import Generated, generate_payments
from support.sources import LOANS, loaded
from support.tables import cases

SCHEMAS = Path(__file__).parents[2] / "schemas"
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LOAN = {
    "id": "00000000-0000-4000-8000-00000000000a",
    "item": {"kind": "AudioBook", "title": "Emma", "minutes": 900},
    "author_name": "Austen",
    "due": "2024-05-06T07:08:09Z",
    "state": "paused",
}
PAUSED = {"loan": LOAN, "until": "2026-01-31", "by": "desk", "test": True}
SHOWN = {**LOAN, "state": "active"}


class Convert:
    def older_loan_due(self, value: str, /) -> str:
        return value[:10]


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("events")
    return Generated(folder, loaded(folder, EVENTS))


@pytest.fixture
def events(package: Generated) -> Any:
    return package.module("events")


@cases(
    ("name", "event", "version", "environment", "shown"),
    [
        (
            *("loan.started", LOAN, "2024-01-15", "production"),
            {
                **{"id": LOAN["id"], "item": {"kind": "Book", "title": "audio book"}},
                **{"writer": "Austen", "due": "2024-05-06", "state": "active"},
            },
        ),
        ("loan.started", LOAN, "2025-06-01", "production", SHOWN),
        (
            *("loan.paused", PAUSED, "2025-06-01", "production"),
            {"loan": SHOWN, "end": "2026-01-31"},
        ),
        (
            *("loan.paused", PAUSED, "2025-06-01", "sandbox"),
            {"loan": SHOWN, "end": "2026-01-31", "test": True},
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_event_is_rendered_as_its_version_shows_it(
    package: Generated,
    events: Any,
    name: str,
    event: Any,
    version: str,
    environment: str,
    shown: Any,
) -> None:
    said = {"environment": environment, "converters": Convert()}
    assert events.render(name, event, version, **said) == shown
    kind = {"loan.started": "Loan", "loan.paused": "LoanPaused"}[name]
    model = getattr(package.module("server.models"), kind).model_validate(event)
    assert events.render(name, model, version, **said) == shown
    dated = package.module(f"v{version.replace('-', '_')}")
    parsed = events.parse(name, json.dumps(shown), version, environment=environment)
    assert type(parsed) is getattr(dated, kind)
    assert json.loads(parsed.model_dump_json()) == shown


def test_versions_of_an_event_are_those_that_have_it(events: Any) -> None:
    assert events.versions("loan.started") == ("2024-01-15", "2024-09-01", "2025-06-01")
    assert events.versions("loan.paused", environment="sandbox") == ("2025-06-01",)


def test_event_that_a_version_lacks_is_neither_sent_nor_read(events: Any) -> None:
    with pytest.raises(events.AbsentEventError, match=r"2024-09-01 has no event 'loan\.paused'"):
        events.render("loan.paused", PAUSED, "2024-09-01", converters=Convert())
    with pytest.raises(events.AbsentEventError, match=r"2024-09-01 has no event 'loan\.paused'"):
        events.parse("loan.paused", "{}", "2024-09-01")


def test_invalid_value_is_reported_with_its_place(events: Any) -> None:
    wrong = {"loan": {**LOAN, "id": 3}, "until": "2026-01-31"}
    with pytest.raises(events.UnfitError) as caught:
        events.render("loan.paused", wrong, "2025-06-01", converters=Convert())
    assert str(caught.value) == "/loan/id: has to be a string"
    with pytest.raises(events.UnfitError) as caught:
        events.parse("loan.paused", json.dumps({"loan": {**SHOWN, "id": 3}}), "2025-06-01")
    assert caught.value.place == "/loan/id"
    with pytest.raises(events.UnfitError, match="JSON"):
        events.parse("loan.paused", b"{", "2025-06-01")


class Unknown:
    pass


INVALID: list[Any] = [None, 5, [], {}, b"\xff", Unknown()]
CIRCULAR: list[Any] = []
CIRCULAR.append(CIRCULAR)


@cases(
    "event",
    [
        *(None, True, -1, 10**400, 1.5, float("nan"), "", "\ud800", b"\xff", b"{}", [], (), {}),
        *({1}, [None], range(3), Unknown, Unknown(), CIRCULAR, {"a": CIRCULAR}, {"id": Unknown()}),
        *({**LOAN, key: value} for key in LOAN for value in INVALID),
        {**LOAN, "item": {"kind": []}},
        {**LOAN, "item": {"kind": "?"}},
    ],
    ids=lambda event: str(type(event)),
)
def test_value_that_is_no_event_does_not_fit(events: Any, event: Any) -> None:
    for version in events.versions("loan.started"):
        with pytest.raises(events.UnfitError):
            events.render("loan.started", event, version, converters=Convert())


@cases("name", ["loan.lost", "", "Loan"])
def test_unknown_event_has_no_versions(events: Any, name: str) -> None:
    assert events.versions(name) == ()
    with pytest.raises(ValueError, match=f"unknown event '{name}'"):
        events.render(name, LOAN, "2025-06-01", converters=Convert())
    with pytest.raises(ValueError, match=f"unknown event '{name}'"):
        events.parse(name, "{}", "2025-06-01")


@cases(
    "body",
    [b"", b"\xff", b'{"id":"\\ud800"}', b'{"id":NaN}', b"[" * 100_000, b"null", "\ud800", b"1e400"],
    ids=lambda body: str(body[:9]),
)
def test_body_that_is_no_event_does_not_fit(events: Any, body: Any) -> None:
    for version in events.versions("loan.started"):
        with pytest.raises(events.UnfitError):
            events.parse("loan.started", body, version)


INSIDE: Final = "!-_.,:'\" \n\r\t\0é="
"""Characters that no secret contains; those of base64 for URLs are among them."""


@pytest.mark.parametrize(
    "secret",
    [
        *("", "whsec_", "whsec_!!", "a", "whsec_a", "whsec_====", "whsec_whsec_AAAA"),
        *(f"{SECRET[:at]}{sign}{SECRET[at:]}" for sign in INSIDE for at in (0, 6, 20)),
        *(f"{SECRET}{sign}" for sign in INSIDE),
    ],
)
def test_invalid_secret_is_an_error_that_does_not_contain_it(events: Any, secret: str) -> None:
    headers = events.sign(b"{}", SECRET)
    for use in (partial(events.sign, b"{}"), partial(events.verify, b"{}", headers)):
        with pytest.raises(ValueError, match="the secret of a webhook has to be") as caught:
            use(secret)
        assert not isinstance(caught.value, events.SignatureError)


def test_missing_or_failing_converter_has_its_own_error(events: Any) -> None:
    class Failing:
        def older_loan_due(self, value: str, /) -> str:
            raise RuntimeError(value)

    class Wrong:
        def older_loan_due(self, value: str, /) -> str:
            return value

    with pytest.raises(events.MissingConverterError, match=r"no converter down for Loan\.due"):
        events.render("loan.started", LOAN, "2024-01-15", converters=object())
    with pytest.raises(events.ConversionError, match=r"Loan\.due failed for callers of 2024-01-15"):
        events.render("loan.started", LOAN, "2024-01-15", converters=Failing())
    with pytest.raises(events.UnfitError, match=r"makes of it for callers of 2024-01-15 does"):
        events.render("loan.started", LOAN, "2024-01-15", converters=Wrong())


def test_unknown_versions_and_environments_are_errors(events: Any) -> None:
    with pytest.raises(ValueError, match="unknown version '2024-01-16'"):
        events.render("loan.started", LOAN, "2024-01-16", converters=Convert())
    with pytest.raises(ValueError, match="unknown environment 'test'; this API has prod"):
        events.render("loan.started", LOAN, "2024-01-15", environment="test", converters=Convert())


def test_signature_can_be_verified_with_standard_tools(events: Any) -> None:
    body = '{"state":"ä"}'
    headers = events.sign(body, SECRET, id="msg_1")
    assert headers["webhook-id"] == "msg_1"
    assert Webhook(SECRET).verify(body, headers) == {"state": "ä"}
    events.verify(body.encode(), headers, SECRET)
    assert events.sign(body, SECRET)["webhook-id"] != events.sign(body, SECRET)["webhook-id"]


@cases(
    "id",
    ["", *(f"msg{sign}1" for sign in ". \r\n\t\0\x7f\x85\xa0é\u2028"), "msg_1\n", ".", "\ud800"],
    ids=ascii,
)
def test_id_that_breaks_header_or_signature_is_an_error(events: Any, id: str) -> None:
    with pytest.raises(ValueError, match="has to be visible ASCII characters without dots"):
        events.sign(b"{}", SECRET, id=id)


def test_id_may_have_all_other_characters(events: Any) -> None:
    id = "".join(map(chr, range(0x21, 0x7F))).replace(".", "")
    headers = events.sign(b"{}", SECRET.rstrip("="), id=id)
    assert headers["webhook-id"] == id
    events.verify(b"{}", headers, SECRET.removeprefix("whsec_"))


MALFORMED: Final = "`webhook-signature` has to be `v1,` and base64, or several of these"


@cases(
    ("changed", "said"),
    [
        ({"webhook-id": "msg_2"}, "No matching signature found"),
        ({"webhook-id": ""}, "Missing required headers"),
        ({"webhook-signature": "v1,AAAA"}, "No matching signature found"),
        ({"webhook-signature": "v1a,AAAA"}, "No matching signature found"),
        ({"webhook-signature": ""}, "Missing required headers"),
        *(
            ({"webhook-signature": junk}, MALFORMED)
            for junk in (
                "nothing",
                "v1,ä",
                "v1,A",
                "v1,A,B",
                ",,",
                " ",
                "v1 ,AAAA",
                "v1,AAAA  v1,AAAA",
            )
        ),
        ({"webhook-timestamp": "soon"}, "Invalid Signature Headers"),
        ({"webhook-timestamp": "nan"}, "Invalid Signature Headers"),
        ({"webhook-timestamp": "1"}, "Message timestamp too old"),
    ],
    ids=str,
)
def test_modified_message_is_refused(events: Any, changed: dict[str, str], said: str) -> None:
    headers = {**events.sign(b"{}", SECRET, id="msg_1"), **changed}
    with pytest.raises(events.SignatureError) as caught:
        events.verify(b"{}", headers, SECRET)
    assert str(caught.value) == said


@cases("body", [b"\xff", "\ud800"])
def test_body_to_sign_is_utf_8(events: Any, body: Any) -> None:
    with pytest.raises(ValueError, match="the body is not UTF-8"):
        events.sign(body, SECRET)
    with pytest.raises(events.SignatureError, match="the body is not UTF-8"):
        events.verify(body, events.sign(b"{}", SECRET), SECRET)


def test_old_or_foreign_message_is_refused(events: Any) -> None:
    early = datetime.now(UTC) - timedelta(minutes=6)
    with pytest.raises(events.SignatureError, match="too old"):
        events.verify(b"{}", events.sign(b"{}", SECRET, timestamp=early), SECRET)
    with pytest.raises(events.SignatureError):
        events.verify(b"{ }", events.sign(b"{}", SECRET), SECRET)


def test_modules_do_not_import_http_code(package: Generated) -> None:
    code = f"""
import sys
sys.modules["fastapi"] = sys.modules["starlette"] = None
from {package.name} import components, events
heavy = {{"pydantic", "jsonschema_rs", "standardwebhooks"}} & sys.modules.keys()
print(components.narrow({{"author_name": "Austen"}}, "Loan", "2024-09-01"), sorted(heavy))
"""
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=package.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.stdout, run.stderr) == ("{'writer': 'Austen'} []\n", "")


def test_api_without_webhooks_has_no_events() -> None:
    made = generate_payments()
    assert f"python/{made.name}/components.py" in made.files
    assert f"python/{made.name}/events.py" not in made.files


OLD, NEW = {"x-removed": "2025-06-01"}, {"x-added": "2025-06-01"}


def body(schema: Any, media_type: str = "application/json", **gate: str) -> Any:
    content = {media_type: {"schema": schema, **gate}}
    return {"requestBody": {"content": content}, "responses": {"204": {"description": "received"}}}


def moving() -> dict[str, Any]:
    """Return webhooks of which the first two get another payload in another place."""
    loan, first, second = (
        {"$ref": f"#/components/schemas/{one}"} for one in ("Loan", "Book", "AudioBook")
    )
    media = body(first, "application/json", **OLD)
    media["requestBody"]["content"] |= body(second, "application/vnd.loan+json", **NEW)[
        "requestBody"
    ]["content"]
    return {
        "media.moved": {"post": media},
        "method.moved": {"put": {**body(first), **OLD}, "post": {**body(second), **NEW}},
        "method.same": {"put": {**body(loan), **OLD}, "post": {**body(loan), **NEW}},
        "operation.added": {"post": {**body(loan), **NEW}},
        "media.added": {"post": body(loan, **NEW)},
    }


def test_api_may_consist_of_events_only(tmp_path: Path) -> None:
    loans = "paths: {}\n" + LOANS[LOANS.index("components:") :]
    files = {**EVENTS, "loans.yaml": loans, "moving.json": json.dumps({"webhooks": moving()})}
    made = Generated(tmp_path, loaded(tmp_path, files))
    assert made.module("server.routes").OPERATIONS == ()
    assert "from .nouns import Operation, Scheme\n" in made.text("server/routes.py")
    events = made.module("events")
    assert events.render("loan.started", LOAN, "2025-06-01", converters=Convert()) == SHOWN
    [note] = [each for each in made.notes if "another payload" in each]
    assert note.startswith("2 webhooks have another payload at some version")
    assert note.endswith("`AbsentEventError` there (first media.moved, at 2025-06-01)")
    assert events.versions("method.same") == ("2024-01-15", "2024-09-01", "2025-06-01")
