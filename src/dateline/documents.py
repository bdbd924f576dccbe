"""Prepare the published document of a contract, and validate it with openapi-spec-validator."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Final

from dateline.model import Api, Contract, Problem, SourceError, Table
from dateline.schema.dialect import is_old

SUNSET: Final = "x-sunset"
"""The key of ``info`` that holds the day of a version's announced end."""


def document(contract: Contract, table: Table) -> dict[str, Any]:
    """Return the document of *contract*; where its end is announced, ``info`` says so.

    Words and extensions promise nothing, so the contract stays what it is.
    """
    end = table.ends.get(contract.version)
    if end is None:
        return contract.document
    info = contract.document["info"]
    sentence = f"This version ends on {end.day}, as announced on {end.announced}."
    words = [info["description"].rstrip()] if info.get("description") else []
    extended = {**info, "description": "\n\n".join([*words, sentence]), SUNSET: end.day}
    return {**contract.document, "info": extended}


def require_valid(api: Api, contracts: list[Contract]) -> list[str]:
    """Raise SourceError, listing every defect, unless each of *contracts* is valid OpenAPI.

    Returns a note for each document that the judge could not get to the end of. A document is
    judged once, however many versions and environments show it: what tells their
    contracts apart beside the content, the version text and the servers, has no bearing on it.
    """
    judged: set[str] = set()
    problems: list[Problem] = []
    notes: list[str] = []
    for contract in contracts:
        plain = {key: value for key, value in contract.document.items() if key != "servers"}
        plain["info"] = {**plain["info"], "version": ""}
        digest = sha256(json.dumps(plain).encode()).hexdigest()
        if digest in judged:
            continue
        judged.add(digest)
        where = f"{contract.version}, {contract.environment}"
        key = digest, json.dumps(contract.document.get("servers"))
        try:
            if key not in _DEFECTS:
                _DEFECTS[key] = _defects(contract.document)
        except RecursionError:
            # it follows some legal cycles of references for ever
            notes.append(f"openapi-spec-validator could not read the document of {where}")
            continue
        problems += (
            Problem(
                place=api.locate(path),
                id="document-invalid",
                message=f"openapi-spec-validator refuses the document of {where}: {message}",
            )
            for path, message in _DEFECTS[key]
        )
    if problems:
        raise SourceError(problems)
    return notes


_Defect = tuple[tuple[str | int, ...], str]

_DEFECTS: Final[dict[tuple[str, str], list[_Defect]]] = {}
"""The defects of each document that this process has validated, as it may generate many times."""


def _defects(document: dict[str, Any]) -> list[_Defect]:
    from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

    judge = OpenAPIV30SpecValidator if is_old(document) else OpenAPIV31SpecValidator
    try:
        # the first line says what is wrong; what follows repeats the document
        return [
            (tuple(error.absolute_path), error.message.split("\n", 1)[0])
            for error in judge(document).iter_errors()
        ]
    except RecursionError:
        raise
    except Exception as error:  # the judge raises what its libraries raise, of many types
        return [((), f"{type(error).__name__}: {error}")]
