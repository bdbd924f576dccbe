"""Changes of unions, enums, types and references that need a new version."""

from __future__ import annotations

from dateline.model import EXTENSIBLE, Change, Kind
from dateline.rules.predicates import KEYWORD, READ, SENT
from dateline.rules.rule import gated

_UNION = frozenset({"discriminator", "mapping", "defaultMapping", "oneOf", "anyOf"})


@gated
def variant_added(change: Change) -> bool:
    """A union that callers read gains no variant.

    Their code handles the variants they know, and no other.

    Give the variant `x-added: next` (`dateline gate` writes it), and `x-shown-as` where it can't
    be left out.

    Callers: Be ready for the new variant wherever you read the union.
    Breaks readers: code that handles only the variants it knows.

    In a response, before:
        Item: {oneOf: [{$ref: '#/components/schemas/Book'}, {$ref: '#/components/schemas/Map'}]}
        Book: {type: object, required: [pages], properties: {pages: {type: integer}}}
        Map: {type: object, required: [scale], properties: {scale: {type: string}}}
        Disc: {type: object, required: [minutes], properties: {minutes: {type: integer}}}
    After:
        Item:
          oneOf:
            - {$ref: '#/components/schemas/Book'}
            - {$ref: '#/components/schemas/Map'}
            - {$ref: '#/components/schemas/Disc'}
        Book: {type: object, required: [pages], properties: {pages: {type: integer}}}
        Map: {type: object, required: [scale], properties: {scale: {type: string}}}
        Disc: {type: object, required: [minutes], properties: {minutes: {type: integer}}}
    """
    return change.kind is Kind.VARIANT_ADDED and change.direction in READ


@gated
def variant_removed(change: Change) -> bool:
    """A union that callers write keeps its variants.

    Callers send the removed one, and would be refused.

    Put it back, with `x-removed: next`, and `x-shown-as` if a response can't leave it out.

    Callers: Stop sending the variant: it is no longer accepted.
    Breaks senders: code that sends the variant.

    In a request, before:
        Payout: {oneOf: [{$ref: '#/components/schemas/Iban'}, {$ref: '#/components/schemas/Wire'}]}
        Iban: {type: object, required: [iban], properties: {iban: {type: string}}}
        Wire: {type: object, required: [routing], properties: {routing: {type: string}}}
    After:
        Payout: {oneOf: [{$ref: '#/components/schemas/Iban'}]}
        Iban: {type: object, required: [iban], properties: {iban: {type: string}}}
        Wire: {type: object, required: [routing], properties: {routing: {type: string}}}
    """
    return change.kind is Kind.VARIANT_REMOVED and change.direction in SENT


@gated
def union_changed(change: Change) -> bool:
    """A union stays a union, distinguished by the same property and the same tags.

    Callers select the variant by them, and read a value that is not a union with other code.

    Restore the old discriminator, or keep it for older versions: `x-was: {next: {discriminator:
    …}}`, with `x-was: {next: {name: old}}` on the property that holds the tag if it has another
    name. A tag without a mapping is the name of a component: keep that name.

    Callers: Check how you distinguish the variants of the union.
    Breaks: code that distinguishes the variants of the union.

    In a response, before:
        Item:
          oneOf: [{$ref: '#/components/schemas/Book'}, {$ref: '#/components/schemas/Map'}]
          discriminator: {propertyName: kind}
        Book: {type: object, properties: {kind: {type: string}, pages: {type: integer}}}
        Map: {type: object, properties: {kind: {type: string}, scale: {type: string}}}
    After:
        Item:
          oneOf: [{$ref: '#/components/schemas/Book'}, {$ref: '#/components/schemas/Map'}]
          discriminator: {propertyName: type}
        Book: {type: object, properties: {kind: {type: string}, pages: {type: integer}}}
        Map: {type: object, properties: {kind: {type: string}, scale: {type: string}}}
    """
    return change.kind in KEYWORD and change.keyword in _UNION


@gated
def value_added(change: Change) -> bool:
    """An enum that callers read gains no value.

    Their code handles the values they know, and no other.

    Give the value `x-added: next` (`dateline gate` writes it), and `x-shown-as` where it can't be
    left out. To allow new values in all versions, document the field with `x-extensible-enum` in
    place of `enum`, from a new version on.

    Callers: Be ready for the new value wherever you read the field.
    Breaks readers: code that handles only the values it knows.

    In a response, before:
        State: {type: string, enum: [active, returned]}
    After:
        State: {type: string, enum: [active, paused, returned]}
    """
    return change.kind is Kind.VALUE_ADDED and change.direction in READ


