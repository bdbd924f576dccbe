"""The text printed at the start: the addresses, and three requests to try."""

from __future__ import annotations

from typing import Final

from paynet import LATEST
from paynet.server.pages import find_site
from sqlalchemy import make_url

_OPENING: Final = """\
The {environment} environment is served.

  API            {host}/api
  Documents      {host}/spec/versions
{reference}  Health         {host}/health
  Database       {database}

"""

_REFERENCE: Final = """\
  Reference      {host}/site/
"""

_KEY: Final = """\
The first API key, shown this once:

  {key}

"""

_NO_KEY: Final = """\
API keys are shown once, when they are issued; `paynet-sandbox keys issue` issues another.
For the requests below: API_KEY=...

"""

_REQUESTS: Final = """\
To try:

  curl {host}/spec/versions
  curl {host}/api/autoramps -H "X-API-Key: {key}" -H "X-API-Version: {version}" \
-H "Content-Type: application/json" -d '{{"ramp_type": "Onramp"}}'
  curl "{host}/api/autoramp-transactions?page_size=2" -H "X-API-Key: {key}"
"""


def format_greeting(*, environment: str, host: str, database: str, key: str | None) -> str:
    """Return the text; without a *key*, requests have a variable of the shell in its place."""
    opening = _OPENING.format(
        environment=environment,
        host=host,
        reference="" if find_site() is None else _REFERENCE.format(host=host),
        database=make_url(database).render_as_string(hide_password=True),
    )
    about = _NO_KEY if key is None else _KEY.format(key=key)
    return opening + about + _REQUESTS.format(host=host, key=key or "$API_KEY", version=LATEST)
