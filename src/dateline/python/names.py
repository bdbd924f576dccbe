"""Turn names of the document into Python names, by one fixed rule; nothing is ever numbered."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Final

from dateline.wording import split_camel

CANONICAL: Final = "server"
"""In place of a date: the contract that servers are written against, and its package."""

SERVER: Final = f"{CANONICAL}.models"
"""The module of what only servers need."""

_LONGEST: Final = 120
"""The most characters that a module's name has."""

SUPPORT: Final = "t"
"""What the module of support types is called inside a module of models."""

# Names that the text of annotations uses; a class or field with one gets a trailing underscore.
_TYPING: Final = frozenset(
    {"TYPE_CHECKING", "Annotated", "Final", "Literal", "StrEnum", "TypeAlias", "TypeAliasType"}
    | {"Union"}
)
_BUILTIN: Final = frozenset({"str", "int", "float", "list", "dict", "tuple", SUPPORT})
# The attributes of pydantic's base class and of its metaclass, which a field of this name would
# hide; and `Config`, which pydantic takes for settings. Written out, so that names don't depend on
# the installed release.
_BASE_CLASS: Final = frozenset(
    {"construct", "copy", "dict", "from_orm", "json", "parse_file", "parse_obj", "parse_raw"}
    | {"Config", "mro", "register"}
    | {"schema", "schema_json", "update_forward_refs", "validate", "model_computed_fields"}
    | {"model_config", "model_construct", "model_copy", "model_dump", "model_dump_json"}
    | {"model_extra", "model_fields", "model_fields_set", "model_json_schema"}
    | {"model_parametrized_name", "model_post_init", "model_rebuild", "model_validate"}
    | {"model_validate_json", "model_validate_strings"}
)

RESERVED_CLASSES: Final = _TYPING | frozenset(keyword.kwlist)
"""What no class may be called."""
_RESERVED_FIELDS: Final = _TYPING | _BUILTIN | _BASE_CLASS | frozenset(keyword.kwlist)

# Signs that distinguish names which are otherwise equal, as in `+1` and `-1`.
_SIGNS: Final = {"+": "plus", "-": "minus", "@": "at", "$": "dollar", "<": "less", ">": "greater"}
_LEADING_SIGN: Final = re.compile(r"^([+@$<>]|-(?=[0-9]))")
_WORD: Final = re.compile(r"[A-Za-z0-9]+")


# Versions and directions have the same names many times over.
_remembered: Final = lru_cache(maxsize=1 << 14)


def package_name(version: str) -> str:
    """Return the subpackage of *version*: `v2025_03_13`; `vnext` for the one being prepared."""
    return version if version == CANONICAL else "v" + re.sub("[.-]", "_", version)


@_remembered
def pascal(name: str) -> str:
    """Return *name* in PascalCase: its words joined, the first letter of each a capital."""
    return "".join(word[0].upper() + word[1:] for word in _words(name))


def join_names(parts: Iterable[str]) -> str:
    """Return names in PascalCase joined to one that says no word twice in a row.

    A part that begins and ends with the same words as what is before it stands for both:
    `BankIdentifier` and `BankACHIdentifier` become `BankACHIdentifier`.
    """
    joined: tuple[str, ...] = ()
    for part in parts:
        words = split_camel(part)
        if len(words) > len(joined) > 1 and (words[0], words[-1]) == (joined[0], joined[-1]):
            joined = words
            continue
        sizes = range(min(len(words), len(joined)), 0, -1)
        doubled = next((size for size in sizes if joined[-size:] == words[:size]), 0)
        joined += words[doubled:]
    return "".join(joined)


@_remembered
def snake(name: str) -> str:
    """Return *name* in snake_case: its words in lower case, also those of camel case."""
    return "_".join(_words("_".join(split_camel(name)))).lower()


