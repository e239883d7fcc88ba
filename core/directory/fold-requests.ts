import { LRUCache } from "lru-cache";
import type { Config } from "../config.ts";
import type { Forge } from "../forge.ts";
import { startJob } from "../jobs/job.ts";
import { lazyFor } from "../lazy.ts";
import { send } from "../outbox.ts";

/** What asking for a fold takes of a directory. */
interface Foldable {
  readonly name: string;
}

/** The kind of the job that folds a directory; its argument is the directory's name. */
export const foldJobKind = "fold-directory";

/** A longer tail is to be folded. */
export const longestTail = 200;
const askedAgainMs = 10_000;
const rememberedNames = 1_000;
/** Of so many writes of a process into a directory one has a worker look at the tail, which the writers don't see. */
const writesPerLook = 64;

/**
 * What a process remembers by directory: when it asked for a fold, and how often it wrote. Told by the forge's settings:
 * the table may be another one that reads ahead.
 */
interface Memory {
  readonly askedAt: LRUCache<string, number>;
  readonly writes: LRUCache<string, number>;
}
const memoryOf = lazyFor(
  (_config: Config): Memory => ({
    askedAt: new LRUCache({ max: rememberedNames }),
    writes: new LRUCache({ max: rememberedNames }),
  }),
);

/** Has the directory folded when its tail is too long. A job that is there already is enough. Never throws. */
export async function requestFold(forge: Forge, { name }: Foldable, tailLength: number): Promise<void> {
  if (tailLength <= longestTail || wasAsked(forge, name)) return;
  const job = startJob(forge, foldJobKind, { name }, { id: `fold-${name}` });
  try {
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  } catch (error) {
    forge.log.warn("directory:fold-request-failed", { directory: name, error });
  }
}

/** The kind of the job that writes a directory anew whose pointer can't be read; its argument is the directory's name. */
export const rebuildJobKind = "rebuild-directory";

/** Has a directory written anew. A job that is there already is enough. Never throws. */
export async function requestRebuild(forge: Forge, { name }: Foldable): Promise<void> {
  const job = startJob(forge, rebuildJobKind, { name }, { id: `rebuild-${name}` });
  try {
    if (await forge.table.write(job.write)) await send(forge, [job.message]);
  } catch (error) {
    forge.log.warn("directory:rebuild-request-failed", { directory: name, error });
  }
}

/** For who has just written into the tail: sees to it that it is folded even when nobody reads it. Never throws. */
export async function noteTailWrite(forge: Forge, directory: Foldable): Promise<void> {
  const writes = memoryOf(forge.config).writes;
  const count = (writes.get(directory.name) ?? 0) + 1;
  writes.set(directory.name, count);
  if (count % writesPerLook === 0) await requestFold(forge, directory, Number.POSITIVE_INFINITY);
}

function wasAsked({ config, clock }: Forge, name: string): boolean {
  const { askedAt } = memoryOf(config);
  const now = clock.now();
  if (now - (askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < askedAgainMs) return true;
  askedAt.set(name, now);
  return false;
}
