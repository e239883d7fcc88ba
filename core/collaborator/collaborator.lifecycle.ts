import { liveTeams } from "../access/grants.ts";
import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import type { PartCursor, PartStep } from "../jobs/passes.ts";
import type { EndedRepository, EndedUser, Lifecycle, MovedRepository } from "../lifecycle/lifecycle.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import { type AccessList, accessListKey, type Membership, membershipKey } from "../team/team.table.ts";
import { collaboratorChecks } from "./collaborator.check.ts";
import {
  type Collaborator,
  type CollaboratorMirror,
  collaboratorKey,
  collaboratorMirrorKey,
  collaboratorMirrorsOf,
  collaboratorsOf,
} from "./collaborator.table.ts";
import { takeCollaborator } from "./collaborator.ts";
import { endCollaborations } from "./end-collaborations.ts";

const collaboratorsPerStep = 50;
const repositoriesPerStep = 100;

async function endOfRepository({ table }: Forge, { repositoryId }: EndedRepository): Promise<PartStep> {
  const limit = collaboratorsPerStep;
  const rows = await table.queryAll<Collaborator>({ ...collaboratorsOf(repositoryId), limit });
  await table.removeAll(
    rows.flatMap(({ userId }) => [
      collaboratorMirrorKey(userId, repositoryId),
      collaboratorKey(repositoryId, userId),
    ]),
  );
  return { hasFound: rows.length > 0, hasMore: rows.length === limit };
}

async function endOfUser(forge: Forge, { userId }: EndedUser): Promise<PartStep> {
  const limit = repositoriesPerStep;
  const rows = await forge.table.queryAll<CollaboratorMirror>({ ...collaboratorMirrorsOf(userId), limit });
  for (const { repositoryId } of rows) await takeCollaborator(forge, repositoryId, userId);
  return { hasFound: rows.length > 0, hasMore: rows.length === limit };
}

/**
 * Members of the new owner are no collaborators: teams determine their rights (semantics §24.6). All stay when the
 * repository has moved on.
 */
async function endForMembers(
  forge: Forge,
  { repositoryId, ownerId }: MovedRepository,
  inner: PartCursor | undefined,
): Promise<PartStep> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live" || repository.ownerId !== ownerId)
    return { hasFound: false, hasMore: false };
  const { items, next } = await forge.table.query<Collaborator>({
    ...collaboratorsOf(repositoryId),
    limit: collaboratorsPerStep,
    ...defined({ after: inner?.toString() }),
  });
  const members = await membersAmong(forge, ownerId, items);
  for (const userId of members) await takeCollaborator(forge, repositoryId, userId);
  return { hasFound: members.length > 0, hasMore: next !== undefined, inner: next };
}

async function membersAmong(
  { table }: Forge,
  organizationId: number,
  rows: readonly { readonly userId: number }[],
): Promise<number[]> {
  const found = await table.getAll([
    accessListKey(organizationId),
    ...rows.map(({ userId }) => membershipKey(organizationId, userId)),
  ]);
  const list = found.get(keyText(accessListKey(organizationId))) as AccessList | undefined;
  return rows
    .map(({ userId }) => userId)
    .filter((userId) => {
      const membership = found.get(keyText(membershipKey(organizationId, userId)));
      return liveTeams(membership as Membership | undefined, list).length > 0;
    });
}

export const collaboratorLifecycle: Lifecycle = {
  noun: "collaborator",
  items: [{ at: "R#<repository> / C#<user>" }, { at: "U#<user> / COLL#<repository>" }],
  ends: {
    repository: { collaborators: { stage: "rights", step: endOfRepository } },
    user: { collaborations: { step: endOfUser } },
  },
  moves: { collaborators: { step: endForMembers } },
  jobs: { "end-collaborations": endCollaborations },
  checks: collaboratorChecks,
};
