"""Search terms find the same rows on every database."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from support.sandboxes import BOTH_DATABASES, Caller
from support.tables import cases


def fields(name: str = "", provider: str = "", wallet: str = "") -> dict[str, Any]:
    return {
        "recipient": {"recipient": {"name": name}, "provider_name": provider},
        "source": {"wallet_address": wallet},
    }


ROWS = {
    "plain": fields("Smith Ltd", "First Bank", "7xKXAbc"),
    "percent": fields("100% Sure"),
    "underscore": fields("under_score"),
    "backslash": fields("back\\slash"),
    "slash": fields("either/or"),
    "quote": fields("O'Neill", '"Quoted" Bank'),
    "umlaut": fields("Günther GROẞ", "Straße der Bank"),
    "composed": fields("Caf\u00e9 del Mar"),
    "decomposed": fields("Cafe\u0301 del Sol"),
    "wide": fields("Ｗｉｄｅ Bank"),
    "ligature": fields("ﬁrst ﬂoor"),
    "greek": fields("ΟΔΥΣΣΕΥΣ"),
    "turkish": fields("İstanbul"),
    "kelvin": fields("\u212aelvin"),
    "emoji": fields("paid \U0001f4b6 now"),
    "long": fields("ä" * 300),
    "control": fields("tab\there"),
    "split": fields("left", "right"),
}

# Each row's id begins with its number in two digits.
IDS = {
    UUID(f"{number:02d}{'c0ffee':<06s}-0000-4000-8000-00000000abcd"): name
    for number, name in enumerate(ROWS, 10)
}

ALL = sorted(ROWS)
TERMS = [
    ("", ALL),
    ("smith", ["plain"]),
    ("SMITH LTD", ["plain"]),
    ("first bank", ["plain"]),
    ("7XKXABC", ["plain"]),
    ("first", ["ligature", "plain"]),
    ("%", ["percent"]),
    ("100%", ["percent"]),
    ("1%", []),
    ("_", ["underscore"]),
    ("under_score", ["underscore"]),
    ("under.score", []),
    ("s_ith", []),
    ("\\", ["backslash"]),
    ("\\%", []),
    ("/", ["slash"]),
    ("either/", ["slash"]),
    ("'", ["quote"]),
    ("''", []),
    ("o'neill", ["quote"]),
    ('"quoted"', ["quote"]),
    ("' OR 1=1 --", []),
    ("GÜNTHER", ["umlaut"]),
    ("gross", ["umlaut"]),
    ("groß", ["umlaut"]),
    ("STRASSE", ["umlaut"]),
    ("gunther", []),
    ("café", ["composed", "decomposed"]),
    ("CAFE\u0301", ["composed", "decomposed"]),
    ("caf\u00c9 DEL m", ["composed"]),
    ("cafe", []),
    ("wide bank", ["wide"]),
    ("ＷＩＤＥ", ["wide"]),
    ("FI", ["ligature", "plain"]),
    ("ﬂ", ["ligature"]),
    ("οδυσσευς", ["greek"]),
    ("οδυσσευσ", ["greek"]),
    ("ΣΕΥΣ", ["greek"]),
    ("i\u0307stanbul", ["turkish"]),
    ("İSTANBUL", ["turkish"]),
    ("kelvin", ["kelvin"]),
    ("\u212a", ["backslash", "kelvin", "plain", "quote", "umlaut", "wide"]),
    ("\U0001f4b6", ["emoji"]),
    ("paid \U0001f4b6", ["emoji"]),
    ("ä" * 256, ["long"]),
    ("%" * 256, []),
    ("\ufdfa" * 256, []),
    ("\t", ["control"]),
    ("leftright", []),
    ("left\x1fright", []),
    ("left right", []),
    ("t b", ["plain"]),
    ("10C0FFEE", ["plain"]),
    ("-8000-00000000ABCD", ALL),
]


@pytest.fixture(scope="module")
def filled(environments: dict[str, Any]) -> Caller:
    """Return a partner with all rows."""
    caller: Caller = environments["sandbox"].partner()
    caller.transactions({"id": id, "fields": ROWS[name]} for id, name in IDS.items())
    return caller


@BOTH_DATABASES
@cases(("term", "expected"), TERMS)
def test_term_finds_the_same_on_every_database(
    filled: Caller, term: str, expected: list[str]
) -> None:
    items = filled.get("/autoramp-transactions", search_term=term, page_size=100)["items"]
    assert sorted(IDS[UUID(item["id"])] for item in items) == expected


@cases("term", ["ä" * 257, "a%" * 10_000])
def test_term_has_at_most_256_characters(filled: Caller, term: str) -> None:
    query = {"search_term": term}
    response = filled.ask("GET", "/autoramp-transactions", query=query)
    assert (response.status_code, type(response.json())) == (400, str)


@cases("raw", ["%00", "%ff", "%ED%A0%80"])
def test_term_must_be_text(filled: Caller, raw: str) -> None:
    response = filled.ask("GET", f"/autoramp-transactions?search_term={raw}")
    assert (response.status_code, type(response.json())) == (400, str)
