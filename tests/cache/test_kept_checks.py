"""What earlier checks found of published documents applies to these documents only."""

from __future__ import annotations

import dataclasses
from datetime import date
from operator import attrgetter
from typing import Any

from support.other_words import adopted_apis, with_words

from dateline.bundle import Document
from dateline.cache import Cache
from dateline.check import Published, check
from dateline.check.policy import PolicyRecord
from dateline.load import load
from dateline.model import Api, Combination
from dateline.render import render

TODAY = date(2026, 7, 1)


def add_field(api: Api) -> Api:
    """Return *api* with another optional field in each component."""

    def extend(schema: Any) -> Any:
        if not isinstance(schema, dict) or "properties" not in schema:
            return schema
        return {**schema, "properties": {**schema["properties"], "added_now": {"type": "string"}}}

    components = api.document["components"]
    schemas = {name: extend(schema) for name, schema in components["schemas"].items()}
    document = {**api.document, "components": {**components, "schemas": schemas}}
    edited = dataclasses.replace(api, document=document)
    return with_words(edited, str)


def publish(api: Api, cache: Cache) -> Published:
    """Return what *api* publishes, as it is checked and generated with *cache*."""
    check(api, Published(label=""), today=TODAY, cache=cache)
    made = render(api, models=False, changes=False, validate=False, cache=cache)
    contents = {artifact.path: artifact.content for artifact in made.artifacts}
    documents = {}
    for shown in filter(attrgetter("environment"), api.combinations):
        path = f"spec/{shown.environment}/{shown.version}.json"
        documents[shown] = Document(name=path, path=path, data=contents[path])
    record = PolicyRecord.of(api.table, ())
    return Published(label="", documents=documents, policy=record)


def swap(published: Published, one: Combination, other: Combination) -> Published:
    """Return *published* with the content of two documents exchanged."""
    documents = dict(published.documents)
    for here, there in ((one, other), (other, one)):
        content = published.documents[there].data
        documents[here] = dataclasses.replace(documents[here], data=content)
    return dataclasses.replace(published, documents=documents)


def test_cached_results_about_published_documents_belong_to_their_versions() -> None:
    withheld = swapped = 0
    for adopted in adopted_apis():
        cache = Cache(None)
        api = load(adopted.folder, cache=cache)
        published = publish(api, cache)
        oldest, *_, newest = published.documents
        exchanged = swap(published, oldest, newest)
        # without the older document, what a version withholds is not known to be published
        others = dict([*published.documents.items()][::2])
        unknown = dataclasses.replace(published, documents=others)
        edited = add_field(api)
        # a check of what is published stores that it is unchanged
        for each, compared in (
            (api, published),
            (api, exchanged),
            (edited, exchanged),
            (edited, published),
            (with_words(edited, str.upper), published),
            (edited, exchanged),
            (edited, unknown),
            (edited, published),
        ):
            found = check(each, compared, today=TODAY, cache=cache)
            plain = dataclasses.replace(each, document=dict(each.document))
            assert found == check(plain, compared, today=TODAY)
            swapped += compared is exchanged and bool(found)
            withheld += compared is unknown and bool(found)
    assert withheld
    assert swapped
