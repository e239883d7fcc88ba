import type { Actor } from "../actor.ts";
import { nowSeconds } from "../clock.ts";
import { conflict, type ForgeError, invalid, isForgeError, unavailable, unprocessable } from "../errors.ts";
import { type OutboxEntry, outbox, send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { branchPrefix } from "../git/refs/ref-name.ts";
import { commitPush } from "../git/store/push/commit-push.ts";
import { newRoot, plannedRoot } from "../git/store/store.ts";
import { defaultHookWrites } from "../hook/copy.ts";
import { repositoryEvent } from "../hook/events.ts";
import { nextId } from "../ids.ts";
import { ownerStays, requireStaying } from "../owner/deletion.ts";
import type { Owner } from "../owner/owner.ts";
import { cardTotalsWrites } from "../quota/card-usage.ts";
import { firstWatchWrites } from "../star-watch/star-watch.table.ts";
import { absent } from "../table/condition.ts";
import { put, type Write } from "../table/write.ts";
import { defaultMerge, defaultTracker, firstUnits } from "./internal/defaults.ts";
import { repositoryFieldProblem } from "./internal/fields.ts";
import { createFirstCommit, type FirstCommit } from "./internal/first-commit.ts";
import { chooseTemplates, labelWrites, templateFiles } from "./internal/templates.ts";
import { repositoryDelta } from "./listing/index-writes.ts";
import { pushEvent } from "./push.ts";
import {
  cardKey,
  cardPrefix,
  countsKey,
  isNameFree,
  type ObjectFormatName,
  ownerPartition,
  type Repository,
  type RepositoryCard,
  type RepositoryNameGuard,
  repositoryKey,
  repositoryNameIsFree,
  repositoryNameKey,
} from "./repository.table.ts";

/** The parts of a new repository; the settings fill in absent ones. */
export interface NewRepository {
  readonly name: string;
  readonly description?: string;
  readonly isPrivate?: boolean;
  readonly isTemplate?: boolean;
  readonly defaultBranch?: string;
  readonly objectFormat?: string;
  /** Makes a first commit that holds a README. */
  readonly hasReadme?: boolean;
  /** The template of the README: `Default`, also for an empty name. */
  readonly readmeTemplate?: string;
  /** Names of templates, separated by commas, and the key of a license, for a first commit. */
  readonly gitignoreTemplates?: string;
  readonly licenseTemplate?: string;
  /** The set of labels to begin with. */
  readonly labelTemplate?: string;
}

/**
 * Creates a repository of `owner`. 409 when they have one of that name, in any case; 422 when a field is not valid,
 * when they may own no more repositories, or when there is no such template; 400 when there is no such README template.
 * `writesFor` answers further writes of its transaction.
 */
export async function createRepository(
  forge: Forge,
  actor: Actor,
  owner: Owner,
  given: NewRepository,
  writesFor: (repository: Repository) => readonly Write[] = () => [],
): Promise<Repository> {
  const problem = newRepositoryProblem(given) ?? (await limitProblem(forge, actor, owner));
  if (problem !== undefined) throw problem;
  const templates = await chooseTemplates(given);
  const repository = newRepository(forge, owner, await nextId(forge.table, "repository"), given);
  const own = [
    ...(await labelWrites(forge, repository, templates)),
    ...(await defaultHookWrites(forge, repository.id)),
  ];
  const alongside = { owner, writes: [ownerStays(owner.id), ...writesFor(repository), ...own] };
  if (given.hasReadme !== true) return commitNewRepository(forge, actor, repository, alongside);
  return commitWithFirst(
    forge,
    actor,
    repository,
    alongside,
    await createFirstCommit(forge, repository, actor.user, templateFiles(forge, owner, templates)),
  );
}

/** Further writes of the transaction that creates a repository; its owner must stay. */
export interface Alongside {
  readonly owner: Owner;
  readonly writes: readonly Write[];
}

/** A repository in its first state; the settings fill in absent parts. */
export function newRepository(forge: Forge, owner: Owner, id: number, given: NewRepository): Repository {
  const now = nowSeconds(forge.clock);
  return {
    ...repositoryKey(id),
    id,
    ownerId: owner.id,
    name: given.name,
    description: given.description ?? "",
    website: "",
    isPrivate: forge.config.forcePrivate || (given.isPrivate ?? false),
    isFork: false,
    isMirror: false,
    isTemplate: given.isTemplate ?? false,
    isArchived: false,
    archivedAt: 0,
    isEmpty: true,
    state: "live",
    units: firstUnits(forge.config, { isFork: false }),
    topics: [],
    defaultBranch: given.defaultBranch || forge.config.defaultBranch,
    objectFormat: (given.objectFormat || "sha1") as ObjectFormatName,
    merge: defaultMerge(forge.config),
    tracker: defaultTracker(forge.config),
    ...(forge.config.defaultCloseIssuesInAnyBranch ? { closesIssuesInAnyBranch: true } : {}),
    shards: 1,
    createdAt: now,
    updatedAt: now,
    v: 1,
    _v: 1,
  };
}

/** Stores a repository without commits. */
export async function commitNewRepository(
  forge: Forge,
  actor: Actor,
  repository: Repository,
  alongside: Alongside,
): Promise<Repository> {
  const { id, objectFormat, defaultBranch } = repository;
  const event = createdEvent(forge, actor, id);
  const root = newRoot(id, { format: objectFormat, defaultBranch });
  const creation = creationWrites(repository, watcherOf(forge, actor, alongside.owner));
  const writes = [root, ...creation, event.write, ...alongside.writes];
  const outcome = await forge.table.transact(writes).catch(async (error: unknown) => {
    if (!isForgeError(error, "unavailable") || !(await isThere(forge, id))) throw error;
    return { committed: true, conflicts: 0 } as const;
  });
  if (!outcome.committed) {
    if (outcome.failed.includes(nameGuardAt)) throw nameTaken();
    await requireStaying(forge, alongside.owner);
    throw conflict("the owner is being changed by others; try again");
  }
  await send(forge, [event]);
  return repository;
}

/** Whether a transaction without an answer was applied after all. */
const isThere = async ({ table }: Forge, id: number): Promise<boolean> =>
  (await table.get(repositoryKey(id))) !== undefined;

/** Creates a repository together with its first commit: a push whose transaction creates all the rest too. */
export async function commitWithFirst(
  forge: Forge,
  actor: Actor,
  planned: Repository,
  alongside: Alongside,
  commit: FirstCommit,
): Promise<Repository> {
  const { id, objectFormat, defaultBranch } = planned;
  const event = createdEvent(forge, actor, id);
  const repository = { ...planned, isEmpty: false };
  await requireFreeName(forge, planned);
  const outcome = await commitPush(forge, id, {
    creates: plannedRoot(id, { format: objectFormat, defaultBranch }),
    changes: [{ name: `${branchPrefix}${defaultBranch}`, new: commit.id }],
    pusherId: actor.user.id,
    pack: commit.pack,
    source: "create",
    async extraWrites(facts) {
      await Promise.all([requireFreeName(forge, planned), requireStaying(forge, alongside.owner)]);
      const size = { gitBytes: facts.grownBytes, pushedAt: repository.createdAt };
      const writes = creationWrites(repository, watcherOf(forge, actor, alongside.owner), size);
      return [...writes, event.write, pushEvent(forge, facts, actor).write, ...alongside.writes];
    },
  });
  if (outcome.kind !== "done" || outcome.facts === undefined) {
    throw unavailable("the repository could not be created just now; try again");
  }
  await send(forge, [event, pushEvent(forge, outcome.facts, actor)]);
  return repository;
}

/** 409 when the owner has a repository of this name. */
export async function requireFreeName(
  forge: Forge,
  repository: Pick<Repository, "ownerId" | "name"> & Partial<Pick<Repository, "id">>,
): Promise<void> {
  const key = repositoryNameKey(repository.ownerId, repository.name);
  const guard = await forge.table.get<RepositoryNameGuard>(key);
  // After a lost answer to its transaction the guard may be its own: the push finds that out by itself.
  if (!isNameFree(guard) && guard?.repositoryId !== repository.id) throw nameTaken();
}

/** In the family's words, which its clients compare. */
const nameTaken = () => conflict("The repository with the same name already exists.");

export const createdEvent = (forge: Forge, actor: Actor, repositoryId: number): OutboxEntry =>
  outbox(
    forge,
    "repository-events",
    repositoryEvent({
      kind: "repository-created",
      repositoryId,
      actorId: actor.user.id,
      at: forge.clock.now(),
    }),
  );

/** The place of the name's guard among the writes, behind ROOT. */
const nameGuardAt = 1;

/** The first watcher of a new repository: its user, or in an organization its creator. */
export function watcherOf({ config }: Forge, actor: Actor, owner: Owner): number | undefined {
  if (!config.autoWatchNewRepos) return undefined;
  return owner.kind === "user" ? owner.id : actor.user.id;
}

/** All items of a new repository except ROOT; the first takes the name. */
export function creationWrites(
  repository: Repository,
  watcherId: number | undefined,
  size: Pick<RepositoryCard, "gitBytes" | "pushedAt"> = { gitBytes: 0, pushedAt: 0 },
): Write[] {
  const { id, ownerId, name, isPrivate } = repository;
  const guard: RepositoryNameGuard = { ...repositoryNameKey(ownerId, name), repositoryId: id, _v: 1 };
  const card: RepositoryCard = {
    ...cardKey(ownerId, id),
    repositoryId: id,
    name,
    isPrivate,
    ...size,
    v: 1,
    _v: 1,
  };
  return [
    put(guard, repositoryNameIsFree),
    put(repository, absent),
    put({ ...countsKey(id, 0), ...(watcherId === undefined ? {} : { watchers: 1 }), _v: 1 }, absent),
    put(card, absent),
    ...cardTotalsWrites(ownerId, card, 1),
    repositoryDelta(repository),
    ...(watcherId === undefined ? [] : firstWatchWrites(id, watcherId, repository.createdAt)),
  ];
}

/** The first invalid part of a new repository, or undefined when all are valid. */
export function newRepositoryProblem(given: NewRepository): ForgeError | undefined {
  const { objectFormat = "", defaultBranch, ...rest } = given;
  if (!["", "sha1", "sha256"].includes(objectFormat)) return invalid("ObjectFormatName", "In sha1, sha256");
  return repositoryFieldProblem(defaultBranch ? { ...rest, defaultBranch } : rest);
}

/**
 * Why an owner may have no more repositories. Administrators are exempt; two requests at once may exceed the limit by
 * one.
 */
export async function limitProblem(
  forge: Forge,
  actor: Actor,
  owner: Owner,
): Promise<ForgeError | undefined> {
  const most = owner.repositoryLimit < 0 ? forge.config.maxCreationLimit : owner.repositoryLimit;
  if (most < 0 || actor.user.isAdmin) return undefined;
  const cards = { pk: ownerPartition(owner.id), prefix: cardPrefix };
  if (most > 0 && (await forge.table.queryAll({ ...cards, limit: most })).length < most) return undefined;
  return unprocessable(`the owner may have at most ${most} repositories`);
}
