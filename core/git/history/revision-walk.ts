import type { ObjectId } from "../format/object-format.ts";
import type { CommitLinks } from "./commit-links.ts";
import { type CommitNode, CommitWalk, type ReadNode } from "./commit-walk.ts";
import type { HistoryReader } from "./history.ts";
import { PathFilter } from "./path-filter.ts";

/** The commits of a walk: those that `tips` lead to and `not` doesn't. */
export interface WalkRequest {
  readonly tips: readonly ObjectId[];
  readonly not?: readonly ObjectId[];
  /** Only commits that changed something at these paths (raw bytes, latin1), simplified as git does by default. */
  readonly paths?: readonly string[];
  /** Of merges follow the first parent alone. */
  readonly firstParent?: boolean;
  /** Committer dates, in seconds, both included. */
  readonly since?: number;
  readonly until?: number;
}

/** A commit in a walk. */
export interface WalkedCommit {
  readonly id: ObjectId;
  readonly links: CommitLinks;
}

/** How a commit differs from the parents that were compared so far. */
interface ComparedParents {
  count: number;
  hasRelevant: boolean;
  relevantDiffers: boolean;
  otherDiffers: boolean;
}

/** Returns commits newest first by committer date, in the order of `git log`. Bounded by its History. */
export class RevisionWalk {
  readonly #history: HistoryReader;
  readonly #request: WalkRequest;
  readonly #walk: CommitWalk;
  #started = false;
  /** All commits, when some are excluded: only the whole walk says which. */
  #limited: ReadNode[] | undefined;
  #at = 0;

  constructor(history: HistoryReader, request: WalkRequest) {
    this.#history = history;
    this.#request = request;
    const { tips: _tips, not: _not, paths = [], ...rules } = request;
    const filter = paths.length === 0 ? undefined : new PathFilter(history, paths);
    this.#walk = new CommitWalk(history, {
      ...rules,
      ...(filter && { simplify: (node: ReadNode) => this.#simplify(node, filter) }),
    });
  }

  /** The next commit; undefined after the last. */
  async next(): Promise<WalkedCommit | undefined> {
    if (!this.#started) await this.#start();
    if (this.#limited !== undefined) return this.#nextLimited(this.#limited);
    const { since = Number.NEGATIVE_INFINITY } = this.#request;
    for (let node = this.#walk.pop(); node !== undefined; node = this.#walk.pop()) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      if (node.links.seconds < since) continue;
      const passing = this.#walk.pass(node);
      if (passing !== undefined) await passing;
      if (this.#isShown(node)) return node;
    }
    return undefined;
  }

  #nextLimited(all: readonly ReadNode[]): WalkedCommit | undefined {
    while (this.#at < all.length) {
      const node = all[this.#at++] as ReadNode;
      if (this.#isShown(node)) return node;
    }
    return undefined;
  }

  async #start(): Promise<void> {
    this.#started = true;
    await this.#history.openGraph();
    const { tips, not = [] } = this.#request;
    await this.#walk.start(tips, not);
    if (not.length > 0) this.#limited = await this.#walk.findAll();
  }

  #isShown(node: ReadNode): boolean {
    if (node.isUninteresting || node.isSame) return false;
    return node.links.seconds <= (this.#request.until ?? Number.POSITIVE_INFINITY);
  }

  /**
   * Compares a commit with its parents at the paths. An equal parent is the only one followed, unless it is excluded; a
   * commit that differs from every parent that counts is shown.
   */
  #simplify(
    node: ReadNode,
    filter: PathFilter,
    compared: ComparedParents = { count: 0, hasRelevant: false, relevantDiffers: false, otherDiffers: false },
  ): undefined | Promise<undefined> {
    const again = () => this.#simplify(node, filter, compared);
    if (filter.isUnchanged(node.links)) {
      const [first] = node.parents;
      if (first === undefined || !first.isUninteresting || first.isBottom) {
        node.parents = first === undefined ? [] : [first];
        node.isSame = true;
        return undefined;
      }
    }
    const own = filter.fingerprint(node.links.tree);
    if (own instanceof Promise) return own.then(again);
    if (node.parents.length === 0) {
      node.isSame = own === "";
      return undefined;
    }
    const count = this.#request.firstParent === true ? 1 : node.parents.length;
    for (; compared.count < count; compared.count++) {
      const pause = this.#history.pace();
      if (pause !== undefined) return pause.then(again);
      const parent = this.#walk.read(node.parents[compared.count] as CommitNode);
      if (parent instanceof Promise) return parent.then(again);
      const theirs = filter.fingerprint(parent.links.tree);
      if (theirs instanceof Promise) return theirs.then(again);
      const isRelevant = !parent.isUninteresting || parent.isBottom;
      compared.hasRelevant ||= isRelevant;
      if (theirs === own) {
        if (!isRelevant) continue;
        node.parents = [parent];
        node.isSame = true;
        return undefined;
      }
      if (isRelevant) compared.relevantDiffers = true;
      else compared.otherDiffers = true;
    }
    node.isSame = compared.hasRelevant ? !compared.relevantDiffers : !compared.otherDiffers;
    return undefined;
  }
}
