"""What needs a new version, by name. What has no name here needs one too, as `unjudged-change`."""

from __future__ import annotations

from dateline.model import EXTENSIBLE, Change, Direction, Kind
from dateline.rules.law import gated
from dateline.rules.reading import (
    ANSWERED,
    ASKED,
    KEYWORD,
    SHOWN,
    Extent,
    extent,
    in_parameters,
    is_call,
    is_flag,
    is_required,
)

# How a value is written down, where no schema says it.
_WRITTEN = frozenset(
    {
        *("style", "explode", "allowReserved", "allowEmptyValue", "schema", "content"),
        *("encoding", "contentType", "contentEncoding", "contentMediaType", "contentSchema"),
        *("xml", "name", "namespace", "prefix", "attribute", "wrapped"),
    }
)
_ACCESS = frozenset({"readOnly", "writeOnly"})
_CLOSING = frozenset({"additionalProperties", "unevaluatedProperties"})
_UNION = frozenset({"discriminator", "mapping", "oneOf", "anyOf"})


# Operations and what surrounds them


@gated
def operation_id_changed(change: Change) -> bool:
    """An operation keeps its operationId.

    Generated clients name their methods after it.

    Put the old one back, or keep it for older versions: `x-was: {next: {operationId: old}}`.

    In an operation, before:
        operationId: listLoans
        responses: {'200': {description: loans}}
    After:
        operationId: getLoans
        responses: {'200': {description: loans}}
    """
    return change.kind in KEYWORD and change.keyword == "operationId"


@gated
def webhook_added(change: Change) -> bool:
    """A new webhook or callback waits for a new version.

    It calls callers, who may have nothing that answers it yet.

    Give it `x-added: next`.

    In a document, before:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
    After:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
          loanLost: {post: {responses: {'204': {description: received}}}}
    """
    return change.kind is Kind.OPERATION_ADDED


@gated
def webhook_removed(change: Change) -> bool:
    """A webhook or callback stays.

    Callers wait for it to tell them something.

    Put it back with `x-removed: next`.

    In a document, before:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
          loanLost: {post: {responses: {'204': {description: received}}}}
    After:
        paths: {}
        webhooks:
          loanDue: {post: {responses: {'204': {description: received}}}}
    """
    return change.kind is Kind.OPERATION_REMOVED and not is_call(change)


