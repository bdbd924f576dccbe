"""Find the operation that a request means by its method and path."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import zip_longest
from typing import Final, Generic, TypeVar
from urllib.parse import parse_qsl, unquote, unquote_plus

from .runtime.asgi import SLASH
from .spellings import fold

R = TypeVar("R")
T = TypeVar("T")

_PARAMETER: Final = re.compile(r"\{([^{}]*)\}")
# A query or a fragment begins with a sign, or as an expression of RFC 6570.
_BEHIND: Final = re.compile(r"\{(?![?&#])[^{}]*\}|(?P<behind>\{[?&#]|[?#])")

# The text of a parameter that all servers read alike, and of one that begins a segment: it has no
# slashes, no line breaks and no parameters of a segment, and is no dot segment.
_PLAIN: Final = r"[^/;\\\n\r\0\x85\u2028\u2029]+"
_PLAIN_SEGMENT: Final = rf"(?!\.){_PLAIN}"

# The text of a parameter that may contain slashes.
_ANY: Final = "((?s:.*))"

# A suffix that servers with a route for `/things` may accept.
_SUFFIX: Final = ".json"

_MOST_SEGMENTS: Final = 256
"""The maximum for paths that are read in more than one way."""


class PathTemplate:
    """The path of an operation, with names in braces for its parameters.

    The text of a parameter is never empty, and contains no slash unless it was sent as `%2F`. Of
    several in one segment, earlier ones are greedy: the last possible separator counts. Escapes
    are decoded, in the template as in requests.

    In published documents, a path may be followed by a query, which requests must have, or by a
    fragment or expressions, which no request has.

    *spanning* are the places of parameters that may be empty and contain slashes, for applications
    that have such ones.
    """

    def __init__(self, text: str, spanning: Collection[int] = ()) -> None:
        path, query, self.is_path = _split(text)
        pieces = _PARAMETER.split(path)
        behind = text[len(path) :]
        self.text: Final = text
        self.path: Final = path
        """the text without a query, a fragment, and expressions"""
        self.names: Final = pieces[1::2]
        self.segments: Final = _read_segments(path)
        """its segments, with `{}` for each parameter"""
        self.is_exact: Final = not any("{}" in segment for segment in self.segments)
        """whether it matches only one path; `concrete_first` sorts by this"""
        self.is_clear: Final = (
            "}{" not in path and {"?", "#"}.isdisjoint(path) and {*("#", "{")}.isdisjoint(behind)
        )
        """whether requests show that they mean this one, and which texts its parameters have"""
        self.query: Final = query
        """the pairs that requests must have in their query; an empty value is any value"""
        literals = [re.escape(_decode(piece)) for piece in pieces[0::2]]
        self.spanning: Final = {name for at, name in enumerate(self.names) if at in spanning}
        """the names of parameters that may contain slashes"""
        written = [_ANY if at in spanning else "([^/]+)" for at in range(len(self.names))]
        pairs = zip_longest(literals, written, fillvalue="")
        self._pattern = re.compile("".join(text for pair in pairs for text in pair))

    @cached_property
    def shape(self) -> str:
        """The path with `{}` for each parameter."""
        return "/".join(self.segments)

    @cached_property
    def _in_any_case(self) -> re.Pattern[str]:
        return re.compile(self._pattern.pattern, re.IGNORECASE)

    def match(self, path: str, *, ignores_case: bool = False) -> dict[str, str] | None:
        """Return the texts of the parameters in *path* by their names; None for another path."""
        found = (self._in_any_case if ignores_case else self._pattern).fullmatch(path)
        if found is None:
            return None
        texts = (text.replace(SLASH, "/") for text in found.groups())
        return dict(zip(self.names, texts, strict=True))

    def covers(self, other: PathTemplate) -> bool:
        """Return whether this one matches all paths that *other* matches."""
        return self.match(other.shape.replace("{}", "\0"), ignores_case=True) is not None

    def may_share(self, other: PathTemplate) -> bool:
        """Return whether a path may match this one and *other*, if values here contain slashes.

        Only what is before the first of these values counts.
        """
        first = next(at for at, name in enumerate(self.names) if name in self.spanning)
        before = "{}".join(self.shape.split("{}")[: first + 1]).lower().split("/")[:-1]
        pairs = zip(before, other.shape.lower().split("/"), strict=False)
        return all(a == b or "{}" in a or "{}" in b for a, b in pairs)

    def precedes(self, other: PathTemplate) -> bool:
        """Return whether applications take a request that may mean both for one with this path.

        It is more concrete, or its query has more than that of *other*.
        """
        known = {*self.query, *((name, "") for name, _ in self.query)}
        is_equal = {*self.query} == {*other.query}
        return self.shape != other.shape or (known.issuperset(other.query) and not is_equal)

    def read(self, path: str) -> dict[str, str]:
        """Return the texts of the parameters in *path*, in the first of its readings that fits."""
        for ignores_case in (False, True):
            for each in read_path(path):
                found = self.match(each, ignores_case=ignores_case)
                if found is not None:
                    return found
        return {}

    def has_query(self, sent: bytes) -> bool:
        """Return whether the query string *sent* has all of the template's query."""
        if not self.query:
            return True
        pairs = parse_qsl(sent.decode("latin-1"), keep_blank_values=True)
        return all(
            any(name == key and value in ("", text) for key, text in pairs)
            for name, value in self.query
        )


