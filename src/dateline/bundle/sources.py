"""Read third-party JSON and YAML files, with the position of every node."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Protocol

from dateline.model import WAS, Place, Problem
from dateline.source.reader import (
    ADOPTED,
    JsonReader,
    JsonText,
    Locator,
    Log,
    StoppedError,
    YamlText,
    decode,
    read_content,
    text_of,
)
from dateline.source.reader.json_document import JsonDocument


class Files(Protocol):
    """The files of a folder, on disk or in a commit."""

    def content(self, name: str) -> bytes:
        """Return what the file *name* holds, a path from the folder with forward slashes.

        Raises UnreadableFileError where there is no such file, and where it can't be read.
        """


class Readings:
    """What is read together: what a document has in common with the one before is read once."""

    def __init__(self) -> None:
        self.last: JsonText | YamlText | None = None


@dataclass(frozen=True)
class SourceFile:
    """A file that was read: its name for people, what it holds, and where that is."""

    name: str
    root: dict[str, Any]
    locate: Callable[..., Place]
    text: str | None = None
    """The text of a file whose objects need not be walked to know what it refers to."""


def read_source(
    content: bytes, name: str, problems: list[Problem], readings: Readings | None
) -> SourceFile | None:
    """Return what a file called *name* holds whose bytes are *content*.

    It is JSON if its name ends in `.json`, else YAML; in UTF-8, with or without a byte order
    mark. Parts that have the same text in what was read before in the same *readings* are the
    same objects; without readings, JSON has to be what sources may hold: invisible characters
    are refused. Never raises for bad input: None is returned, and
    *problems* holds what is wrong.
    """
    found: list[Problem] = []
    source: SourceFile | None = None
    if readings is not None:
        with suppress(StoppedError):
            source = _read_with_others(content, name, Log(name, found), readings)
    elif (document := read_content(content, name, adopted=True, problems=found)) is not None:
        text = document.text.text if isinstance(document, JsonDocument) else None
        source = SourceFile(name, document, Locator([document]).locate, text)
    problems += found
    return None if found else source


def _read_with_others(content: bytes, name: str, log: Log, readings: Readings) -> SourceFile:
    """Return a file that shares what it can with the last of *readings*.

    Raises StoppedError where it can't be read.
    """
    last = readings.last
    if name.lower().endswith(".json"):
        reader = JsonReader(decode(content, log), ADOPTED, log)
        root, json = reader.read_foreign(last if isinstance(last, JsonText) else None)
        readings.last = json
        return SourceFile(name, root, json.find, json.text)
    yaml = YamlText(name, text_of(content, log))
    root = yaml.read(log, last if isinstance(last, YamlText) else None)
    readings.last = yaml
    return SourceFile(name, root, yaml.find, yaml.text)


def may_refer_to_files(source: SourceFile) -> bool:
    """Return whether *source* may hold an address of another file.

    Most documents are one file: to know that, their text need not be walked.
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
    """Return whether *root* may hold an address of another file."""
    pending = [(root, False)]
    while pending:
        node, was = pending.pop()
        if isinstance(node, list):
            pending += [(child, was) for child in node]
        elif isinstance(node, dict):
            # what was no reference before is null in a history
            said = (
                node[key] for key in _REFERENCES if key in node and not (was and node[key] is None)
            )
            if not all(map(_is_local, said)):
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
# ASCII letters and signs as escapes, behind which one of our keys may hide. An address that
# begins with an escape is not taken for a local one.
_ESCAPED_KEY: Final = re.compile(r'\\u00[2-7](?:[^"\\]|\\.){0,128}+"\s*:')
# A key that holds a reference, which does not begin with `#`. Most keys end otherwise.
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
