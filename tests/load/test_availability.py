"""One law for every kind of reference: its target exists wherever the reference is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

import pytest
from support.sources import API, VERSIONS, loaded, problems
from support.tables import cases

from dateline.gates import Timeline
from dateline.project import project

SOURCE = """\
paths:
  /things:
    post:
      operationId: makeThing
      tags: [{tag}]
      {operation_gate}
      {security}
      parameters: [{{ name: page, in: query, schema: {{ type: string }} }}{parameter}]
      requestBody: {body}
      responses:
        '200':
          description: made
          headers: {{ X-Plain: {{ schema: {{ type: string }} }}{header} }}
          content:
            application/json:
              schema: {{ $ref: '#/components/schemas/Holder' }}
              {media}
        {response}
    delete:
      operationId: loseThing
      tags: [Plain]
      responses: {{ '204': {{ description: lost }} }}
      {target_gate}
components:
  schemas:
    Holder:
      type: object
      properties:
        plain: {{ type: string }}
        held: {{ {held}{held_gate} }}
    Target:
      type: object
      required: [kind]
      properties: {{ kind: {{ const: Target }} }}
      {target_gate}
    Other:
      type: object
      required: [kind]
      properties: {{ kind: {{ const: Other }}, sub: {{ type: string{inline_gate} }} }}
  parameters:
    Target: {{ name: size, in: query, schema: {{ type: string }}{inline_gate} }}
  headers:
    Target: {{ schema: {{ type: string }}{inline_gate} }}
  responses:
    Target: {{ description: gone{inline_gate} }}
  requestBodies:
    Target: {{ content: {{ application/json: {{ schema: {{ type: object }} }} }}{inline_gate} }}
  securitySchemes:
    Target: {{ type: apiKey, in: header, name: X-Key{inline_gate} }}
