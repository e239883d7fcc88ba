import { manySteps, Pacer } from "../../../concurrency/pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import { parseTag } from "../../format/tag.ts";
import type { PackSet, Place } from "../../pack/pack-set.ts";
import { tagPrefix } from "../../refs/ref-name.ts";
import type { RefTable } from "../../refs/ref-table.ts";
import { ObjectReader } from "../object-reader.ts";
import { type CommitsToSend, commitsToSend, type SentCommit } from "./commits-to-send.ts";
import type { ObjectFilter } from "./object-filter.ts";
import { type ShallowHistory, wholeHistory } from "./shallow-history.ts";
import { sortTips } from "./sort-tips.ts";
import { type BaseTree, TreeWalk } from "./tree-walk.ts";

/** The wants of a client, and its haves. */
export interface SelectRequest {
  readonly packs: PackSet;
  /** Objects of any kind, all in the packs. */
  readonly wants: readonly ObjectId[];
  /** Objects that both sides have, with everything they lead to as far as the history goes. */
  readonly haves: readonly ObjectId[];
  /** The border of the client's history, when it does not reach back to the beginnings. */
  readonly history?: ShallowHistory;
  /** What to leave out, except the wants themselves. */
  readonly filter?: ObjectFilter;
  /** Annotated tags of these refs are sent with the commits that they lead to. */
  readonly tagsOf?: RefTable;
  readonly signal?: AbortSignal;
  /** Called with the number of objects chosen so far. */
  onProgress?(objects: number): void;
}

/**
 * Objects to send, and objects of the other side that deltas may rest on. For a client that filters there are none of
 * the latter: nobody knows which of the objects behind its commits it has.
 */
export interface SelectedObjects {
  readonly chosen: ReadonlySet<Place>;
  readonly bases: ReadonlySet<Place>;
}

/** Everything reachable from `wants` and not from `haves`. Throws MissingObject when the repository is damaged. */
export async function selectObjects(request: SelectRequest): Promise<SelectedObjects> {
  request.signal?.throwIfAborted();
  const { packs, filter, tagsOf, history = wholeHistory } = request;
  const reader = new ObjectReader(packs);
  const pacer = new Pacer(request.signal);
  const chosen = new Set<Place>();
  const bases = new Set<Place>();
  const trees = new TreeWalk(reader, pacer, { chosen, bases }, filter);
  const asked = await sortTips(reader, request.wants, pacer, (tag) => chosen.add(tag));
  const { commits: uncovered } = await sortTips(reader, history.uncovered, pacer);
  const held = [...history.unshallow, ...request.haves];
  const haves = await sortTips(reader, held, pacer, (tag) => bases.add(tag));
  const { cuts } = history;
  const wanted = [...asked.commits, ...uncovered];
  const { commits, met } = await commitsToSend(reader, wanted, haves.commits, pacer, cuts);
  for (const { links, isUninteresting } of met.values()) {
    if (pacer.isDue()) await pacer.pause();
    if (isUninteresting && links !== undefined) bases.add(links.place);
  }
  if (cuts.size > 0) await knowEdges(reader, trees, haves.commits, met);
  const explicit = filter && new Set(wanted);
  // Parents first: the parts that a commit shares with its parents are skipped, because the parents are complete by
  // then. In any other order a tree that goes away and comes back would be skipped everywhere.
  for (const commit of commits) {
    if (pacer.isDue()) await pacer.pause();
    if (filter?.types.has("commit") !== false || explicit?.has(commit.links.place))
      chosen.add(commit.links.place);
    const tree = filter !== undefined && !hasTrees(filter) ? undefined : reader.treePlace(commit.links.tree);
    if (tree !== undefined) await trees.visit(tree, parentTrees(reader, commit));
    request.onProgress?.(chosen.size);
  }
  for (const place of asked.trees) {
    await trees.visit(place, [], aboveCommits);
    chosen.add(place);
  }
  for (const place of asked.blobs) chosen.add(place);
  if (tagsOf !== undefined) await addTags(reader, tagsOf, chosen, pacer);
  if (filter !== undefined) return { chosen, bases: new Set() };
  // What is wanted by its id, or shared with a parent that was not compared, is sent although the client has it: no
  // other delta may count on the client's copy.
  for (const place of bases) if (chosen.has(place)) bases.delete(place);
  return { chosen, bases };
}

/** The depth of a tree that is wanted itself: filters count from its entries. */
const aboveCommits = -1;

const hasTrees = ({ types, treeDepth }: ObjectFilter): boolean =>
  treeDepth > 0 && (types.has("tree") || types.has("blob"));

/** How many commits of the client have their trees compared with the sent ones when history is cut. */
const mostEdges = 64;

/** Where history is cut, no parent's tree says what the client has: the trees of its own commits do. */
async function knowEdges(
  reader: ObjectReader,
  trees: TreeWalk,
  haves: readonly Place[],
  met: CommitsToSend["met"],
): Promise<void> {
  const ids = Array.from([...new Set(haves)].slice(0, mostEdges), (place) => reader.packs.idOf(place));
  for (const { tree } of ids.flatMap((id) => met.get(id)?.links ?? [])) {
    const place = reader.treePlace(tree);
    if (place !== undefined) await trees.know(place);
  }
}

/** How many parents' trees a commit's own is compared with: more of them only make what is sent a little smaller. */
const mostCompared = 64;

function parentTrees(reader: ObjectReader, { parents }: SentCommit): BaseTree[] {
  return parents.slice(0, mostCompared).flatMap(({ links, isUninteresting }) => {
    const place = links && reader.treePlace(links.tree);
    return place === undefined ? [] : [{ place, isKnown: isUninteresting }];
  });
}

/** Adds the tag objects (chains included) whose commits are being sent. */
async function addTags(
  reader: ObjectReader,
  refs: RefTable,
  chosen: Set<Place>,
  pacer: Pacer,
): Promise<void> {
  for (const { id, peeled } of refs.list(tagPrefix)) {
    if (pacer.isDue()) await pacer.pause();
    if (peeled === undefined) continue;
    const target = reader.packs.find(peeled);
    if (target === undefined || !chosen.has(target)) continue;
    let place = reader.place(id);
    while (reader.packs.typeOf(place) === "tag" && !chosen.has(place)) {
      chosen.add(place);
      if (pacer.isDue(manySteps)) await pacer.pause();
      const { data } = await reader.read(place);
      place = reader.place(parseTag(data).object);
    }
  }
}
