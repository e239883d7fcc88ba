import { isReleasable, releaseKeysOf, releaseTagKey } from "#core/release/release.table";

export const readsReleases = {
  scope: ["repository"],
  repository: { mode: "read", unit: "releases" },
} as const;
export const writesReleases = {
  scope: ["repository"],
  login: true,
  repository: { mode: "write", unit: "releases" },
} as const;

/** What operations on a release by its id read first, and on one by its tag. */
export const releaseAhead = (repositoryId: number, { id }: { readonly id: number }) =>
  releaseKeysOf(repositoryId, id);
export const tagAhead = (repositoryId: number, { tag }: { readonly tag: string }) =>
  isReleasable(tag) ? [releaseTagKey(repositoryId, tag)] : [];
