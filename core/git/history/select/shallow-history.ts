import { manySteps, mapPaced, Pacer } from "../../../concurrency/pacer.ts";
import type { ObjectId } from "../../format/object-format.ts";
import type { PackSet, Place } from "../../pack/pack-set.ts";
import { parseCommitLinks } from "../commit-links.ts";
import { ObjectReader } from "../object-reader.ts";
import { commitsToSend } from "./commits-to-send.ts";
import { sortTips } from "./sort-tips.ts";

/** How far back a client wants history. `depth` counts commits from the wants, or from its own border. */
export type Deepening =
  | { readonly kind: "none" }
  | { readonly kind: "depth"; readonly depth: number; readonly isRelative: boolean }
  | { readonly kind: "range"; readonly sinceSeconds: number; readonly not: readonly ObjectId[] };

/** The depth by which clients say "everything" (gitprotocol-pack). */
export const wholeDepth = 0x7fffffff;

/** A client's history at present, and the wanted one. */
export interface ShallowRequest {
  readonly packs: PackSet;
  readonly wants: readonly ObjectId[];
  /** Commits of this repository whose parents the client lacks. */
  readonly borders: readonly ObjectId[];
  readonly deepening: Deepening;
  /** Which of some commits a visible ref leads to: nobody may ask for the history below others. */
  findVisible(ids: readonly ObjectId[]): Promise<readonly ObjectId[]>;
  readonly signal?: AbortSignal;
}

/** The new border of the client's history, and its meaning for the pack. */
export interface ShallowHistory {
  /** Commits that become borders, and borders that no longer are. */
  readonly shallow: readonly ObjectId[];
  readonly unshallow: readonly ObjectId[];
  /** Commits whose parents no walk for this client follows, neither from its wants nor from its haves. */
  readonly cuts: ReadonlySet<ObjectId>;
  /** Parents of the borders that fell, wanted besides the wants. */
  readonly uncovered: readonly ObjectId[];
}

/** The history of a client that has all and asks for all. */
export const wholeHistory: ShallowHistory = { shallow: [], unshallow: [], cuts: new Set(), uncovered: [] };

/**
 * The new border of a client's history. A border never implies its parents, also where it is lifted: the client has the
 * commit itself, and its parents are sent. Undefined when a range selects no commit at all.
 */
export async function shallowHistory(request: ShallowRequest): Promise<ShallowHistory | undefined> {
  const { packs, borders, deepening } = request;
  if (deepening.kind === "none" && borders.length === 0) return wholeHistory;
  request.signal?.throwIfAborted();
  const reader = new ObjectReader(packs);
  const pacer = new Pacer(request.signal);
  const reached = await reach(request, reader, pacer);
  if (deepening.kind === "range" && reached.inside.size + reached.border.length === 0) return undefined;
  const old = new Set(await mapPaced(borders, (id) => reader.place(id), pacer));
  const lifted = [...old].filter((place) => reached.inside.has(place));
  const uncovered = new Set<ObjectId>();
  for (const place of lifted) {
    if (pacer.isDue(manySteps)) await pacer.pause();
    for (const parent of (await linksAt(reader, place)).parents) uncovered.add(parent);
  }
  const idOf = (place: Place) => packs.idOf(place);
  const shallow = await mapPaced(
    reached.border.filter((place) => !old.has(place)),
    idOf,
    pacer,
  );
  const unshallow = await mapPaced(lifted, idOf, pacer);
  return { shallow, unshallow, cuts: new Set([...borders, ...shallow]), uncovered: [...uncovered] };
}

/** Commits that the client is to have with their parents, and those without. */
interface ReachedCommits {
  readonly inside: ReadonlySet<Place>;
  readonly border: readonly Place[];
}

async function reach(request: ShallowRequest, reader: ObjectReader, pacer: Pacer): Promise<ReachedCommits> {
  const { borders, deepening, wants } = request;
  if (deepening.kind === "none") return { inside: new Set(), border: [] };
  if (deepening.kind === "range") return commitsInRange(reader, wants, deepening, pacer);
  const { depth, isRelative } = deepening;
  if (depth < wholeDepth && !isRelative) {
    return commitsToDepth(reader, (await sortTips(reader, wants, pacer)).commits, depth, pacer);
  }
  const visible = await mapPaced(await request.findVisible(borders), (id) => reader.place(id), pacer);
  if (depth >= wholeDepth) return { inside: new Set(visible), border: [] };
  return commitsToDepth(reader, visible, depth + 1, pacer);
}

async function linksAt(reader: ObjectReader, place: Place) {
  const { data } = await reader.read(place);
  return parseCommitLinks(data);
}

/** Level by level, so that a commit counts with its shortest way from a start. */
async function commitsToDepth(
  reader: ObjectReader,
  starts: readonly Place[],
  depth: number,
  pacer: Pacer,
): Promise<ReachedCommits> {
  const inside = new Set<Place>();
  const seen = new Set(starts);
  let level = [...seen];
  for (let distance = 1; distance < depth && level.length > 0; distance++) {
    const next: Place[] = [];
    for (const place of level) {
      if (pacer.isDue()) await pacer.pause();
      inside.add(place);
      for (const id of (await linksAt(reader, place)).parents) {
        if (pacer.isDue()) await pacer.pause();
        const parent = reader.place(id);
        if (seen.has(parent)) continue;
        seen.add(parent);
        next.push(parent);
      }
    }
    level = next;
  }
  return { inside, border: level };
}

/** Commits on the way from the wants that are young enough and that no excluded one leads to. */
async function commitsInRange(
  reader: ObjectReader,
  wants: readonly ObjectId[],
  { sinceSeconds, not }: Extract<Deepening, { kind: "range" }>,
  pacer: Pacer,
): Promise<ReachedCommits> {
  const stack = (await sortTips(reader, wants, pacer)).commits;
  const excluded = (await sortTips(reader, not, pacer)).commits;
  const walked = not.length === 0 ? undefined : await commitsToSend(reader, stack, excluded, pacer);
  const allowed = walked && new Set(walked.commits.map(({ links }) => links.place));
  const chosen = new Map<Place, readonly Place[]>();
  const seen = new Set<Place>();
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    if (seen.has(place)) continue;
    seen.add(place);
    if (pacer.isDue()) await pacer.pause();
    if (allowed?.has(place) === false) continue;
    const { parents, seconds } = await linksAt(reader, place);
    if (seconds < sinceSeconds) continue;
    const places = await mapPaced(parents, (id) => reader.place(id), pacer);
    chosen.set(place, places);
    stack.push(...places);
  }
  const inside = new Set<Place>();
  const border: Place[] = [];
  for (const [place, parents] of chosen) {
    if (pacer.isDue(1 + parents.length)) await pacer.pause();
    if (parents.every((parent) => chosen.has(parent))) inside.add(place);
    else border.push(place);
  }
  return { inside, border };
}
