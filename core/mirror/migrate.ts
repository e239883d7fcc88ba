import type { OwnerAccess } from "../access/owner-access.ts";
import type { Actor } from "../actor.ts";
import { branchNameProblem } from "../branch/name.ts";
import { conflict, forbidden, invalid, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { readRemoteRefs } from "../git/client/fetch.ts";
import { branchPrefix, isTextName } from "../git/refs/ref-name.ts";
import { defaultHookWrites } from "../hook/copy.ts";
import { nextId } from "../ids.ts";
import { waitForJob } from "../jobs/wait-for-job.ts";
import { ownerStays } from "../owner/deletion.ts";
import { type GivenCredentials, type GivenRemote, readRemoteAddress } from "../remote/remote-address.ts";
import { addressFor, hostProblem, sealCredentials } from "../remote/remote-client.ts";
import {
  commitNewRepository,
  limitProblem,
  newRepository,
  newRepositoryProblem,
  requireFreeName,
} from "../repository/create.ts";
import { creatorWrites } from "../repository/create-in-organization.ts";
import { formatInterval, parseInterval } from "../repository/mirror.ts";
import { removeRepository } from "../repository/removal/remove.ts";
import type { MirrorSettings, Repository } from "../repository/repository.table.ts";
import { absent } from "../table/condition.ts";
import { put } from "../table/write.ts";
import { type MirrorSource, mirrorSecretContext, mirrorSourceKey } from "./mirror.table.ts";
import { newSync } from "./request-sync.ts";
import { findSource } from "./source.ts";
import { syncJobId } from "./sync-job.ts";

/** A repository to bring over. */
export interface Migration {
  readonly address: string;
  readonly credentials: GivenCredentials;
  readonly name: string;
  readonly description?: string;
  readonly isPrivate?: boolean;
  readonly hasWiki?: boolean;
  /** Its objects of Git LFS come, too, where Git LFS is served here. */
  readonly hasLfs?: boolean;
  /** The address of its LFS server; empty: the usual one. */
  readonly lfsAddress?: string;
  /** It follows its source from then on. */
  readonly isMirror?: boolean;
  /** A length of time such as `8h30m0s`; the setting when absent. */
  readonly mirrorInterval?: string;
}

/** The source as it was checked before anything is made. */
interface Checked {
  readonly remote: GivenRemote;
  readonly lfs?: Pick<MirrorSource, "hasLfs" | "lfsUrl">;
  readonly mirror?: MirrorSettings;
}

/**
 * Brings a repository over from elsewhere (semantics §24.5, §66): its code and, when asked for, its wiki. Address, rights
 * and the source's refs are checked at once; then a job works, for which the request waits (D-MIGRATE). What
 * fails by then is 422, and no repository is left; what takes longer goes on, and the repository is empty meanwhile.
 */
export async function migrateRepository(
  forge: Forge,
  actor: Actor,
  access: OwnerAccess,
  migration: Migration,
): Promise<Repository> {
  const { owner, organization } = access;
  requireMigrations(forge, actor, access, migration);
  const checked = checkedMigration(forge, migration);
  const { remote, mirror } = checked;
  const given = {
    name: migration.name,
    description: migration.description ?? "",
    isPrivate: migration.isPrivate ?? false,
  };
  const problem = newRepositoryProblem(given) ?? (await limitProblem(forge, actor, owner));
  if (problem !== undefined) throw problem;
  await requireFreeName(forge, { ownerId: owner.id, name: given.name });
  const refs = await readRemoteRefs(addressFor(forge, remote));
  if (!refs.ok) throw unprocessable(`the repository can't be brought here: ${refs.reason.message}`);
  const id = await nextId(forge.table, "repository");
  const made: Repository = {
    ...newRepository(forge, owner, id, {
      ...given,
      objectFormat: refs.value.format,
      ...branchFrom(refs.value.head),
    }),
    ...{ isMigrating: true, originalUrl: remote.url },
    ...(mirror && { isMirror: true, mirror }),
  };
  const job = newSync(forge, made);
  const creation = organization === undefined ? () => [] : await creatorWrites(forge, actor, organization);
  const writes = [
    ...[ownerStays(owner.id), put(sourceOf(forge, actor, made, checked, migration), absent), job.write],
    ...[...creation(made), ...(await defaultHookWrites(forge, id))],
  ];
  await commitNewRepository(forge, actor, made, { owner, writes });
  await send(forge, [job.message]);
  return settled(forge, actor, made);
}

/** The repository as it is after the wait. */
async function settled(forge: Forge, actor: Actor, made: Repository): Promise<Repository> {
  await waitForJob(forge, syncJobId(made.id));
  const found = await findSource(forge, made.id);
  if (found === undefined) throw conflict("the repository was deleted meanwhile");
  const { repository, source } = found;
  if (repository.isMigrating !== true || source.endedAt === 0) return repository;
  await removeRepository(forge, actor, repository);
  throw unprocessable(`the repository can't be brought here: ${source.problem ?? "the source gave up"}`);
}

function requireMigrations(
  { config }: Forge,
  actor: Actor,
  { owner, organization }: OwnerAccess,
  { isMirror }: Migration,
): void {
  if (config.disableMigrations) throw forbidden("repositories can't be brought over here");
  if (isMirror && (config.disableMirrors || config.disableNewPullMirrors)) {
    throw forbidden("repositories can't follow others here");
  }
  const mayCreate = organization === undefined ? owner.id === actor.user.id : organization.isOwner;
  if (!mayCreate && !actor.user.isAdmin) {
    throw forbidden("only owners may bring repositories over for others than themselves");
  }
}

function checkedMigration(forge: Forge, { address, credentials, ...migration }: Migration): Checked {
  const remote = readRemoteAddress(address, credentials);
  if (typeof remote === "string") throw invalid("CloneAddr", remote);
  const refusal = hostProblem(forge, remote.url);
  if (refusal !== undefined) throw invalid("CloneAddr", refusal);
  return {
    remote,
    ...(migration.hasLfs && forge.config.lfsStartServer && { lfs: lfsOf(forge, migration.lfsAddress) }),
    ...(migration.isMirror && { mirror: firstSettings(forge, migration.mirrorInterval) }),
  };
}

/** Checked like the address of the repository (semantics §66). */
function lfsOf(forge: Forge, address = ""): NonNullable<Checked["lfs"]> {
  if (address.trim() === "") return { hasLfs: true };
  const remote = readRemoteAddress(address);
  if (typeof remote === "string") throw invalid("LfsEndpoint", remote);
  if (remote.credentials !== undefined) {
    throw invalid("LfsEndpoint", "name no user here: those of the repository are used on the same host");
  }
  const refusal = hostProblem(forge, remote.url);
  if (refusal !== undefined) throw invalid("LfsEndpoint", refusal);
  return { hasLfs: true, lfsUrl: remote.url };
}

function firstSettings({ config }: Forge, interval = ""): MirrorSettings {
  const seconds = interval === "" ? config.mirrorDefaultIntervalSeconds : parseInterval(interval);
  if (seconds === undefined) throw invalid("MirrorInterval", "expected a length of time such as 8h30m0s");
  const least = config.mirrorMinIntervalSeconds;
  if (seconds > 0 && seconds < least)
    throw invalid("MirrorInterval", `expected 0, or at least ${formatInterval(least)}`);
  return { intervalSeconds: seconds, prunes: true, syncedAt: 0, nextSyncAt: 0 };
}

/** The default branch by the source's HEAD; the installation's usual one when that can't be. */
function branchFrom(head: string | undefined): { readonly defaultBranch?: string } {
  if (head === undefined || !head.startsWith(branchPrefix) || !isTextName(head)) return {};
  const defaultBranch = head.slice(branchPrefix.length);
  return branchNameProblem(defaultBranch, "DefaultBranch") === undefined ? { defaultBranch } : {};
}

function sourceOf(
  forge: Forge,
  actor: Actor,
  { id }: Repository,
  { remote: { url, credentials }, lfs }: Checked,
  { hasWiki = false }: Migration,
): MirrorSource {
  const sealed = sealCredentials(forge, mirrorSecretContext(id), credentials);
  return {
    ...mirrorSourceKey(id),
    ...{ repositoryId: id, url, userId: actor.user.id, hasWiki, failures: 0, endedAt: 0 },
    ...(sealed !== undefined && { credentials: sealed }),
    ...lfs,
    v: 1,
    _v: 1,
  };
}
