"""Check the laws of narrowing and lifting for values of every component, and for events."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from dateline.canonical.payloads import with_event_components
from dateline.contracts import all_contract_data
from dateline.model import Api
from dateline.project import Projector
from dateline_runtime.components import Components
from dateline_runtime.events import Events
from dateline_runtime.values import UnfitError
from support.copies import copy_plain
from support.narrowed import Body, Law, make_converters
from support.narrowed import sample_bodies as sample

Json = Any

Render = Callable[[str, str, Json, str], Json]


class ComponentLaw(Law):
    """The laws for values of the components of an API, and for its events.

    *data* replaces the contract data of the API.
    """

    def __init__(self, api: Api, data: Any = None) -> None:
        api = with_event_components(api)
        super().__init__(api)
        if data is None:
            data = json.loads(json.dumps(all_contract_data(api, Projector(api))[1].data))
        self.data = data
        known = {way: make_converters(data, way) for way in ("down", "up")}
        self.components = {
            environment: Components(data, environment, known, self.judge(environment))
            for environment in data["environments"]
        }
        self.events = {
            environment: Events(data, environment, components, self._misfits)
            for environment, components in self.components.items()
        }

    def _misfits(self, component: str) -> Callable[[Json], tuple[list[str | int], str] | None]:
        def misfit(value: Json) -> tuple[list[str | int], str] | None:
            defect = self.canonical.defect(("components", "schemas", component), value)
            return None if defect is None else ([], defect)

        return misfit

    def component_breaches(self, count: int, seed: int = 1) -> Iterator[str]:
        """Yield how *count* values fail to be narrowed, and as many to be lifted."""
        names = self._names
        for body, value in sample(self.canonical, _bodies(self.canonical), count, seed, names.old):
            before = copy_plain(value)
            for (version, environment), shown in self.shown.items():
                if body.operation in shown.document["components"]["schemas"]:
                    self.times_shown += 1
                    where = f"{version} ({environment}) {body.operation}"
                    try:
                        made = self.components[environment].narrow(value, body.operation, version)
                    except UnfitError as error:
                        if shown.defect(body.schema, value) is None:
                            yield f"{where}: {json.dumps(before)}: {error}"
                        continue
                    for wrong in self._wrong(shown, body.schema, value, made):
                        yield f"{where}: {json.dumps(before)} -> {json.dumps(made)}: {wrong}"
                    assert value == before
        for (version, environment), shown in self.shown.items():
            for body, value in sample(shown, _bodies(shown), count, seed, names.now):
                where = f"{version} ({environment}) {body.operation}"
                made = self.components[environment].lift(value, body.operation, version)
                defect = self.received.defect(body.schema, made)
                if defect is not None:
                    yield f"{where}: {json.dumps(value)} -> {json.dumps(made)}: {defect}"

    def event_breaches(
        self, count: int, seed: int = 1, render: Render | None = None
    ) -> Iterator[str]:
        """Yield how *count* events, each rendered for one version, break a law.

        *render* takes the environment, the name, the event and the version, and raises a
        LookupError if the version has no such event.
        """
        render = render or (lambda where, *event: self.events[where].render(*event))
        pick = random.Random(seed)
        events = {event["component"]: name for name, event in self.data["events"].items()}
        bodies = [each for each in _bodies(self.canonical) if each.operation in events]
        supported = {version.date for version in self.api.table.supported}
        places = [(where, each) for where, each in self.shown.items() if where[0] in supported]
        for body, value in sample(self.canonical, bodies, count, seed, self._names.old):
            (version, environment), shown = pick.choice(places)
            name = events[body.operation]
            where = f"{version} ({environment}) {name}: {json.dumps(value)}"
            try:
                made = render(environment, name, value, version)
            except LookupError:
                if name in shown.document["webhooks"]:
                    yield f"{where}: is refused"
                continue
            self.times_shown += 1
            if name not in shown.document["webhooks"]:
                yield f"{where}: is not there"
                continue
            # the result may be a copy, because models are accepted as well
            for wrong in self._wrong(shown, body.schema, made, made):
                yield f"{where} -> {json.dumps(made)}: {wrong}"


def _bodies(places: Any) -> list[Body]:
    return [
        Body(name, "", "", ("components", "schemas", name))
        for name in places.document["components"]["schemas"]
    ]