@gated
def security_changed(change: Change) -> bool:
    """An operation demands the same credentials as before.

    Callers that send what was enough until now are turned away; those who need less now keep
    sending a secret that nobody asks for.

    Put the old demand back, or keep it for older versions with `x-was: {next: {security: …}}`.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        security: [{Key: []}]
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.SECURITY_CHANGED


@gated
def servers_changed(change: Change) -> bool:
    """An API keeps its addresses.

    Callers have written them down.

    Put the old address back; a new one waits for a new version.

    In a document, before:
        servers: [{url: 'https://api.library.example'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    After:
        servers: [{url: 'https://library.example/api'}]
        paths: {/loans: {get: {responses: {'200': {description: loans}}}}}
    """
    return change.kind is Kind.SERVERS_CHANGED


@gated
def link_changed(change: Change) -> bool:
    """A response keeps its links to other operations.

    Generated clients follow them by name.

    Put the old link back, or gate what has changed.

    In an operation, before:
        responses: {'200': {description: loans, links: {next: {operationId: listLoans}}}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.LINK_CHANGED


# Parameters


@gated
def required_parameter_added(change: Change) -> bool:
    """A request needs no parameter that it did not need before.

    Callers of older versions don't send it, and each of their requests would be refused.

    Make it optional, or give it `x-added: next` and a `default` for those who don't send it.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: branch, in: query, required: true, schema: {type: string}}]
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.PARAMETER_ADDED


@gated
def parameter_removed(change: Change) -> bool:
    """A parameter stays.

    Callers send it and count on what it does; passed over in silence it would give them another
    answer than they asked for.

    Put it back, with `x-removed: next` if newer versions do without it.

    In an operation, before:
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.PARAMETER_REMOVED


@gated
def parameter_renamed(change: Change) -> bool:
    """A parameter keeps its name.

    Callers send it by that name; generated clients name an argument after it, even where only
    the path template shows it.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    In a document, before:
        paths:
          /loans/{id}:
            parameters: [{name: id, in: path, required: true, schema: {type: string}}]
            get: {responses: {'200': {description: a loan}}}
    After:
        paths:
          /loans/{loan}:
            parameters: [{name: loan, in: path, required: true, schema: {type: string}}]
            get: {responses: {'200': {description: a loan}}}
    """
    return change.kind is Kind.PARAMETER_RENAMED


@gated
def parameter_required(change: Change) -> bool:
    """An optional parameter stays optional.

    Callers that leave it out are refused from one day to the next.

    Keep it optional, or keep that for older versions: `x-was: {next: {required: false}}`, and a
    `default` for those who don't send it.

    In an operation, before:
        parameters: [{name: page, in: query, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: page, in: query, required: true, schema: {type: integer}}]
        responses: {'200': {description: loans}}
    """
    return is_flag(change) and in_parameters(change)


@gated
def parameter_value_added(change: Change) -> bool:
    """A parameter's enum gains no value.

    Clients generated from an older version can't send it, so the value is a new request shape.

    Give the value `x-added: next`, or drop the enum's claim to be complete for good by
    documenting it as `x-extensible-enum` in a new version.

    In a parameter, before:
        State: {type: string, enum: [active]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    return change.kind is Kind.VALUE_ADDED and in_parameters(change)


# Bodies, media types, responses and headers


@gated
def body_added(change: Change) -> bool:
    """A request that had no body gets none.

    Any change of what a request holds is a new contract.

    Give the `requestBody` `x-added: next`.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.BODY_ADDED


@gated
def body_removed(change: Change) -> bool:
    """A request keeps its body.

    Callers send it and count on its being read.

    Put it back, with `x-removed: next` if newer versions do without it.

    In an operation, before:
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.BODY_REMOVED


@gated
def body_required(change: Change) -> bool:
    """A request's body stays as optional or as required as it is.

    Callers that send none are refused once it is required; once it is optional, older versions
    promise less than they did.

    Put `required` back as it was, or keep it for older versions: `x-was: {next: {required: …}}`.

    In an operation, before:
        requestBody: {content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    After:
        requestBody: {required: true, content: {application/json: {schema: {type: object}}}}
        responses: {'200': {description: loans}}
    """
    return is_flag(change) and change.direction in ASKED


@gated
def media_type_added(change: Change) -> bool:
    """A body is offered and taken in the same media types as before.

    Callers that accept anything may be answered in one that they can't read.

    Give the new media type `x-added: next`.

    In an operation, before:
        responses: {'200': {description: loans, content: {application/json: {}}}}
    After:
        responses: {'200': {description: loans, content: {application/json: {}, text/csv: {}}}}
    """
    return change.kind is Kind.MEDIA_TYPE_ADDED


@gated
def media_type_removed(change: Change) -> bool:
    """A media type stays.

    Callers send it or ask for it, and would get 415 or 406.

    Put it back, with `x-removed: next` if newer versions do without it.

    In an operation, before:
        responses: {'200': {description: loans, content: {application/json: {}, text/csv: {}}}}
    After:
        responses: {'200': {description: loans, content: {application/json: {}}}}
    """
    return change.kind is Kind.MEDIA_TYPE_REMOVED


@gated
def success_response_added(change: Change) -> bool:
    """An operation succeeds with the same statuses as before.

    Callers compare the status with those they know; another one looks like a failure to them.

    Give the response `x-added: next`. Only errors (4xx, 5xx, `default`) may be added to all
    versions.

    In an operation, before:
        responses: {'200': {description: loans}}
    After:
        responses: {'200': {description: loans}, '202': {description: later}}
    """
    return change.kind is Kind.RESPONSE_ADDED


@gated
def response_removed(change: Change) -> bool:
    """A documented response stays.

    Callers have code for it; what they get in its place they have none for.

    Put it back, with `x-removed: next` if newer versions don't answer so.

    In an operation, before:
        responses: {'200': {description: a loan}, '404': {description: no such loan}}
    After:
        responses: {'200': {description: a loan}}
    """
    return change.kind is Kind.RESPONSE_REMOVED


@gated
def header_added(change: Change) -> bool:
    """What callers send has no header that it did not have before.

    A part of a multipart body, or the answer to a webhook, has its shape; callers of older
    versions don't send more.

    Give the header `x-added: next`. Only headers of responses to callers go to all versions.

    In an operation, before:
        requestBody: {content: {multipart/form-data: {encoding: {scan: {}}}}}
        responses: {'204': {description: stored}}
    After:
        requestBody: {content: {multipart/form-data: {encoding: {scan:
          {headers: {X-Page: {schema: {type: integer}}}}}}}}
        responses: {'204': {description: stored}}
    """
    return change.kind is Kind.HEADER_ADDED


@gated
def header_removed(change: Change) -> bool:
    """A header stays.

    Callers read it.

    Put it back, with `x-removed: next` if newer versions don't send it.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total: {schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans}}
    """
    return change.kind is Kind.HEADER_REMOVED


@gated
def header_renamed(change: Change) -> bool:
    """A header keeps its name.

    Callers read it by that name.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total: {schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans, headers: {X-Count:
          {schema: {type: integer}, x-was: {next: {name: X-Total}}}}}}
    """
    return change.kind is Kind.HEADER_RENAMED


@gated
def header_required(change: Change) -> bool:
    """A header stays as sure or as optional as it is.

    Callers count on one that is always sent, and generated types say which one that is.

    Put `required` back as it was, or keep it for older versions: `x-was: {next: {required: …}}`.

    In an operation, before:
        responses: {'200': {description: loans, headers: {X-Total:
          {required: true, schema: {type: integer}}}}}
    After:
        responses: {'200': {description: loans, headers: {X-Total:
          {schema: {type: integer}}}}}
    """
    return is_flag(change)


# Fields


@gated
def required_response_field_added(change: Change) -> bool:
    """A response gains no required field.

    Its type in generated clients changes, and so does every test and every fake built on it.

    Leave it out of `required`, or give it `x-added: next`.

    In a response, before:
        Loan: {type: object, required: [id], properties: {id: {type: string}}}
    After:
        Loan:
          type: object
          required: [id, shelf]
          properties: {id: {type: string}, shelf: {type: string}}
    """
    return change.kind is Kind.FIELD_ADDED and change.direction in ANSWERED


@gated
def required_request_field_added(change: Change) -> bool:
    """A request needs no field that it did not need before.

    Callers of older versions don't send it, and each of their requests would be refused.

    Give it `x-added: next`, and a `default` for callers that don't send it.

    In a request, before:
        NewLoan: {type: object, required: [item], properties: {item: {type: string}}}
    After:
        NewLoan:
          type: object
          required: [item, branch]
          properties: {item: {type: string}, branch: {type: string}}
    """
    return change.kind is Kind.FIELD_ADDED and is_required(change)


@gated
def request_field_added(change: Change) -> bool:
    """The shape of a request stays, an added optional field included.

    A cut version is a promise about what is read: a field that it never had may be one that its
    callers send already, with another meaning.

    Give it `x-added: next`.

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}}}
    After:
        NewLoan: {type: object, properties: {item: {type: string}, note: {type: string}}}
    """
    return change.kind is Kind.FIELD_ADDED


@gated
def response_field_removed(change: Change) -> bool:
    """A response keeps its fields.

    Callers read them.

    Put the field back, with `x-removed: next` (`dateline gate` writes it).

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}, shelf: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.FIELD_REMOVED and change.direction in SHOWN


