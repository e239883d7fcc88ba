import type { Forge } from "../forge.ts";
import type { TableKey } from "../table.ts";

/** Something in the data that should not be. */
export interface Finding {
  /** The invariant that it breaks: its number in the list of `docs/data.md`. */
  readonly invariant: number;
  /** The item that is wrong or missing. */
  readonly key: string;
  readonly problem: string;
  /** What mends it: what `repair` does, or what is left to people. */
  readonly remedy: string;
  /**
   * Mends what is derived from other items, on the condition that it is still as it was found. Absent where nothing
   * says what would be right.
   */
  readonly repair?: (forge: Forge) => Promise<void>;
}

/** A key as findings show it. */
export const shownKey = ({ pk, sk }: TableKey): string => `${pk} / ${sk}`;

/** Tells findings of two looks apart. */
const identity = ({ invariant, key, problem }: Finding): string => `${invariant}\0${key}\0${problem}`;

/**
 * What two looks agree on. A forge that is at work changes between the requests of one look: what only one of them
 * found was never there.
 */
export async function foundTwice(look: () => Promise<Finding[]>): Promise<Finding[]> {
  const first = await look();
  if (first.length === 0) return [];
  const known = new Set(first.map(identity));
  return (await look()).filter((finding) => known.has(identity(finding)));
}
