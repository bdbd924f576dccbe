"""The values of `versions.yaml`: their checks, and their JSON Schemas.

A check returns what is wrong with a value. The grammars are in the dialect that Python and JSON
Schema (ECMA-262) share, since editors use them too.
"""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Callable
from datetime import date
from typing import Any, Final, NamedTuple

from dateline.model import Map, Seq
from dateline.versions import DATE_FORM, NEXT, is_well_formed, name_pattern
from dateline.wording import did_you_mean, quote

JsonSchema = dict[str, Any]

_TYPES: Final[dict[type, str]] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    Map: "a mapping",
    Seq: "a list",
}

# RFC 3339, section 5.6, without seconds and offsets
_CLOCK: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_MOMENT_FORM: Final = "YYYY-MM-DDTHH:MMZ"

_DATE: Final = re.compile(r"([0-9]{4})-?([0-9]{1,2})-?([0-9]{1,2})")

HEADER_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # a token: RFC 9110 section 5.6.2

# RFC 3986 section 3 without user information, query and fragment, which a server address can't
# have (OpenAPI 3.1.1 section 4.8.5), and without quotes; `{name}` stands for a server variable.
VARIABLE: Final = r"\{([A-Za-z0-9_.-]+)\}"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~-]|\{[A-Za-z0-9_.-]+\})+)"
_PORT: Final = r"(?::(?:[0-9]{1,5}|\{[A-Za-z0-9_.-]+\}))?"
_PATH: Final = r"/(?:[A-Za-z0-9._~!$&()*+,;=:@/%-]|\{[A-Za-z0-9_.-]+\})*"
_SERVER_URL: Final = rf"(?:https?://{_HOST}{_PORT}(?:{_PATH})?|(?!//){_PATH})"

