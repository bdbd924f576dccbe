"""Read the operations of an API that its server has handlers for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import and_, or_
from typing import Any, Final

from dateline.addresses import find_own_servers, read_path
from dateline.gates import Timeline, changes, drop_keys
from dateline.model import WAS, Api, Problem, SourceError
from dateline.oddities import PREFIX
from dateline.openapi import (
    ADJACENT,
    METHODS,
    QUERYSTRING,
    chain,
    method_name,
    operation_names,
    operation_steps,
    operations,
    path_items,
    security_schemes,
    value_schema,
)
from dateline.python.docstrings import DescribedOperation
from dateline.python.names import argument_name, class_name, find_equal, pascal, snake
from dateline.python.parts import (
    IGNORED_HEADERS,
    Sites,
    find_component,
    is_sendable,
    list_parameters,
    list_responses,
    name_argument,
)
from dateline.schema.references import Resolver
from dateline.server.contents import Content, read_content
from dateline.server.mounting import read_usual_prefixes
from dateline_runtime.statuses import BODILESS, SUCCESSES

DOCUMENTS: Final = "/spec"
"""The path, on the host, at and below which a server has its specification documents."""

PLACES: Final = ("path", "query", QUERYSTRING, "header", "cookie")
"""The places of parameters; of two with one name, the first place keeps it."""

# The names in annotations of handlers: a method with such a name would hide them.
_SPOKEN: Final = frozenset(
    {"bool", "bytes", "date", "datetime", "dict", "float", "int", "list", "models", "str", "t"}
    | {"tuple"}
)

_IDEMPOTENCY: Final = "idempotency-key"

_UNTAGGED: Final = "default"


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """A parameter: its keyword in handlers, its name in requests, and the schema of its values.

    With ``may_lack_default``, it is optional without a default at some version with another schema.
    """

    keyword: str
    name: str
    place: str
    schema: Any
    component: str | None
    required: bool
    may_lack_default: bool
    description: str
    deprecated: bool


@dataclass(frozen=True, kw_only=True)
class Operation(DescribedOperation):
    """An operation with a handler.

    ``id`` is its name in the contract data, ``path`` that of the definitions. ``body`` and each of
    ``responses`` are None without content. ``security`` lists the alternatives of the newest
    version, each of which needs all of its schemes, ``schemes`` those of any version. ``successes``
    are the responses that are a success at some version, the usual one first. With
    ``is_secured``, callers of some version must be authenticated, with ``is_always_secured`` all
    callers. ``unserved`` is the reason why it has no handler; nothing else is known then.
    """

    id: str
    group: str
    handler: str
    called: str
    environments: tuple[str, ...]
    ignores_version: bool
    security: tuple[tuple[str, ...], ...]
    schemes: frozenset[str]
    is_secured: bool
    is_always_secured: bool
    parameters: tuple[Parameter, ...]
    body: Content | None
    body_required: bool
    responses: dict[str, Content | None]
    successes: dict[str, Content | None]
    unserved: str = ""

    @property
    def place(self) -> tuple[str, ...]:
        """The path of the operation in the document."""
        key = self.method.lower()
        return ("paths", self.path, *operation_steps(key if key in METHODS else self.method))


@dataclass(frozen=True, kw_only=True)
class OperationGroup:
    """The operations of one tag, their field in `Handlers`, and the name of their Protocol."""

    tag: str
    field: str
    handlers: str
    description: str
    operations: tuple[Operation, ...]

    @property
    def served(self) -> tuple[Operation, ...]:
        """The operations with a handler."""
        return tuple(each for each in self.operations if not each.unserved)


def unread(api: Api) -> frozenset[tuple[str, str]]:
    """Return the place and the lower-case name of what handlers don't receive as parameters.

    It is read elsewhere: the version, the idempotency key, credentials.
    """
    schemes = security_schemes(api.document).values()
    names = [each["name"] for each in schemes if each.get("in") == "header" and "name" in each]
    headers = IGNORED_HEADERS | {_IDEMPOTENCY, *map(str.lower, names)}
    version = (api.table.place_of_version, api.table.header.lower())
    return frozenset({version, *(("header", name) for name in headers)})


def read_groups(api: Api) -> list[OperationGroup]:
    """Return the operations of *api* by tag, in the order of the tags and the definitions.

    Those of the specification documents have no handlers. If two names of the definitions become
    one name in Python, adopted operations are not served; for authored ones, SourceError is raised.
    """
    found = _OperationReader(api)
    groups = found.groups()
    if found.problems:
        raise SourceError(found.problems)
    return groups


class _OperationReader:
    """Reads the operations of one API, and collects problems with their names."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._document = api.document
        self._content = partial(read_content, Resolver(api.document))
        self._timeline = Timeline(api.table)
        usual = read_usual_prefixes(api).values()
        self._prefixes = {path for paths in usual for path in paths.values()} or {""}
        self._unread = unread(api)
        self._names = operation_names(self._document)
        self._snakes = Counter(map(snake, self._names.values()))
        self._unserved: dict[str, str] = {}
        self.problems: list[Problem] = []

    def groups(self) -> list[OperationGroup]:
        by_tag: dict[str, list[Operation]] = {}
        tags: dict[str, str] = {}
        for tag, operation in self._read():
            if self._api.table.adopted:
                # tags that become one name share a group
                tag = tags.setdefault(operation.group, tag)
            by_tag.setdefault(tag, []).append(operation)
        described = [each for each in self._document.get("tags", ()) if isinstance(each, dict)]
        descriptions = {each.get("name"): each.get("description", "") for each in described}
        order = [tag for tag in descriptions if tag in by_tag]
        order += [tag for tag in by_tag if tag not in descriptions]
        self._refuse_equal({tag: by_tag[tag][0] for tag in order})
        return [
            OperationGroup(
                tag=tag,
                field=by_tag[tag][0].group,
                handlers=class_name(f"{pascal(tag)} handlers"),
                description=descriptions.get(tag, ""),
                operations=tuple(by_tag[tag]),
            )
            for tag in order
        ]

    def _read(self) -> Iterator[tuple[str, Operation]]:
        """Yield each operation that has a handler, and its tag."""
        sites: dict[tuple[str, str], Sites] = {}
        for path, item in path_items(self._document):
            items = chain(self._document, item)
            for method, node in operations(items[-1]) if items else ():
                if not self._is_document(path, items[-1], node):
                    sites[path, method] = [*items, node]
        handlers = self._name_handlers(sites)
        for at, found in sites.items():
            yield _tag(found[-1]), self._operation(*at, handlers[at], found)

    def _name_handlers(self, sites: Mapping[tuple[str, str], Sites]) -> dict[tuple[str, str], str]:
        """Return the names of all handlers.

        Of operations that share a name and never a version, the newest has it; the others are named
        after the version in which they are removed. Adopted ones that share a version can't be
        renamed: the first has the name.
        """
        versions = self._api.table.dates
        spans = {
            at: {
                versions.index(one.version)
                for one in self._timeline.members(self._find_shown(found))
            }
            for at, found in sites.items()
        }
        last = {at: max(span, default=-1) for at, span in spans.items()}
        taken: dict[tuple[str, str], tuple[str, str]] = {}
        names = {}
        own = {
            at: (argument_name(_tag(found[-1])), self._handler_name(*at))
            for at, found in sites.items()
        }
        known = {*own.values()}
        for at in sorted(sites, key=lambda at: -last[at]):
            group, name = own[at]
            if self._api.table.adopted and (reason := self._explain_unclear(at[0], sites[at][-1])):
                self._unserved.setdefault(self._names[at], reason)
                # it needs no name
                names[at] = name
                continue
            other = taken.get((group, name))
            if other is not None and spans[at].isdisjoint(spans[other]):
                name = f"{name}_before_{snake(versions[last[at] + 1])}"
                other = taken.get((group, name))
            if other is not None and self._api.table.adopted:
                while (group, name) in taken or (group, name) in known:
                    name += "_also"
            elif other is not None:
                self._refuse(
                    at,
                    "handler-name-taken",
                    f"the handlers of {self._names[other]} and {self._names[at]} would both be "
                    f"called {group}.{argument_name(name, _SPOKEN)}",
                )
            taken.setdefault((group, name), at)
            names[at] = name
        return names

    def _explain_unclear(self, path: str, node: dict[str, Any]) -> str:
        """Return why it is unclear which requests the operation *node* answers, or with what."""
        for status, written in (node.get("responses") or {}).items():
            found = chain(self._document, written)
            if str(status).startswith("2") and (not found or f"{PREFIX}$ref" in found[-1]):
                return f"its response {status} refers to nothing of its kind"
        return _explain_unclear(path)

    def _is_document(self, path: str, item: dict[str, Any], node: dict[str, Any]) -> bool:
        servers = find_own_servers(item, node)
        paths = {read_path([each]) for each in servers} if servers else self._prefixes
        # those below other paths are operations, even if the path of their servers is similar
        return paths == {""} and f"{path}/".startswith(f"{DOCUMENTS}/")

    def _operation(self, path: str, method: str, called: str, sites: Sites) -> Operation:
        item, node = sites[-2:]
        parameters = tuple(self._parameters(path, method, item, node))
        name = self._names[path, method]
        bodies = chain(self._document, node.get("requestBody"))
        responses = {
            status: None if status in BODILESS else self._content(found)
            for status, found in list_responses(self._document, node).items()
        }
        eras = [era for _, era in self._timeline.eras("operation", node)]
        security = [era.get("security", self._document.get("security", [])) for era in eras]
        result = Operation(
            id=name,
            group=argument_name(_tag(node)),
            handler=argument_name(called, _SPOKEN),
            called=pascal(called),
            method=method_name(method),
            path=path,
            environments=self._environments(sites),
            ignores_version=not set(self._api.table.ignoring_tags).isdisjoint(node.get("tags", ())),
            security=tuple(tuple(alternative) for alternative in security[0]),
            schemes=frozenset(name for era in security for each in era for name in each),
            is_secured=any(any(alternatives) for alternatives in security),
            is_always_secured=all(each and {} not in each for each in security),
            parameters=parameters,
            body=self._content(bodies),
            body_required=bool(bodies)
            and self._is_always(bodies, "request-body")
            and all("requestBody" in era for era in eras),
            responses=responses,
            successes={each: responses[each] for each in self._list_successes(sites)},
            summary=node.get("summary", ""),
            description=node.get("description", ""),
            deprecated=node.get("deprecated") is True,
            unserved=self._unserved.get(name, ""),
        )
        return (
            replace(result, parameters=(), body=None, responses={}, successes={})
            if result.unserved
            else result
        )

    def _list_successes(self, sites: Sites) -> list[str]:
        """Return the statuses that are a success at some version, the usual one first.

        A version in which `default` is the only success may come after one with a 200.
        """
        shown = self._find_shown(sites)
        chosen = set[str]()
        for mask, era in self._timeline.eras("operation", sites[-1]):
            # where no success of the kinds before is visible
            left = shown & mask
            responses = list_responses(self._document, era).items()
            visible = {
                status: reduce(and_, map(self._timeline.of, found)) for status, found in responses
            }
            for kind in SUCCESSES:
                found = [each for each in visible if each.startswith(kind) and visible[each] & left]
                left &= ~reduce(or_, [visible[each] for each in found], 0)
                chosen.update(found)
        return [each for kind in SUCCESSES for each in sorted(chosen) if each.startswith(kind)]

    def _handler_name(self, path: str, method: str) -> str:
        """Return the name of the handler: the id, or method and path without one.

        Ids of adopted documents that become one name can't be renamed.
        """
        name = snake(self._names[path, method])
        is_taken = self._api.table.adopted and self._snakes[name] > 1
        return snake(f"{method} {path}") if is_taken else name

    def _find_shown(self, sites: Sites) -> int:
        """Return the combinations in which all of *sites* are visible."""
        shown = self._timeline.all
        for node in sites:
            shown &= self._timeline.of(node)
        return shown

    def _environments(self, sites: Sites) -> tuple[str, ...]:
        members = self._timeline.members(self._find_shown(sites))
        found = {combination.environment for combination in members}
        return tuple(name for name in self._api.table.environment_names if name in found)

    def _parameters(
        self, path: str, method: str, item: dict[str, Any], node: dict[str, Any]
    ) -> Iterator[Parameter]:
        listed = list_parameters(self._document, path, item, node)
        taken: dict[str, str] = dict.fromkeys(("self", "call"), "")
        if self._content(chain(self._document, node.get("requestBody"))) is not None:
            taken["body"] = ""
        for place in PLACES:
            for (where, name), found in listed.items():
                if where != place or (place, name.lower()) in self._unread:
                    continue
                keyword = name_argument(name)
                keyword = f"{keyword}_{place}" if keyword in taken else keyword
                if keyword in taken:
                    self._refuse(
                        (path, method),
                        "parameter-name-taken",
                        f"the parameters {taken[keyword]!r} and {name!r} would both be the "
                        f"keyword {keyword}",
                    )
                taken[keyword] = name
                yield Parameter(
                    keyword=keyword,
                    name=name,
                    place=place,
                    schema=_schema(found[-1]),
                    component=find_component(found),
                    required=self._is_always(found, "parameter"),
                    may_lack_default=self._may_lack_default(found[-1]),
                    description=found[-1].get("description", ""),
                    deprecated=found[-1].get("deprecated") is True,
                )

    def _is_always(self, sites: Sites, kind: str) -> bool:
        """Return whether requests of every version must contain it."""
        return all(self._timeline.of(node) == self._timeline.all for node in sites) and all(
            era.get("required") is True for _, era in self._timeline.eras(kind, sites[-1])
        )

    def _may_lack_default(self, parameter: dict[str, Any]) -> bool:
        return any(
            [*defaults(then)][-1:] in ([], [None])
            for _, era in self._timeline.eras("parameter", parameter)
            if era.get("required") is not True and isinstance(schema := _schema(era), dict)
            for _, then in self._timeline.eras("schema", schema)
        )

    def _refuse_equal(self, by_tag: dict[str, Operation]) -> None:
        for first, tag in find_equal({tag: each.group for tag, each in by_tag.items()}):
            operation = by_tag[tag]
            self._refuse(
                (operation.path, operation.place[-1]),
                "group-name-taken",
                f"the tags {first!r} and {tag!r} would both be the group {operation.group}",
            )

    def _refuse(self, at: tuple[str, str], id: str, reason: str) -> None:
        """Mark the operation *at* a path and method as unserved; a problem for an authored one."""
        if self._api.table.adopted:
            self._unserved.setdefault(self._names[at], reason)
            return
        path, method = at
        place = self._api.locate(("paths", path, *operation_steps(method)))
        self.problems.append(Problem(place=place, id=id, message=f"{reason}: rename one"))