def class_name(name: str, *, dots: bool = False) -> str:
    """Return the class name of a component: PascalCase names stay as they are.

    With *dots*, a dot becomes an underscore.
    """
    result = "_".join(map(pascal, name.split("."))) if dots else pascal(name)
    if not result[:1].isalpha():
        result = "Model" + result
    return result + "_" if result in RESERVED_CLASSES else result


def field_name(name: str, taken: Iterable[str] = ()) -> str:
    """Return the Python name of a property: an identifier stays as it is.

    Words are joined by underscores, leading underscores go to the end, a name that Python,
    pydantic, the annotations (or *taken*) use gets a trailing underscore.
    """
    result = _identify(name)
    return result + "_" if result in _RESERVED_FIELDS or result in taken else result


@_remembered
def _identify(name: str) -> str:
    identifier = name
    if not (name.isascii() and name.isidentifier()):
        identifier = "_".join(_words(name, separators="_"))
    bare = identifier.lstrip("_")
    identifier = bare + "_" * (len(identifier) - len(bare))
    return identifier if bare[:1].isalpha() else "field_" + identifier


def argument_name(name: str, taken: frozenset[str] = frozenset()) -> str:
    """Return *name* in snake_case, as an identifier that is no keyword and none of *taken*."""
    # a name may have no letter or digit of ASCII
    result = snake(name) or "_".join(f"u{ord(each):x}" for each in name)
    if not result[:1].isalpha():
        result = f"field_{result}"
    return f"{result}_" if keyword.iskeyword(result) or result in taken else result


def list_turns(having: Container[str], versions: Sequence[str]) -> list[str]:
    """Return the *versions* at which the ones *having* something begin, end, ..."""
    turns: list[str] = []
    for version in versions:
        if (version in having) != len(turns) % 2:
            turns.append(version)
    return turns


def join_turns(turns: Sequence[str]) -> str:
    """Return the module of what begins and ends at *turns*, which are versions.

    What is not removed yet has no end, so that later versions do not move it.
    """
    first, *rest = map(package_name, turns)
    words = ("_until_", "_from_")
    called = first + "".join(words[at % 2] + turn for at, turn in enumerate(rest))
    if len(called) > _LONGEST:
        # removed and added again repeatedly
        called = f"{first}_{sha256(called.encode()).hexdigest()[:16]}"
    return called


def apart(called: Mapping[str, str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Return the names in *called*, with trailing underscores to distinguish equal ones.

    The first of them is unchanged. None becomes the name of another, or one that is *taken*.
    """
    result: dict[str, str] = {}
    known = {*called.values(), *taken}
    first: set[str] = set()
    for name, wanted in called.items():
        own = wanted
        if own in first:
            while own in known:
                own += "_"
        first.add(wanted)
        known.add(own)
        result[name] = own
    return result


def find_equal(called: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each pair of names in *called*, one after the other, that become the same name."""
    known: dict[str, str] = {}
    for name, own in called.items():
        if own in known:
            yield known[own], name
        known[own] = name


def member_name(value: str) -> str:
    """Return the name of an enum's member: the words of its value, in capitals.

    Capitals, because every method of `str` would otherwise be a name to avoid.
    """
    if not value:
        return "EMPTY"
    result = snake(value).upper()
    return result if result[0].isalpha() else "VALUE_" + result


def _spell_character(character: str) -> str:
    is_letter = character.isalnum() and not character.isascii()
    return f"u{ord(character):04x}" if is_letter else character


def _words(name: str, separators: str = "") -> list[str]:
    """Return the ASCII words of *name*, at least one; *separators* count as letters."""
    signed = _LEADING_SIGN.sub(lambda sign: _SIGNS[sign.group()] + " ", name)
    spelled = signed if signed.isascii() else "".join(map(_spell_character, signed))
    word = re.compile(rf"[A-Za-z0-9{separators}]+") if separators else _WORD
    found = word.findall(spelled)
    # nothing readable: the code points represent it
    return found or ["u" + "".join(f"{ord(character):04x}" for character in name)]
