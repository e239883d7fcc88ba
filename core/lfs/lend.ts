import { accessMode, modeOf } from "../access/modes.ts";
import { isPublic } from "../access/public-only.ts";
import { rightsOfAll } from "../access/rights-of-all.ts";
import type { Forge } from "../forge.ts";
import { ownerKey } from "../owner/owner.table.ts";
import type { Owner } from "../owner/owner.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import type { LfsObject, LfsSources } from "./lfs.table.ts";

/**
 * Those of its sources' objects that a fork may have: what was there when it was made, and what came later as long as
 * its owner may read the source's code.
 */
export async function lentTo(
  forge: Forge,
  forkId: number,
  { since }: Pick<LfsSources, "since">,
  objects: readonly LfsObject[],
): Promise<LfsObject[]> {
  const isLater = ({ linkedAt }: LfsObject) => since !== undefined && linkedAt > since;
  const sourceIds = new Set(objects.filter(isLater).map(({ repositoryId }) => repositoryId));
  const followed = await followedBy(forge, forkId, [...sourceIds]);
  return objects.filter((object) => !isLater(object) || followed.has(object.repositoryId));
}

/**
 * Those of these repositories whose code a fork's owner may read now; an organization, what is public or its own. One
 * that is being deleted counts as before.
 */
export async function followedBy(
  forge: Forge,
  forkId: number,
  sourceIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (sourceIds.length === 0) return new Set();
  const { table } = forge;
  const repositories = await table.getAll<Repository>([forkId, ...sourceIds].map(repositoryKey));
  const repositoryOf = (id: number) => repositories.get(keyText(repositoryKey(id)));
  const sources = sourceIds.flatMap((id) => repositoryOf(id) ?? []);
  const forkOwnerId = repositoryOf(forkId)?.ownerId;
  if (forkOwnerId === undefined || sources.length === 0) return new Set();
  const ownerIds = new Set([forkOwnerId, ...sources.map(({ ownerId }) => ownerId)]);
  const owners = await table.getAll<Owner>([...ownerIds].map(ownerKey));
  const ownerOf = (id: number) => owners.get(keyText(ownerKey(id)));
  const forkOwner = ownerOf(forkOwnerId);
  const mayRead = async (source: Repository): Promise<boolean> => {
    const owner = ownerOf(source.ownerId);
    if (owner === undefined || forkOwner === undefined) return false;
    if (owner.id === forkOwner.id) return true;
    if (forkOwner.kind === "organization") return isPublic({ owner, repository: source });
    const rights = (await rightsOfAll(forge, source, [forkOwner])).get(forkOwner.id);
    return rights !== undefined && modeOf(rights, "code") >= accessMode.read;
  };
  const may = await Promise.all(sources.map(mayRead));
  return new Set(sources.filter((_, place) => may[place]).map(({ id }) => id));
}
