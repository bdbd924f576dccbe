"""Rules about the definitions: the version table, announcements, the policy, waivers, serving.

No single change shows where one is broken: `dateline.check` finds that.
"""

from __future__ import annotations

from dateline.model import Verdict
from dateline.rules.rule import about_definitions


@about_definitions(Verdict.NEVER)
def version_withdrawn() -> None:
    """A cut version stays until its announced end.

    Callers pin it, and every request of theirs would be refused.

    Put it back into the table, or announce its end there and wait for the day:
    `announcements: [{ ends: DATE, from: DATE, announced: DATE }]`.
    """


@about_definitions(Verdict.NEVER)
def version_drafted() -> None:
    """A cut version never becomes a draft again.

    Its documents are published; a draft may change, a contract may not.

    Drop its `draft: true`.
    """


@about_definitions(Verdict.NEVER)
def version_backdated() -> None:
    """A new version is newer than the newest that is cut.

    Callers move through the versions in order: a new one must not be older than one that they have.

    Give it a later date, or `next`. If it was cut on a branch, take that cut back there
    (`git revert COMMIT`), merge, and cut it again on a later day.
    """


@about_definitions(Verdict.GATED)
def version_without_change() -> None:
    """A version has a visible change for its callers.

    An empty version makes them look for a change that is not there.

    Gate a change with its date, or mark it `undisclosed: true`.
    """


@about_definitions(Verdict.NEVER)
def default_moved() -> None:
    """The default version changes only as announced.

    Callers that name no version are suddenly served another one.

    Put the default back, or announce the move and wait for the day:
    `announcements: [{ default: DATE, from: DATE, announced: DATE }]`.
    """


@about_definitions(Verdict.GATED)
def policy_loosened() -> None:
    """The published policy applies until a looser one is published.

    Otherwise a change and the policy that allows it could pass together.

    Write the policy back; or waive this finding with a reason (`dateline waive policy-loosened
    POINTER`), publish the looser policy, and make the change after that.
    """


@about_definitions(Verdict.NEVER)
def version_header_changed() -> None:
    """The header that selects the version keeps its name.

    Callers that send it under the old name are served the default, not the version they request.
    Those that name an unknown version, and were served the nearest earlier one, are refused once
    `unknown: nearest` is gone, or the `form` has no such suffix any more.

    Write what was published back in the version table: the name as `header`, `unknown` and `form`.
    """


@about_definitions(Verdict.GATED)
def shown_as_changed() -> None:
    """A published version shows the same value in place of a member that it lacks.

    Its callers receive that value: another one, or none, is a change of their contract, though
    no document shows it.

    Write the published `x-shown-as` back. It may list values by date
    (`x-shown-as: {DATE: VALUE}`), so that only versions that are not published yet show another.
    """


@about_definitions(Verdict.GATED)
def older_name_changed() -> None:
    """A field, parameter or header keeps the name that it has in each published version.

    Callers of that version have its value under this name: the value of another field there, or
    none, is a change of their contract, though no document shows it.

    Write the published `x-was: {DATE: {name: OLD}}` back, on what was called OLD.
    """


@about_definitions(Verdict.NEVER)
def ignored_header_changed() -> None:
    """An operation keeps honouring the version header, or keeps ignoring it.

    Callers that send the header suddenly get responses of another version.

    Write the published tags back, in `ignores-header` of the version table and on the operation.
    """


@about_definitions(Verdict.GATED)
def announcement_unknown() -> None:
    """An announcement names a version that callers can request.

    A version that nobody can request can neither end nor become the default.

    Name a version of the table that is not a draft.
    """


@about_definitions(Verdict.GATED)
def notice_too_short() -> None:
    """Callers get the notice period of the policy.

    They have to change their programs, test and release them before the day.

    Set a later day in `from`; the notice is `notice-days` of the policy, 180 without it, and does
    not begin before the announcement is published. If an adopted API was announced to change
    before that, say where: `elsewhere: https://...`.
    """


@about_definitions(Verdict.NEVER)
def announcement_changed() -> None:
    """An announcement is kept; its day may only be postponed.

    Callers plan by it.

    Write the announcement back as it was published, or with a later `from`.
    """


@about_definitions(Verdict.GATED)
def brownout_too_soon() -> None:
    """A brownout is published at least 14 days before it begins.

    It is to show callers that their version ends; one that nobody expects is an outage.

    Let it begin on a later day. Brownouts that are published may be shortened or dropped at any
    time.
    """


