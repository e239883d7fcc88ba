import type { ManifestPack } from "../pack-manifest.ts";

/** Bounds of one consolidation: they bound its time and its room on the disk and in memory. */
export interface ConsolidationBounds {
  /** Fewer packs side by side are left as they are. */
  readonly leastPacks: number;
  readonly mostPacks: number;
  readonly mostBytes: number;
  readonly mostObjects: number;
}

/** A minute of a worker at most, and a quarter of the 512 MB of disk that a function has. */
export const consolidationBounds: ConsolidationBounds = {
  leastPacks: 16,
  mostPacks: 400,
  mostBytes: 128 * 2 ** 20,
  mostObjects: 250_000,
};

/** Packs below this count as small whatever lies beside them. */
const smallBytes = 64 * 1024;

/**
 * The packs of a manifest (oldest first) that are to become one: neighbors, so that the order of the others stays.
 * Undefined when there is nothing to do. Sizes grow by tiers: a pack joins those after it when it is less than twice as
 * large as they are together. So each byte is copied about as often as the repository has doubled, and at most some two
 * dozen packs are left beside those that are too large to copy. Packs of other repositories stay.
 */
export function planConsolidation(
  packs: readonly ManifestPack[],
  repositoryId: number,
  bounds: ConsolidationBounds = consolidationBounds,
): readonly ManifestPack[] | undefined {
  let end = packs.length;
  while (end >= bounds.leastPacks) {
    const start = startOfRun(packs, end, repositoryId, bounds);
    const isLong = end - start >= bounds.leastPacks;
    if (isLong && isLittleBeside(packs[end - 1], packs.slice(start, end - 1))) return packs.slice(start, end);
    end = isLong ? end - 1 : Math.min(start, end - 1);
  }
  return undefined;
}

/** A large pack is not copied because of small ones before it. */
const isLittleBeside = (last: ManifestPack | undefined, others: readonly ManifestPack[]): boolean =>
  (last?.packBytes ?? 0) < 2 * others.reduce((sum, pack) => sum + pack.packBytes, 0) + smallBytes;

/** The first of the packs that join those before `end`; `end` itself when the last of them can't. */
function startOfRun(
  packs: readonly ManifestPack[],
  end: number,
  repositoryId: number,
  { mostPacks, mostBytes, mostObjects }: ConsolidationBounds,
): number {
  let [bytes, objects, start] = [0, 0, end];
  while (start > 0 && end - start < mostPacks) {
    const pack = packs[start - 1] as ManifestPack;
    const isSmall = start === end || pack.packBytes < 2 * bytes + smallBytes;
    const fits = bytes + pack.packBytes <= mostBytes && objects + pack.objects <= mostObjects;
    if (pack.repositoryId !== repositoryId || !isSmall || !fits) break;
    bytes += pack.packBytes;
    objects += pack.objects;
    start -= 1;
  }
  return start;
}
