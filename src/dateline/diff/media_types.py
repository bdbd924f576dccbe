"""Find the entry of a body's content that describes a media type without its own entry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from dateline.schema.references import Located

Entries = Mapping[str, Located]
"""Descriptions of bodies by media type or range of media types, folded."""

# Media types of contents that nothing else can be taken for: the same text may be JSON or plain.
_FILES: Final = re.compile(r"(image|audio|video|font)/|application/(octet-stream|pdf|zip|gzip)$")


def fold_names(names: Iterable[str], fold: Callable[[str], str]) -> dict[str, str]:
    """Return *names* by their folded forms.

    Names that *fold* makes equal, which no document may have, keep their own forms.
    """
    folded = {name: fold(name) for name in names}
    times = Counter(folded.values())
    return {known if times[known] == 1 else name: name for name, known in folded.items()}


def fold_media_type(name: str) -> str:
    """Return a media type in lower case and without blanks.

    The values of its parameters are left as they are, except `charset`: whether case counts there
    depends on the parameter (RFC 9110, section 8.3.1).
    """
    essence, *parameters = name.split(";")
    return ";".join((essence.strip().lower(), *map(_fold_parameter, parameters)))


def _fold_parameter(parameter: str) -> str:
    key, equals, value = (part.strip() for part in parameter.partition("="))
    return f"{key.lower()}{equals}{value.lower() if key.lower() == 'charset' else value}"


def find_range(media_type: str, content: Entries) -> Located | None:
    """Return the entry of the narrowest range that contains *media_type*, or None.

    A media type with a parameter is in the range of the one without (OpenAPI 3.1.1, section 4.8.14;
    RFC 9110, section 12.5.1).
    """
    essence = media_type.partition(";")[0]
    ranges = (essence, f"{essence.partition('/')[0]}/*", "*/*")
    return next((content[each] for each in ranges if each != media_type and each in content), None)


def list_more_types(before: Any, after: Any) -> bool:
    """Return whether the `contentType` *after* lists types of files beside all those of *before*.

    A range that contains a type lists it, too.
    """
    if not (isinstance(before, str) and isinstance(after, str)) or '"' in before + after:
        return False
    ours, theirs = (
        {fold_media_type(each): Located(each, "") for each in side.split(",")}
        for side in (before, after)
    )
    is_kept = all(each in theirs or find_range(each, theirs) for each in ours)
    return is_kept and all(each in ours or _FILES.match(each) for each in theirs)
