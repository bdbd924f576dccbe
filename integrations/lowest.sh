#!/usr/bin/env bash
# lowest.sh [PYTHON]: tries dateline with the oldest versions of its dependencies that pyproject.toml allows.
set -euo pipefail
python=${1:-python3}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$python" -m venv "$folder/uv"
"$folder/uv/bin/pip" install --quiet uv
"$python" -m venv "$folder/venv"
uv() { "$folder/uv/bin/uv" --quiet pip "$@" --python "$folder/venv/bin/python" --resolution lowest-direct; }

# the base installation has no generators
uv install .
dateline="$folder/venv/bin/dateline"
"$dateline" diff docs/example/before.yaml docs/example/after.yaml
"$dateline" check --against HEAD

# generates exactly the committed outputs, and serves them
uv install '.[generate,serve,site,proxy]'
"$folder/venv/bin/python" -m pip list
cp -R schemas generated templates "$folder"
(cd "$folder" && "$dateline" generate --templates templates --check)
"$dateline" demo


# the proxy narrows the answers of a server of the newest version
"$dateline" init "$folder/library"
"$dateline" -C "$folder/library" generate --quiet
"$folder/venv/bin/python" - "$dateline" "$folder/library/generated" <<'PYTHON'
import json, re, subprocess, sys, threading, urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

LOAN = {"id": "0b0f7f6e-5c1f-4a8e-9a43-9e1f2f3d4c5b", "borrower": "Ada", "state": "paused"}

class Newest(BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps(LOAN).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

server = HTTPServer(("127.0.0.1", 0), Newest)
threading.Thread(target=server.serve_forever, daemon=True).start()
dateline, generated = sys.argv[1:]
command = [dateline, "proxy", "--upstream", f"http://127.0.0.1:{server.server_port}"]
command += ["--generated", generated, "--environment", "production", "--port", "0"]
with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as proxy:
    try:
        for line in proxy.stdout:
            print(line, end="")
            if found := re.search(r"http://127\.0\.0\.1:(?!%d)\d+" % server.server_port, line):
                break
        address = f"{found[0]}/api/loans/{LOAN['id']}"
        for version, wanted in {
            "2025-09-01": LOAN,
            "2025-01-15": {"id": LOAN["id"], "reader": "Ada", "state": "active"},
        }.items():
            request = urllib.request.Request(address, headers={"X-API-Version": version})
            with urllib.request.urlopen(request, timeout=30) as answer:
                got = json.load(answer)
            print(version, got)
            assert got == wanted
    finally:
        proxy.terminate()
PYTHON