"""

TAGS = "tags: [{ name: Plain }, { name: Gated%s }]\n"
REF = "$ref: '#/components/schemas/Target'"
ENUM = "type: string, oneOf: [{ const: a }, { const: b%(gate)s%(shown)s }]"
OBJECT = "type: object, properties: { plain: { type: string }, sub: { type: string%(gate)s } }"
UNION = (
    "oneOf: [{ $ref: '#/components/schemas/Other' }, { $ref: '#/components/schemas/Target' }],"
    " discriminator: { propertyName: kind, mapping: { Other: '#/components/schemas/Other',"
    " Target: '#/components/schemas/Target' } }"
)


class Edge(NamedTuple):
    """The place of a reference (a slot of SOURCE and its text), and the place of the problem."""

    slot: str
    text: str
    at: str
    goal: str = "Target"


EDGES = {
    "property": Edge("held", REF, "Holder.held.$ref"),
    "item": Edge("held", f"type: array, items: {{ {REF} }}", "Holder.held.items.$ref"),
    "map value": Edge(
        "held",
        f"type: object, additionalProperties: {{ {REF} }}",
        "Holder.held.additionalProperties.$ref",
    ),
    "union member": Edge("held", UNION, "Holder.held.oneOf.1.$ref"),
    "allOf base": Edge("held", f"allOf: [{{ {REF} }}]", "Holder.held.allOf.0.$ref"),
    "default": Edge("held", ENUM + ", default: b", "Holder.held.default", "'b'"),
    "example": Edge("held", ENUM + ", examples: [a, b]", "Holder.held.examples.1", "'b'"),
    "field in an example": Edge(
        "held", OBJECT + ", examples: [{ sub: x }]", "Holder.held.examples.0", "sub"
    ),
    "example of a body": Edge(
        "media",
        "example: { held: b }",
        "POST /things responses 200 application/json example held",
        "'b'",
    ),
    "field in an example of an allOf": Edge(
        "held",
        f"type: object, allOf: [{{ type: object }}, {{ {OBJECT} }}], examples: [{{ sub: x }}]",
        "Holder.held.examples.0",
        "sub",
    ),
    "field in an example of a union": Edge(
        "held",
        "oneOf: [{ $ref: '#/components/schemas/Other' }], discriminator: { propertyName: kind },"
        " examples: [{ kind: Other }, { kind: Other, sub: x }]",
        "Holder.held.examples.1",
        "sub",
    ),
    "field in a default of a list": Edge(
        "held",
        f"type: array, items: {{ {OBJECT} }}, default: [{{ plain: x }}, {{ sub: x }}]",
        "Holder.held.default.1",
        "sub",
    ),
    "named example of a body": Edge(
        "media",
        "examples: { far: { externalValue: 'https://x.example/y' }, near: { value: { held: b } } }",
        "POST /things responses 200 application/json examples near value held",
        "'b'",
    ),
    "example of a parameter": Edge(
        "parameter",
        f", {{ name: p, in: query, schema: {{ {ENUM} }}, example: b }}",
        "POST /things parameters 1 example",
        "'b'",
    ),
    "example of a header": Edge(
        "header",
        f", X-Shown: {{ schema: {{ {ENUM} }}, example: b }}",
        "POST /things responses 200 headers X-Shown example",
        "'b'",
    ),
    "parameter": Edge(
        "parameter",
        ", { $ref: '#/components/parameters/Target' }",
        "POST /things parameters 1 $ref",
    ),
    "header": Edge(
        "header",
        ", X-Gated: { $ref: '#/components/headers/Target' }",
        "POST /things responses 200 headers X-Gated $ref",
    ),
    "response": Edge(
        "response",
        "'400': { $ref: '#/components/responses/Target' }",
        "POST /things responses 400 $ref",
    ),
    "request body": Edge(
        "body", "{ $ref: '#/components/requestBodies/Target' }", "POST /things requestBody $ref"
    ),
    "security scheme": Edge(
        "security", "security: [{ Target: [] }]", "POST /things security 0 Target"
    ),
    "tag": Edge("tag", "Gated", "POST /things tags 0", "Gated"),
    "linked operation": Edge(
        "response",
        "'400': { description: bad, links: { lose: { operationId: loseThing } } }",
        "POST /things responses 400 links lose operationId",
        "DELETE /things",
    ),
    "place of a linked operation": Edge(
        "response",
        "'400': { description: bad, links: { a: { operationRef: '#/paths/~1%74hings/delete' } } }",
        "POST /things responses 400 links a operationRef",
        "DELETE /things",
    ),
}
WAYS = {
    "added later": ("x-added: 2024-09-01", "2024-01-15", "2024-09-01, 2025-06-01, next"),
    "removed earlier": ("x-removed: 2025-06-01", "2025-06-01, next", "2024-01-15, 2024-09-01"),
    "in one environment": (
        "x-environments: [sandbox]",
        "every version of production",
        "every version of sandbox",
    ),
}


def source(edge: Edge, gate: str, own: str) -> dict[str, str]:
    """Return sources with *gate* on the target of *edge* and *own* on its holder."""
    schema_slot = edge.slot in ("held", "media")
    text = edge.text % {"gate": f", {gate}", "shown": ""} if "%(" in edge.text else edge.text
    slots = {
        "tag": "Plain",
        "security": "security: []",
        "parameter": "",
        "body": "{ content: { application/json: { schema: { type: object } } } }",
        "header": "",
        "media": "",
        "response": "",
        "held": "type: string",
        edge.slot: text,
    }
    if edge.slot == "media":
        slots["held"] = ENUM % {"gate": f", {gate}", "shown": ""}
    things = SOURCE.format(
        **slots,
        operation_gate=own if edge.slot != "held" else "",
        held_gate=f", {own}" if own and schema_slot else "",
        target_gate=gate,
        inline_gate=f", {gate}",
    )
    return {
        "versions.yaml": VERSIONS,
        "api.yaml": API.split("tags")[0] + TAGS % f", {gate}",
        "things.yaml": things,
    }


@cases("way", WAYS)
@cases("kind", EDGES)
def test_reference_that_outlives_its_target_is_reported_with_both_places(
    tmp_path: Path, kind: str, way: str
) -> None:
    edge, (gate, lacking, there) = EDGES[kind], WAYS[way]
    found = problems(tmp_path, source(edge, gate, ""))
    assert [problem.split(": ", 1)[1] for problem in found] == [
        expected(found[0], edge, lacking, there)
    ]


def expected(found: str, edge: Edge, lacking: str, there: str) -> str:
    goal_place = found.split(" is absent (")[1].split(": only in")[0]
    assert goal_place.startswith("schemas/")
    message = (
        f"{edge.at} is shown in {lacking}, where {edge.goal} is absent ({goal_place}: "
        f"only in {there}); give this place the same gate, or make {edge.goal} visible there"
    )
    return f"reference-outlives-target: {message}"


WAS: Final = """\
components:
  schemas:
    Holder:
      type: object
      properties:
        held:
          type: string
          x-was: { 2025-06-01: { $ref: '#/components/schemas/Target', type: null } }
    Target:
      type: object
      {gate}
