"""The proxy in front of a server in another language, over sockets: the shop of six versions."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from support.exchanges import serving
from support.launched import launch_folder
from support.node_servers import run_node
from support.shop import Shop, ShopRequest, ask_at_random, find_leaks, forget_gate
from support.shop_sources import VERSIONS

from dateline.cli import main

pytest.importorskip("aiohttp", reason="the proxy is a client with aiohttp")
pytest.importorskip("websockets", reason="uvicorn serves WebSockets with it")

# the client sends no blank headers
ASKED = [each for each in ask_at_random(2, 120) if each.version != " "]
STOCK = ShopRequest("GET", "/api/stock/s1", VERSIONS[-1])
ORDER = ShopRequest("GET", "/api/orders/one1", VERSIONS[0])

CONVERTERS = """
from support.shop import Converters as Known
class Converters(Known):
    def older_order_placed_at(self, value, context):
        return context.account or super().older_order_placed_at(value)
"""

Answer = tuple[int, list[tuple[str, str]], bytes]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop"))


@pytest.fixture(scope="module")
def node() -> Iterator[int]:
    """Run the shop in JavaScript, which answers like the one in Python."""
    with run_node("node_shop.js") as port:
        yield port


@contextmanager
def proxying(shop: Shop, port: int) -> Iterator[httpx.Client]:
    forwarding = shop.package.module("server.forwarding")
    app = shop.wrap(
        "production",
        forwarding.Forwarding(forwarding.Upstream(url=f"http://127.0.0.1:{port}")),
    )
    with (
        serving(app, lifespan="on", server_header=False, date_header=False) as number,
        httpx.Client(base_url=f"http://127.0.0.1:{number}") as client,
    ):
        yield client


def ask(client: httpx.Client, asked: ShopRequest) -> Answer:
    fields = [*asked.headers, (b"accept-encoding", b"identity")]
    found = client.request(asked.method, asked.url, headers=fields, content=asked.body or None)
    own = ("date", "server", "connection", "keep-alive")
    return (
        found.status_code,
        sorted(each for each in found.headers.multi_items() if each[0] not in own),
        found.content,
    )


def leaks(answers: list[Answer]) -> list[str]:
    return [
        f"{asked} {leak}"
        for asked, (status, _, body) in zip(ASKED, answers, strict=True)
        if status < 300
        for leak in find_leaks(asked.version or VERSIONS[0], "production", body)
    ]


def test_proxy_answers_like_the_generated_server(shop: Shop, node: int) -> None:
    with (
        serving(shop.serve("production"), server_header=False, date_header=False) as port,
        httpx.Client(base_url=f"http://127.0.0.1:{port}") as client,
    ):
        expected = [ask(client, each) for each in ASKED]
    with proxying(shop, node) as client:
        found = [ask(client, each) for each in ASKED]
    different = [each for each in zip(ASKED, expected, found, strict=True) if each[1] != each[2]]
    assert different == []
    assert leaks(found) == []
    assert {status for status, _, _ in found} == {200, 201, 400, 404}


def test_missing_gate_is_noticed(node: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    shop = Shop(tmp_path_factory.mktemp("forgetful"), forget_gate)
    with proxying(shop, node) as client:
        assert leaks([ask(client, each) for each in ASKED]) != []


class Command:
    """`dateline proxy` as a process; ``log`` is its output."""

    def __init__(self, folder: Path, package: Path, upstream: int, *options: str) -> None:
        self.log = folder / "log"
        self.contracts = package / "server" / "contracts.json"
        self._read = 0
        support = Path(__file__).parents[1]
        (folder / "shop_converters.py").write_text(CONVERTERS)
        command = [str(launch_folder() / "dateline"), "proxy", "--port", "0"]
        command += ["--upstream", f"http://127.0.0.1:{upstream}", "--generated", str(package)]
        command += ["--environment", "production", "--converters", "shop_converters:Converters"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, *options],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(support)},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        self.wait_for("Ctrl-C ends it")
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.log.read_text())
        assert found is not None
        self.url = found[0]
        self.client = httpx.Client(base_url=self.url)
        wait(self._is_healthy)

    def _is_healthy(self) -> bool:
        try:
            return self.client.get("/-/healthy").status_code == 200
        except httpx.HTTPError:
            return False

    def wait_for(self, text: str) -> None:
        """Wait until *text* is logged after what was waited for before."""
        wait(lambda: text in self.log.read_text()[self._read :] or self.process.poll() is not None)
        self._read = self.log.read_text().index(text, self._read) + len(text)

    @contextmanager
    def changing(self) -> Iterator[str]:
        """Yield the contracts of the package, and restore them at the end."""
        whole = self.contracts.read_text()
        try:
            yield whole
        finally:
            self.contracts.write_text(whole)
            self.wait_for("was generated anew")


def wait(is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@contextmanager
def run_command(folder: Path, shop: Shop, node: int, *options: str) -> Iterator[Command]:
    """Run the proxy with *options*."""
    package = folder / "package"
    shutil.copytree(shop.package.folder / shop.package.name, package)
    made = Command(folder, package, node, *options)
    try:
        yield made
    finally:
        made.client.close()
        made.process.kill()
        made.process.wait()


@pytest.fixture(scope="module")
def command(shop: Shop, node: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Command]:
    """Run the proxy for all tests that neither end it nor limit what is sent through it."""
    folder = tmp_path_factory.mktemp("command")
    with run_command(folder, shop, node, "--account-header", "X-Account") as running:
        yield running


def test_regenerated_package_is_served_without_losing_a_request(command: Command) -> None:
    statuses: list[int] = []
    ended = threading.Event()

    def load() -> None:
        with httpx.Client(base_url=command.url) as client:
            while not ended.is_set():
                statuses.append(ask(client, ORDER)[0])
                time.sleep(0.01)

    assert b'"label"' not in ask(command.client, ORDER)[2]
    threads = [threading.Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        with command.changing() as whole:
            # an incomplete package is not served
            command.contracts.write_text(whole[:-100])
            command.wait_for("so the previous generation still is")
            data = json.loads(whole)
            data["header"] = "X-Other-Version"
            command.contracts.write_text(json.dumps(data))
            command.wait_for("was generated anew")
            answer = command.client.get("/api/stock/s1")
            assert answer.headers["x-other-version"] == VERSIONS[0]
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert len(statuses) > 10
    assert set(statuses) == {200}


def test_folder_is_read_again_after_a_signal(command: Command) -> None:
    before = command.contracts.stat()
    with command.changing() as whole:
        command.contracts.write_text(whole.replace('"X-API-Version"', '"X-Api-Release"'))
        # as if nothing had been written
        os.utime(command.contracts, ns=(before.st_atime_ns, before.st_mtime_ns))
        command.process.send_signal(signal.SIGHUP)
        command.wait_for("was generated anew")
        answer = command.client.get(STOCK.url, headers={"x-api-release": VERSIONS[1]})
        assert (answer.status_code, answer.headers["x-api-release"]) == (200, VERSIONS[1])


def test_converters_get_the_account_from_a_header(command: Command) -> None:
    for account, shown in (("2020-02-02", "2020-02-02"), ("", "2026-01-")):
        sent = {"x-api-version": VERSIONS[0], **({"x-account": account} if account else {})}
        order = command.client.get("/api/orders/one", headers=sent).json()
        assert order["placed_at"].startswith(shown)


def test_limits_are_those_of_the_command_line(shop: Shop, node: int, tmp_path: Path) -> None:
    """Refusals have the form that the definitions declare for errors, at each version."""
    options = ("--limit", "createOrder=200", "--connect", "1", "--read", "0.2")
    with run_command(tmp_path, shop, node, *options) as command:
        check_limits(command)


def check_limits(command: Command) -> None:
    draft = {"customer_name": "A" * 300, "payment": {"kind": "card", "last4": "1"}}
    for version in (VERSIONS[0], VERSIONS[-1]):
        answer = command.client.post("/api/orders", json=draft, headers={"x-api-version": version})
        assert (answer.status_code, answer.headers["x-api-version"]) == (413, version)
        assert answer.json() == {"message": "the body has to be at most 200 bytes"}
        slow = {"x-api-version": version, "x-slow": "5000"}
        answer = command.client.get("/api/orders/one", headers=slow)
        assert (answer.status_code, answer.headers["x-api-version"]) == (504, version)
        said = "the server behind this one did not answer in time"
        assert answer.json() == {"message": said}


def test_unreachable_server_is_reported_as_a_declared_error(shop: Shop) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with proxying(shop, port) as client:
        for version in (VERSIONS[0], VERSIONS[-1]):
            found = client.get("/api/orders/one", headers={"x-api-version": version})
            assert (found.status_code, found.headers["x-api-version"]) == (502, version)
            assert found.json() == {"message": "the server behind this one can't be reached"}


def test_running_requests_are_answered_before_the_end(
    shop: Shop, node: int, tmp_path: Path
) -> None:
    with run_command(tmp_path, shop, node) as command:
        check_end(command, node)


def check_end(command: Command, node: int) -> None:
    answers: list[httpx.Response] = []

    def ask_slowly() -> None:
        answers.append(httpx.get(f"{command.url}{STOCK.url}", headers={"x-slow": "1000"}))

    before = int(httpx.get(f"http://127.0.0.1:{node}/waiting").text)
    thread = threading.Thread(target=ask_slowly)
    thread.start()
    wait(lambda: int(httpx.get(f"http://127.0.0.1:{node}/waiting").text) > before)
    command.process.send_signal(signal.SIGTERM)
    thread.join()
    assert [each.status_code for each in answers] == [200]
    assert command.process.wait(timeout=20) == 0


def test_health_is_available_and_secrets_are_not_logged(command: Command) -> None:
    assert command.client.get("/-/ready").json() == {"status": "ok"}
    secret = {"authorization": "Bearer hush-1", "x-api-version": VERSIONS[0]}
    assert command.client.get("/api/orders?token=hush-2", headers=secret).status_code == 200
    log = command.log.read_text()
    assert re.search(r"GET '/api/orders' 200 [\d.]+ ms", log)
    assert "hush" not in log


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--upstream", "ftp://a"], "not an http:// or https:// URL"),
        (["--upstream", "http://a", "--trust", "everybody"], "'everybody' does not appear to be"),
        (["--upstream", "http://a", "--only", "nothing"], "there is no operation nothing"),
        (
            ["--upstream", "http://a", "--limit", "createOrder"],
            "is not a limit; write OPERATION=BYTES",
        ),
        (["--upstream", "http://a", "--environment", "moon"], "unknown environment 'moon'"),
        (["--upstream", "http://a", "--environment", ""], "unknown environment"),
        (["--upstream", "http://a", "--converters", "nowhere:X"], "'nowhere:X' can't be imported"),
        (["--upstream", "http://a", "--converters", "json:JSONDecoder"], "no converter"),
        (["--upstream", "http://a", "--generated", "nowhere"], "run `dateline generate`"),
    ],
)
def test_invalid_setting_is_reported(shop: Shop, options: list[str], said: str) -> None:
    package = shop.package.folder / shop.package.name
    own = ["proxy", "--generated", str(package), "--environment", "production"]
    result = CliRunner().invoke(main, [*own, "--converters", "support.shop:Converters", *options])
    assert said in (result.output or str(result.exception))
    assert result.exit_code in (1, 2)


def test_one_of_several_environments_must_be_named(shop: Shop) -> None:
    package = shop.package.folder / shop.package.name
    result = CliRunner().invoke(
        main, ["proxy", "--upstream", "http://a", "--generated", str(package)]
    )
    said = str(result.exception) or result.output
    assert "the API has production, sandbox: name one with --environment" in said
