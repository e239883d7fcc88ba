import { isValidRefName, maxRefNameBytes } from "../format/check-ref-name.ts";
import type { ObjectId } from "../format/object-format.ts";
import { encodeRefName } from "./ref-name.ts";
import type { RefTable, RefUpdate } from "./ref-table.ts";

/** A ref that is to move from `old` to `new`; absent stands for "not there". */
export interface RefChange {
  readonly name: string;
  readonly old?: ObjectId;
  readonly new?: ObjectId;
}

/** Whether a change deletes a ref that the pusher knew to be missing: nothing happens then, as with git. */
export const isNothing = ({ old, new: id }: RefChange): boolean => old === undefined && id === undefined;

/** Why a change is refused, for the person who pushes; undefined when it is not. */
export type Verdict = string | undefined;

/** A change of another ref that lands in the place of a pushed one. */
export interface LandedAs {
  readonly change: RefChange;
  /** It takes commits away. */
  readonly isForced: boolean;
}

/** What the rules say of a change: a verdict, or what lands in its place. */
export type Ruling = Verdict | LandedAs;

/** A ref's fate: landed, by itself or as another one, or refused for a reason. */
export interface RefResult {
  readonly name: string;
  readonly refusal?: string;
  readonly as?: LandedAs;
}

const refsPrefix = "refs/";
/** The most folders in a name: each is looked for among the refs, and a push may name many. */
const mostFolders = 100;
/** From this many updates on, the check looks names up in a set. */
const manyUpdates = 64;

/** Faults of the changes that don't depend on the repository: names, doubles. In the order of the changes. */
export function checkNames(changes: readonly RefChange[]): Verdict[] {
  const seen = new Map<string, number>();
  for (const { name } of changes) seen.set(name, (seen.get(name) ?? 0) + 1);
  return changes.map((change) => {
    if (encodeRefName(change.name).length > maxRefNameBytes) {
      return `ref name is longer than ${maxRefNameBytes} bytes`;
    }
    // Names of one part below refs/ (refs/heads, refs/pull) would block all refs below them.
    const isWellFormed =
      change.name.startsWith(refsPrefix) &&
      isValidRefName(encodeRefName(change.name.slice(refsPrefix.length)));
    if (!isWellFormed && change.new !== undefined) return "not a valid ref name";
    if (countFolders(change.name) > mostFolders) return `more than ${mostFolders} folders in a ref name`;
    if ((seen.get(change.name) ?? 0) > 1) return "named more than once in this push";
    return undefined;
  });
}

/** Whether the ref is still where the pusher saw it. */
export function checkOldValue(refs: RefTable, change: RefChange): Verdict {
  const current = refs.find(change.name)?.id;
  if (current === change.old) return undefined;
  if (current === undefined) return "no longer exists here; fetch first";
  if (change.old === undefined) return "already exists here; fetch first";
  return `moved to ${current.slice(0, 12)} meanwhile; fetch first`;
}

/**
 * Created names that can't exist beside another: a ref can't be both a name and a folder of names, because clients that
 * keep refs in files could not hold both. `refs` is the table before, `updates` are the changes.
 */
export function checkFolders(refs: RefTable, updates: readonly RefUpdate[]): Map<string, string> {
  const after = refs.with(updates);
  const names = updates.length < manyUpdates ? undefined : new Set(after.entries.map(({ name }) => name));
  const isRef = (name: string) => names?.has(name) ?? after.find(name) !== undefined;
  const refusals = new Map<string, string>();
  for (const { name, entry } of updates) {
    if (entry === undefined || refs.find(name) !== undefined) continue;
    const folder = parentFolders(name).find(isRef);
    if (folder !== undefined) refusals.set(name, `${folder} exists; can't create a ref below it`);
    else if (after.hasPrefix(`${name}/`)) refusals.set(name, "refs below this name exist");
  }
  return refusals;
}

function countFolders(name: string): number {
  let count = 0;
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) count++;
  return count;
}

function parentFolders(name: string): string[] {
  const parents: string[] = [];
  for (let at = name.indexOf("/"); at >= 0; at = name.indexOf("/", at + 1)) parents.push(name.slice(0, at));
  return parents;
}