"""


@pytest.mark.parametrize(
    ("gate", "lacking", "there"),
    [
        ("x-added: 2024-09-01", "2024-01-15", "2024-09-01, 2025-06-01, next"),
        ("x-removed: 2024-09-01", "2024-09-01", "2024-01-15"),
        ("x-removed: 2025-06-01", None, None),
    ],
)
def test_older_value_refers_to_what_existed_then(
    tmp_path: Path, gate: str, lacking: str | None, there: str | None
) -> None:
    files = {
        "versions.yaml": VERSIONS,
        "api.yaml": API.split("tags")[0] + "paths: {}\n",
        "things.yaml": WAS.replace("{gate}", gate),
    }
    assert problems(tmp_path, files) == (
        []
        if lacking is None
        else [
            "schemas/things.yaml:8:11: reference-outlives-target: Holder.held.x-was is shown in "
            f"{lacking}, where Target is absent (schemas/things.yaml:9:5: only in {there});"
            " give this place the same gate, or make Target visible there"
        ]
    )


SHOWN_AS: Final = """\
components:
  schemas:
    State:
      type: string
      oneOf:
        - { const: active }
        - { const: held, {held} }
        - { const: paused, x-added: next, x-shown-as: held }
"""


def test_substitute_exists_wherever_it_is_shown(tmp_path: Path) -> None:
    def found(gate: str) -> list[str]:
        files = {
            "versions.yaml": VERSIONS,
            "api.yaml": API.split("tags")[0] + "paths: {}\n",
            "things.yaml": SHOWN_AS.replace("{held}", gate),
        }
        return problems(tmp_path, files)

    assert found("x-added: 2024-09-01") == [
        "schemas/things.yaml:8:55: shown-as-invalid: 'held' is not a value of the versions "
        "2024-01-15; known: active"
    ]
    assert found("x-added: 2024-09-01, x-shown-as: active") == []
    assert found("x-removed: 2025-06-01") == [
        "schemas/things.yaml:8:55: shown-as-invalid: 'held' is not a value of the versions "
        "2025-06-01; known: active"
    ]


@pytest.mark.parametrize("gate", ["x-added: 2024-09-01", "x-removed: 2025-06-01"])
def test_mapping_of_a_discriminator_follows_its_targets(tmp_path: Path, gate: str) -> None:
    member = f"$ref: '#/components/schemas/Target', {gate}"
    edge = Edge("held", UNION.replace(REF, member), "")
    api = loaded(tmp_path, source(edge, gate, ""))
    timeline = Timeline(api.table)
    there = {shown.version for shown in timeline.members(timeline.of(map_targets(gate)))}
    for version in api.table.dates:
        schemas = project(api, version, "sandbox").document["components"]["schemas"]
        union = schemas["Holder"]["properties"]["held"]
        assert ("Target" in union["discriminator"]["mapping"]) is (version in there)
        assert ("Target" in schemas) is (version in there)


def map_targets(gate: str) -> dict[str, str]:
    key, date = gate.split(": ")
    return {key: date}


@cases("way", WAYS)
@cases("kind", EDGES)
def test_reference_with_the_gate_of_its_target_is_valid(
    tmp_path: Path, kind: str, way: str
) -> None:
    gate = WAYS[way][0]
    assert problems(tmp_path, source(EDGES[kind], gate, gate)) == []


CONTAINERS: Final = """\
components:
  schemas:
    Lists: { allOf: [{ type: array, items: { type: string } }], default: [a, b] }
    ListsOrNumbers: { type: [array, integer], items: { type: object }, default: 1 }
    Fields: { type: object, properties: { plain: { type: string } }, default: { other: x } }