@gated
def request_field_removed(change: Change) -> bool:
    """A request keeps its fields.

    Callers send them and count on their being read; strict servers refuse what they don't know.

    Put the field back, with `x-removed: next` (`dateline gate` writes it).

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}, note: {type: string}}}
    After:
        NewLoan: {type: object, properties: {item: {type: string}}}
    """
    return change.kind is Kind.FIELD_REMOVED


@gated
def field_renamed(change: Change) -> bool:
    """A field keeps its name.

    Callers read and write it by that name.

    Put the old name back, or keep it for older versions: `x-was: {next: {name: old}}`.

    In a response, before:
        Loan: {type: object, properties: {reader: {type: string}}}
    After:
        Loan: {type: object, properties: {borrower: {type: string, x-was: {next: {name: reader}}}}}
    """
    return change.kind is Kind.FIELD_RENAMED


@gated
def field_required(change: Change) -> bool:
    """An optional field of a request stays optional.

    Callers that leave it out are refused from one day to the next.

    Take it out of `required`, or keep the old list for older versions with
    `x-was: {next: {required: […]}}`, and a `default` for callers that don't send it.

    In a request, before:
        NewLoan: {type: object, properties: {item: {type: string}}}
    After:
        NewLoan: {type: object, required: [item], properties: {item: {type: string}}}
    """
    return change.kind is Kind.FIELD_REQUIRED and change.direction in ASKED


