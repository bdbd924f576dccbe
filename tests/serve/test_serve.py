"""The mock of every version: its answers, its messages, and its end."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import gated_apis
from support.generated_server import ask
from support.mocks import (
    MockRequest,
    list_misfits,
    list_misfits_of,
    payments_server,
    send_all,
    serving,
)
from support.seeds import seeds
from support.sources import LIBRARY, folder
from support.written_trees import tree

from dateline.edit import init
from dateline.generate import Workspace
from dateline.load import load
from dateline.serve import ServeError, serve
from dateline.serve.lines import format_lines
from dateline.serve.mock import Mock
from dateline.serve.package import open_server

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder(tmp_path_factory.mktemp("library"), LIBRARY)


def test_every_answer_of_the_payment_api_fits_the_callers_version() -> None:
    assert list_misfits_of(load(SCHEMAS), payments_server()) == []


def test_every_answer_fits_after_renames_and_through_converters(library: Path) -> None:
    assert list_misfits(library) == []


@pytest.mark.parametrize("seed", seeds(2))
def test_every_answer_of_generated_apis_fits(seed: int, tmp_path: Path) -> None:
    assert list_misfits(folder(tmp_path, gated_apis.sources(seed)), seed) == []


ECHOES = """\
openapi: 3.1.0
info: { title: Library, version: canonical }
paths:
  /shelves/{shelf}/books/{id}:
    get:
      operationId: getBook
      parameters:
        - { name: shelf, in: path, required: true, schema: { type: integer } }
        - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
        - { name: language, in: query, schema: { type: string } }
        - { name: pages, in: query, schema: { type: string } }
        - { name: kind, in: query, schema: { $ref: '#/components/schemas/Kind' } }
        - { name: bought, in: query, schema: { type: string, format: date-time } }
      responses:
        '200':
          description: a book
          content: { application/json: { schema: { $ref: '#/components/schemas/Book' } } }
  /readers/{readerId}:
    get:
      operationId: getReader
      parameters: [{ name: readerId, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: a reader
          content:
            application/json:
              schema:
                type: object
                properties: { id: { type: string }, reader_id: { type: string } }
  /readers/{id}/books:
    get:
      operationId: listBooks
      parameters:
        - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
        - { name: language, in: query, schema: { type: string } }
      responses:
        '200':
          description: books
          content:
            application/json:
              schema:
                type: object
                required: [books]
                properties:
                  books:
                    { type: array, minItems: 1, items: { $ref: '#/components/schemas/Book' } }
  /readers/{id}/card:
    get:
      operationId: getCard
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      responses:
        '200':
          description: a card
          content:
            application/json:
              schema: { type: object, properties: { number: { type: integer } } }
              examples: { usual: { value: { number: 17 } } }
  /search:
    get:
      operationId: search
      parameters:
        - name: near
          in: query
          style: deepObject
          schema: { $ref: '#/components/schemas/Near' }
        - name: kind
          in: query
          style: deepObject
          schema: { type: array, items: { $ref: '#/components/schemas/Kind' } }
        - name: pages
          in: query
          style: deepObject
          schema: { type: object, properties: { gte: { type: integer } } }
      responses:
        '200':
          description: what was looked for
          content:
            application/json:
              schema:
                type: object
                required: [near, kind, pages]
                properties:
                  near: { $ref: '#/components/schemas/Near' }
                  kind: { type: array, items: { $ref: '#/components/schemas/Kind' } }
                  pages: { type: integer }
  /report:
    get:
      operationId: getReport
      responses:
        '200': { description: a text, content: { text/plain: { schema: { const: Nothing new } } } }
  /nothing:
    get:
      operationId: getNothing
      responses:
        '200':
          description: what can't be
          content:
            application/json:
              schema:
                type: object
                required: [size]
                properties: { size: { type: string, pattern: '^[0-9]{5}$', maxLength: 4 } }
        default: { $ref: '#/components/responses/Problem' }
  /problem:
    get:
      operationId: getProblem
      responses: { default: { $ref: '#/components/responses/Problem' } }
components:
  responses:
    Problem:
      description: it can't be made up either
      content:
        application/json:
          schema:
            type: object
            required: [code]
            properties: { code: { type: string, pattern: '^[0-9]{5}$', maxLength: 4 } }
  schemas:
    Book:
      type: object
      required: [id, shelf, language, pages, kind, bought]
      properties:
        id: { type: string, format: uuid }
        shelf: { type: integer }
        language: { type: string }
        pages: { type: integer }
        kind: { $ref: '#/components/schemas/Kind' }
        bought: { type: string, format: date-time }
    Kind: { type: string, enum: [letter, novel, poem, tale] }
    Near:
      type: object
      properties: { city: { type: string }, id: { type: string, format: uuid } }
"""

ID = "6f9619ff-8b86-d011-b42d-00cf4fc964ff"


@pytest.fixture(scope="module")
def echoing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The application of the API above."""
    files = {"versions.yaml": LIBRARY["versions.yaml"], "api.yaml": ECHOES}
    schemas = folder(tmp_path_factory.mktemp("echoes"), files)
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=schemas.parent / "out"), api) as server:
        yield Mock(api, server, "production", 0).app


