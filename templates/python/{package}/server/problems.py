"""Respond to faulty requests as the definitions describe errors."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from pydantic_core import to_json

from .codings import decode
from .contracts import Contracts, MisfitError
from .nouns import Settings
from .results import Response, Results
from .runtime import problems
from .runtime.asgi import MEDIA_TYPE, REFUSED, VERSION, Scope
from .runtime.conversion import ConversionContext, convert_within
from .runtime.errors import Fault, encode
from .runtime.idempotency import Answer
from .runtime.problems import Body, Problem, problem_details, read_problem

NO_PATH: Final = "there is no such path"
NO_METHOD: Final = "there is no such method at this path"

_TEXT: Final = "text/plain"

_KEPT: Final = 100
"""The maximum number of errors that are logged because they don't fit."""

_log = logging.getLogger(__name__)

Find = Callable[[Scope, str], Results | None]
"""Takes a request and a version; returns the results of its operation, if there is one."""


class Problems:
    """Creates the responses to faulty requests, for callers of any version.

    The body is the result of `Settings.problem`; without that function, or if its result is not
    valid, it follows the schema that the operation declares for the status. If there is no schema,
    or no body of it contains the message, the schema that most operations declare for this status,
    or for similar ones, is used; as a last resort, the problem details of RFC 9457.

    A malformed request gets status 400, or 422 if the operation declares only that.
    """

    def __init__(
        self, contracts: Mapping[str, Any], data: Contracts, settings: Settings, find: Find
    ) -> None:
        self._default: str = contracts["default"]
        self._schemas = contracts["canonical"]
        self._fits = data.fits
        self._settings = settings
        self._environment = data.environment
        self._converts = bool(contracts["converters"])
        self._find = find
        self._all: list[Results] = []
        self._restated: set[tuple[str, str, int]] = set()
        self._common: dict[tuple[int, str], list[Response]] = {}

    def add(self, results: Iterable[Results]) -> None:
        """Add the errors of *results* to those that other operations may use."""
        self._all += results

    def answer(self, scope: Scope, problem: Problem, results: Results | None = None) -> Answer:
        """Return the response to a request of the operation of *results*, if known."""
        if not self._converts:
            return self._answer(scope, problem, results)
        version = scope.get("state", {}).get(VERSION, self._default)
        context = ConversionContext(environment=self._environment, version=version, scope=scope)
        return convert_within(lambda: self._answer(scope, problem, results), context)

    def _answer(self, scope: Scope, problem: Problem, results: Results | None) -> Answer:
        version: str = scope.get("state", {}).get(VERSION, self._default)
        results = results or self._find(scope, version)
        if results is not None and _means_unprocessable(problem, results, version):
            problem = replace(problem, status=HTTPStatus.UNPROCESSABLE_ENTITY)
            scope.setdefault("state", {})[REFUSED] = True
        own = results.list_forms(problem.status, version) if results is not None else []
        found = self._find_answer(scope, problem, own, self._others(problem.status, version))
        if found is not None:
            return found
        body = encode(problem_details(problem))
        return Answer(problem.status, problems.MEDIA_TYPE, body)

    def restate(
        self, scope: Scope, status: int, content: bytes, coding: str, results: Results
    ) -> Answer | None:
        """Return the response for an error *content* of an application that does not fit.

        It says what *content* says, in a body that the operation declares for the status; None if
        there is none.
        """
        problem = self.read(status, content, coding, keeps_fields=True)
        own = results.list_forms(status, scope["state"][VERSION])
        answer = self._find_answer(scope, problem, own) if own else None
        if answer is not None:
            self._note_restated(scope, status)
        return answer

    @staticmethod
    def read(status: int, content: bytes, coding: str, *, keeps_fields: bool = False) -> Problem:
        """Return what an error *content* of an application says.

        Unless the problem *keeps_fields*, those of *content* are not among its members.
        """
        with suppress(MisfitError):
            content = decode(content, coding)
        problem = read_problem(status, content)
        return problem if keeps_fields else replace(problem, members={})

    def _note_restated(self, scope: Scope, status: int) -> None:
        path = scope["method"], scope["path"], status
        if path not in self._restated and len(self._restated) < _KEPT:
            self._restated.add(path)
            text = "%s %r: the body with status %d does not fit the definitions: it is written anew"
            _log.warning(text, *path)

    def refusal(self, scope: Scope, status: int, text: str, results: Results) -> Answer:
        """Return the response of an operation that refuses a request with *text*.

        It is the bare text if the operation does not declare the status and no function creates
        bodies. Raises MisfitError if no text is valid for the declared body.
        """
        problem = Problem(status=status, message=text)
        own = results.list_forms(status, scope["state"][VERSION])
        found = self._find_answer(scope, problem, own)
        if found is None and own:
            raise MisfitError(f"no text fits the response with status {status}")
        return found or Answer(status, MEDIA_TYPE, encode(text))

    def _find_answer(
        self, scope: Scope, problem: Problem, own: list[Response], others: Sequence[Response] = ()
    ) -> Answer | None:
        """Return the response in the first form of *own*, then of *others*, that has a body."""
        problem = replace(problem, path=problems.encode_path(scope["path"]))
        first = own[0] if own else None
        return self._custom(problem, first) or self._derived(scope, problem, own, others)

    def _custom(self, problem: Problem, own: Response | None) -> Answer | None:
        if self._settings.problem is None:
            return None
        try:
            body = self._settings.problem(problem)
            if own is not None and own.write is not None:
                return own.answer(body)
            if isinstance(body, str):
                return Answer(problem.status, f"{_TEXT}; charset=utf-8", body.encode())
            return Answer(problem.status, self._settings.problem_type, to_json(body))
        except Exception as error:
            _log.error("no body was made for status %d", problem.status, exc_info=error)
            return None

    def _derived(
        self, scope: Scope, problem: Problem, own: list[Response], others: Sequence[Response]
    ) -> Answer | None:
        full = problems.add_trace_id(problem)
        for at, response in enumerate((*own, *others)):
            for body in self._bodies(response, full, is_logged=problem.trace_id is not None):
                if at >= len(own) and not _says(body, problem):
                    continue
                try:
                    answer = response._replace(status=problem.status).answer(body.value, encode)
                except MisfitError:
                    continue
                if "trace_id" in body.facts:
                    _note(scope, full, answer, is_known=problem.trace_id is not None)
                return answer
        return None

    def _bodies(self, response: Response, problem: Problem, *, is_logged: bool) -> Iterator[Body]:
        if response.write is None or response.media_type is None:
            return
        if response.schema is not None:
            yield from problems.bodies(
                response.schema, self._schemas, problem, self._fits, is_logged=is_logged
            )
        elif response.media_type.lower().startswith(_TEXT):
            yield Body(problem.message, frozenset({"message"}))

    def _others(self, status: int, version: str) -> list[Response]:
        """Return all errors at *version*: of similar statuses first, then the most common."""
        if (status, version) not in self._common:
            counts: dict[tuple[int, str], tuple[int, Response]] = {}
            for results in self._all:
                for response in results.errors(version):
                    text = json.dumps([response.media_type, response.schema], sort_keys=True)
                    key = _distance(response.key, status), text
                    count, first = counts.get(key, (0, response))
                    counts[key] = count + 1, first
            order = sorted(counts.items(), key=lambda each: (each[0][0], -each[1][0]))
            self._common[status, version] = [response for _, (_, response) in order]
        return self._common[status, version]


