import { checkGitmodules, largestGitmodules } from "../format/check-gitmodules.ts";
import type { ObjectId } from "../format/object-format.ts";
import { typeOfCode } from "../format/object-type.ts";
import { buildSideFile } from "../pack/side-file.ts";
import { compareIds, sortIds } from "../pack/sort-ids.ts";
import type { DeltaResolver } from "./deltas/resolve-deltas.ts";
import { type EntryTable, none } from "./entry-table.ts";
import { IngestError } from "./ingest-error.ts";
import type { IngestState } from "./ingest-state.ts";
import type { ReferenceList } from "./ingest-types.ts";

/** The results as the side file. `order`: see `orderOf`. */
export const sideOf = (
  { table, format, spool }: IngestState,
  { order, appendedCount, checksum }: { appendedCount: number; checksum: Buffer; order: Uint32Array },
): Buffer =>
  buildSideFile({
    format,
    count: table.count,
    ids: table.ids,
    crcs: table.crcs,
    offsets: table.offsets,
    types: table.types,
    sizes: table.sizes,
    bases: table.bases,
    byPosition: order,
    appendedCount,
    packBytes: spool.size,
    packChecksum: checksum,
  });

/** Entries in the order of their ids. Throws a refusal when two are the same object. */
export function orderOf(table: EntryTable): Uint32Array {
  const { idBytes, count, ids } = table;
  const order = sortIds(ids, idBytes, count);
  for (let i = 1; i < count; i++) {
    const entry = order[i] as number;
    if (compareIds(ids, (order[i - 1] as number) * idBytes, ids, entry * idBytes, idBytes) !== 0) continue;
    const id = table.hexId(entry);
    throw new IngestError("duplicate-object", `object ${id} is in the pack twice`, { id });
  }
  return order;
}

/** Above this many the list of unreferenced objects is left out. */
const mostUnreferenced = 100_000;

/** The objects that the new ones name and the pack lacks, and the new ones that no other names. */
export interface PackReferences {
  outside: ReferenceList;
  unreferenced?: ObjectId[];
}

/**
 * Settles the references of the new objects. Throws a refusal when an object in the pack has another kind than a
 * reference says. `sent` entries came with the pack; those behind them were appended.
 */
export function settleReferences(state: IngestState, order: Uint32Array, sent: number): PackReferences {
  const named = new Uint8Array(state.table.count);
  const outside = outsideReferences(state, order, named);
  const unreferenced: ObjectId[] = [];
  for (let entry = 0; entry < sent; entry++) {
    if (named[entry] !== 0) continue;
    if (unreferenced.length === mostUnreferenced) return { outside };
    unreferenced.push(state.table.hexId(entry));
  }
  return { outside, unreferenced };
}

function outsideReferences(state: IngestState, order: Uint32Array, named: Uint8Array): ReferenceList {
  const { references, table, idBytes } = state;
  const sorted = sortIds(references.ids, idBytes, references.count);
  const types = new Uint8Array(references.count);
  let count = 0;
  let next = 0;
  // Outside ids are gathered at the front of `sorted`.
  for (const reference of sorted) {
    const at = reference * idBytes;
    let difference = 1;
    while (next < table.count) {
      const entry = order[next] as number;
      difference = compareIds(table.ids, entry * idBytes, references.ids, at, idBytes);
      if (difference >= 0) break;
      next++;
    }
    const expected = references.types[reference] as number;
    if (next < table.count && difference === 0) {
      requireType(table, order[next] as number, expected);
      named[order[next] as number] = 1;
    } else {
      types[count] = expected;
      sorted[count++] = reference;
    }
  }
  const ids = Buffer.allocUnsafeSlow(count * idBytes);
  for (let i = 0; i < count; i++) {
    const from = (sorted[i] as number) * idBytes;
    references.ids.copy(ids, i * idBytes, from, from + idBytes);
  }
  return { count, ids, types: types.slice(0, count) };
}

function requireType(table: EntryTable, entry: number, expected: number): void {
  const actual = table.types[entry] as number;
  if (expected === 0 || actual === expected) return;
  const id = table.hexId(entry);
  const message = `object ${id} is a ${typeOfCode(actual)} but is used as a ${typeOfCode(expected)}`;
  throw new IngestError("bad-object", message, { id });
}

/** Checks the blobs that new trees use as `.gitmodules`; answers those that are not new. */
export function checkGitmodulesBlobs(
  state: IngestState,
  resolver: DeltaResolver,
  order: Uint32Array,
): ObjectId[] {
  const { table } = state;
  const outside: ObjectId[] = [];
  for (const id of state.references.gitmodules) {
    const entry = findEntry(table, order, Buffer.from(id, "hex"));
    if (entry === none) {
      outside.push(id);
      continue;
    }
    const isHuge = (table.sizes[entry] as number) > largestGitmodules;
    const wrong = isHuge
      ? { problem: "gitmodulesLarge", message: ".gitmodules is too large" }
      : checkGitmodules(resolver.readObject(entry));
    if (wrong === undefined) continue;
    throw new IngestError("bad-object", `blob ${id}: ${wrong.message} (${wrong.problem})`, { id });
  }
  return outside;
}

function findEntry(table: EntryTable, order: Uint32Array, id: Buffer): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = order[middle] as number;
    const difference = compareIds(table.ids, entry * table.idBytes, id, 0, table.idBytes);
    if (difference === 0) return entry;
    if (difference < 0) low = middle + 1;
    else high = middle;
  }
  return none;
}
