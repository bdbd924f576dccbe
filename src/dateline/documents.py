"""Prepare the published document of a contract, and validate it with openapi-spec-validator."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, Final

from dateline import progress
from dateline.cache import Cache, name_release
from dateline.model import Announcement, Api, Contract, Problem, SourceError, Table, Trail
from dateline.oddities import show_oddities
from dateline.openapi import replace_children
from dateline.placement import show_version
from dateline.schema.memo import Memo
from dateline.schema.values import written

SUNSET: Final = "x-sunset"
"""The key of ``info`` with the day on which a version ends, as announced."""


def publish(contract: Contract, table: Table) -> dict[str, Any]:
    """Return the document of *contract*, with the place of the version and its announced end.

    Descriptions and extensions promise nothing, so the contract itself is unchanged.
    """
    end = table.ends.get(contract.version)
    shown = show_version(contract.document, table.selector, contract.version)
    if end is not None:
        shown = _announce_end(shown, end)
    return show_oddities(shown) if table.oddities else shown


def _announce_end(document: dict[str, Any], end: Announcement) -> dict[str, Any]:
    """Return *document* with the *end* of its version in its description, and as an extension."""
    info = document.get("info", {})
    sentence = f"This version ends on {end.day}, as announced on {end.announced}."
    if end.brownouts:
        sentence += f" Before that, it is refused {end.refused}."
    paragraphs = [info["description"].rstrip()] if info.get("description") else []
    extended = {**info, "description": "\n\n".join([*paragraphs, sentence]), SUNSET: end.day}
    return {**document, "info": extended}


def require_valid(api: Api, contracts: list[Contract], cache: Cache) -> list[str]:
    """Raise SourceError with every defect unless each of *contracts* is valid OpenAPI.

    Return a note for each document that the validator could not read to the end. A document is
    validated once, however many versions and environments have it, and not at all if the *cache*
    has the result. Descriptions, the version, and the servers of a second environment don't affect
    validity.
    """
    judged: set[bytes] = set()
    # the contracts keep all schemas alive, so ids are not reused
    known: dict[str, list[int]] = {}
    problems: list[Problem] = []
    notes: list[str] = []
    judge = list_judges()
    without_words = Memo(_without_words)
    for contract in progress.count("validating the documents", contracts):
        plain = without_words(contract.document, "document", without_words)
        servers = plain.get("servers")
        plain = {key: value for key, value in plain.items() if key != "servers"}
        plain["info"] = {**plain.get("info", {}), "version": ""}
        digest = cache.key("valid document", *judge, written(plain))
        if digest in judged:
            continue
        judged.add(digest)
        key = cache.key("valid document", digest, written(servers))
        if key in _VALID or cache.get(key) is not None:
            continue
        where = f"{contract.version}, {contract.environment}"
        try:
            defects = _defects(contract.document, known)
        except RecursionError:
            # it follows some legal cycles of references forever
            notes.append(f"openapi-spec-validator could not read the document of {where}")
            continue
        if not defects:
            _VALID.add(key)
            cache.put(key, b"")
        problems += (
            Problem(
                place=api.locate(path),
                id="document-invalid",
                message=f"openapi-spec-validator refuses the document of {where}: {message}",
            )
            for path, message in defects
        )
    if problems:
        raise SourceError(problems)
    return notes


def list_judges() -> list[str]:
    """Return the versions of the packages that decide what is valid."""
    return [*map(name_release, _JUDGES)]


_JUDGES: Final = ("openapi-spec-validator", "openapi-schema-validator", "jsonschema")
"""The packages that decide what is valid."""

_WORDS: Final = ("summary", "description")

_VALID: Final[set[bytes]] = set()
"""The cache keys of valid documents, for a process that generates many times."""


def _without_words(node: Any, kind: str, read: Memo[Any]) -> Any:
    """Return *node*, an object of *kind*, with empty summaries and descriptions."""
    if not isinstance(node, dict):
        return node
    found = replace_children(kind, node, lambda below, child: read(child, below, read))
    keys = [key for key in _WORDS if isinstance(found.get(key), str)]
    return {**found, **dict.fromkeys(keys, "")} if keys else found


def _defects(document: dict[str, Any], known: dict[str, list[int]]) -> list[tuple[Trail, str]]:
    """Return the path and the message of each defect that the validator finds in *document*.

    *known* has the ids of the schemas, by dialect, of the documents without any defect: those that
    this document shares with them are not compared with the metaschema again.
    """
    version = "".join(str(document["openapi"]).split(".")[:2])
    judge = getattr(_import_validators(), f"OpenAPIV{version}SpecValidator")(document)
    dialect = f"{version} {document.get('jsonSchemaDialect')}"
    schemas = judge.keyword_validators_registry["schema"]
    schemas.meta_checked_schema_ids = [*known.get(dialect, ())]
    try:
        # the first line names the defect; the rest repeats the document
        found = [
            (tuple(error.absolute_path), error.message.split("\n", 1)[0])
            for error in judge.iter_errors()
        ]
        if not found:
            known[dialect] = schemas.meta_checked_schema_ids
        return found
    except RecursionError:
        raise
    except Exception as error:  # it raises what its dependencies raise
        return [((), f"{type(error).__name__}: {error}")]


@cache
def _import_validators() -> Any:
    """Return the package of the validators, which is slow to import.

    It is not needed if all documents are in the cache.
    """
    # It imports requests where that is installed, which takes longer than to validate a document,
    # to read what is on the web: contracts refer to nothing there.
    is_hidden = "requests" not in sys.modules
    if is_hidden:
        sys.modules["requests"] = None  # type: ignore[assignment]
    try:
        import openapi_spec_validator
    finally:
        if is_hidden:
            del sys.modules["requests"]
    return openapi_spec_validator