@gated
def value_removed(change: Change) -> bool:
    """An enum that callers write keeps its values.

    Callers send the removed one, and would be refused.

    Put it back, with `x-removed: next`, and `x-shown-as` if a response can't leave it out.

    Callers: Stop sending the value: it is no longer accepted.
    Breaks senders: code that sends the value.

    In a request, before:
        State: {type: string, enum: [active, paused, returned]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    return change.kind is Kind.VALUE_REMOVED and change.direction in SENT


@gated
def open_value_removed(change: Change) -> bool:
    """An open-ended field keeps the values that are documented, and stays open-ended.

    Callers have code for them, and for values that they don't know.

    Put the value back, or keep the old list for older versions:
    `x-was: {next: {x-extensible-enum: […]}}`.

    Callers: Stop relying on the value.
    Breaks: code that relies on the value.

    In a response, before:
        Channel: {type: string, x-extensible-enum: [desk, app]}
    After:
        Channel: {type: string, x-extensible-enum: [desk]}
    """
    listed = change.kind in KEYWORD and change.keyword == EXTENSIBLE
    return change.kind is Kind.OPEN_VALUE_REMOVED or listed


@gated
def type_added(change: Change) -> bool:
    """A value that callers read keeps its types, null included.

    They read it as the type it always had.

    Put the old type back, or keep it for older versions: `x-was: {next: {type: old}}`.

    Callers: Be ready for values of the new type.
    Breaks readers: code that reads the value as one of its old types.

    In a response, before:
        Loan: {type: object, properties: {due: {type: string}}}
    After:
        Loan: {type: object, properties: {due: {type: [string, 'null']}}}
    """
    return change.kind is Kind.TYPE_ADDED and change.direction in READ


@gated
def type_removed(change: Change) -> bool:
    """A value that callers write keeps its types, null included.

    Callers send values of the removed type, and would be refused.

    Put the old type back, or keep it for older versions: `x-was: {next: {type: old}}`.

    Callers: Stop sending values of that type.
    Breaks senders: code that sends values of that type.

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: [string, 'null']}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string}}}
    """
    return change.kind is Kind.TYPE_REMOVED and change.direction in SENT


@gated
def type_changed(change: Change) -> bool:
    """A value keeps its type.

    No caller can read or write the other one.

    Put the old type back, or keep it for older versions: `x-was: {next: {type: old}}`. A new
    field beside the old one needs no version.

    Callers: Read and send the value with its new type.
    Breaks: code that reads or sends the value with its old type.

    In a response, before:
        Loan: {type: object, properties: {fine: {type: integer}}}
    After:
        Loan: {type: object, properties: {fine: {type: string}}}
    """
    return change.kind in KEYWORD and change.keyword == "type"


@gated
def constant_changed(change: Change) -> bool:
    """A constant keeps its value.

    Callers compare with it, or send it.

    Put the old value back, or keep it for older versions: `x-was: {next: {const: old}}`.

    Callers: Expect and send the new value.
    Breaks: code that expects or sends the old value.

    In a response, before:
        Book: {type: object, properties: {kind: {const: book}}}
    After:
        Book: {type: object, properties: {kind: {const: volume}}}
    """
    return change.kind is Kind.KEYWORD_CHANGED and change.keyword == "const"


@gated
def reference_switched(change: Change) -> bool:
    """A reference keeps its meaning, whichever component it leads to.

    The other component differs in more than an additive change does; callers notice that, not
    its name.

    Refer to the old component again, or keep it for older versions:
    `x-was: {next: {$ref: '#/components/schemas/Old'}}`.

    Callers: Compare the old schema with the new one, and adapt your models.
    Breaks: code that relies on the old schema.

    In a response, before:
        Loan: {type: object, properties: {item: {$ref: '#/components/schemas/Book'}}}
        Book: {type: object, properties: {pages: {type: integer}}}
        Disc: {type: object, properties: {minutes: {type: integer}}}
    After:
        Loan: {type: object, properties: {item: {$ref: '#/components/schemas/Disc'}}}
        Book: {type: object, properties: {pages: {type: integer}}}
        Disc: {type: object, properties: {minutes: {type: integer}}}
    """
    return change.kind in KEYWORD and change.keyword in ("$ref", "allOf")
