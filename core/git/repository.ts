import type { ObjectFormat } from "./format/object-format.ts";
import type { PackSet } from "./pack/pack-set.ts";
import type { RefEntry, RefTable } from "./refs/ref-table.ts";

/** A repository's refs at one version. */
export interface GitRefs {
  /** The ref that HEAD names; it need not exist. */
  readonly head: string;
  readonly refs: RefTable;
}

/**
 * A repository at one version, as the engine sees it: the port that `store/` implements over table and bucket, and tests
 * in memory. Everything reached through it is immutable.
 */
export interface GitRepository extends GitRefs {
  readonly format: ObjectFormat;
  /** Every object in the packs is reachable from a ref, so any of them may be sent; "no" is always safe. */
  readonly isWhollyReachable: boolean;
  /** All objects. Implementations open them on first use. */
  packs(): Promise<PackSet>;
}

/** The ref that HEAD names, if it is there. */
export const headEntry = ({ head, refs }: GitRefs): RefEntry | undefined => refs.find(head);
