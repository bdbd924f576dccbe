#!/usr/bin/env bash
# build.sh FOLDER: builds the source distribution and the wheel twice, and fails where the bytes differ.
set -euo pipefail
folder=${1:?the folder that takes the distributions}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
make --silent .venv/installed
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT
.venv/bin/python -m build --no-isolation --outdir "$folder" >/dev/null
.venv/bin/python -m build --no-isolation --outdir "$again" >/dev/null
diff -r "$folder" "$again"
ls "$folder"
