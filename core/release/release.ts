import { accessMode, modeOf } from "../access/modes.ts";
import type { RepositoryAccess } from "../access/repository-access.ts";
import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { listFromIndex } from "../list-index/list-index.ts";
import { releaseIndex } from "./release.index.ts";
import {
  isReleasable,
  type Release,
  type ReleaseTag,
  releaseKey,
  releaseNumberIn,
  releaseTagKey,
} from "./release.table.ts";

/** The rights of a caller on a repository, as far as releases ask. */
export type ReleaseAccess = Pick<RepositoryAccess, "repository" | "rights">;

/** Whether the caller may write releases: only they see drafts (semantics §43.1). */
export const isReleaseWriter = ({ rights }: Pick<RepositoryAccess, "rights">): boolean =>
  modeOf(rights, "releases") >= accessMode.write;

/** A release, if it is there and the caller may know of it. */
export const visibleRelease = (access: ReleaseAccess, release: Release | undefined): Release | undefined =>
  release?.isDraft === true && !isReleaseWriter(access) ? undefined : release;

/** The release of this id. NotFound for one of another repository, and for a draft when the caller is no writer. */
export async function getRelease(forge: Forge, access: ReleaseAccess, id: number): Promise<Release> {
  const { repository } = access;
  const number = releaseNumberIn(repository.id, id);
  const release = number === undefined ? undefined : await findRelease(forge, repository.id, number);
  const found = visibleRelease(access, release);
  if (found === undefined) throw notFound(`release does not exist [id: ${id}]`);
  return found;
}

/** The release of this number, or undefined. */
export const findRelease = (
  { table }: Pick<Forge, "table">,
  repositoryId: number,
  number: number,
): Promise<Release | undefined> => table.get<Release>(releaseKey(repositoryId, number));

/** The release on a tag, in any case. NotFound as in `getRelease`. */
export async function getReleaseByTag(
  forge: Forge,
  access: ReleaseAccess,
  tagName: string,
): Promise<Release> {
  const found = await findReleaseByTag(forge, access, tagName);
  if (found === undefined) throw notFound(`release does not exist [tag: ${tagName}]`);
  return found;
}

/** The same, or undefined. */
export async function findReleaseByTag(
  forge: Forge,
  access: ReleaseAccess,
  tagName: string,
): Promise<Release | undefined> {
  const { id } = access.repository;
  if (!isReleasable(tagName)) return undefined;
  const guard = await forge.table.get<ReleaseTag>(releaseTagKey(id, tagName));
  return guard === undefined ? undefined : visibleRelease(access, await findRelease(forge, id, guard.number));
}

/** The newest release that is neither a draft nor a prerelease. NotFound when there is none. */
export async function getLatestRelease(forge: Forge, { repository }: ReleaseAccess): Promise<Release> {
  const { ids } = await listFromIndex(forge, releaseIndex(repository.id), {
    ...{ filter: { isDraft: false, isPrerelease: false }, sort: "newest", page: 1, limit: 1 },
  });
  const [number] = ids;
  const release = number === undefined ? undefined : await findRelease(forge, repository.id, number);
  if (release === undefined) throw notFound("the repository has no release");
  return release;
}
