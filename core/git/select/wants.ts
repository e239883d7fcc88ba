import { findUnreached } from "../graph/reaches.ts";
import type { ObjectId } from "../object/object-format.ts";
import { Pacer } from "../pacer.ts";
import type { OpenRepository } from "../store.ts";

/** Commits looked at before an unusual want is refused. */
const mostCommits = 200_000;

/**
 * The first want that the client may not have: not a ref's object, and not reachable from one as far as can be told.
 * Undefined when all may go out. What only old or refused pushes brought stays hidden. Throws the signal's reason.
 */
export async function findForbiddenWant(
  repository: OpenRepository,
  wants: readonly ObjectId[],
  signal?: AbortSignal,
): Promise<ObjectId | undefined> {
  const forbidden = await findHidden(repository, wants, signal);
  return wants.find((id) => forbidden.has(id));
}

/** Those of some objects that are absent, or that no ref is known to lead to. Throws the signal's reason. */
export async function findHidden(
  repository: OpenRepository,
  ids: readonly ObjectId[],
  signal?: AbortSignal,
): Promise<ReadonlySet<ObjectId>> {
  const { root, refs } = repository;
  const unusual = ids.filter((id) => refs.pointingAt(id).length === 0);
  if (unusual.length === 0) return new Set();
  const packs = await repository.packs();
  const missing = new Set(unusual.filter((id) => !packs.has(id)));
  if (missing.size > 0 || root.isWhollyReachable) return missing;
  const others = unusual.filter((id) => packs.typeOf(packs.find(id) as number) !== "commit");
  const peeled = new Set(refs.entries.map((entry) => entry.peeled));
  const hidden = new Set(others.filter((id) => !peeled.has(id)));
  if (hidden.size > 0) return hidden;
  const tips = [...new Set(refs.entries.map((entry) => entry.peeled ?? entry.id))];
  signal?.throwIfAborted();
  const pacer = new Pacer(signal);
  const read = async (id: ObjectId) => {
    if (pacer.isDue()) await pacer.pause();
    return packs.has(id) ? packs.read(id) : undefined;
  };
  const isOther = new Set(others);
  const commits = unusual.filter((id) => !isOther.has(id));
  return (await findUnreached(read, tips, commits, mostCommits)).missing;
}
