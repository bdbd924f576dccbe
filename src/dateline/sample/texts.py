"""Sample realistic strings, by their format or by the name of their field.

Names, numbers and addresses are those that standards reserve for examples (RFC 2606, RFC 5737, RFC
3849, and the telephone numbers 555-01xx).
"""

from __future__ import annotations

import re
import uuid
from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from dateline.sample.dice import Dice

Maker = Callable[[Dice], str]

_WORDS: Final = (
    *("amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "harbor", "island", "juniper"),
    *("kestrel", "lagoon", "meadow", "nectar", "orchard", "pebble", "quartz", "river", "summit"),
    *("tundra", "umber", "valley", "willow", "yarrow", "zephyr"),
)
_FIRST: Final = ("Ada", "Blaise", "Carl", "Emmy", "Grace", "Katherine", "Mary", "Niels", "Sofia")
_LAST: Final = (
    "Curie",
    "Gauss",
    "Hopper",
    "Johnson",
    "Lovelace",
    "Noether",
    "Pascal",
    "Somerville",
)
_START: Final = datetime(2025, 1, 1, tzinfo=UTC)
_MINUTES: Final = 365 * 24 * 60


def _one_of(*texts: str) -> Maker:
    return lambda dice: dice.pick(texts)


def word(dice: Dice) -> str:
    """Return a plain word of lower-case letters."""
    return dice.pick(_WORDS)


def moment(dice: Dice) -> datetime:
    """Return a time, to the minute, in the one year that all sampled times are in."""
    return _START + timedelta(minutes=dice.below(_MINUTES))


def _date_time(dice: Dice) -> str:
    return moment(dice).strftime("%Y-%m-%dT%H:%M:%SZ")


def _list_date_times(dice: Dice) -> Iterator[str]:
    """Yield the longer spellings of one time: with fractions of a second, with an offset."""
    time = moment(dice)
    for fraction in ("", ".000", ".000000"):
        for offset in ("Z", "+00:00"):
            if fraction or offset != "Z":
                yield time.strftime(f"%Y-%m-%dT%H:%M:%S{fraction}{offset}")


def _date(dice: Dice) -> str:
    return moment(dice).strftime("%Y-%m-%d")


def _uuid(dice: Dice) -> str:
    return str(uuid.UUID(int=dice.below(1 << 128), version=4))


def _email(dice: Dice) -> str:
    return f"{dice.pick(_FIRST)}.{dice.pick(_LAST)}@example.com".lower()


def _uri(dice: Dice) -> str:
    return f"https://example.com/{word(dice)}"


def _hex(length: int) -> Maker:
    return lambda dice: f"{dice.below(16**length):0{length}x}"


def _decimal(dice: Dice) -> str:
    return f"{dice.between(1, 999)}.{dice.below(100):02}"


def _phone(dice: Dice) -> str:
    return f"+120255501{dice.below(100):02}"


_country = _one_of("CH", "DE", "FR", "GB", "JP", "US")
_currency = _one_of("CHF", "EUR", "GBP", "JPY", "USD")

FORMATS: Final[dict[str, Maker]] = {
    "date-time": _date_time,
    "date": _date,
    "time": lambda dice: moment(dice).strftime("%H:%M:%SZ"),
    "duration": lambda dice: f"P{dice.between(1, 30)}D",
    **dict.fromkeys(("email", "idn-email"), _email),
    **dict.fromkeys(("hostname", "idn-hostname"), lambda dice: f"{word(dice)}.example.com"),
    "ipv4": lambda dice: f"192.0.2.{dice.between(1, 254)}",
    "ipv6": lambda dice: f"2001:db8::{dice.between(1, 65535):x}",
    **dict.fromkeys(("uri", "url", "iri"), _uri),
    **dict.fromkeys(("uri-reference", "iri-reference"), lambda dice: f"/{word(dice)}"),
    "uri-template": lambda dice: f"https://example.com/{word(dice)}/{{id}}",
    "uuid": _uuid,
    "json-pointer": lambda dice: f"/{word(dice)}",
    "relative-json-pointer": lambda dice: f"1/{word(dice)}",
    "regex": lambda dice: f"^{word(dice)}$",
    "byte": lambda dice: b64encode(f"{word(dice)} {word(dice)}".encode()).decode(),
    "decimal": _decimal,
    "phone-number": _phone,
    "iso-country-code": _country,
}

_NAMES: Final[dict[str, Maker]] = {
    **dict.fromkeys(("email", "email_address"), _email),
    **dict.fromkeys(("phone", "phone_number", "mobile", "telephone"), _phone),
    **dict.fromkeys(("url", "uri", "href", "link", "website"), _uri),
    **dict.fromkeys(("first_name", "given_name"), _one_of(*_FIRST)),
    **dict.fromkeys(("last_name", "family_name", "surname"), _one_of(*_LAST)),
    "name": lambda dice: f"{dice.pick(_FIRST)} {dice.pick(_LAST)}",
    **dict.fromkeys(("username", "login", "slug", "tag", "channel"), word),
    "city": _one_of("Bern", "Lyon", "Osaka", "Porto", "York"),
    **dict.fromkeys(
        ("street", "line1", "address_line1"), lambda dice: f"{dice.between(1, 99)} Main Street"
    ),
    **dict.fromkeys(
        ("postal_code", "zip", "zip_code"), lambda dice: f"{dice.between(10000, 99999)}"
    ),
    **dict.fromkeys(("country", "country_code"), _country),
    **dict.fromkeys(("currency", "currency_code"), _currency),
    **dict.fromkeys(("language", "locale"), _one_of("de", "en", "fr")),
    **dict.fromkeys(("timezone", "time_zone"), _one_of("Europe/Zurich", "UTC")),
    "iban": _one_of("DE89370400440532013000", "GB82WEST12345698765432"),
    "bic": _one_of("DEUTDEFF", "NWBKGB2L"),
    **dict.fromkeys(
        ("amount", "price", "fee", "rate", "total", "balance", "cost", "tax", "value"), _decimal
    ),
    **dict.fromkeys(("at", "datetime", "timestamp"), _date_time),
    **dict.fromkeys(("date", "day"), _date),
    **dict.fromkeys(("id", "uuid", "guid", "cursor"), _uuid),
    **dict.fromkeys(("hash", "digest", "checksum", "sha256"), _hex(64)),
    **dict.fromkeys(("token", "secret", "signature", "key"), _hex(32)),
    **dict.fromkeys(("ip", "ip_address"), lambda dice: f"192.0.2.{dice.between(1, 254)}"),
    **dict.fromkeys(
        ("description", "message", "note", "comment", "summary", "text"),
        lambda dice: f"{word(dice)} {word(dice)} {word(dice)}".capitalize(),
    ),
    "title": lambda dice: f"{word(dice)} {word(dice)}".title(),
    "version": lambda dice: f"{dice.between(1, 4)}.{dice.below(10)}.{dice.below(10)}",
}
"""Samplers by the last words of a name."""

_EDGES: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_MOST_WORDS: Final = 2


def words(*names: str) -> tuple[str, ...]:
    """Return the words of *names* in lower case: `createdAt` is `created`, `at`."""
    return tuple(part.lower() for name in names for part in _EDGES.split(name) if part)


def suitable(formats: Sequence[str], names: Sequence[str], dice: Dice) -> Iterator[str]:
    """Yield candidates for a text of *formats* at a place called *names*, best first."""
    for each in formats:
        if each in FORMATS:
            yield FORMATS[each](dice)
        if each == "date-time":
            yield from _list_date_times(dice)
    found = words(*names)
    for count in range(min(_MOST_WORDS, len(found)), 0, -1):
        known = _NAMES.get("_".join(found[-count:]))
        if known is not None:
            yield known(dice)


def fill(least: int, most: int | None, dice: Dice) -> str:
    """Return words with at least *least* and at most *most* characters."""
    text = word(dice)
    while len(text) < least:
        text += f"-{word(dice)}"
    return text if most is None else text[:most]
