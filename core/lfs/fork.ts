import { defined } from "../defined.ts";
import type { OutgoingMessage } from "../events/outbox.ts";
import type { Forge } from "../forge.ts";
import { type JobKind, type JobStep, startJob } from "../jobs/job.ts";
import { noteRepositoryActivity } from "../repository/listing/index-writes.ts";
import { type Repository, repositoryKey } from "../repository/repository.table.ts";
import { put, type Write } from "../table/write.ts";
import { followedBy, lentTo } from "./lend.ts";
import {
  type LfsObject,
  type LfsSources,
  type LfsWaitingFork,
  lfsObjectsOf,
  lfsSourcesKey,
  lfsWaitingForkKey,
  lfsWaitingForksOf,
  wantedLfsOf,
} from "./lfs.table.ts";
import { shareLfsObjects } from "./link.ts";

/** The kind of the job that gives a fork the objects of its sources. */
export const lfsForkJobKind = "share-lfs-objects";

export interface LfsForkArguments {
  readonly forkId: number;
}

/** How a fork gets the large objects of its source. */
export interface LfsFork {
  /** For the fork's transaction. Call it after the source's refs were read: the objects that these name were there before. */
  writes(): Promise<readonly Write[]>;
  /** The messages that start the job; send them after the transaction. */
  messages(): readonly OutgoingMessage[];
}

/**
 * A fork has the objects of its source from the beginning, those too that its source is still waiting for; a job writes
 * them down for it.
 */
export function lfsFork(forge: Forge, sourceId: number, forkId: number): LfsFork {
  const job = startJob(forge, lfsForkJobKind, { forkId });
  let isNeeded = false;
  return {
    async writes() {
      const [others, some, isWaited] = await Promise.all([
        forge.table.get<LfsSources>(lfsSourcesKey(sourceId)),
        forge.table.query({ ...lfsObjectsOf(sourceId), limit: 1 }),
        wantsLfs(forge, sourceId),
      ]);
      isNeeded = others !== undefined || some.items.length > 0 || isWaited;
      if (!isNeeded) return [];
      const sources: LfsSources = {
        ...lfsSourcesKey(forkId),
        sourceIds: [sourceId, ...(others?.sourceIds ?? [])],
        since: forge.clock.now(),
        _v: 1,
      };
      const rows = sources.sourceIds.map(
        (id): LfsWaitingFork => ({ ...lfsWaitingForkKey(id, forkId), forkId, _v: 1 }),
      );
      return [put(sources), ...rows.map((row) => put(row)), job.write];
    },
    messages: () => (isNeeded ? [job.message] : []),
  };
}

const objectsPerStep = 240;
/** A source that follows another repository may get objects long after the commits that name them. */
const waitMs = 3_600_000;
const mostWaits = 7 * 24;

/** Where the job is: at which source, and behind which object of it; how often it has waited for what is to come. */
interface LfsForkCursor {
  readonly source: number;
  readonly after?: string;
  readonly waits?: number;
}

/**
 * Gives a fork the objects of its sources, and then makes it forget these: not before a week while one of them waits for
 * objects itself, which are then gone through once more.
 */
export const shareWithFork: JobKind<LfsForkArguments, LfsForkCursor> = {
  async step(forge, { forkId }, cursor = { source: 0 }) {
    const sources = await forge.table.get<LfsSources>(lfsSourcesKey(forkId));
    if (sources === undefined) return { done: true };
    const sourceId = sources.sourceIds[cursor.source];
    const isForkLive = await isLive(forge, forkId);
    if (sourceId === undefined && isForkLive) {
      const more = await waitForMore(forge, forkId, sources, cursor);
      if (more !== undefined) return more;
    }
    if (sourceId === undefined || !isForkLive) {
      await forgetSources(forge, forkId);
      await noteRepositoryActivity(forge, forkId); // lists sort by the bytes of large files, too
      return { done: true };
    }
    const page = { ...lfsObjectsOf(sourceId), limit: objectsPerStep, ...defined({ after: cursor.after }) };
    const { items, next } = await forge.table.query<LfsObject>(page);
    await shareLfsObjects(forge, forkId, await lentTo(forge, forkId, sources, items));
    const { source, ...rest } = cursor;
    const at = next === undefined ? { source: source + 1 } : { source, after: next };
    return { cursor: { ...at, ...defined({ waits: rest.waits }) } };
  },
};

/**
 * Rests while a source that the fork's owner may read waits for objects, and begins anew once none does; undefined when
 * all is done.
 */
async function waitForMore(
  forge: Forge,
  forkId: number,
  { sourceIds }: LfsSources,
  { source, waits = 0 }: LfsForkCursor,
): Promise<JobStep<LfsForkCursor> | undefined> {
  const followed = await followedBy(forge, forkId, sourceIds);
  const isWaited = await Promise.all([...followed].map((id) => wantsLfs(forge, id)));
  if (isWaited.includes(true) && waits < mostWaits) return { cursor: { source, waits: waits + 1 }, waitMs };
  return waits === 0 || waits > mostWaits ? undefined : { cursor: { source: 0, waits: mostWaits + 1 } };
}

/** Whether a repository waits for objects that its own source is to send. */
const wantsLfs = async ({ table }: Forge, repositoryId: number): Promise<boolean> =>
  (await table.query({ ...wantedLfsOf(repositoryId), limit: 1 })).items.length > 0;

const isLive = async ({ table }: Forge, repositoryId: number): Promise<boolean> =>
  (await table.get<Repository>(repositoryKey(repositoryId)))?.state === "live";

/** Ends what a fork may have of its sources without having it itself. */
export async function forgetSources({ table }: Forge, forkId: number): Promise<void> {
  const sources = await table.get<LfsSources>(lfsSourcesKey(forkId));
  await table.removeAll((sources?.sourceIds ?? []).map((id) => lfsWaitingForkKey(id, forkId)));
  await table.removeAll([lfsSourcesKey(forkId)]);
}

/** Gives objects of a repository that is being deleted to the forks that still wait for them. */
export async function shareWithWaitingForks(
  forge: Forge,
  sourceId: number,
  objects: readonly LfsObject[],
): Promise<void> {
  const rows = await forge.table.queryAll<LfsWaitingFork>(lfsWaitingForksOf(sourceId));
  for (const { forkId } of rows) {
    const sources = await forge.table.get<LfsSources>(lfsSourcesKey(forkId));
    if (sources === undefined || !(await isLive(forge, forkId))) continue;
    await shareLfsObjects(forge, forkId, await lentTo(forge, forkId, sources, objects));
  }
}
