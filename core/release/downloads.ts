import type { Forge } from "../forge.ts";
import { equals } from "../table/condition.ts";
import { keyText, update } from "../table/write.ts";
import { isReleasable, type ReleaseTag, releaseTagKey } from "./release.table.ts";

/** Counts a download of a tag's archive, while a release is on the tag (semantics §37.2). */
export async function countArchiveDownload(
  { table }: Forge,
  repositoryId: number,
  tagName: string,
  kind: "zip" | "tar.gz",
): Promise<void> {
  if (!isReleasable(tagName)) return;
  const add = kind === "zip" ? { zipDownloads: 1 } : { tarDownloads: 1 };
  await table.write(update(releaseTagKey(repositoryId, tagName), { add }, equals({ tagName })));
}

/** The guards of the tags that have releases, by the tag's name. */
export async function findReleaseTags(
  { table }: Forge,
  repositoryId: number,
  tagNames: readonly string[],
  options?: { readonly isConsistent: boolean },
): Promise<Map<string, ReleaseTag>> {
  const keys = tagNames.filter(isReleasable).map((tagName) => releaseTagKey(repositoryId, tagName));
  const found = await table.getAll<ReleaseTag>(keys, options);
  const guards = keys.flatMap((key) => found.get(keyText(key)) ?? []);
  return new Map(guards.map((guard) => [guard.tagName, guard]));
}
