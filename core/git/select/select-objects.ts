import type { ObjectId } from "../object/object-format.ts";
import { parseTag } from "../object/tag.ts";
import { Pacer } from "../pacer.ts";
import type { PackSet, Place } from "../pack/pack-set.ts";
import { tagPrefix } from "../refs/ref-name.ts";
import type { RefTable } from "../refs/ref-table.ts";
import { type CommitNode, walkCommits } from "./commit-walk.ts";
import { ObjectReader } from "./object-reader.ts";
import { type BaseTree, TreeWalk } from "./tree-walk.ts";

/** What a client asks for, and what it said it has. */
export interface SelectRequest {
  readonly packs: PackSet;
  /** Objects of any kind, all in the packs. */
  readonly wants: readonly ObjectId[];
  /** Objects that both sides have, with all that they lead to. */
  readonly haves: readonly ObjectId[];
  /** Annotated tags of these refs go along with the commits they lead to. */
  readonly tagsOf?: RefTable;
  readonly signal?: AbortSignal;
  /** Told how many objects are chosen so far. */
  onProgress?(objects: number): void;
}

/** Objects to send, and objects of the other side that deltas may rest on. */
export interface SelectedObjects {
  readonly chosen: ReadonlySet<Place>;
  readonly bases: ReadonlySet<Place>;
}

/** Everything reachable from `wants` and not from `haves`. Throws MissingObject where the repository is damaged. */
export async function selectObjects(request: SelectRequest): Promise<SelectedObjects> {
  const { packs, tagsOf, signal } = request;
  signal?.throwIfAborted();
  const reader = new ObjectReader(packs);
  const pacer = new Pacer(signal);
  const chosen = new Set<Place>();
  const bases = new Set<Place>();
  const trees = new TreeWalk(reader, pacer, chosen, bases);
  const wants = await sortTips(reader, request.wants, (tag) => chosen.add(tag));
  const haves = await sortTips(reader, request.haves, (tag) => bases.add(tag));
  const { interesting, seen } = await walkCommits(reader, wants.commits, haves.commits, pacer);
  for (const node of seen.values()) if (node.isUninteresting) bases.add(node.place);
  // Parents first: what a commit shares with its parents is passed over because they are complete by then. In any
  // other order a tree that goes away and comes back would be passed over everywhere.
  for (const node of interesting) {
    chosen.add(node.place);
    const tree = reader.treePlace(node.tree);
    if (tree !== undefined) await trees.visit(tree, parentTrees(reader, node));
    request.onProgress?.(chosen.size);
  }
  for (const place of wants.trees) await trees.visit(place, []);
  for (const place of wants.blobs) chosen.add(place);
  if (tagsOf !== undefined) await addTags(reader, tagsOf, chosen);
  return { chosen, bases };
}

function parentTrees(reader: ObjectReader, node: CommitNode): BaseTree[] {
  return (node.parents ?? []).flatMap((parent) => {
    const place = reader.treePlace(parent.tree);
    return place === undefined ? [] : [{ place, isKnown: parent.isUninteresting }];
  });
}

interface Tips {
  readonly commits: Place[];
  readonly trees: Place[];
  readonly blobs: Place[];
}

/** Tips by kind; tags are handed to `onTag` and followed. */
async function sortTips(
  reader: ObjectReader,
  ids: readonly ObjectId[],
  onTag: (place: Place) => void,
): Promise<Tips> {
  const tips: Tips = { commits: [], trees: [], blobs: [] };
  for (const id of ids) {
    let place = reader.place(id);
    while (reader.packs.typeOf(place) === "tag") {
      onTag(place);
      const { data } = await reader.read(place);
      place = reader.place(parseTag(data).object);
    }
    const type = reader.packs.typeOf(place);
    if (type === "commit") tips.commits.push(place);
    else if (type === "tree") tips.trees.push(place);
    else tips.blobs.push(place);
  }
  return tips;
}

/** Adds the tag objects (chains included) whose commits are being sent. */
async function addTags(reader: ObjectReader, refs: RefTable, chosen: Set<Place>): Promise<void> {
  for (const { id, peeled } of refs.list(tagPrefix)) {
    if (peeled === undefined) continue;
    const target = reader.packs.find(peeled);
    if (target === undefined || !chosen.has(target)) continue;
    let place = reader.place(id);
    while (reader.packs.typeOf(place) === "tag" && !chosen.has(place)) {
      chosen.add(place);
      const { data } = await reader.read(place);
      place = reader.place(parseTag(data).object);
    }
  }
}
