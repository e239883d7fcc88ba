import { type Commit, parseCommit } from "../git/object/commit.ts";
import type { ObjectId } from "../git/object/object-format.ts";
import type { PackSet } from "../git/pack/pack-set.ts";

/** What the walk needs of a repository's objects. */
export type ObjectReader = Pick<PackSet, "format" | "has" | "read">;

/** A commit and its id. */
export interface PushedCommit {
  readonly id: ObjectId;
  readonly commit: Commit;
}

/** Commits that a push brought to a branch, newest first; `total` counts those that are not listed, too. */
export interface PushedCommits {
  readonly listed: readonly PushedCommit[];
  readonly total: number;
}

const mostWalked = 10_000;
/** Known commits looked at beyond the point where none could matter if all dates were right. */
const slackForWrongClocks = 5;

interface Visited extends PushedCommit {
  /** Reachable from the branch's former commit. */
  isKnown: boolean;
}

/** Reads the commit under an id. Throws when there is none. */
export async function readCommit(reader: ObjectReader, id: ObjectId): Promise<PushedCommit> {
  const object = await reader.read(id);
  if (object.type !== "commit") throw new Error(`${id} is a ${object.type}, not a commit`);
  return { id, commit: parseCommit(object.data) };
}

/** The newest commits reachable from `tip`, at most `most`: what a new branch tells of. */
export async function newestCommits(
  reader: ObjectReader,
  tip: ObjectId,
  most: number,
): Promise<PushedCommits> {
  const walk = new Walk(reader);
  await walk.reach(tip, false);
  const listed: PushedCommit[] = [];
  while (listed.length < most) {
    const next = walk.take();
    if (next === undefined) break;
    listed.push(next);
    for (const parent of next.commit.parents) await walk.reach(parent, false);
  }
  return { listed, total: listed.length };
}

/**
 * Commits reachable from `tip` and not from `base`, newest first, at most `most` of them listed. Beyond 10,000 commits
 * looked at it stops, and `total` counts those found until then.
 */
export async function commitsSince(
  reader: ObjectReader,
  base: ObjectId,
  tip: ObjectId,
  most: number,
): Promise<PushedCommits> {
  const walk = new Walk(reader);
  await walk.reach(base, true);
  await walk.reach(tip, false);
  const found: Visited[] = [];
  let slack = slackForWrongClocks;
  for (let walked = 0; walked < mostWalked; walked += 1) {
    const oldest = found.at(-1)?.commit.committer.seconds ?? Number.POSITIVE_INFINITY;
    if (!walk.mayFindMore(oldest) && slack-- <= 0) break;
    const next = walk.take();
    if (next === undefined) break;
    if (!next.isKnown) found.push(next);
    for (const parent of next.commit.parents) await walk.reach(parent, next.isKnown);
  }
  // Where clocks were wrong, a commit may have turned out to be known only after it was found.
  const fresh = found.filter((visited) => !visited.isKnown);
  return { listed: fresh.slice(0, most), total: fresh.length };
}

/** Commits by committer date, newest first; what is known passes that on to its ancestors. */
class Walk {
  readonly #reader: ObjectReader;
  readonly #visited = new Map<ObjectId, Visited>();
  /** Oldest first, so that the newest is taken from the end. */
  readonly #open: Visited[] = [];

  constructor(reader: ObjectReader) {
    this.#reader = reader;
  }

  async reach(id: ObjectId, isKnown: boolean): Promise<void> {
    const visited = this.#visited.get(id);
    // The former commit of a branch may be gone by now, and histories may be cut: what is absent ends the walk there.
    if (visited === undefined && !this.#reader.has(id)) return;
    if (visited === undefined) {
      const reached: Visited = { ...(await readCommit(this.#reader, id)), isKnown };
      this.#visited.set(id, reached);
      this.#insert(reached);
    } else if (isKnown && !visited.isKnown) {
      this.#spread(visited);
    }
  }

  take(): Visited | undefined {
    return this.#open.pop();
  }

  /** Whether something fresh is open, or something known that could still reach what was found. */
  mayFindMore(oldestFoundSeconds: number): boolean {
    const newest = this.#open.at(-1);
    if (newest === undefined) return false;
    return this.#open.some((one) => !one.isKnown) || newest.commit.committer.seconds >= oldestFoundSeconds;
  }

  #spread(from: Visited): void {
    const open = [from];
    for (let visited = open.pop(); visited !== undefined; visited = open.pop()) {
      if (visited.isKnown) continue;
      visited.isKnown = true;
      for (const parent of visited.commit.parents) {
        const next = this.#visited.get(parent);
        if (next !== undefined) open.push(next);
      }
    }
  }

  #insert(reached: Visited): void {
    const seconds = reached.commit.committer.seconds;
    let low = 0;
    let high = this.#open.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#open[middle] as Visited).commit.committer.seconds < seconds) low = middle + 1;
      else high = middle;
    }
    this.#open.splice(low, 0, reached);
  }
}