# Names that some file systems reserve for devices: environments and packages become folders.
_DEVICES: Final = frozenset(
    {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
)
# Modules that the generated package imports: under such a name it would import itself.
_IMPORTED: Final = frozenset(
    {"annotated_types", "dateline", "dateline_runtime", "pydantic", "pydantic_core"}
    | {"typing_extensions", "typing_inspection"}
)


class Refusal(NamedTuple):
    """What is wrong with a value: the id of the problem and its message."""

    id: str
    message: str


Check = Callable[[Any], Refusal | None]


class TableValue(NamedTuple):
    """The constraints of a value: its check, and its JSON Schema.

    ``each`` are the constraints of the items of a list or the values of a mapping, ``name`` those
    of the keys of a mapping. The items of a ``unique`` list differ. ``object`` names the mapping, a
    key of ``KEYS``, that is allowed instead of what the check demands. The name of a ``version``
    (``any``, or ``cut`` if it is not `next`) has the form of the table.
    """

    check: Check
    schema: JsonSchema
    each: TableValue | None = None
    name: TableValue | None = None
    unique: bool = False
    object: str = ""
    version: str = ""


def matching(grammar: str, otherwise: str) -> JsonSchema:
    """Return the schema of texts of *grammar*; editors show *otherwise* for other texts."""
    return {"type": "string", "pattern": f"^(?:{grammar})$", "patternErrorMessage": otherwise}


def _has_type(expected: type, way_out: str = "") -> Check:
    def check(value: Any) -> Refusal | None:
        if type(value) is expected:
            return None
        message = f"{quote(value)} where {_TYPES[expected]} belongs"
        return Refusal("wrong-type", f"{message}; {way_out}" if way_out else message)

    return check


_is_text: Final = _has_type(str)

TEXT: Final = TableValue(_is_text, {"type": "string"})
FLAG: Final = TableValue(_has_type(bool), {"type": "boolean"})


def _check_line(value: Any) -> Refusal | None:
    if refusal := _is_text(value):
        return refusal
    if not value.strip():
        return Refusal("blank-text", "the text is blank; write one line")
    if len(value.splitlines()) > 1:
        return Refusal("several-lines", f"{value!r} has several lines; write one")
    return None


LINE: Final = TableValue(_check_line, {"type": "string", "pattern": r"^[^\r\n]*[^\s][^\r\n]*$"})


def _check_count(value: Any) -> Refusal | None:
    negative = Refusal("negative", f"{value!r} is not a number of days; write 0 or more")
    return _has_type(int)(value) or (negative if value < 0 else None)


COUNT: Final = TableValue(_check_count, {"type": "integer", "minimum": 0})


def one_of(*known: str) -> TableValue:
    """Return the content that is one of the *known* texts."""

    def check(value: Any) -> Refusal | None:
        if value in known:
            return None
        return _is_text(value) or Refusal(
            "unknown-value", f"{value!r} is not one of the values{did_you_mean(value, known)}"
        )

    return TableValue(check, {"enum": [*known]})


def _text_of(pattern: str, id: str, law: str, otherwise: str) -> TableValue:
    """Return the content that is text of a *pattern*; *law* and *otherwise* describe it."""

    def check(value: Any) -> Refusal | None:
        if refusal := _is_text(value):
            return refusal
        return None if re.fullmatch(pattern, value) else Refusal(id, f"{quote(value)} is not {law}")

    return TableValue(check, matching(pattern, otherwise))


def _check_device(value: str, id: str) -> Refusal | None:
    if value not in _DEVICES:
        return None
    return Refusal(id, f"{value!r} can't be a folder's name on every system; choose another")


HEADER: Final = _text_of(
    HEADER_NAME,
    "header-name",
    "a header name; use letters, digits and hyphens (RFC 9110 section 5.6.2)",
    "Use letters, digits and hyphens.",
)
URL: Final = _text_of(
    _SERVER_URL,
    "server-url",
    "an address to serve from; write http://..., https://... or a path from /, "
    "without a query or a fragment",
    "Write http://..., https://... or a path from /.",
)
DOCUMENTS: Final = _text_of(
    r"https?://[^\s\"'<>{}]+\{version\}[^\s\"'<>{}]*",
    "documents-address",
    "an address of documents; write http://... or https://... with {version} in it",
    "Write http://... or https://... with {version} in it.",
)
RULE: Final = _text_of(
    r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*",
    "rule-name",
    "the id of a rule; they look like `variant-added`",
    "Ids look like variant-added.",
)
_FOLDER: Final = r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}"
SHARED: Final = _text_of(
    rf"(?:\.\./)+{_FOLDER}(?:/{_FOLDER})*",
    "shared-folder",
    "a folder beside this one or further up; write a path such as ../../common, of ASCII letters, "
    "digits, . _ and -",
    "Write a path such as ../../common.",
)
_ENVIRONMENT: Final = _text_of(
    r"[a-z][a-z0-9-]{0,63}",
    "environment-name",
    "an environment's name; use a lower-case letter, then such letters, digits and hyphens, "
    "64 at most",
    "Use lower-case letters, digits and hyphens.",
)
ENVIRONMENT: Final = _ENVIRONMENT._replace(
    check=lambda value: _ENVIRONMENT.check(value) or _check_device(value, "environment-name")
)
_PACKAGE: Final = _text_of(
    r"[a-z][a-z0-9_]{0,63}",
    "package-name",
    "a package name; use a lower-case letter, then such letters, digits and `_`, 64 at most",
    "Use lower-case letters, digits and _.",
)


def _check_package(value: Any) -> Refusal | None:
    if refusal := _PACKAGE.check(value) or _check_device(value, "package-name"):
        return refusal
    if keyword.iskeyword(value):
        return Refusal("package-name", f"{value!r} is a Python keyword; choose another name")
    if value in sys.stdlib_module_names or value in _IMPORTED:
        return Refusal(
            "package-name",
            f"{value!r} is a module that the generated code imports or Python brings; "
            "choose another name",
        )
    return None


PACKAGE: Final = TableValue(_check_package, {**_PACKAGE.schema, "not": {"enum": keyword.kwlist}})


# Lists and mappings