def got(app: Any, *urls: str) -> list[Any]:
    made = send_all(app, [MockRequest({}, "get", url, {}, None) for url in urls])
    return [each.json() if "json" in each.headers["content-type"] else each.text for each in made]


def test_parameters_determine_the_answer(echoing: Any) -> None:
    sent = "language=it&pages=few&kind=poem&bought=2024-02-29T07:08:09Z"
    [book] = got(echoing, f"/shelves/3/books/{ID}?{sent}")
    # there is no such number of pages
    assert isinstance(book.pop("pages"), int)
    assert book == {
        "id": ID,
        "shelf": 3,
        "language": "it",
        "kind": "poem",
        "bought": "2024-02-29T07:08:09Z",
    }


def test_objects_and_lists_of_a_query_are_used_where_they_fit(echoing: Any) -> None:
    [found] = got(echoing, "/search?near[city]=Turin&near[id]=" + ID + "&kind[]=tale&pages[gte]=5")
    assert (found["near"], found["kind"]) == ({"city": "Turin", "id": ID}, ["tale"])
    assert isinstance(found["pages"], int)


def test_last_id_of_a_path_is_that_of_the_answer(echoing: Any) -> None:
    assert got(echoing, "/readers/ada") == [{"id": "ada", "reader_id": "ada"}]


def test_listed_items_match_the_filter_and_have_distinct_ids(echoing: Any) -> None:
    [found] = got(echoing, f"/readers/{ID}/books?language=it")
    assert {book["language"] for book in found["books"]} == {"it"}
    assert ID not in {book["id"] for book in found["books"]}


def test_answers_depend_on_the_path_only(echoing: Any) -> None:
    other = ID.replace("6", "7")
    urls = [f"/shelves/3/books/{each}" for each in (ID, other, ID)]
    first, second, again = got(echoing, *urls)
    assert first == again
    assert first["pages"] != second["pages"]


def test_examples_are_used(echoing: Any) -> None:
    assert got(echoing, "/readers/ada/card") == [{"number": 17}]


def test_body_that_is_no_json_is_text(echoing: Any) -> None:
    assert got(echoing, "/report") == ["Nothing new"]


def test_answer_without_a_sample_is_explained(echoing: Any) -> None:
    asked = [MockRequest({}, "get", path, {}, None) for path in ("/nothing", "/problem")]
    nothing, problem = send_all(echoing, asked)
    assert (nothing.status_code, problem.status_code) == (501, 501)
    assert nothing.headers["x-api-version"] == problem.headers["x-api-version"] == "2024-01-15"
    said = "no value was found that fits its schema at"
    assert nothing.json().startswith(f"getNothing: {said} /size: ")
    assert problem.json().startswith(f"getProblem: {said} /code: ")


