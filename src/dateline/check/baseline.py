"""Read the published documents of a baseline, by version and environment."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from dateline.bundle import (
    Document,
    Readings,
    SourceFile,
    read_source,
)
from dateline.check.approvals import FILE_OF_OWNERS
from dateline.check.documents import read_document
from dateline.check.edited import explain_edited
from dateline.check.folders import CommittedFolder, OutputFolder
from dateline.check.git import Blob, GitError, NoRepositoryError, Repository
from dateline.check.indexes import is_index, offers, read_index
from dateline.check.policy import FILE as POLICY
from dateline.check.policy import PolicyRecord
from dateline.fresh import OWNERS
from dateline.manifest import read_digests
from dateline.model import (
    EVERYWHERE,
    Announcement,
    Artifact,
    Combination,
    DatelineError,
    Place,
    Problem,
    SourceError,
    Table,
)
from dateline.paths import name_path
from dateline.source.reader import UnreadableFileError
from dateline.versions import DATED, order

_DOCUMENT: Final = re.compile(rf"spec/([^/]+)/({DATED})\.json")


class BaselineError(DatelineError):
    """The baseline can't be read, and to report no changes would be a guess."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """The published documents. ``label`` says where they were read.

    ``default``, ``announcements`` and ``policy`` are None if unknown. For ``unrecorded`` documents
    dateline wrote a policy that is lost. ``lost`` are the digests of what was edited or deleted
    since it was generated, by path. ``owners`` is the text of CODEOWNERS if it decided on
    approvals, as far as git has it. During a merge of branches that both changed a document,
    ``elsewhere`` has it as it was before (None if it is new) and on the other branch.
    """

    label: str
    documents: dict[Combination, Document] = field(default_factory=dict)
    default: str | None = None
    announcements: tuple[Announcement, ...] | None = None
    policy: PolicyRecord | None = None
    unrecorded: bool = False
    lost: Mapping[str, Collection[str]] = field(default_factory=dict)
    owners: str | None = None
    elsewhere: Mapping[Combination, tuple[Document | None, Document]] = field(default_factory=dict)

    @property
    def other_side(self) -> Published:
        """The documents that both branches of a merge changed, as the other one publishes them."""
        return replace(
            self,
            documents={key: theirs for key, (_, theirs) in self.elsewhere.items()},
            elsewhere={
                key: (before, self.documents[key]) for key, (before, _) in self.elsewhere.items()
            },
        )

    def judging_record(self, table: Table) -> PolicyRecord | None:
        """Return the policy that applies besides that of *table*, or None."""
        return PolicyRecord.assume(table) if self.unrecorded else self.policy

    def of(self, combination: Combination) -> Document:
        """Return the document of *combination*, or that of its version without an environment."""
        alone = combination._replace(environment=EVERYWHERE)
        return self.documents.get(combination) or self.documents[alone]

    @property
    def settled(self) -> tuple[Mapping[str, Any], ...] | None:
        """The rows of the waivers that were in force when it was generated.

        None if only bare documents are known, or nothing, as in a new output folder: then any
        waiver may have been in force.
        """
        if self.policy is not None:
            return self.policy.waivers
        return None if self.announcements is None else ()

    @property
    def versions(self) -> tuple[str, ...]:
        """The published versions, oldest first."""
        recorded = self.policy.versions or () if self.policy else ()
        found = {*recorded, *(known.version for known in self.documents)}
        return tuple(sorted(found, key=order))

    @property
    def environments(self) -> tuple[str, ...]:
        return tuple(sorted({combination.environment for combination in self.documents}))


def read_tree(output: Path, *, restoring: bool = False) -> Published:
    """Read the *output* folder; empty if it has never been generated.

    Raises BaselineError for a document that was edited by hand, unless *restoring*, which skips
    such documents.
    """
    manifest, folder = read_digests(output), OutputFolder(output)
    found = [path.relative_to(output).as_posix() for path in sorted(output.glob("spec/*/*.json"))]
    names = [name for name in found if _DOCUMENT.fullmatch(name) or is_index(name)]
    names += _list_policy(output)
    if restoring and POLICY in names and not _is_policy(output):
        names.remove(POLICY)
    edited = [
        name for name in names if name in manifest and folder.digest(name) not in manifest[name]
    ]
    if edited and not restoring:
        raise BaselineError(explain_edited(output, edited))
    names = [name for name in names if name not in edited]
    name = name_path(output)
    label, prefix = f"the documents in {name}/spec", f"{name}/"
    published = _read_published(label, names, folder, prefix, Readings())
    recorded = published.policy.names if published.policy else ()
    listed = recorded or [*filter(_DOCUMENT.fullmatch, manifest)]
    lost = {name: manifest.get(name, set()) for name in listed if name not in names}
    return replace(published, lost=lost)


def _explain_deleted(root: str, name: str) -> str:
    return (
        f"{root}/{name}:1:1: baseline-edited: the published document was deleted; restore it "
        f"from version control, or compare with `--against REF`"
    )


def require_restored(published: Published, artifacts: Iterable[Artifact], output: Path) -> None:
    """Raise BaselineError if *artifacts*, about to be written, differ from what is lost.

    What was edited or deleted must be restored byte for byte, or can't be compared.
    """
    contents = {each.path: each for each in artifacts} if published.lost else {}
    for name, digests in sorted(published.lost.items()):
        found = contents.get(name)
        if found is None or sha256(found.content).hexdigest() not in digests:
            raise BaselineError(
                f"{name_path(output / name)}:1:1: baseline-edited: the published document was "
                f"edited or deleted, and the definitions no longer generate it as it was; restore "
                f"it from version control or a backup"
            )


def read_own_baseline(output: Path) -> Published:
    """Return the published documents: those of *output*, or of the last commit if different.

    Uncommitted outputs are not binding yet. Outside of git, and if nothing of the folder is
    committed, the folder decides. Raises BaselineError as ``read_tree`` does.
    """
    published = _prefer_committed(read_tree(output), output)
    if published.lost:
        raise BaselineError(_explain_deleted(name_path(output), min(published.lost)))
    return published


def read_before_writing(output: Path) -> Published:
    """Return the published documents that a run which writes to *output* must not break.

    Documents that were edited by hand or deleted are about to be restored, and are ``lost`` if git
    has none.
    """
    return _prefer_committed(read_tree(output, restoring=True), output)


def is_committed(folder: Path, beside: Path, reference: str = "HEAD") -> bool:
    """Return whether *reference*, in the repository of *beside*, has a file in *folder*."""
    try:
        return Repository(beside).has_file(folder, reference)
    except NoRepositoryError:
        return False


def is_as_committed(output: Path) -> bool:
    """Return whether the last commit publishes what is in *output*, and no merge is in progress.

    Outside of git there is no such commit, and the folder decides.
    """
    try:
        repository = Repository(output)
    except NoRepositoryError:
        return True
    return not (repository.is_merging() or _list_uncommitted(repository, output))


def _list_uncommitted(repository: Repository, output: Path) -> list[str]:
    return repository.list_uncommitted([output / "spec", output / POLICY])


def _prefer_committed(tree: Published, output: Path) -> Published:
    """Return what the last commit publishes in *output*, or *tree* if that is the same."""
    try:
        repository = Repository(output)
    except NoRepositoryError:
        return _with_policy(tree, output)
    head = repository.head()
    if head is None or not (repository.is_merging() or _list_uncommitted(repository, output)):
        return _with_owners(_with_policy(tree, output), repository, head)
    committed = _read_commit(repository, "HEAD", output)
    if not committed.documents:
        return _with_policy(tree, output)
    return _merge(repository, tree, committed, output) if repository.is_merging() else committed


def _read_commit(repository: Repository, reference: str, output: Path) -> Published:
    return _read_revision(repository, reference, output, Readings(), list_former=lambda _: [])


def _merge(
    repository: Repository, tree: Published, committed: Published, output: Path
) -> Published:
    """Return what both branches of a merge publish; the *committed* one is ours.

    As git does, what the branches announce is taken from the *tree*, and each document from the
    branch that changed it.
    """
    ours, merged = committed.documents, _read_commit(repository, "MERGE_HEAD", output)
    base = repository.find_merge_base()
    before = _read_commit(repository, base, output).documents if base else {}
    documents, elsewhere = {**merged.documents, **ours}, {}
    for key in ours.keys() & merged.documents.keys():
        theirs, origin = merged.documents[key], before.get(key)
        if origin is not None and ours[key].data == origin.data:
            documents[key] = theirs
        elif theirs.data not in (ours[key].data, origin.data if origin else None):
            elsewhere[key] = origin, theirs
    announced = committed.announcements if tree.announcements is None else tree.announcements
    default = tree.default or committed.default
    return replace(
        tree,
        label=f"{committed.label} and {merged.label}",
        documents=documents,
        elsewhere=elsewhere,
        default=default,
        announcements=announced,
        policy=_join_waivers(committed.policy, merged.policy),
        unrecorded=committed.unrecorded,
        lost={},
        owners=committed.owners,
    )


def _join_waivers(ours: PolicyRecord | None, theirs: PolicyRecord | None) -> PolicyRecord | None:
    """Return our policy; the waivers of the other branch are settled as well."""
    if ours is None or theirs is None:
        return ours
    others = [row for row in theirs.waivers if row not in ours.waivers]
    return replace(ours, waivers=(*ours.waivers, *others))


def _with_owners(published: Published, repository: Repository, commit: str | None) -> Published:
    """Return *published* with the text of CODEOWNERS in *commit*, if owners approve."""
    if commit is None or not published.policy or FILE_OF_OWNERS not in published.policy.approvals:
        return published
    files = {blob.name: blob for blob in repository.files(commit, *OWNERS)}
    found = [files[name] for name in OWNERS if name in files][:1]
    text = b"".join(repository.contents(found)).decode("utf-8", errors="replace")
    return replace(published, owners=text)


def _with_policy(tree: Published, output: Path) -> Published:
    """Return *tree*. Raises BaselineError if the policy that it was generated with is gone."""
    if tree.documents and tree.policy is None and POLICY in read_digests(output):
        raise BaselineError(
            f"{name_path(output / POLICY)}:1:1: baseline-edited: the record of the published "
            f"policy was deleted or edited by hand, so it is unknown which policy applies; "
            f"restore it from version control or a backup, or compare with `--against REF`"
        )
    return _mark_unrecorded(tree)


def _mark_unrecorded(published: Published) -> Published:
    """Return *published*, marked and labelled if dateline wrote a policy that is gone."""
    if not published.documents or published.policy is not None:
        return published
    label = f"{published.label}, whose policy.json is gone: the built-in preset applies"
    return replace(published, label=label, unrecorded=True)


def _list_policy(root: Path) -> list[str]:
    return [POLICY] if (root / POLICY).is_file() else []


def _is_policy(output: Path) -> bool:
    try:
        source = read_source(OutputFolder(output).content(POLICY), POLICY, [], Readings())
        return source is not None and bool(_read_policy(source))
    except (BaselineError, UnreadableFileError):
        return False


def _read_policy(source: SourceFile) -> PolicyRecord:
    try:
        return PolicyRecord.read(source.root)
    except ValueError as error:
        raise BaselineError(f"{source.name}:1:1: baseline-unreadable: {error}") from error


def read_baseline(
    reference: str,
    output: Path,
    readings: Readings | None = None,
    *,
    list_former: Callable[[list[Path]], list[Path]] = lambda outputs: outputs,
) -> Published:
    """Return what *reference* names: a folder, a document (see `read_document`), or a revision.

    A folder is an output folder or the ``spec`` folder in it. For a git revision the documents of
    the *output* folder are read, or those of the only one that may be the same before it was
    renamed: *list_former* chooses from all output folders. What is compared with them is read in
    the same *readings*. Raises BaselineError with the way out if that is impossible.
    """
    path = Path(reference)
    readings = readings or Readings()
    if os.path.lexists(path):
        _require_no_revision(reference, output)
    if path.is_dir():
        of_environment = path.parent.name == "spec"
        root = path.parents[1] if of_environment else path.parent if path.name == "spec" else path
        found = path.glob("*.json") if of_environment else root.glob("spec/*/*.json")
        names = [one.relative_to(root).as_posix() for one in found]
        if not names and not of_environment:
            raise BaselineError(f"{path}: baseline-empty: no spec/*/*.json is in this folder")
        names += _list_policy(root)
        where = name_path(root)
        published = _read_published(str(path), names, OutputFolder(root), f"{where}/", readings)
        # those of all versions, in the environments that were copied
        copied = {name.rpartition("/")[0] for name in names}
        _require_all(published, names, where, lambda name: name.rpartition("/")[0] in copied)
        return published
    if (named := read_document(reference, readings)) is not None:
        label, document = named
        info = document.content.get("info")
        version = info.get("version", "") if isinstance(info, dict) else ""
        return Published(label=label, documents={Combination(str(version), ""): document})
    try:
        repository = Repository(output)
    except NoRepositoryError as error:
        raise BaselineError(
            f"{reference}: revision-unknown: no path has this name, and {output} is in no git "
            f"repository; name a folder or a document"
        ) from error
    return _read_revision(repository, reference, output, readings, list_former=list_former)


def _require_no_revision(reference: str, output: Path) -> None:
    """Raise BaselineError if *reference*, a path, is a git revision too.

    Otherwise whoever adds a folder called `origin/main` decides what is compared with.
    """
    try:
        is_revision = not reference.startswith((".", "/")) and Repository(output).has(reference)
    except GitError:
        return
    if is_revision:
        raise BaselineError(
            f"{reference}: baseline-ambiguous: this is a path and a git revision; write "
            f"./{reference} for the path, {reference}^0 for the revision"
        )


def _read_revision(
    repository: Repository,
    reference: str,
    output: Path,
    readings: Readings,
    *,
    list_former: Callable[[list[Path]], list[Path]],
) -> Published:
    commit = repository.commit(reference)
    roots: dict[str, list[Blob]] = {}
    files: dict[str, Blob] = {}
    policies: dict[str, Blob] = {}
    for blob in repository.files(commit):
        files[blob.name] = blob
        place = PurePosixPath(blob.name)
        if place.name == POLICY:
            policies[place.parent.as_posix()] = blob
        if len(place.parts) > 2 and place.parts[-3] == "spec" and place.suffix == ".json":
            roots.setdefault(place.parents[2].as_posix(), []).append(blob)
    root = repository.relative(output)
    if root in policies:
        roots.setdefault(root, [])
    label = f"git {reference} ({commit[:7]})"
    if root not in roots:
        with_index = {
            repository.top / found: found
            for found, blobs in roots.items()
            if any(is_index(blob.name) for blob in blobs)
        }
        former = [with_index[found] for found in list_former([*with_index])]
        if len(former) > 1:
            raise BaselineError(
                f"{root}: baseline-ambiguous: {label} has no such folder, but "
                f"{', '.join(sorted(former))}; name one with --output"
            )
        if not former:
            return Published(label=f"{label}, where nothing is published")
        root = former[0]
        label += f", {root}/"
    blobs = [*roots[root], *([policies[root]] if root in policies else [])]
    known = dict(zip(blobs, repository.contents(blobs), strict=True))
    prefix = "" if root == "." else f"{root}/"
    tree = CommittedFolder(repository, files, prefix, known)
    names = [blob.name.removeprefix(prefix) for blob in blobs]
    published = _mark_unrecorded(_read_published(label, names, tree, prefix, readings))
    _require_all(published, names, f"{label}, {root}")
    return _with_owners(published, repository, commit)


def _require_all(
    published: Published,
    names: Collection[str],
    root: str,
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> None:
    """Raise BaselineError if *names* lack a wanted document of the record of *published*."""
    for name in published.policy.names if published.policy else ():
        if name not in names and is_wanted(name):
            raise BaselineError(_explain_deleted(root, name))


def _restore(document: Document, policy: PolicyRecord | None, version: str) -> Document:
    """Return *document* without what *policy* has it show in addition to its contract."""
    if policy is None or not policy.is_shown:
        return document
    restore = partial(policy.restore, version=version)
    return replace(document, restore=restore, is_meant=policy.oddities)


def _read_published(
    label: str,
    names: Iterable[str],
    tree: OutputFolder | CommittedFolder,
    prefix: str,
    readings: Readings,
) -> Published:
    documents: dict[Combination, Document] = {}
    indexes: dict[str, SourceFile] = {}
    policy: PolicyRecord | None = None
    problems: list[Problem] = []
    for name in sorted(names):
        try:
            content = tree.content(name)
        except UnreadableFileError as error:
            place = Place(prefix + name, 1, 1)
            problems.append(Problem(place=place, id=error.kind, message=error.message))
            continue
        if found := _DOCUMENT.fullmatch(name):
            documents[Combination(found[2], found[1])] = Document(
                name=prefix + name, data=content, files=tree.around, path=name, readings=readings
            )
            continue
        source = read_source(content, prefix + name, problems, Readings())
        if source is not None and is_index(name):
            indexes[name.split("/")[1]] = source
        elif source is not None and name == POLICY:
            policy = _read_policy(source)
    if problems:
        raise SourceError(problems)
    # a draft has documents too, but is not offered to callers
    documents = {
        combination: _restore(document, policy, combination.version)
        for combination, document in documents.items()
        if offers(policy, indexes.get(combination.environment), combination.version)
    }
    if not documents:
        return Published(label=f"{label}, where nothing is published", policy=policy)
    default, announcements = read_index(next(iter(indexes.values()), None))
    if policy is not None:
        default = policy.default
        announcements = announcements if policy.announcements is None else policy.announcements
    return Published(
        label=label,
        documents=documents,
        default=default or None,
        announcements=announcements,
        policy=policy,
    )
