"""Edit one source; everything outside the edits stays byte for byte the same."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from dateline.model import Trail
from dateline.source.spans import spans
from dateline.source.splice.nodes import Child, New, Old
from dateline.source.splice.page import TextPage, header_of, last_of
from dateline.source.splice.splicing import find_splices
from dateline.source.writing import style_of

_BYTE_ORDER_MARK: Final = "\ufeff"


class EditableSource:
    """The text of a source that can be edited.

    Paths lead through the source as edited so far. *content* is a source that ``read`` accepts;
    *json* distinguishes JSON from YAML.
    """

    def __init__(self, content: bytes, *, json: bool = False) -> None:
        text = content.decode("utf-8")
        self._mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        text = text.removeprefix(_BYTE_ORDER_MARK)
        self._root = Old(spans(text, json=json))
        self._page = TextPage(text, style_of(text, self._root.span, json=json))
        self._break = "\r\n" if "\r\n" in text else "\n"

    def put(self, path: Trail, value: Any, at: int | None = None) -> None:
        """Set the mapping's key at the end of *path* to *value*.

        A new key becomes number *at* of the keys, by default the last one.
        """
        holder, key = self._holder(path), str(path[-1])
        if isinstance(holder, Old):
            children = self._children(holder)
            for child in children:
                if child.name == key:
                    child.node = New(deepcopy(value))
                    return
            children.insert(len(children) if at is None else at, Child(key, New(deepcopy(value))))
        elif key in holder or at is None:
            holder[key] = value
        else:
            entries = list(holder.items())
            entries.insert(at, (key, value))
            holder.clear()
            holder.update(entries)

    def insert(self, path: Trail, value: Any) -> None:
        """Insert *value* into a list, before the item at *path*; an index past the end appends."""
        holder, index = self._holder(path), int(path[-1])
        if isinstance(holder, Old):
            self._children(holder).insert(index, Child("", New(deepcopy(value))))
        else:
            holder.insert(index, value)

    def replace(self, path: Trail, value: Any) -> None:
        """Replace the value at *path* by *value*."""
        holder = self._holder(path)
        if isinstance(holder, Old):
            self._child(holder, path[-1]).node = New(deepcopy(value))
        else:
            holder[path[-1]] = value

    def remove(self, path: Trail) -> None:
        """Remove the key or item at *path*."""
        holder = self._holder(path)
        if isinstance(holder, Old):
            self._children(holder).remove(self._child(holder, path[-1]))
        else:
            del holder[path[-1]]

    def rename(self, path: Trail, name: str) -> None:
        """Rename the key at the end of *path*; it keeps its place and its value."""
        holder = self._holder(path)
        if isinstance(holder, Old):
            self._child(holder, path[-1]).name = name
        else:
            entries = [(name if key == path[-1] else key, value) for key, value in holder.items()]
            holder.clear()
            holder.update(entries)

    def is_empty(self, path: Trail) -> bool:
        """Return whether the collection at *path* is empty."""
        holder = self._holder((*path, ""))
        return not (self._children(holder) if isinstance(holder, Old) else holder)

    def has(self, path: Trail) -> bool:
        """Return whether *path* leads to something."""
        try:
            self._holder((*path, ""))
        except (LookupError, TypeError, StopIteration):
            return False
        return True

    def content(self) -> bytes:
        """Return the text with all edits applied."""
        parts = []
        done = 0
        changes = find_splices(self._page, self._root)
        for splice in sorted(changes, key=lambda splice: (splice.start, splice.end)):
            if splice.on_what_stays and splice.start < done:
                continue
            added = splice.text.replace("\n", self._break)
            parts += [self._page.text[done : splice.start], added]
            done = max(done, splice.end)
        parts.append(self._page.text[done:])
        text = "".join(parts)
        unended = done == len(self._page.text) and not self._page.text.endswith("\n")
        if unended and self._needs_line_end(text):
            text += self._break
        return (self._mark + text).encode()

    def _needs_line_end(self, text: str) -> bool:
        """Return whether *text* ends with block text that must keep its line end."""
        last = last_of(spans(text, json=self._page.style.json))
        return last.style in ("|", ">") and "-" not in header_of(text, last)

    # Find nodes

    def _holder(self, path: Trail) -> Any:
        """Return the holder of the end of *path*: a node of the text, or a new dict or list."""
        node: Any = self._root
        for step in path[:-1]:
            node = self._child(node, step).node if isinstance(node, Old) else node[step]
            if isinstance(node, New):
                node = node.value
        return node

    def _child(self, old: Old, step: str | int) -> Child:
        children = self._children(old)
        if isinstance(step, int):
            return children[step]
        return next(child for child in children if child.name == step)

    @staticmethod
    def _children(old: Old) -> list[Child]:
        if not old.opened:
            old.opened = True
            names = old.span.names or [""] * len(old.span.below)
            old.children = [
                Child(name, Old(below), number)
                for number, (name, below) in enumerate(zip(names, old.span.below, strict=True))
            ]
        return old.children
