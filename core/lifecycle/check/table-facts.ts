import type { Forge } from "../../forge.ts";
import type { IdKind } from "../../ids.ts";
import type { Item } from "../../table/write.ts";
import type { ItemKind, Lifecycle } from "../lifecycle.ts";
import type { Checks, KeptItems } from "./checks.ts";
import { type Finding, shownKey } from "./finding.ts";
import { itemKeeper } from "./kept-items.ts";

/** What one reading of the whole table leaves: what the checks across repositories look at. */
export interface TableFacts extends KeptItems {
  /** What counters of ids stand at. */
  readonly counters: Map<string, number>;
  /** The greatest ids that were given, by kind. */
  readonly greatestIds: Map<IdKind, number>;
  /** Repositories that have anything beside their own item. */
  readonly mentionedIds: Set<number>;
  /** Items that are wrong by themselves. */
  readonly findings: Finding[];
}

const scanParts = 4;
/** Items of issues are read with their repository, not here. */
const isOfIssue = (at: string): boolean => at.startsWith("I#");

/** Reads the table through, in four parts side by side. */
export async function readTableFacts(
  forge: Forge,
  lifecycles: readonly Lifecycle[],
  checks: readonly Checks[],
): Promise<TableFacts> {
  const kinds = lifecycles.flatMap(({ items }) => items);
  const keeper = itemKeeper(kinds, checks, (at) => !isOfIssue(at));
  const facts: TableFacts = {
    all: keeper.all,
    counters: new Map(),
    greatestIds: new Map(),
    mentionedIds: new Set(),
    findings: [],
  };
  await Promise.all(
    Array.from({ length: scanParts }, async (_, segment) => {
      for await (const items of forge.table.scan({ segment, of: scanParts })) {
        for (const item of items) note(facts, item, keeper.keep(item));
      }
    }),
  );
  return facts;
}

function note(facts: TableFacts, item: Item, kind: ItemKind | undefined): void {
  const { pk, sk } = item;
  if (pk.startsWith("SEQ#")) facts.counters.set(pk.slice("SEQ#".length), Number(item.n));
  const repository = /^[RI]#(\d+)/.exec(pk)?.[1];
  if (repository !== undefined && sk !== "META") facts.mentionedIds.add(Number(repository));
  noteIds(facts, item, kind);
  facts.findings.push(...shapeFindings(item, kind));
}

function noteIds({ greatestIds }: TableFacts, item: Item, kind: ItemKind | undefined): void {
  if (kind?.counter === undefined) return;
  const ids = kind.ids?.(item) ?? (typeof item.id === "number" ? [item.id] : []);
  greatestIds.set(kind.counter, Math.max(greatestIds.get(kind.counter) ?? 0, ...ids));
}

const largestBytes = 200_000;
/** Names and bytes of attributes, about as DynamoDB counts them: only of what could be too large. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum +
      name.length +
      (typeof value === "string"
        ? Buffer.byteLength(value)
        : value instanceof Uint8Array
          ? value.length
          : (JSON.stringify(value)?.length ?? 0)),
    0,
  );

/** Counters and sets, of which each write knows one attribute. */
const versionless = /^(SEQ#|WAITS#|SYS$)/;

/** Chunks of a push log, where they lie; ROOT holds a manifest that may be long. */
const largeOfGit = /^(L#|C#|ROOT$)/;

/**
 * Invariant 22: each item is of a kind that a noun declares, and says the version of its shape; none is larger than 200
 * KB but ROOT and the chunks of a push log.
 */
function shapeFindings(item: Item, kind: ItemKind | undefined): Finding[] {
  const key = shownKey(item);
  const remedy = "written by a program that is not ours, or an older one: look at it";
  const isLarge = item.pk.endsWith("#G") && largeOfGit.test(item.sk);
  return [
    ...(kind === undefined ? [{ invariant: 22, key, problem: "is of no kind that is known", remedy }] : []),
    ...(item._v === undefined && !versionless.test(item.pk)
      ? [{ invariant: 22, key, problem: "has no version of its shape", remedy }]
      : []),
    ...(!isLarge && sizeOf(item) > largestBytes
      ? [{ invariant: 22, key, problem: "is larger than 200 KB", remedy: "shorten its text" }]
      : []),
  ];
}
