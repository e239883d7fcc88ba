import { LRUCache } from "lru-cache";
import type { Actor } from "../actor.ts";
import type { Forge } from "../forge.ts";
import type { OwnerKind } from "../owner/owner.table.ts";
import type { Table } from "../table.ts";

/** The ids that a pair of names stood for. Only ids are kept: what they mean and who may see it is read each time. */
export interface KnownNames {
  readonly ownerId: number;
  readonly ownerKind: OwnerKind;
  readonly repositoryId: number;
}

const mostNames = 10_000;
const longestKey = 300;
const memories = new WeakMap<Table, LRUCache<string, KnownNames>>();

/**
 * What this caller was let in under before. Each caller has a memory of his own: how fast an answer comes must not
 * tell him of what others know (D-HIDDEN).
 */
export const recallNames = (
  { table }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): KnownNames | undefined => memories.get(table)?.get(keyOf(actor, ownerName, name));

/** Keeps what the names stood for, once the caller was let in. */
export function rememberNames(
  { table }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
  known: KnownNames,
): void {
  const key = keyOf(actor, ownerName, name);
  if (key.length > longestKey) return;
  const memory = memories.get(table) ?? new LRUCache<string, KnownNames>({ max: mostNames });
  memories.set(table, memory);
  memory.set(key, known);
}

/** Drops what proved untrue. */
export function forgetNames(
  { table }: Forge,
  actor: Actor | undefined,
  ownerName: string,
  name: string,
): void {
  memories.get(table)?.delete(keyOf(actor, ownerName, name));
}

const keyOf = (actor: Actor | undefined, ownerName: string, name: string): string =>
  `${actor?.user.id ?? 0} ${ownerName} ${name}`.toLowerCase();