"""


def test_values_without_schemas_need_no_target(tmp_path: Path) -> None:
    assert problems(tmp_path, bare(CONTAINERS)) == []


def bare(things: str) -> dict[str, str]:
    return {
        "versions.yaml": VERSIONS,
        "api.yaml": API.split("tags")[0] + "paths: {}\n",
        "things.yaml": things,
    }


SECURED: Final = """\
security: [{{ key: [] }}]
{history}
components:
  securitySchemes:
    key: {{ type: apiKey, in: header, name: X-Key, x-added: next }}
"""


@cases(
    "history, lacking",
    [
        ("x-was: { next: { security: null } }", ""),
        ("x-was: { 2025-06-01: { security: null } }", "2025-06-01"),
        ("", "2024-01-15, 2024-09-01, 2025-06-01"),
    ],
)
def test_scheme_that_all_operations_of_a_draft_need_exists_wherever_it_is_needed(
    tmp_path: Path, history: str, lacking: str
) -> None:
    sources = bare(SECURED.format(history=history))
    sources["versions.yaml"] += "lint: adopted\n"
    message = "schemas/things.yaml:1:14: reference-outlives-target: security 0 key is shown in "
    assert [each.split("absent")[0] for each in problems(tmp_path, sources)] == (
        [f"{message}{lacking}, where key is "] if lacking else []
    )


UNIONS: Final = """\
components:
  schemas:
    Holder:
      type: object
      properties:
        held:
          oneOf: [{ type: string{first} }, { type: integer{second} }]
          {holder}
"""


@cases(
    ("first", "second", "lacking"),
    [
        ("x-added: 2024-09-01", "x-added: 2024-09-01", "2024-01-15"),
        ("x-added: 2024-09-01", "x-added: 2025-06-01", "2024-01-15"),
        ("x-added: next", "x-added: 2025-06-01", "2024-01-15, 2024-09-01"),
        ("x-removed: next", "x-removed: 2025-06-01", "next"),
        ("x-removed: 2024-09-01", "x-added: 2025-06-01", "2024-09-01"),
        ("x-removed: 2025-06-01", "x-added: 2024-09-01", None),
        ("x-environments: [sandbox]", "x-environments: [sandbox]", "every version of production"),
        ("", "x-added: next", None),
    ],
)
@cases("key", ["oneOf", "anyOf"])
def test_union_has_a_member_wherever_it_is_shown(
    tmp_path: Path, key: str, first: str, second: str, lacking: str | None
) -> None:
    def found(holder: str) -> list[str]:
        text = UNIONS.replace("{first}", f", {first}" if first else "").replace("oneOf", key)
        text = text.replace("{second}", f", {second}").replace("{holder}", holder)
        return [each for each in problems(tmp_path, bare(text)) if "-without-" in each]

    message = (
        f"schemas/things.yaml:7:11: union-without-member: every member of this {key} is absent in "
        f"{lacking}; gate the place that contains the union as well"
    )
    assert found("") == ([] if lacking is None else [message])
    if first == second:
        assert found(first) == []


SUBSTITUTE: Final = """\
components:
  schemas:
    Shape:
      oneOf:
        - $ref: '#/components/schemas/Square'
        - { $ref: '#/components/schemas/Round', x-added: next, x-shown-as: {shown} }
      discriminator: { propertyName: kind }
    Square:
      type: object
      required: [kind]
      properties: { kind: { const: Square }, side: { type: string, x-added: 2025-06-01 } }
    Round: { type: object, required: [kind], properties: { kind: { const: Round } } }