def test_any_credentials_are_accepted_but_some_are_required() -> None:
    app = Mock(load(SCHEMAS), payments_server(), "production", 0).app
    asked = [
        MockRequest({}, "get", f"/autoramps/{ID}", each, None) for each in ({}, {"X-API-Key": "x"})
    ]
    assert [each.status_code for each in send_all(app, asked)] == [401, 200]


def said(process: subprocess.Popen[str]) -> list[str]:
    """Return the lines that the mock prints before it starts."""
    assert process.stdout is not None
    lines = [process.stdout.readline().rstrip() for _ in range(7)]
    assert process.stdout is not None
    return lines


def run(line: str) -> httpx.Response:
    """Send the request of a `curl` line."""
    command, url, *options = shlex.split(line)
    assert (command, options[::2]) == ("curl", ["-H"] * (len(options) // 2))
    headers = dict(option.split(": ", 1) for option in options[1::2])
    return httpx.get(url, headers=headers, timeout=30)


def test_starter_project_is_served_as_printed(tmp_path: Path) -> None:
    init(tmp_path)
    before = tree(tmp_path)
    with serving(tmp_path) as process:
        lines = said(process)
        tries = [run(line) for line in lines[4:]]
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    address = lines[0].removeprefix("library, production: ").removesuffix("/api")
    assert lines[:4] == [
        f"library, production: {address}/api",
        "versions, by the header X-API-Version: 2025-01-15 (default), 2025-09-01 (latest)",
        "answers are made up (seed 0); any credentials will do",
        "Ctrl-C ends it. Try:",
    ]
    assert [each.status_code for each in tries] == [200, 200, 200]
    older, newer, document = (each.json() for each in tries)
    assert {"borrower" if key == "reader" else key: older[key] for key in older} == newer
    assert document["info"]["version"] == "2025-09-01"
    assert (process.returncode, errors, tree(tmp_path)) == (0, "", before)


def test_documents_are_served_without_operations(tmp_path: Path) -> None:
    nothing = "openapi: 3.1.0\ninfo: { title: Library, version: canonical }\npaths: {}\n"
    schemas = folder(tmp_path, {"versions.yaml": LIBRARY["versions.yaml"], "api.yaml": nothing})
    api = load(schemas)
    with open_server(Workspace(schemas=schemas, output=tmp_path / "generated"), api) as server:
        mock = Mock(api, server, "production", 0)
        paths = [
            each.removeprefix("  curl http://m")
            for each in format_lines(mock, api.table.environments[0], "http://m")
            if "curl" in each
        ]
        ends = [(ask(mock.app, "GET", path).status_code, path) for path in paths]
    assert ends == [(200, "/spec/2025-06-01"), (200, "/spec/versions"), (200, "/spec")]


def test_environment_and_seed_are_selected_by_options(tmp_path: Path) -> None:
    init(tmp_path)
    with serving(tmp_path, "--environment", "sandbox", "--seed", "7") as process:
        lines = said(process)
    assert lines[0].startswith("library, sandbox: http://127.0.0.1:")
    assert lines[2] == "answers are made up (seed 7); any credentials will do"


def read_refusal(schemas: Path, **said: Any) -> str:
    """Return why nothing is served."""
    asked = {"environment": None, "host": "127.0.0.1", "port": 0, "seed": 0, "say": print, **said}
    with pytest.raises(ServeError) as error:
        serve(Workspace(schemas=schemas, output=schemas.parent / "generated"), **asked)
    assert error.value.exit_code == 2
    return str(error.value)


def test_unknown_environment_is_an_error(library: Path) -> None:
    assert read_refusal(library, environment="staging") == (
        "unknown environment 'staging'; the API has production, sandbox"
    )


def test_port_in_use_is_an_error(library: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert read_refusal(library, port=port) == (
            f"can't listen on 127.0.0.1:{port} (Address already in use); "
            "choose another address with --port or --host"
        )


def test_missing_package_is_an_error(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert read_refusal(library) == (
        "`dateline serve` needs uvicorn, which this Python does not have; "
        "run: pip install 'dateline[serve]'"
    )
