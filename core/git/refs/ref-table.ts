import type { ObjectId } from "../format/object-format.ts";
import type { BranchRecord, LoggedChange } from "./ref-log.ts";
import { compareRefNames } from "./ref-name.ts";

/** One ref as of one version. */
export interface RefEntry {
  readonly name: string;
  readonly id: ObjectId;
  /** The object that an annotated tag leads to. */
  readonly peeled?: ObjectId;
  /** Of branches; absent when none was recorded. */
  readonly record?: BranchRecord;
  /** The user who pushed this value, and when. */
  readonly pusherId: number;
  readonly updatedMs: number;
}

/** The change of a push to a ref: the new entry, or none for a deleted ref. */
export type RefUpdate = { readonly name: string; readonly entry: RefEntry | undefined };

/** The entry that a logged change leaves behind. */
export function updateOf(change: LoggedChange, pusherId: number, updatedMs: number): RefUpdate {
  const { name, peeled, record } = change;
  if (change.new === undefined) return { name, entry: undefined };
  const optional = { ...(peeled && { peeled }), ...(record && { record }) };
  return { name, entry: { name, id: change.new, ...optional, pusherId, updatedMs } };
}

/** All refs of a repository at one version, sorted by the bytes of their names. Immutable. */
export class RefTable {
  readonly entries: readonly RefEntry[];
  #byId: Map<ObjectId, RefEntry[]> | undefined;

  constructor(entries: readonly RefEntry[]) {
    this.entries = entries;
  }

  static readonly empty = new RefTable([]);

  /** Index of the first entry whose name is not below `name`. */
  #lowerBound(name: string): number {
    let low = 0;
    let high = this.entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRefNames((this.entries[middle] as RefEntry).name, name) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  find(name: string): RefEntry | undefined {
    const entry = this.entries[this.#lowerBound(name)];
    return entry?.name === name ? entry : undefined;
  }

  /** Entries that point at an object; empty when none does. */
  pointingAt(id: ObjectId): readonly RefEntry[] {
    if (this.#byId === undefined) {
      this.#byId = new Map();
      for (const entry of this.entries) {
        const known = this.#byId.get(entry.id);
        if (known === undefined) this.#byId.set(entry.id, [entry]);
        else known.push(entry);
      }
    }
    return this.#byId.get(id) ?? [];
  }

  #range(prefix: string): { start: number; end: number } {
    const start = this.#lowerBound(prefix);
    let end = start;
    while (this.entries[end]?.name.startsWith(prefix)) end += 1;
    return { start, end };
  }

  /** Entries whose names begin with `prefix`, in order. */
  list(prefix = ""): readonly RefEntry[] {
    if (prefix === "") return this.entries;
    const { start, end } = this.#range(prefix);
    return this.entries.slice(start, end);
  }

  /** Entries whose names begin with any of the prefixes, in order, none twice. */
  listAny(prefixes: readonly string[]): RefEntry[] {
    const ranges = prefixes
      .map((prefix) => this.#range(prefix))
      .sort((left, right) => left.start - right.start);
    const found: RefEntry[] = [];
    let from = 0;
    for (const { start, end } of ranges) {
      for (let at = Math.max(start, from); at < end; at++) found.push(this.entries[at] as RefEntry);
      from = Math.max(from, end);
    }
    return found;
  }

  /** Whether any name begins with `prefix`. */
  hasPrefix(prefix: string): boolean {
    return this.entries[this.#lowerBound(prefix)]?.name.startsWith(prefix) ?? false;
  }

  /** The table after some updates; the later one of the same name counts. */
  with(updates: readonly RefUpdate[]): RefTable {
    if (updates.length === 0) return this;
    const last = new Map(updates.map((update) => [update.name, update.entry]));
    const names = [...last.keys()].sort(compareRefNames);
    const merged: RefEntry[] = [];
    let from = 0;
    for (const name of names) {
      const at = this.#lowerBound(name);
      for (; from < at; from++) merged.push(this.entries[from] as RefEntry);
      if (this.entries[from]?.name === name) from += 1;
      const entry = last.get(name);
      if (entry !== undefined) merged.push(entry);
    }
    for (; from < this.entries.length; from++) merged.push(this.entries[from] as RefEntry);
    return new RefTable(merged);
  }
}