"""


@pytest.mark.parametrize(
    ("shown", "place", "where", "lacking"),
    [
        ("{ kind: Square, side: x }", "6:64", "Shape.oneOf.1.x-shown-as", "2024-01-15, 2024-09-01"),
        (
            "{ next: { kind: Square }, 2024-09-01: { kind: Square, side: x } }",
            "6:102",
            "Shape.oneOf.1.x-shown-as.2024-09-01",
            "2024-01-15",
        ),
        ("{ next: { kind: Square, side: x }, 2025-06-01: { kind: Square } }", None, None, None),
    ],
)
def test_targets_of_a_substitute_exist_wherever_it_is_shown(
    tmp_path: Path, shown: str, place: str | None, where: str | None, lacking: str | None
) -> None:
    found = problems(tmp_path, bare(SUBSTITUTE.replace("{shown}", shown)))
    assert [each.split("absent")[0] for each in found] == (
        []
        if place is None
        else [
            f"schemas/things.yaml:{place}: reference-outlives-target: {where} is shown in "
            f"{lacking}, where side is "
        ]
    )


def test_substitute_needs_nothing_where_the_member_itself_is_shown(tmp_path: Path) -> None:
    ended = SUBSTITUTE.replace("x-added: 2025-06-01 }", "x-removed: 2025-06-01 }")
    found = problems(tmp_path, bare(ended.replace("{shown}", "{ kind: Square, side: x }")))
    assert [each.split("absent")[0] for each in found] == [
        "schemas/things.yaml:6:64: reference-outlives-target: Shape.oneOf.1.x-shown-as is shown "
        "in 2025-06-01, where side is "
    ]


def test_versions_and_environments_are_summarized(tmp_path: Path) -> None:
    timeline = Timeline(loaded(tmp_path, bare("components: {}\n")).table)
    first = timeline.of({"x-removed": "2024-09-01"})
    sandbox = timeline.of({"x-environments": ["sandbox"]})
    assert timeline.places(timeline.all) == "every version"
    assert timeline.places(timeline.all & ~first) == "2024-09-01, 2025-06-01, next"
    assert timeline.places(sandbox) == "every version of sandbox"
    assert timeline.places(first & sandbox) == "2024-01-15 (sandbox)"
    assert timeline.places(sandbox | first) == (
        "2024-01-15, 2024-09-01 (sandbox), 2025-06-01 (sandbox), next (sandbox)"
    )
    assert timeline.places(0) == ""


CHILDREN: Final = """\
paths:
  /pets:
    get:
      operationId: listPets
      tags: [Plain]
      responses:
        '200':
          description: pets
          content:
            application/json:
              schema:
                type: object
                properties:
                  pet: { $ref: '#/components/schemas/Pet', x-added: 2025-06-01 }
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties: { kind: { type: string } }
      discriminator: { propertyName: kind{mapping} }
    Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { type: object }] }
"""


@pytest.mark.parametrize("mapping", ["", ", mapping: { tom: '#/components/schemas/Cat' }"])
def test_heir_exists_where_its_discriminated_parent_does(tmp_path: Path, mapping: str) -> None:
    sources = bare(CHILDREN.replace("{mapping}", mapping))
    sources["api.yaml"] = API.split("tags")[0] + "tags: [{ name: Plain }]\n"
    api = loaded(tmp_path, sources)
    since = Timeline(api.table).of({"x-added": "2025-06-01"})
    assert {name: api.visible["schemas", name] == since for name in ("Pet", "Cat")} == {
        "Pet": True,
        "Cat": True,
    }
