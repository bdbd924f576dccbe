"""Compare security requirements and the schemes that they use."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any, Final

from dateline.diff.documents import DocumentIndex
from dateline.diff.graph import Graph, Kinds, NodePair, align
from dateline.diff.keywords import EXTENSION, KEYWORD, NOTE
from dateline.diff.messages import Thing
from dateline.model import Kind
from dateline.schema.references import Located, escape
from dateline.schema.values import text

SECURITY: Final = Kinds.all(Kind.SECURITY_CHANGED)
# Documentation only: callers need not know the format of a token.
_NOTES: Final = frozenset({"description", "bearerFormat"})


class SecurityComparison:
    """Compares requirements first, and then the schemes that operations use."""

    def __init__(self, graph: Graph, before: DocumentIndex, after: DocumentIndex) -> None:
        self._graph = graph
        self._before = before
        self._after = after
        self._schemes = before.section("securitySchemes"), after.section("securitySchemes")
        self.renamed = _find_renamed(*self._schemes)
        """The new names of renamed schemes."""
        self.is_inherited = False
        """Whether any operation inherits the security of the document on both sides."""
        # which operations may use a scheme, and with which scopes, by its new name
        self._users: dict[str, int] = {}
        self._scopes: dict[str, set[str]] = {}
        # the schemes that are required on both sides, by their new names; or by an old name that is
        # no longer defined
        self._required: set[str] = set()

    def is_note(self, section: str, name: str) -> bool:
        """Return whether the name of a component is documentation only.

        That is so for a scheme, unless an operation requires another one because of it.
        """
        demanded = name in self._users and name not in self.renamed
        return section == "securitySchemes" and not demanded

    def compare_operation(self, requests: NodePair, bit: int, before: Thing, after: Thing) -> None:
        """Compare what two operations require."""
        ours, theirs = before.get("security"), after.get("security")
        self.is_inherited |= ours is None and theirs is None
        ours = ours or self._before.locate("#/security")
        theirs = theirs or self._after.locate("#/security")
        for name, scopes in self.compare_requirements(requests, ours, theirs):
            self._users[name] = self._users.get(name, 0) | bit
            self._scopes.setdefault(name, set()).update(scopes)

    def compare_requirements(
        self,
        pair: NodePair,
        before: Located | None,
        after: Located | None,
        kinds: Kinds = SECURITY,
    ) -> set[tuple[str, frozenset[str]]]:
        """Compare two security requirements; return the named schemes with their scopes."""
        old, new = _read_alternatives(before, self.renamed), _read_alternatives(after, {})
        if old != new:
            pair.compare(kinds, "security", before, after)
        older, newer = ({demand for found in side for demand in found} for side in (old, new))
        names = {name for name, _ in newer}
        self._required |= names & ({name for name, _ in older} | self.renamed.keys())
        return older | newer

    def compare_schemes(self, before: Located, after: Located) -> None:
        """Compare two schemes; differences concern all operations that may use them."""
        name = after.pointer.rsplit("/", 1)[1]
        things = Thing.at(self._before, before), Thing.at(self._after, after)
        pair = self._graph.root(*(side.parts for side in things), request=self._users.get(name, 0))
        old, new = (side.node or {} for side in things)
        settings = (
            dict(found for part in side.parts for found in _list_settings(part.node, part.pointer))
            for side in things
        )
        for path, first, second in align(*settings):
            if text(_fold_case(old, path, first)) != text(_fold_case(new, path, second)):
                scopes = self._scopes.get(name, set())
                kinds = _kinds_of(path, both=bool(first and second), scopes=scopes)
                pair.compare(kinds, path, first, second)

    def compare_undefined(self) -> None:
        """Report the schemes that are required on both sides, and defined on one only."""
        ours, theirs = self._schemes
        known = {name: name for name in ours}
        known |= {new: old for old, new in self.renamed.items()}
        for name in sorted(self._required & (known.keys() ^ theirs.keys())):
            pair = self._graph.root((), (), request=self._users.get(name, 0))
            at = f"/components/securitySchemes/{escape(known.get(name, name))}"
            before = Located(ours[known[name]], at) if name in known else None
            after = Located(theirs[name], at) if name in theirs else None
            pair.compare(SECURITY, name, before, after)


def _read_alternatives(
    node: Located | None, renamed: Mapping[str, str]
) -> set[frozenset[tuple[str, frozenset[str]]]]:
    """Return the alternatives of a security requirement: sets of schemes with their scopes.

    A missing requirement and an empty list both allow everybody.
    """
    listed = node.value if node and isinstance(node.value, list) else []
    return {
        frozenset(
            (renamed.get(name, name), _read_scopes(scopes)) for name, scopes in alternative.items()
        )
        for alternative in listed or [{}]
    }


def _read_scopes(listed: Any) -> frozenset[str]:
    """Return the *listed* scopes; anything but a list of names counts as one scope."""
    if not listed:
        return frozenset()
    found = listed if isinstance(listed, list) else [listed]
    return frozenset(scope if isinstance(scope, str) else text(scope) for scope in found)


def _find_renamed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, str]:
    """Return the new names of security schemes that are equal except for their names."""
    gone = {_write_requirements(before[name]): name for name in before if name not in after}
    came = {_write_requirements(after[name]): name for name in after if name not in before}
    return {gone[found]: came[found] for found in gone if found in came}


def _write_requirements(scheme: Any) -> str:
    """Return what a security scheme requires of callers, as text."""
    if not isinstance(scheme, dict):
        return text(scheme)
    return text(
        {
            path: _fold_case(scheme, path, node)
            for path, node in _list_settings(scheme, "")
            if _kinds_of(path, both=True) is SECURITY
        }
    )


def _fold_case(scheme: dict[str, Any], path: str, setting: Located | None) -> Any:
    """Return the value of a setting, in lower case if case is insignificant.

    That is so for the names of headers and of HTTP authentication schemes (RFC 9110, sections 5.1
    and 11.1).
    """
    value = setting.value if setting else None
    caseless = path == "scheme" or (path == "name" and scheme.get("in") == "header")
    return value.lower() if caseless and isinstance(value, str) else value


def _list_settings(
    node: dict[str, Any], pointer: str, path: str = ""
) -> Iterator[tuple[str, Located]]:
    """Yield the settings of a security scheme by dotted path, those of its flows one by one."""
    for key, value in node.items():
        at, below = f"{pointer}/{escape(key)}", f"{path}{key}"
        if isinstance(value, dict) and not key.startswith("x-"):
            yield from _list_settings(value, at, f"{below}.")
        else:
            yield below, Located(value, at)


def _kinds_of(path: str, *, both: bool, scopes: Container[str] = ()) -> Kinds:
    """Return the kinds of changes of the setting at *path*.

    *both* if it is on both sides; *scopes* are those that operations require.
    """
    _, in_flow, scope = path.partition(".scopes.")
    if path == "deprecated":
        return KEYWORD
    if path == "oauth2MetadataUrl" and not both:
        return NOTE
    if path in _NOTES or (in_flow and (both or scope not in scopes)):
        return NOTE
    return EXTENSION if path.rsplit(".", 1)[-1].startswith("x-") else SECURITY
