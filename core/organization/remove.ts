import { attempts } from "../attempts.ts";
import { forgetBlocksOf } from "../block/block.ts";
import { conflict, unprocessable } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { removeSomeHooks } from "../hook/remove-some.ts";
import { type JobKind, type NewJob, startJob } from "../jobs/job.ts";
import { send } from "../outbox.ts";
import { markForDeletion, unmark } from "../owner/deletion.ts";
import { nameGuardKey, ownerKey } from "../owner/owner.table.ts";
import { hasRepositories } from "../repository/list.ts";
import { removeRepositoriesOfOwner } from "../repository/remove.ts";
import { cardPrefix, type RepositoryCard } from "../repository/repository.table.ts";
import { equals, exists } from "../table/condition.ts";
import { type Item, keyText, remove, type Write } from "../table/write.ts";
import {
  accessListKey,
  type Membership,
  membershipMirrorKey,
  membershipPrefix,
  type Team,
  teamKey,
  teamMemberPrefix,
  teamPartition,
  teamPrefix,
} from "../team/team.table.ts";
import { goneOrganizationTail } from "./internal/listing.ts";
import type { Organization } from "./organization.table.ts";

/** A deleted organization's rest. */
export interface DeletedOrganization {
  readonly organizationId: number;
  readonly formerNames: readonly string[];
  /** Its repositories are deleted, too, on behalf of this user. */
  readonly purgedBy?: number;
}

/**
 * Deletes an organization: one transaction hides it and frees its name; a job removes teams and memberships, which mean
 * nothing without it. 422 while it owns repositories: a mark keeps new ones away during the search for them, and the
 * transaction holds only under this mark.
 */
export async function removeOrganization(forge: Forge, organization: Organization): Promise<void> {
  const { id } = organization;
  const marked = await markForDeletion(forge, organization);
  if (await hasRepositories(forge, id)) {
    await unmark(forge, marked);
    throw unprocessable("the organization still owns repositories; delete or transfer them first");
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
    ...(purgedBy === undefined ? {} : { purgedBy }),
  } satisfies DeletedOrganization);

/** With a mark, they hold only while this mark is there. */
function removalWrites(organization: Organization, job: NewJob): Write[] {
  const { id, name, v, deletion } = organization;
  return [
    remove(ownerKey(id), equals({ v, ...(deletion === undefined ? {} : { deletion }) })),
    remove(nameGuardKey(name), equals({ ownerId: id })),
    remove(accessListKey(id), exists),
    goneOrganizationTail(organization),
    job.write,
  ];
}

interface ForgettingCursor {
  readonly after?: string;
  readonly part: number;
}

/**
 * Removes the rest of a deleted organization, a query's worth in each step: first its teams, without which nobody can
 * become a member, then memberships with their mirrors, then names that led to it. Its hooks and blocks go before.
 */
export const forgetOrganization: JobKind<DeletedOrganization, ForgettingCursor> = {
  async step(forge, { organizationId, formerNames, purgedBy }, cursor = { part: 0 }) {
    const { part, after } = cursor;
    if (part === 0 && purgedBy !== undefined && (await purgeRepositories(forge, organizationId, purgedBy))) {
      return { cursor };
    }
    if (part === 0 && after === undefined) {
      const { hasMore } = await removeSomeHooks(forge, { kind: "organization", id: organizationId });
      if (hasMore) return { cursor };
    }
    const prefix = [teamPrefix, membershipPrefix, ""][part];
    if (part === 0 && after === undefined) await forgetBlocksOf(forge, organizationId);
    if (prefix === undefined) {
      for (const name of formerNames) {
        const isOurs = equals({ kind: "redirect", ownerId: organizationId });
        await forge.table.write(remove(nameGuardKey(name), isOurs));
      }
      return { done: true };
    }
    const { pk } = teamKey(organizationId, 0);
    const page = await forge.table.query<Item>({
      ...{ pk, limit: 100 },
      ...(prefix === "" ? {} : { prefix }),
      ...(after === undefined ? {} : { after }),
    });
    for (const item of page.items) await forgetRows(forge, organizationId, item);
    await forge.table.removeAll(page.items);
    return { cursor: page.next === undefined ? { part: part + 1 } : { part, after: page.next } };
  },
};

const repositoriesPerStep = 10;

/** Removes some of its repositories; whether there may be more. */
async function purgeRepositories(forge: Forge, organizationId: number, actorId: number): Promise<boolean> {
  const { pk } = teamKey(organizationId, 0);
  const { items } = await forge.table.query<RepositoryCard>({
    ...{ pk, prefix: cardPrefix, limit: repositoriesPerStep },
  });
  for (const { repositoryId } of items) {
    await removeRepositoriesOfOwner(forge, actorId, organizationId, repositoryId);
  }
  return items.length > 0;
}

/** The items elsewhere that belong to an item of the organization. */
async function forgetRows({ table }: Forge, organizationId: number, item: Item): Promise<void> {
  if (item.sk.startsWith(membershipPrefix)) {
    await table.removeAll([membershipMirrorKey((item as Membership).userId, organizationId)]);
  }
  if (!item.sk.startsWith(teamPrefix)) return;
  const { id } = item as Team;
  await table.removeAll([item]); // first: joining holds only while the team exists
  const rows = await table.queryAll<Item>({ pk: teamPartition(id) });
  const mirrors = rows
    .filter(({ sk }) => sk.startsWith(teamMemberPrefix))
    .map(({ userId }) => membershipMirrorKey(Number(userId), organizationId));
  await table.removeAll(unique([...rows, ...mirrors]));
}

const unique = (keys: readonly { pk: string; sk: string }[]) => [
  ...new Map(keys.map((key) => [keyText(key), key])).values(),
];
