import { Pacer } from "../../../concurrency/pacer.ts";
import { emptyTreeId, type ObjectFormat, type ObjectId } from "../../format/object-format.ts";
import { type CommitLinks, parseCommitLinks } from "../../history/commit-links.ts";
import type { HistoryReader } from "../../history/history.ts";
import type { PushedObjects } from "./push.ts";

/** A push leads to more than its judges look at. */
export class TooMuchToJudge extends Error {}

const nothing = Buffer.alloc(0);

/**
 * The repository after a push, for walks and comparisons that decide whether it lands. Throws TooMuchToJudge after so
 * many commits and trees.
 */
export class PushedHistory implements HistoryReader {
  readonly format: ObjectFormat;
  readonly #objects: PushedObjects;
  readonly #pacer = new Pacer();
  #left: number;

  constructor(objects: PushedObjects, most: number) {
    this.format = objects.format;
    this.#objects = objects;
    this.#left = most;
  }

  /** There is none: the decision about a push reads the objects themselves. */
  openGraph(): undefined {
    return undefined;
  }

  pace(): Promise<void> | undefined {
    return this.#pacer.isDue() ? this.#pacer.pause() : undefined;
  }

  async links(id: ObjectId): Promise<CommitLinks> {
    return parseCommitLinks(await this.read(id, "commit"));
  }

  async tree(id: ObjectId): Promise<Buffer> {
    return id === emptyTreeId(this.format) ? nothing : this.read(id, "tree");
  }

  /** The bytes of a commit or tree. Throws when there is no such one. */
  async read(id: ObjectId, type: "commit" | "tree"): Promise<Buffer> {
    this.#left -= 1;
    if (this.#left < 0) throw new TooMuchToJudge();
    const object = await this.#objects.read(id);
    if (object?.type !== type) throw new Error(`${type} ${id} is missing`);
    return object.data;
  }
}
