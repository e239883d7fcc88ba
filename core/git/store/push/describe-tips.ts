import { Pacer } from "../../../concurrency/pacer.ts";
import { defined } from "../../../defined.ts";
import { largestCommitBytes } from "../../format/check.ts";
import { commitMessage, parseCommit } from "../../format/commit.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { GitObject } from "../../format/object-type.ts";
import { parseTag } from "../../format/tag.ts";
import type { RefChange, Verdict } from "../../refs/check-changes.ts";
import type { BranchRecord } from "../../refs/ref-log.ts";
import { branchPrefix } from "../../refs/ref-name.ts";
import type { RefTable } from "../../refs/ref-table.ts";

/** The record of the object that a ref is set to, or why there is none. */
export type TipDescription =
  | { readonly peeled?: ObjectId; readonly record?: BranchRecord }
  | { readonly refusal: string };

/** Looks an object up in the pushed pack and the repository; undefined when both lack it. */
export type FindObject = (id: ObjectId) => Promise<GitObject | undefined>;

const longestTagChain = 50;

/** First line of the message, author and committer date of a commit. */
function branchRecordOf(commitData: Buffer): BranchRecord {
  const commit = parseCommit(commitData);
  const text = commitMessage(commit);
  const end = text.indexOf("\n");
  return {
    subject: (end < 0 ? text : text.slice(0, end)).trim(),
    author: { name: commit.author.name, email: commit.author.email },
    committedSeconds: commit.committer.seconds,
    committedZone: commit.committer.timezone,
  };
}

async function describeBranch(id: ObjectId, refs: RefTable, find: FindObject): Promise<TipDescription> {
  const known = refs.pointingAt(id).find((entry) => entry.record !== undefined)?.record;
  if (known !== undefined) return { record: known };
  const object = await find(id);
  if (object === undefined) return { refusal: `object ${id} is missing` };
  if (object.type !== "commit") return { refusal: `a branch can't point at a ${object.type}` };
  if (object.data.length > largestCommitBytes) {
    return { refusal: `commit ${id} has more than ${largestCommitBytes} bytes` };
  }
  return { record: branchRecordOf(object.data) };
}

async function describeOther(id: ObjectId, refs: RefTable, find: FindObject): Promise<TipDescription> {
  const [known] = refs.pointingAt(id);
  if (known !== undefined) return defined({ peeled: known.peeled });
  let object = await find(id);
  if (object === undefined) return { refusal: `object ${id} is missing` };
  if (object.type !== "tag") return {};
  for (let depth = 0; depth < longestTagChain; depth++) {
    const target = parseTag(object.data);
    if (target.type !== "tag") return { peeled: target.object };
    object = await find(target.object);
    if (object === undefined) return { refusal: `object ${target.object} is missing` };
  }
  return { refusal: `a chain of more than ${longestTagChain} tags` };
}

/** Describes the tips of changes, each object once; the answers stay for all attempts of a push. */
export class TipDescriptions {
  readonly #find: FindObject;
  readonly #known = new Map<string, TipDescription>();

  constructor(find: FindObject) {
    this.#find = find;
  }

  /** An object of the push or the repository. */
  read(id: ObjectId): Promise<GitObject | undefined> {
    return this.#find(id);
  }

  /** Verdicts in the order of the changes; a missing object refuses its ref. */
  async check(changes: readonly RefChange[], refs: RefTable): Promise<Verdict[]> {
    const verdicts: Verdict[] = [];
    const pacer = new Pacer();
    for (const change of changes) {
      if (pacer.isDue()) await pacer.pause();
      const description = await this.of(change, refs);
      verdicts.push("refusal" in description ? description.refusal : undefined);
    }
    return verdicts;
  }

  async of(change: RefChange, refs: RefTable): Promise<TipDescription> {
    if (change.new === undefined) return {};
    const isBranch = change.name.startsWith(branchPrefix);
    const key = `${isBranch ? "b" : "o"}${change.new}`;
    let description = this.#known.get(key);
    if (description === undefined) {
      description = await (isBranch ? describeBranch : describeOther)(change.new, refs, this.#find);
      this.#known.set(key, description);
    }
    return description;
  }
}
