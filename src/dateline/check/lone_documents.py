"""Which version a published document has that was named alone, without those of others."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePath

from dateline.check.baseline import BaselineError, Published
from dateline.model import EVERYWHERE, Api, Combination
from dateline.project import Projector
from dateline.versions import name_pattern, order


def is_alone(published: Published) -> bool:
    """Return whether *published* is one document, so that nothing is known of other versions."""
    return published.environments == (EVERYWHERE,)


def is_unknown(published: Published, version: str) -> bool:
    """Return whether *version* may be published too, being older than the only document known."""
    return is_alone(published) and order(version) < order(published.versions[-1])


def assign_version(published: Published, api: Api) -> Published:
    """Return *published*; a document that was named alone has a version of the table of *api*.

    The documents of frameworks have a release in `info.version`. Then the name of the file decides,
    or the only version whose document has this release. A version of the form of the table that the
    table lacks remains: it was withdrawn. Raises BaselineError if it is unclear which one it is.
    """
    if not is_alone(published):
        return published
    ((given, document),) = published.documents.items()
    release, dates = given.version, api.table.dates
    if release in dates:
        return published
    stem = PurePath(document.name).stem
    cut = [version.date for version in api.table.versions if not version.draft]
    named = [date for date in cut if release and release in _list_releases(api, date)]
    if re.fullmatch(name_pattern(api.table.form), release):
        if len(named) != 1:
            return published
    elif stem in dates:
        named = [stem]
    if len(named) != 1:
        those = f", and the documents of {' and '.join(named)} have it" if named else ""
        example = f"{(named or dates)[-1]}{PurePath(document.name).suffix or '.json'}"
        raise BaselineError(
            f"{document.name}:1:1: baseline-version-unknown: its `info.version`, {release!r}, is "
            f"not in the version table{those}; name the file after its version, such as {example}"
        )
    return replace(published, documents={Combination(named[0], EVERYWHERE): document})


def _list_releases(api: Api, version: str) -> set[str]:
    """Return the `info.version` of the documents of *version*."""
    projector = api.derive(Projector)
    shown = [projector.contract(*each) for each in api.combinations if each.version == version]
    infos = [contract.document.get("info") for contract in shown]
    return {str(info.get("version", "")) for info in infos if isinstance(info, dict)}