def is_plain_query(sent: bytes, known: Collection[tuple[str, str]]) -> bool:
    """Return whether all servers find the same of the *known* pairs in the query string *sent*.

    Some separate pairs at semicolons, ignore case and blanks, read `name[]` as the name and `.` as
    `_`, end texts at a null character, or read bytes as UTF-8.
    """
    pairs = [pair.partition("=") for pair in sent.decode("latin-1").split("&")]
    read = [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]
    folded = {_fold(name, value) for name, value in known}
    names = {name for name, _ in folded}
    meant = [(name, value) for name, value in read if _fold(name, value)[0] in names]
    return (
        b";" not in sent
        and sent.isascii()
        and len({name for name, _ in meant}) == len(meant)
        and {name for name, _ in meant} <= {name for name, _ in known}
        and all(pair in known or _fold(*pair) not in folded for pair in meant)
    )


def _fold(name: str, value: str) -> tuple[str, str]:
    name = re.split(r"[\[\0]", name)[0].strip()
    return fold(name), value.partition("\0")[0].strip().casefold()


def _split(text: str) -> tuple[str, list[tuple[str, str]], bool]:
    """Return a path, the pairs of its query, and whether it has neither query nor fragment.

    A value that contains a parameter matches any value, and is returned as an empty one.
    """
    found = next((each for each in _BEHIND.finditer(text) if each["behind"]), None)
    if found is None:
        return text, [], True
    query = text[found.end() :].partition("#")[0] if found["behind"] == "?" else ""
    pairs = parse_qsl(query, keep_blank_values=True)
    named = [(name, "" if "{" in value else value) for name, value in pairs if "{" not in name]
    return text[: found.start()], named, False


def _decode(path: str) -> str:
    """Return *path* decoded as `route` decodes the paths of requests."""
    return "/".join(unquote(segment).replace("/", SLASH) for segment in path.split("/"))


def _read_segments(path: str) -> list[str]:
    """Return the segments of *path*, with `{}` for each parameter."""
    return "{}".join(map(_decode, _PARAMETER.split(path)[0::2])).split("/")


def _write(shape: str, parameter: str) -> str:
    """Return the expression for *shape*, or a part of it; *parameter* replaces each `{}`."""
    return parameter.join(map(re.escape, shape.split("{}")))


