import { defined } from "../defined.ts";
import type { Forge } from "../forge.ts";
import { type Release, type ReleaseTag, releasesPartition } from "./release.table.ts";

/** The releases of a repository without their notes, and the guards of their tags, for checks. */
export interface CheckedReleases {
  readonly releases: readonly Release[];
  readonly tags: readonly ReleaseTag[];
}

/** Reads them page by page, so that notes are let go. */
export async function readCheckedReleases({ table }: Forge, repositoryId: number): Promise<CheckedReleases> {
  const [releases, tags]: [Release[], ReleaseTag[]] = [[], []];
  let after: string | undefined;
  do {
    const { items, next } = await table.query({ pk: releasesPartition(repositoryId), ...defined({ after }) });
    for (const item of items) {
      if ("id" in item) releases.push({ ...(item as Release), body: "" });
      else tags.push(item as ReleaseTag);
    }
    after = next;
  } while (after !== undefined);
  return { releases, tags };
}
