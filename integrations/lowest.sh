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

# what only reads definitions comes without generators
uv install .
dateline="$folder/venv/bin/dateline"
"$dateline" diff docs/example/before.yaml docs/example/after.yaml
"$dateline" check --against HEAD

# the outputs that are committed come out byte for byte, and are served
uv install '.[generate,serve,site,proxy]'
"$folder/venv/bin/python" -m pip list
cp -R schemas generated templates "$folder"
(cd "$folder" && "$dateline" generate --templates templates --check)
"$dateline" demo

