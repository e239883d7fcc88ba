import { attempts } from "../concurrency/attempts.ts";
import { defined } from "../defined.ts";
import { conflict, unprocessable } from "../errors.ts";
import { send } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type NewJob, startJob } from "../jobs/job.ts";
import type { EndedOrganization } from "../lifecycle/lifecycle.ts";
import { markForDeletion, unmarkDeletion } from "../owner/deletion.ts";
import { nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import { hasPackages } from "../package/package.ts";
import { hasRepositories } from "../repository/listing/list.ts";
import { equals, exists } from "../table/condition.ts";
import { remove, type Write } from "../table/write.ts";
import { accessListKey } from "../team/team.table.ts";
import { organizationTombstone } from "./internal/listing.ts";
import type { Organization } from "./organization.table.ts";

/**
 * Deletes an organization: one transaction hides it and frees its name; a job removes teams and memberships, which mean
 * nothing without it. 422 while it owns repositories: a mark keeps new ones away during the search for them, and the
 * transaction holds only under this mark.
 */
export async function removeOrganization(forge: Forge, organization: Organization): Promise<void> {
  const { id } = organization;
  const marked = await markForDeletion(forge, organization);
  if (await hasRepositories(forge, id)) {
    await unmarkDeletion(forge, marked);
    throw unprocessable("the organization still owns repositories; delete or transfer them first");
  }
  if (await hasPackages(forge, id)) {
    await unmarkDeletion(forge, marked);
    throw unprocessable("the organization still owns packages; delete them first");
  }
  const job = forgettingOf(forge, marked);
  const outcome = await forge.table.transact(removalWrites(marked, job));
  if (!outcome.committed) throw conflict("the organization is being changed by others; try again");
  await send(forge, [job.message]);
}

const mostAttempts = 20;

/**
 * Deletes an organization with its repositories, for the job that purges its last owner (B-14): one transaction hides
 * all of them, because repositories without an owner can't be reached; a job removes them.
 */
export async function purgeOrganization(
  forge: Forge,
  actorId: number,
  organization: Organization,
): Promise<void> {
  let current: Organization | undefined = organization;
  for await (const _attempt of attempts(mostAttempts)) {
    const job = forgettingOf(forge, current, actorId);
    const outcome = await forge.table.transact(removalWrites(current, job));
    if (outcome.committed) return send(forge, [job.message]);
    current = await forge.table.get<Organization>(ownerKey(organization.id));
    if (current === undefined) return;
  }
  throw conflict("the organization is being changed by others; try again");
}

const forgettingOf = (forge: Forge, { id, formerNames = [] }: Organization, purgedBy?: number): NewJob =>
  startJob(forge, "forget-organization", {
    organizationId: id,
    formerNames,
    ...defined({ purgedBy }),
  } satisfies EndedOrganization);

/** With a mark, they hold only while this mark is there. */
function removalWrites(organization: Organization, job: NewJob): Write[] {
  const { id, name, v, deletion } = organization;
  return [
    remove(ownerKey(id), equals({ v, ...defined({ deletion }) })),
    remove(nameGuardKey(name), equals({ ownerId: id })),
    remove(accessListKey(id), exists),
    organizationTombstone(organization),
    job.write,
  ];
}