def _write_plain(segments: list[str], others: Iterable[list[str]]) -> str:
    """Return the expression for the paths that belong to a template in each of their readings.

    *others* are the segments of more concrete templates, with a slash at the end if these have one:
    some servers use these for a path that matches them in another case, or with the suffix.
    """
    end = "" if segments[-1] else "/"
    barred: dict[int, list[str]] = {}
    for other in others:
        pairs = enumerate(zip(other, segments, strict=True))
        place = next(at for at, (a, b) in pairs if a.lower() != b.lower())
        text = "/".join(other[place:]).removesuffix(end)
        barred.setdefault(place, []).append(_write(text, "[^/]+"))
    written = []
    for place, segment in enumerate(segments):
        bar = "|".join(barred.get(place, ()))
        bar = bar and rf"(?!(?i:{bar})(?:{re.escape(_SUFFIX)})?{end}\Z)"
        parameter = _PLAIN_SEGMENT if segment.startswith("{}") else _PLAIN
        written.append(bar + _write(segment, parameter))
    return "/".join(written)


def concrete_first(method: str, text: str) -> tuple[list[tuple[bool, int]], int, int, bool]:
    """Return a key that sorts `/things/mine` before `/things/{id}` (OpenAPI 3.1.1, 4.8.8.2).

    Of segments with parameters, the one with more text beside them comes first: `{id}.json` before
    `{id}`. A path with a query comes before the same path without it, or with less of it, and one
    with a fragment, which requests don't show, after it. HEAD comes before GET, which also answers
    HEAD.
    """
    path, query, is_path = _split(text)
    parts = _rank(_read_segments(path))
    values = sum(value != "" for _, value in query)
    return parts, -len(query) if query or is_path else 1, -values, method != "HEAD"


def _rank(segments: list[str]) -> list[tuple[bool, int]]:
    """Return a key that sorts more concrete segments before others."""
    return [
        (True, -len(segment.replace("{}", ""))) if "{}" in segment else (False, 0)
        for segment in segments
    ]


def methods_of(method: str) -> frozenset[str]:
    """Return the methods that an operation with *method* answers."""
    return frozenset({"GET", "HEAD"} if method == "GET" else {method})


def _remove_dots(path: str) -> str:
    """Return *path* without dot segments (RFC 3986, section 5.2.4)."""
    if "/." not in path:
        return path
    segments = path.split("/")
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[max(len(kept) - 1, 1) :]
        elif segment != ".":
            kept.append(segment)
    return "/".join([*kept, ""] if segments[-1] in (".", "..") else kept)


def _turn_last_slash(path: str) -> str:
    return path[:-1] if path.endswith("/") else f"{path}/"


# How servers may normalize a path before they look for a route, in this order.
# Unnecessarily encoded octets (RFC 3986, section 6.2.2.2) are decoded already.
_STEPS: Final[tuple[Callable[[str], str], ...]] = (
    # before a line break at the end, `$` matches, too; elsewhere, texts end at a null character
    lambda path: path.rstrip("\n\r\0\x85\u2028\u2029"),
    lambda path: path.replace(SLASH, "/"),
    lambda path: path.replace("\\", "/"),
    # parameters of a segment (RFC 3986, section 3.3)
    lambda path: re.sub(";[^/]*", "", path) if ";" in path else path,
    lambda path: re.sub("//+", "/", path) if "//" in path else path,
    _remove_dots,
    lambda path: path if _SUFFIX not in path else re.sub(r"\.json(?=/?\Z)", "", path),
    _turn_last_slash,
)


def read_path(path: str) -> list[str]:
    """Return the readings of *path* by servers that normalize it differently, itself first."""
    found = {path: None}
    for step in _STEPS:
        found |= dict.fromkeys(map(step, [*found]))
    return [*found]