@about_definitions(Verdict.GATED)
def brownout_too_long() -> None:
    """A brownout lasts 24 hours at most, and all those of a version 72.

    A version that is refused for longer has ended, without the notice that callers need.

    Shorten them, or leave some out.
    """


@about_definitions(Verdict.GATED)
def newest_ends() -> None:
    """The newest version does not end.

    Its callers would have nothing to move to.

    Cut a newer version first, or drop the announcement.
    """


@about_definitions(Verdict.GATED)
def default_ends() -> None:
    """The default moves before its version ends, and before its brownouts.

    Requests that name no version would have no version to be served.

    Announce the move for the same day or an earlier one:
    `announcements: [{ default: DATE, from: DATE, announced: DATE }]`.
    """


@about_definitions(Verdict.GATED)
def policy_rule_unknown() -> None:
    """The policy gives verdicts to rules that exist.

    A misspelt id has no effect on the intended rule.

    Use one of the ids that `dateline rules` lists.
    """


@about_definitions(Verdict.GATED)
def reason_missing() -> None:
    """A gate of a version that is not cut yet states its reason.

    The version table has `require-why: true`: callers learn why they have to change.

    Write `x-why` beside it, a sentence for callers.
    """


@about_definitions(Verdict.NEVER)
def environment_withdrawn() -> None:
    """An environment with published contracts stays.

    Its callers have no other address.

    Put it back into the table.
    """


@about_definitions(Verdict.GATED)
def default_environment_changed() -> None:
    """The first environment of the version table stays the first.

    Functions of the generated package and the mock use it where none is named: your code would
    suddenly send what another environment shows.

    Write it first again; or name the environment wherever your code calls `narrow`, `lift`,
    `render` or `parse`, and waive this finding.
    """


@about_definitions(Verdict.GATED)
def member_without_substitute() -> None:
    """A union member that a version lacks has a substitute for its callers.

    A required single value can't be left out, and they don't know the member.

    Give the member `x-shown-as: VALUE`, with a value that every version without it knows.
    """


@about_definitions(Verdict.GATED)
def request_without_way_up() -> None:
    """Every request of an older version can be converted to the newest.

    Handlers are written once, for the newest shape; what it demands must be there.

    Make it optional; or give it a `default` and run `dateline gate`, which keeps a new default from
    older versions. If it replaced what they send, write `x-was: {next: {name: OLD}}` on it, or
    `in-place-of` on the object. Let a new member of a `oneOf` require a field that others lack.
    """


@about_definitions(Verdict.GATED)
def response_without_way_down() -> None:
    """Every response can be converted for callers of every older version.

    Handlers are written once, for the newest version; callers get status 500 where their own
    declares no such status, or a body that what is left of a value does not fit.

    Declare errors without a gate, or a range such as `4XX`. Give the older success status or media
    type `x-removed`, and the new one the same schema. Let what may not fit be optional, or write
    `x-was` with its older keywords, and a converter. If no handler sends it, waive the finding.
    """


@about_definitions(Verdict.INFORMATION)
def body_without_content() -> None:
    """A response with status 204, 205 or 304 has no content (RFC 9110 section 15.3.5).

    The document declares a body that no client will see.

    Leave it if the specification declares it so; nothing is sent.
    """


@about_definitions(Verdict.GATED)
def waiver_expired() -> None:
    """A waiver is valid until the day it names.

    It was meant to be looked at again.

    Fix what it covers, or set a later day with a reason.
    """


@about_definitions(Verdict.GATED)
def waiver_unapproved() -> None:
    """A waiver is approved by someone who is entitled to.

    The policy names who that is, under `approvals`.

    Have one of them approve it, and write who it was under `approved-by`.
    """


@about_definitions(Verdict.GATED)
def waiver_unused() -> None:
    """A waiver covers a finding, or one that has been published since.

    One that covers nothing will hide the next change at its place.

    Delete it.
    """


@about_definitions(Verdict.INFORMATION)
def converter_demanded() -> None:
    """A draft lists the converters that it demands.

    The server needs a function of yours for each conversion that can't be derived from the
    definitions.

    Write the methods with the signatures given, and run `dateline try` with them.
    """


@about_definitions(Verdict.INFORMATION)
def removed_field_required() -> None:
    """A draft lists the fields that it removes from responses, and that older versions require.

    The code answers callers of all versions. The server, `versioned` and the proxy leave out what a
    version lacks, but can't make up what another one requires.

    Keep sending the field until the versions that require it have ended. If its value follows from
    other fields, write `x-was: {next: {in-place-of: …}}` on the object in place of `x-removed`, and
    a converter.
    """