def _means_unprocessable(problem: Problem, results: Results, version: str) -> bool:
    """Return whether the operation declares 422, and not 400, for unreadable requests."""
    if problem.status != HTTPStatus.BAD_REQUEST or problem.code != Fault.MALFORMED.value:
        return False
    declared = results.response(HTTPStatus.UNPROCESSABLE_ENTITY, version)
    return (
        results.response(HTTPStatus.BAD_REQUEST, version) is None
        and declared is not None
        and declared.key == str(HTTPStatus.UNPROCESSABLE_ENTITY.value)
    )


def _says(body: Body, problem: Problem) -> bool:
    if problem.members:
        return "message" in body.facts or body.facts >= problem.members.keys()
    return "message" in body.facts


def _distance(key: str, status: int) -> int:
    if key == str(status):
        return 0
    if key.upper() == f"{status // 100}XX":
        return 1
    return 2 if key[0] == str(status)[0] else 3 if key == "default" else 4


def _note(scope: Scope, problem: Problem, answer: Answer, *, is_known: bool) -> None:
    """Log the trace id in a response, as it is written there, unless that has been done."""
    trace_id = problem.trace_id
    shown = problems.format_as_uuid(trace_id) or ""
    if shown.encode() in answer.body:
        trace_id, is_known = f"{trace_id} ({shown})", False
    if not is_known:
        message = problem.message
        _log.info(
            "%s: %s %r: %d %s", trace_id, scope["method"], scope["path"], answer.status, message
        )
