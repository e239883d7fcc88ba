import { objectIdBytes } from "../format/object-format.ts";
import { canonicalMode } from "../format/tree.ts";
import type { HistoryReader } from "./history.ts";

const space = 0x20;

/** The entries of two trees under one name: each a mode and a binary id in latin1, as `mode:id`. */
export type DifferingEntry = readonly [one: string | undefined, other: string | undefined];

/** Trees may have a million entries: others run in between. */
type Paced = Pick<HistoryReader, "format" | "pace">;

/** Names (raw bytes, latin1) under which two trees' bytes differ, or only one has an entry. */
export const differingNames = async (history: Paced, one: Buffer, other: Buffer): Promise<Set<string>> =>
  new Set((await differingEntries(history, one, other)).keys());

/** The same with the entries. Trees of large folders mostly differ in a range of a few entries: only that is parsed. */
export async function differingEntries(
  history: Paced,
  one: Buffer,
  other: Buffer,
): Promise<Map<string, DifferingEntry>> {
  const idBytes = objectIdBytes(history.format);
  const head = commonHead(one, other);
  const tail = commonTail(one, other, head);
  const start = entryBefore(one, head, idBytes);
  const left = await comparableEntries(history, one, start, one.length - tail);
  const right = await comparableEntries(history, other, start, other.length - tail);
  if (one.length - left.end === other.length - right.end) {
    return compared(history, left.entries, right.entries);
  }
  const whole = await comparableEntries(history, one, start, one.length);
  return compared(
    history,
    whole.entries,
    (await comparableEntries(history, other, start, other.length)).entries,
  );
}

async function compared(
  history: Paced,
  left: ReadonlyMap<string, string>,
  right: ReadonlyMap<string, string>,
): Promise<Map<string, DifferingEntry>> {
  const found = new Map<string, DifferingEntry>();
  for (const [name, entry] of left) {
    const other = right.get(name);
    if (other !== entry) found.set(name, [entry, other]);
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  for (const [name, entry] of right) {
    if (!left.has(name)) found.set(name, [undefined, entry]);
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  return found;
}

/** Bytes that both begin with, found by halves: comparing is quick. */
function commonHead(one: Buffer, other: Buffer): number {
  let known = 0;
  let end = Math.min(one.length, other.length);
  while (known < end) {
    const middle = (known + end + 1) >>> 1;
    if (one.compare(other, known, middle, known, middle) === 0) known = middle;
    else end = middle - 1;
  }
  return known;
}

function commonTail(one: Buffer, other: Buffer, head: number): number {
  let known = 0;
  let end = Math.min(one.length, other.length) - head;
  while (known < end) {
    const middle = (known + end + 1) >>> 1;
    const [a, b] = [one.length, other.length];
    if (one.compare(other, b - middle, b - known, a - middle, a - known) === 0) known = middle;
    else end = middle - 1;
  }
  return known;
}

/** The start of the entry that holds a byte. */
function entryBefore(tree: Buffer, offset: number, idBytes: number): number {
  let at = 0;
  for (let next = 0; next <= offset && next < tree.length; ) {
    at = next;
    while (next < tree.length && tree[next] !== 0) next += 1;
    next += 1 + idBytes;
  }
  return at;
}

/** Entries that begin in a range, by name, as comparable texts; and the end of the last one. */
async function comparableEntries(history: Paced, tree: Buffer, from: number, to: number) {
  const idBytes = objectIdBytes(history.format);
  const entries = new Map<string, string>();
  let at = from;
  while (at < to) {
    const gap = tree.indexOf(space, at);
    const end = gap < 0 ? -1 : tree.indexOf(0, gap);
    if (end < 0 || end + 1 + idBytes > tree.length) throw new Error("tree is cut short");
    const mode = canonicalMode(Number.parseInt(tree.toString("latin1", at, gap), 8));
    const next = end + 1 + idBytes;
    entries.set(tree.toString("latin1", gap + 1, end), `${mode}:${tree.toString("latin1", end + 1, next)}`);
    at = next;
    const pause = history.pace();
    if (pause !== undefined) await pause;
  }
  return { entries, end: at };
}
