#!/usr/bin/env bash
# Installs dateline from this checkout, with pinned dependencies, and puts it on the path of later steps.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
environment="${RUNNER_TEMP:?}/dateline"

"${DATELINE_PYTHON:-python3}" -m venv "$environment"
"$environment/bin/pip" install --quiet --disable-pip-version-check \
  --require-hashes --requirement "$here/requirements.lock"
# hatchling, which builds the package, is among the pinned: nothing unpinned is fetched
"$environment/bin/pip" install --quiet --disable-pip-version-check \
  --no-deps --no-build-isolation "$(dirname "$here")"
echo "$environment/bin" >> "${GITHUB_PATH:?}"
