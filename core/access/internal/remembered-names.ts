import { LRUCache } from "lru-cache";
import type { Actor } from "../../actor.ts";
import type { Config } from "../../config.ts";
import type { Forge } from "../../forge.ts";
import { lazyFor } from "../../lazy.ts";
import type { OwnerKind } from "../../owner/owner.table.ts";

/** The ids that a pair of names stood for. Only ids are kept; their meaning and their visibility are read each time. */
export interface KnownNames {
  readonly ownerId: number;
  readonly ownerKind: OwnerKind;
  readonly repositoryId: number;
}

const mostNames = 10_000;
const longestKey = 300;
/** One for each forge, keyed by its settings, because the table object may be one that reads ahead. */
const memoryOf = lazyFor((_config: Config) => new LRUCache<string, KnownNames>({ max: mostNames }));

/**
 * The names under which this caller was let in before. Each caller has a memory of their own: the time of an answer
 * must tell nobody what others know (D-HIDDEN).
 */
export const recallNames = (
  { config }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): KnownNames | undefined => memoryOf(config).get(keyOf(actor, ownerName, name));

/** Keeps what the names stood for, after the caller was let in. */
export function rememberNames(
  { config }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  known: KnownNames,
): void {
  const key = keyOf(actor, ownerName, name);
  if (key.length > longestKey) return;
  memoryOf(config).set(key, known);
}

/** Drops names that stand for something else now. */
export function forgetNames(
  { config }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): void {
  memoryOf(config).delete(keyOf(actor, ownerName, name));
}

/** Jobs of different repositories are different callers, although all are one user. */
const keyOf = (actor: Actor | undefined, ownerName: string, name: string): string =>
  `${actor?.task?.repositoryId ?? ""}/${actor?.user.id ?? 0} ${ownerName} ${name}`.toLowerCase();