class Paths(Generic[T, R]):
    """Finds rows by method and path; of several that match, the most concrete comes first.

    *make* is called once for the rows that are found, with a tuple of rows for each reading of the
    path that has any, and its result is returned. A path has one reading, unless some servers
    normalize it: then it has those of `read_path`, in the case in which it was sent and in any
    case. The path itself comes first.

    *spanning* are the places of parameters that may contain slashes, by path. A path that matches a
    template without them does not belong to one with them that matches all its paths: it would have
    none. With others, it has more readings.
    """

    def __init__(
        self,
        rows: Iterable[tuple[str, str, T]],
        make: Callable[[tuple[tuple[T, ...], ...]], R | None],
        spanning: Mapping[str, Collection[int]] | None = None,
    ) -> None:
        self._spanning: dict[str, list[tuple[PathTemplate, T]]] = {}
        self._templates: dict[T, PathTemplate] = {}
        listed: dict[tuple[str, int], list[tuple[PathTemplate, T]]] = {}
        for method, path, row in sorted(rows, key=lambda row: concrete_first(row[0], row[1])):
            template = self._templates[row] = PathTemplate(path)
            spans = (spanning or {}).get(path)
            for each in methods_of(method):
                found = listed.setdefault((each, len(template.segments) - 1), [])
                found.append((template, row))
                if spans:
                    others = self._spanning.setdefault(each, [])
                    others.append((PathTemplate(path, spans), row))
        self._make = cache(make)
        self._methods = {method for method, _ in listed}
        self._alternatives = {
            (method, count): _Alternatives(
                each,
                [
                    segments
                    for near in (count - 1, count + 1)
                    for template, _ in listed.get((method, near), ())
                    if len(segments := _turn_last_slash(template.shape).split("/")) == count + 1
                ],
                self._make,
                self._spanning.get(method, ()),
            )
            for (method, count), each in listed.items()
        }
        # each request that matches no operation comes here
        self._find_read = lru_cache(maxsize=256)(self._find_by_reading)

    def find(self, method: str, path: str) -> R | None:
        """Return the result for all rows that *method* and *path* may mean; None for none.

        *method* may be several, separated by blanks, if it is not known which one counts.
        """
        listed = self._alternatives.get((method, path.count("/")))
        if listed is not None:
            number = listed.exact.get(path)
            if number is None:
                # only the readings of a path tell what an encoded slash means
                is_plain = path.isascii() or SLASH not in path
                found = listed.match(path) if is_plain else None
                # the group says which row it was
                number = None if found is None else found.lastindex
            if number is not None and number in listed.shared:
                rows = listed.list_rows(path, number)
                return self._make((rows, *self._read_spanning(method, path, [rows])))
            if number is not None:
                row = listed.alone.get(number)
                return listed.make(path, number) if row is None else row
        return self._find_read(method, path)

    def _find_by_reading(self, methods: str, path: str) -> R | None:
        if len(re.split(rf"[/\\{SLASH}]", path)) > _MOST_SEGMENTS:
            # too many for all readings, so it matches no operation
            return self._make(())
        found: dict[tuple[T, ...], None] = {}
        readings = read_path(path)
        for method in dict.fromkeys(methods.upper().split()):
            # callers may name thousands
            for each in readings if method in self._methods else ():
                listed = self._alternatives.get((method, each.count("/")))
                rows = [] if listed is None else [*listed.read(each)]
                found |= dict.fromkeys(rows)
                found |= dict.fromkeys(self._read_spanning(method, each, rows))
        return self._make((*found,)) if found else None

    def _read_spanning(
        self, method: str, path: str, rows: list[tuple[T, ...]]
    ) -> Iterator[tuple[T, ...]]:
        """Yield what *path* matches because values may contain slashes, beside *rows*."""
        firsts = [self._templates[first] for first, *_ in rows]
        for template, row in self._spanning.get(method, ()):
            if template.match(path, ignores_case=True) is not None and not any(
                template.covers(each) for each in firsts
            ):
                yield (row,)


