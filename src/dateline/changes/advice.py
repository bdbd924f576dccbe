"""A rule in, what its callers do about the change when they take a newer version out."""

from __future__ import annotations

from typing import Final

_SEND_IT: Final = "Send it with every request."
_NOTHING: Final = "Nothing has to be done."

ADVICE: Final[dict[str, str]] = {
    # operations and what surrounds them
    "operation-removed": "Stop calling the operation before you send the newer version.",
    "operation-added": f"{_NOTHING} The operation can be called in this version.",
    "operation-id-changed": "Calls stay the same; a generated client may name its method anew.",
    "webhook-added": "Answer the new call with success, or expect it to be repeated.",
    "webhook-removed": "Stop waiting for the call; ask for what it told you instead.",
    "security-changed": "Send the credentials that the newer version demands.",
    "servers-changed": "Send requests to the new address.",
    "link-changed": "Look again at how you follow the links of the response.",
    # parameters
    "optional-parameter-added": f"{_NOTHING} The parameter may be left out.",
    "required-parameter-added": _SEND_IT,
    "parameter-removed": "Stop sending the parameter.",
    "path-parameter-renamed": "Calls stay the same; a generated client may name its argument anew.",
    "path-parameters-swapped": "Put the values into the path in their new order.",
    "parameter-renamed": "Send the parameter under its new name.",
    "parameter-required": _SEND_IT,
    "parameter-loosened": f"{_NOTHING} What you send now is taken as before.",
    "parameter-value-added": f"{_NOTHING} The new value may be sent.",
    # bodies, responses and headers
    "body-added": "Look at what the request may carry now, and send it where it is demanded.",
    "body-removed": "Send the request without a body.",
    "body-required": "Send a body where one is demanded; where it is not, it may be left out.",
    "media-type-added": "Name the media type that you read in `Accept`.",
    "media-type-removed": "Send and ask for one of the media types that are left.",
    "error-response-added": f"{_NOTHING} Handle the status like any error.",
    "success-response-added": "Take the new status for success, too.",
    "response-removed": "Stop relying on the response; it is not documented any longer.",
    "response-header-added": f"{_NOTHING} The header may be ignored.",
    "header-added": "Send the header where it is demanded.",
    "header-removed": "Stop relying on the header.",
    "header-renamed": "Read or send the header under its new name.",
    "header-required": "Send the header where one is demanded; else do without.",
    # fields
    "response-field-added": f"{_NOTHING} A field that you don't know may be ignored.",
    "closed-field-added": "Make room for the new field; older models refuse it.",
    "required-response-field-added": "Take in the new field; every response has it.",
    "required-request-field-added": _SEND_IT,
    "request-field-added": f"{_NOTHING} The field may be sent.",
    "response-field-removed": "Do without the field; responses have it no longer.",
    "request-field-removed": "Stop sending the field.",
    "field-renamed": "Read and send the field under its new name.",
    "field-required": _SEND_IT,
    "field-optional": "Be ready for responses without the field.",
    "access-changed": "Look again at whether you read or send the field.",
    # values
    "variant-added": "Be ready for the new variant wherever you read the union.",
    "variant-removed": "Stop sending the variant, and do without it in responses.",
    "union-changed": "Look again at how you tell the variants of the union apart.",
    "overlap-changed": "Look again at which variant of the union your values fit.",
    "value-added": "Be ready for the new value wherever you read the field.",
    "value-removed": "Stop sending the value, and do without it in responses.",
    "open-value-added": f"{_NOTHING} Treat a value that you don't know as such.",
    "open-value-removed": "Stop relying on the value.",
    "type-added": "Be ready for values of the new type.",
    "type-removed": "Stop sending values of the old type.",
    "type-changed": "Read and send the value with its new type.",
    "constant-changed": "Expect and send the new value.",
    "reference-switched": "Look again at the shape of what stands here now.",
    "format-changed": "Read and write the value in its new format.",
    "default-changed": "Send the old default where you relied on it.",
    "representation-changed": "Read and write the value in its new representation.",
    "request-narrowed": "Keep what you send within the new bounds.",
    "request-loosened": f"{_NOTHING} What you send now is taken as before.",
    "response-opened": "Be ready for fields that are not named.",
    "response-loosened": "Be ready for values beyond the old bounds.",
    "response-narrowed": f"{_NOTHING} Responses keep within what you read already.",
    "constraint-changed": "Hold what you send and read against the new constraint.",
    # names and words
    "component-added": f"{_NOTHING} Only code that is generated from the document sees it.",
    "component-removed": "Generate your client again, and stop importing the component.",
    "component-renamed": "Generate your client again, and import the component by its new name.",
    "dialect-changed": "Generate your client again, with tools that read OpenAPI 3.1.",
    "documentation-changed": f"{_NOTHING} Only words have changed.",
    "extension-changed": f"{_NOTHING} Only notes for other tools have changed.",
    "unjudged-change": "Compare what stood here with what stands here now, and follow it.",
}
"""What a caller does, by rule id; what an author does is the rule's own way out."""
