import { plansMessage } from "../actions/schedule/settle-message.ts";
import { movedEntry } from "../activity/moved.ts";
import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, type ForgeError, invalid, notFound, unprocessable } from "../errors.ts";
import { type OutgoingMessage, outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import type { Root } from "../git/store/refs/refs.table.ts";
import { readRefs } from "../git/store/refs/snapshot.ts";
import { changeRoot } from "../git/store/store.ts";
import { startJob } from "../jobs/job.ts";
import { mirrorDueWrites } from "../mirror/mirror.table.ts";
import { cardVisibilityWrites } from "../quota/card-usage.ts";
import { equals, exists } from "../table/condition.ts";
import { update, type Write } from "../table/write.ts";
import { followAtOnce } from "./fork/fork-changes.ts";
import { findForkPrivacy, isPrivateAfter } from "./fork/forks.ts";
import { repositoryFieldProblem } from "./internal/fields.ts";
import { nameMove } from "./internal/names.ts";
import { type UnitChanges, unitProblem, unitsAfter } from "./internal/units.ts";
import { repositoryDelta } from "./listing/index-writes.ts";
import { intervalProblem, mirrorAfter } from "./mirror.ts";
import {
  cardKey,
  isNameFree,
  type MergeSettings,
  type Repository,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameKey,
} from "./repository.table.ts";

/** The changes of a repository; absent members stay as they are. */
export interface RepositoryChanges extends UnitChanges {
  readonly name?: string;
  readonly description?: string;
  readonly website?: string;
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly isArchived?: boolean;
  /** Ignored when no such branch exists, unless the repository is empty. */
  readonly defaultBranch?: string;
  readonly merge?: Partial<MergeSettings>;
  /** Everybody who is signed in and may read the wiki may write it. */
  readonly isWikiOpen?: boolean;
  /** The SHA-256 of a picture; empty takes it away. */
  readonly avatar?: string;
  /** The change of its present topics. */
  readonly topics?: (current: readonly string[]) => readonly string[];
  /** A mirror becomes an ordinary repository. */
  readonly isMirror?: false;
  /** Of a pull mirror, each for itself (B-04); ignored elsewhere. */
  readonly mirrorInterval?: string;
  readonly mirrorPrunes?: boolean;
  /** What goes with the edit, in its transaction; without effect when nothing is changed, or git is touched. */
  readonly beside?: readonly Write[];
}

const mostAttempts = 10;

/**
 * Changes a repository and answers it after the change. Concurrent edits by others are kept: after a lost race it reads
 * again and repeats. 422 when a field is not valid or the new name is taken; NotFound when it is gone meanwhile.
 */
export async function editRepository(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  changes: RepositoryChanges,
): Promise<Repository> {
  let current = repository;
  for await (const _attempt of attempts(mostAttempts)) {
    const wanted = await withParentsVisibility(forge, current, changes);
    const problem = changesProblem(forge, actor, current, wanted);
    if (problem !== undefined) throw problem;
    const outcome = await attempt(forge, actor, current, wanted);
    if (outcome.kind === "done") {
      const isOtherwise = outcome.repository.isPrivate !== current.isPrivate;
      if (isOtherwise) await followAtOnce(forge, current.id, "visibility");
      await settleAtOnce(forge, current, outcome.repository);
      await send(forge, outcome.messages);
      return outcome.repository;
    }
    if (await isNameTaken(forge, current, wanted.name)) {
      throw unprocessable(`Name: the owner has a repository ${wanted.name} already`);
    }
    const found = await forge.table.get<Repository>(repositoryKey(repository.id));
    // The owner's rights were checked: a repository that belongs to somebody else by now is not changed.
    if (found?.state !== "live" || found.ownerId !== repository.ownerId) {
      throw notFound("the repository was deleted meanwhile, or has another owner by now");
    }
    current = found;
  }
  throw conflict("the repository is being changed by others; try again");
}

/** Plans that may be no more go before the answer; the worker makes good for what a crash leaves out (B-10). */
async function settleAtOnce(forge: Forge, before: Repository, after: Repository): Promise<void> {
  if (plansMessage(forge, before, after) === undefined) return;
  const { settlePlans } = await import("../actions/schedule/plans.ts"); // few edits need it
  await settlePlans(forge, after.id);
}

/**
 * A fork is as visible as its parent, whatever is asked (semantics §5); one that `FORCE_PRIVATE` made private stays so
 * unless it is to be public.
 */
async function withParentsVisibility(
  forge: Forge,
  { parentId, ...fork }: Repository,
  changes: RepositoryChanges,
): Promise<AttemptedChanges> {
  if (changes.isPrivate === undefined || parentId === undefined) return changes;
  const privacy = await findForkPrivacy(forge, parentId);
  if (privacy === undefined) return changes;
  const isPrivate = changes.isPrivate ? isPrivateAfter(forge, fork, privacy) : privacy.isPrivate;
  return { ...changes, isPrivate, when: privacy.stays };
}

/** Changes, and the condition for changes of visibility. */
interface AttemptedChanges extends RepositoryChanges {
  readonly when?: readonly Write[];
}

type Attempt =
  | {
      readonly kind: "done";
      readonly repository: Repository;
      readonly messages: readonly OutgoingMessage[];
    }
  | { readonly kind: "lost" };

/** One try, on the condition that nobody has edited the repository since it was read. */
async function attempt(
  forge: Forge,
  actor: Actor,
  current: Repository,
  { when = [], beside = [], ...changes }: AttemptedChanges,
): Promise<Attempt> {
  const touchesGit = changes.defaultBranch !== undefined || changes.isArchived !== undefined;
  if (!touchesGit) {
    const edited = withChanges(forge, current, changes);
    if (edited === current) return { kind: "done", repository: current, messages: [] };
    const { writes, messages } = await editWrites(forge, actor, current, edited, when);
    const outcome = await forge.table.transact([...writes, ...beside]);
    return outcome.committed ? { kind: "done", repository: edited, messages } : { kind: "lost" };
  }
  let edited = current;
  let messages: readonly OutgoingMessage[] = [];
  const outcome = await changeRoot(forge, current.id, async (root) => {
    const head = await headAfter(forge, root, changes.defaultBranch);
    const defaultBranch = head.slice(branchPrefix.length);
    edited = withChanges(forge, current, { ...changes, defaultBranch });
    if (edited === current) return undefined;
    const edit = await editWrites(forge, actor, current, edited, when);
    messages = edit.messages;
    // ROOT is written even when only the archive flag changes: a running push must look again.
    return { changes: { head }, extraWrites: edit.writes };
  });
  return outcome.kind === "done" ? { kind: "done", repository: edited, messages } : { kind: "lost" };
}

/** The ref that HEAD is to name. */
async function headAfter(forge: Forge, root: Root, branch: string | undefined): Promise<string> {
  if (branch === undefined) return root.head;
  const wanted = `${branchPrefix}${branch}`;
  if (root.branches === 0) return wanted;
  const refs = await readRefs(forge.table, root);
  return refs.find(wanted) === undefined ? root.head : wanted;
}

/** The repository after the changes; the same object when they change nothing. */
function withChanges(forge: Forge, current: Repository, changes: RepositoryChanges): Repository {
  const now = nowSeconds(forge.clock);
  const { ownerId } = current;
  const { formerNames } = nameMove(current, { ownerId, name: changes.name ?? current.name });
  const { name, description, website, isPrivate, isTemplate, defaultBranch } = changes;
  const isArchived = changes.isArchived ?? current.isArchived;
  const edited: Repository = {
    ...current,
    ...unitsAfter(forge.config, current, changes),
    ...mirrorAfter(current, changes, now),
    ...defined({ formerNames }),
    ...wikiAfter(changes),
    ...defined({ avatar: changes.avatar, topics: changes.topics?.(current.topics) }),
    name: name ?? current.name,
    description: description ?? current.description,
    website: website ?? current.website,
    isPrivate: isPrivate ?? current.isPrivate,
    isTemplate: isTemplate ?? current.isTemplate,
    isMirror: changes.isMirror ?? current.isMirror,
    isArchived,
    archivedAt: isArchived ? current.archivedAt || now : 0,
    defaultBranch: defaultBranch ?? current.defaultBranch,
    merge: { ...current.merge, ...changes.merge },
  };
  const isSame = Object.keys(changedAttributes(current, edited)).length === 0;
  return isSame ? current : { ...edited, updatedAt: now, v: current.v + 1 };
}

/** A wiki that is turned off is no longer open to all; turned on again it is like a new one. */
function wikiAfter({ hasWiki, isWikiOpen }: RepositoryChanges): Pick<Repository, "isWikiOpen"> {
  if (hasWiki === false) return { isWikiOpen: false };
  return defined({ isWikiOpen });
}

/** Only these are written: others, such as the number of count items, have writers of their own. */
function changedAttributes(before: Repository, after: Repository): Record<string, unknown> {
  const isSame = (name: string) => JSON.stringify(before[name]) === JSON.stringify(after[name]);
  return Object.fromEntries(Object.entries(after).filter(([name]) => !isSame(name)));
}

/**
 * The writes of an edit, and the messages after them: forks follow a change of visibility, languages follow the branch,
 * feeds tell of a new name.
 */
async function editWrites(
  forge: Forge,
  actor: Actor,
  before: Repository,
  after: Repository,
  when: readonly Write[],
): Promise<{ readonly writes: readonly Write[]; readonly messages: readonly OutgoingMessage[] }> {
  const { id } = before;
  const set = changedAttributes(before, after);
  const writes: Write[] = [
    update(repositoryKey(id), { set }, equals({ v: before.v, state: "live" })),
    repositoryDelta(after),
    ...(await cardEditWrites(forge, before, after)),
    ...nameMove(before, after).writes,
  ];
  if (before.mirror?.nextSyncAt !== after.mirror?.nextSyncAt) writes.push(...mirrorDueWrites(after));
  const messages: OutgoingMessage[] = [];
  if (before.isPrivate !== after.isPrivate) {
    const following = startJob(forge, "follow-visibility", { repositoryId: id });
    writes.push(following.write, ...when);
    messages.push(following.message);
  }
  if (before.defaultBranch !== after.defaultBranch) {
    const recount = outbox(forge, "repository-events", { kind: "recount-languages", repositoryId: id });
    writes.push(recount.write);
    messages.push(recount);
  }
  if (before.name !== after.name) {
    const moved = movedEntry(forge, { repositoryId: id, actorId: actor.user.id, name: before.name });
    writes.push(moved.write);
    messages.push(moved);
  }
  const plans = plansMessage(forge, before, after);
  if (plans !== undefined) {
    writes.push(plans.write);
    messages.push(plans);
  }
  return { writes, messages };
}

/** The card says what the repository is called, and counts its packs as public or private. */
async function cardEditWrites(
  forge: Forge,
  { id, ownerId, name, isPrivate }: Repository,
  after: Repository,
): Promise<Write[]> {
  const set = { name: after.name, isPrivate: after.isPrivate };
  if (isPrivate !== after.isPrivate) return cardVisibilityWrites(forge, after, set);
  return name === after.name ? [] : [update(cardKey(ownerId, id), { set, add: { v: 1 } }, exists)];
}

async function isNameTaken(forge: Forge, { id, ownerId }: Repository, name: string | undefined) {
  if (name === undefined) return false;
  const guard = await forge.table.get<RepositoryNameGuard>(repositoryNameKey(ownerId, name));
  return guard !== undefined && !isNameFree(guard) && guard.repositoryId !== id;
}

function changesProblem(
  { config }: Forge,
  actor: Actor,
  current: Repository,
  changes: RepositoryChanges,
): ForgeError | undefined {
  if (changes.isArchived === true && current.isMirror)
    return invalid("Archived", "a mirror can't be archived");
  const isPublished = changes.isPrivate === false && current.isPrivate;
  if (isPublished && config.forcePrivate && !actor.user.isAdmin) {
    return invalid("Private", "repositories are private here; ask an administrator");
  }
  return repositoryFieldProblem(changes) ?? unitProblem(changes) ?? intervalProblem(current, changes, config);
}