@gated
def field_optional(change: Change) -> bool:
    """A field that every response has stays in every response.

    Callers read it without asking whether it is there.

    Put it back into `required`, or keep the old list for older versions with
    `x-was: {next: {required: […]}}`.

    In a response, before:
        Loan: {type: object, required: [id], properties: {id: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.FIELD_OPTIONAL and change.direction in SHOWN


# Unions, enums, types


@gated
def variant_added(change: Change) -> bool:
    """A union that callers read gains no variant.

    They have code for the variants they know; another one falls through it.

    Give the variant `x-added: next` (`dateline gate` writes it), and `x-shown-as` where it can't
    be left out.

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
    return change.kind is Kind.VARIANT_ADDED and change.direction in SHOWN


@gated
def variant_removed(change: Change) -> bool:
    """A union that callers write keeps its variants.

    Callers send the one that went, and would be refused.

    Put it back, with `x-removed: next`.

    In a request, before:
        Payout: {oneOf: [{$ref: '#/components/schemas/Iban'}, {$ref: '#/components/schemas/Wire'}]}
        Iban: {type: object, required: [iban], properties: {iban: {type: string}}}
        Wire: {type: object, required: [routing], properties: {routing: {type: string}}}
    After:
        Payout: {oneOf: [{$ref: '#/components/schemas/Iban'}]}
        Iban: {type: object, required: [iban], properties: {iban: {type: string}}}
        Wire: {type: object, required: [routing], properties: {routing: {type: string}}}
    """
    return change.kind is Kind.VARIANT_REMOVED and change.direction in ASKED


@gated
def union_changed(change: Change) -> bool:
    """A union stays a union, told apart by the same property and the same tags.

    Callers choose the variant by them; what is no union is read by other code.

    Put the old way back, or keep it for older versions: `x-was: {next: {discriminator: …}}`.

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

    They have a case for each value they know; another one falls through it.

    Give the value `x-added: next` (`dateline gate` writes it), and `x-shown-as` where it can't be
    left out. A field that is to learn values freely is documented with `x-extensible-enum` in
    place of `enum`, from a new version on.

    In a response, before:
        State: {type: string, enum: [active, returned]}
    After:
        State: {type: string, enum: [active, paused, returned]}
    """
    return change.kind is Kind.VALUE_ADDED and change.direction in SHOWN


