"""What earlier checks found in the same definitions and the same published documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from dateline.bundle import Document
from dateline.cache import Cache
from dateline.check.baseline import Published
from dateline.load.meaning import find_origin
from dateline.model import Api, Combination, Finding, Policy, Table


class EarlierChecks:
    """The results of comparing *api* and *published*, as far as the *cache* has them.

    *table* is that of *api* with the policy that applies.
    """

    def __init__(self, api: Api, table: Table, published: Published, cache: Cache) -> None:
        self._api = api
        self._table = table
        self._published = published
        self._cache = cache

    def recall(self, policy: Policy, find: Callable[[], Iterator[Finding]]) -> list[Finding]:
        """Return what *find* yields, which is nothing if it yielded nothing earlier.

        Findings are not kept: they have places.
        """
        inputs = self._inputs
        key = None if inputs is None else self._cache.key("no findings", policy.value, inputs)
        if key is not None and self._cache.get(key) is not None:
            return []
        found = list(find())
        if key is not None and not found:
            self._cache.put(key, b"")
        return found

    def note_causes(self, older: str, newer: Combination, causes: Iterable[str]) -> None:
        """Store the *causes* of all differences between two versions of the definitions.

        Once these are published, they are those of the differences between the documents.
        """
        table, meaning = self._api.table, self._api.meaning
        if meaning is not None:
            key = self._name_causes(older, newer, meaning, table.selector, table.oddities)
            self._cache.put(key, json.dumps([*dict.fromkeys(causes)]).encode())

    def recall_causes(
        self, older: str, newer: Combination, before: Document, after: Document
    ) -> list[str] | None:
        """Return what was stored of the definitions from which both documents were generated."""
        both = {find_origin(self._cache, one.path, one.data) for one in (before, after)}
        origin, record = both.pop(), self._published.policy
        if both or origin is None or record is None:
            return None
        key = self._name_causes(older, newer, origin.meaning, record.header, record.oddities)
        return None if (known := self._cache.get(key)) is None else json.loads(known)

    def _name_causes(
        self, older: str, newer: Combination, meaning: bytes, header: str, oddities: bool
    ) -> bytes:
        """Return a cache key; *header* and *oddities* determine how contracts are published."""
        return self._cache.key("causes", meaning, older, *newer, header, repr(oddities))

    @cached_property
    def _inputs(self) -> bytes | None:
        """The cache key of all that is compared, words included; None if that is not known."""
        api, published = self._api, self._published
        words = getattr(api.document, "words", None)
        if api.meaning is None or words is None or published.elsewhere:
            return None
        texts: list[str | bytes] = []
        for shown, document in published.documents.items():
            if not self._is_alone(document):
                return None
            texts += [repr((shown, document.name)), document.data]
        policy = "" if published.policy is None else published.policy.text()
        return self._cache.key("inputs", api.meaning, *words, repr(self._table), policy, *texts)

    def _is_alone(self, document: Document) -> bool:
        """Return whether *document* refers to no other file; generated ones need not be read."""
        origin = find_origin(self._cache, document.path, document.data)
        return origin is not None or document.is_alone
