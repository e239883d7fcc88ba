import { nowSeconds } from "../clock.ts";
import { openCode } from "../code/open.ts";
import type { Forge } from "../forge.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { tagPrefix } from "../git/refs/ref-name.ts";
import { lastNumber, releaseSequenceKey } from "../ids.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { keyText } from "../table/write.ts";
import { findTagIn, type Tag } from "../tag/tag.ts";
import { editWrite } from "./edit-write.ts";
import { refsAre } from "./publish.ts";
import { releaseDelta } from "./release.index.ts";
import { isReleasable, type Release, type ReleaseTag, releaseTagKey } from "./release.table.ts";
import { findRelease } from "./release.ts";
import { untilWritten } from "./write.ts";

/**
 * Lets releases follow a push that moved their tags (semantics §43.4): one whose tag was deleted becomes a draft, and is
 * published again when the tag comes back; one whose tag moved is as old as the tag is now. May be repeated, in any
 * order: the present refs decide.
 */
export async function followTags(
  forge: Forge,
  repositoryId: number,
  changes: readonly RefChange[],
): Promise<void> {
  const tags = changes.filter(
    ({ name }) => name.startsWith(tagPrefix) && isReleasable(name.slice(tagPrefix.length)),
  );
  if (tags.length === 0 || (await lastNumber(forge.table, releaseSequenceKey(repositoryId))) === 0) return;
  const keyed = tags.map(({ name, old }) => {
    const tagName = name.slice(tagPrefix.length);
    return { tagName, key: releaseTagKey(repositoryId, tagName), isMoved: old !== undefined };
  });
  const guards = await forge.table.getAll<ReleaseTag>(keyed.map(({ key }) => key));
  for (const { tagName, key, isMoved } of keyed) {
    const guard = guards.get(keyText(key));
    if (guard?.tagName === tagName) await followTag(forge, repositoryId, { ...guard, isMoved });
  }
}

async function followTag(
  forge: Forge,
  repositoryId: number,
  { number, tagName, isMoved }: Pick<ReleaseTag, "number" | "tagName"> & { readonly isMoved: boolean },
): Promise<void> {
  const repository = await forge.table.get<Repository>(repositoryKey(repositoryId));
  if (repository?.state !== "live") return;
  await untilWritten(forge, repository, async (write) => {
    const code = await openCode(forge, repositoryId);
    const before = await findRelease(forge, repositoryId, number);
    if (before === undefined || before.tagName !== tagName) return true;
    const after = withTag(before, await findTagIn(forge, code, tagName), isMoved, nowSeconds(forge.clock));
    if (after === undefined) return true;
    const written = await write({
      release: after,
      published: Number(!after.isDraft) - Number(!before.isDraft),
      writes: [editWrite(before, after), releaseDelta(after), refsAre(repositoryId, code)],
      events: [],
    });
    return written || undefined;
  });
}

/** The release as it is with its tag as it is; undefined when nothing changes. */
function withTag(before: Release, tag: Tag | undefined, isMoved: boolean, now: number): Release | undefined {
  const { hasLostTag, isDraft } = before;
  const v = before.v + 1;
  if (tag === undefined) return isDraft ? undefined : { ...before, isDraft: true, hasLostTag: true, v };
  if (isDraft && hasLostTag === undefined) return undefined;
  const createdAt = isDraft || isMoved ? Math.min(Math.max(tag.taggedAt, 0), now) : before.createdAt;
  if (!isDraft && createdAt === before.createdAt) return undefined;
  const { hasLostTag: _, ...kept } = before;
  return { ...kept, isDraft: false, createdAt, v };
}