class _Alternatives(Generic[T, R]):
    """The rows whose paths have the same number of slashes: one expression matches them all.

    Rows have numbers: from 1 for those with parameters, below for the others, which come first.
    *beside* are the segments of other templates with a slash added at the end, or removed from it,
    where that makes them as long. *spanning* are the templates with values that contain slashes.
    """

    def __init__(
        self,
        rows: list[tuple[PathTemplate, T]],
        beside: list[list[str]],
        make: Callable[[tuple[tuple[T, ...], ...]], R | None],
        spanning: Iterable[tuple[PathTemplate, T]],
    ) -> None:
        self._rows = rows
        self._beside = beside
        self._make = make
        self._others: dict[int, list[tuple[PathTemplate, T]]] = {}
        self._first = sum(template.is_exact for template, _ in rows) - 1
        """the place of the row before number 1"""
        whole = [template.shape for template, _ in rows[: self._first + 1]]
        self.exact: Final = {text: at - self._first for at, text in reversed([*enumerate(whole)])}
        """the numbers of rows without parameters, by path"""
        self.match: Final = re.compile("|".join(self._write()) or "(?!)").fullmatch
        """matches paths without encoded slashes"""
        self.shared: Final = {
            at - self._first
            for at, (template, _) in enumerate(rows)
            if any(not each.covers(template) and each.may_share(template) for each, _ in spanning)
        }
        """the numbers of rows some of whose paths match one of *spanning*, too"""
        self.alone: Final[dict[int | None, R]] = {}
        """the results for rows that the path alone decides, by their number"""

    def _write(self) -> Iterator[str]:
        """Yield the expressions of the rows with parameters."""
        listed = [template.segments for template, _ in self._rows]
        ends = {bool(segments[-1]) for segments in listed}
        near = [segments for segments in self._beside if bool(segments[-1]) in ends]
        folded = [[each.lower() for each in segments] for segments in (*listed, *near)]
        beside = [*zip(near, folded[len(listed) :], strict=True)]
        for at, (template, _) in enumerate(self._rows):
            if not template.is_exact:
                rank = _rank(template.segments)
                others = (
                    segments
                    for segments, lower in (*zip(listed[:at], folded, strict=False), *beside)
                    if _may_be_taken(lower, folded[at]) and _rank(segments) <= rank
                )
                yield f"({_write_plain(template.segments, others)})"

    @cached_property
    def _matches_loosely(self) -> Callable[[str], re.Match[str] | None]:
        return re.compile(
            "|".join(_write(each.shape, "[^/]+") for each, _ in self._rows), re.IGNORECASE
        ).fullmatch

    def read(self, path: str) -> Iterator[tuple[T, ...]]:
        """Yield all rows that *path* matches: exactly, and for servers that ignore case.

        Of rows that differ only in case, the one that matches exactly counts.
        """
        if self._matches_loosely(path) is None:
            return
        rows = [each for each in self._rows if each[0].match(path, ignores_case=True) is not None]
        exact = [each for each in rows if each[0].match(path) is not None]
        if exact:
            yield tuple(row for _, row in exact)
        wanted = {template.shape for template, _ in exact}
        shapes: dict[str, dict[str, list[T]]] = {}
        for template, row in rows:
            cases = shapes.setdefault(template.shape.lower(), {})
            cases.setdefault(template.shape, []).append(row)
        ways = [
            [cases[shape] for shape in cases if shape in wanted] or [*cases.values()]
            for cases in shapes.values()
        ]
        for at in range(max(map(len, ways))):
            yield tuple(row for way in ways for row in way[min(at, len(way) - 1)])

    def make(self, path: str, number: int) -> R | None:
        """Return the result for all rows that *path* matches; *number* is that of the first."""
        at = self._first + number
        found = self._make((self.list_rows(path, number),))
        if found is not None and (self._rows[at][0].is_exact or not self._others[at]):
            self.alone[number] = found
        return found

    def list_rows(self, path: str, number: int) -> tuple[T, ...]:
        """Return all rows that *path* matches; *number* is that of the first."""
        at = self._first + number
        template, row = self._rows[at]
        if at not in self._others:
            behind = self._rows[at + 1 :]
            self._others[at] = [each for each in behind if _may_both_match(template, each[0])]
        return (row, *(each for other, each in self._others[at] if other.match(path) is not None))


def _may_both_match(one: PathTemplate, other: PathTemplate) -> bool:
    """Return whether a path may match both; they have the same number of slashes."""
    return _may_match(one.segments, other.segments)


def _may_be_taken(one: list[str], other: list[str]) -> bool:
    """Return whether a path for *other* may match *one* in another case; both are lower case."""
    return one != other and _may_match(one, other)


def _may_match(one: list[str], other: list[str]) -> bool:
    return bool(one[-1]) == bool(other[-1]) and all(
        a == b or "{}" in a or "{}" in b for a, b in zip(one, other, strict=True)
    )