def _explain_unclear(path: str) -> str:
    """Return why requests can't identify *path* or its parameters; empty if they can."""
    if not is_sendable(path):
        return "no request has a path with #, {?...}, or a parameter behind ?"
    adjacent = ADJACENT.search(path)
    return f"nothing separates {adjacent[1]} from {adjacent[2]} in the path" if adjacent else ""


def _tag(node: dict[str, Any]) -> str:
    """Return the tag of an operation by which it is grouped."""
    return str(next(iter(node.get("tags", ())), _UNTAGGED))


def defaults(schema: Any) -> Iterator[Any]:
    """Yield the defaults in *schema* without following references, the decisive one last."""
    if isinstance(schema, dict):
        for each in schema.get("allOf", ()):
            yield from defaults(each)
        if "default" in schema:
            yield schema["default"]


def _schema(parameter: dict[str, Any]) -> Any:
    """Return the schema of a parameter, which may be below a media type.

    It has no default if an older version had none: each request gets that of its version.
    """
    schema = value_schema(parameter, {})
    if "schema" not in parameter:
        return schema
    eras = [changes(entry)[0].get("schema", schema) for entry in parameter.get(WAS, {}).values()]
    lacking = any(isinstance(era, dict) and "default" not in era for era in eras)
    return drop_keys(schema, "default") if lacking and "default" in schema else schema
