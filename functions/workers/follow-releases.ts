import type { Forge } from "#core/forge";
import type { LoggedChange } from "#core/git/refs/ref-log";
import { tagPrefix } from "#core/git/refs/ref-name";

/** Lets releases follow their tags after a push. It may be repeated. */
export async function followReleases(
  forge: Forge,
  repositoryId: number,
  changes: readonly LoggedChange[],
): Promise<void> {
  if (!changes.some(({ name }) => name.startsWith(tagPrefix))) return;
  const { followTags } = await import("#core/release/follow-tags"); // few pushes move tags
  await followTags(forge, repositoryId, changes);
}
