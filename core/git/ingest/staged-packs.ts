import type { PackEntry } from "../pack/pack-files.ts";
import type { PackSet } from "../pack/pack-set.ts";
import type { IngestedPack } from "./ingest-types.ts";

/**
 * Where the packs of unfinished fetches of a repository lie: nobody sees them until the whole has landed. A port that
 * `store/` implements.
 */
export interface StagedPacks {
  /** Stores a pack for a fetch. Nothing names it until the caller remembers its entry. */
  put(fetchId: string, pack: IngestedPack): Promise<PackEntry>;
  open(entries: readonly PackEntry[]): Promise<PackSet>;
  /** Removes all packs of a fetch, and unnamed ones that a crash left. */
  discard(fetchId: string): Promise<void>;
}