def list_of(each: TableValue, *, empty: bool = True, unique: bool = False) -> TableValue:
    """Return the content that is a list of *each*; without *empty*, it must have items."""

    def check(value: Any) -> Refusal | None:
        nothing = not empty and value == []
        return Refusal("empty-list", "the list is empty") if nothing else _has_type(Seq)(value)

    schema = {"type": "array"} | ({} if empty else {"minItems": 1})
    return TableValue(
        check, schema | ({"uniqueItems": True} if unique else {}), each, unique=unique
    )


def map_of(name: TableValue, each: TableValue, *, empty: str = "") -> TableValue:
    """Return the content that maps *name* to *each*; *empty* is the message for an empty one."""

    def check(value: Any) -> Refusal | None:
        nothing = empty and value == {}
        return Refusal("no-environment", empty) if nothing else _has_type(Map)(value)

    schema = {"type": "object"} | ({"minProperties": 1} if empty else {})
    return TableValue(check, schema, each, name)


def one(what: str, way_out: str = "") -> TableValue:
    """Return the content that is the mapping called *what*; *way_out* ends the message if not."""
    return TableValue(_has_type(Map, way_out), {}, object=what)


# Dates


def canonical_date(text: str) -> bool:
    """Return whether *text* is an existing date in the form ``YYYY-MM-DD``."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def check_version(value: Any, form: str = DATE_FORM, *, cut: bool = False) -> Refusal | None:
    """Return what is wrong with the name of a version of *form*; *cut* excludes `next`.

    Dates have the form of dated names.
    """
    if value == NEXT:
        message = f"'next' is not a date yet; write a canonical {form} date"
        return Refusal("date", message) if cut else None
    if isinstance(value, str) and is_well_formed(value, form):
        return None
    named = quote(value) if isinstance(value, str) else value
    alternative = "" if cut else ", or `next`"
    if type(value) is int and is_well_formed(str(value), form):
        return Refusal("date", f"{named} is a number in YAML; write '{value}' in quotes")
    written = str(value) if type(value) in (str, int) else ""
    parts = _DATE.fullmatch(written)
    if form == DATE_FORM and parts:
        padded = "-".join((parts[1], parts[2].zfill(2), parts[3].zfill(2)))
        if canonical_date(padded):
            return Refusal("date", f"{named} is not a canonical {form} date; write {padded}")
    if isinstance(value, str) and re.fullmatch(re.sub("[YMD]", "[0-9]", form), value):
        return Refusal("date", f"{named} is not an existing date; write one{alternative}")
    wrong = f"{named} is not a canonical {form} date; write one{alternative}"
    return _is_text(value) or Refusal("date", wrong)


def _check_moment(value: Any) -> Refusal | None:
    written = value if isinstance(value, str) else ""
    day, _, clock = written.partition("T")
    if is_well_formed(day, DATE_FORM) and re.fullmatch(f"{_CLOCK}Z", clock):
        return None
    named = quote(value) if isinstance(value, str) else value
    return Refusal("moment", f"{named} is not a time of UTC, in minutes; write {_MOMENT_FORM}")


DAY: Final = TableValue(
    lambda value: check_version(value, cut=True),
    matching(name_pattern(DATE_FORM), f"Write a date as {DATE_FORM}."),
)
MOMENT: Final = TableValue(
    _check_moment,
    matching(f"{name_pattern(DATE_FORM)}T{_CLOCK}Z", f"Write a time of UTC as {_MOMENT_FORM}."),
)
VERSION: Final = TableValue(check_version, {"$ref": "#/$defs/date"}, version="any")
CUT: Final = VERSION._replace(schema={"$ref": "#/$defs/cut"}, version="cut")


def version_schema(form: str, *, cut: bool = False) -> JsonSchema:
    """Return the schema of names of versions of *form*; *cut* excludes `next`."""
    if cut:
        return matching(name_pattern(form), f"Write a date as {form}.")
    pattern = f"{NEXT}|{name_pattern(form)}"
    return {**matching(pattern, f"Write a date as {form}, or `next`."), "examples": [NEXT]}
