import type { Actor } from "../actor.ts";
import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, notFound, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "../jobs/job.ts";
import { runJob } from "../jobs/run.ts";
import type { ForgottenUser } from "../lifecycle/end-of-user.ts";
import { listOrganizationsOfUser } from "../organization/list.ts";
import { markForDeletion, unmarkDeletion } from "../owner/deletion.ts";
import { nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import { hasPackages } from "../package/package.ts";
import { hasRepositories } from "../repository/listing/list.ts";
import { equals } from "../table/condition.ts";
import { remove, type Write } from "../table/write.ts";
import { lastAdministrator, leavesAdministrators } from "../user/administrators.ts";
import { addressKeys, listEmails } from "../user/emails.ts";
import { userTombstone } from "../user/listing.ts";
import type { User } from "../user/user.table.ts";

const mostAttempts = 20;
/** How long a caller waits for a purge. The rest goes on without the caller. */
const waitedForMs = 10_000;

/**
 * Deletes a user. One transaction hides them from everybody and frees their name and addresses; a job removes the rest.
 * Their issues and comments stay, as the ghost user's. 422 for oneself, for the last administrator (B-06), and for
 * users who own repositories or are in an organization: a mark prevents both while this looks for them.
 */
export async function removeAccount(forge: Forge, actor: Actor, user: User): Promise<void> {
  requireOther(actor, user);
  const marked = await markForDeletion(forge, user);
  const problem = await whatIsLeft(forge, actor, marked);
  if (problem !== undefined) {
    await unmarkDeletion(forge, marked);
    throw unprocessable(problem);
  }
  try {
    const job = await commitRemoval(forge, actor, marked, false);
    await send(forge, [job.message]);
  } catch (error) {
    await unmarkDeletion(forge, marked);
    throw error;
  }
}

/**
 * Deletes a user with all that they own (B-14): their repositories, the organizations that lose their last owner with
 * theirs, their issues and comments. One transaction hides them, and everything that only they led to. The rest is gone
 * before this returns or, when it is much, removed by the job's worker. 422 for oneself and the last administrator.
 */
export async function purgeAccount(forge: Forge, actor: Actor, user: User): Promise<void> {
  requireOther(actor, user);
  const job = await commitRemoval(forge, actor, user, true);
  try {
    const { forgetUser } = await import("../lifecycle/end-of-user.ts"); // rare, and every noun comes with it
    await runJob(forge, { [forgettingKind]: forgetUser }, job.id, { budgetMs: waitedForMs });
  } catch (error) {
    // The user is gone. The tick goes on with the job.
    forge.log.error("account:purge-interrupted", { user: user.id, job: job.id, error });
  }
}

/** The name of the job. */
const forgettingKind = "forget-user";

function requireOther(actor: Actor, user: User): void {
  if (actor.user.id === user.id) throw unprocessable("you can't delete yourself: ask another administrator");
}

async function whatIsLeft(forge: Forge, { user }: Actor, marked: User): Promise<string | undefined> {
  const { id, name } = marked;
  const [ownsAny, ownsPackages, memberships] = await Promise.all([
    hasRepositories(forge, id),
    hasPackages(forge, id),
    listOrganizationsOfUser(forge, { user }, marked),
  ]);
  const orPurge = "or delete them with all that they own (purge=true)";
  if (ownsAny) return `${name} still owns repositories; delete or transfer them first, ${orPurge}`;
  if (ownsPackages) return `${name} still owns packages; delete them first, ${orPurge}`;
  if (memberships.length > 0) return `${name} is in an organization; take them out of it first, ${orPurge}`;
  return undefined;
}

/** The one transaction. With a mark, it holds only while this mark is there. */
async function commitRemoval(forge: Forge, actor: Actor, user: User, purges: boolean): Promise<NewJob> {
  let current = user;
  for await (const _attempt of attempts(mostAttempts)) {
    const job = startJob(forge, forgettingKind, {
      userId: user.id,
      formerNames: current.formerNames ?? [],
      purges,
      actorId: actor.user.id,
      hiddenAt: forge.clock.now(),
    } satisfies ForgottenUser);
    const outcome = await forge.table.transact([...(await removalWrites(forge, current, user)), job.write]);
    if (outcome.committed) {
      forge.log.info("account:removed", { by: actor.user.id, user: user.id, purges });
      return job;
    }
    const isAsRead = !outcome.failed.includes(0);
    if (isAsRead && outcome.failed.includes(administratorAt)) throw lastAdministrator(current);
    const found = await forge.table.get<User>(ownerKey(user.id));
    if (found?.kind !== "user") throw notFound(`user does not exist [name: ${user.name}]`);
    if (!purges && found.deletion?.id !== user.deletion?.id) break;
    current = found;
  }
  throw conflict(`${user.name} is being changed by others; try again`);
}

/** The place of the set of administrators among the writes. */
const administratorAt = 3;

async function removalWrites(forge: Forge, current: User, { deletion }: User): Promise<Write[]> {
  const { id, name, v, emailEdition, isAdmin } = current;
  const emails = await listEmails(forge, id);
  const isAsRead = { v, emailEdition, ...defined({ deletion }) };
  return [
    remove(ownerKey(id), equals(isAsRead)),
    remove(nameGuardKey(name), equals({ ownerId: id })),
    userTombstone(current),
    ...(isAdmin ? [leavesAdministrators(id)] : []),
    ...emails.flatMap((email) => addressKeys(id, email).map((key) => remove(key))),
  ];
}