@gated
def value_removed(change: Change) -> bool:
    """An enum that callers write keeps its values.

    Callers send the one that went, and would be refused.

    Put it back, with `x-removed: next`.

    In a request, before:
        State: {type: string, enum: [active, paused, returned]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    return change.kind is Kind.VALUE_REMOVED and change.direction in ASKED


@gated
def open_value_removed(change: Change) -> bool:
    """An open-ended field keeps the values that are documented, and stays open-ended.

    Callers have code for them, and for values that they don't know.

    Put the value back, or keep the old list for older versions:
    `x-was: {next: {x-extensible-enum: […]}}`.

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

    In a response, before:
        Loan: {type: object, properties: {due: {type: string}}}
    After:
        Loan: {type: object, properties: {due: {type: [string, 'null']}}}
    """
    return change.kind is Kind.TYPE_ADDED and change.direction in SHOWN


@gated
def type_removed(change: Change) -> bool:
    """A value that callers write keeps its types, null included.

    Callers send what went, and would be refused.

    Put the old type back, or keep it for older versions: `x-was: {next: {type: old}}`.

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: [string, 'null']}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string}}}
    """
    return change.kind is Kind.TYPE_REMOVED and change.direction in ASKED


@gated
def type_changed(change: Change) -> bool:
    """A value keeps its type.

    No caller can read or write the other one.

    Put the old type back, or keep it for older versions: `x-was: {next: {type: old}}`. A new
    field beside the old one needs no version.

    In a response, before:
        Loan: {type: object, properties: {fine: {type: integer}}}
    After:
        Loan: {type: object, properties: {fine: {type: string}}}
    """
    return change.kind in KEYWORD and change.keyword == "type"


@gated
def constant_changed(change: Change) -> bool:
    """A value that is always the same stays the same.

    Callers compare with it, or send it.

    Put the old value back, or keep it for older versions: `x-was: {next: {const: old}}`.

    In a response, before:
        Book: {type: object, properties: {kind: {const: book}}}
    After:
        Book: {type: object, properties: {kind: {const: volume}}}
    """
    return change.kind is Kind.KEYWORD_CHANGED and change.keyword == "const"


@gated
def reference_switched(change: Change) -> bool:
    """A place goes on saying what it said, whichever component it refers to.

    The other component differs in more than an additive change does; callers notice that, not
    its name.

    Refer to the old component again, or keep it for older versions:
    `x-was: {next: {$ref: '#/components/schemas/Old'}}`.

    In a response, before:
        Loan: {type: object, properties: {item: {$ref: '#/components/schemas/Book'}}}
        Book: {type: object, properties: {pages: {type: integer}}}
        Disc: {type: object, properties: {minutes: {type: integer}}}
    After:
        Loan: {type: object, properties: {item: {$ref: '#/components/schemas/Disc'}}}
        Book: {type: object, properties: {pages: {type: integer}}}
        Disc: {type: object, properties: {minutes: {type: integer}}}
    """
    return change.kind in KEYWORD and change.keyword == "$ref"


# Keywords


@gated
def format_changed(change: Change) -> bool:
    """A value keeps its format.

    Clients parse by it, and generated types follow it. One that only promises callers more, or
    asks less of them, is a constraint like any other.

    Put the old format back, or keep it for older versions: `x-was: {next: {format: old}}`.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string, format: uuid}}}
    After:
        Loan: {type: object, properties: {id: {type: string}}}
    """
    told = change.kind in KEYWORD and change.keyword == "format"
    return told and not _harms_nobody(change)


@gated
def default_changed(change: Change) -> bool:
    """A default stays.

    Callers that leave the value out mean the one that was documented.

    Put the old default back, or keep it for older versions: `x-was: {next: {default: old}}`.

    In a parameter, before:
        PageSize: {type: integer, default: 10}
    After:
        PageSize: {type: integer, default: 20}
    """
    return change.kind in KEYWORD and change.keyword == "default"


@gated
def access_changed(change: Change) -> bool:
    """A field is read or written by callers as it was before.

    The marks `readOnly` and `writeOnly` decide whether it belongs into a request or a response.

    Put the old mark back, or keep it for older versions: `x-was: {next: {readOnly: …}}`.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Loan: {type: object, properties: {id: {type: string, readOnly: true}}}
    """
    return change.kind in KEYWORD and change.keyword in _ACCESS


@gated
def representation_changed(change: Change) -> bool:
    """A value is written on the wire as it was before.

    Style, encoding and the like decide how the same value is spelled; the other side reads the
    spelling it knows.

    Put the old one back, or keep it for older versions with `x-was`.

    In an operation, before:
        parameters: [{name: ids, in: query, schema: {type: array, items: {type: string}}}]
        responses: {'200': {description: loans}}
    After:
        parameters: [{name: ids, in: query, explode: false,
          schema: {type: array, items: {type: string}}}]
        responses: {'200': {description: loans}}
    """
    return change.kind in KEYWORD and change.keyword in _WRITTEN


@gated
def request_narrowed(change: Change) -> bool:
    """What was a good request stays one.

    Callers send values that only the old constraint allowed.

    Put the old constraint back, or keep it for older versions: `x-was: {next: {keyword: old}}`
    (`dateline gate` writes it).

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 50}}}
    """
    return extent(change) is Extent.NARROWER and change.direction in ASKED


@gated
def response_opened(change: Change) -> bool:
    """A response that holds no other fields than it names keeps to them.

    Callers pass over fields that they don't know, but the contract says that there are none.

    Name the new fields, which needs no version, or keep the old closing for older versions:
    `x-was: {next: {additionalProperties: false}}`.

    In a response, before:
        Loan: {type: object, additionalProperties: false}
    After:
        Loan: {type: object}
    """
    closed = change.keyword in _CLOSING and change.before is False
    opened = closed and change.after is not False
    return change.kind in KEYWORD and opened and change.direction in SHOWN


@gated
def response_loosened(change: Change) -> bool:
    """A response keeps within the bounds it promised.

    Callers have made room for what the old bounds allow: a column, a buffer, a number type.

    Put the old bound back, or keep it for older versions: `x-was: {next: {keyword: old}}`
    (`dateline gate` writes it).

    In a response, before:
        Loan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        Loan: {type: object, properties: {note: {type: string, maxLength: 500}}}
    """
    return extent(change) is Extent.WIDER and change.direction in SHOWN


@gated
def request_loosened(change: Change) -> bool:
    """A request body takes the same values as before, and no more.

    Any change of a request body's shape is a new contract, although no old request suffers: what
    an older version takes would otherwise depend on the day.

    Gate what is new (`x-added: next`), or keep the old constraint for older versions with
    `x-was`.

    In a request, before:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 100}}}
    After:
        NewLoan: {type: object, properties: {note: {type: string, maxLength: 500}}}
    """
    return _more(change) and change.direction is Direction.REQUEST


@gated
def response_narrowed(change: Change) -> bool:
    """A response may still hold everything that it could hold.

    No caller breaks, but the contract is another one: a value, variant or bound that was
    documented and is gone is news that belongs to a version.

    Put it back: `x-removed: next` for a value or variant, `x-was` for a constraint.

    In a response, before:
        State: {type: string, enum: [active, paused, returned]}
    After:
        State: {type: string, enum: [active, returned]}
    """
    return _fewer(change) and change.direction in ANSWERED


@gated
def constraint_changed(change: Change) -> bool:
    """A constraint stays as it is where nobody can tell whether another one allows more.

    Two patterns, for instance, can't be compared by looking.

    Put the old one back, or keep it for older versions: `x-was: {next: {pattern: old}}`
    (`dateline gate` writes it).

    In a response, before:
        Loan: {type: object, properties: {id: {type: string, pattern: '^L[0-9]+$'}}}
    After:
        Loan: {type: object, properties: {id: {type: string, pattern: '^LN-[0-9]+$'}}}
    """
    return change.kind in KEYWORD


# Components


@gated
def component_removed(change: Change) -> bool:
    """A component stays, even one that no operation uses.

    Its model may be imported by name.

    Put it back, with `x-removed: next` if newer versions do without it.

    In a model, before:
        Loan: {type: object}
        Fine: {type: object}
    After:
        Loan: {type: object}
    """
    return change.kind is Kind.COMPONENT_REMOVED


@gated
def component_renamed(change: Change) -> bool:
    """A component keeps its name.

    Nothing changes on the wire, but models are imported by that name.

    Put the old name back, or let it stay beside the new one: `Old: { $ref:
    '#/components/schemas/New' }`. Where nobody imports the models, say `component-renamed:
    additive` under `policy: {rules: …}`.

    In a response, before:
        Loan: {type: object, properties: {id: {type: string}}}
    After:
        Lending: {type: object, properties: {id: {type: string}}}
    """
    return change.kind is Kind.COMPONENT_RENAMED


# The rest


@gated
def unjudged_change(change: Change) -> bool:  # noqa: ARG001
    """What no rule calls additive needs a new version.

    Nobody has judged it, so nobody knows what it does to callers.

    Put it back, or gate it. If it is harmless to the callers of your API, say so: give this rule
    a verdict under `policy: {rules: …}`, or waive this one finding (`dateline waive`).

    In a response, before:
        Loan: {type: object}
    After:
        Loan: {type: object, sorted: true}
    """
    return True


def _more(change: Change) -> bool:
    return extent(change) is Extent.WIDER or change.kind in (Kind.VALUE_ADDED, Kind.VARIANT_ADDED)


def _fewer(change: Change) -> bool:
    return extent(change) is Extent.NARROWER or change.kind in (
        Kind.VALUE_REMOVED,
        Kind.VARIANT_REMOVED,
    )


def _harms_nobody(change: Change) -> bool:
    """Tell whether callers are promised more, or asked less."""
    return (extent(change) is Extent.WIDER and change.direction is Direction.REQUEST) or (
        extent(change) is Extent.NARROWER and change.direction in ANSWERED
    )
