import type { Item } from "../../table/write.ts";
import { kindFinder } from "../item-kinds.ts";
import type { ItemKind } from "../lifecycle.ts";
import type { Checks, KeptItems } from "./checks.ts";

/** Keeps what checks read of the items that it is shown. */
export interface ItemKeeper extends KeptItems {
  /** Answers the item's kind; undefined when no noun declares it. */
  keep(item: Item): ItemKind | undefined;
}

/** A keeper for the kinds that some check reads and `isWanted` lets pass. */
export function itemKeeper(
  kinds: readonly ItemKind[],
  checks: readonly Checks[],
  isWanted: (at: string) => boolean,
): ItemKeeper {
  const find = kindFinder(kinds);
  const reads = checks.flatMap((one) => one.reads ?? []).filter(isWanted);
  const kept = new Map<string, Item[]>(reads.map((at) => [at, []]));
  const keeps = new Map(checks.flatMap((one) => Object.entries(one.keeps ?? {})));
  return {
    keep(item) {
      const kind = find(item);
      if (kind !== undefined) kept.get(kind.at)?.push(keeps.get(kind.at)?.(item) ?? item);
      return kind;
    },
    all<T extends Item>(at: string) {
      const found = kept.get(at);
      if (found === undefined) throw new TypeError(`no check reads ${at}`);
      return found as T[];
    },
  };
}
