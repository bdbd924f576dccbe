"""Read third-party JSON and YAML files, with the position of every node."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

from dateline.model import WAS, Place, Problem
from dateline.source.reader import (
    ADOPTED,
    JsonReader,
    JsonText,
    Locator,
    Log,
    StoppedError,
    YamlReader,
    YamlText,
    published_text,
    refuse_conflicts,
    yaml_of,
)


class Files(Protocol):
    """The files of a folder, on disk or in a commit."""

    def content(self, name: str) -> bytes:
        """Return the content of the file *name*, a path from the folder with forward slashes.

        Raises UnreadableFileError if there is no such file, or if it can't be read.
        """


class Readings:
    """Documents that are read together: what each shares with the previous one is read once."""

    def __init__(self) -> None:
        self.last: JsonText | YamlText | None = None


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its name in messages, its content, and the positions in it.

    The content is a mapping, or a list if the file is part of a document.
    """

    name: str
    root: Any
    locate: Callable[..., Place]
    text: str | None = None
    """The text of a file, if its references can be found without walking its objects."""
    notes: tuple[Problem, ...] = ()
    """Where it says something twice."""


def read_source(
    content: bytes,
    name: str,
    problems: list[Problem],
    readings: Readings | None,
    *,
    part: bool = False,
) -> SourceFile | None:
    """Return the file called *name* in messages with the bytes *content*.

    It is JSON if its name ends in `.json`, or if its text is; else YAML. It may be in UTF-8, UTF-16
    or UTF-32, with or without a byte order mark. Parts with the same text as in the previous
    document of the same *readings* are the same objects; without readings, mappings know their
    places. A file that is *part* of a document may contain a list. Never raises for bad input: the
    result is None, and the problems are appended to *problems*.
    """
    found: list[Problem] = []
    source: SourceFile | None = None
    with suppress(StoppedError):
        log = Log(name, found)
        text = published_text(content, log)
        refuse_conflicts(text, log)
        source = _read_as_json(text, name, found, readings, part=part)
        if source is None and not found:
            source = _read_as_yaml(yaml_of(text, log), log, readings, part=part)
    problems += found
    return None if found else source


def _read_as_json(
    text: str, name: str, problems: list[Problem], readings: Readings | None, *, part: bool
) -> SourceFile | None:
    """Return a file that is JSON; None if it is called YAML and is no JSON."""
    is_named = name.lower().endswith(".json")
    begin = text.lstrip()[:1]
    if not is_named and begin != "{" and not (part and begin == "["):
        return None
    found: list[Problem] = []
    source: SourceFile | None = None
    with suppress(StoppedError):
        reader = JsonReader(text, ADOPTED, Log(name, found), published=True, part=part)
        if readings is None and begin != "[":
            document = reader.read()
            source = SourceFile(name, document, Locator([document]).locate, text)
        else:
            last = readings.last if readings else None
            root, json = reader.read_foreign(last if isinstance(last, JsonText) else None)
            if readings:
                readings.last = json
            source = SourceFile(name, root, json.find, text)
        source = replace(source, notes=tuple(reader.notes))
    if is_named:
        problems += found
    return None if found else source


def _read_as_yaml(text: str, log: Log, readings: Readings | None, *, part: bool) -> SourceFile:
    """Return a file that is YAML. Raises StoppedError if it can't be read."""
    if readings is None:
        reader = YamlReader(text, ADOPTED, True, log, published=True)
        document = reader.read_part() if part else reader.read()
        locate = Locator([document]).locate
        return SourceFile(log.file, document, locate, notes=tuple(reader.notes))
    last = readings.last
    yaml = YamlText(log.file, text, part=part)
    root = yaml.read(log, last if isinstance(last, YamlText) else None)
    readings.last = yaml
    searched = None if yaml.has_anchors else text
    return SourceFile(log.file, root, yaml.find, searched, tuple(yaml.notes))


def may_refer_to_files(source: SourceFile) -> bool:
    """Return whether *source* may have an address of another file.

    Most documents are one file: to find that out, their text need not be walked.
    """
    text = source.text
    if text is None:
        return refers_to_files(source.root)
    if not source.name.lower().endswith(".json"):
        suspicious = (_ESCAPED_YAML_KEY, _ELSEWHERE_IN_YAML, _MAPPING_IN_YAML)
        is_suspicious = "defaultMapping" in text or any(one.search(text) for one in suspicious)
        return is_suspicious and refers_to_files(source.root)
    if _ESCAPED_KEY.search(text) or _ELSEWHERE.search(text) or '"defaultMapping"' in text:
        return True
    mappings = _MAPPING.findall(text)
    return len(mappings) != len(_MAPPING_KEY.findall(text)) or any(
        not value.startswith("#") and not _NAME.fullmatch(value)
        for mapping in mappings
        for value in _VALUE.findall(mapping)
    )


def refers_to_files(root: Any) -> bool:
    """Return whether *root* may have an address of another file."""
    pending = [(root, False)]
    while pending:
        node, was = pending.pop()
        if isinstance(node, list):
            pending += [(child, was) for child in node]
        elif isinstance(node, dict):
            # a key that was no reference before is null in a history
            reference = (
                node[key] for key in _REFERENCES if key in node and not (was and node[key] is None)
            )
            if not all(map(_is_local, reference)):
                return True
            mapping = node.get("mapping")
            values = [*mapping.values()] if isinstance(mapping, dict) else []
            values += [node[key] for key in ("defaultMapping",) if key in node]
            if any(not _is_local(value) and not _NAME.fullmatch(str(value)) for value in values):
                return True
            pending += [(child, was or key == WAS) for key, child in node.items()]
    return False


def _is_local(reference: Any) -> bool:
    return isinstance(reference, str) and reference.startswith("#")


_REFERENCES: Final = ("$ref", "$dynamicRef", "operationRef")
# ASCII letters and signs as escapes, which may hide one of our keys. An address that begins with an
# escape is not taken for a local one.
_ESCAPED_KEY: Final = re.compile(r'\\u00[2-7](?:[^"\\]|\\.){0,128}+"\s*:')
# A key with a reference that does not begin with `#`. Most keys end differently.
_ELSEWHERE: Final = re.compile(
    r'ef"(?:(?<="\$ref")|(?<="\$dynamicRef")|(?<="operationRef"))(?!\s*:\s*"#)'
)
# The same in YAML, where an unquoted `#` begins a comment.
_ESCAPED_YAML_KEY: Final = re.compile(r'\\[xuU](?:[^"\\\n]|\\.)*+"\s*:')
_ELSEWHERE_IN_YAML: Final = re.compile(
    r"ef(?:(?<=\$ref)|(?<=\$dynamicRef)|(?<=operationRef))['\"]?\s*:(?!\s*['\"]#)"
)
_MAPPING_IN_YAML: Final = re.compile(r"mapping['\"]?\s*:")
_MAPPING_KEY: Final = re.compile(r'"mapping"\s*:')
_MAPPING: Final = re.compile(r'"mapping"\s*:\s*\{([^{}]*)\}')
_VALUE: Final = re.compile(r':\s*"((?:[^"\\]|\\.)*)"')
_NAME: Final = re.compile(r"[\w-]*")
