import type { ObjectId } from "../format/object-format.ts";
import type { GitObject } from "../format/object-type.ts";
import { parseTag } from "../format/tag.ts";

/** What walks need to know of a commit. */
export interface CommitLinks {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  /** Committer date, seconds since the epoch; 0 when it is unreadable. */
  readonly seconds: number;
  /**
   * From a commit graph: greater than that of every ancestor. A commit without one is no ancestor of a commit with one.
   */
  readonly generation?: number;
  /** From a commit graph: a filter of the paths changed since the first parent. */
  readonly changedPaths?: Buffer;
}

const newline = 0x0a;
const parentWord = "parent ";
const committerWord = Buffer.from("\ncommitter ");
/** So many parents are decoded one by one: an id that is part of a longer text keeps that in memory. */
const fewParents = 8;
/** Of more, so many lines are decoded together: it takes an eighth of the time. */
const linesAtOnce = 64;

/** Reads a commit's links without the rest of it. Throws when it names no tree. */
export function parseCommitLinks(data: Buffer): CommitLinks {
  const treeEnd = data.indexOf(newline);
  if (treeEnd < 0 || data.toString("latin1", 0, 5) !== "tree ") throw new Error("commit without a tree");
  const tree = data.toString("latin1", 5, treeEnd);
  const parents: ObjectId[] = [];
  const end = takeParents(data, treeEnd + 1, tree.length, parents);
  return { tree, parents, seconds: committerSeconds(data, end - 1) };
}

/** Adds the parents whose lines begin at a place; answers where they end. */
function takeParents(data: Buffer, from: number, idLength: number, parents: ObjectId[]): number {
  const lineLength = parentWord.length + idLength + 1;
  let at = from;
  for (; parents.length < fewParents; at += lineLength) {
    const idAt = at + parentWord.length;
    if (data.toString("latin1", at, idAt) !== parentWord) return at;
    parents.push(data.toString("latin1", idAt, idAt + idLength));
  }
  for (;;) {
    const text = data.toString("latin1", at, at + linesAtOnce * lineLength);
    let line = 0;
    for (; text.startsWith(parentWord, line); line += lineLength) {
      const idAt = line + parentWord.length;
      parents.push(text.slice(idAt, idAt + idLength));
    }
    at += line;
    if (line < linesAtOnce * lineLength) return at;
  }
}

function committerSeconds(data: Buffer, from: number): number {
  const at = data.indexOf(committerWord, from);
  if (at < 0) return 0;
  const start = at + committerWord.length;
  const end = data.indexOf(newline, start);
  const line = data.toString("latin1", start, end < 0 ? data.length : end);
  const seconds = Number.parseInt(line.slice(line.lastIndexOf(">") + 1), 10);
  return Number.isSafeInteger(seconds) ? seconds : 0;
}

/** The links that a walk follows from an object: a commit's parents, a tag's object. Undefined for trees and blobs. */
export function nextLinks(object: GitObject): Pick<CommitLinks, "parents" | "seconds"> | undefined {
  if (object.type === "commit") return parseCommitLinks(object.data);
  // Tags come before every commit: they are at the beginning of a walk.
  if (object.type === "tag") return { parents: [parseTag(object.data).object], seconds: Number.MAX_VALUE };
  return undefined;
}
