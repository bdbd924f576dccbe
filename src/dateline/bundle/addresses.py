"""Addresses of references (RFC 3986), and their targets."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from dateline.model import DatelineError, Trail
from dateline.openapi import parts, step_into
from dateline.schema.references import ANCHORS

# RFC 3986, appendix B
_ADDRESS: Final = re.compile(
    r"(?:(?P<scheme>[^:/?#]+):)?(?:(?P<host>//[^/?#]*))?(?P<path>[^?#]*)"
    r"(?P<query>\?[^#]*)?(?:#(?P<fragment>.*))?",
    re.DOTALL,
)
_SUFFIXES: Final = (".json", ".yaml", ".yml")
READ_AROUND: Final = "move the file there, or run the command in a folder around both"
_COMPONENT_NAME: Final = re.compile(r"[A-Za-z0-9._-]*")  # OpenAPI 3.1.1, section 4.8.7


class AddressError(DatelineError):
    """An address that is not followed, or is dangling: the id of the problem, and why."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def strip_base(reference: str, base: str) -> str | None:
    """Return *reference* relative to the folder of *base*, the `$self` of a document.

    An address in the document itself becomes a fragment (OpenAPI 3.2.0, section 4.6). None if it is
    not below *base*, or not an address.
    """
    address, hash_, fragment = reference.partition("#")
    own = base.partition("#")[0]
    if not own or not address:
        return None
    if address == own:
        return f"#{fragment}"
    folder = own.rpartition("/")[0] + "/"
    is_below = is_remote(own) and address.startswith(folder) and len(address) > len(folder)
    return address[len(folder) :] + hash_ + fragment if is_below else None


class Address(NamedTuple):
    """A file, by its path from the folder of the document, and a fragment in it."""

    file: str
    fragment: str


def parse_address(
    reference: str, file: str, shared: Collection[str] = (), way_out: str = READ_AROUND
) -> Address:
    """Return the target of *reference*, which is written in *file*.

    Raises AddressError for one that leads to another host, by an absolute path, or out of the
    folder and of the folders *shared* with others, given as paths from it; the message ends with
    *way_out*.
    """
    found = _ADDRESS.fullmatch(reference)
    assert found is not None  # any text is a fragment
    path = unquote(found["path"])
    if found["scheme"] or found["host"] or found["query"]:
        raise AddressError(
            "reference-remote",
            "only files in the folder of the document are read; "
            "save it there, and refer to it by a relative path",
        )
    if path.startswith("/"):
        raise AddressError(
            "reference-outside", "an absolute path is not followed; write a relative one"
        )
    name = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
    is_outside = name == ".." or name.startswith("../")
    if is_outside and not any(name.startswith(f"{folder}/") for folder in shared):
        raise AddressError(
            "reference-outside",
            f"it leads out of the repository or folder whose files are read; {way_out}",
        )
    if path and not name.lower().endswith(_SUFFIXES):
        raise AddressError(
            "reference-unreadable",
            "it names no .json, .yaml or .yml file; refer to one, or to a place in this file by #/",
        )
    return Address(name, unquote(found["fragment"] or ""))


def is_local(reference: str) -> bool:
    """Return whether *reference* leads into the file in which it is written."""
    return not reference or reference.startswith("#")


def is_remote(reference: str) -> bool:
    """Return whether *reference* leads to another host."""
    found = _ADDRESS.fullmatch(reference)
    return found is not None and bool(found["scheme"] or found["host"])


def is_address(value: str) -> bool:
    """Return whether *value*, of a discriminator's mapping, is an address rather than a name.

    OpenAPI 3.1.1, section 4.8.25.4: what may be both is a name.
    """
    return _COMPONENT_NAME.fullmatch(value) is None or value.lower().endswith(_SUFFIXES)


def find_path(root: Any, fragment: str) -> Trail:
    """Return the path of *fragment* in *root*: a JSON pointer (RFC 6901), or an anchor.

    The path of a pointer need not exist. A slash alone is the whole, as for most tools, unless
    *root* has an empty key. Raises AddressError for an unknown anchor.
    """
    if not fragment or (fragment == "/" and step_into(root, "") is None):
        return ()
    if fragment.startswith("/"):
        return parts(fragment)
    pending: list[tuple[Trail, Any]] = [((), root)]
    while pending:
        path, node = pending.pop()
        if isinstance(node, dict):
            if any(node.get(key) == fragment for key in ANCHORS):
                return path
            pending += [((*path, key), below) for key, below in node.items()]
        elif isinstance(node, list):
            pending += [((*path, index), below) for index, below in enumerate(node)]
    raise AddressError(
        "reference-dangling", f"no $anchor is called {fragment!a}; a pointer begins with #/"
    )
