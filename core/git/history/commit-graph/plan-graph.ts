import type { ObjectId } from "../../format/object-format.ts";
import { directoryMode } from "../../format/tree.ts";
import type { CommitLinks } from "../commit-links.ts";
import { type DifferingEntry, differingEntries } from "../differing-names.ts";
import type { History } from "../history.ts";
import { anyPath, FilterRoom, filterOfPaths } from "./bloom-filter.ts";
import type { CommitGraph } from "./commit-graph.ts";
import { GraphColumns } from "./graph-columns.ts";
import type { GraphCommit } from "./graph-layer.ts";

/** When to stop; at least one commit is taken. */
export interface PlanBounds {
  readonly mostCommits?: number;
  readonly timeMs?: number;
}

/** Commits that a graph lacks, each after its parents. */
export interface GraphPlan {
  readonly commits: GraphColumns;
  /** False when a bound ended it. */
  readonly isComplete: boolean;
}

/** Of commits that change more files nothing is kept of them. */
const mostPaths = 512;

/** Commits that wait have at most so many parents: 40 to 64 MB. What leads to one that finds no room is left out. */
const mostWaitingParents = 2_000_000;

/** A commit that waits for its parents; it waits for ever when one is absent. */
const waiting = -1;
/** One that the graph has. */
const inGraph = -2;

/** How much of a graph some commits are: one with more than four parents counts as several. */
export const sizeOfGraph = ({
  count,
  parentCount,
}: {
  readonly count: number;
  readonly parentCount: number;
}): number => Math.max(count, Math.ceil(parentCount / 4));

/**
 * Finds the commits that a graph must add for some tips. It skips tips that are no commits, and everything that leads
 * to a missing commit.
 */
export async function planGraph(
  history: History,
  graph: CommitGraph,
  tips: Iterable<ObjectId>,
  { mostCommits = Number.POSITIVE_INFINITY, timeMs = Number.POSITIVE_INFINITY }: PlanBounds = {},
): Promise<GraphPlan> {
  const planning = new Planning(history, graph);
  const until = history.elapsedMs + timeMs;
  for (const tip of tips) {
    const isMet = () => planning.size >= mostCommits || history.elapsedMs > until;
    if (!(await planning.take(tip, isMet))) return { commits: planning.commits, isComplete: false };
  }
  return { commits: planning.commits, isComplete: true };
}

class Planning {
  readonly commits: GraphColumns;
  readonly #history: History;
  readonly #graph: CommitGraph;
  readonly #filters = new FilterRoom();
  /** The place of a commit in `commits`, or why it has none. */
  readonly #taken = new Map<ObjectId, number>();
  /** Commits whose parents are being added, each a parent of the one before it: most of a long history. */
  readonly #open: GraphColumns;
  /** By number in `#open`: which parent is next. */
  readonly #next: number[] = [];

  constructor(history: History, graph: CommitGraph) {
    this.#history = history;
    this.#graph = graph;
    this.commits = new GraphColumns(history.format);
    this.#open = new GraphColumns(history.format);
  }

  /** In commits of four parents at most: others count as several. */
  get size(): number {
    return sizeOfGraph(this.commits);
  }

  /** Adds a commit and its ancestors, parents first; false when it stopped before. */
  async take(tip: ObjectId, isMet: () => boolean): Promise<boolean> {
    await this.#enter(tip);
    while (this.#open.count > 0) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      const last = this.#open.count - 1;
      const which = this.#next[last] as number;
      const parent = this.#open.parentAt(last, which);
      if (parent !== undefined) {
        this.#next[last] = which + 1;
        const entering = this.#enter(parent);
        if (entering !== undefined) await entering;
        continue;
      }
      const { id, ...links } = this.#open.at(last);
      this.#open.pop();
      await this.#add(id, links);
      if (this.commits.count > 0 && this.#open.count > 0 && isMet()) return false;
    }
    return true;
  }

  #enter(id: ObjectId): Promise<void> | undefined {
    if (this.#taken.has(id)) return undefined;
    const isKnown = this.#graph.find(id) !== undefined;
    this.#taken.set(id, isKnown ? inGraph : waiting);
    if (isKnown) return undefined;
    const place = this.#history.packs.find(id);
    if (place === undefined || this.#history.packs.typeOf(place) !== "commit") return undefined;
    const links = this.#history.links(id);
    return links instanceof Promise ? links.then((read) => this.#push(id, read)) : this.#push(id, links);
  }

  #push(id: ObjectId, { tree, parents, seconds }: CommitLinks): undefined {
    if (this.#open.parentCount + parents.length > mostWaitingParents) return;
    const number = this.#open.add({ id, tree, parents, seconds, generation: 0, changedPaths: anyPath });
    this.#next[number] = 0;
  }

  async #add(id: ObjectId, { tree, parents, seconds }: CommitLinks): Promise<void> {
    let generation = 1;
    for (const parent of parents) {
      const pause = this.#history.pace();
      if (pause !== undefined) await pause;
      const known = this.#find(parent);
      if (known === undefined) return;
      generation = Math.max(generation, known.generation + 1);
    }
    const [first] = parents;
    const paths = await changedPaths(this.#history, first && this.#find(first)?.tree, tree);
    const filter = paths === undefined ? anyPath : filterOfPaths(paths, this.#filters);
    const number = this.commits.add({ id, tree, parents, seconds, generation, changedPaths: filter });
    this.#taken.set(id, number);
  }

  #find(id: ObjectId): Pick<GraphCommit, "tree" | "generation"> | undefined {
    const at = this.#taken.get(id) ?? waiting;
    if (at === inGraph) return this.#graph.find(id);
    if (at === waiting) return undefined;
    return { tree: this.commits.treeAt(at), generation: this.commits.generations[at] as number };
  }
}

/** Paths and folders in which two trees differ; undefined beyond 512 files. */
async function changedPaths(
  history: History,
  oldTree: ObjectId | undefined,
  newTree: ObjectId,
): Promise<Set<string> | undefined> {
  const paths = new Set<string>();
  let files = 0;
  const nothing = Buffer.alloc(0);
  const stack: [ObjectId | undefined, ObjectId | undefined, string][] = [[oldTree, newTree, ""]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [one, other, prefix] = next;
    if (one === other) continue;
    const left = one === undefined ? nothing : history.tree(one);
    const right = other === undefined ? nothing : history.tree(other);
    const before = left instanceof Promise ? await left : left;
    const after = right instanceof Promise ? await right : right;
    for (const [name, entry] of await differingEntries(history, before, after)) {
      const path = `${prefix}${name}`;
      const folders = foldersOf(entry);
      paths.add(path);
      files += folders === undefined ? 1 : 0;
      if (files > mostPaths || paths.size > 2 * mostPaths) return undefined;
      if (folders !== undefined) stack.push([...folders, `${path}/`]);
    }
  }
  return paths;
}

/** The trees of an entry that is a folder on either side. */
function foldersOf(entry: DifferingEntry): [ObjectId | undefined, ObjectId | undefined] | undefined {
  const [one, other] = entry.map((text) => {
    const [mode = "", id = ""] = text === undefined ? [] : splitOnce(text);
    return Number(mode) === directoryMode ? Buffer.from(id, "latin1").toString("hex") : undefined;
  });
  return one === undefined && other === undefined ? undefined : [one, other];
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf(":");
  return [text.slice(0, at), text.slice(at + 1)];
}
