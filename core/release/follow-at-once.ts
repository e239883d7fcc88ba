import type { Forge } from "../forge.ts";
import type { RefChange } from "../git/refs/check-changes.ts";
import { tagPrefix } from "../git/refs/ref-name.ts";

/** The pusher waits for so many. */
const mostTags = 10;

/**
 * Lets releases follow tags that a push has just deleted or moved, so that the next reader sees it. It never fails: the
 * worker does the same later, for all tags.
 */
export async function followTagsAtOnce(
  forge: Forge,
  repositoryId: number,
  changes: readonly RefChange[],
): Promise<void> {
  const gone = changes.filter(({ name, old }) => old !== undefined && name.startsWith(tagPrefix));
  if (gone.length === 0) return;
  try {
    const { followTags } = await import("./follow-tags.ts"); // few pushes delete or move tags
    await followTags(forge, repositoryId, gone.slice(0, mostTags));
  } catch (error) {
    forge.log.warn("release:tags-not-followed", { repositoryId, error });
  }
}
